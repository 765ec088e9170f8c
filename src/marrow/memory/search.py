"""Search: ranked, without a cut. By text, by filters, or both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

from ..model.errors import Invalid
from ..model.record import Filter
from ..search.find import Hit, find
from ..search.question import Asked, Question
from .attribution import Origin, origins_of
from .engine import Asker, Engine, sequence
from .looking_again import quick_look_of
from .moment import moment

LIMIT_MAX = 1000
# How many are read for their meaning alone, and how many the quick embedder looks at where the better one did.
BY_MEANING, LOOKED_AGAIN = 16, 24
# What is kept as a node and says nothing of the project.
NOT_SEARCHED = frozenset(("view",))


class Found(NamedTuple):
    """The hits, the moment that ages are reckoned from, how it was searched when something was missing, where they are
    from, by entry, and what is known of the asked words."""

    hits: tuple[Hit, ...]
    now: int
    degraded: str = ""
    origins: Mapping[int, Origin] = {}
    asked: Asked = Asked({}, {})


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
            records = reader.records_of(entries, seq)
            return Found(tuple(Hit(r, 0.0) for r in records), now, origins=origins_of(reader, asker, records, seq))
        hidden = frozenset() if wanted.kinds else NOT_SEARCHED
        question = Question(
            query, asker.namespace, wanted, now, seq, limit, without_kinds=hidden, by_meaning=BY_MEANING
        )
        embedder = engine.asking(reader, asker.namespace, question.wanted.projects)
        found = find(reader, embedder, question, engine.rerank, quick_look_of(engine, embedder, LOOKED_AGAIN))
        hits = tuple(hit for hit in found.hits if not min_score or hit.score >= min_score)
        origins = origins_of(reader, asker, [hit.record for hit in hits], seq)
        return Found(hits, now, found.degraded, origins, found.asked)
