"""Resettle: after a restore, what is known to have been read from where is brought back in line with what holds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...model.node import Occurrence
from ...model.record import CURRENT, Filter, Record
from ...model.source import Source
from ...store.protocol import Reader
from ..attribution import TAKEN_IN
from ..engine import Asker, Engine

BATCH = 500
COMMIT = "commit"
# Kinds whose reader puts the kind before the path of a file; one outside of the project has another word before it.
MEDIA = ("meeting", "design")
_OUTSIDE = re.compile(r"/|[A-Za-z]:/|(?:.*/)?\.\.(?:/|\Z)")
# Where an occurrence that has no path of its own says by what it was read.
SOURCE_PATH = "source_path"
# A row that says nothing of its file: the next reading looks at it.
UNKNOWN = {"digest": "", "size": -1, "mtime_ns": 0}
# Why a node left that may come back with its source, whoever asked for that.
GONE, CHANGED, SERVICE_DELETED, PRUNED, RESTORED = (
    "no longer at its source",
    "its source changed",
    "delete_service_data",
    "prune",
    "restored to ",
)


def may_return(record: Record) -> bool:
    """Whether it went because its source did, or with its service, its age or a restore, and not because somebody
    wanted this very text gone."""
    return is_of_source(record.standing.reason)


def is_of_source(reason: str) -> bool:
    """Whether what left for this reason may come back with its source."""
    return reason in (GONE, CHANGED, SERVICE_DELETED, PRUNED) or reason.startswith(RESTORED)


def resettle(engine: Engine, asker: Asker, project: str) -> int:
    """Rows of a project for what is active and has none, and none for what left; how many changed."""
    now = engine.clock()
    with engine.store.reading() as reader:
        rows = [one for one in reader.sources(asker.namespace, (project,)) if one.is_document]
        wanted = Filter(projects=(project,), kinds=tuple(sorted(TAKEN_IN)))
        active: set[str] = set()
        missing: list[Source] = []
        known = {row.address for row in rows}
        for record, said in _read(reader, reader.select(asker.namespace, wanted, CURRENT, now)):
            active.add(record.node.address)
            if record.node.address not in known and (row := _row(record, said, now)) is not None:
                missing.append(row)
        left = [row.address for row in rows if row.address not in active]
        gone = {
            record.node.address
            for at in range(0, len(left), BATCH)
            for record in reader.records(asker.namespace, left[at : at + BATCH], (project,), CURRENT)
            if may_return(record) and not _is_pruned_commit(record)
        }
    dropped = [row for row in rows if row.address in gone]
    others = {(row.service, row.path): row.kind for row in rows if row.address not in gone}
    missing = [row for row in missing if others.get((row.service, row.path), row.kind) == row.kind]
    if dropped or missing:
        with engine.store.writing() as writer:
            writer.drop_sources(asker.namespace, dropped)
            writer.keep_sources(asker.namespace, missing)
    return len(dropped) + len(missing)


def _is_pruned_commit(record: Record) -> bool:
    """Git still has it: its row keeps it from coming back unasked, as `prune` wanted."""
    return record.node.kind == COMMIT and record.standing.reason == PRUNED


def _read(reader: Reader, entries: Sequence[int]) -> Iterator[tuple[Record, list[Occurrence]]]:
    for at in range(0, len(entries), BATCH):
        batch = entries[at : at + BATCH]
        said = reader.occurrences(batch, CURRENT)
        for record in reader.records_of(batch, CURRENT):
            yield record, said.get(record.entry, [])


def _row(record: Record, said: Sequence[Occurrence], now: int) -> Source | None:
    """Where it was read last; None for what was never read from anywhere."""
    for one in reversed(said):
        fields = one.fields
        path = _path(record.node.kind, fields)
        if path:
            title = str(fields.get("title") or "")
            row = Source(record.project, one.service, path, record.node.kind, record.node.address, at=now, title=title)
            return row._replace(**UNKNOWN)  # type: ignore[arg-type]
    return None


def _path(kind: str, fields: Mapping[str, Any]) -> str:
    """As the reader names it that took it in: under another path, it would be read a second time."""
    path = str(fields.get("path") or "")
    if not path:
        return str(fields.get(SOURCE_PATH) or "")
    if kind in MEDIA:
        return f"{kind}:{path}"
    return f"file:{path}" if _OUTSIDE.match(path) else path
