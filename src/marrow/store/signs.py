"""The signs of vectors, a bit for each number: they say about how near a row is to a question, and take a sixteenth of
the room that the rows take.

The numbers of a vector are mixed with each other first, which changes no distance. An embedder puts the most into a few
numbers; of these a sign says too little, and of the others too much.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .stored_vectors import BLOCK, widened

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .stored_vectors import Places, Rows, Vector

    Words = NDArray[np.uint64]
    Counts = NDArray[np.uint8] | NDArray[np.uint16]

WORD_BITS = 64
# A number of the question as a sign and so many bits. With more bits fewer rows would hold the best, but to count them
# takes longer than to compare more rows.
LEVELS = 2
# Each number is mixed with so many others, two to the power of this.
MIXED = 4
# So many rows are looked at at a time: they fit into the cache of a core.
SIGN_BLOCK = 16_384
# Of so many words, what differs can be counted in a byte.
COUNTED_WORDS = 255 // WORD_BITS


class Signs:
    """Those of the rows of a matrix, made when they are first needed. In words of 64 bits, the first words of all rows
    first. A row times a question is about its factor times the sum of the question's numbers, each with the row's
    sign."""

    def __init__(self, dimensions: int) -> None:
        # The words of the first so many rows, with room for more.
        self._words: tuple[Words, int] = (np.empty((-(-dimensions // WORD_BITS), 0), dtype=np.uint64), 0)
        self._factors: Vector = np.empty(0, dtype=np.float32)

    def words(self, rows: Rows) -> Words:
        """Of these rows, which are at least those that were given before. Room is made for more than there are, since a
        save adds one; another thread looks no further than what it was told is there."""
        words, known = self._words
        if known < len(rows):
            if len(rows) > words.shape[1]:
                larger = np.empty((len(words), len(rows) + len(rows) // 4), dtype=np.uint64)
                larger[:, :known] = words[:, :known]
                words = larger
            for start in range(known, len(rows), BLOCK):
                end = min(start + BLOCK, len(rows))
                words[:, start:end] = _packed(mixed(widened(rows[start:end])) >= 0)
            self._words = words, len(rows)
        return words[:, : len(rows)]

    def factors(self, rows: Rows) -> Vector:
        known = self._factors
        if len(known) < len(rows):
            known = self._factors = np.concatenate([known, *_factors_of(rows[len(known) :])])
        return known[: len(rows)]

    def differing(self, rows: Rows, places: Places | None, vector: Vector) -> Counts:
        """In how many places the signs of each of these rows, or of those at these places, are not those of the
        question."""
        words, asked = self.words(rows), packed_signs(vector)
        if places is None:
            return _differing(words, asked)
        if 2 * len(places) > len(rows):  # To count some in vain takes less than to pick out the others.
            return _differing(words, asked)[places]
        return _differing(words[:, places], asked)

    def estimates(self, rows: Rows, places: Places | None, vector: Vector) -> Vector:
        """About how near each of these rows is, or those at these places, in units that are the same for all."""
        words, factors = self.words(rows), self.factors(rows)
        if places is not None:
            words, factors = words[:, places], factors[places]
        asked = _Asked.of(vector)
        found = np.empty(len(factors), dtype=np.float32)
        room = _Room(len(words), min(SIGN_BLOCK, len(found)), asked.total)
        for start in range(0, len(found), SIGN_BLOCK):
            against = room.against(words[:, start : start + SIGN_BLOCK], asked)
            np.multiply(against, np.float32(-2.0), out=found[start : start + SIGN_BLOCK], casting="unsafe")
        found += asked.total
        found *= factors
        return found


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question as bits: the signs of its numbers, and their sizes in `LEVELS` bits, the highest first."""

    signs: Words
    levels: Words
    total: int

    @classmethod
    def of(cls, vector: Vector) -> _Asked:
        numbers = np.abs(mixed(vector[None])[0])
        most = float(numbers.max(initial=0.0)) or 1.0
        sizes = np.rint(numbers / most * (2**LEVELS - 1)).astype(np.int64)
        bits = [_packed((sizes >> level & 1)[None] > 0)[:, 0] for level in reversed(range(LEVELS))]
        return cls(packed_signs(vector), np.array(bits), int(sizes.sum()))


