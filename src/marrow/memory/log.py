"""Log: what was ever said about a topic, what was superseded and forgotten included, latest first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ..model.errors import Invalid
from ..model.record import CURRENT, Filter, Record
from ..model.text import first_line
from ..search.cut import MEANING_MIN
from ..search.find import find
from ..search.question import Question
from ..store.protocol import Reader
from .differences import BATCH, batches, names
from .engine import Asker, Engine, sequence
from .search import LIMIT_MAX

TITLE_MAX = 100


class Line(NamedTuple):
    """A record and the event that made it stand as it does. What was read from a file has a path, and its title."""

    record: Record
    seq: int
    at: int
    actor: str
    operation: str
    title: str
    path: str = ""


class Log(NamedTuple):
    """`left_out` counts what the limit had no room for."""

    lines: tuple[Line, ...]
    left_out: int = 0


def log(engine: Engine, asker: Asker, topic: str = "", *, wanted: Filter, limit: int = 50, as_of: object = None) -> Log:
    if not 1 <= limit <= LIMIT_MAX:
        raise Invalid(f"limit is a number from 1 to {LIMIT_MAX}.", field="limit")
    now = engine.clock()
    with engine.store.reading() as reader:
        seq = sequence(reader, asker, as_of, now)
        wanted = replace(wanted, projects=asker.principal.readable(wanted.projects), include_superseded=True)
        left = 0
        if topic.strip():
            asking = engine.asking(reader, asker.namespace, wanted.projects)
            hits = find(reader, asking, Question(topic, asker.namespace, wanted, now, seq, limit)).hits
            # A log is no ranking: only what speaks of the topic.
            records = [h.record for h in hits if h.evidence and (h.evidence.words or h.evidence.meaning >= MEANING_MIN)]
        else:
            entries = frozenset(reader.select(asker.namespace, wanted, seq, now))
            records = _changed_last(reader, asker.namespace, entries, seq, limit)
            left = len(entries) - len(records)
        records.sort(key=lambda r: (-r.since_seq, r.node.address))
        return Log(_lines(reader, asker.namespace, records), left)


def _changed_last(reader: Reader, namespace: str, entries: frozenset[int], seq: int, limit: int) -> list[Record]:
    """Those of them that changed last. What was said long ago may have changed just now, so the events are asked."""
    found: dict[int, Record] = {}
    room = min(limit, len(entries))
    for event in reader.events(namespace, until=seq, latest=True):
        for some in batches(sorted(names(event)), BATCH):
            if len(found) >= room:
                return list(found.values())
            touched = [entry for placed in reader.placed(namespace, some).values() for entry in placed]
            records = reader.records_of([entry for entry in touched if entry in entries], seq)
            here = [record for record in records if record.since_seq == event.seq and record.entry not in found]
            found.update({record.entry: record for record in here[: room - len(found)]})
    return list(found.values())


def _lines(reader: Reader, namespace: str, records: Sequence[Record]) -> tuple[Line, ...]:
    events = {}
    for number in {record.since_seq for record in records}:
        events.update({e.seq: e for e in reader.events(namespace, number - 1, number)})
    said = reader.occurrences([record.entry for record in records], CURRENT)
    lines = []
    for record in records:
        if (event := events.get(record.since_seq)) is None:
            continue
        fields = next((one.fields for one in reversed(said.get(record.entry, [])) if one.fields.get("path")), {})
        title = first_line(str(fields.get("title") or record.node.content), TITLE_MAX)
        path = str(fields.get("path", ""))
        lines.append(Line(record, event.seq, event.at, event.actor, event.operation, title, path))
    return tuple(lines)
