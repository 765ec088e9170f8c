"""Relevance: how much of what was asked a text speaks about. Unlike the score that ranks, it means the same for every
question, so a threshold on it means something: nothing relevant, nothing returned."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from ..model.record import Record
from ..store.terms import terms_of
from .evidence import Evidence, is_named
from .passages import passages_of
from .question import Asked, Question, pairs_of

# Picked on three of the six worlds of bench/precision, checked on the other three; docs/decisions says more.
COVERED, MEANING, TOGETHER = 0.43, 0.28, 0.29
# What hardly any unrelated text reaches says more: so near in meaning, other words say the same.
SURE = 0.6
# Where no meaning can be known, the words have its share too.
ALONE = 1.0 / (COVERED + TOGETHER)
# How much less a file at hand says for what touched it in passing.
TOUCHED = 0.25
IN_TIME, AT_HAND, NAMED, IN_THREAD = 0.30, 0.40, 0.06, 0.25
# What is called by a name that it alone has (ADR-46, a hash) is meant.
CALLED = 0.40

# The words by which a kind is asked for: "which incidents…" asks for a kind, not for a word in a text.
_KINDS_ASKED: Mapping[str, frozenset[str]] = {
    kind: frozenset(terms_of(words))
    for kind, words in {
        "incident": "incident incidents outage outages broke wrong",
        "decision": "decision decisions decided decide",
        "task": "task tasks todo todos",
        "question": "question questions open",
        "preference": "preference prefer",
        "meeting": "meeting meetings",
        "learning": "learning learned learnt",
    }.items()
}


class Relevance(NamedTuple):
    """`parts` add up to `score`. `covered` is the share of the asked words, by how much each says, that stand in the
    best passage; `passage` is that passage where the text is long."""

    score: float
    parts: tuple[tuple[str, float], ...]
    covered: float
    passage: str = ""


def relevance(question: Question, asked: Asked, record: Record, found: Evidence) -> Relevance:
    named = (*record.standing.aliases, *record.standing.tags)
    names = frozenset(terms_of(" ".join(named))) if named else frozenset()
    covered, together, best = 0.0, 0.0, ""
    pieces, share_of = passages_of(record.node.content), asked.covering(question.terms)
    for piece in pieces:
        has = _terms(piece)
        share = share_of(has | names if names else has)
        # Two words that are not both in it do not stand beside each other in it.
        are_both = any(one in has and other in has for one, other in question.pairs)
        pairs = _met(question, piece) if are_both else 0.0
        if COVERED * share + TOGETHER * pairs > COVERED * covered + TOGETHER * together:
            covered, together, best = share, pairs, piece
    if question.is_pattern:  # what matches a pattern has all that was asked
        covered = min(1.0, found.words)
    alone = ALONE if asked.by_words_alone else 1.0
    others = (
        ("phrases", alone * TOGETHER * together),
        ("in time", IN_TIME * found.in_time),
        ("file", AT_HAND * found.at_hand * (TOUCHED if is_in_passing(record) else 1.0)),
        ("name", CALLED if found.named else NAMED * is_named(question, record)),
        ("thread", IN_THREAD * max(found.reply, found.two_before)),
    )
    meaning = MEANING * found.meaning + SURE * found.sure
    parts = (("words", alone * COVERED * covered), ("meaning", meaning), *[part for part in others if part[1]])
    return Relevance(sum([value for _, value in parts]), parts, covered, best if len(pieces) > 1 else "")


def is_in_passing(record: Record) -> bool:
    """Whether it names files only because it touched them, as a commit does: being at hand alone says little then."""
    return record.node.kind == "commit"


def is_asked_for(question: Question, record: Record) -> bool:
    """Whether the question names this kind of thing."""
    return not _KINDS_ASKED.get(record.node.kind, frozenset()).isdisjoint(question.terms)


def _met(question: Question, piece: str) -> float:
    """The share of the words that stand beside each other in the question which do so here."""
    return len(question.pairs & _pairs(piece)) / len(question.pairs)


@lru_cache(maxsize=4096)
def _terms(piece: str) -> frozenset[str]:
    return frozenset(terms_of(piece))


@lru_cache(maxsize=4096)
def _pairs(piece: str) -> frozenset[tuple[str, str]]:
    return pairs_of(piece)
