"""Stash: set a chain aside without losing it, and take it back as it was."""

from __future__ import annotations

from typing import NamedTuple

from ..model.change import Receipt, Restate
from ..model.errors import Conflict, NotFound
from ..model.record import Record
from ..model.scope import WRITE
from ..model.standing import ACTIVE, RETRACTED, union
from ..model.text import counted
from .chains import LIMIT_MAX, STASHED, Chain, chain_named, chains
from .engine import Asker, Engine, submit


class Moved(NamedTuple):
    """The chain, and those of its members that were set aside or taken back."""

    chain: Chain
    records: tuple[Record, ...]
    receipt: Receipt


def stash(engine: Engine, asker: Asker, chain: str, reason: str = "") -> Moved:
    """Its members leave the active set: they are not recalled until the chain is taken back."""
    asker.principal.check(WRITE, asker.namespace, asker.scope.project)
    found = chain_named(engine, asker, chain)
    if not found.held:
        raise Conflict(f"The chain {found.name!r} is stashed already.", hint="memory_stash_pop it.", field="chain")
    steps = [
        Restate(
            record.node.address,
            (("state", RETRACTED), ("tags", union(record.standing.tags, (STASHED,)))),
            reason.strip() or STASHED,
            expects=ACTIVE,
        )
        for record in found.held
    ]
    receipt = submit(engine, asker, "memory_stash", steps, summary=f"stash {counted(len(steps), 'node')}")
    return Moved(found, found.held, receipt)


def stash_pop(engine: Engine, asker: Asker, chain: str = "") -> Moved:
    """The chain with this name, or the one that was set aside last. Its members stand as they did before."""
    asker.principal.check(WRITE, asker.namespace, asker.scope.project)
    if chain.strip():
        found = chain_named(engine, asker, chain)
    else:
        every = chains(engine, asker, (asker.scope.project,), stashed=True, limit=LIMIT_MAX)
        if not every:
            raise NotFound("Nothing is stashed.", hint="memory_stash sets a chain aside.", field="chain")
        found = max(every, key=lambda one: max(record.standing.changed_at for record in one.stashed))
    if not found.stashed:
        raise Conflict(f"The chain {found.name!r} is not stashed.", hint="memory_chains lists them.", field="chain")
    steps = [
        Restate(
            record.node.address,
            (
                ("state", ACTIVE),
                ("tags", tuple(tag for tag in record.standing.tags if tag != STASHED)),
                # As if said anew: otherwise a merge with a memory that saw only the stash would set it aside again.
                ("generation", record.standing.generation + 1),
            ),
            "taken from the stash",
            expects=RETRACTED,
        )
        for record in found.stashed
    ]
    receipt = submit(engine, asker, "memory_stash_pop", steps, summary=f"take back {counted(len(steps), 'node')}")
    return Moved(found, found.stashed, receipt)
