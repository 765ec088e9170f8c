"""Finding records for a text: words and vectors together, neighbours in a thread lending each other score.

Scores are calibrated, not ranks: the words' score as a share of the best one, the vectors' as a cosine. An
equal-weight fusion of ranks measured worse than words alone, so the two are summed with weights that are data here.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..model.record import CURRENT, Filter, Record
from ..providers.embedder import Embedder
from ..store.protocol import Reader, Use
from ..store.terms import query_terms
from .later import later_first
from .signals import weigh

WORDS_WEIGHT = 0.65
VECTOR_WEIGHT = 0.35
# How much of a neighbour's score one place away is lent; two places away lends half of that.
LENT = 0.3
NEIGHBOUR_REACH = 2
CANDIDATES = 200
# How many more than asked for are weighed by the signals, which may change their order.
RESERVE = 40
LENDERS = 60


@dataclass(frozen=True, slots=True)
class Hit:
    """A record found, its score, and what each part contributed."""

    record: Record
    score: float
    why: tuple[tuple[str, float], ...] = ()

    def part(self, name: str) -> float:
        return next((value for known, value in self.why if known == name), 0.0)


@dataclass
class _Evidence:
    words: float = 0.0
    vector: float = 0.0
    lent: float = 0.0

    def text(self) -> float:
        return WORDS_WEIGHT * self.words + VECTOR_WEIGHT * self.vector


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of the memory: a text, where to look, at which moment, and who must not be found."""

    text: str
    namespace: str
    wanted: Filter
    now: int
    seq: int = CURRENT
    limit: int = 10
    without: frozenset[int] = field(default_factory=frozenset)


def find(reader: Reader, embedder: Embedder, question: Question) -> list[Hit]:
    """The best records for a text, best first; complete under any filter."""
    within = _within(reader, question)
    evidence = _candidates(reader, embedder, question, within)
    _lend(reader, evidence)
    allowed = None if within is None else set(within)
    ranked = sorted(evidence, key=lambda entry: (-_total(evidence[entry]), entry))
    chosen = [e for e in ranked if (allowed is None or e in allowed) and e not in question.without]
    records = reader.records_of(chosen[: question.limit + RESERVE], question.seq)
    uses = reader.uses([r.entry for r in records])
    hits = [
        _weighed(record, evidence[record.entry], uses.get(record.entry, Use()), question.now)
        for record in records
        if question.wanted.include_superseded or record.standing.is_active(question.now)
    ]
    hits.sort(key=lambda hit: (-hit.score, -hit.record.last_at, hit.record.node.address))
    return later_first(hits)[: question.limit]


def _within(reader: Reader, question: Question) -> list[int] | None:
    """The entries that a filter leaves; None when it leaves whatever is active now, which the indexes know."""
    if question.seq == CURRENT and question.wanted.is_plain():
        return None
    return reader.select(question.namespace, question.wanted, question.seq, question.now)


def _candidates(
    reader: Reader, embedder: Embedder, question: Question, within: list[int] | None
) -> dict[int, _Evidence]:
    depth = max(CANDIDATES, 2 * question.limit)
    projects = question.wanted.projects
    evidence: dict[int, _Evidence] = {}
    terms = query_terms(question.text)
    matched = reader.match(question.namespace, terms, projects, within, depth)
    best = matched[0][1] if matched else 1.0
    for entry, score in matched:
        evidence.setdefault(entry, _Evidence()).words = score / best if best > 0 else 0.0
    if all("*" in term for term in terms):
        return evidence  # nothing was said, or a pattern, which has no meaning that a vector could know
    if embedder.dimensions and reader.vector_model() == (embedder.model, embedder.dimensions):
        vector = embedder.query(question.text)
        for entry, cosine in reader.nearest(question.namespace, vector, projects, within, depth):
            evidence.setdefault(entry, _Evidence()).vector = cosine
        missing = [entry for entry, found in evidence.items() if not found.vector]
        for entry, cosine in reader.similarities(missing, vector).items() if missing else ():
            evidence[entry].vector = max(0.0, cosine)
    return evidence


def _lend(reader: Reader, evidence: dict[int, _Evidence]) -> None:
    """An answer often stands beside the words of the question: the turn before, the reply after."""
    lenders = sorted(evidence, key=lambda entry: (-evidence[entry].text(), entry))[:LENDERS]
    scores = {entry: evidence[entry].text() for entry in lenders}
    for lender, others in reader.neighbours(lenders, NEIGHBOUR_REACH).items() if lenders else ():
        for other, distance in others:
            found = evidence.setdefault(other, _Evidence())
            found.lent += LENT * scores[lender] / distance


def _total(found: _Evidence) -> float:
    return found.text() + found.lent


def _weighed(record: Record, found: _Evidence, use: Use, now: int) -> Hit:
    signals = weigh(record, use, now)
    score = _total(found)
    for _, factor in signals:
        score *= factor
    return Hit(record, score, (("words", found.words), ("meaning", found.vector), ("thread", found.lent), *signals))
