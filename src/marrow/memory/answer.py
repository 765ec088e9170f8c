"""Answer: close a gap or a question with what is known now.

The answer takes the question's place by a link `supersedes`: whoever comes upon the question is led to the answer, the
question is open no longer, and asking it again opens it again. The answer begins with what was asked, so that the words
of the question find it.
"""

from __future__ import annotations

from ..model.draft import Draft
from ..model.errors import Conflict, Invalid
from ..model.text import clean
from .engine import Asker, Engine, resolve
from .gap import DOMAIN
from .note import Noted, note, title_of
from .recall import QUESTION_KINDS


def answer(engine: Engine, asker: Asker, address: object, content: str) -> Noted:
    with engine.store.reading() as reader:
        record = resolve(reader, asker, address)
    shown, standing = record.node.address[:12], record.standing
    if record.node.kind not in QUESTION_KINDS:
        raise Invalid(
            f"{shown} is a {record.node.kind}, and asks nothing.", hint="memory_update changes it.", field="address"
        )
    if not standing.is_active(engine.clock()):
        raise Conflict(
            f"{shown} is {standing.state_at(engine.clock())}: it is open no longer.",
            hint="memory_get shows what answered it; memory_update changes that.",
            field="address",
        )
    asked, text = title_of(record.node.content), clean(content)
    said = text if asked.casefold() in text.casefold() else f"{asked}\n\n{text}"
    # What was open was an issue; what is known about it is none.
    domain = None if standing.domain == DOMAIN else standing.domain
    draft = Draft(said, domain=domain, classification=standing.classification)
    return note(engine, asker, draft, "memory_answer", replaces=(record,), reason="answered", project=record.project)
