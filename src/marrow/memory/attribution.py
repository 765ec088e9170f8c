"""Attribution: where a memory is from, as a reader would cite it: the file and the lines, the commit, the recording and
the moment in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ..model.moments import moment
from ..model.node import DOCUMENT_KINDS, Occurrence
from ..model.record import CURRENT, Record
from ..model.text import shorten
from ..search.best_passage import Place, line_numbers
from ..store.protocol import Reader
from .engine import Asker

COMMIT_DIGITS = 10
CALLED_TOKENS = 20
# Begins the name of a conversation that was read from a file.
FILE = "file:"
_PART = re.compile(r"#\d+\Z")
# Kinds that readers take in: these are from somewhere.
TAKEN_IN = frozenset(DOCUMENT_KINDS)
# These are from a day. Where neither their file nor git says which, they are marked: that on which it was read is
# another.
DATED = frozenset(("decision", "incident", "meeting"))
UNDATED = "undated"
# In these, a passage has a moment instead of lines.
SPOKEN = frozenset(("meeting", "design"))
# What is read from these has lines of its own.
REWRITTEN = (".html", ".htm", ".xhtml", ".pdf", ".docx", ".ipynb", ".svg")


class Origin(NamedTuple):
    """`path` is where it was read, from the root of its service; `fields` are what its reader noted."""

    path: str = ""
    title: str = ""
    service: str = ""
    at: int = 0
    fields: Mapping[str, Any] = {}
    # Every place where it was read, with its service: a file may have had another name.
    places: frozenset[tuple[str, str]] = frozenset()

    @property
    def is_dated(self) -> bool:
        return not self.fields.get(UNDATED)

    def lines(self, record: Record, place: Place | None) -> tuple[int, int] | None:
        """The lines of the file that a passage stands in; None where the text has other lines than its file."""
        if place is None or not self.path or record.node.kind in SPOKEN or self.path.lower().endswith(REWRITTEN):
            return None
        before = _whole(self.fields.get("first_line"), 1) - 1  # blank lines at its beginning are not kept
        first, last = line_numbers(record.node.content, place.start, place.end)
        return first + before, last + before

    def spot(self, record: Record, place: Place | None) -> str:
        """The moment in a recording or the place in an image; empty for what has lines, or neither."""
        if place is None or record.node.kind not in SPOKEN:
            return ""
        from ..ingest.spot import spot_at  # readers of media: every search would pay for them

        return spot_at(record.node.kind, record.node.content, place.start, self.fields)

    @property
    def name(self) -> str:
        """The file, or the commit, or the address that it was read from; of a conversation on no file what it is
        called, and its day."""
        commit = str(self.fields.get("commit") or "")
        if self.path or not commit:
            return self.path or str(self.fields.get("url") or "") or self.file or self._called
        author = self.fields.get("author")
        return f"commit {commit[:COMMIT_DIGITS]}{f' by {author}' if author else ''}"

    @property
    def file(self) -> str:
        """The log or the chat that something was made from, and whose lines are others."""
        session = str(self.fields.get("session") or "")
        read_from = _PART.sub("", session.removeprefix(FILE)) if session.startswith(FILE) else ""
        return str(self.fields.get("log") or "") or read_from

    @property
    def _called(self) -> str:
        if not self.title or not self.fields.get("session"):
            return ""
        day = moment(self.at).strftime("%Y-%m-%d") if self.at else ""
        return self.title if day in self.title else f"{shorten(self.title, CALLED_TOKENS).rstrip(' .,;:')}, {day}"

    def cited(self, record: Record, place: Place | None = None) -> str:
        """As one line; empty where nothing is known but that it was said."""
        name, lines = self.name, self.lines(record, place)
        if lines is not None:
            name = f"{name}:{lines[0]}" if lines[0] == lines[1] else f"{name}:{lines[0]}-{lines[1]}"
        status = self.fields.get("status")
        is_judged = isinstance(status, str) and record.node.kind in ("decision", "incident")
        parts = [name, self.spot(record, place), self.service, str(status) if is_judged else ""]
        # A name with a line end in it must not begin a line of its own.
        return " · ".join(" ".join(part.split()) for part in parts if part)


def named_people(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Who was there, as what was noted of a meeting says."""
    people = fields.get("attendees")
    return tuple(str(one) for one in people) if isinstance(people, list) else ()


def _whole(value: object, otherwise: int) -> int:
    return value if isinstance(value, int) else otherwise


NOWHERE = Origin()


def origins_of(
    reader: Reader, asker: Asker, records: Sequence[Record], seq: int = CURRENT, service: str = ""
) -> dict[int, Origin]:
    """Where these are from, by entry. A node may have been read in several places: those of `service` are told first,
    then those that still hold it, and of equals the latest."""
    if not records:
        return {}
    addresses = [record.node.address for record in records]
    held = reader.sources_of(asker.namespace, addresses, None) if seq == CURRENT else []
    current: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for source in held:
        current.setdefault((source.project, source.address), set()).update(
            ((source.service, source.path), ("", source.path))
        )
    said = reader.occurrences([record.entry for record in records], seq)
    return {
        record.entry: _origin(
            said.get(record.entry, ()), current.get((record.project, record.node.address), set()), service
        )
        for record in records
    }


def held_now(reader: Reader, asker: Asker, records: Sequence[Record]) -> frozenset[int]:
    """The entries of those that a file still says, or another source that was read."""
    if not records:
        return frozenset()
    rows = reader.sources_of(asker.namespace, [record.node.address for record in records], None)
    there = {(row.project, row.address) for row in rows}
    return frozenset(record.entry for record in records if (record.project, record.node.address) in there)


def _origin(said: Iterable[Occurrence], held: set[tuple[str, str]], service: str) -> Origin:
    """`held` has the path of each source with its service, and without: an incident may be another service's."""
    found, best = NOWHERE, (False, False, False)
    places = set()
    for occurrence in said:  # earliest first
        fields = occurrence.fields
        path = str(fields.get("path") or "")
        if not (path or fields or occurrence.service):
            continue
        places.add((occurrence.service, path))
        is_asked = bool(service) and occurrence.service == service
        rank = (is_asked, (occurrence.service, path) in held, ("", path) in held)
        if rank >= best:
            best = rank
            found = Origin(path, str(fields.get("title") or ""), occurrence.service, occurrence.at, fields)
    return found._replace(places=frozenset(places)) if places else found
