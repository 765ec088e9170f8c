"""work, the other half: sessions as hosts reported them, what waits to be worked off, and pausing all that."""

from __future__ import annotations

import re
from typing import Annotated, Any, NamedTuple

from ..capture import paused
from ..memory.session_status import session_status
from ..memory.sessions import Moment, Shown, session_show, sessions
from ..model.address import shown
from ..model.errors import Invalid, Unavailable
from ..model.moments import beginning, iso
from ..model.moments import parse as parse_moment
from ..model.record import Record
from ..model.scope import EVERY_PROJECT, WRITE
from ..model.session import Session
from ..model.text import counted, shorten
from .filters import named_project, places
from .pauses import home_of
from .table import Call, operation
from .work import chain_shape

ACCOUNT_TOKENS = 300
_LENGTH_OF_TIME = re.compile(r"(?:in |for )?(?P<length>\d+\s*(?:[mhdwy]|(?:minute|hour|day|week|month|year)s?))", re.I)


class SessionList(NamedTuple):
    items: tuple[dict[str, Any], ...]
    left_out: int = 0

    def text(self) -> str:
        lines = [
            f"{s['session']}  {s['host']}  {s['started']} – {s['ended'] or 'open'}, {counted(s['turns'], 'turn')}"
            f"{'  ' + s['title'] if s['title'] else ''}"
            for s in self.items
        ]
        return "\n".join(lines) or "No session was captured."


def _shape(session: Session) -> dict[str, Any]:
    return {
        "session": session.session,
        "host": session.host,
        "project": session.project,
        "started": iso(session.started_at),
        "last": iso(session.last_at),
        "ended": "" if session.ended_at is None else iso(session.ended_at),
        "turns": session.turns,
        "title": session.title,
    }


@operation("work", name="sessions")
def sessions_of(
    call: Call,
    project: Annotated[str, "default: this one; all: every one"] = "",
    since: Annotated[str, "time, or 3 days ago"] = "",
    open: Annotated[bool | None, "only those that go on, or that have ended"] = None,  # noqa: A002 the name in the table
    limit: int = 20,
) -> SessionList:
    """The sessions that hosts reported, the latest first."""
    start = beginning(since, call.engine.clock()) if since else None
    wanted = places(call, project, "project")
    found = sessions(call.engine, call.asker, wanted, since=start, is_open=open, limit=limit)
    return SessionList(tuple(_shape(session) for session in found))


class SessionMoment(NamedTuple):
    """`what` is turn, answer, seen (a tool call), said (what was kept of it) or told (by the memory, for `tokens`)."""

    at: str
    what: str
    content: str
    address: str = ""
    tokens: int = 0
    file: str = ""

    def line(self) -> str:
        address = f"[{self.address}] " if self.address else ""
        where = f", for {self.file}" if self.file else ""
        about = f" ({counted(self.tokens, 'token')}{where})" if self.what == "told" else ""
        return f"{self.at}  {self.what:<6}  {address}{self.content or '(no longer there)'}{about}"


class SessionResult(NamedTuple):
    """A session, what happened in it in order, and what it came to."""

    session: str
    host: str
    project: str
    started: str
    ended: str
    turns: int
    title: str
    items: tuple[SessionMoment, ...]
    told: int
    tokens: int
    waiting: int
    summary: dict[str, str] | None = None
    handoff: dict[str, str] | None = None
    left_out: int = 0

    def text(self) -> str:
        lines = [
            f"{self.session}  {self.host} in {self.project or 'the global scope'}"
            f"  {self.started} – {self.ended or 'open'}, {counted(self.turns, 'turn')}",
            *([self.title] if self.title else []),
        ]
        for name, account in (("summary", self.summary), ("handoff", self.handoff)):
            lines += [f"{name} [{account['address']}]:", account["content"]] if account else []
        lines += [item.line() for item in self.items]
        if self.left_out:
            lines.append(f"({self.left_out} more: raise budget_tokens)")
        lines.append(f"told {counted(self.told, 'memory')} for {counted(self.tokens, 'token')}")
        lines += [f"{counted(self.waiting, 'report')} still to be worked off"] if self.waiting else []
        return "\n".join(lines)


@operation("work", name="session_show", aliases=("show",))
def session_show_of(
    call: Call, session: Annotated[str, "its name, or how it begins; default: the latest"] = ""
) -> SessionResult:
    """A session: its turns, what tools did, what was kept, what the memory told it, its summary and handoff."""
    return _session(session_show(call.engine, call.asker, session))


def _session(found: Shown) -> SessionResult:
    told = [moment for moment in found.moments if moment.what == "told"]
    shape = _shape(found.session)
    return SessionResult(
        **{name: shape[name] for name in ("session", "host", "project", "started", "ended", "turns", "title")},
        items=tuple(_moment(moment) for moment in found.moments),
        told=len(told),
        tokens=sum(moment.tokens for moment in told),
        waiting=found.waiting,
        summary=_account(found.summary),
        handoff=_account(found.handoff),
    )


def _moment(moment: Moment) -> SessionMoment:
    address = shown(moment.address) if moment.address else ""
    return SessionMoment(iso(moment.at), moment.what, moment.text, address, moment.tokens, moment.file)


def _account(record: Record | None) -> dict[str, str] | None:
    if record is None:
        return None
    return {"address": shown(record.node.address), "content": shorten(record.node.content, ACCOUNT_TOKENS)}


