"""Ask: leave a question for whoever can answer it, now or in a later session."""

from __future__ import annotations

from ..model.draft import Draft
from ..model.text import name
from .engine import Asker, Engine
from .note import Noted, note, titled

KIND, DOMAIN = "question", "issues"
# Before the name of the agent that is asked: a tag, so that lists show it and a search finds it.
FOR = "for-"
AGENT_LENGTH_MAX = 60


def ask(engine: Engine, asker: Asker, question: str, context: str = "", target_agent: str = "") -> Noted:
    tags = (FOR + name(target_agent, field="target_agent", length_max=AGENT_LENGTH_MAX),) if target_agent else ()
    draft = Draft(titled(question, context, field="question"), KIND, DOMAIN, tags=tags)
    return note(engine, asker, draft, "memory_ask")
