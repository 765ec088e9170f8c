"""Attribution: where a memory is from, as a reader would cite it: the file and the lines, the commit, the recording and
the moment in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..ingest.spot import spot_at
from ..model.node import Occurrence
from ..model.record import CURRENT, Record
from ..search.best_passage import Place, line_numbers
from ..store.protocol import Reader
from .engine import Asker

COMMIT_DIGITS = 10
# Kinds that readers take in: these are from somewhere.
TAKEN_IN = frozenset("document code decision incident meeting design log conversation commit".split())
# In these, a passage has a moment instead of lines.
SPOKEN = frozenset(("meeting",))


class Origin(NamedTuple):
    """`path` is where it was read, from the root of its service; `fields` are what its reader noted."""

    path: str = ""
    title: str = ""
    service: str = ""
    at: int = 0
    fields: Mapping[str, Any] = {}

    def cited(self, record: Record, place: Place | None = None) -> str:
        """As one line; empty where nothing is known but that it was said."""
        name = self.path
        spot = spot_at(record.node.kind, record.node.content, place.start, self.fields) if place else ""
        if name and place is not None and not spot and record.node.kind not in SPOKEN:
            before = _whole(self.fields.get("first_line"), 1) - 1  # blank lines at its beginning are not kept
            first, last = (line + before for line in line_numbers(record.node.content, place.start, place.end))
            name = f"{name}:{first}" if first == last else f"{name}:{first}-{last}"
        commit = str(self.fields.get("commit") or "")
        if not name and commit:
            author = self.fields.get("author")
            name = f"commit {commit[:COMMIT_DIGITS]}{f' by {author}' if author else ''}"
        parts = [name or str(self.fields.get("url") or ""), spot, self.service]
        status = self.fields.get("status")
        parts += [str(status)] if isinstance(status, str) and record.node.kind in ("decision", "incident") else []
        return " · ".join(part for part in parts if part)


def _whole(value: object, otherwise: int) -> int:
    return value if isinstance(value, int) else otherwise


NOWHERE = Origin()


def origins_of(reader: Reader, asker: Asker, records: Sequence[Record], seq: int = CURRENT) -> dict[int, Origin]:
    """Where these are from, by entry. A node may have been read in several places: those that still hold it are told
    first, and of equals the latest."""
    if not records:
        return {}
    addresses = [record.node.address for record in records]
    held = reader.sources_of(asker.namespace, addresses, None) if seq == CURRENT else []
    current: dict[tuple[str, str], set[str]] = {}
    for source in held:
        current.setdefault((source.project, source.address), set()).add(source.path)
    said = reader.occurrences([record.entry for record in records], seq)
    return {
        record.entry: _origin(said.get(record.entry, ()), current.get((record.project, record.node.address), set()))
        for record in records
    }


def _origin(said: Iterable[Occurrence], held: set[str]) -> Origin:
    found = NOWHERE
    is_held = False
    for occurrence in said:  # earliest first
        fields = occurrence.fields
        path = str(fields.get("path") or "")
        still = path in held
        if is_held and not still:
            continue
        is_held = is_held or still
        if path or fields or occurrence.service:
            found = Origin(path, str(fields.get("title") or ""), occurrence.service, occurrence.at, fields)
    return found
