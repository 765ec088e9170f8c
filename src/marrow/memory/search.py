"""Search: ranked, without a cut. By text, by filters, or both."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ..model.errors import Invalid
from ..model.record import Filter
from ..search.find import Hit, find
from ..search.question import Question
from .engine import Asker, Engine, sequence
from .moment import moment

LIMIT_MAX = 1000


class Found(NamedTuple):
    """The hits, the moment that ages are reckoned from, and how it was searched when something was missing."""

    hits: tuple[Hit, ...]
    now: int
    degraded: str = ""


def search(
    engine: Engine,
    asker: Asker,
    query: str,
    wanted: Filter,
    *,
    limit: int = 10,
    min_score: float = 0.0,
    as_of: object = None,
) -> Found:
    """The best records for a query under a filter; without a query, the latest that the filter leaves."""
    if not 1 <= limit <= LIMIT_MAX:
        raise Invalid(f"limit is a number from 1 to {LIMIT_MAX}.", field="limit")
    now = engine.clock()
    with engine.store.reading() as reader:
        seq = sequence(reader, asker, as_of, now)
        now = moment(reader, asker, seq, now, as_of)
        wanted = replace(wanted, projects=asker.principal.readable(wanted.projects))
        if not query.strip():
            entries = reader.select(asker.namespace, wanted, seq, now, limit)
            return Found(tuple(Hit(record, 0.0) for record in reader.records_of(entries, seq)), now)
        question = Question(query, asker.namespace, wanted, now, seq, limit)
        found = find(reader, engine.asking(reader, asker.namespace, question.wanted.projects), question, engine.rerank)
    return Found(tuple(hit for hit in found.hits if not min_score or hit.score >= min_score), now, found.degraded)
