"""Checkpoint: where a piece of work stands: what is done and what remains."""

from __future__ import annotations

from ..model.draft import Draft
from ..model.errors import Invalid
from ..model.record import CURRENT, Filter, Record
from ..model.text import name
from ..store.protocol import Reader
from .engine import Asker, Engine
from .note import Noted, as_kept, note

KIND, DOMAIN, PRIORITY = "checkpoint", "tasks", 0.5


def checkpoint(engine: Engine, asker: Asker, label: str, done: str = "", remaining: str = "") -> Noted:
    """A later checkpoint with the same label takes the place of the earlier one."""
    label = name(label, field="label")
    parts = [f"{head}:\n{text.strip()}" for head, text in (("Done", done), ("Remaining", remaining)) if text.strip()]
    if not parts:
        raise Invalid("It is not said where it stands.", hint="Give done, remaining or both.", field="done")
    draft = Draft("\n\n".join([label, *parts]), KIND, DOMAIN, priority=PRIORITY, metadata={"label": label})
    with engine.store.reading() as reader:
        earlier = _of_label(reader, asker, as_kept(engine, label, "label"), engine.clock())
    return note(engine, asker, draft, "memory_checkpoint", replaces=earlier, reason="a later checkpoint")


def _of_label(reader: Reader, asker: Asker, label: str, now: int) -> list[Record]:
    wanted = Filter(projects=(asker.scope.project,), kinds=(KIND,), metadata=(("label", label),))
    return reader.records_of(reader.select(asker.namespace, wanted, CURRENT, now), CURRENT)
