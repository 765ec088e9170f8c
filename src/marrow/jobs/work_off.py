"""Working off: raw traces, session by session, once a part of the session is over or has waited long enough."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..memory.witness import witness
from ..model.errors import MarrowError, RateLimited, ReadOnly, Unavailable
from ..model.trace import FAILED, RAW, Trace
from ..store.receive_traces import settle_traces
from .abandoned import IDLE_AT_START_MICROS, close_abandoned
from .drift import follow as follow_drift
from .place import NAMED, Place, PlaceAt, in_project, rules

LOOKED_AT = 2_000
BATCH_MAX = 64
ATTEMPTS_MAX = 3
# What closes a part of a session: what came before it can be told as a whole.
CLOSING = frozenset(("stop", "session-end", "pre-compact", "session-start"))
# Without one of these, so many traces or microseconds are enough.
WAITING_MAX = 40
PATIENCE_MICROS = 30 * 1_000_000

log = logging.getLogger("marrow.background")


def _never() -> bool:
    return False


def work_off(
    place: Place,
    place_at: PlaceAt | None = None,
    *,
    everything: bool = False,
    is_stopping: Callable[[], bool] = _never,
) -> int:
    """Work off what is ripe in a store; how many traces that were. `everything` does not wait for more; `place_at`
    finds the settings of a session's own folder. What is left when `is_stopping` waits for the next time."""
    engine, asker = place.engine, place.asker
    with engine.store.reading() as reader:
        waiting = reader.traces(asker.namespace, state=RAW, limit=LOOKED_AT)
    sessions: dict[tuple[str, str], list[Trace]] = {}
    for trace in waiting:
        sessions.setdefault((trace.project, trace.session), []).append(trace)
    done = 0
    for (project, _), traces in sessions.items():
        there = _found_at(traces[-1], place, place_at)
        batches = ripe(traces, engine.clock(), everything=everything)
        for batch in batches:
            if is_stopping():
                return done
            engine.make_way()
            done += _attempt(there, batch, account=batch is batches[-1])
            follow_drift(there, batch)
            if any(trace.event == "session-start" for trace in batch):
                close_abandoned(there, engine.clock(), IDLE_AT_START_MICROS, (project,))
    return done


def _found_at(trace: Trace, place: Place, place_at: PlaceAt | None) -> Place:
    """With the settings of the folder that a session is in, and where that is of its project, with the root and the
    other names of it; with the user's own settings where the folder is gone or says nothing that can be read."""
    ours = in_project(place.asker, trace.project)
    if place_at is None:
        return place._replace(asker=ours)
    said = trace.fields
    try:
        found = place_at(*(str(said.get(name) or "") for name in NAMED))
    except MarrowError:
        return place._replace(asker=replace(ours, root=""))
    is_there = found.asker.scope.project == trace.project
    root, names = (found.asker.root, found.asker.aliases) if is_there else ("", ())
    return place._replace(asker=replace(ours, root=root, aliases=names), settings=found.settings)


def ripe(traces: Sequence[Trace], now: int, *, everything: bool) -> list[list[Trace]]:
    """The traces of a session in parts that can be told now. What is still going on is left for later."""
    last = max((at for at, trace in enumerate(traces) if trace.event in CLOSING), default=-1) + 1
    rest = traces[last:]
    if rest and (everything or len(rest) >= WAITING_MAX or now - rest[0].at > PATIENCE_MICROS):
        last = len(traces)
    return [list(traces[at : min(at + BATCH_MAX, last)]) for at in range(0, last, BATCH_MAX)]


def _attempt(place: Place, batch: Sequence[Trace], *, account: bool) -> int:
    """Work off together; when that fails, one by one, so that one bad trace does not hold up the others. Whatever a
    trace does to us counts as its failure: what hosts report is anybody's text."""
    try:
        witness(place.engine, place.asker, rules(place.settings), batch, account=account)
    except (Unavailable, ReadOnly, RateLimited):  # not the trace's fault: it waits
        raise
    except Exception as problem:
        if len(batch) > 1:
            return sum(_attempt(place, [trace], account=account and trace is batch[-1]) for trace in batch)
        if not isinstance(problem, MarrowError):
            log.exception("a trace led to a fault of ours")
        _give_up(place, batch[0], problem)
    return len(batch)


def _give_up(place: Place, trace: Trace, problem: Exception) -> None:
    """A trace that cannot be worked off is tried again a few times, and then kept with what was wrong."""
    state = FAILED if trace.attempts + 1 >= ATTEMPTS_MAX else RAW
    log.warning("a trace could not be worked off: %s", problem)
    with place.engine.store.writing() as writer:
        settle_traces(
            writer,
            place.asker.namespace,
            [trace.number],
            state,
            f"{type(problem).__name__}: {problem}",
            redact_extra=place.engine.redact_extra,
        )
