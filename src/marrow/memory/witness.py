"""Witness: make memories of what a session's hooks reported, and keep the session's own record.

Tool calls become observations; what the user said and what was decided become claims; each stop leaves a summary of the
session, and its end a handoff. Everything that is made, and that the traces are done, is one transaction: traces that
are worked off twice leave what once leaves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from ..model.change import Restate, Step, Supersede
from ..model.draft import Draft
from ..model.event import SUBCONSCIOUS
from ..model.link import make_anchor
from ..model.moments import iso
from ..model.node import Node, Occurrence
from ..model.record import CURRENT, Filter
from ..model.session import Session
from ..model.standing import RETRACTED
from ..model.trace import DONE, NOT_KEPT, Trace
from ..store.protocol import Reader, Writer
from ..store.receive_traces import keep_session, settle_traces
from .accounts import still_said
from .captured import CAPTURE, SAID_IN_SESSION
from .engine import Asker, Engine, submit
from .observed.decided import decided
from .observed.digest import Digest, digest, handoff_text, summary_text
from .observed.left import left_before
from .observed.observation import UNDONE, Observation, content
from .observed.observe import observe
from .observed.said import USER, Said, said
from .observed.subject import subject
from .passed_since import passed_since
from .recall import ACCOUNT
from .remember import pinned_drafts, say_of
from .taken_out import taken_out

OPERATION = CAPTURE
TOOL_EVENTS = frozenset(("post-tool", "tool-failed"))
# A session's summary is made from so many of its traces, the latest.
REMEMBERED_TRACES, TRACES_READ = 800, 5_000
# What was seen is less sure than what was said, and is kept for a time.
SEEN_CONFIDENCE, SAID_CONFIDENCE, HANDOFF_CONFIDENCE, HANDOFF_PRIORITY = 0.6, 0.8, 0.9, 0.5
FILES_MAX = 8
LOOKED_BACK = 150
SUBJECT_WORDS = 40
# Where a turn or a part of the session ends, and it is worth a summary.
PAUSES = frozenset(("stop", "pre-compact"))
# Noted in a session that has come to such a place since its last summary.
DUE = "summary_due"


@dataclass(frozen=True, slots=True)
class Rules:
    """What the settings say about capture."""

    min_salience: float = 0.5
    context_days: int = 90
    handoff_each_stop: bool = False


class Witnessed(NamedTuple):
    session: Session
    observations: int
    claims: int


def witness(engine: Engine, asker: Asker, rules: Rules, traces: Sequence[Trace], *, account: bool = True) -> Witnessed:
    """Work off traces of one session, in their order. Without `account` no summary is made: more of it follows."""
    bodies = [trace.fields for trace in traces]
    with engine.store.reading() as reader:
        before = reader.session(asker.namespace, traces[0].session) or _new_session(asker, traces[0])
        session = followed(before, bodies)
        just_before = _just_before(reader, asker, traces)
        seen = _seen(engine, just_before, bodies)
        heard = _as_known(reader, asker, _heard(bodies, rules))
        drafts = [_seen_draft(one, session, rules) for one in seen]
        drafts += pinned_drafts(engine, asker, [_said_draft(one, session, asker) for one in heard])
        steps: list[Step] = [say_of(engine, asker, draft, engine.clock()) for draft in drafts]
        steps += _taken_up(engine, asker, reader, session, just_before, seen)
        tools = [body for body in bodies if body.get("event") in TOOL_EVENTS]
        steps += passed_since(engine, asker, reader, session.session, tools)
        steps += taken_out(engine, asker, reader, tools)
        ended = session.ended_at is not None
        if account and (ended or session.detail.get(DUE)):
            earlier = _earlier(reader, asker, session.session, traces)
            made = _digest(engine, reader, asker, session, [*earlier, *bodies], rules)
            settled = {name: value for name, value in session.detail.items() if name != DUE}
            # A session that went from one project to another has the title that it earned in the first.
            title = made.title if session.project == asker.scope.project else ""
            session = replace(session, title=title or session.title, detail=settled)
            steps += _accounts(engine, asker, reader, session, made, handoff=ended or rules.handoff_each_stop)
    numbers = [trace.number for trace in traces]

    def also(writer: Writer) -> None:
        settle_traces(writer, asker.namespace, numbers, DONE, redact_extra=engine.redact_extra)
        keep_session(writer, asker.namespace, session, redact_extra=engine.redact_extra)

    summary = f"session: {len(seen)} seen, {len(heard)} said"
    engine.make_way()
    submit(engine, asker, OPERATION, steps, summary=summary, layer=SUBCONSCIOUS, also=also)
    return Witnessed(session, len(seen), len(heard))


def followed(before: Session, bodies: Sequence[Mapping[str, Any]]) -> Session:
    """The session after these events. One that is heard of again after its end goes on; what happened before it, and
    was worked off later, is not that."""
    session = before
    for body in bodies:
        event, at = body.get("event"), _number(body.get("at"), session.last_at)
        detail = dict(session.detail)
        turns = session.turns
        if event == "prompt" and not body.get("agent"):
            turns += 1
            detail["subject"] = sorted(subject(str(body.get("prompt", ""))))[:SUBJECT_WORDS]
        if event in PAUSES:
            detail[DUE] = True
        session = replace(
            session,
            cwd=session.cwd or str(body.get("cwd", "")),
            last_at=max(session.last_at, at),
            ended_at=at if event == "session-end" else _still_ended(session, at),
            turns=turns,
            detail=detail,
        )
    return session


def _still_ended(session: Session, at: int) -> int | None:
    return session.ended_at if session.ended_at is not None and at <= session.ended_at else None


def _new_session(asker: Asker, first: Trace) -> Session:
    return Session(first.session, first.host, asker.scope.project, started_at=first.at, last_at=first.at)


def _just_before(reader: Reader, asker: Asker, traces: Sequence[Trace]) -> list[dict[str, Any]]:
    """What the session did shortly before: what failed there may be mended here."""
    first = min(trace.number for trace in traces)
    if not first:
        return []
    project, session, after = asker.scope.project, traces[0].session, max(0, first - LOOKED_BACK)
    found = reader.traces(asker.namespace, project=project, session=session, state=DONE, after=after)
    return [trace.fields for trace in found if trace.number < first]


def _seen(
    engine: Engine, before: Sequence[Mapping[str, Any]], bodies: Sequence[Mapping[str, Any]]
) -> list[Observation]:
    """What is new to be seen, in the light of what came before it."""
    tools = [body for body in (*before, *bodies) if body.get("event") in TOOL_EVENTS]
    ours = {body.get("id") for body in bodies}
    seen = observe(engine.considerately(tools), engine.pieces)
    return [one for one in seen if any(name in ours for name in one.trace_ids)]


def _taken_up(
    engine: Engine,
    asker: Asker,
    reader: Reader,
    session: Session,
    before: Sequence[Mapping[str, Any]],
    seen: Sequence[Observation],
) -> list[Step]:
    """What was seen earlier and is part of what is seen now, as a failure is of its mending, is no longer known by
    itself; unless another session saw it as well."""
    joint = [{*one.trace_ids} for one in seen if len(one.trace_ids) > 1]
    if not joint:
        return []
    tools = [body for body in before if body.get("event") in TOOL_EVENTS]
    earlier = [one for one in observe(tools, engine.pieces) if any({*one.trace_ids} < ids for ids in joint)]
    now = {content(one) for one in seen}
    names = [Node.make("observation", text).address for one in earlier if (text := content(one)) not in now]
    records = reader.records(asker.namespace, list(dict.fromkeys(names)), (asker.scope.project,), CURRENT)
    said = reader.occurrences([record.entry for record in records], CURRENT)
    mine = [one for one in records if all(each.thread == session.session for each in said.get(one.entry, ()))]
    return [
        Restate(one.node.address, (("state", RETRACTED),), "part of what followed")
        for one in mine
        if one.standing.is_active(engine.clock())
    ]


def _earlier(reader: Reader, asker: Asker, session: str, traces: Sequence[Trace]) -> list[dict[str, Any]]:
    """What was worked off before: a summary is of the whole session."""
    now = {trace.number for trace in traces}
    # Of this project alone: a session that went from one to another tells each of them its own.
    after, project = max(0, min(now, default=0) - TRACES_READ), asker.scope.project
    found = reader.traces(asker.namespace, project=project, session=session, state=DONE, after=after, limit=TRACES_READ)
    return [trace.fields for trace in found[-REMEMBERED_TRACES:] if trace.number not in now]


def _digest(
    engine: Engine, reader: Reader, asker: Asker, session: Session, bodies: Sequence[Mapping[str, Any]], rules: Rules
) -> Digest:
    about = {"session": session.session, "host": session.host, "title": session.title, "turns": session.turns}
    tools = [body for body in bodies if body.get("event") in TOOL_EVENTS]
    prompts = [body for body in bodies if body.get("event") == "prompt" and not body.get("agent")]
    kept = _answers(bodies)
    answers = [str(body["message"]) for body in kept if body.get("message")]
    seen = observe(engine.considerately(tools), engine.pieces)
    heard = still_said(reader, asker, _as_known(reader, asker, _heard(bodies, rules)))
    engine.make_way()
    told = {id(body) for body in kept}
    left = left_before([body for body in bodies if body.get("event") != "stop" or id(body) in told])
    return digest(about, seen, heard, prompts, answers[-1] if answers else "", traces=tools, left=left)


def digest_of(engine: Engine, asker: Asker, reader: Reader, session: Session) -> Digest:
    """What a session that has not ended has come to so far, with what waits to be worked off."""
    project, name = asker.scope.project, session.session
    found = reader.traces(asker.namespace, project=project, session=name, limit=LOOKED_BACK, latest=True)
    return _digest(engine, reader, asker, session, [trace.fields for trace in found], Rules())


def _heard(bodies: Sequence[Mapping[str, Any]], rules: Rules) -> list[Said]:
    """By the user, and decided in the answers: what matters enough."""
    prompts = [body for body in bodies if body.get("event") == "prompt" and not body.get("agent")]
    return [one for one in (*said(prompts), *decided(_answers(bodies))) if one.salience >= rules.min_salience]


def _as_known(reader: Reader, asker: Asker, heard: Sequence[Said]) -> list[Said]:
    """In the words in which it is known already where only the mark at its end differs: it is the same, said again."""
    told = []
    for one in heard:
        bare = one.text.rstrip(".! ")
        spelt = {Node.make(one.kind, text).address: text for text in (f"{bare}!", bare, f"{bare}.", one.text)}
        found = reader.records(asker.namespace, list(spelt), (asker.scope.project,), CURRENT)
        texts = [spelt[record.node.address] for record in found]
        told.append(one if not texts or one.text in texts else replace(one, text=texts[0]))
    return told


def _answers(bodies: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The stops, without those of turns that are not to be remembered."""
    found, is_refused = [], False
    for body in bodies:
        if body.get("event") == "prompt":
            is_refused = body.get("prompt") == NOT_KEPT
        elif body.get("event") == "stop" and not is_refused:
            found.append(body)
    return found


