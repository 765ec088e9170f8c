"""Condense: let a language model tell an observation or a session's summary better than rules can.

What the rules made is there first, and stays when the model does not answer or answers badly. An observation is what
happened and cannot be edited: the model's telling is a node of its own, made from the first one, which leaves the
active set as what is compressed does. A summary is superseded. Both say in their metadata which model told them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..model.change import Relate, Restate, Say, Step, Supersede
from ..model.errors import MarrowError, Refused, TooLarge
from ..model.event import SUBCONSCIOUS
from ..model.link import HISTORY_RELS
from ..model.node import Node, Occurrence, metadata_text
from ..model.record import CURRENT, Filter, Record
from ..model.redact import redact
from ..model.session import Session
from ..model.standing import ACTIVE, COMPRESSED, OPEN_TO_SEND
from ..model.text import clean
from ..model.trace import DONE, NOT_KEPT, Trace
from ..providers.llm import Completion
from ..store.protocol import Reader, Writer
from ..store.receive_traces import keep_session
from .condensed import (
    MESSAGE_MAX,
    OBSERVATION_SYSTEM,
    PROMPT_MAX,
    SUMMARY_SYSTEM,
    shown,
    told_observation,
    told_summary,
    trimmed,
)
from .engine import Asker, Engine, submit
from .observed.depths import depths
from .observed.lines import middle
from .observed.observation import FAILED
from .observed.said import may_be_kept

OPERATION = "condense"
OBSERVATION, SUMMARY = "observation", "summary"
# Room for what a model thinks before it answers, which counts too.
OBSERVATION_TOKENS, SUMMARY_TOKENS = 2_000, 3_000
# A call whose record was so long, or whose detail is, lost something by the rules.
LONG_RECORD, LONG_DETAIL = 3_000, 600
TRACES_LOOKED_AT, OBSERVATIONS_SHOWN, PROMPTS_SHOWN, MESSAGES_SHOWN = 2_000, 60, 12, 3
TRIES_MAX, TRIES_KEPT = 2, 500
MARK = "condensed"

# Purpose, system, prompt and the most tokens of the answer.
Ask = Callable[[str, str, str, int], Completion]


def waiting_observations(reader: Reader, asker: Asker, session: Session, now: int) -> list[tuple[Record, Occurrence]]:
    """The observations of a session that a model could tell better and has not been asked about, earliest first."""
    tries = mark_of(session).get("tries", {})
    wanted = Filter(projects=(asker.scope.project,), kinds=(OBSERVATION,), thread=session.session)
    entries = reader.select(asker.namespace, wanted, CURRENT, now)
    records = reader.records_of(entries, CURRENT)
    said = reader.occurrences([record.entry for record in records], CURRENT)
    found = []
    for record in sorted(records, key=lambda one: (one.since_seq, one.entry)):
        here = next((one for one in said.get(record.entry, ()) if one.thread == session.session), None)
        given_up = tries.get(record.node.address[:16], 0) >= TRIES_MAX
        if here is not None and not given_up and is_worth_it(record, here.fields):
            found.append((record, here))
    return found


def is_worth_it(record: Record, metadata: Mapping[str, Any]) -> bool:
    """Whether the rules had to leave much out, or something failed; and it may be sent."""
    if metadata.get("model") or record.standing.classification not in OPEN_TO_SEND:
        return False
    before = metadata.get("before")
    was_long = isinstance(before, int) and before >= LONG_RECORD
    return was_long or metadata.get("outcome") == FAILED or len(depths(record.node.content)[2]) >= LONG_DETAIL


def condense_observation(
    engine: Engine, asker: Asker, session: Session, record: Record, said: Occurrence, ask: Ask, model: str
) -> bool:
    """Put a model's telling of an observation in its place. False when its answer was not to be taken."""
    extra = engine.redact_extra
    with engine.store.reading() as reader:
        raw = _raw(reader, asker, session.session, said)
        anchors = tuple(reader.anchors([record.entry], CURRENT).get(record.entry, ()))
        links = reader.links(asker.namespace, [record.node.address], (asker.scope.project,), CURRENT)
        times = reader.occurrences([record.entry], CURRENT)[record.entry]
    listed = said.fields.get("files")
    files = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
    parts = [("files", "\n".join(files)), ("as the rules tell it", record.node.content), *(("record", r) for r in raw)]
    prompt = shown(parts, extra)
    answer = ask(OBSERVATION, OBSERVATION_SYSTEM, prompt, OBSERVATION_TOKENS)
    told = told_observation(answer.text, prompt, files) if answer.whole else None
    if told is None:
        _note_try(engine, asker, session.session, record.node.address)
        return False
    content = clean(redact(told.content, extra).text)
    old = record.node.address
    new = Node.make(OBSERVATION, content, (old,)).address
    # A standing of its own, but not a shorter past: each time that the first one was said is said of this one too.
    again = max(0, record.standing.reinforced - len(times) + 1)
    standing = replace(record.standing, reinforced=again, generation=1, changed_at=0, reason="", salt="")
    steps: list[Step] = []
    for one in times:
        metadata = metadata_text({**one.fields, "model": model, "after": len(content)})
        where = replace(one, metadata=metadata)
        steps.append(Say(OBSERVATION, content, where, standing, inputs=(old,), anchors=anchors))
    steps.append(Restate(old, (("state", COMPRESSED),), f"told better by {model}", expects=ACTIVE))
    for link in links:
        if link.rel not in HISTORY_RELS:
            source, target = (new if end == old else end for end in (link.source, link.target))
            steps.append(Relate(source, target, link.rel))
    submit(engine, asker, OPERATION, steps, summary="an observation told better", layer=SUBCONSCIOUS)
    return True


