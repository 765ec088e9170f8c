"""Graph: the nodes around a node, how strongly each is tied to it, and the links among them.

A step weakens the tie, a causal one less than another. Where several paths lead to a node, the strongest counts, so a
long causal chain can outweigh a short loose one. What a node was made from appears as `derived_from`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..model.errors import Invalid
from ..model.link import CAUSAL_RELS, Link, check_rel
from ..model.record import Record
from ..store.protocol import Projects, Reader
from .engine import Asker, Engine, resolve, sequence
from .moment import moment

DEPTH_MAX = 5
LIMIT_MAX = 1_000
DECAY = 0.6
CAUSAL_DECAY = 0.8
BOTH, FORWARD, REVERSE = "both", "forward", "reverse"
DIRECTIONS = (BOTH, FORWARD, REVERSE)
DERIVED_FROM = "derived_from"
BATCH = 500


class Reached(NamedTuple):
    """A node, the number of links on the strongest path to it, how strong that path is, and its last link."""

    record: Record
    distance: int
    strength: float
    by: Link | None = None


class Graph(NamedTuple):
    """The nodes, strongest first, beginning with the one that was asked for, and every link between two of them.

    `cut` when there were more than `limit`. `superseded` counts those that were passed over because they hold no more.
    """

    nodes: tuple[Reached, ...]
    links: tuple[Link, ...]
    cut: bool
    superseded: int = 0


@dataclass
class _Walk:
    """Where a walk stands: what it may see and what it has reached."""

    reader: Reader
    asker: Asker
    projects: Projects
    seq: int
    now: int
    rels: frozenset[str]
    direction: str
    include_superseded: bool
    limit: int
    reached: dict[str, Reached]
    hidden: set[str] = field(default_factory=set)
    superseded: set[str] = field(default_factory=set)
    cut: bool = False

    def wants(self, rel: str) -> bool:
        return not self.rels or rel in self.rels


def graph(
    engine: Engine,
    asker: Asker,
    address: str,
    depth: int = 2,
    rels: Sequence[str] = (),
    direction: str = BOTH,
    as_of: object = None,
    include_superseded: bool = False,
    limit: int = 200,
) -> Graph:
    """The nodes within `depth` links of the node at `address`. `forward` follows links from source to target."""
    _check_whole("depth", depth, DEPTH_MAX)
    _check_whole("limit", limit, LIMIT_MAX)
    if direction not in DIRECTIONS:
        raise Invalid(f"{direction!r} is no direction.", hint=f"One of {', '.join(DIRECTIONS)}.", field="direction")
    asked = frozenset(check_rel(rel) for rel in ([rels] if isinstance(rels, str) else rels))
    with engine.store.reading() as reader:
        now = engine.clock()
        seq = sequence(reader, asker, as_of, now)
        start = resolve(reader, asker, address, seq=seq)
        walk = _Walk(
            reader=reader,
            asker=asker,
            projects=asker.places(),
            seq=seq,
            now=moment(reader, asker, seq, now),
            rels=asked,
            direction=direction,
            include_superseded=include_superseded,
            limit=limit,
            reached={start.node.address: Reached(start, 0, 1.0)},
        )
        edge = [start.node.address]
        for distance in range(1, depth + 1):
            edge = _advance(walk, edge, distance)
        return Graph(
            tuple(sorted(walk.reached.values(), key=_order)), _links_among(walk), walk.cut, len(walk.superseded)
        )


def _check_whole(name: str, value: object, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise Invalid(f"{name} is a whole number from 1 to {most:,}, not {value!r}.", field=name)


def _order(node: Reached) -> tuple[float, int, str]:
    return -node.strength, node.distance, node.record.node.address


def _advance(walk: _Walk, edge: Sequence[str], distance: int) -> list[str]:
    """One link further from the nodes at the edge: those that are new, or now reached by a stronger path."""
    better: dict[str, tuple[float, Link]] = {}
    for near, far, link in _ways(walk, edge):
        strength = round(walk.reached[near].strength * (CAUSAL_DECAY if link.rel in CAUSAL_RELS else DECAY), 6)
        known = walk.reached.get(far)
        best = max(known.strength if known else 0.0, better[far][0] if far in better else 0.0)
        if strength > best and far not in walk.hidden:
            better[far] = (strength, link)
    records = _visible(walk, sorted(better, key=lambda far: (-better[far][0], far)))
    for far, record in records.items():
        strength, link = better[far]
        if link.rel == DERIVED_FROM and link.source == far and link.target in record.node.inputs:
            link = _made_from(record, link.target)
        walk.reached[far] = Reached(record, distance, strength, link)
    # What lies behind a node is weaker than it, so nothing behind those that are left out can come before these.
    kept = sorted(walk.reached.values(), key=_order)
    walk.cut = walk.cut or len(kept) > walk.limit
    walk.reached = {node.record.node.address: node for node in kept[: walk.limit]}
    return [far for far in records if far in walk.reached]


def _ways(walk: _Walk, edge: Sequence[str]) -> Iterable[tuple[str, str, Link]]:
    """(near, far, link) for every link that leads on from the nodes at the edge."""
    if not edge:
        return
    at_edge = set(edge)
    for link in walk.reader.links(walk.asker.namespace, list(edge), walk.projects, walk.seq):
        if walk.wants(link.rel):
            if walk.direction != REVERSE and link.source in at_edge:
                yield link.source, link.target, link
            if walk.direction != FORWARD and link.target in at_edge:
                yield link.target, link.source, link
    if not walk.wants(DERIVED_FROM):
        return
    for near in edge:
        record = walk.reached[near].record
        if walk.direction != REVERSE:
            for given in record.node.inputs:
                yield near, given, _made_from(record, given)
        if walk.direction != FORWARD:
            for made in walk.reader.made_from(walk.asker.namespace, near):
                # Where and when it was made is filled in once its record is at hand.
                yield near, made, Link(made, near, DERIVED_FROM, record.project, record.first_at)


def _made_from(record: Record, given: str) -> Link:
    return Link(record.node.address, given, DERIVED_FROM, record.project, record.first_at)


def _visible(walk: _Walk, addresses: Sequence[str]) -> dict[str, Record]:
    """The records of the strongest of these that the caller may see; no more of them than can be shown."""
    found: dict[str, Record] = {}
    own = walk.asker.scope.project
    for at in range(0, len(addresses), BATCH):
        batch = addresses[at : at + BATCH]
        records: dict[str, Record] = {}
        for record in walk.reader.records(walk.asker.namespace, batch, walk.projects, walk.seq):
            if record.project == own or record.node.address not in records:
                records[record.node.address] = record
        for address in batch:
            seen = records.get(address)
            if seen is not None and (walk.include_superseded or seen.standing.is_active(walk.now)):
                if len(found) == walk.limit:
                    walk.cut = True
                    return found
                found[address] = seen
            else:
                walk.hidden.add(address)
                if seen is not None:
                    walk.superseded.add(address)
    return found


def _links_among(walk: _Walk) -> tuple[Link, ...]:
    shown = walk.reached
    links = [
        link
        for link in walk.reader.links(walk.asker.namespace, list(shown), walk.projects, walk.seq)
        if walk.wants(link.rel) and link.source in shown and link.target in shown
    ]
    lines = {(link.source, link.target, link.rel) for link in links}
    links += [
        _made_from(node.record, given)
        for node in (shown.values() if walk.wants(DERIVED_FROM) else ())
        for given in node.record.node.inputs
        if given in shown and (node.record.node.address, given, DERIVED_FROM) not in lines
    ]
    return tuple(sorted(links, key=lambda link: (link.source, link.target, link.rel, link.project)))
