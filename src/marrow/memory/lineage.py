"""Lineage: the provenance of a node, and what came of it: what was made from it, and what took its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..model.record import Record
from .engine import Asker, Engine, resolve, sequence
from .provenance import DERIVED_FROM, INPUT, SUPERSEDES, Origin, Provenance, Sight, Step, line, trace, walk


class Lineage(NamedTuple):
    """`followed` is all that came of the node, nearest first; `via` says how: made from it as an input, derived from
    it, or in its place. `superseded_by` is the line of those that took its place, the first one first."""

    provenance: Provenance
    followed: tuple[Origin, ...]
    superseded_by: tuple[str, ...]
    cut: bool


def lineage(engine: Engine, asker: Asker, address: str, as_of: object = None) -> Lineage:
    """Where the node at `address` comes from, and what came of it."""
    with engine.store.reading() as reader:
        seq = sequence(reader, asker, as_of, engine.clock())
        start = resolve(reader, asker, address, seq=seq)
        sight = Sight(reader, asker, asker.everywhere(), seq)
        before = trace(sight, start)
        followed, _, cut = walk(sight, start, _forward)
        return Lineage(before, followed, line(followed, start.node.address), cut)


def _forward(sight: Sight, records: Sequence[Record]) -> list[Step]:
    space = sight.asker.namespace
    asked = {record.node.address for record in records}
    links = sight.reader.links(space, sorted(asked), sight.projects, sight.seq)
    steps = {
        rel: [Step(link.target, rel, link.source) for link in links if link.rel == rel and link.target in asked]
        for rel in (SUPERSEDES, DERIVED_FROM)
    }
    made = [Step(given, INPUT, one) for given in sorted(asked) for one in sight.reader.made_from(space, given)]
    found = [*steps[SUPERSEDES], *made, *steps[DERIVED_FROM]]
    # Going back, a node that the caller may read names its inputs. Going forward, what it may not read stays unnamed.
    visible = sight.records([step.address for step in found])
    return [step for step in found if step.address in visible]
