"""Get: a node whole, now or as it was."""

from __future__ import annotations

from typing import NamedTuple

from ..model.link import Anchor, Link
from ..model.node import Occurrence
from ..model.record import CURRENT, Interval, Record
from .as_here import as_here
from .engine import Asker, Engine, resolve, sequence
from .feedback import count
from .rivals import rivals_of


class Whole(NamedTuple):
    """A record with everything that is known about it. `superseded_by` names what took its place, `rivals` what took
    the place of the same as it did."""

    record: Record
    occurrences: tuple[Occurrence, ...]
    links: tuple[Link, ...]
    anchors: tuple[Anchor, ...]
    superseded_by: tuple[str, ...]
    supersedes: tuple[str, ...]
    history: tuple[Interval, ...]
    rivals: tuple[str, ...] = ()


def get(engine: Engine, asker: Asker, address: object, *, history: bool = False, as_of: object = None) -> Whole:
    with engine.store.reading() as reader:
        now = engine.clock()
        seq = sequence(reader, asker, as_of, now)
        record = resolve(reader, asker, address, seq=seq, everywhere=True)
        mine = record.node.address
        record = as_here(engine, asker, [record])[0] if seq == CURRENT else record
        count(engine, asker.principal, reader, record.entry)
        places = asker.principal.readable(tuple({record.project, asker.scope.project}))
        links = reader.links(asker.namespace, [mine], places, seq)
        return Whole(
            record,
            tuple(reader.occurrences([record.entry], seq).get(record.entry, ())),
            tuple(links),
            tuple(reader.anchors([record.entry], seq).get(record.entry, ())),
            tuple(link.source for link in links if link.rel == "supersedes" and link.target == mine),
            tuple(link.target for link in links if link.rel == "supersedes" and link.source == mine),
            tuple(reader.intervals(record.entry)) if history else (),
            rivals_of(reader, asker.namespace, [record], places, seq, now).get(record.entry, ()),
        )
