"""Removal: take a service, or what is old, out of the memory. It is retracted and not erased: it stays in the log, a
snapshot brings it back, and `erase` removes it for good."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from ..model.change import Restate
from ..model.draft import check_kind
from ..model.errors import Invalid, NotFound
from ..model.moments import MICROS_PER_DAY, iso
from ..model.moments import parse as parse_moment
from ..model.nearest import nearest
from ..model.record import CURRENT, Filter, Record
from ..model.scope import ADMIN
from ..model.source import Source
from ..model.standing import RETRACTED, SUPERSEDED
from ..model.text import counted
from ..model.text import name as short_name
from ..store.protocol import Reader, Writer
from .engine import Asker, Engine, submit
from .taking_in.file_of import READ_FROM
from .taking_in.still_there import still_there

BATCH = 500
LINES_MAX = 10
SERVICES_NAMED = 20
# What people chose to keep at hand, or that says what others may see, is no old data.
KEPT_KINDS = frozenset(("view", "preference"))
# Git still has them, and an automatic reading would bring them back: they are known to have been read all the same.
COMMIT = "commit"


class Removed(NamedTuple):
    """What was retracted, or would be: by kind, and a few of them. `kept_shared` was said elsewhere too, and stays.
    `sources` are the rows that said where it was read. `undo` is the number to restore to."""

    dry_run: bool
    project: str
    what: str
    nodes: int
    kinds: tuple[tuple[str, int], ...]
    first: tuple[Record, ...]
    kept_shared: int
    sources: int
    undo: int | None = None


def delete_service_data(
    engine: Engine, asker: Asker, service: str, *, dry_run: bool = True, confirm: bool = False
) -> Removed:
    """Retract all that was taken in for a service in the caller's project: what another took the place of too, which
    would be told as superseded by something that is gone."""
    asker.principal.check(ADMIN, asker.namespace)
    named = short_name(service, field="service", length_max=500)
    place = (asker.scope.project,)
    with engine.store.reading() as reader:
        sources = reader.sources(asker.namespace, place, service=named)
        wanted = Filter(projects=place, service=named, include_superseded=True)
        entries = reader.select(asker.namespace, wanted, CURRENT, engine.clock())
        if not entries and not sources:
            raise _no_service(reader, asker, named)
        records, shared = _only_there(reader, asker, entries, named)
        records = _with_what_they_replaced(reader, asker, records)
    return _removed(
        engine,
        asker,
        records,
        "delete_service_data",
        f"the service {named}",
        sources=sources,
        shared=shared,
        is_dry=_is_dry(dry_run, confirm, len(records)),
    )


def prune(
    engine: Engine,
    asker: Asker,
    older_than: object,
    kinds: Sequence[str] = (),
    *,
    dry_run: bool = True,
    confirm: bool = False,
) -> Removed:
    """Retract what was last said before a moment in the caller's project, pinned nodes aside. What was read from files
    that are still there, or from commits, is no old data, however old it is: it leaves when its `kinds` are named."""
    asker.principal.check(ADMIN, asker.namespace)
    now = engine.clock()
    before = _moment(older_than, now)
    place = (asker.scope.project,)
    wanted = Filter(projects=place, kinds=tuple(check_kind(kind) for kind in kinds), pinned=False)
    with engine.store.reading() as reader:
        entries = reader.select(asker.namespace, wanted, CURRENT, now)
        records = [record for record in _records(reader, entries) if record.last_at < before]
        rows = () if kinds else reader.sources(asker.namespace, place)
        living = still_there([one for one in rows if one.is_document], asker.root, _files(reader, records))
        records = [
            record
            for record in records
            if kinds or (record.node.kind not in KEPT_KINDS and record.node.address not in living)
        ]
        addresses = [record.node.address for record in records]
        sources = [
            one
            for some in _batches(addresses)
            for one in reader.sources_of(asker.namespace, some, place)
            if one.kind != COMMIT
        ]
    # Of a moment that is not a day ago, the day alone would not say which.
    what = f"what was last said before {iso(before) if now - before < MICROS_PER_DAY else iso(before)[:10]}"
    is_dry = _is_dry(dry_run, confirm, len(records))
    return _removed(engine, asker, records, "prune", what, sources=sources, shared=0, is_dry=is_dry)


def _files(reader: Reader, records: Sequence[Record]) -> dict[str, str]:
    """The files of conversations, as they were noted when these were read."""
    talks = [record for record in records if record.node.kind == "conversation"]
    said = reader.occurrences([record.entry for record in talks], CURRENT)
    named = ((r.node.address, one.fields.get(READ_FROM)) for r in talks for one in said.get(r.entry, ()))
    return {address: name for address, name in named if isinstance(name, str)}


def _moment(given: object, now: int) -> int:
    """A time, or an age: 90, "90" and "90 days" are so many days ago."""
    if isinstance(given, str) and given.strip().isascii() and given.strip().isdigit() and len(given.strip()) < 6:
        given = int(given)
    if isinstance(given, int) and not isinstance(given, bool):
        if not 1 <= given <= 36_500:
            raise Invalid(f"{given} is no age in days.", hint="From 1 to 36500.", field="older_than")
        return now - given * MICROS_PER_DAY
    try:
        found = parse_moment(f"{given} ago", now, field="older_than")
    except Invalid:
        found = parse_moment(given, now, field="older_than")
    if found >= now:
        raise Invalid("That would be everything.", hint='Give an age such as "90 days".', field="older_than")
    return found


def _is_dry(dry_run: bool, confirm: bool, count: int) -> bool:
    """Whether it only looks. To act, it has to be told so twice."""
    if not dry_run and not confirm:
        raise Invalid(
            f"This would retract {counted(count, 'node')}.",
            hint="Look at them with dry_run=true, then give confirm=true.",
            field="confirm",
        )
    return dry_run


def _no_service(reader: Reader, asker: Asker, service: str) -> NotFound:
    known = sorted(reader.services(asker.namespace, (asker.scope.project,)))
    near = nearest(service, known) if known else ""
    listed = f"Services here: {', '.join(known[:SERVICES_NAMED])}." if known else "No service was taken in here yet."
    hint = f"Did you mean {near}? {listed}" if near else listed
    return NotFound(f"There is no service {service[:80]!r} in this project.", hint=hint, field="service")


def _records(reader: Reader, entries: Sequence[int]) -> Iterable[Record]:
    for at in range(0, len(entries), BATCH):
        yield from reader.records_of(entries[at : at + BATCH], CURRENT)


def _only_there(reader: Reader, asker: Asker, entries: Sequence[int], service: str) -> tuple[list[Record], int]:
    """What belongs to this service alone, and how many others there are: those that a source of another service holds,
    or that somebody said elsewhere. That another service once held it, and no longer does, keeps nothing."""
    found: list[Record] = []
    for at in range(0, len(entries), BATCH):
        records = reader.records_of(entries[at : at + BATCH], CURRENT)
        said = reader.occurrences([record.entry for record in records], CURRENT)
        held = reader.sources_of(asker.namespace, [r.node.address for r in records], (asker.scope.project,))
        elsewhere = {source.address for source in held if source.service != service}
        found += [
            record
            for record in records
            if record.node.address not in elsewhere
            and all(one.service == service or one.fields.get("path") for one in said.get(record.entry, ()))
        ]
    return found, len(entries) - len(found)


def _with_what_they_replaced(reader: Reader, asker: Asker, records: Sequence[Record]) -> list[Record]:
    """Those that hold, and of those that were superseded the ones whose heirs leave with them: what a person put in the
    place of another stays, and so does what it replaced. What is retracted has left already."""
    heirs: dict[str, set[str]] = {}
    gone = [record.node.address for record in records if record.standing.state == SUPERSEDED]
    for some in _batches(gone):
        for link in reader.links(asker.namespace, some, (asker.scope.project,), CURRENT):
            if link.rel == "supersedes":
                heirs.setdefault(link.target, set()).add(link.source)
    leaving = {record.node.address for record in records if record.standing.state != SUPERSEDED}
    while more := {one for one in gone if one not in leaving and heirs.get(one, set()) & leaving}:
        leaving |= more
    return [one for one in records if one.node.address in leaving and one.standing.state != RETRACTED]


def _batches(addresses: Sequence[str]) -> Iterable[Sequence[str]]:
    return (addresses[at : at + BATCH] for at in range(0, len(addresses), BATCH))


def _removed(
    engine: Engine,
    asker: Asker,
    records: Sequence[Record],
    operation: str,
    what: str,
    *,
    sources: Sequence[Source],
    shared: int,
    is_dry: bool,
) -> Removed:
    kinds: dict[str, int] = {}
    for record in records:
        kinds[record.node.kind] = kinds.get(record.node.kind, 0) + 1
    ordered = tuple(sorted(kinds.items(), key=lambda one: (-one[1], one[0])))
    undo = None if is_dry else _retract(engine, asker, records, operation, what, sources)
    return Removed(
        is_dry,
        asker.scope.project,
        what,
        len(records),
        ordered,
        tuple(records[:LINES_MAX]),
        shared,
        len(sources),
        undo,
    )


def _retract(
    engine: Engine, asker: Asker, records: Sequence[Record], operation: str, what: str, sources: Sequence[Source]
) -> int | None:
    """In batches, each an event that stands or falls with the rows of its sources. The number before the first."""
    undo: int | None = None
    left = {(one.service, one.path): one for one in sources}
    for at in range(0, len(records), BATCH):
        batch = [record.node.address for record in records[at : at + BATCH]]
        gone = [one for one in left.values() if one.address in batch]
        steps = [Restate(address, (("state", RETRACTED),), operation) for address in batch]
        summary = f"{operation}: retract {counted(len(batch), 'node')}"
        receipt = submit(engine, asker, operation, steps, summary=summary, also=_dropping(asker.namespace, gone))
        undo = receipt.seq - 1 if undo is None else undo
        for one in gone:
            del left[one.service, one.path]
    if left:  # of what stays for other reasons, and where a reading had got to
        with engine.store.writing() as writer:
            writer.drop_sources(asker.namespace, list(left.values()))
    return undo


def _dropping(namespace: str, sources: Sequence[Source]) -> Callable[[Writer], None] | None:
    return (lambda writer: writer.drop_sources(namespace, sources)) if sources else None
