"""Reindex: make again whatever is derived from the canonical rows: the keyword index, the vectors, the Merkle tree.

Searches go on meanwhile. The keyword index is renewed entry by entry; new vectors are computed beside the old ones,
which serve until one transaction puts the new in their place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..model.errors import Invalid, StoreDamaged
from ..model.record import CURRENT, Filter, Record
from ..model.scope import ADMIN
from ..store import open_store
from ..store.protocol import Reader
from ..store.receive import rebuild_tree
from ..store.terms import spaced_terms
from .engine import Asker, Engine
from .files import kept_beside, sync_folder

if TYPE_CHECKING:
    from ..store.protocol import Vector

Progress = Callable[[int, "int | None"], None]
WORDS, VECTORS, TREE, ALL = "words", "vectors", "tree", "all"
CHOICES = (WORDS, VECTORS, TREE, ALL)
BATCH = 500


class Reindexed(NamedTuple):
    """How much was made again. `wrong_roots` names the namespaces whose standings do not give the root of the chain:
    that is damage to what is canonical, and `audit_verify` says more."""

    what: str
    words: int = 0
    vectors: int = 0
    model: str = ""
    trees: int = 0
    wrong_roots: tuple[str, ...] = ()


def reindex(engine: Engine, asker: Asker, what: str = ALL, *, progress: Progress | None = None) -> Reindexed:
    """For the whole store: what is derived belongs to no namespace alone."""
    asker.principal.check(ADMIN, asker.namespace)
    if what not in CHOICES:
        raise Invalid(f"{what!r} cannot be reindexed.", hint=f"One of {', '.join(CHOICES)}.", field="what")
    if engine.store.is_broken() and not engine.store.damages():
        rebuild(engine, asker, progress=progress)
    words = vectors = 0
    model = ""
    spaces: list[str] = []
    wrong: list[str] = []
    if what in (TREE, ALL):
        spaces, wrong = _trees(engine)
    if what in (WORDS, ALL):
        words = _words(engine, progress)
    if what in (VECTORS, ALL) and engine.embedder.dimensions:
        vectors, model = vectors_anew(engine, progress), engine.embedder.model
    return Reindexed(what, words, vectors, model, len(spaces), tuple(wrong))


def rebuild(engine: Engine, asker: Asker, *, progress: Progress | None = None) -> Sequence[str]:
    """A new file in the place of one in which something derived is broken, with all that is canonical; the broken one
    is kept. Which parts lost something: vectors are then to be made by who has the embedder."""
    asker.principal.check(ADMIN, asker.namespace)
    place = Path(engine.store.url.partition(":")[2])

    def complete(path: str) -> None:
        fresh = open_store(path)
        try:
            made = replace(engine, store=fresh)
            _trees(made)
            words_anew(made, progress)
            if found := [*fresh.damages(), *(fresh.problems() if fresh.is_broken() else ())]:
                raise StoreDamaged(f"{path} did not become sound: {found[0]}.", hint="Restore a backup.")
        finally:
            fresh.close()

    kept = kept_beside(place, "before-repair", engine.clock())
    lost = engine.store.rebuild(str(kept), complete)
    sync_folder(place.parent)
    return lost


def _trees(engine: Engine) -> tuple[list[str], list[str]]:
    with engine.store.reading() as reader:
        spaces = reader.namespaces()
    return spaces, [name for name in spaces if not _agrees(engine, name)]


def _agrees(engine: Engine, namespace: str) -> bool:
    """Rebuild, and say whether the chain has the same root. A write in between makes it start again."""
    while True:
        with engine.store.reading() as reader:
            before = reader.head(namespace).seq
        root = rebuild_tree(engine.store, namespace)
        with engine.store.reading() as reader:
            head = reader.head(namespace)
        if head.seq == before:
            return root == head.root


def entries_of(reader: Reader) -> list[int]:
    """Every entry of every namespace, superseded ones too: they are searched when asked for."""
    wanted = Filter(include_superseded=True)
    return [entry for name in reader.namespaces() for entry in reader.select(name, wanted, CURRENT, 0)]


def _words(engine: Engine, progress: Progress | None) -> int:
    if engine.store.problems():
        # What is damaged may be the index itself, in which nothing can be replaced: start with an empty one.
        with engine.store.writing() as writer:
            writer.clear_words()
    return words_anew(engine, progress)


def words_anew(engine: Engine, progress: Progress | None = None) -> int:
    """How many entries the index of words has now: all of them, as it is made today."""
    with engine.store.reading() as reader:
        entries = entries_of(reader)
    for at in range(0, len(entries), BATCH):
        with engine.store.writing() as writer:
            records = writer.records_of(entries[at : at + BATCH], CURRENT)
            anchors = writer.anchors([record.entry for record in records], CURRENT)
            for record in records:
                targets = (anchor.target for anchor in anchors.get(record.entry, ()))
                names = " ".join([*record.standing.tags, *record.standing.aliases, *targets])
                writer.index_words(record.entry, spaced_terms(record.node.content), spaced_terms(names))
        if progress is not None:
            progress(min(at + BATCH, len(entries)), len(entries))
    engine.store.note_new_words()
    return len(entries)


def vectors_anew(engine: Engine, progress: Progress | None = None) -> int:
    """How many were made: of everything, by the embedder at hand."""
    with engine.store.reading() as reader:
        entries = entries_of(reader)
    made: dict[int, Vector] = {}
    for at in engine.considerately(range(0, len(entries), BATCH)):
        with engine.store.reading() as reader:
            records = reader.records_of(entries[at : at + BATCH], CURRENT)
        made.update(_embedded(engine, records))
        if progress is not None:
            progress(min(at + BATCH, len(entries)), len(entries))
    with engine.store.writing() as writer:
        # Meanwhile entries may have come, and some may have been erased.
        present = entries_of(writer)
        missing = [entry for entry in present if entry not in made]
        for at in range(0, len(missing), BATCH):
            made.update(_embedded(engine, writer.records_of(missing[at : at + BATCH], CURRENT)))
        writer.clear_vectors(engine.embedder.model, engine.embedder.dimensions)
        writer.index_vectors([(entry, made[entry]) for entry in sorted(present)])
    return len(present)


def _embedded(engine: Engine, records: Sequence[Record]) -> list[tuple[int, Vector]]:
    vectors = engine.vectors([record.node.content for record in records])
    return [(record.entry, vector) for record, vector in zip(records, vectors, strict=True)]
