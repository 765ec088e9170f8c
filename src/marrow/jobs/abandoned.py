"""Sessions that nobody ended: the host crashed, or the machine was switched off."""

from __future__ import annotations

import json
import logging

from ..memory.witness import witness
from ..model.moments import MICROS_PER_DAY
from ..model.trace import Trace
from .place import Place, in_project, rules

# One that was not heard of for so long is over.
IDLE_MICROS = MICROS_PER_DAY // 4
# And sooner where another one begins in the same project: two that are both at work are heard of more often.
IDLE_AT_START_MICROS = MICROS_PER_DAY // 144

log = logging.getLogger("marrow.background")


def close_abandoned(place: Place, now: int, idle: int = IDLE_MICROS, projects: tuple[str, ...] | None = None) -> int:
    """End them as if their host had said so: with a summary and a handoff. How many there were."""
    with place.engine.store.reading() as reader:
        left = [s for s in reader.sessions(place.asker.namespace, projects, open=True) if now - s.last_at > idle]
    for session in left:
        there = place._replace(asker=in_project(place.asker, session.project))
        body = json.dumps({"event": "session-end", "at": session.last_at, "reason": "abandoned"})
        # It has no row: it was never reported, and is only told to the one who makes the summary.
        ended = Trace("abandoned", session.last_at, session.host, session.session, "session-end", body=body)
        witness(there.engine, there.asker, rules(there.settings), [ended])
        log.info("closed a session that was left open")
    return len(left)
