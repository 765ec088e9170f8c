"""Where in a long text what was asked stands closest together.

The words of a question are looked for as they are spelled, by the beginnings of their stems; what is found is then
checked by its terms. So a long text is read at the speed of a plain search, not of a stemmer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..store.terms import terms_of

# How many characters may lie between the first and the last word of a passage, and how long one is at most.
WINDOW, LONGEST = 480, 700
# So many places of the rarest words are looked around, and so many at most; and so often a word is tried.
ANCHORS, ANCHORS_MAX = 4, 8
TRIES_MAX = 30
# Of a long question the most telling words are looked for.
TERMS_MAX = 12
# A very long text is read beyond its beginning for a rare word that is not there.
BEGINNING, READ, RAREST = 60_000, 400_000, 3
REACH = 40
_WORD = re.compile(r"[\w'./:@-]*")
IN_WORDS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'./:@-"


class Place(NamedTuple):
    """A passage from `start` to `end`, whole lines where they are short, and which share of what was asked it has."""

    start: int
    end: int
    share: float


def best_passage(content: str, rarities: Mapping[str, float], most: float) -> Place | None:
    """None when no asked word is in it. `rarities` say how much each asked term says, `most` what all of them would."""
    wanted = [term for term, value in rarities.items() if value > 0 and "*" not in term]
    wanted = sorted(wanted, key=lambda term: (-rarities[term], term))[:TERMS_MAX]
    if not wanted or most <= 0:
        return None
    found = _found(content, wanted)
    if not found:
        return None
    at, until, weight = _densest(found, rarities)
    start, end = _lines(content, at, until)
    return Place(start, end, min(1.0, weight / most))


def _found(content: str, wanted: Sequence[str]) -> list[tuple[int, int, str]]:
    """(start, end, term) of the words of the text that have an asked term, in order: those around the rarest of them
    that the text has. What stands far from these is no better place."""
    text = content[:BEGINNING]
    lower = text.lower()
    if len(content) > BEGINNING and any(_head(term) not in lower for term in wanted[:RAREST]):
        text = content[:READ]
        lower = text.lower()
    if len(lower) != len(text):  # some letters are two in lower case: places would be wrong
        lower = text
    anchors: list[tuple[int, int]] = []
    for term in wanted:  # the rarest first
        beyond = 0
        for begin, _ in _places(text, lower, term, 0, len(text)):
            if begin >= beyond:
                anchors.append((max(0, begin - WINDOW), begin + WINDOW))
                beyond = begin + WINDOW
        if len(anchors) >= ANCHORS:
            break
    found: set[tuple[int, int, str]] = set()
    heads = [(term, _head(term)) for term in wanted]
    for start, end in _merged(anchors[:ANCHORS_MAX]):
        part = lower[start:end]
        for term, head in heads:
            if head in part:
                found.update((*place, term) for place in _places(text, lower, term, start, end))
    return sorted(found)


def _head(term: str) -> str:
    """What the words of a stem begin with: a stem often ends otherwise than its word does (happi, and happy)."""
    return term[:-1] if len(term) > 3 else term


def _merged(windows: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    start = end = -1
    for low, high in sorted(windows):
        if low > end:
            if end >= 0:
                yield start, end
            start = low
        end = max(end, high)
    if end >= 0:
        yield start, end


def _places(text: str, lower: str, term: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where words with this term stand between two places."""
    head = _head(term)
    at, tries = lower.find(head, start, end), 0
    while at >= 0 and tries < TRIES_MAX:
        tries += 1
        ahead = text[max(start, at - REACH) : at]
        begin = at - len(ahead) + len(ahead.rstrip(IN_WORDS))
        word = _WORD.match(text, at, at + 2 * REACH)
        stop = max(at + 1, word.end() if word else at)
        if term in _terms(text[begin:stop]):
            yield begin, stop
        at = lower.find(head, stop, end)


@lru_cache(maxsize=8192)
def _terms(word: str) -> frozenset[str]:
    return frozenset(terms_of(word))


def _densest(found: Sequence[tuple[int, int, str]], rarities: Mapping[str, float]) -> tuple[int, int, float]:
    """The window with the most of what was asked, each term counted once; the first of equals."""
    best = (found[0][0], found[0][1], 0.0)
    counts: dict[str, int] = {}
    weight, first = 0.0, 0
    for start, end, term in found:
        if not counts.get(term):
            weight += rarities[term]
        counts[term] = counts.get(term, 0) + 1
        while end - found[first][0] > WINDOW and found[first][0] < start:
            leaving = found[first][2]
            counts[leaving] -= 1
            if not counts[leaving]:
                weight -= rarities[leaving]
            first += 1
        if weight > best[2] + 1e-9:
            best = (found[first][0], end, weight)
    return best


def _lines(content: str, start: int, end: int) -> tuple[int, int]:
    """The whole lines around, with the next ones while there is room."""
    begin = content.rfind("\n", 0, start) + 1
    if start - begin > LONGEST // 2:
        begin = max(content.rfind(" ", 0, start - 80) + 1, start - 120)
    stop = content.find("\n", end)
    stop = len(content) if stop < 0 else stop
    if stop - begin > LONGEST:
        return begin, min(stop, begin + LONGEST)
    while stop < len(content):
        following = content.find("\n", stop + 1)
        following = len(content) if following < 0 else following
        if following - begin > WINDOW:
            break
        stop = following
    return begin, stop


def line_numbers(content: str, start: int, end: int) -> tuple[int, int]:
    """The lines, counted from 1, that a passage covers."""
    first = content.count("\n", 0, start) + 1
    return first, first + content.count("\n", start, max(start, end - 1))


__all__ = ["Place", "best_passage", "line_numbers"]
