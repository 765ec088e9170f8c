"""What could be meant, before any of it is read: some hundred entries, and what speaks for each.

Most are found by their words or their meaning and by nothing else. So these are kept as two tables, as the store gives
them; what few have stands apart, and the evidence of an entry is put together when it is read.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .evidence import MEANING_SHARE, WORDS_SHARE, Evidence
from .weights import Weights


class Candidates:
    """Filled while it is searched."""

    def __init__(self, surely: float) -> None:
        """`surely`: what hardly any unrelated text reaches by its meaning."""
        self.words: dict[int, float] = {}
        self.meaning: dict[int, float] = {}
        # Of what stands beside others, or is found for where or when it was said.
        self._more: dict[int, Evidence] = {}
        self._surely = surely

    def more(self, entry: int) -> Evidence:
        """To note what is neither words nor meaning."""
        return self._more.setdefault(entry, Evidence())

    def add_words(self, found: Iterable[tuple[int, float]], most: float, share_most: float) -> None:
        """The share of `most` that each scores, where that is more than it has."""
        words = self.words
        for entry, score in found:
            share = min(share_most, score / most)
            if share > words.get(entry, -1.0):
                words[entry] = share

    def without_meaning(self) -> set[int]:
        return self.words.keys() - self.meaning.keys()

    def best_owned(self, limit: int) -> dict[int, float]:
        """Those that say most by themselves, the best first, and how much."""
        words, meaning = self.words, self.meaning
        owned = {entry: WORDS_SHARE * words.get(entry, 0.0) + MEANING_SHARE * near for entry, near in meaning.items()}
        for entry in self.without_meaning():
            owned[entry] = WORDS_SHARE * words[entry]
        return {entry: owned[entry] for entry in _best_first(owned)[:limit]}

    def ranked(self, weights: Weights) -> list[int]:
        """Best first, by what can be said before the texts are read."""
        of_words, of_meaning = weights.words, weights.meaning
        words, meaning = self.words, self.meaning
        looks = {entry: of_words * words.get(entry, 0.0) + of_meaning * near for entry, near in meaning.items()}
        looks |= {entry: of_words * words[entry] for entry in self.without_meaning()}
        for entry, more in self._more.items():
            looks[entry] = looks.get(entry, 0.0) + weights.two_before * more.two_before
            looks[entry] += weights.reply * more.reply
            looks[entry] += weights.at_hand * more.at_hand
            looks[entry] += weights.in_time * max(0.0, more.in_time)
        return _best_first(looks)

    def nearest(self, entries: Iterable[int], limit: int) -> list[int]:
        """Those of these that are nearest in meaning."""
        meaning = self.meaning
        return [entry for _, entry in sorted((-meaning.get(entry, 0.0), entry) for entry in entries)[:limit]]

    def in_time(self, entries: Iterable[int]) -> list[int]:
        """Those of these that were said in the time that is asked about."""
        more = self._more
        return [entry for entry in entries if entry in more and more[entry].in_time > 0]

    def evidence(self, entry: int) -> Evidence:
        """What speaks for it."""
        words, meaning = self.words.get(entry, 0.0), self.meaning.get(entry, 0.0)
        sure = max(0.0, meaning - self._surely)
        more = self._more.get(entry)
        if more is None:
            return Evidence(words, meaning, sure)
        return replace(more, words=words, meaning=meaning, sure=sure)


def _best_first(scores: dict[int, float]) -> list[int]:
    """Of those that score the same, the first that was said: numbers alone are put in order faster than pairs."""
    return sorted(sorted(scores), key=scores.__getitem__, reverse=True)
