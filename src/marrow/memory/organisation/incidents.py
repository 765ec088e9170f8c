"""Incidents: what went wrong, when, why, and what fixed it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ...model.errors import Invalid
from ...model.record import Filter, Record
from ...search.find import Hit
from ...store.protocol import Reader
from ..engine import Asker, Engine, sequence
from ..moment import moment
from .attributed import Attributed, attribute
from .services import check_service

KIND = "incident"
LIMIT_MAX, BATCH = 200, 50
# What can mend or break something.
CHANGES = frozenset(("commit", "conversation", "decision", "code"))


@dataclass(frozen=True, slots=True)
class Told:
    """An incident with what was done because of it, and what it was caused by, as far as they are linked."""

    incident: Attributed
    fixes: tuple[Record, ...] = ()
    causes: tuple[Record, ...] = ()


class Incidents(NamedTuple):
    """Those that were asked for, and how many there are of them; `every` counts all where none of them was."""

    items: tuple[Told, ...]
    total: int
    now: int
    every: int = 0


def incidents(engine: Engine, asker: Asker, wanted: Filter, *, limit: int = 5, as_of: object = None) -> Incidents:
    """The latest first, and those without a day last."""
    if not 1 <= limit <= LIMIT_MAX:
        raise Invalid(f"limit is a number from 1 to {LIMIT_MAX}.", field="limit")
    now = engine.clock()
    with engine.store.reading() as reader:
        seq = sequence(reader, asker, as_of, now)
        now = moment(reader, asker, seq, now, as_of)
        projects = asker.principal.readable(wanted.projects)
        service = check_service(reader, asker, projects, wanted.service, seq, now) if wanted.service else ""
        chosen = replace(wanted, projects=projects, service=service, kinds=(KIND,))
        entries = reader.select(asker.namespace, chosen, seq, now)
        told = _linked(reader, asker, _latest(reader, asker, entries, seq, service, limit), seq)
        every = len(entries)
        if not entries:
            every = len(reader.select(asker.namespace, Filter(projects=projects, kinds=(KIND,)), seq, now))
    return Incidents(tuple(told), len(entries), now, every)


def _latest(
    reader: Reader, asker: Asker, entries: Sequence[int], seq: int, service: str, limit: int
) -> list[Attributed]:
    """The first of these that have a day; then, where these are too few, those without one. No more are read than need
    be."""
    dated: list[Attributed] = []
    undated: list[Attributed] = []
    for at in range(0, len(entries), BATCH):
        hits = [Hit(record, 0.0) for record in reader.records_of(entries[at : at + BATCH], seq)]
        for one in attribute(reader, asker, hits, seq, service=service):
            (dated if one.is_dated else undated).append(one)
        if len(dated) >= limit:
            break
    return [*dated, *undated][:limit]


def _linked(reader: Reader, asker: Asker, found: list[Attributed], seq: int) -> list[Told]:
    addresses = [one.record.node.address for one in found]
    if not addresses:
        return []
    places = asker.principal.readable(tuple({one.record.project for one in found}))
    links = [link for link in reader.links(asker.namespace, addresses, places, seq) if link.rel == "caused_by"]
    ends = sorted({end for link in links for end in (link.source, link.target)}.difference(addresses))
    known = {r.node.address: r for r in reader.records(asker.namespace, ends, places, seq) if r.node.kind in CHANGES}
    return [
        Told(
            one,
            tuple(known[x.source] for x in links if x.target == one.record.node.address and x.source in known),
            tuple(known[x.target] for x in links if x.source == one.record.node.address and x.target in known),
        )
        for one in found
    ]