def _seen_draft(one: Observation, session: Session, rules: Rules) -> Draft:
    metadata: dict[str, object] = {"tool": one.tool, "files": list(one.files[:FILES_MAX]), "outcome": one.outcome}
    metadata |= {"turn": one.turn, "before": one.before, "after": one.after}
    metadata |= {name: value for name, value in (("failure", one.failure), ("fixed", one.fixed)) if value}
    return Draft(
        content(one),
        kind="observation",
        domain="issues" if one.failure or one.outcome == UNDONE else "history",
        confidence=SEEN_CONFIDENCE,
        ttl_days=rules.context_days,
        anchors=[make_anchor({"type": "file", "target": path}) for path in one.files[:FILES_MAX] if _is_inside(path)],
        thread=session.session,
        at=iso(one.at) if one.at else None,
        source=f"hook:{session.host}",
        metadata=metadata,
    )


def _said_draft(one: Said, session: Session, asker: Asker) -> Draft:
    return Draft(
        one.text,
        kind=one.kind,
        domain=one.domain,
        tags=(SAID_IN_SESSION, one.category),
        user=asker.scope.user if one.by == USER else "",
        priority=one.salience,
        confidence=SAID_CONFIDENCE,
        ttl_days=one.days or None,
        semantic=True,
        thread=session.session,
        at=iso(one.at) if one.at else None,
        source=f"hook:{session.host}",
        metadata={"turn": one.turn} if one.turn else {},
    )


