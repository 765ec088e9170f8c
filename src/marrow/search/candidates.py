"""What could be meant, before any of it is read: some hundred entries, and what speaks for each.

Most are found by their words or their meaning and by nothing else. So these are kept as two tables, as the store gives
them; what few have stands apart, and the evidence of an entry is put together when it is read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from .evidence import MEANING_SHARE, WORDS_SHARE, Evidence
from .weights import Weights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Scores = NDArray[np.float64]


class Candidates:
    """Filled while it is searched."""

    def __init__(self, surely: float) -> None:
        """`surely`: what hardly any unrelated text reaches by its meaning."""
        self.words: dict[int, float] = {}
        self.meaning: dict[int, float] = {}
        # Of what stands beside others, or is found for where or when it was said.
        self._more: dict[int, Evidence] = {}
        self._surely = surely
        self._table: tuple[list[int], Scores, Scores] | None = None

    def more(self, entry: int) -> Evidence:
        """To note what is neither words nor meaning."""
        if entry not in self._more:
            self._more[entry] = Evidence()
            self._table = None
        return self._more[entry]

    def add_words(self, found: Iterable[tuple[int, float]], most: float, share_most: float) -> None:
        """The share of `most` that each scores, where that is more than it has."""
        self._table = None
        if not self.words and share_most == math.inf:
            self.words = {entry: score / most for entry, score in found}
            return
        words = self.words
        for entry, score in found:
            share = min(share_most, score / most)
            if share > words.get(entry, -1.0):
                words[entry] = share

    def add_meaning(self, found: Mapping[int, float] | Iterable[tuple[int, float]]) -> None:
        self._table = None
        self.meaning.update(found)

    def without_meaning(self, limit: int) -> list[int]:
        """Those that have most of the words, and of which it is not known how near they are in meaning."""
        words = self.words
        missing = words.keys() - self.meaning.keys()
        return sorted(missing, key=lambda entry: (-words[entry], entry))[:limit] if len(missing) > limit else [*missing]

    def best_owned(self, limit: int) -> dict[int, float]:
        """Those that say most by themselves, the best first, and how much."""
        entries, words, meaning = self._side_by_side()
        owned = WORDS_SHARE * words + MEANING_SHARE * meaning
        best = _best_first(entries, owned)[:limit]
        scores = owned.tolist()
        return {entries[at]: scores[at] for at in best}

    def ranked(self, weights: Weights) -> list[int]:
        """Best first, by what can be said before the texts are read."""
        entries, words, meaning = self._side_by_side()
        looks = weights.words * words + weights.meaning * meaning
        places = {entry: at for at, entry in enumerate(entries) if entry in self._more} if self._more else {}
        for entry, at in places.items():
            more = self._more[entry]
            looks[at] += weights.two_before * more.two_before
            looks[at] += weights.reply * more.reply
            looks[at] += weights.at_hand * more.at_hand
            looks[at] += weights.in_time * max(0.0, more.in_time)
        return [entries[at] for at in _best_first(entries, looks)]

    def _side_by_side(self) -> tuple[list[int], Scores, Scores]:
        """All that were found, and how much each has by its words and by its meaning."""
        import numpy as np

        if self._table is None:
            words, meaning = self.words, self.meaning
            entries = list({**meaning, **words, **self._more})
            by_words = np.array([words.get(entry, 0.0) for entry in entries])
            by_meaning = np.array([meaning.get(entry, 0.0) for entry in entries])
            self._table = (entries, by_words, by_meaning)
        return self._table

    def nearest(self, entries: Iterable[int], limit: int) -> list[int]:
        """Those of these that are nearest in meaning."""
        meaning = self.meaning
        return [entry for _, entry in sorted((-meaning.get(entry, 0.0), entry) for entry in entries)[:limit]]

    def meant(self, entries: Iterable[int]) -> list[int]:
        """Those of these that were said in the time that is asked about, or are called by their names."""
        more = self._more
        return [e for e in entries if e in more and (more[e].in_time > 0 or more[e].named > 0)]

    def evidence(self, entry: int) -> Evidence:
        """What speaks for it."""
        words, meaning = self.words.get(entry, 0.0), self.meaning.get(entry, 0.0)
        sure = max(0.0, meaning - self._surely)
        more = self._more.get(entry)
        if more is None:
            return Evidence(words, meaning, sure)
        return replace(more, words=words, meaning=meaning, sure=sure)


def _best_first(entries: list[int], scores: Scores) -> list[int]:
    """Their places; of those that score the same, the first that was said comes first."""
    import numpy as np

    order: list[int] = np.lexsort((np.array(entries, dtype=np.int64), -scores)).tolist()
    return order
