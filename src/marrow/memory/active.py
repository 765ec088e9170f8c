"""Active: what holds, the latest said first, a page at a time."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ..model.errors import Invalid
from ..model.record import CURRENT, Filter, Record
from .as_here import as_here
from .engine import Asker, Engine, sequence
from .moment import moment

LIMIT_MAX = 10_000


class Page(NamedTuple):
    records: tuple[Record, ...]
    total: int
    offset: int
    now: int


def active(
    engine: Engine, asker: Asker, wanted: Filter, *, limit: int = 50, offset: int = 0, as_of: object = None
) -> Page:
    if not 1 <= limit <= LIMIT_MAX or offset < 0:
        raise Invalid(f"limit is a number from 1 to {LIMIT_MAX}, offset one from 0.", field="limit")
    now = engine.clock()
    with engine.store.reading() as reader:
        seq = sequence(reader, asker, as_of, now)
        now = moment(reader, asker, seq, now, as_of)
        wanted = replace(wanted, projects=asker.principal.readable(wanted.projects))
        entries = reader.select(asker.namespace, wanted, seq, now)
        records = reader.records_of(entries[offset : offset + limit], seq)
        records = as_here(engine, asker, records) if seq == CURRENT else records
        return Page(tuple(records), len(entries), offset, now)
