"""Log: what was ever said about a topic, what was superseded and forgotten included, latest first."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ..model.errors import Invalid
from ..model.record import Filter, Record
from ..search.cut import MEANING_MIN
from ..search.find import find
from ..search.question import Question
from .engine import Asker, Engine, sequence
from .search import LIMIT_MAX


class Line(NamedTuple):
    """A record and the event that made it stand as it does."""

    record: Record
    seq: int
    at: int
    actor: str
    operation: str


def log(
    engine: Engine, asker: Asker, topic: str = "", *, wanted: Filter, limit: int = 50, as_of: object = None
) -> tuple[Line, ...]:
    if not 1 <= limit <= LIMIT_MAX:
        raise Invalid(f"limit is a number from 1 to {LIMIT_MAX}.", field="limit")
    now = engine.clock()
    with engine.store.reading() as reader:
        seq = sequence(reader, asker, as_of, now)
        wanted = replace(wanted, projects=asker.principal.readable(wanted.projects), include_superseded=True)
        if topic.strip():
            asking = engine.asking(reader, asker.namespace, wanted.projects)
            hits = find(reader, asking, Question(topic, asker.namespace, wanted, now, seq, limit)).hits
            # A log is no ranking: only what speaks of the topic.
            records = [h.record for h in hits if h.evidence and (h.evidence.words or h.evidence.meaning >= MEANING_MIN)]
        else:
            records = reader.records_of(reader.select(asker.namespace, wanted, seq, now, limit), seq)
        records.sort(key=lambda r: (-r.since_seq, r.node.address))
        events = {}
        for number in {record.since_seq for record in records}:
            events.update({e.seq: e for e in reader.events(asker.namespace, number - 1, number)})
        return tuple(
            Line(r, r.since_seq, event.at, event.actor, event.operation)
            for r in records
            if (event := events.get(r.since_seq))
        )
