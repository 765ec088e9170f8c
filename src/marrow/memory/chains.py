"""Chains: named lines of nodes. A node belongs to a chain when it was said under the chain's name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..model.change import Receipt, Restate
from ..model.errors import Invalid, NotFound
from ..model.nearest import nearest
from ..model.record import CURRENT, Filter, Record
from ..model.scope import READ, WRITE
from ..model.standing import RETRACTED
from ..model.text import counted
from ..store.protocol import Projects, Reader
from .engine import Asker, Engine, submit

# A chain is looked for among so many nodes, the latest: there is no index of chains.
LOOKED_AT = 50_000
LIMIT_MAX = 1_000
# The mark of what was set aside. It left the active set, and is not forgotten.
STASHED = "stashed"


class Chain(NamedTuple):
    """The members in the order in which they were said under the chain's name."""

    name: str
    members: tuple[Record, ...]
    first_at: int
    last_at: int

    @property
    def stashed(self) -> tuple[Record, ...]:
        return tuple(record for record in self.members if is_stashed(record))

    @property
    def held(self) -> tuple[Record, ...]:
        return tuple(record for record in self.members if not is_stashed(record))


class Promoted(NamedTuple):
    """What is settled now, and was preliminary."""

    records: tuple[Record, ...]
    receipt: Receipt | None


def is_stashed(record: Record) -> bool:
    return record.standing.state == RETRACTED and STASHED in record.standing.tags


def chains(
    engine: Engine,
    asker: Asker,
    projects: Projects,
    *,
    domain: str = "",
    preliminary: bool | None = None,
    stashed: bool | None = None,
    limit: int = 20,
) -> list[Chain]:
    """The chains in which something was said last come first."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    if not 1 <= limit <= LIMIT_MAX:
        raise Invalid(f"limit is a number from 1 to {LIMIT_MAX:,}.", field="limit")
    with engine.store.reading() as reader:
        found = _chains(reader, asker, asker.principal.readable(projects), engine.clock())
    wanted = [
        chain
        for chain in found.values()
        if (not domain or any(r.standing.domain == domain for r in chain.members))
        and (preliminary is None or preliminary == any(r.standing.preliminary for r in chain.held))
        and (stashed is None or stashed == bool(chain.stashed))
    ]
    return sorted(wanted, key=lambda chain: (-chain.last_at, chain.name))[:limit]


def chain_named(engine: Engine, asker: Asker, name: str) -> Chain:
    """The chain with this name, in the caller's project."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    with engine.store.reading() as reader:
        found = _chains(reader, asker, (asker.scope.project,), engine.clock())
    if name.strip() not in found:
        near = nearest(name, found)
        hint = f"Did you mean {near}?" if near else "memory_chains lists them."
        raise NotFound(f"There is no chain {name[:80]!r}.", hint=hint, field="chain")
    return found[name.strip()]


def promote(engine: Engine, asker: Asker, chain: str = "", *, all_preliminary: bool = False) -> Promoted:
    """Settle what was preliminary: in a chain, or everywhere in the project."""
    if bool(chain.strip()) == all_preliminary:
        raise Invalid("It is not said what to promote.", hint="Give a chain, or all_preliminary.", field="chain")
    asker.principal.check(WRITE, asker.namespace, asker.scope.project)
    if all_preliminary:
        asker.principal.check(READ, asker.namespace, asker.scope.project)
        with engine.store.reading() as reader:
            wanted = Filter(projects=(asker.scope.project,))
            entries = reader.select(asker.namespace, wanted, CURRENT, engine.clock(), LOOKED_AT)
            members: Iterable[Record] = reader.records_of(entries, CURRENT)
    else:
        members = chain_named(engine, asker, chain).held
    found = tuple(record for record in members if record.standing.preliminary)
    if not found:
        return Promoted((), None)
    steps = [Restate(record.node.address, (("preliminary", False),), "promoted") for record in found]
    return Promoted(
        found, submit(engine, asker, "memory_promote", steps, summary=f"promote {counted(len(steps), 'node')}")
    )


def _chains(reader: Reader, asker: Asker, projects: Projects, now: int) -> Mapping[str, Chain]:
    entries = reader.select(asker.namespace, Filter(projects=projects), CURRENT, now, LOOKED_AT)
    aside = Filter(projects=projects, tags=(STASHED,), include_superseded=True)
    entries = list(dict.fromkeys([*entries, *reader.select(asker.namespace, aside, CURRENT, now, LOOKED_AT)]))
    named = {
        entry: [said for said in occurrences if said.chain]
        for entry, occurrences in reader.occurrences(entries, CURRENT).items()
        if any(said.chain for said in occurrences)
    }
    lines: dict[str, list[tuple[int, Record]]] = {}
    for record in reader.records_of([entry for entry in entries if entry in named], CURRENT):
        if record.standing.is_active(now) or is_stashed(record):
            for chain in {said.chain for said in named[record.entry]}:
                at = min(said.at for said in named[record.entry] if said.chain == chain)
                lines.setdefault(chain, []).append((at, record))
    found = {}
    for name, members in lines.items():
        members.sort(key=lambda one: (one[0], one[1].since_seq, one[1].node.address))
        last = max(said.at for _, r in members for said in named[r.entry] if said.chain == name)
        found[name] = Chain(name, tuple(record for _, record in members), members[0][0], last)
    return found
