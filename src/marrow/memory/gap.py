"""Gap: something that is not known and should be. Open until it is answered."""

from __future__ import annotations

from ..model.draft import Draft
from .engine import Asker, Engine
from .note import Noted, note, titled

KIND, DOMAIN = "gap", "issues"


def gap(engine: Engine, asker: Asker, topic: str, context: str = "") -> Noted:
    return note(engine, asker, Draft(titled(topic, context, field="topic"), KIND, DOMAIN), "memory_gap")