def _accounts(
    engine: Engine, asker: Asker, reader: Reader, session: Session, made: Digest, *, handoff: bool
) -> list[Step]:
    """The summary in the place of the session's last one, and a new handoff. The same again is nothing new."""
    steps: list[Step] = []
    if made.is_empty:  # nothing was done, decided or left
        return steps
    now, text = engine.clock(), summary_text(made)
    # When it was left, and not when that was noticed: a session that nobody ended is closed after later ones.
    left_at = iso(session.last_at)
    if text and Node.make("summary", text).address == _retold(session):
        text = ""  # a language model has told just this better
    old = _account(reader, asker, session, "summary", now)
    if text and old is None:
        draft = Draft(
            text,
            kind="summary",
            domain="history",
            tags=(ACCOUNT,),
            thread=session.session,
            at=left_at,
            source=f"hook:{session.host}",
        )
        steps.append(say_of(engine, asker, draft, now))
    elif text and old is not None and old.content != text:
        where = Occurrence(at=now, user=asker.scope.user, thread=session.session, source=f"hook:{session.host}")
        steps.append(Supersede(old.address, text, where, "the session went on"))
    text = handoff_text(made) if handoff else ""
    old = _account(reader, asker, session, "handoff", now) if text else None
    if text and (old is None or old.content != text):
        if old is not None:
            steps.append(Restate(old.address, (("state", RETRACTED),), "the session went on"))
        draft = Draft(
            text,
            kind="handoff",
            domain="tasks",
            tags=(ACCOUNT,),
            priority=HANDOFF_PRIORITY,
            confidence=HANDOFF_CONFIDENCE,
            thread=session.session,
            at=left_at,
            source=f"hook:{session.host}",
        )
        steps.append(say_of(engine, asker, draft, now))
    return steps


def _retold(session: Session) -> str:
    """The address of our summary that a language model's took the place of."""
    condensed = session.detail.get("condensed")
    return str(condensed.get("summary", "")) if isinstance(condensed, Mapping) else ""


def _account(reader: Reader, asker: Asker, session: Session, kind: str, now: int) -> Node | None:
    """The session's own summary or handoff, as it stands."""
    wanted = Filter(projects=(asker.scope.project,), kinds=(kind,), thread=session.session)
    found = reader.records_of(reader.select(asker.namespace, wanted, CURRENT, now, 1), CURRENT)
    return found[0].node if found else None


def _is_inside(path: str) -> bool:
    return bool(path) and not path.startswith(("/", "~", "..")) and ":" not in path


def _number(value: object, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) else otherwise
