"""What holds of what was read: each document under the path and service that have it.

At hand are the rows that say what was read from where. They know of now only, and a row stays when its node was
forgotten since: so how the node stands decides, and where a row is missing, what was noted when it was said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ...model.record import CURRENT, Filter, Record
from ...model.source import Source
from ...search.find import Hit
from ...store.protocol import Projects, Reader
from ..attribution import TAKEN_IN
from ..engine import Asker
from ..taking_in.file_of import file_of
from .attributed import Attributed, attribute

# Commits are many, and no documents.
KINDS = tuple(sorted(TAKEN_IN - {"commit"}))
# These come without a path too: a form, a transcript that was given as text.
PATHLESS = frozenset(KINDS) - {"code"}
# The incident of one service may stand in the files of another.
SHARED = "incident"
BATCH, WITHOUT_ROW_MAX = 500, 2_000


class Listed(NamedTuple):
    """A document in a list. `read_at` is when it was taken in, `at` when it is from; 0 where that is not known."""

    address: str
    kind: str
    title: str
    path: str
    service: str
    project: str
    read_at: int
    at: int = 0
    size: int = 0


def held(
    reader: Reader,
    asker: Asker,
    projects: Projects,
    seq: int,
    now: int,
    *,
    service: str = "",
    wanted: Filter | None = None,
) -> list[Listed]:
    """In order of project, service and path; then what has no path. Of `wanted` the kinds, the path and the times are
    heeded; the times are those of the reading."""
    asked = wanted or Filter()
    kinds = tuple(kind for kind in KINDS if not asked.kinds or kind in asked.kinds)
    if not kinds:
        return []
    every = reader.sources(asker.namespace, projects) if seq == CURRENT else []
    rows = [row for row in every if row.is_document and row.kind in kinds]
    active, placed = _active(reader, asker, rows, now)
    here = [row for row in active if (not service or row.service == service) and _is_wanted(row, asked)]
    found = [_of_row(row) for row in _each_once(here)]
    chosen = Filter(projects=projects, kinds=kinds, service=service, since=asked.since, until=asked.until)
    chosen = replace(chosen, include_superseded=seq != CURRENT)  # now, their rows tell them
    entries = reader.select(asker.namespace, chosen, seq, now)
    rest = [e for e in entries if e not in placed] if service == "" else _not_here(reader, entries, placed, found)
    rest = rest[:WITHOUT_ROW_MAX] if seq == CURRENT else rest
    there = {(one.project, one.service, one.path) for one in found}
    for at in range(0, len(rest), BATCH):
        records = reader.records_of(rest[at : at + BATCH], seq)
        for one in attribute(reader, asker, [Hit(record, 0.0) for record in records], seq, service=service):
            listed = _of_record(one) if one.holds(now) else None
            if listed is not None and _is_within(listed.path, asked.path) and not _is_there(listed, there):
                found.append(listed)
    return sorted(found, key=lambda one: (not one.path, one.project, one.service, one.path))


def _active(reader: Reader, asker: Asker, rows: Sequence[Source], now: int) -> tuple[list[Source], dict[int, str]]:
    """The rows whose nodes hold where they were read for, and the entries of these with their kinds."""
    found: list[Source] = []
    placed: dict[int, str] = {}
    for project in dict.fromkeys(row.project for row in rows):
        mine = [row for row in rows if row.project == project]
        wanted = Filter(projects=(project,), kinds=tuple(sorted({row.kind for row in mine})))
        standing = set(reader.select(asker.namespace, wanted, CURRENT, now))
        entries = reader.placed(asker.namespace, sorted({row.address for row in mine}))
        inactive = sorted({row.address for row in mine if standing.isdisjoint(entries.get(row.address, ()))})
        standing |= _still(reader, asker, project, inactive, now)
        for row in mine:
            here = standing.intersection(entries.get(row.address, ()))
            placed.update(dict.fromkeys(here, row.kind))
            found += [row] if here else []
    return found, placed


def _still(reader: Reader, asker: Asker, project: str, addresses: Sequence[str], now: int) -> set[int]:
    """The entries of those that are not active and hold all the same: a decision that a later one took the place of is
    still what its file says."""
    found: set[int] = set()
    for at in range(0, len(addresses), BATCH):
        records = reader.records(asker.namespace, addresses[at : at + BATCH], (project,), CURRENT)
        told = attribute(reader, asker, [Hit(record, 0.0) for record in records], CURRENT)
        found.update(one.record.entry for one in told if one.holds(now))
    return found


def _not_here(reader: Reader, entries: Sequence[int], placed: dict[int, str], found: Sequence[Listed]) -> list[int]:
    """Of what was said for a service, what no row has; and the incidents that stand in files of another service."""
    shared = [entry for entry in entries if placed.get(entry) == SHARED]
    listed = {one.address for one in found}
    elsewhere = {entry for entry, address, _ in reader.texts_of(shared) if address not in listed}
    return [entry for entry in entries if entry not in placed or entry in elsewhere]


def _each_once(rows: Sequence[Source]) -> list[Source]:
    """Without the documents that are meetings too: minutes of a repository that were also read as what they are."""
    meetings = {(row.project, file_of(row), row.digest) for row in rows if row.kind == "meeting"}
    return [
        row
        for row in rows
        if row.kind != "document" or (row.project, file_of(row) or row.path, row.digest) not in meetings
    ]


def _of_row(row: Source) -> Listed:
    return Listed(row.address, row.kind, row.title, row.path, row.service, row.project, row.at, 0, row.size)


def _of_record(one: Attributed) -> Listed | None:
    record: Record = one.record
    kind, origin = record.node.kind, one.origin
    is_named = kind in PATHLESS and not one.is_superseded and bool(origin.fields or origin.service)
    is_document = bool(origin.path) or is_named
    if not is_document:
        return None
    return Listed(record.node.address, kind, one.title, origin.path, origin.service, record.project, 0, one.at)


def _is_there(one: Listed, there: set[tuple[str, str, str]]) -> bool:
    return bool(one.path) and (one.project, one.service, one.path) in there


def _is_wanted(row: Source, wanted: Filter) -> bool:
    is_late = wanted.until is not None and row.at > wanted.until
    is_early = wanted.since is not None and row.at < wanted.since
    return _is_within(row.path, wanted.path) and not is_late and not is_early


def _is_within(path: str, folder: str) -> bool:
    name = folder.strip("/")
    return not name or path == name or path.startswith(f"{name}/")
