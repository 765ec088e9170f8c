"""Evidence: what speaks for a record, and the score that it adds up to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ..model.record import Record
from ..store.terms import terms_of
from .best_passage import Place
from .question import Question
from .weights import Weights, counted, is_taken_in, weights_of

# What a text says by itself, before its neighbours and its form are looked at: this is what it can lend.
WORDS_SHARE, MEANING_SHARE = 0.67, 0.33
# Of a long text the beginning is read.
READ = 4_000
# From how many characters on a text is judged by its best passage too, and by how much.
LONG, IN_PLACE = 1_500, 0.85
# Of these one wants to know when or where in it something is, however short they are.
PLACED = frozenset(("meeting", "design"))
# A name that only one has, and that stands for it: ADR-46, INC-204. Others are of what it is about.
_NUMBER = re.compile(r"[A-Za-z]{2,}-\d+")
# What was said at another time than is asked about: less, for many a thing is told long after it happened.
ELSEWHEN = -0.5

_TIME = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|last|next|ago|week(?:end)?|month|year|(?:mon|tues|wednes|thurs|fri|satur|sun)"
    r"day|january|february|march|april|june|july|august|september|october|november|december|morning|since|\d{4}|"
    r"\d{1,2}(?:st|nd|rd|th)|days?|recently|just)\b",
    re.I,
)


@dataclass
class Evidence:
    """Values between 0 and about 1. `words` is the share of what a text with the asked words would score; `meaning` a
    cosine, and `sure` by how much it passes what hardly any unrelated text reaches; the next two are lent by neighbours
    in the thread."""

    words: float = 0.0
    meaning: float = 0.0
    sure: float = 0.0
    two_before: float = 0.0
    reply: float = 0.0
    asking: float = 0.0
    dated: float = 0.0
    in_time: float = 0.0
    at_hand: float = 0.0
    named: float = 0.0
    filed: float = 0.0  # which share of what was asked stands in the name of its file, and half of that for its folders
    place: Place | None = None  # in a long text, where what was asked stands closest together

    def parts(self, record: Record, terms: int) -> list[tuple[str, float]]:
        """What each piece adds to the score of a record, for a question of so many terms; those that add nothing are
        left out, but for words and meaning."""
        weights = weights_of(record)
        words = counted(record, self.words, terms)
        found = [("words", weights.words * words), ("meaning", weights.meaning * self.meaning)]
        found += [(name, weight * said) for name, weight in _others(weights) if (said := getattr(self, name))]
        return found


@lru_cache(maxsize=8)
def _others(weights: Weights) -> tuple[tuple[str, float], ...]:
    """The weights but for words and meaning, those that weigh nothing left out."""
    return tuple((name, weight) for name, weight in zip(weights._fields[2:], weights[2:], strict=True) if weight)


def is_placed(question: Question, record: Record) -> bool:
    """Whether it matters where in the text what was asked stands."""
    return (len(record.node.content) > LONG or record.node.kind in PLACED) and not question.is_pattern


def words_in_place(record: Record, words: float, share: float) -> float:
    """A long text has many words: what it says of the question, it says in one place, which has this share of it."""
    return IN_PLACE * share + (1.0 - IN_PLACE) * min(1.0, words) if len(record.node.content) > LONG else words


def read(question: Question, record: Record, found: Evidence, interval: tuple[int, int] | None) -> None:
    """What the text itself shows, once it is at hand."""
    content = record.node.content
    found.asking = float(content.rstrip().endswith("?") and record.node.kind not in ("question", "gap"))
    if is_taken_in(record) and any(is_said(question, one) for one in record.standing.aliases if _NUMBER.fullmatch(one)):
        found.named = 1.0
    found.dated = float(question.asks_for_a_time and _TIME.search(content, 0, READ) is not None)
    if interval and question.spoken:
        is_in = record.first_at < interval[1] and record.last_at >= interval[0]
        # What happened in March may have been written down in April: then it names the month.
        is_told = bool(question.spoken_names) and question.spoken_names <= _terms(content[:READ])
        found.in_time = 1.0 if is_in or is_told else ELSEWHEN


def is_named(question: Question, record: Record) -> bool:
    """Whether the question says one of the other names that somebody gave to what the record is about."""
    return any(is_said(question, alias) for alias in record.standing.aliases)


def is_said(question: Question, alias: str) -> bool:
    return _terms(alias).issubset(question.terms)


@lru_cache(maxsize=1024)
def _terms(content: str) -> frozenset[str]:
    return frozenset(terms_of(content))
