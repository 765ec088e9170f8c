"""Renew: after an upgrade, what is derived in the form of today, in the place of what an earlier version made. For all,
and never through a view."""

from __future__ import annotations

from collections.abc import Sequence

from ..access.restricted import enforced
from ..providers.static import EARLIER, MODEL
from ..store.protocol import Reader
from .engine import Engine, vectors_by
from .reindex import BATCH, entries_of, vectors_anew, words_anew

# So many entries are indexed in about a second.
FEW = 2_000


def renew_words(engine: Engine) -> int:
    """How many entries the index of words was made anew for; 0 unless it is from before the way of making terms
    changed. Those who search meanwhile find in it what they did, and more and more of what they ask for."""
    store = engine.store
    if store.read_only or enforced(store) or not store.has_old_words() or store.is_broken():
        return 0
    return words_anew(engine, lambda *_: engine.make_way())


def renew_few_words(engine: Engine) -> int:
    """The same where it is soon done: who never runs a daemon is served too, and who has much leaves it to one."""
    if not engine.store.has_old_words():
        return 0
    with engine.store.reading() as reader:
        if reader.sizes()["entries"] > FEW:
            return 0
    return renew_words(engine)


def renew_vectors(engine: Engine) -> int:
    """How many vectors were made anew; 0 unless those of the store are of an embedder that was built in before. Another
    one was somebody's choice, and may cost something: that is left to `reindex`."""
    ours = engine.model()
    if engine.store.read_only or enforced(engine.store) or ours is None or ours[0] != MODEL:
        return 0
    with engine.store.reading() as reader:
        theirs = reader.vector_model()
    return vectors_anew(engine) if theirs is not None and theirs[0] in EARLIER else 0


def fill_vectors(engine: Engine) -> int:
    """How many entries got a vector that had none, as what was saved while another embedder was configured, or while a
    service did not answer. Only where the vectors of the store are of the embedder at hand."""
    store, ours = engine.store, engine.model()
    if store.read_only or enforced(store) or ours is None:
        return 0
    with store.reading() as reader:
        sizes = reader.sizes()
        if reader.vector_model() != ours or sizes["vectors"] >= sizes["entries"]:
            return 0
        entries = entries_of(reader)
    done = 0
    for at in engine.considerately(range(0, len(entries), BATCH)):
        done += _filled(engine, entries[at : at + BATCH])
    return done


def _filled(engine: Engine, entries: Sequence[int]) -> int:
    with engine.store.reading() as reader:
        texts = _without_vector(reader, entries)
    if not texts:
        return 0
    # By the better one where it is at hand: what lies before the mark of `refine` is not looked at again.
    made = vectors_by(engine.refiner or engine.embedder, list(texts.values()))
    with engine.store.writing() as writer:
        still = _without_vector(writer, list(texts))
        if writer.vector_model() != engine.model():
            return 0  # meanwhile the index was made anew
        found = [(entry, vector) for entry, vector in zip(texts, made, strict=True) if entry in still]
        writer.index_vectors(found)
    return len(found)


def _without_vector(reader: Reader, entries: Sequence[int]) -> dict[int, str]:
    known = reader.vectors_of(entries)
    return {entry: text for entry, _, text in reader.texts_of([entry for entry in entries if entry not in known])}
