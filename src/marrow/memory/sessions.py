"""Sessions: the conversations that hosts reported, and one of them whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..model.errors import Ambiguous, Invalid, NotFound
from ..model.record import CURRENT, Filter, Record
from ..model.scope import READ
from ..model.session import Injection, Session
from ..model.text import first_line
from ..model.trace import Trace
from ..store.protocol import Projects, Reader
from .engine import Asker, Engine

LIMIT_MAX = 1_000
LOOKED_AT = 10_000
TRACES_MAX, TOLD_MAX, NODES_MAX = 5_000, 5_000, 5_000
CANDIDATES_SHOWN = 10
TITLE_LENGTH = 160
TURN, ANSWER, SEEN, SAID, TOLD = "turn", "answer", "seen", "said", "told"
ACCOUNTS = ("summary", "handoff")


class Moment(NamedTuple):
    """Something in a session: the user's turn, the answer, what a tool did (seen), what was kept of what was said, and
    what the memory told it. `tokens` is what the telling cost."""

    at: int
    what: str
    text: str
    address: str = ""
    tokens: int = 0
    file: str = ""


class Shown(NamedTuple):
    """A session and what happened in it, in order."""

    session: Session
    moments: tuple[Moment, ...]
    summary: Record | None
    handoff: Record | None
    waiting: int


def sessions(
    engine: Engine,
    asker: Asker,
    projects: Projects,
    *,
    since: int | None = None,
    is_open: bool | None = None,
    limit: int = 20,
) -> list[Session]:
    """The latest first."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    if not 1 <= limit <= LIMIT_MAX:
        raise Invalid(f"limit is a number from 1 to {LIMIT_MAX:,}.", field="limit")
    with engine.store.reading() as reader:
        readable = asker.principal.readable(projects)
        return reader.sessions(asker.namespace, readable, open=is_open, since=since, limit=limit)


def session_show(engine: Engine, asker: Asker, session: str) -> Shown:
    """The session with this name, or the only one whose name begins so."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    with engine.store.reading() as reader:
        found = _named(reader, asker, session.strip())
        traces = reader.traces(asker.namespace, session=found.session, limit=TRACES_MAX)
        told = reader.injections(asker.namespace, session=found.session, limit=TOLD_MAX)
        nodes = _nodes(reader, asker, found, engine.clock())
        moments = [*_turns(traces), *_kept(nodes), *_told(reader, asker, told)]
    accounts = {kind: next((r for r in nodes if r.node.kind == kind), None) for kind in ACCOUNTS}
    waiting = sum(trace.state == "raw" for trace in traces)
    ordered = tuple(sorted(moments, key=lambda one: (one.at, _ORDER.index(one.what))))
    return Shown(found, ordered, accounts["summary"], accounts["handoff"], waiting)


# Of what happened at the same moment: the turn comes before what it led to.
_ORDER = (TURN, TOLD, SAID, SEEN, ANSWER)


def _named(reader: Reader, asker: Asker, name: str) -> Session:
    if not name:
        latest = reader.sessions(asker.namespace, asker.places("project"), limit=1)
        if not latest:
            raise NotFound("No session of this project is known yet.", hint="`sessions` lists them.", field="session")
        return latest[0]
    readable = asker.everywhere()
    whole = reader.session(asker.namespace, name)
    if whole is not None and (readable is None or whole.project in readable):
        return whole
    every = reader.sessions(asker.namespace, readable, limit=LOOKED_AT)
    found = [session for session in every if session.session.startswith(name)]
    if not found:
        raise NotFound(f"There is no session {name[:80]!r}.", hint="`sessions` lists them.", field="session")
    if len(found) > 1:
        shown = ", ".join(session.session for session in found[:CANDIDATES_SHOWN])
        raise Ambiguous(f"{name} begins several sessions: {shown}.", hint="Give more of its name.", field="session")
    return found[0]


def _nodes(reader: Reader, asker: Asker, session: Session, now: int) -> list[Record]:
    """What was said and seen in the session and holds, the latest first."""
    wanted = Filter(projects=(session.project,), thread=session.session)
    return reader.records_of(reader.select(asker.namespace, wanted, CURRENT, now, NODES_MAX), CURRENT)


def _turns(traces: Sequence[Trace]) -> list[Moment]:
    found = []
    for trace in traces:
        what, name = {"prompt": (TURN, "prompt"), "stop": (ANSWER, "message")}.get(trace.event, ("", ""))
        text = trace.fields.get(name) if what else None
        if isinstance(text, str) and text.strip():
            found.append(Moment(trace.at, what, first_line(text, TITLE_LENGTH)))
    return found


def _kept(nodes: Sequence[Record]) -> list[Moment]:
    return [
        Moment(
            record.first_at,
            SEEN if record.node.kind == "observation" else SAID,
            first_line(record.node.content, TITLE_LENGTH),
            record.node.address,
        )
        for record in nodes
        if record.node.kind not in ACCOUNTS
    ]


def _told(reader: Reader, asker: Asker, told: Sequence[Injection]) -> list[Moment]:
    """What the session was told. A memory that is gone since, or that the caller may not read, has no title."""
    addresses = sorted({one.address for one in told})
    known = reader.records(asker.namespace, addresses, asker.everywhere(), CURRENT)
    titles = {record.node.address: first_line(record.node.content, TITLE_LENGTH) for record in known}
    return [Moment(one.at, TOLD, titles.get(one.address, ""), one.address, one.tokens, one.file) for one in told]
