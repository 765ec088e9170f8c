"""Ranking by words. SQLite's index says which texts hold a term and how often; the scores are our own.

Its own ranking counts each term in the whole file, whoever's texts they are, and looks up the length of every text that
it scores: at a million texts that takes a second. Here a term is counted among the texts that are asked, and lengths
are in memory.

Up to `POSTINGS_MAX` (a text that holds a term is a posting) everything that holds any of the terms is scored. Beyond
that, common terms first count as if they occurred once, and only those that look best are scored exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..bm25 import rarity, weight
from ..matrix import best_places, sorted_ids
from .lengths import NUMBER, Lengths
from .postings import EMPTY, Postings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.int64]
    Scores = NDArray[np.float64]

# About 7 ms: a posting takes 0.4 microseconds to fetch, a quarter of that without its count, a tenth to be counted.
POSTINGS_MAX = 16_384
# Of more, the rarest terms are fetched with their counts up to here, and the others without.
COUNTED_MAX = 65_536
# So many texts are then scored exactly; or this many times as many as are asked for.
CANDIDATES, CANDIDATES_FOR_EACH = 4_000, 8
# Terms that together weigh less than this share of the rarest one nominate nothing. With these numbers the best 10 of a
# million texts are those of a ranking of everything that holds any of the terms, and .98 of the best 200.
SLIGHT = 0.5
# A filter that leaves less than this share of the texts is applied before fetching.
NARROW_SHARE = 0.1
COUNT_BITS = 8
ENTRY_BITS = 32
NOTHING: Mapping[str, Any] = {}
# What is in memory of the words of projects, and for each project the number after its last text and the state of its
# words.
KeptWords = tuple[Postings, Mapping[int, tuple[int, str]]]


class Texts:
    """The texts of some projects side by side, each at its place."""

    def __init__(
        self, projects: Sequence[int], lengths: Sequence[Lengths], among: Collection[int] | None = None
    ) -> None:
        """`among`: as if there were no others."""
        self._projects = np.array(projects, dtype=np.int64)
        self._sizes = np.array([known.next for known in lengths], dtype=np.int64)
        self._starts = np.cumsum(self._sizes) - self._sizes
        self.lengths = lengths[0].terms if len(lengths) == 1 else np.concatenate([known.terms for known in lengths])
        self.count = sum(known.texts for known in lengths)
        self.mean = sum(known.total for known in lengths) / max(1, self.count) or 1.0
        self.is_among: NDArray[np.bool_] | None = None
        if among is not None:
            self.is_among = np.zeros(len(self.lengths), dtype=bool)
            self.is_among[self.places(sorted_ids(among))[0]] = True
            self.is_among &= self.lengths > 0
            self.count = int(self.is_among.sum())
            self.mean = float(self.lengths[self.is_among].sum(dtype=np.float64)) / max(1, self.count) or 1.0

    def places(self, entries: Ints) -> tuple[Ints, NDArray[np.bool_]]:
        """Where these entries are, without those that are not known; and which of them are."""
        at = np.minimum(np.searchsorted(self._projects, entries >> 32), len(self._projects) - 1)
        numbers = entries & NUMBER
        known = (self._projects[at] == entries >> 32) & (numbers < self._sizes[at])
        return (self._starts[at] + numbers)[known], known

    def span(self, project: int) -> tuple[int, int]:
        """Where the texts of a project begin, and how many are known."""
        at = int(np.searchsorted(self._projects, project))
        return int(self._starts[at]), int(self._sizes[at])

    def entries(self, places: Ints) -> Ints:
        at = np.searchsorted(self._starts, places, side="right") - 1
        found: Ints = (self._projects[at] << 32) + places - self._starts[at]
        return found


class _Matching(NamedTuple):
    """Where the texts are that match, how often each has what was asked for, and how many do: some may be unknown."""

    places: Ints
    counts: NDArray[Any]
    total: int


@dataclass(frozen=True, slots=True)
class Search:
    """`run` runs a named statement; `spans` are the ranges of entries to look at; `within` and `without` in order.
    `kept` is what is in memory of these projects, with the number after the last text of each and the state of its
    words; None for nothing. `also` are scored and come too, wherever they stand. `counts` is what was counted already,
    where nothing can have changed since.

    A term comes as the index's language has it: a phrase in quotes, or several of which any will do."""

    run: Callable[[str, dict[str, Any]], Any]
    texts: Texts
    spans: Sequence[tuple[int, int]]
    within: Ints | None
    without: Ints
    kept: KeptWords | None
    also: Ints
    counts: dict[tuple[int, int, str], int]

    def best(self, terms: Sequence[str], limit: int) -> list[tuple[int, float]]:
        """(entry, score) of the best, best first."""
        if not terms or limit <= 0 or not self.texts.count:
            return []
        scores = np.zeros(len(self.texts.lengths))
        # How many of some texts hold a term is only known by looking at all that hold it: then nothing is guessed.
        if self.texts.is_among is not None or len(terms) * self.texts.count <= POSTINGS_MAX:
            for term in terms:
                self._add(scores, self._matching(term), None)
        else:
            self._add_counted(scores, terms, limit)
        return self._chosen(scores, limit)

    def _add_counted(self, scores: Scores, terms: Sequence[str], limit: int) -> None:
        counted = sorted((self.count(term), term) for term in terms)
        if sum(count for count, term in counted if not self._is_kept(term)) <= POSTINGS_MAX:
            for count, term in counted:
                self._add(scores, self._matching(term), count)
            return None
        self._keep_one(counted)
        if self.within is not None and len(self.within) < NARROW_SHARE * self.texts.count:
            return self._add_within(scores, counted, self.within)
        rare, total = 0, 0
        while rare < len(counted) and total + counted[rare][0] <= COUNTED_MAX:
            self._add(scores, self._matching(counted[rare][1]), counted[rare][0])
            total, rare = total + counted[rare][0], rare + 1
        places = self._nominated(scores, counted, rare, limit)
        partly, scores[:] = scores[places], 0.0
        scores[places] = partly
        return self._add_within(scores, counted[rare:], self.texts.entries(places))

    def _add_within(self, scores: Scores, counted: Sequence[tuple[int, str]], entries: Ints) -> None:
        within = _only(entries)
        for count, term in counted:
            self._add(scores, self._read("match_within", term, within), count)

    def _nominated(self, scores: Scores, counted: Sequence[tuple[int, str]], rare: int, limit: int) -> Ints:
        """Where the best look to be: the first `rare` terms are in the scores, each of the others counts as if it
        occurred once, and the most common not at all."""
        wanted = max(CANDIDATES, CANDIDATES_FOR_EACH * limit)
        weights = [rarity(self.texts.count, count) for count, _ in counted]
        rough, total = scores.copy(), sum(count for count, _ in counted[:rare])
        for number in range(rare, len(counted)):
            if total >= wanted and sum(weights[number:]) <= SLIGHT * weights[0]:
                break
            places, _ = self.texts.places(self._holders(counted[number][1]))
            once, lengths = np.ones(len(places)), self.texts.lengths[places].astype(np.float64)
            rough[places] += weights[number] * weight(once, lengths, self.texts.mean)
            total += counted[number][0]
        found = self._allowed(rough)
        best = found[best_places(rough[found], wanted)]
        return np.union1d(best, self.texts.places(self.also)[0]) if len(self.also) else np.sort(best)

    def count(self, query: str) -> int:
        """How many of the texts match."""
        if self.texts.is_among is not None:
            return int(self.texts.is_among[self._matching(query).places].sum())
        if self.kept is None:
            return sum(self._count_between(query, first, last) for first, last in self.spans)
        postings, nexts = self.kept
        total = 0
        for project, (after, state) in nexts.items():
            count, known = postings.count((project, query), state)
            if known < after:
                first = project << ENTRY_BITS
                count += self._count_between(query, first + known, first + after - 1)
                postings.hold_count((project, query), count, after, state)
            total += count
        return total

    def holding(self, query: str, entries: Ints) -> Ints:
        """Those of these entries, in order, that match."""
        if not self._is_kept(query):
            places = self._read("match_within", query, _only(entries)).places
        else:
            places = self._matching(query).places
        wanted, known = self.texts.places(entries)
        is_holding = np.zeros(len(self.texts.lengths), dtype=bool)
        is_holding[places] = True
        found: Ints = entries[known][is_holding[wanted]]
        return found

    def _count_between(self, query: str, first: int, last: int) -> int:
        key = (first, last, query)
        if key not in self.counts:
            self.counts[key] = self.run("count_matches", {"query": query, "first": first, "last": last}).get
        return self.counts[key]

    def _is_kept(self, query: str) -> bool:
        if self.kept is None:
            return False
        postings, nexts = self.kept
        return all(postings.held((project, query), state) is not None for project, (_, state) in nexts.items())

    def _keep_one(self, counted: Sequence[tuple[int, str]]) -> None:
        """A search that has to guess takes one more term into memory, so that the next ones need not."""
        if self.kept is not None:
            for count, term in counted:
                if count <= POSTINGS_MAX and not self._is_kept(term):
                    self._matching(term)
                    return

    def _matching(self, query: str) -> _Matching:
        if self.kept is None:
            return self._read("match", query)
        postings, nexts = self.kept
        found = [self._held(postings, project, *nexts[project], query) for project in nexts]
        if len(found) == 1:
            return found[0]
        places, counts = (np.concatenate([getattr(part, name) for part in found]) for name in ("places", "counts"))
        return _Matching(places, counts, sum(part.total for part in found))

    def _held(self, postings: Postings, project: int, after: int, state: str, query: str) -> _Matching:
        """Of one project, from memory and what came after it."""
        held = postings.held((project, query), state) or EMPTY
        if held.next < after:
            first = project << ENTRY_BITS
            numbers, often = self._between("match", query, first + held.next, first + after - 1)
            held = held.extended(numbers + held.next, often, after)
            postings.hold((project, query), held, state)
        start, size = self.texts.span(project)
        known = len(held.numbers)
        if known and held.numbers[-1] >= size:  # another thread sees more texts than this one
            known = int(np.searchsorted(held.numbers, size))
        return _Matching(held.numbers[:known].astype(np.int64) + start, held.counts[:known], len(held.numbers))

    def _read(self, statement: str, query: str, more: Mapping[str, Any] = NOTHING) -> _Matching:
        found = [self._between(statement, query, first, last, more) for first, last in self.spans]
        entries = np.concatenate([part[0] + first for part, (first, _) in zip(found, self.spans, strict=True)])
        places, known = self.texts.places(entries)
        return _Matching(places, np.concatenate([part[1] for part in found])[known], len(entries))

    def _between(
        self, statement: str, query: str, first: int, last: int, more: Mapping[str, Any] = NOTHING
    ) -> tuple[Ints, Ints]:
        """What matches between two entries: how far each is behind the first, and how often it has it."""
        numbers = self.run(statement, {"query": query, "first": first, "last": last, **more}).get
        packed = np.fromstring(numbers[1:-1], dtype=np.int64, sep=",")
        return packed >> COUNT_BITS, packed & ((1 << COUNT_BITS) - 1)

    def _holders(self, query: str) -> Ints:
        """The entries that match. As one text: a row for each would take twice as long."""
        found = []
        for first, last in self.spans:
            numbers = self.run("holders", {"query": query, "first": first, "last": last}).get
            found.append(np.fromstring(numbers[1:-1], dtype=np.int64, sep=",") + first)
        return np.concatenate(found)

    def _add(self, scores: Scores, matching: _Matching, holders: int | None) -> None:
        places, counts, total = matching
        if not total:
            return
        if self.texts.is_among is not None:
            kept = self.texts.is_among[places]
            places, counts, holders = places[kept], counts[kept], int(kept.sum())
        worth = weight(counts.astype(np.float64), self.texts.lengths[places].astype(np.float64), self.texts.mean)
        scores[places] += rarity(self.texts.count, total if holders is None else holders) * worth

    def _chosen(self, scores: Scores, limit: int) -> list[tuple[int, float]]:
        allowed = self._allowed(scores)
        found = allowed[best_places(scores[allowed], limit)]
        if len(self.also):
            is_allowed, is_more = np.zeros((2, len(scores)), dtype=bool)
            is_allowed[allowed] = True
            is_more[self.texts.places(self.also)[0]] = True
            is_more[found] = False
            found = np.concatenate([found, np.flatnonzero(is_allowed & is_more)])
        return list(zip(self.texts.entries(found).tolist(), scores[found].tolist(), strict=True))

    def _allowed(self, scores: NDArray[Any]) -> Ints:
        """Where there is a score, of those that are asked for."""
        if len(self.without):
            scores[self.texts.places(self.without)[0]] = 0.0
        if self.within is None:
            return np.flatnonzero(scores)
        places = np.sort(self.texts.places(self.within)[0])
        found: Ints = places[scores[places] > 0.0]
        return found


def _only(entries: Ints) -> Mapping[str, str]:
    """What the statement `match_within` takes."""
    return {"within": f"[{','.join(map(str, entries.tolist()))}]"}
