"""Task context: what a user is working on in a project. One for each of them; it outlives the session."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ..model.change import Supersede
from ..model.draft import Draft, occurrence_of
from ..model.errors import Invalid
from ..model.node import Occurrence
from ..model.record import CURRENT, Filter, Record
from ..model.scope import READ
from .engine import Asker, Engine, submit
from .note import Noted, as_kept, note, titled

KIND, DOMAIN, TAG = "task", "tasks", "task-context"
OPERATION = "set_task_context"
Details = str | Mapping[str, Any]


class TaskContext(NamedTuple):
    """`details` are as they were given: a text, or an object."""

    record: Record
    task: str
    details: Details
    set_at: int


def set_task_context(engine: Engine, asker: Asker, task: str, details: Details = "") -> Noted:
    """What is being worked on now. It takes the place of what this user worked on before."""
    if not isinstance(details, str | Mapping):
        raise Invalid("details is a text or an object.", hint='Such as {"branch": "main"}.', field="details")
    told = details if isinstance(details, str) else "\n".join(f"{key}: {_words(v)}" for key, v in details.items())
    content = titled(task, told, field="task")
    metadata = {"task": task.strip(), "details": dict(details) if isinstance(details, Mapping) else details.strip()}
    draft = Draft(content, KIND, DOMAIN, tags=(TAG,), user=asker.scope.user, metadata=metadata)
    before = _latest(engine, asker)
    is_same = before is not None and before[0].node.content == as_kept(engine, content, "task")
    if before is None or is_same or before[1]:
        return note(engine, asker, draft, OPERATION)
    record, now = before[0], engine.clock()
    step = Supersede(record.node.address, content, occurrence_of(draft, now), "another task")
    receipt = submit(engine, asker, OPERATION, [step], summary="set task context")
    outcome = receipt.outcomes[0]
    kept = outcome.record.node.content if outcome.record else content
    replaced = (record.node.address,)
    return Noted(outcome.address, outcome.what, outcome.project, kept, receipt, outcome.redacted, replaced)


def get_task_context(engine: Engine, asker: Asker) -> TaskContext | None:
    """None when none was set, or it was forgotten."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    found = _latest(engine, asker)
    if found is None:
        return None
    record, _, said = found
    details = said.fields.get("details", "")
    task = str(said.fields.get("task") or record.node.content)
    return TaskContext(record, task, details if isinstance(details, str | dict) else "", said.at)


def _latest(engine: Engine, asker: Asker) -> tuple[Record, bool, Occurrence] | None:
    """What this user set last, whether it is another user's too and so must stay, and when it was set."""
    wanted = Filter(projects=(asker.scope.project,), kinds=(KIND,), tags=(TAG,))
    found: list[tuple[Record, bool, Occurrence]] = []
    with engine.store.reading() as reader:
        entries = reader.select(asker.namespace, wanted, CURRENT, engine.clock())
        occurrences = reader.occurrences(entries, CURRENT)
        for record in reader.records_of(entries, CURRENT):
            said = occurrences.get(record.entry, [])
            mine = [one for one in said if one.user == asker.scope.user]
            if mine:
                found.append((record, len(mine) < len(said), max(mine, key=lambda one: one.at)))
    return max(found, key=lambda one: (one[2].at, one[0].since_seq), default=None)


def _words(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