def waiting_summary(reader: Reader, asker: Asker, session: Session, now: int) -> Record | None:
    """The session's summary, if the rules made it and no model was asked about it."""
    wanted = Filter(projects=(asker.scope.project,), kinds=(SUMMARY,), thread=session.session)
    found = reader.records_of(reader.select(asker.namespace, wanted, CURRENT, now, 1), CURRENT)
    if not found or found[0].standing.classification not in OPEN_TO_SEND:
        return None
    record, mark = found[0], mark_of(session)
    said = reader.occurrences([record.entry], CURRENT).get(record.entry, ())
    # One that several sessions have in common says too little about any of them to be told better.
    is_ours = all(one.thread == session.session and not one.fields.get("model") for one in said)
    given_up = mark.get("tries", {}).get(record.node.address[:16], 0) >= TRIES_MAX
    return record if is_ours and not given_up and mark.get("summary") != record.node.address else None


def condense_session(engine: Engine, asker: Asker, session: Session, record: Record, ask: Ask, model: str) -> bool:
    """Put a model's summary of a session in the place of ours. False when its answer was not to be taken."""
    extra = engine.redact_extra
    with engine.store.reading() as reader:
        parts = [("as the rules tell it", record.node.content), *_heard(reader, asker, session.session)]
        parts.append(("tool calls", "\n".join(_seen(reader, asker, session.session, engine.clock()))))
    prompt = shown(parts, extra)
    answer = ask(SUMMARY, SUMMARY_SYSTEM, prompt, SUMMARY_TOKENS)
    told = told_summary(answer.text, prompt, record.node.content, session.session) if answer.whole else None
    if told is None:
        _note_try(engine, asker, session.session, record.node.address)
        return False
    content = clean(redact(told, extra).text)
    where = Occurrence(
        at=engine.clock(),
        user=asker.scope.user,
        thread=session.session,
        source=f"hook:{session.host}",
        metadata=metadata_text({"source": "model", "model": model}),
    )
    steps: list[Step] = []
    if content != record.node.content:
        steps.append(Supersede(record.node.address, content, where, f"told better by {model}"))

    def also(writer: Writer) -> None:
        _remark(writer, engine, asker, session.session, {"summary": record.node.address})

    submit(engine, asker, OPERATION, steps, summary="a session's summary told better", layer=SUBCONSCIOUS, also=also)
    return True


def mark_of(session: Session) -> Mapping[str, Any]:
    """How far a session was condensed: `at` when it had last been heard of when nothing waited any more, `summary` the
    one of ours that was told better, and `tries` that came to nothing, by address."""
    found = session.detail.get(MARK)
    return found if isinstance(found, Mapping) else {}


