"""Comparing a new text with one that is known: the same again, nearly the same, or at odds with it.

A cosine alone cannot tell a repeated fact from a changed one ("100 requests" and "200 requests" are .98 alike), so
vectors only nominate; words decide.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from ..store.folding import folded
from .cue import plain_words
from .negation import negates
from .replaced import ANNOUNCED, NAMING, announced_in, content_terms, replaces, word_of

NEAR, CONTRADICTS, REPLACES = "near", "contradicts", "replaces"

NEAR_COSINE = 0.88
RELATED_COSINE = 0.6
NEAR_OVERLAP = 0.75
RELATED_OVERLAP = 0.45

_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d+(?:\.\d+)*")
_OPPOSITES = tuple(
    frozenset(pair.split("/"))
    for pair in (
        "enable/disable enabled/disabled always/never allow/forbid allowed/forbidden allow/deny true/false yes/no "
        "add/remove sync/async synchronous/asynchronous required/optional increase/decrease before/after "
        "public/private manual/automatic on/off start/stop accept/reject up/down"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Likeness:
    """How a known text is like a new one: `near`, `contradicts` or `replaces`, how alike, and what differs."""

    what: str
    similarity: float
    reason: str


def compare(new: str, known: str, cosine: float) -> Likeness | None:
    """None when the two are different things. A new text that announces a change takes the place of the old one; one
    that only says something else is at odds with it, for which of them holds is not said."""
    found = _alike(new, known, cosine)
    if found is not None and found.what == NEAR:
        return found
    change = replaces(new, known, cosine)
    is_announced = bool(announced_in(new))
    if found is None:
        if change is None or _names(new) != _names(known):
            return None
        return Likeness(REPLACES if is_announced else CONTRADICTS, round(cosine, 3), change.reason)
    return Likeness(REPLACES, found.similarity, found.reason) if is_announced and change else found


def compared_from(new: str) -> float:
    """How close a known text must be to be compared with a new one: less when the new one announces a change."""
    return ANNOUNCED[0] if announced_in(new) else RELATED_COSINE


def _alike(new: str, known: str, cosine: float) -> Likeness | None:
    """Nearly the same words, saying the same or something else."""
    ours, theirs = content_terms(new), content_terms(known)
    if not ours or not theirs:
        return None
    common = len(ours & theirs)
    overlap = common / min(len(ours), len(theirs))
    shared = common / (len(ours) + len(theirs) - common)
    if cosine < RELATED_COSINE and overlap < NEAR_OVERLAP:
        return None
    if shared < RELATED_OVERLAP and not (cosine >= NEAR_COSINE and overlap >= RELATED_OVERLAP):
        return None
    if _names(new) != _names(known):
        return None  # they speak of different things by name
    reason = _difference(new, known, ours, theirs)
    if reason:
        return Likeness(CONTRADICTS, round(cosine, 3), reason)
    if cosine >= NEAR_COSINE or shared >= NEAR_OVERLAP:
        return Likeness(NEAR, round(cosine, 3), "nearly the same words")
    return None


@lru_cache(maxsize=1024)
def _names(text: str) -> frozenset[str]:
    return frozenset(NAMING.findall(text.lower())) if _DIGIT.search(text) else frozenset()


@lru_cache(maxsize=1024)
def _values(text: str) -> frozenset[str]:
    return frozenset(_NUMBER.findall(NAMING.sub(" ", folded(text).lower()))) if _DIGIT.search(text) else frozenset()


@lru_cache(maxsize=1024)
def _plain(text: str) -> frozenset[str]:
    return frozenset(plain_words(text.lower()))


def _difference(new: str, known: str, ours: frozenset[str], theirs: frozenset[str]) -> str:
    """What makes the two disagree, in words; empty when nothing does."""
    numbers, known_numbers = _values(new), _values(known)
    if numbers and known_numbers and not (numbers <= known_numbers or known_numbers <= numbers):
        changed = ", ".join(sorted(known_numbers - numbers)), ", ".join(sorted(numbers - known_numbers))
        return f"{changed[0]} there, {changed[1]} here"
    if negates(new) != negates(known):
        return "one of them negates the other"
    words, known_words = _plain(new), _plain(known)
    for pair in _OPPOSITES:
        here, there = pair & words, pair & known_words
        if here and there and not here & there:
            return f"{', '.join(sorted(there))} there, {', '.join(sorted(here))} here"
    added, left = ours - theirs, theirs - ours
    if len(added) == len(left) == 1 and len(ours & theirs) >= 2:
        return f"{word_of(known, next(iter(left)))} there, {word_of(new, next(iter(added)))} here"
    return ""
