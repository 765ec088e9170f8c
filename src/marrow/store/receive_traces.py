"""The door for what is kept beside the chain: traces, sessions, and what was told to them.

There is no event for these, and no root. Everything else is as at the other door: what comes in is checked, and nothing
reaches the disk before its secrets are out, though the hook has redacted it once already.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ..model.errors import Invalid, TooLarge
from ..model.redact import redact_value
from ..model.scope import ADMIN, Principal
from ..model.session import Injection, Session
from ..model.standing import MOMENT_MAX
from ..model.trace import BODY_LENGTH_MAX, STATES, Trace
from .admit import MOMENT_MIN, check_addresses, check_text
from .protocol import Projects, Store, Writer
from .receive import redacted_name

ID_LENGTH_MAX = 64
ERROR_LENGTH_MAX = 1000
_NAMES = ("host", "session", "event", "turn", "tool", "does")


def keep_traces(
    store: Store,
    namespace: str,
    project: str,
    traces: Iterable[Trace],
    *,
    redact_extra: Sequence[str],
    position: tuple[str, int] | None,
) -> int:
    """Keep traces and how far the inbox was read, (segment, offset), in one transaction; how many of them were new.

    A trace that `admit_trace` refuses is an error for all of them: who reads the inbox asks it first, line by line."""
    check_text(namespace, "namespace", needed=True)
    check_text(project, "project")
    extra = tuple(redact_extra)
    given = [_without_secrets(trace, _admitted(trace), extra) for trace in traces]
    with store.writing() as writer:
        new = writer.keep_traces(namespace, redacted_name(project, extra), given) if given else 0
        if position is not None:
            writer.place_inbox(*position)
    return new


def admit_trace(trace: Trace) -> None:
    """Raise Invalid, naming the field, for what cannot be a trace."""
    _admitted(trace)


def _admitted(trace: Trace) -> dict[str, Any]:
    """What the body of a trace says, when all of it can be kept."""
    check_text(trace.id, "id", needed=True, bytes_max=ID_LENGTH_MAX)
    for name in _NAMES:
        check_text(getattr(trace, name), name, needed=name in ("host", "event"))
    if isinstance(trace.at, bool) or not isinstance(trace.at, int) or not MOMENT_MIN <= trace.at <= MOMENT_MAX:
        raise Invalid("at is no moment that can be kept.", hint="Give microseconds since 1970.", field="at")
    if trace.state not in STATES:
        raise Invalid(f"{trace.state!r} is no state of a trace.", hint=f"One of {', '.join(STATES)}.", field="state")
    check_text(trace.body, "body", needed=True, bytes_max=4 * BODY_LENGTH_MAX)
    if len(trace.body) > BODY_LENGTH_MAX:
        raise TooLarge(
            f"The trace has {len(trace.body):,} characters; at most {BODY_LENGTH_MAX:,} are kept.",
            hint="Trim its texts to their beginning and end.",
            field="body",
        )
    try:
        found = json.loads(trace.body)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise Invalid("The body of a trace is an object as JSON text.", hint="One line of the inbox.", field="body")
    return found


def _without_secrets(trace: Trace, said: dict[str, Any], extra: tuple[str, ...]) -> Trace:
    changes: dict[str, Any] = {
        name: kept
        for name in (*_NAMES, "error")
        if (value := getattr(trace, name)) and (kept := redacted_name(value, extra)) != value
    }
    # Its usual form, random hexadecimal digits, comes only once and gives nothing away.
    if trace.id.strip("0123456789abcdef") and (kept := redacted_name(trace.id, extra)) != trace.id:
        changes["id"] = kept
    body = redact_value(said, extra)
    if body.counts:
        changes["body"] = _storable(json.dumps(body.value, ensure_ascii=False, separators=(",", ":")))
    return replace(trace, **changes) if changes else trace


def keep_session(writer: Writer, namespace: str, session: Session, *, redact_extra: Sequence[str]) -> None:
    """For use inside a transaction, such as the door's `also`."""
    extra = tuple(redact_extra)
    names = ("session", "host", "project", "cwd", "title")
    given: dict[str, Any] = {name: _name(getattr(session, name), extra) for name in names}
    given["detail"] = redact_value(dict(session.detail), extra).value
    writer.keep_session(namespace, replace(session, **given))


def note_injections(
    writer: Writer, namespace: str, project: str, injections: Sequence[Injection], *, redact_extra: Sequence[str]
) -> None:
    """For use inside a transaction, such as the door's `also`."""
    check_addresses((told.address for told in injections), "address")
    extra = tuple(redact_extra)
    given = []
    for told in injections:
        texts: dict[str, Any] = {n: _name(getattr(told, n), extra) for n in ("session", "turn", "event", "file")}
        given.append(replace(told, **texts))
    writer.note_injections(namespace, _name(project, extra), given)


def settle_traces(
    writer: Writer, namespace: str, numbers: Sequence[int], state: str, error: str = "", *, redact_extra: Sequence[str]
) -> None:
    """For use inside a transaction, such as the door's `also`: an error may quote what it failed on."""
    if state not in STATES:
        raise Invalid(f"{state!r} is no state of a trace.", hint=f"One of {', '.join(STATES)}.", field="state")
    writer.settle_traces(namespace, numbers, state, _name(error, tuple(redact_extra))[:ERROR_LENGTH_MAX])


def erase_sessions(
    store: Store, principal: Principal, namespace: str, *, session: str = "", projects: Projects, sweep: bool = True
) -> int:
    """Remove one session, or all of some projects, with traces and injections, for good. How many rows that were.
    `sweep` is false when an erasure follows that sweeps the store itself."""
    principal.check(ADMIN, namespace)
    if not session and projects is None:
        raise Invalid("It is not said whose sessions to erase.", hint="Name a session or projects.", field="session")
    with store.writing() as writer:
        gone = writer.erase_sessions(namespace, session, projects)
    if gone and sweep:
        store.sweep()
    return gone


def _name(text: str, extra: tuple[str, ...]) -> str:
    return redacted_name(_storable(text), extra)


def _storable(text: str) -> str:
    """Paths may hold bytes that are no UTF-8, and JSON halves of characters: they cannot be written as they are."""
    return text.encode("utf-8", "replace").decode().replace("\x00", "")


__all__ = ["admit_trace", "erase_sessions", "keep_session", "keep_traces", "note_injections", "settle_traces"]
