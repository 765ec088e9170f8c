"""Note: say one thing and let it take the place of others, as one event. What the verbs of work are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ..model.change import Receipt, Restate, Step
from ..model.draft import Draft
from ..model.node import Node
from ..model.record import Record
from ..model.redact import redact
from ..model.standing import ACTIVE, SUPERSEDED
from ..model.text import clean
from .engine import Asker, Engine, submit
from .remember import say_of

SUPERSEDES = "supersedes"


class Noted(NamedTuple):
    """`what` is new, reinforced, unchanged or again. `replaced` are those that it took the place of."""

    address: str
    what: str
    project: str
    content: str
    receipt: Receipt
    redacted: tuple[tuple[str, int], ...] = ()
    replaced: tuple[str, ...] = ()


def note(
    engine: Engine,
    asker: Asker,
    draft: Draft,
    operation: str,
    *,
    replaces: Sequence[Record] = (),
    reason: str = "",
    project: str | None = None,
) -> Noted:
    """Say a draft in the caller's name. Those that it replaces stay readable, each linked from what replaced it.

    Unlike an update this also replaces what happened and cannot be edited, and nodes of another kind.
    """
    scope = asker.scope
    said = replace(draft, user=draft.user or scope.user, service=draft.service or scope.service)
    mine = Node.make(draft.kind, as_kept(engine, draft.content)).address
    older = [record.node.address for record in replaces if record.node.address != mine]
    step = say_of(engine, asker, said, engine.clock())
    step = replace(step, links=(*step.links, *((SUPERSEDES, address) for address in older)))
    gone: list[Step] = [Restate(address, (("state", SUPERSEDED),), reason, expects=ACTIVE) for address in older]
    receipt = submit(engine, asker, operation, [step, *gone], summary=f"remember {draft.kind}", project=project)
    outcome = receipt.outcomes[0]
    content = outcome.record.node.content if outcome.record else draft.content
    about = (outcome.address, outcome.what, outcome.project, content)
    return Noted(*about, receipt, outcome.redacted, tuple(older))


def as_kept(engine: Engine, text: str, field: str = "content") -> str:
    """A text as the door will keep it, without secrets: to compare it with what is there."""
    kept = redact(clean(text, field=field), engine.redact_extra).text
    return clean(kept, field=field) if kept.strip() else ""


def titled(title: object, rest: str = "", *, field: str) -> str:
    """What it is about, and what more there is to say, parted by a blank line: `title_of` takes them apart."""
    head = "\n".join(line for line in clean(title, field=field).split("\n") if line.strip())
    return f"{head}\n\n{rest.strip()}" if rest.strip() else head


def title_of(content: str) -> str:
    return content.partition("\n\n")[0]
