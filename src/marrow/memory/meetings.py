"""Meetings as they are asked for: the passage in which something was said with its moment in the recording, and what
is to be done, across all of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..ingest.action_items import ActionItem, action_items
from ..ingest.due import day_of
from ..ingest.meeting import attendees_in
from ..ingest.spoken import moment_at
from ..model.moments import moment
from ..model.record import CURRENT, Filter, Record
from ..search.find import Hit
from ..store.protocol import Reader
from ..store.terms import terms_of
from .attribution import NOWHERE, Origin, named_people, origins_of
from .engine import Asker, Engine, sequence
from .moment import moment as moment_of
from .organisation.services import check_service
from .search import search

KIND = "meeting"
WITH_ACTIONS = ("meeting", "incident")
ACTION_ITEMS = "action_items"
PASSAGE_MAX, LINES_AROUND = 600, 2


class MeetingHit(NamedTuple):
    """A meeting in which something was said: the passage, and the moment at which it begins."""

    record: Record
    score: float
    origin: Origin
    passage: str
    moment: str

    @property
    def attendees(self) -> tuple[str, ...]:
        return named_people(self.origin.fields)


class KnownItem(NamedTuple):
    """Something that is to be done, and where that was said."""

    item: ActionItem
    record: Record
    origin: Origin


class MeetingsFound(NamedTuple):
    hits: tuple[MeetingHit, ...]
    degraded: str = ""


def search_meetings(
    engine: Engine, asker: Asker, query: str, wanted: Filter, *, limit: int = 5, as_of: object = None
) -> MeetingsFound:
    """The meetings in which a question is answered, best first."""
    if wanted.service:
        now = engine.clock()
        with engine.store.reading() as reader:
            seq = sequence(reader, asker, as_of, now)
            wanted = _with_service(reader, asker, wanted, seq, moment_of(reader, asker, seq, now, as_of))
    found = search(engine, asker, query, wanted, limit=limit, as_of=as_of)
    asked = frozenset(terms_of(query))
    hits = tuple(_meeting_hit(hit, found.origins.get(hit.record.entry, NOWHERE), asked) for hit in found.hits)
    return MeetingsFound(hits, found.degraded)


def _with_service(reader: Reader, asker: Asker, wanted: Filter, seq: int, now: int) -> Filter:
    """With its service as it is written; one that there is not is an error, not nothing."""
    if not wanted.service:
        return wanted
    return replace(wanted, service=check_service(reader, asker, wanted.projects, wanted.service, seq, now))


def _meeting_hit(hit: Hit, origin: Origin, asked: frozenset[str]) -> MeetingHit:
    content = hit.record.node.content
    place = hit.evidence.place if hit.evidence else None
    start, end = (place.start, place.end) if place else (0, len(content))
    at = best_line(content, start, end, asked)
    passage = content[start:end].strip()
    if len(passage) > PASSAGE_MAX:
        passage = _around(content, at)
    return MeetingHit(hit.record, hit.score, origin, passage, moment_at(content, at) or "")


def best_line(content: str, start: int, end: int, asked: frozenset[str]) -> int:
    """Where the line begins that has most of what was asked, between two places; the first of equals."""
    best, most, at = start, 0, start
    for line in content[start:end].split("\n"):
        shared = len(asked.intersection(terms_of(line)))
        if shared > most:
            best, most = at, shared
        at += len(line) + 1
    return best


def _around(content: str, at: int) -> str:
    """The line at a place, with those around it while there is room."""
    lines = content.split("\n")
    number = content.count("\n", 0, at)
    first, last = max(0, number - LINES_AROUND), min(len(lines), number + LINES_AROUND + 1)
    while first < last - 1 and len("\n".join(lines[first:last])) > PASSAGE_MAX:
        first, last = (first + 1, last) if number - first > last - 1 - number else (first, last - 1)
    return "\n".join(lines[first:last])[: 2 * PASSAGE_MAX]


def known_items(
    engine: Engine, asker: Asker, wanted: Filter, *, open_only: bool = True, owner: str = ""
) -> list[KnownItem]:
    """What is to be done, those that are due first at the top; what has no day comes last, the latest said first. Said
    again in a later meeting it is told once, as it stood there; its day stays where that meeting names none."""
    with engine.store.reading() as reader:
        now = engine.clock()
        wanted = _with_service(reader, asker, wanted, CURRENT, now)
        entries = reader.select(asker.namespace, wanted, CURRENT, now)
        records = reader.records_of(entries, CURRENT)
        origins = origins_of(reader, asker, records)
        kept = _derived(reader, asker, records)
    found: dict[tuple[str, str], KnownItem] = {}
    for record in sorted(records, key=lambda one: (_said(one, origins), one.entry)):
        origin = origins.get(record.entry, NOWHERE)
        address = record.node.address
        for item in kept[address] if address in kept else _computed(record, origin):
            key = (item.owner.lower(), " ".join(terms_of(item.text)))
            before = found.pop(key, None)
            if before is not None and not item.due and not before.item.done:  # not said again, it is not put off
                item = replace(item, due=before.item.due)
            found[key] = KnownItem(item, record, origin)
    chosen = [one for one in found.values() if not (open_only and one.item.done) and _is_owned(one.item, owner)]
    latest = sorted(chosen, key=lambda one: -_said(one.record, origins))
    return sorted(latest, key=lambda one: (one.item.done, one.item.due[:1].isdigit() is False, one.item.due))


def _said(record: Record, origins: Mapping[int, Origin]) -> int:
    return origins.get(record.entry, NOWHERE).at or record.last_at


def _is_owned(item: ActionItem, owner: str) -> bool:
    """Whether a task is that of one who may be asked for by a first name, a last name, or both: minutes mostly give
    the first."""
    wanted = owner.strip().lstrip("@").lower()
    owners = [one.split() for one in re.split(r",| and | &|/", item.owner.lower())]
    return not wanted or any(wanted in (*one, " ".join(one)) or wanted.split()[:1] == one for one in owners)


def _derived(reader: Reader, asker: Asker, records: Sequence[Record]) -> dict[str, list[ActionItem]]:
    """What was computed for these when they were taken in."""
    addresses = [record.node.address for record in records]
    rows = reader.derived(asker.namespace, addresses, None, names=(ACTION_ITEMS,)) if addresses else []
    return {row.input: list(_items(row.result)) for row in rows if isinstance(row.result, list)}


def _items(shapes: Iterable[Any]) -> Iterable[ActionItem]:
    for shape in shapes:
        if isinstance(shape, dict) and isinstance(shape.get("text"), str):
            texts = {name: str(shape.get(name) or "") for name in ("text", "owner", "due", "moment")}
            line = shape.get("line")
            yield ActionItem(**texts, done=shape.get("done") is True, line=line if isinstance(line, int) else 0)


def _computed(record: Record, origin: Origin) -> list[ActionItem]:
    """As the derivation does it: what is told does not change once that has run."""
    content = record.node.content
    people = (*named_people(origin.fields), *attendees_in(content))
    return action_items(content, today=day_of(record.first_at) if origin.is_dated else None, people=people)


def day(at: int) -> str:
    return moment(at).strftime("%Y-%m-%d") if at else ""
