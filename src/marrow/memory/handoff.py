"""Handoff: what the next session should know first. By hand, or built from the last session and what is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from ..model.draft import Draft
from ..model.errors import Invalid
from ..model.record import CURRENT, Filter, Record
from ..model.scope import READ
from ..model.session import Session
from ..model.text import clean, first_line
from ..store.protocol import Reader
from .engine import Asker, Engine
from .note import Noted, note

KIND, DOMAIN, PRIORITY, CONFIDENCE = "handoff", "tasks", 0.5, 0.9
WORKED_MAX, CORRECTIONS_MAX, FEEDBACK_MAX, OPEN_MAX = 10, 8, 5, 5
OPEN_KINDS = ("task", "question", "gap", "checkpoint", "arc")
LOOKED_AT = 500
LINE_LENGTH = 160


def handoff_write(engine: Engine, asker: Asker, text: str = "") -> Noted:
    """With a text that is the handoff. Without one it is built, and takes the place of the session's earlier one."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    about = {"kind": KIND, "domain": DOMAIN, "priority": PRIORITY, "confidence": CONFIDENCE}
    if text.strip():
        return note(engine, asker, Draft(clean(text, field="text"), **about), "memory_handoff")  # type: ignore[arg-type]
    now = engine.clock()
    with engine.store.reading() as reader:
        session = next(iter(reader.sessions(asker.namespace, (asker.scope.project,), limit=1)), None)
        built = _built(reader, asker, session, now)
        thread = session.session if session else ""
        earlier = _select(reader, asker, now, kinds=(KIND,), thread=thread) if thread else []
    if not built:
        raise Invalid(
            "There is nothing to hand over: no session was seen here, and nothing is open.",
            hint="Give the text.",
            field="text",
        )
    draft = Draft(built, **about, thread=thread)  # type: ignore[arg-type]
    return note(engine, asker, draft, "memory_handoff", replaces=earlier, reason="a later handoff of the session")


def handoff_read(engine: Engine, asker: Asker) -> Record | None:
    """The latest one that holds."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    with engine.store.reading() as reader:
        found = _select(reader, asker, engine.clock(), kinds=(KIND,))
    return max(found, key=lambda record: (record.last_at, record.since_seq), default=None)


def _select(reader: Reader, asker: Asker, now: int, *, kinds: tuple[str, ...] = (), thread: str = "") -> list[Record]:
    wanted = Filter(projects=(asker.scope.project,), kinds=kinds, thread=thread)
    return reader.records_of(reader.select(asker.namespace, wanted, CURRENT, now, LOOKED_AT), CURRENT)


def _built(reader: Reader, asker: Asker, session: Session | None, now: int) -> str:
    """The latest of each first; empty when there is nothing to tell."""
    said = _select(reader, asker, now, thread=session.session) if session else []
    said = [record for record in said if record.node.kind not in (KIND, "summary")]
    left = _select(reader, asker, now, kinds=OPEN_KINDS)
    parts = [
        _part("Worked on", said, WORKED_MAX, lambda r: r.node.kind == "observation"),
        _part("Corrections", said, CORRECTIONS_MAX, lambda r: "correction" in r.standing.tags),
        _part("What the user wants", said, FEEDBACK_MAX, lambda r: r.node.kind == "preference"),
        _part("Decided", said, CORRECTIONS_MAX, lambda r: r.node.kind == "decision"),
        _part("Open", left, OPEN_MAX, lambda r: True),
    ]
    told = [part for part in parts if part]
    if told and session and session.title:
        told.insert(0, session.title)
    domains = Counter(record.standing.domain for record in said)
    if told and domains:
        told.append("Domains: " + ", ".join(f"{name} {count}" for name, count in sorted(domains.items())))
    return "\n\n".join(told)


def _part(title: str, records: Sequence[Record], limit: int, is_wanted: Callable[[Record], bool]) -> str:
    chosen = [record for record in records if is_wanted(record)][:limit]
    lines = [f"- {first_line(record.node.content, LINE_LENGTH)}" for record in chosen]
    return "\n".join([f"{title}:", *lines]) if lines else ""
