"""Where in a long text what was asked stands closest together.

The words of a question are looked for as they are spelled, by the beginnings of their stems; only what is found where
most of them stand together is then checked by its terms. So a long text is read at the speed of a plain search, not of
a stemmer.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
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
# Sums of the same in another order differ by less.
NOTHING = 1e-9
_WORD = re.compile(r"[\w'./:@+#-]*")
IN_WORDS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_'./:@+#-"


class Place(NamedTuple):
    """A passage from `start` to `end`, whole lines where they are short, and which share of what was asked it has."""

    start: int
    end: int
    share: float


class Lowered(NamedTuple):
    """As much of a text as is read, and the same in lower case."""

    text: str
    lower: str


class Sought(NamedTuple):
    """The most telling of the asked terms, the rarest first, each with what its words begin with; how much each says,
    and what all of them would."""

    heads: tuple[tuple[str, str], ...]
    rarities: Mapping[str, float]
    most: float

    @classmethod
    def of(cls, rarities: Mapping[str, float], most: float) -> Sought:
        wanted = [term for term, value in rarities.items() if value > 0 and "*" not in term]
        wanted = sorted(wanted, key=lambda term: (-rarities[term], term))[:TERMS_MAX]
        return cls(tuple((term, _head(term)) for term in wanted), rarities, most)

    def _read(self, content: str) -> Lowered:
        text = content[:BEGINNING]
        lower = text.lower()
        if len(content) > BEGINNING and any(head not in lower for _, head in self.heads[:RAREST]):
            text = content[:READ]
            lower = text.lower()
        # Some letters are two in lower case: places would be wrong.
        return Lowered(text, lower if len(lower) == len(text) else text)

    def held_by(self, entry: int, holding: Mapping[str, Collection[int]]) -> Sought:
        """Only those terms that this entry has, by which entries have which: no other has to be looked for in it."""
        return self._replace(heads=tuple([head for head in self.heads if entry in holding.get(head[0], ())]))

    def share_at_most(self) -> float:
        """The share of what was asked that no passage of a text with these terms can exceed. That is known long before
        the best passage is."""
        held = sum([self.rarities[term] for term, _ in self.heads])
        return min(1.0, held / self.most) if self.most > 0 else 0.0

    def best_passage(self, content: str, names: Collection[str] = ()) -> Place | None:
        """None when no asked word is in it. The terms of its `names` every passage of it has: it is about that."""
        if self.most <= 0:
            return None
        at, until, said = _densest_words(self._read(content), self.heads, self.rarities)
        had = said.union([term for term, _ in self.heads if term in names])
        if not had:
            return None
        start, end = _lines(content, at, until)
        return Place(start, end, min(1.0, sum([self.rarities[term] for term in had]) / self.most))


def _densest_words(
    given: Lowered, heads: Sequence[tuple[str, str]], rarities: Mapping[str, float]
) -> tuple[int, int, frozenset[str]]:
    """Where the words begin and end that together say most of what was asked, and their terms: none, and the beginning,
    where there are none; the first of equals. What beginnings of words are in a window at all is quickly known, so most
    windows are not read."""
    best, most, where = list[Word](), 0.0, 0
    windows = []
    for start, end in _merged(_anchors(given, heads)):
        at_most = sum([rarities[term] for term, head in heads if given.lower.find(head, start, end) >= 0])
        windows.append((-at_most, start, end))
    for at_most, start, end in sorted(windows):
        if -at_most < most - NOTHING:
            break
        if start > where and -at_most <= most + NOTHING:
            continue
        found = _words(given, heads, start, end)
        first, last, weight = _densest(found, rarities)
        if weight > most + NOTHING or (best and start < where and weight > most - NOTHING):
            best, most, where = found[first : last + 1], weight, start
    return (
        min([begin for _, _, _, begin in best], default=0),
        max([end for _, end, _, _ in best], default=0),
        frozenset([term for _, _, term, _ in best]),
    )


# Where the beginning of its term stands, where it ends, the term, and where it begins.
Word = tuple[int, int, str, int]


def _anchors(given: Lowered, heads: Sequence[tuple[str, str]]) -> list[tuple[int, int]]:
    """Around the rarest of the asked terms that the text has. What stands far from these is no better place."""
    anchors: list[tuple[int, int]] = []
    for term, head in heads:  # the rarest first
        for at in _word_places(given, term, head):
            anchors.append((max(0, at - WINDOW), at + WINDOW))
            if len(anchors) == ANCHORS_MAX:
                break
        if len(anchors) >= ANCHORS:
            break
    return anchors


def _words(given: Lowered, heads: Sequence[tuple[str, str]], start: int, end: int) -> list[Word]:
    """The words with an asked term between two places, in order."""
    text, lower = given
    found: list[Word] = []
    for term, head in heads:
        at, tries = lower.find(head, start, end), 0
        while at >= 0 and tries < TRIES_MAX:
            tries += 1
            begin, stop = _word_at(text, at)
            if term in _terms(text[begin:stop]):
                found.append((at, stop, term, begin))
            at = lower.find(head, stop, end)
    found.sort()
    return found


def _head(term: str) -> str:
    """What the words of a stem begin with: a stem often ends otherwise than its word does (happi, and happy)."""
    return term[:-1] if len(term) > 3 else term


def _merged(windows: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Windows that words which stand together may lie in are one."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(windows):
        if found and low <= found[-1][1] + WINDOW:
            found[-1] = found[-1][0], max(found[-1][1], high)
        else:
            found.append((low, high))
    return found


def _word_places(given: Lowered, term: str, head: str) -> Iterator[int]:
    """Where words with this term stand, a window apart."""
    text, lower = given
    at, tries = lower.find(head), 0
    while at >= 0 and tries < TRIES_MAX:
        tries += 1
        begin, stop = _word_at(text, at)
        if term in _terms(text[begin:stop]):
            yield begin
            stop = max(stop, begin + WINDOW)
        at = lower.find(head, stop)


def _word_at(text: str, at: int) -> tuple[int, int]:
    """Where the word around a place begins and ends."""
    begin = at
    if at and text[at - 1] in IN_WORDS:  # else it begins here, as most do
        ahead = text[max(0, at - REACH) : at]
        begin -= len(ahead) - len(ahead.rstrip(IN_WORDS))
    word = _WORD.match(text, at, at + 2 * REACH)
    return begin, max(at + 1, word.end() if word else at)


@lru_cache(maxsize=8192)
def _terms(word: str) -> frozenset[str]:
    return frozenset(terms_of(word))


def _densest(found: Sequence[Word], rarities: Mapping[str, float]) -> tuple[int, int, float]:
    """The first and the last of those that stand close together and have most of what was asked, and how much, each
    term counted once; the first of equals."""
    best = (0, 0, 0.0)
    counts: defaultdict[str, int] = defaultdict(int)
    weight, first = 0.0, 0
    for last, (start, end, term, _) in enumerate(found):
        if not counts[term]:
            weight += rarities[term]
        counts[term] += 1
        while end - found[first][0] > WINDOW and found[first][0] < start:
            leaving = found[first][2]
            counts[leaving] -= 1
            if not counts[leaving]:
                weight -= rarities[leaving]
            first += 1
        if weight > best[2] + NOTHING:
            best = (first, last, weight)
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


__all__ = ["Place", "Sought", "line_numbers"]
