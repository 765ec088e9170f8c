"""Update: new content supersedes a node; standing alone changes how it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ..model.change import Receipt, Restate, Supersede
from ..model.draft import check_domain, check_tags, expiry
from ..model.errors import Invalid
from ..model.node import Occurrence
from .classify import closing_steps
from .engine import Asker, Engine, resolve, submit
from .feedback import count, heard
from .remember import Similar, similar
from .verify import pin_to_now

STANDING_FIELDS = (
    "domain priority confidence tags aliases pinned ttl_days classification approved preliminary drift".split()
)


class Updated(NamedTuple):
    """`address` is the node that holds now; `previous` the one it took the place of, or the same."""

    address: str
    previous: str
    what: str
    receipt: Receipt
    similar: tuple[Similar, ...] = ()


def update(
    engine: Engine,
    asker: Asker,
    address: object,
    *,
    content: str | None = None,
    reason: str = "",
    standing: Mapping[str, object] | None = None,
) -> Updated:
    now = engine.clock()
    changes = _changes(engine, standing or {}, now)
    if content is None and not changes:
        raise Invalid(
            "There is nothing to change.",
            hint=f"Give content, or one of {', '.join(STANDING_FIELDS)}.",
            field="content",
        )
    with engine.store.reading() as reader:
        record = resolve(reader, asker, address)
        chosen = dict(changes).get("classification")
        closing = closing_steps(reader, asker, record, chosen, itself=content is not None)
    old = record.node.address
    if content is None:
        step: Restate | Supersede = Restate(old, changes, reason)
    else:
        said = Occurrence(at=now, user=asker.scope.user, source="update")
        step = Supersede(old, content, said, reason, changes)
    receipt = submit(engine, asker, "memory_update", [step, *closing], summary="update", project=record.project)
    with engine.store.reading() as reader:
        count(engine, asker.principal, reader, record.entry)
    heard(engine, asker, [content or "", reason])
    outcome = receipt.outcomes[0]
    if content is not None and asker.root:
        pin_to_now(engine, asker, outcome.record)
    alike: tuple[Similar, ...] = ()
    embed = engine.embed()
    if outcome.record is not None and embed is not None:
        from ..store.stored_vectors import mean_of

        vector = embed([outcome.record.node.content])[0]
        alike = () if vector is None else similar(engine, asker, outcome.record, mean_of(vector))
    return Updated(outcome.address, old, outcome.what, receipt, alike)


def _changes(engine: Engine, given: Mapping[str, object], now: int) -> tuple[tuple[str, object], ...]:
    changes: dict[str, object] = {}
    for name, value in given.items():
        if name == "ttl_days":
            changes["expires_at"] = expiry(value, now)
        elif name in ("tags", "aliases"):
            changes[name] = check_tags(value, name)
        elif name == "domain":
            changes[name] = check_domain(value, engine.domains)
        elif name in ("pinned", "preliminary") and not isinstance(value, bool):
            raise Invalid(f"{name} is true or false.", field=name)
        elif name in STANDING_FIELDS:
            changes[name] = value
        else:
            raise Invalid(f"{name} is no part of standing.", hint=f"One of {', '.join(STANDING_FIELDS)}.", field=name)
    return tuple(sorted(changes.items()))
