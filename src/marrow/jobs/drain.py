"""Draining: what hooks appended to the inbox becomes traces in the stores, each once.

How far a segment was read stands in the default store, written in one transaction with the traces from there. A line
for another store goes into that one first, by its id: read twice, it is kept once.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Mapping, Sequence

from ..capture import inbox
from ..memory.observed.said import may_be_kept
from ..model.errors import Invalid, MarrowError, NotFound, TooLarge
from ..model.trace import Trace
from ..store.receive_traces import admit_trace, keep_traces
from .place import Place, PlaceAt, in_project

BATCH_MAX = 256
# The line of one who only looks whether the inbox is drained.
CHECK = "check"
UNKNOWN = "unknown"
NOT_KEPT = "[not to be remembered]"

log = logging.getLogger("marrow.background")

Line = tuple[Mapping[str, object], str]


def drain(home: str, place_at: PlaceAt, default: Place) -> int:
    """Take in one part of the inbox; how many lines that were. Asked again until it is 0, nothing waits."""
    for segment in inbox.segments(home):
        with default.engine.store.reading() as reader:
            offset = reader.inbox_position(segment)
        if inbox.size(home, segment) > offset:
            taken = _take(home, segment, offset, place_at, default)
            if taken:  # nothing: its last line is not yet whole
                return taken
        elif inbox.drop(home, segment, offset):
            with default.engine.store.writing() as writer:
                writer.drop_inbox(segment)
    return 0


def _take(home: str, segment: str, offset: int, place_at: PlaceAt, default: Place) -> int:
    chunk = inbox.read(home, segment, offset, last=inbox.is_old(segment))
    if chunk.offset == offset:
        return 0
    if chunk.torn:
        log.warning("%d torn lines in the inbox", chunk.torn)
    groups: dict[tuple[int, str], tuple[Place, list[Trace]]] = {}
    for body, text in chunk.entries:
        if body.get("event") == CHECK:
            continue
        trace = trace_of(*_forgettable(body, text))
        if trace is None:
            log.warning("a line of the inbox is no trace")
            continue
        place = _place(body, place_at, default)
        key = (id(place.engine.store), place.asker.scope.project)
        groups.setdefault(key, (place, []))[1].append(trace)
    ours = [group for group in groups.values() if group[0].engine.store is default.engine.store]
    for place, traces in groups.values():
        if place.engine.store is not default.engine.store:
            _keep(place, traces, None)
    # The position goes with the last of ours; the others before it are found again by their ids.
    for place, traces in ours[:-1]:
        _keep(place, traces, None)
    last, traces = ours[-1] if ours else (default, [])
    _keep(last, traces, (segment, chunk.offset))
    return max(1, len(chunk.entries))


def _keep(place: Place, traces: Sequence[Trace], position: tuple[str, int] | None) -> None:
    """In parts, so that nobody waits long for the store; the position with the last part."""
    parts = [traces[at : at + BATCH_MAX] for at in range(0, len(traces), BATCH_MAX)] or [traces]
    for at, part in enumerate(parts):
        keep_traces(
            place.engine.store,
            place.asker.namespace,
            place.asker.scope.project,
            part,
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


def _forgettable(body: Mapping[str, object], text: str) -> Line:
    """A prompt that says that it is not to be remembered is kept as having been there, and no more."""
    prompt = body.get("prompt")
    if not isinstance(prompt, str) or may_be_kept(prompt):
        return body, text
    kept = {**body, "prompt": NOT_KEPT}
    return kept, json.dumps(kept, ensure_ascii=False)


def _place(body: Mapping[str, object], place_at: PlaceAt, default: Place) -> Place:
    """Where a line belongs. A folder that is gone leaves its lines to the project of their session if one is known,
    else to one of the folder's name: never to another project that happens to be at hand."""
    cwd, store, project, session = (
        str(found) if isinstance(found := body.get(name), str) else ""
        for name in ("cwd", "store", "project", "session")
    )
    try:
        return place_at(cwd, store, project)
    except NotFound:
        with default.engine.store.reading() as reader:
            known = reader.session(default.asker.namespace, session) if session else None
        name = known.project if known else project or os.path.basename(cwd) or UNKNOWN
    except MarrowError as problem:
        if problem.retryable:
            raise
        log.warning("a line of the inbox has no place of its own: %s", problem)
        name = project or os.path.basename(cwd) or UNKNOWN
    return default._replace(asker=in_project(default.asker, name))
