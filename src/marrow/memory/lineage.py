"""Lineage: who, when, from what, with which model. The provenance of a node and what came of it: the events that
touched it, where it was read, its versions, what was made from it, and what was derived from it.

Of a file or a commit: the nodes that were read from it, each with its lineage in short.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..model.derivation import Derived, is_digest
from ..model.event import Event
from ..model.record import CURRENT, Filter, Record
from ..model.scope import READ
from ..model.source import Source
from ..store.protocol import Reader
from .differences import names
from .engine import Asker, Engine, resolve, sequence
from .provenance import DERIVED_FROM, INPUT, SUPERSEDES, Origin, Provenance, Said, Sight, Step, line, trace, walk
from .taking_in.file_of import file_of

EVENTS_MAX, READ_MAX, NAMED_MAX = 200, 50, 5


class Lineage(NamedTuple):
    """`followed` is all that came of the node, nearest first; `via` says how: made from it as an input, derived from
    it, or in its place. `superseded_by` is the line of those that took its place, the first one first.

    `events` are those that touched the node, the first one first; `versions` are those that it took the place of, it
    and those that took its place, in this order; `derived` is what was computed from it or from its file."""

    provenance: Provenance
    followed: tuple[Origin, ...]
    superseded_by: tuple[str, ...]
    cut: bool
    events: tuple[Event, ...] = ()
    versions: tuple[Record, ...] = ()
    sources: tuple[Source, ...] = ()
    derived: tuple[Derived, ...] = ()


class Read(NamedTuple):
    """A node that was read from a file or commit: how it stands, where it was said, by which events it was changed."""

    record: Record
    said: tuple[Said, ...]
    events: tuple[Event, ...]
    derived: tuple[Derived, ...]


def lineage(engine: Engine, asker: Asker, address: str, as_of: object = None) -> Lineage:
    """Where the node at `address` comes from, and what came of it."""
    with engine.store.reading() as reader:
        seq = sequence(reader, asker, as_of, engine.clock())
        start = resolve(reader, asker, address, seq=seq)
        sight = Sight(reader, asker, asker.everywhere(), seq)
        before = trace(sight, start)
        followed, _, cut = walk(sight, start, _forward)
        after = line(followed, start.node.address)
        mine = start.node.address
        ordered = [*reversed(before.superseded), mine, *after]
        known = sight.records(ordered)
        return Lineage(
            before,
            followed,
            after,
            cut,
            _events(sight, [start])[mine],
            tuple(known[one][0] for one in ordered if one in known),
            tuple(reader.sources_of(asker.namespace, [mine], sight.projects)),
            _derived(sight, mine, before.node.said),
        )


def read_from(engine: Engine, asker: Asker, *, file: str = "", commit: str = "") -> list[Read]:
    """What was read from a file, or from a commit, in the caller's project: what holds first, then the latest said."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    with engine.store.reading() as reader:
        if file.strip():
            path = file.strip().replace("\\", "/").removeprefix("./")
            entries = _of_file(reader, asker, path)
            if not entries:
                entries = [one for other in _named_so(reader, asker, path) for one in _of_file(reader, asker, other)]
        else:
            entries = _of_commit(reader, asker, commit.strip().lower())
        sight = Sight(reader, asker, asker.everywhere(), CURRENT)
        records = reader.records_of(entries, CURRENT)
        records.sort(key=lambda record: (not record.standing.is_active(0), -record.last_at))
        said = reader.occurrences(entries, CURRENT)
        events = _events(sight, records)
        found = []
        for record in records:
            places = tuple(Said(record.project, one) for one in said.get(record.entry, ()))
            mine = record.node.address
            found.append(Read(record, places, events[mine], _derived(sight, mine, places)))
        return found


def _of_file(reader: Reader, asker: Asker, path: str) -> list[int]:
    wanted = Filter(projects=(asker.scope.project,), metadata=(("path", path),), include_superseded=True)
    return list(reader.select(asker.namespace, wanted, CURRENT, 0, READ_MAX))


def _named_so(reader: Reader, asker: Asker, name: str) -> list[str]:
    """The files whose paths end so: one is asked for by the end of its path too, as a whole document is."""
    rows = reader.sources(asker.namespace, (asker.scope.project,))
    paths = dict.fromkeys(file_of(row) or row.path for row in rows if row.is_document)
    return [path for path in paths if path.endswith(f"/{name}")][:NAMED_MAX]


def _of_commit(reader: Reader, asker: Asker, commit: str) -> list[int]:
    """The nodes that a reader of history made of a commit whose hash begins so."""
    wanted = Filter(projects=(asker.scope.project,), kinds=("commit",), include_superseded=True)
    entries = reader.select(asker.namespace, wanted, CURRENT, 0)
    said = reader.occurrences(entries, CURRENT)
    begins = (
        entry
        for entry in entries
        if any(str(one.fields.get("commit") or "").startswith(commit) for one in said.get(entry, ()))
    )
    return list(begins)[:READ_MAX] if commit else []


def _events(sight: Sight, records: Sequence[Record]) -> dict[str, tuple[Event, ...]]:
    """The events that touched these, in order; at most so many of each, the latest."""
    found: dict[str, list[Event]] = {record.node.address: [] for record in records}
    starts = [interval.start for record in records for interval in sight.reader.intervals(record.entry)[:1]]
    if starts:
        until = None if sight.seq == CURRENT else sight.seq
        for event in sight.reader.events(sight.asker.namespace, after=min(starts) - 1, until=until):
            if event.operation and (sight.projects is None or event.project in sight.projects):
                for address in found.keys() & set(names(event)):
                    found[address].append(event)
    return {address: tuple(events[-EVENTS_MAX:]) for address, events in found.items()}


def _derived(sight: Sight, address: str, said: Sequence[Said]) -> tuple[Derived, ...]:
    """What was computed from a node, and from the files that it was read from."""
    files = (one.occurrence.fields.get("digest") for one in said)
    inputs = dict.fromkeys([address, *(str(digest) for digest in files if is_digest(digest))])
    return tuple(sight.reader.derived(sight.asker.namespace, list(inputs), sight.projects))


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
