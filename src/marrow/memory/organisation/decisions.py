"""Decisions: by topic, service and status. The status is what the record's file says now."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ...model.errors import Invalid
from ...model.nearest import nearest
from ...model.record import Filter
from ...model.standing import SUPERSEDED
from ...search.find import Hit, find
from ...search.question import Question
from ..engine import Asker, Engine, sequence
from ..moment import moment
from .attributed import Attributed, attribute
from .services import check_service

KIND = "decision"
STATUSES = ("proposed", "accepted", "rejected", "deprecated", SUPERSEDED)
ALL = "all"
LIMIT_MAX, LOOKED_AT = 200, 1_000


class Decisions(NamedTuple):
    """Those that were asked for, and how many there are of them; `statuses` counts every status that is there."""

    items: tuple[Attributed, ...]
    total: int
    now: int
    statuses: tuple[tuple[str, int], ...] = ()
    degraded: str = ""


def decisions(
    engine: Engine,
    asker: Asker,
    wanted: Filter,
    *,
    topic: str = "",
    status: str = "",
    limit: int = 5,
    as_of: object = None,
) -> Decisions:
    """The best for a topic, or the latest. Those that another took the place of are told when they are asked for."""
    if not 1 <= limit <= LIMIT_MAX:
        raise Invalid(f"limit is a number from 1 to {LIMIT_MAX}.", field="limit")
    now = engine.clock()
    degraded = ""
    with engine.store.reading() as reader:
        seq = sequence(reader, asker, as_of, now)
        now = moment(reader, asker, seq, now, as_of)
        projects = asker.principal.readable(wanted.projects)
        service = check_service(reader, asker, projects, wanted.service) if wanted.service else ""
        chosen = replace(wanted, projects=projects, service=service, kinds=(KIND,), include_superseded=True)
        if topic.strip():
            question = Question(topic, asker.namespace, chosen, now, seq, LOOKED_AT)
            hits, _, degraded = find(reader, engine.asking(reader, asker.namespace, projects), question, engine.rerank)
        else:
            entries = reader.select(asker.namespace, chosen, seq, now, LOOKED_AT)
            hits = [Hit(record, 0.0) for record in reader.records_of(entries, seq)]
        known = [one for one in attribute(reader, asker, hits, seq) if _is_told(one, now)]
    counts: dict[str, int] = {}
    for one in known:
        counts[_status(one)] = counts.get(_status(one), 0) + 1
    asked = _asked(status, counts)
    found = [one for one in known if _is_asked(one, asked)]
    if not topic.strip():
        found.sort(key=lambda one: (-one.at, one.record.node.address))
    return Decisions(tuple(found[:limit]), len(found), now, tuple(sorted(counts.items())), degraded)


def _is_told(one: Attributed, now: int) -> bool:
    """Without what was retracted or has expired, and without what a file said before it changed."""
    return one.record.standing.is_active(now) or (one.is_superseded and not one.is_old_version)


def _status(one: Attributed) -> str:
    return one.status or "none"


def _is_asked(one: Attributed, asked: str) -> bool:
    if asked == ALL:
        return True
    return _status(one) == asked if asked else _status(one) != SUPERSEDED


def _asked(status: str, counts: dict[str, int]) -> str:
    given = status.strip().lower()
    known = tuple(dict.fromkeys((*STATUSES, *sorted(counts), ALL)))
    if not given or given in known:
        return given
    near = nearest(given, known)
    hint = f"One of {', '.join(known)}.{f' Did you mean {near}?' if near else ''}"
    raise Invalid(f"No decision has the status {status.strip()[:60]!r}.", hint=hint, field="status")
