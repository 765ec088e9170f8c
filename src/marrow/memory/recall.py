"""Recall: what matters for this message now, and nothing when nothing matters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..model.errors import Invalid
from ..model.record import CURRENT, Filter, Record
from ..model.scope import READ
from ..search.find import Hit, Question, find
from ..store.protocol import Reader
from ..store.terms import query_terms, terms_of
from .engine import Asker, Engine

PINNED_MAX = 5
# What comes after so many characters of a message does not change what it is about.
MESSAGE_MAX = 8_000
QUESTIONS_MAX = 3
QUESTION_KINDS = ("question", "gap")
DEPTHS = ((0, 0), (2, 3), (5, 5), (10, 8))
DEPTH_MAX = 12
# Below these a hit is about something else. Measured on pairs of unrelated sentences, whose cosines stay under .25.
COSINE_MIN = 0.30
OVERLAP_MIN = 0.34
LEANING_MIN = 0.15
SHARE_OF_BEST_MIN = 0.45


class Recalled(NamedTuple):
    """In tiers. `depth` is how many the message was worth."""

    pinned: tuple[Record, ...]
    relevant: tuple[Hit, ...]
    questions: tuple[Record, ...]
    depth: int


def recall(
    engine: Engine,
    asker: Asker,
    message: str,
    *,
    files: Sequence[str] = (),
    symbols: Sequence[str] = (),
    limit: int | None = None,
) -> Recalled:
    """What the memory has to say about a message. Counts what it gave, so that what is never used can sink."""
    if limit is not None and not 1 <= limit <= 100:
        raise Invalid("limit is a number from 1 to 100.", field="limit")
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    now = engine.clock()
    places = asker.places()
    text = " ".join([message, *files, *symbols])[:MESSAGE_MAX]
    depth = _depth(text)
    with engine.store.reading() as reader:
        if not depth:
            return Recalled((), (), (), 0)
        pinned = _pinned(reader, asker, places, now)
        taken = frozenset(record.entry for record in pinned)
        question = Question(text, asker.namespace, Filter(projects=places), now, limit=2 * DEPTH_MAX, without=taken)
        hits = _cut(find(reader, engine.embedder, question), query_terms(text))
        open_ones = [h.record for h in hits if h.record.node.kind in QUESTION_KINDS]
        relevant = [h for h in hits if h.record.node.kind not in QUESTION_KINDS]
    chosen = relevant[: min(depth, limit) if limit else depth]
    engine.recalled.extend(hit.record.entry for hit in chosen)
    return Recalled(tuple(pinned), tuple(chosen), tuple(open_ones[:QUESTIONS_MAX]), depth)


def _depth(message: str) -> int:
    """How much a message is worth: a greeting nothing, a long question more."""
    words = [term for term in query_terms(message) if len(term) > 1]
    has_content = any(term not in _GREETINGS for term in words)
    if not has_content:
        return 0
    for least, depth in DEPTHS:
        if len(words) <= least:
            return depth
    return DEPTH_MAX


_GREETINGS = frozenset(
    terms_of("hi hello hey thanks thank ok okay yes no sure great good morning evening bye please continue")
)


def _pinned(reader: Reader, asker: Asker, places: tuple[str, ...] | None, now: int) -> list[Record]:
    entries = reader.select(asker.namespace, Filter(projects=places, pinned=True), CURRENT, now)
    records = reader.records_of(entries, CURRENT)
    return sorted(records, key=lambda r: (-r.standing.priority, -r.last_at))[:PINNED_MAX]


def _cut(hits: Sequence[Hit], terms: Sequence[str]) -> list[Hit]:
    """Only what speaks about the same thing: enough of the words, or close in meaning, and not far behind the best."""
    asked = {term for term in terms if not term.endswith("*")}
    kept: list[Hit] = []
    for hit in hits:
        if kept and hit.score < SHARE_OF_BEST_MIN * kept[0].score:
            continue
        if hit.part("meaning") >= COSINE_MIN or _is_about(asked, hit):
            kept.append(hit)
    return kept


def _is_about(asked: set[str], hit: Hit) -> bool:
    """Enough of the words. One of them alone says little: then the meaning must lean the same way. A pattern matches
    or does not."""
    if not asked:
        return hit.part("words") > 0
    shared = len(asked.intersection(terms_of(hit.record.node.content)))
    is_enough = shared >= min(2, len(asked)) or hit.part("meaning") >= LEANING_MIN
    return is_enough and shared >= OVERLAP_MIN * len(asked)
