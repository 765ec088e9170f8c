"""Draining: what hooks appended to the inbox becomes traces in the stores, each once.

How far a segment was read stands in the default store, written in one transaction with the traces from there. A line
for another store goes into that one first, by its id: read twice, it is kept once.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from ..capture import inbox, paused
from ..memory.observed.said import may_be_kept
from ..model.errors import Invalid, MarrowError, NotFound, ReadOnly, TooLarge, Unavailable
from ..model.trace import NOT_KEPT, Trace
from ..store.receive_traces import admit_trace, keep_traces
from .place import NAMED, Place, PlaceAt, in_project

# So much of the inbox is read at once, and so many traces are written: nobody waits long for either.
CHUNK_BYTES, BATCH_MAX = 64 * 1024, 256
# The line of one who only looks whether the inbox is drained.
CHECK = "check"
UNKNOWN = "unknown"
# What says that a store cannot be used as it is now.
NOT_NOW = (Unavailable, ReadOnly)

log = logging.getLogger("marrow.background")

Line = tuple[Mapping[str, object], str]
# By session, whether it is in a turn that is not to be remembered.
Refused = dict[str, bool]

Noticed = Callable[[Place, Sequence[Trace]], None]


def _nobody(place: Place, traces: Sequence[Trace]) -> None:
    return


def drain(
    home: str, place_at: PlaceAt, default: Place, noticed: Noticed = _nobody, refused: Refused | None = None
) -> int:
    """Take in one part of the inbox; how many lines that were. Asked again until it is 0, nothing waits. `noticed` is
    told of what was taken in; `refused` is kept from one call to the next, so that the store need not be asked."""
    refused = {} if refused is None else refused
    for segment in inbox.segments(home):
        try:
            taken = _from_segment(home, segment, place_at, default, noticed, refused)
        except OSError as problem:  # one that cannot be read must not hold up the others
            log.warning("%s of the inbox cannot be read: %s", segment, problem)
            continue
        if taken:  # nothing: its last line is not yet whole
            return taken
    return 0


def _from_segment(
    home: str, segment: str, place_at: PlaceAt, default: Place, noticed: Noticed, refused: Refused
) -> int:
    """A position belongs to one file: a new one of the same name is read from its beginning."""
    key, size = inbox.key(home, segment), inbox.size(home, segment)
    with default.engine.store.reading() as reader:
        offset = reader.inbox_position(key)
    if offset > size:
        offset = 0
    if size > offset:
        return _take(home, segment, key, offset, place_at, default, noticed, refused)
    if inbox.is_old(segment):
        # The position first: a file that is read twice is kept once, one that is not read is lost.
        with default.engine.store.writing() as writer:
            writer.drop_inbox(key)
        inbox.drop(home, segment, offset)
    return 0


def _take(
    home: str,
    segment: str,
    key: str,
    offset: int,
    place_at: PlaceAt,
    default: Place,
    noticed: Noticed,
    refused: Refused,
) -> int:
    chunk = inbox.read(home, segment, offset, CHUNK_BYTES, last=inbox.is_old(segment))
    if chunk.offset == offset:
        return 0
    if chunk.torn:
        log.warning("%d torn lines in the inbox", chunk.torn)
    groups: dict[tuple[int, str], tuple[Place, list[Trace]]] = {}
    for body, text in default.engine.considerately(chunk.entries):
        if body.get("event") == CHECK:
            continue
        where = partial(_place, body, place_at, default)
        try:
            line = _forgettable(body, text, refused, where)
        except NOT_NOW as problem:
            place = where()
            if place is None or place.engine.store is default.engine.store:
                raise
            _set_aside(home, [text], problem)
            continue
        trace = trace_of(*_in_time(*line, default.engine.clock()))
        if trace is None:
            log.warning("a line of the inbox is no trace")
            continue
        place = where()
        if place is None:
            inbox.hold(home, trace.body)
            continue
        project = place.asker.scope.project
        if paused.is_paused(home, project):  # from a folder that the hook did not know for this project's
            continue
        groups.setdefault((id(place.engine.store), project), (place, []))[1].append(trace)
    ours = [group for group in groups.values() if group[0].engine.store is default.engine.store]
    for place, traces in groups.values():
        if place.engine.store is not default.engine.store:
            _keep_elsewhere(home, place, traces)
    # The position goes with the last of ours; the others before it are found again by their ids.
    for place, traces in ours[:-1]:
        _keep(place, traces, None)
    last, traces = ours[-1] if ours else (default, [])
    _keep(last, traces, (key, chunk.offset))
    for place, some in groups.values():
        noticed(place, some)
    return max(1, len(chunk.entries))


def _keep_elsewhere(home: str, place: Place, traces: Sequence[Trace]) -> None:
    """In a store of its own. One that cannot be written now must not hold up those of everybody else: what is for it is
    set aside."""
    try:
        _keep(place, traces, None)
    except NOT_NOW as problem:
        _set_aside(home, [trace.body for trace in traces], problem)


def _set_aside(home: str, lines: Sequence[str], problem: MarrowError) -> None:
    log.warning("lines of the inbox are set aside: %s", problem)
    for line in lines:
        inbox.hold(home, line)


def _keep(place: Place, traces: Sequence[Trace], position: tuple[str, int] | None) -> None:
    """In parts, so that nobody waits long for the store; the position with the last part."""
    parts = [traces[at : at + BATCH_MAX] for at in range(0, len(traces), BATCH_MAX)] or [traces]
    for at, part in enumerate(parts):
        keep_traces(
            place.engine.store,
            place.asker.namespace,
            place.asker.scope.project,
            place.engine.considerately(part),
            redact_extra=place.engine.redact_extra,
            position=position if at == len(parts) - 1 else None,
        )


def trace_of(body: Mapping[str, object], text: str) -> Trace | None:
    """A line as a trace; None for one that is none."""

    def word(name: str) -> str:
        found = body.get(name)
        return found if isinstance(found, str) else ""

    at = body.get("at")
    trace = Trace(
        word("id"),
        at if isinstance(at, int) else 0,
        word("host"),
        word("session"),
        word("event"),
        word("turn"),
        word("tool"),
        word("does"),
        text,
    )
    try:
        admit_trace(trace)
    except (Invalid, TooLarge):
        return None
    return trace


def _forgettable(body: Mapping[str, object], text: str, refused: Refused, where: Callable[[], Place | None]) -> Line:
    """A prompt that says that it is not to be remembered is kept as having been there, and no more; so is what was
    answered, which may say it again."""
    prompt, session = body.get("prompt"), str(body.get("session"))
    said = "prompt" if isinstance(prompt, str) else "message"
    found = body.get(said)
    if not isinstance(found, str):
        return body, text
    if said == "message":
        # A line without a place is set aside, and asked about again when it comes back.
        if session not in refused and (place := where()) is not None:
            refused[session] = _was_refused(place, session)
        is_kept = not refused.get(session, False)
    else:
        is_kept = may_be_kept(found)
        if not body.get("agent"):
            refused[session] = not is_kept
    if is_kept:
        return body, text
    kept = {**body, said: NOT_KEPT}
    return kept, json.dumps(kept, ensure_ascii=False)


def _was_refused(place: Place, session: str) -> bool:
    """Whether the last prompt of a session that this process has not followed was kept as having been there only."""
    if not session:
        return False
    answer, after = False, 0
    with place.engine.store.reading() as reader:
        while found := reader.traces(place.asker.namespace, session=session, after=after):
            after = found[-1].number
            for trace in found:
                said = {} if trace.tool else trace.fields
                if isinstance(said.get("prompt"), str) and not said.get("agent"):
                    answer = said["prompt"] == NOT_KEPT
    return answer


def _in_time(body: Mapping[str, object], text: str, now: int) -> Line:
    """Nothing is reported before it happens: where a clock went back since, it happened by now."""
    at = body.get("at")
    if not isinstance(at, int) or at <= now:
        return body, text
    told = {**body, "at": now}
    return told, json.dumps(told, ensure_ascii=False)


def _place(body: Mapping[str, object], place_at: PlaceAt, default: Place) -> Place | None:
    """Where a line belongs. A folder that is gone leaves its lines to the project of their session if one is known,
    else to one of the folder's name: never to another project that happens to be at hand. None while the store or the
    settings of its project cannot be read: it waits for its own place."""
    named = [found if isinstance(found := body.get(name), str) else "" for name in (*NAMED, "session")]
    cwd, store, project, namespace, session = named
    try:
        return place_at(cwd, store, project, namespace)
    except NotFound:
        with default.engine.store.reading() as reader:
            known = reader.session(default.asker.namespace, session) if session else None
        name = known.project if known else project or os.path.basename(cwd) or UNKNOWN
    except MarrowError as problem:
        if problem.retryable and not store:  # another store than the user's own holds up nobody
            raise
        log.warning("a line of the inbox is set aside: %s", problem)
        return None
    return default._replace(asker=in_project(default.asker, name))
