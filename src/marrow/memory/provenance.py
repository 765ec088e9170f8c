"""Provenance: where a node comes from, back to the leaves: what it was made from, what it took the place of, who said
it where and when, and every change of its standing with the event that made it.

An origin that was erased, that belongs to another memory or that the caller may not read is shown as missing: the
three look the same, so that nothing can be learned from the difference.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..model.event import Event
from ..model.node import Occurrence
from ..model.record import Record
from ..model.standing import Standing
from ..store.protocol import Projects, Reader
from .engine import Asker, Engine, resolve, sequence

DEPTH_MAX = 64
NODES_MAX = 2_000
INPUT, DERIVED_FROM, SUPERSEDES = "input", "derived_from", "supersedes"


class Said(NamedTuple):
    """One occurrence, and the project that it was said in."""

    project: str
    occurrence: Occurrence


class Held(NamedTuple):
    """A standing, from which event until before which (None: it still holds), and who brought it about."""

    seq: int
    until: int | None
    at: int
    actor: str
    operation: str
    reason: str
    standing: Standing


class Origin(NamedTuple):
    """A node in the history of another: how it was reached (`via`, from the node `of`) and over how many steps.

    `record` is None when it is missing.
    """

    address: str
    distance: int
    via: str
    of: str
    record: Record | None
    said: tuple[Said, ...] = ()
    held: tuple[Held, ...] = ()


class Provenance(NamedTuple):
    """A node, all that it goes back to (nearest first), the line of nodes that it took the place of (latest first), and
    the leaves: what goes back to nothing else. `cut` when there was more than is shown."""

    node: Origin
    origins: tuple[Origin, ...]
    superseded: tuple[str, ...]
    leaves: tuple[str, ...]
    missing: tuple[str, ...]
    cut: bool


class Step(NamedTuple):
    """From the node `of` to the node `address`."""

    of: str
    via: str
    address: str


@dataclass(frozen=True)
class Sight:
    """What a walk through history looks at: one view of the store, the projects that the caller may read, a moment."""

    reader: Reader
    asker: Asker
    projects: Projects
    seq: int
    events: dict[int, Event | None] = field(default_factory=dict)

    def records(self, addresses: Sequence[str]) -> dict[str, list[Record]]:
        """The visible records of each address, the one of the caller's own project first."""
        found: dict[str, list[Record]] = defaultdict(list)
        for record in self.reader.records(self.asker.namespace, addresses, self.projects, self.seq):
            found[record.node.address].append(record)
        for records in found.values():
            records.sort(key=lambda r: (r.project != self.asker.scope.project, r.project))
        return found

    def event(self, seq: int) -> Event | None:
        if seq not in self.events:
            self.events[seq] = next(self.reader.events(self.asker.namespace, after=seq - 1, until=seq), None)
        return self.events[seq]


Follow = Callable[[Sight, Sequence[Record]], list[Step]]


def provenance(engine: Engine, asker: Asker, address: str, as_of: object = None) -> Provenance:
    """Where the node at `address` comes from, to the leaves."""
    with engine.store.reading() as reader:
        seq = sequence(reader, asker, as_of, engine.clock())
        start = resolve(reader, asker, address, seq=seq)
        sight = Sight(reader, asker, asker.everywhere(), seq)
        return trace(sight, start)


def trace(sight: Sight, start: Record) -> Provenance:
    """The provenance of a record that is already found."""
    origins, steps, cut = walk(sight, start, _back)
    gone = {origin.address for origin in origins if origin.record is None}
    goes_on = {step.of for step in steps}
    every = [start.node.address, *(origin.address for origin in origins)]
    return Provenance(
        node=origins_of(sight, [Step("", "", start.node.address)], 0)[0],
        origins=origins,
        superseded=line(origins, start.node.address),
        leaves=tuple(one for one in every if one not in goes_on and one not in gone),
        missing=tuple(one for one in every if one in gone),
        cut=cut,
    )


def walk(sight: Sight, start: Record, follow: Follow) -> tuple[tuple[Origin, ...], list[Step], bool]:
    """Every node that `follow` leads to, nearest first; all the steps; and whether the bounds cut the walk short."""
    seen = {start.node.address}
    found: list[Origin] = []
    taken: list[Step] = []
    level: list[Record] = [start]
    distance = 0
    while level:
        distance += 1
        steps = follow(sight, level)
        fresh: dict[str, Step] = {}
        for step in steps:
            if step.address not in seen:
                fresh.setdefault(step.address, step)
        taken += steps
        room = NODES_MAX - len(found)
        if fresh and (distance > DEPTH_MAX or room == 0):
            return tuple(found), taken, True
        kept = list(fresh.values())[:room]
        seen.update(fresh)
        reached = origins_of(sight, kept, distance)
        found += reached
        if len(fresh) > room:
            return tuple(found), taken, True
        level = [origin.record for origin in reached if origin.record is not None]
    return tuple(found), taken, False


def line(origins: Sequence[Origin], start: str) -> tuple[str, ...]:
    """The nodes that are reached from `start` by supersession alone."""
    joined = {start}
    found = []
    for origin in origins:
        if origin.via == SUPERSEDES and origin.of in joined:
            joined.add(origin.address)
            found.append(origin.address)
    return tuple(found)


def origins_of(sight: Sight, steps: Sequence[Step], distance: int) -> list[Origin]:
    """What is known of the nodes that these steps lead to, in their order."""
    records = sight.records([step.address for step in steps])
    entries = [record.entry for found in records.values() for record in found]
    occurrences = sight.reader.occurrences(entries, sight.seq)
    origins = []
    for step in steps:
        found = records.get(step.address)
        if not found:
            origins.append(Origin(step.address, distance, step.via, step.of, None))
            continue
        said = [Said(record.project, one) for record in found for one in occurrences.get(record.entry, [])]
        said.sort(key=lambda one: (one.occurrence.at, one.project))
        held = _held(sight, found[0])
        origins.append(Origin(step.address, distance, step.via, step.of, found[0], tuple(said), held))
    return origins


def _held(sight: Sight, record: Record) -> tuple[Held, ...]:
    found = []
    for interval in sight.reader.intervals(record.entry):
        if interval.start > sight.seq:
            break
        event = sight.event(interval.start)
        until = interval.end if interval.end <= sight.seq else None
        found.append(
            Held(
                interval.start,
                until,
                event.at if event else interval.standing.changed_at,
                event.actor if event else "",
                event.operation if event else "",
                interval.standing.reason,
                interval.standing,
            )
        )
    return tuple(found)


def _back(sight: Sight, records: Sequence[Record]) -> list[Step]:
    """What these nodes took the place of, and what they were made from."""
    asked = {record.node.address for record in records}
    links = sight.reader.links(sight.asker.namespace, sorted(asked), sight.projects, sight.seq)
    steps = {
        rel: [Step(link.source, rel, link.target) for link in links if link.rel == rel and link.source in asked]
        for rel in (SUPERSEDES, DERIVED_FROM)
    }
    inputs = [Step(record.node.address, INPUT, given) for record in records for given in record.node.inputs]
    return [*steps[SUPERSEDES], *inputs, *steps[DERIVED_FROM]]