class StatusOfSession(NamedTuple):
    """Where the session stands that was heard of last, and what of the work here is not settled."""

    session: str
    title: str
    turns: int
    seen: int
    saved: int
    told: int
    tokens: int
    waiting: int
    questions: int
    paused: bool
    items: tuple[dict[str, Any], ...]
    left_out: int = 0

    def text(self) -> str:
        lines = ["No session was captured here."]
        if self.session:
            lines = [
                f"{self.session}: {counted(self.turns, 'turn')}{', ' + self.title if self.title else ''}",
                f"seen {self.seen}, saved {self.saved}, told {self.told} for {counted(self.tokens, 'token')}",
            ]
        lines += [f"{counted(self.waiting, 'report')} still to be worked off"] if self.waiting else []
        lines += ["capture and recall are paused"] if self.paused else []
        lines += [counted(self.questions, "open question")] if self.questions else []
        lines += [
            f"chain {c['chain']}: {c['preliminary']} preliminary, {c['stashed']} stashed of {c['nodes']}"
            for c in self.items
        ]
        return "\n".join(lines)


@operation("work")
def memory_session_status(call: Call) -> StatusOfSession:
    """Where the latest session stands: what was seen, saved and told, and which chains are preliminary or stashed."""
    found = session_status(call.engine, call.asker)
    session = found.session
    unsettled = {chain.name: chain for chain in (*found.preliminary, *found.stashed)}
    return StatusOfSession(
        session=session.session if session else "",
        title=session.title if session else "",
        turns=session.turns if session else 0,
        seen=found.seen,
        saved=found.saved,
        told=found.told,
        tokens=found.tokens,
        waiting=found.waiting,
        questions=found.questions,
        paused=paused.is_paused(home_of(call), call.asker.scope.project, call.root, call.engine.clock()),
        items=tuple(chain_shape(chain) for chain in unsettled.values()),
    )


class PauseResult(NamedTuple):
    """`until` is empty where it lasts until it is resumed."""

    project: str
    paused: bool
    was_paused: bool
    until: str = ""

    def text(self) -> str:
        what = "Every project" if self.project == EVERY_PROJECT else self.project or "The global scope"
        if self.paused:
            until = f"until {self.until}" if self.until else "until it is resumed"
            return f"{what} is paused {until}: nothing is captured or recalled by hooks."
        return f"{what} goes on." if self.was_paused else f"{what} was not paused."


@operation("work", right=WRITE, changes=True, name="pause")
def pause_project(
    call: Call,
    project: Annotated[str, "default: this one; all: every one"] = "",
    until: Annotated[str, "a time, or for how long: 2 hours; default: until it is resumed"] = "",
) -> PauseResult:
    """Let hooks capture and recall nothing for a while. What is called by name goes on working."""
    name, root = _place(call, project)
    end = _end(until, call.engine.clock()) if until.strip() else 0
    was = paused.is_paused(home_of(call), name, root, call.engine.clock())
    paused.pause(home_of(call), name, end, root)
    return PauseResult(_shown(name), True, was, iso(end) if end else "")


@operation("work", right=WRITE, changes=True, name="resume")
def resume_project(call: Call, project: Annotated[str, "default: this one; all: every one"] = "") -> PauseResult:
    """Let hooks capture and recall again."""
    name, root = _place(call, project)
    was = paused.resume(home_of(call), name)
    if paused.is_paused(home_of(call), name, root):
        raise Invalid("Every project is paused.", hint="Resume with project=all.", field="project")
    return PauseResult(_shown(name), False, was)


def _place(call: Call, project: str) -> tuple[str, str]:
    """The name that the file of pauses has for a project, and its folder where it is known."""
    asker = call.asker
    if project == EVERY_PROJECT:
        asker.principal.check(WRITE, asker.namespace)
        return paused.ALL, ""
    name = named_project(call, project) if project else asker.scope.project
    asker.principal.check(WRITE, asker.namespace, name)
    return name, call.root if name == asker.scope.project else ""


def _shown(name: str) -> str:
    return EVERY_PROJECT if name == paused.ALL else name


def _end(until: str, now: int) -> int:
    """`2 hours` from now, or a time that is still to come."""
    length = _LENGTH_OF_TIME.fullmatch(until.strip())
    found = parse_moment(length["length"] if length else until, now, field="until", future=True)
    end = 2 * now - found if length else found
    if end <= now:
        raise Invalid(f"{iso(end)} is over.", hint="Give a time to come, or for how long: 2 hours.", field="until")
    return end


class PendingResult(NamedTuple):
    """How many reports of hooks were worked off, and how many wait or were given up."""

    done: int
    waiting: int
    failed: int

    def text(self) -> str:
        rest = f", {self.waiting:,} still to be" if self.waiting else ""
        return f"{counted(self.done, 'report')} worked off{rest}{f', {self.failed:,} given up' if self.failed else ''}."


@operation("work", right=WRITE, changes=True)
def compress_pending(
    call: Call, limit: Annotated[int | None, "stop when at least so many are done; default: all"] = None
) -> PendingResult:
    """Make memories now of what hooks reported, without waiting for the end of a session. Of every project."""
    asker = call.asker
    asker.principal.check(WRITE, asker.namespace)
    if limit is not None and limit < 1:
        raise Invalid("limit is a number from 1.", field="limit")
    if call.work_off is None:
        raise Unavailable("Nothing can be worked off from here.", hint="Open the memory with marrow.open.")
    done = 0
    while (found := call.work_off(asker)) and (limit is None or done + found < limit):
        done += found
        if call.progress is not None:
            call.progress(done, None)
    with call.engine.store.reading() as reader:
        counts = reader.trace_counts(asker.namespace)
    return PendingResult(done + found, counts.get("raw", 0), counts.get("failed", 0))