class _Room:
    """Where a block of rows is compared with a question. Used again for each: to make it anew takes as long again."""

    def __init__(self, words: int, rows: int, total: int) -> None:
        self._differing, self._shared = np.empty((2, words, rows), dtype=np.uint64)
        self._counts = np.empty((words, rows), dtype=np.uint8)
        self._sums: NDArray[Any] = np.empty(rows, dtype=np.uint16 if total < 2**16 else np.uint32)

    def against(self, words: Words, asked: _Asked) -> NDArray[Any]:
        """For each row the sum of the sizes of those numbers of the question whose signs are others."""
        size = words.shape[1]
        differing, shared, counts, sums = (
            a[..., :size] for a in (self._differing, self._shared, self._counts, self._sums)
        )
        np.bitwise_xor(words, asked.signs[:, None], out=differing)
        sums[:] = 0
        for level in asked.levels:
            np.bitwise_and(differing, level[:, None], out=shared)
            np.bitwise_count(shared, out=counts)
            sums <<= 1
            # In bytes as far as that goes: to add numbers of one size to those of another takes three times as long.
            for first in range(0, len(counts), COUNTED_WORDS):
                for more in counts[first + 1 : first + COUNTED_WORDS]:
                    counts[first] += more
                sums += counts[first]
        return sums


def _differing(words: Words, asked: Words) -> Counts:
    """In bytes while there are at most 256 places. A row that differs in all of these comes out as one that differs in
    none: it is looked at in vain."""
    size = words.shape[1]
    are_few = len(words) * WORD_BITS <= 2**8
    found: Counts = np.zeros(size, dtype=np.uint8) if are_few else np.zeros(size, dtype=np.uint16)
    differing = np.empty(min(SIGN_BLOCK, size), dtype=np.uint64)
    counts = np.empty(len(differing), dtype=np.uint8)
    for start in range(0, size, SIGN_BLOCK):
        total: NDArray[Any] = found[start : start + SIGN_BLOCK]
        room, counted = differing[: len(total)], counts[: len(total)]
        for row, signs in zip(words, asked, strict=True):
            np.bitwise_xor(row[start : start + SIGN_BLOCK], signs, out=room)
            np.bitwise_count(room, out=counted)
            total += counted
    return found


def _factors_of(rows: Rows) -> Iterator[Vector]:
    for start in range(0, len(rows), BLOCK):
        block = widened(rows[start : start + BLOCK])
        sums = np.abs(mixed(block)).sum(axis=1)
        sums[sums == 0.0] = np.inf
        yield np.vecdot(block, block) / sums


def packed_signs(vector: Vector) -> Words:
    """The signs of one vector, as words."""
    return _packed(mixed(vector[None]) >= 0)[:, 0]


def mixed(rows: Vector) -> Vector:
    """Sums and differences of the first half of the numbers with the second, then the same in each half, and so on. All
    rows become longer by the same factor, and the angles between them are what they were. Done twice it changes nothing
    but the length."""
    count, apart = rows.shape
    for _ in range(MIXED):
        if apart % 2:
            break
        apart //= 2
        halves = rows.reshape(count, -1, 2, apart)
        rows = np.empty_like(halves)
        np.add(halves[:, :, 0], halves[:, :, 1], out=rows[:, :, 0])
        np.subtract(halves[:, :, 0], halves[:, :, 1], out=rows[:, :, 1])
    return rows.reshape(count, -1)


def _packed(bits: NDArray[np.bool_]) -> Words:
    """Rows of bits as words, one row of the result for each word. What is missing at the end is zero."""
    lacking = -bits.shape[1] % WORD_BITS
    padded = np.pad(bits, ((0, 0), (0, lacking))) if lacking else bits
    return np.ascontiguousarray(np.packbits(padded, axis=1).view(np.uint64).T)
