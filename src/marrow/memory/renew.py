"""Renew: after an upgrade, what is derived in the form of today, in the place of what an earlier version made. For all,
and never through a view."""

from __future__ import annotations

from ..access.restricted import enforced
from ..providers.static import EARLIER, MODEL
from .engine import Engine
from .reindex import vectors_anew, words_anew

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