def mark(engine: Engine, asker: Asker, session: str, changes: Mapping[str, Any]) -> None:
    with engine.store.writing() as writer:
        _remark(writer, engine, asker, session, changes)


def _remark(writer: Writer, engine: Engine, asker: Asker, name: str, changes: Mapping[str, Any]) -> None:
    session = writer.session(asker.namespace, name)
    if session is not None:
        marked = {**session.detail, MARK: {**mark_of(session), **changes}}
        keep_session(writer, asker.namespace, replace(session, detail=marked), redact_extra=engine.redact_extra)


def _note_try(engine: Engine, asker: Asker, name: str, address: str) -> None:
    with engine.store.writing() as writer:
        session = writer.session(asker.namespace, name)
        tries = dict(mark_of(session).get("tries", {})) if session else {}
        count = tries.pop(address[:16], 0) + 1
        kept = list(tries.items())[1 - TRIES_KEPT :]
        _remark(writer, engine, asker, name, {"tries": {**dict(kept), address[:16]: count}})


def note_refusal(engine: Engine, asker: Asker, session: str, address: str, problem: MarrowError) -> None:
    """A service that refuses one prompt as it is would refuse it for ever: that counts as a try."""
    if isinstance(problem, Refused | TooLarge):
        _note_try(engine, asker, session, address)


def _raw(reader: Reader, asker: Asker, session: str, said: Occurrence) -> list[str]:
    """The reports that an observation was made from: those of its turn and tool in its second. None when they are
    gone: then there is what the rules kept of them."""
    turn, tool = said.fields.get("turn", ""), said.fields.get("tool", "")
    traces = reader.traces(asker.namespace, session=session, state=DONE, limit=TRACES_LOOKED_AT)
    same = [t for t in traces if t.turn == turn and t.tool == tool and t.at // 1_000_000 == said.at // 1_000_000]
    return [text for trace in same[:3] if (text := trimmed(trace.fields))]


def _heard(reader: Reader, asker: Asker, session: str) -> list[tuple[str, str]]:
    """The prompts and the last answers, without the turns that are not to be remembered."""
    traces = reader.traces(asker.namespace, session=session, state=DONE, limit=TRACES_LOOKED_AT)
    prompts = _texts(traces, "prompt", "prompt")
    private = {turn for turn, text in prompts if turn and _is_private(text)}
    asked = [middle(text, PROMPT_MAX) for turn, text in prompts if turn not in private and not _is_private(text)]
    said = [(turn, text) for turn, text in _texts(traces, "stop", "message") if not _is_private(text)]
    answers = [middle(text, MESSAGE_MAX) for turn, text in said if turn not in private]
    told = [("prompts", "\n---\n".join(asked[-PROMPTS_SHOWN:]))]
    return [*told, ("last answers", "\n---\n".join(answers[-MESSAGES_SHOWN:]))]


def _is_private(text: str) -> bool:
    return text == NOT_KEPT or not may_be_kept(text)


def _texts(traces: Sequence[Trace], event: str, name: str) -> list[tuple[str, str]]:
    """(turn, text) of one field of the session's own events, not of its subagents."""
    found = [(trace.turn, trace.fields) for trace in traces if trace.event == event]
    return [
        (turn, fields[name]) for turn, fields in found if isinstance(fields.get(name), str) and not fields.get("agent")
    ]


def _seen(reader: Reader, asker: Asker, session: str, now: int) -> list[str]:
    """The session's observations by title and summary, the latest of them."""
    wanted = Filter(projects=(asker.scope.project,), kinds=(OBSERVATION,), thread=session)
    entries = reader.select(asker.namespace, wanted, CURRENT, now, OBSERVATIONS_SHOWN)
    told = []
    for record in sorted(reader.records_of(entries, CURRENT), key=lambda one: (one.last_at, one.entry)):
        if record.standing.classification in OPEN_TO_SEND:
            title, summary, _ = depths(record.node.content)
            told.append(f"- {title}: {summary}")
    return told


__all__ = [
    "Ask",
    "condense_observation",
    "condense_session",
    "is_worth_it",
    "mark",
    "mark_of",
    "note_refusal",
    "waiting_observations",
    "waiting_summary",
]
