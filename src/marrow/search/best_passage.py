"""Where in a long text what was asked stands closest together.

The words of a question are looked for as they are spelled, by the beginnings of their stems; what is found is then
checked by its terms. So a long text is read at the speed of a plain search, not of a stemmer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..store.terms import terms_of

# How many characters may lie between the first and the last word of a passage, and how long one is at most.
WINDOW, LONGEST = 480, 700
MATCHES_MAX = 60
# Of a long question the most telling words are looked for.
TERMS_MAX = 12
READ = 400_000
REACH = 40
JOINS = frozenset("_'./:@-")
_WORD = re.compile(r"[\w'./:@-]*")


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
    """(start, end, term) of the words of the text that have an asked term, in order. A stem often ends otherwise than
    its word does (happi, and happy): its beginning is looked for."""
    lower = content[:READ].lower()
    if len(lower) != len(content[:READ]):  # some letters are two in lower case: places would be wrong
        lower = content[:READ]
    found: set[tuple[int, int, str]] = set()
    for term in wanted:
        head = term[:-1] if len(term) > 3 else term
        at, count = lower.find(head), 0
        while at >= 0 and count < MATCHES_MAX:
            begin, end = _word(content, at)
            if term in _terms(content[begin:end]):
                found.add((begin, end, term))
                count += 1
            at = lower.find(head, end)
    return sorted(found)


def _word(content: str, at: int) -> tuple[int, int]:
    """The word around a place: what is indexed together."""
    begin = at
    while begin > 0 and at - begin < REACH and (content[begin - 1].isalnum() or content[begin - 1] in JOINS):
        begin -= 1
    match = _WORD.match(content, at, at + 2 * REACH)
    return begin, max(at + 1, match.end() if match else at)


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
