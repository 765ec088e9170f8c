"""The built-in embedder's units: how a text is cut into rows of its table. The training cuts with this file too.

1. The first 8,000 characters, in form NFKC, cut into words (letters and digits).
2. A word in lower case that has a row of its own is that row. Otherwise it is cut at borders of case and between
   letters and digits (`parseHTTPHeader2` is parse, http, header, 2), and each part that has no row into word pieces.
3. Two words in a row that have a row together (`race condition`) add it.
4. Every unit counts with the root of how often it occurs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokenizers import Tokenizer

CHARACTERS_MAX = 8_000
WORDS_KEPT = 200_000
_WORD = re.compile(r"[^\W_]+")
_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")  # the same for such texts, in two thirds of the time
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\dA-Z_]+|\d+|[A-Z]")


class _Known(dict[str, tuple[tuple[int, ...], tuple[str, ...]]]):
    """What was cut before: words come again and again. It starts anew when it is full."""

    def __init__(self, cut: Callable[[str], tuple[tuple[int, ...], tuple[str, ...]]]) -> None:
        self._cut = cut

    def __missing__(self, word: str) -> tuple[tuple[int, ...], tuple[str, ...]]:
        if len(self) > WORDS_KEPT:
            self.clear()
        found = self[word] = self._cut(word)
        return found


class _Rows(dict[str, tuple[int, ...]]):
    """The same for the rows alone, where words need not be known in twos."""

    def __init__(self, cut: Callable[[str], tuple[tuple[int, ...], tuple[str, ...]]]) -> None:
        self._cut = cut

    def __missing__(self, word: str) -> tuple[int, ...]:
        if len(self) > WORDS_KEPT:
            self.clear()
        found = self[word] = self._cut(word)[0]
        return found


class Units:
    """Cuts texts. `words` and `pairs` give the row of a word and of two words joined by a space; `pieces` gives the
    row of each of the tokenizer's word pieces, or -1 for one that says nothing.
    """

    def __init__(
        self, tokenizer: Tokenizer, pieces: Sequence[int], words: Mapping[str, int], pairs: Mapping[str, int]
    ) -> None:
        self._tokenizer = tokenizer
        self._pieces = pieces
        self._words = words
        self._pairs = pairs
        self._known = _Known(self._cut)
        self._rows = _Rows(self._cut)

    def parts(self, word: str) -> tuple[tuple[int, ...], tuple[str, ...]]:
        """The rows of a word as it is written, and the words in lower case that it stands for."""
        return self._known[word]

    def _cut(self, word: str) -> tuple[tuple[int, ...], tuple[str, ...]]:
        lower = word.lower()
        if lower in self._words:
            return (self._words[lower],), (lower,)
        rows: list[int] = []
        parts = tuple(part.lower() for part in _PART.findall(word)) or (lower,)
        for part in parts:
            row = self._words.get(part)
            if row is None:
                rows += [row for piece in self._pieces_of(part[:60]) if (row := self._pieces[piece]) >= 0]
            else:
                rows.append(row)
        return tuple(rows), parts

    def _pieces_of(self, part: str) -> list[int]:
        """The word pieces of a part in lower case: each the longest that is known. The tokenizer finds the same; of
        plain letters and digits this takes about half its time."""
        number_of, found, start = self._tokenizer.token_to_id, list[int](), 0
        while part.isascii() and start < len(part):
            before = "##" if start else ""
            for end in range(len(part), start, -1):
                piece = number_of(before + part[start:end])
                if piece is not None:
                    found.append(piece)
                    start = end
                    break
            else:
                break
        return found if start == len(part) else self._tokenizer.encode(part, add_special_tokens=False).ids

    def rows(self, text: str) -> list[int]:
        """The rows of a text, one entry for each time they occur."""
        text = text[:CHARACTERS_MAX]
        if text.isascii():
            words = _ASCII_WORD.findall(text)
        else:
            words = _WORD.findall(unicodedata.normalize("NFKC", text)[:CHARACTERS_MAX])
        if not self._pairs:
            return list(chain.from_iterable(map(self._rows.__getitem__, words)))
        rows: list[int] = []
        previous = ""
        pairs = self._pairs
        for word in words:
            own, parts = self.parts(word)
            rows.extend(own)
            for part in parts:
                row = pairs.get(f"{previous} {part}")
                if row is not None:
                    rows.append(row)
                previous = part
        return rows


def plain_words(text: str) -> Iterable[str]:
    """The words that a vocabulary is counted from, in lower case and cut at borders."""
    for word in _WORD.findall(text):
        parts = _PART.findall(word)
        if len(parts) > 1:
            yield from (part.lower() for part in parts)
        else:
            yield word.lower()
