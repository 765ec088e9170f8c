"""Release: a decision holds again when the one that took its place has left, or says so no longer."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import NamedTuple

from ..model.change import Relate, Restate, Step
from ..model.errors import Conflict, Invalid, NotFound
from ..model.event import SUBCONSCIOUS
from ..model.link import Link
from ..model.record import CURRENT
from ..model.standing import ACTIVE, RETRACTED, SUPERSEDED
from ..store.protocol import Reader
from .engine import Asker, Engine, submit
from .read_mentions import Known, between, known_at
from .said_relation import Line
from .taking_in.resettle import CHANGED, GONE

OPERATION = "connect"
DECISION, SUPERSEDES = "decision", "supersedes"
HOLDS_AGAIN = "what took its place has left"


class _Freed(NamedTuple):
    """What is done for one decision whose successor left."""

    steps: list[Step]
    holds: bool = False


def release(engine: Engine, asker: Asker, addresses: Sequence[str]) -> int:
    """Of these nodes, which left, the decisions let go what they had superseded by their words or by the other's: it
    holds again, unless another one takes its place, such as the next version of the one that left. How many hold again.
    What is no decision costs nearly nothing, and what was released is not released again."""
    if not addresses or engine.store.read_only:
        return 0
    with engine.store.reading() as reader:
        freed = _freed(engine, asker, reader, addresses)
    count = sum(one.holds for one in freed)
    summary = f"let {count} decision{'s' if count != 1 else ''} hold again"
    done = carry_out(engine, asker, [one.steps for one in freed], summary)
    return sum(one.holds and is_done for one, is_done in zip(freed, done, strict=True))


def carry_out(engine: Engine, asker: Asker, groups: Sequence[Sequence[Step]], summary: str) -> list[bool]:
    """All in one event; which groups were done. Where somebody was faster and one cannot be done any more, each is done
    by itself."""
    if not groups:
        return []
    try:
        steps = [step for group in groups for step in group]
        submit(engine, asker, OPERATION, steps, summary=summary, layer=SUBCONSCIOUS)
    except (Invalid, Conflict, NotFound):
        done = [False] * len(groups)
        for at, group in enumerate(groups if len(groups) > 1 else ()):
            with suppress(Invalid, Conflict, NotFound):
                submit(engine, asker, OPERATION, group, summary=summary, layer=SUBCONSCIOUS)
                done[at] = True
        return done
    return [True] * len(groups)


def _freed(engine: Engine, asker: Asker, reader: Reader, addresses: Iterable[str]) -> list[_Freed]:
    """Those that left, and then those that had been superseded by them and whose files are gone too."""
    freed: list[_Freed] = []
    asked, left = set(addresses), set[str]()
    while asked:
        taken = _taken(reader, asker, asked)
        if not taken:
            break
        known = known_at(engine, asker, reader, {end for link in taken for end in (link.source, link.target)})
        onto = _superseding(reader, asker, known)
        heirs = _heirs(engine, asker, reader, [known[link.source] for link in taken])
        gone = {a for a in {link.source for link in taken} if a in left or _has_left(known[a], heirs, onto, asked)}
        left |= gone
        asked = set()
        for target in sorted({link.target for link in taken if link.source in gone and link.target in known}):
            sources = [known[link.source] for link in taken if link.target == target and link.source in gone]
            one = _let_go(known[target], sources, heirs, onto.get(target, {}), left)
            freed += [one] if one else []
            if one and any(isinstance(step, Restate) for step in one.steps) and not one.holds:
                asked.add(target)
                left.add(target)
    return freed


def _taken(reader: Reader, asker: Asker, addresses: Collection[str]) -> list[Link]:
    """The links by which decisions among these superseded others."""
    place = (asker.scope.project,)
    found = reader.links(asker.namespace, sorted(addresses), place, CURRENT)
    links = [link for link in found if link.rel == SUPERSEDES and link.source in addresses]
    sources = sorted({link.source for link in links})
    records = reader.records(asker.namespace, sources, place, CURRENT) if sources else []
    decisions = {record.node.address for record in records if record.node.kind == DECISION}
    return [link for link in links if link.source in decisions]


def _superseding(reader: Reader, asker: Asker, addresses: Collection[str]) -> dict[str, dict[str, str]]:
    """For each of these, what supersedes it, and how that stands."""
    if not addresses:
        return {}
    place = (asker.scope.project,)
    found = reader.links(asker.namespace, sorted(addresses), place, CURRENT)
    links = [link for link in found if link.rel == SUPERSEDES and link.target in addresses]
    records = reader.records(asker.namespace, sorted({link.source for link in links}), place, CURRENT)
    states = {record.node.address: record.standing.state for record in records}
    onto: dict[str, dict[str, str]] = {}
    for link in links:
        onto.setdefault(link.target, {})[link.source] = states.get(link.source, RETRACTED)
    return onto


def _heirs(engine: Engine, asker: Asker, reader: Reader, left: Iterable[Known]) -> dict[str, Known]:
    """The next versions of these: the decisions that are read from the same paths now."""
    wanted = {one.node.address: (one.node.service, one.node.path) for one in left if one.node.path}
    rows = [
        row
        for path in sorted({path for _, path in wanted.values()})
        for row in reader.sources(asker.namespace, (asker.scope.project,), path=path)
        if row.is_document and row.kind == DECISION
    ]
    known = known_at(engine, asker, reader, {row.address for row in rows}) if rows else {}
    at = {(one.node.service, path): one for one in known.values() for path in one.node.paths}
    return {
        address: at[place] for address, place in wanted.items() if place in at and at[place].node.address != address
    }


def _has_left(
    one: Known, heirs: Mapping[str, Known], onto: Mapping[str, Mapping[str, str]], asked: Collection[str]
) -> bool:
    """Whether it is no longer said. One that another decision took the place of has only been followed."""
    if one.record.standing.state != SUPERSEDED:
        return one.record.standing.state == RETRACTED
    address = one.node.address
    is_followed = any(a not in asked and state != RETRACTED for a, state in onto.get(address, {}).items())
    return not one.is_held and (address in heirs or not is_followed)


def _let_go(
    target: Known, sources: Sequence[Known], heirs: Mapping[str, Known], onto: Mapping[str, str], left: Collection[str]
) -> _Freed | None:
    """What is done for a decision that these had superseded."""
    standing, address = target.record.standing, target.node.address
    if target.node.kind != DECISION or standing.reason == CHANGED:  # an earlier version of the same
        return None
    steps: list[Step] = []
    is_taken = any(a not in left and state != RETRACTED for a, state in onto.items())
    for source in sources:
        if not _made_by_words(source, target):
            is_taken = True
            continue
        heir = heirs.get(source.node.address)
        line = Line(heir.node.address, address, SUPERSEDES) if heir is not None else None
        if heir is not None and line is not None and heir.node.address != address and line in between(heir, target):
            is_taken = True
            if heir.record.standing.state != ACTIVE:
                continue
            steps += [] if heir.node.address in onto else [Relate(*line)]
        steps.append(Relate(source.node.address, address, SUPERSEDES, closed=True))
    if not steps or is_taken or standing.state != SUPERSEDED:
        return _Freed(steps) if steps else None
    if not target.is_held:
        # It comes back with its file.
        return _Freed([*steps, Restate(address, (("state", RETRACTED),), GONE, SUPERSEDED)])
    # Said anew after it had left: so it holds after an exchange with another memory too.
    changes = (("state", ACTIVE), ("generation", standing.generation + 1))
    return _Freed([*steps, Restate(address, changes, HOLDS_AGAIN, SUPERSEDED)], holds=True)


def _made_by_words(source: Known, target: Known) -> bool:
    """Whether one of the two texts says so, whichever services they were read for."""
    ends = [one._replace(node=one.node._replace(service="")) for one in (source, target)]
    return Line(source.node.address, target.node.address, SUPERSEDES) in between(*ends)


__all__ = ["carry_out", "release"]
