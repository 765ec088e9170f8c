"""Errors of a log and the incident that they were a part of: of one service, and at the same time. Neither names the
other, so the times say it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

from ..ingest.log import KIND as LOG
from ..ingest.logs.entry import ERROR, level_of
from ..model.change import Relate
from ..model.errors import Invalid
from ..model.moments import MICROS_PER_DAY, parse
from ..model.record import CURRENT, Filter
from ..store.protocol import Reader
from .attribution import UNDATED
from .engine import Asker, Engine
from .releasing import carry_out

INCIDENT = "incident"
RELATES_TO = "relates_to"
# An incident is told by few of its errors; what a log has of a day may be hundreds.
LOGS_MAX = 3
LOOKED_AT = 2_000
# People see that something is wrong after it began, and write down when it was over before the last error.
AROUND = 3_600_000_000
# What goes wrong all the time says nothing of one day.
LASTING = 3 * MICROS_PER_DAY


class _Timed(NamedTuple):
    """A node of a service, from when to when. `gravity` is that of a log's errors, `times` how often they came."""

    address: str
    service: str
    first: int
    last: int
    gravity: int = 0
    times: int = 0


def connect_logs(engine: Engine, asker: Asker, new: Sequence[str]) -> int:
    """Link the incidents among these nodes with errors of their time, and the errors with incidents of theirs; how many
    links were made. What is linked already, or was and is no longer, is left so."""
    if not new or engine.store.read_only:
        return 0
    with engine.store.reading() as reader:
        records = reader.records(asker.namespace, new, (asker.scope.project,), CURRENT)
        fresh = {record.node.address for record in records if record.node.kind in (LOG, INCIDENT)}
        services = _services(reader, [record.entry for record in records if record.node.address in fresh])
        now = engine.clock()
        pairs = [pair for service in services for pair in _pairs(reader, asker, service, fresh, now)]
        pairs = _unmade(reader, asker, pairs)
    steps = [[Relate(log, incident, RELATES_TO)] for log, incident in pairs]
    return sum(carry_out(engine, asker, steps, f"connect errors of logs by {len(steps)} links"))


def _services(reader: Reader, entries: Sequence[int]) -> list[str]:
    said = reader.occurrences(entries, CURRENT)
    return sorted({one.service for some in said.values() for one in some if one.service})


def _pairs(reader: Reader, asker: Asker, service: str, fresh: Collection[str], now: int) -> list[tuple[str, str]]:
    incidents = _timed(reader, asker, service, INCIDENT, now)
    logs = _timed(reader, asker, service, LOG, now) if incidents else []
    found = []
    for incident in incidents:
        then = [log for log in logs if log.first <= incident.last and log.last >= incident.first]
        then.sort(key=lambda log: (log.first < incident.first, -log.gravity, -log.times, log.first, log.address))
        found += [
            (log.address, incident.address)
            for log in then[:LOGS_MAX]
            if log.address in fresh or incident.address in fresh
        ]
    return found


def _timed(reader: Reader, asker: Asker, service: str, kind: str, now: int) -> list[_Timed]:
    wanted = Filter(projects=(asker.scope.project,), kinds=(kind,), service=service)
    entries = reader.select(asker.namespace, wanted, CURRENT, now, LOOKED_AT)
    said = reader.occurrences(entries, CURRENT)
    found = []
    for record in reader.records_of(entries, CURRENT):
        last = said[record.entry][-1]
        fields = last.fields
        one = _of_log(fields) if kind == LOG else _of_incident(fields, last.at)
        if one is not None:
            found.append(one._replace(address=record.node.address, service=service))
    return found


def _of_log(fields: dict[str, Any]) -> _Timed | None:
    gravity, (first, last) = level_of(fields.get("severity")), (_at(fields.get("first")), _at(fields.get("last")))
    if gravity is None or gravity < ERROR or not first or fields.get("summary") or last - first > LASTING:
        return None
    count = fields.get("count")
    return _Timed("", "", first, max(first, last), gravity, count if isinstance(count, int) else 1)


def _of_incident(fields: dict[str, Any], at: int) -> _Timed | None:
    """The hours that it says, or its whole day where it says none."""
    began = fields.get("started") or fields.get("detected") or fields.get("date")
    first = _at(began) or (0 if fields.get(UNDATED) else at)
    if not first:
        return None
    is_exact = first % MICROS_PER_DAY != 0
    over = _at(fields.get("ended"))
    last = over or first
    if not is_exact or not over or last % MICROS_PER_DAY == 0:
        last = last - last % MICROS_PER_DAY + MICROS_PER_DAY
    return _Timed("", "", first - AROUND if is_exact else first, last + (AROUND if over else 0))


def _at(said: object) -> int:
    if not isinstance(said, str) or not said:
        return 0
    try:
        return parse(said, 0, field="time", future=True)
    except Invalid:
        return 0


def _unmade(reader: Reader, asker: Asker, pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    if not pairs:
        return []
    ends = sorted({end for pair in pairs for end in pair})
    there = reader.links(asker.namespace, ends, (asker.scope.project,), CURRENT)
    made = {frozenset((link.source, link.target)) for link in there}
    return [pair for pair in dict.fromkeys(pairs) if frozenset(pair) not in made]
