"""Vectors held in memory and searched. Filters apply before the best are chosen, so a search under any filter is as
complete as one without.

Up to `EXACT_ROWS` every row is compared. Among more, the signs of the rows nominate `RESCORED` of them, and these are
compared exactly: the cosines that come back are always the exact ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
    Rows = NDArray[np.float16] | NDArray[np.float32]
    Places = NDArray[np.int64]

STORED = np.float16
# So many rows are held as 32-bit numbers and compared in a millisecond. More are held as they are stored, in half the
# room, and go by their signs: a million takes 20 ms that way, and 90 if each were compared.
EXACT_ROWS = 16_384
# Of 200 thousand real sentences, 4,000 held all of the best 10 and .997 of the best 200. Among more it takes more.
RESCORED = 8_192
RESCORED_FOR_EACH = 16
# Of fewer rows, no more than one in so many has to be compared exactly.
ROWS_FOR_EACH = 10
# Blocks that fit into the cache of a core.
EXACT_BLOCK, SIGN_BLOCK = 512, 32_768
# The best of so many at a time are looked at first.
BEST_BLOCK, BEST_BLOCK_LEAST = 64, 4
# A number of the question as a sign and so many bits.
LEVELS = 4
WORD_BITS = 64
# So few rows, as a save adds, NumPy widens by itself before the other way has begun.
FEW_ROWS = 4
# Every so manieth estimate tells where the best begin.
SAMPLED = 64


@dataclass(frozen=True, slots=True)
class _Signs:
    """One bit for each number of a row, in words of 64 bits, the first words of all rows first. A row times a question
    is about `factors` times the sum of the question's numbers, each with the row's sign."""

    words: NDArray[np.uint64]
    factors: Vector


class Matrix:
    """Entries in rising order, a row each, or one for each passage of a long text. Grows at its end; anything else is a
    new matrix."""

    def __init__(self, dimensions: int, room: int = 0) -> None:
        """With room for so many rows, and some more."""
        self._ids: Places = np.empty(0, dtype=np.int64)
        self._rows: Rows = np.empty((0, dimensions), dtype=np.float32)
        self._count = 0
        # Whether the text of some entry has several.
        self.has_passages = False
        # The signs of the first so many rows, with room for more, and what belongs to them.
        self._signed: tuple[NDArray[np.uint64], int] = (np.empty((-(-dimensions // WORD_BITS), 0), dtype=np.uint64), 0)
        self._factors: Vector = np.empty(0, dtype=np.float32)
        self._make_room(room)

    @property
    def last(self) -> int:
        return int(self._ids[self._count - 1]) if self._count else 0

    def __len__(self) -> int:
        return self._count

    def has_room(self, rows: int) -> bool:
        """Whether so many more fit in without a copy of those that are here."""
        return self._count + rows <= len(self._ids)

    def replaced(self, since: int, last: int, entries: Sequence[int], blobs: Sequence[bytes]) -> Matrix:
        """A new one with these rows for the entries after `since` up to `last`. This one stays, for who searches it."""
        ids, rows = self.view()
        first, after = np.searchsorted(ids, (since, last), side="right")
        made = Matrix(rows.shape[1], max(first + len(blobs) + len(ids) - after, len(self._ids) * 4 // 5))
        made.has_passages = self.has_passages
        made._append(ids[:first], rows[:first])
        made.extend(entries, blobs)
        made._append(ids[after:], rows[after:])
        return made

    def extend(self, entries: Sequence[int], blobs: Sequence[bytes]) -> None:
        """Rows whose entries all come after those that are here."""
        if not entries:
            return
        rows = np.frombuffer(b"".join(blobs), dtype=STORED).reshape(-1, self._rows.shape[1])
        if len(rows) == len(entries):
            self._append(np.asarray(entries), rows)
            return
        self.has_passages = True
        self._append(np.repeat(entries, [len(blob) // (rows.itemsize * rows.shape[1]) for blob in blobs]), rows)

    def _make_room(self, needed: int) -> None:
        if needed > len(self._ids):
            # Room that is not used yet takes no memory; to make it costs a copy of everything, while somebody waits.
            capacity = needed + needed // 4
            self._ids = _grown(self._ids, max(64, capacity), np.int64)
            self._rows = _grown(self._rows, max(64, capacity), np.float32 if needed <= EXACT_ROWS else STORED)

    def _append(self, ids: Places, rows: Rows) -> None:
        needed = self._count + len(rows)
        self._make_room(needed)
        self._ids[self._count : needed] = ids
        is_as_it_is = self._rows.dtype == STORED or len(rows) <= FEW_ROWS
        self._rows[self._count : needed] = rows if is_as_it_is else _widened(rows)
        self._count = needed

    def nearest(
        self,
        vector: Vector,
        limit: int,
        within: Iterable[int] | None,
        without: Collection[int],
        least: float = 0.0,
        rescored: int = RESCORED,
    ) -> list[tuple[int, float]]:
        """As `nearest` over this one alone."""
        return nearest([self], vector, limit, within, without, least, rescored)

    def cosines(self, entries: Iterable[int], vector: Vector) -> list[tuple[int, float]]:
        """The cosine of each of these entries that is here."""
        places = places_of(self._ids[: self._count], sorted_ids(entries))
        ids, scores = _best_of_each(self._ids[places], exact_cosines(self._rows, places, vector))
        return list(zip(ids.tolist(), scores.tolist(), strict=True))

    def passage_cosines(self, entries: Iterable[int], vector: Vector) -> dict[int, list[float]]:
        """The cosine of each row of these entries, in their order."""
        places = places_of(self._ids[: self._count], sorted_ids(entries))
        found: dict[int, list[float]] = {}
        scores = exact_cosines(self._rows, places, vector).tolist()
        for entry, score in zip(self._ids[places].tolist(), scores, strict=True):
            found.setdefault(entry, []).append(score)
        return found

    def vectors(self, entries: Iterable[int]) -> dict[int, Vector]:
        """The vector of each of these entries that is here; of a long text the mean of its passages."""
        places = places_of(self._ids[: self._count], sorted_ids(entries))
        ids, rows = self._ids[places], _widened(self._rows[places])
        starts = _starts(ids)
        if starts is None:
            return dict(zip(ids.tolist(), rows, strict=True))
        return dict(zip(ids[starts].tolist(), map(mean_of, np.split(rows, starts[1:])), strict=True))

    def view(self) -> tuple[Places, Rows]:
        """The entries and rows that are here now: another thread may be adding some, and changes the count last."""
        count = self._count
        return self._ids[:count], self._rows[:count]

    def signs(self, count: int) -> _Signs:
        """The signs of the first `count` rows. Made when they are first needed."""
        known = self._factors
        if len(known) < count:
            known = self._factors = np.concatenate([known, *_factors_of(self._rows[len(known) : count])])
        return _Signs(self.sign_words(count), known[:count])

    def sign_words(self, count: int) -> NDArray[np.uint64]:
        """The same without the factors. Room is made for more than there are, since a save adds one row; another thread
        looks no further than what it was told is there."""
        words, known = self._signed
        if known < count:
            if count > words.shape[1]:
                larger = np.empty((len(words), count + count // 4), dtype=np.uint64)
                larger[:, :known] = words[:, :known]
                words = larger
            for start in range(known, count, EXACT_BLOCK):
                end = min(start + EXACT_BLOCK, count)
                words[:, start:end] = _packed(_as_numbers(self._rows[start:end]) >= 0)
            self._signed = words, count
        return words[:, :count]


def nearest(
    matrices: Sequence[Matrix],
    vector: Vector,
    limit: int,
    within: Iterable[int] | None,
    without: Collection[int],
    least: float = 0.0,
    rescored: int = RESCORED,
) -> list[tuple[int, float]]:
    """The best of all by cosine above `least`, for unit vectors; only of those `within`, and none of those `without`.
    The entries of a matrix come after those of the one before. Fewer that are `rescored` are faster, and miss more."""
    return compared(matrices, vector, limit, within, without, rescored).best(limit, least)


@dataclass(frozen=True, slots=True)
class Compared:
    """Entries in rising order with the cosine of each: of a long text that of its best passage. `is_whole` when none
    that was asked for is missing."""

    ids: Places
    cosines: Vector
    is_whole: bool

    def best(self, limit: int, least: float = 0.0) -> list[tuple[int, float]]:
        best = best_places(self.cosines, limit)
        best = best[self.cosines[best] > least]
        return list(zip(self.ids[best].tolist(), self.cosines[best].tolist(), strict=True))

    def of(self, entries: Iterable[int]) -> dict[int, float]:
        """The cosine of each of these that was compared."""
        asked = np.fromiter(entries, dtype=np.int64)
        if not len(self.ids):
            return {}
        places = np.minimum(np.searchsorted(self.ids, asked), len(self.ids) - 1)
        places = places[self.ids[places] == asked]
        return dict(zip(self.ids[places].tolist(), self.cosines[places].tolist(), strict=True))


def compared(
    matrices: Sequence[Matrix],
    vector: Vector,
    limit: int,
    within: Iterable[int] | None,
    without: Collection[int],
    rescored: int = RESCORED,
) -> Compared:
    """Those that are asked for; of more than `EXACT_ROWS` those among which the best `limit` are."""
    if limit <= 0:
        return NONE
    chosen = None if within is None else sorted_ids(within)
    unwanted = sorted_ids(without)
    parts = [_Part.of(matrix, chosen, unwanted) for matrix in matrices]
    parts = [part for part in parts if len(part)]
    rows = sum(map(len, parts))
    if rows > EXACT_ROWS:
        parts = _nominated(parts, vector, max(min(rescored, rows // ROWS_FOR_EACH), RESCORED_FOR_EACH * limit))
    if not parts:
        return NONE
    ids, scores = _joined([part.chosen() for part in parts]), _joined([part.cosines(vector) for part in parts])
    if any(part.matrix.has_passages for part in parts):
        ids, scores = _best_of_each(ids, scores)
    return Compared(ids, scores, rows <= EXACT_ROWS)


NONE = Compared(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32), False)


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _best_of_each(ids: Places, scores: Vector) -> tuple[Places, Vector]:
    """Each entry once, with the best of its passages. Those of an entry stand beside each other."""
    starts = _starts(ids)
    return (ids, scores) if starts is None else (ids[starts], np.maximum.reduceat(scores, starts))


def _starts(ids: Places) -> Places | None:
    """Where each entry begins; None where each has one row."""
    is_further = ids[1:] == ids[:-1]
    return np.concatenate([[0], np.flatnonzero(~is_further) + 1]) if is_further.any() else None


def best_places(scores: NDArray[Any], limit: int) -> Places:
    """Where the highest are, best first; of equal ones the first, so that the same is chosen every time."""
    if limit <= 0:
        return np.empty(0, dtype=np.int64)
    places, found = None, scores
    size = min(BEST_BLOCK, len(scores) // (2 * limit))
    if size >= BEST_BLOCK_LEAST:
        # So many blocks have something as high as this: none of the best is lower. Few others are not.
        tops = scores[: len(scores) - len(scores) % size].reshape(size, -1).max(axis=0)
        places = np.flatnonzero(scores >= _highest(tops, limit))
        found = scores[places]
    if len(found) > limit:
        kept = np.flatnonzero(found >= _highest(found, limit))
        places, found = kept if places is None else places[kept], found[kept]
    order: Places = np.argsort(-found, kind="stable")[:limit]
    return order if places is None else places[order]


def _highest(scores: NDArray[Any], limit: int) -> Any:
    """The lowest of the `limit` highest."""
    return np.partition(scores, len(scores) - limit)[len(scores) - limit]


@dataclass(frozen=True, slots=True)
class _Part:
    """Those rows of a matrix that are asked for: all when `places` is None."""

    matrix: Matrix
    ids: Places
    rows: Rows
    places: Places | None

    @classmethod
    def of(cls, matrix: Matrix, within: Places | None, without: Places) -> _Part:
        ids, rows = matrix.view()
        places = None if within is None else places_of(ids, within)
        unwanted = places_of(ids, without)
        if len(unwanted):
            is_wanted = np.ones(len(ids), dtype=bool)
            is_wanted[unwanted] = False
            places = np.flatnonzero(is_wanted) if places is None else places[is_wanted[places]]
        return cls(matrix, ids, rows, places)

    def __len__(self) -> int:
        return len(self.ids) if self.places is None else len(self.places)

    def chosen(self) -> Places:
        return self.ids if self.places is None else self.ids[self.places]

    def cosines(self, vector: Vector) -> Vector:
        if self.places is not None and self.rows.dtype == np.float32 and 2 * len(self.places) > len(self.rows):
            # To compare some in vain takes less than to pick out the others.
            found: Vector = np.vecdot(self.rows, vector)[self.places]
            return found
        return exact_cosines(self.rows, self.places, vector)


def _nominated(parts: Sequence[_Part], vector: Vector, count: int) -> list[_Part]:
    """The parts with only those rows left that look best by their signs."""
    asked = _Asked.of(vector)
    estimates = np.concatenate([_estimated(part, asked) for part in parts])
    best = np.sort(_best_of(estimates, count))
    found, start = [], 0
    for part in parts:
        first, last = np.searchsorted(best, (start, start + len(part)))
        places = best[first:last] - start
        start += len(part)
        if len(places):
            found.append(
                _Part(part.matrix, part.ids, part.rows, part.places[places] if part.places is not None else places)
            )
    return found


def _best_of(estimates: Vector, count: int) -> Places:
    """Where the best are. A sample says from which value on, so that only a few have to be put in order."""
    places = np.arange(len(estimates))
    sample = estimates[::SAMPLED]
    kept = 2 * count // SAMPLED
    if kept < len(sample):
        enough = np.flatnonzero(estimates >= np.partition(sample, len(sample) - kept)[len(sample) - kept])
        places = enough if len(enough) >= count else places
    if len(places) <= count:
        return places
    return places[np.argpartition(-estimates[places], count - 1)[:count]]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question as bits: the signs of its numbers, and their sizes in `LEVELS` bits, the highest first."""

    signs: NDArray[np.uint64]
    levels: NDArray[np.uint64]
    total: int

    @classmethod
    def of(cls, vector: Vector) -> _Asked:
        most = float(np.abs(vector).max(initial=0.0)) or 1.0
        sizes = np.rint(np.abs(vector) / most * (2**LEVELS - 1)).astype(np.int64)
        bits = [_packed((sizes >> level & 1)[None] > 0)[:, 0] for level in reversed(range(LEVELS))]
        return cls(packed_signs(vector), np.array(bits), int(sizes.sum()))


def _estimated(part: _Part, asked: _Asked) -> Vector:
    """What the signs say about each row, in units that are the same for all."""
    signs = part.matrix.signs(len(part.ids))
    words, factors = signs.words, signs.factors
    if part.places is not None:
        words, factors = words[:, part.places], factors[part.places]
    found = np.empty(len(factors), dtype=np.float32)
    shared, counts = np.empty(SIGN_BLOCK, dtype=np.uint64), np.empty(SIGN_BLOCK, dtype=np.uint8)
    against: NDArray[Any] = np.empty(SIGN_BLOCK, dtype=np.uint16 if asked.total < 2**16 else np.uint32)
    for start in range(0, len(found), SIGN_BLOCK):
        differing = words[:, start : start + SIGN_BLOCK] ^ asked.signs[:, None]
        size = differing.shape[1]
        against[:size] = 0
        for level in asked.levels:
            against[:size] <<= 1
            for word, bits in zip(differing, level, strict=True):
                np.bitwise_and(word, bits, out=shared[:size])
                np.bitwise_count(shared[:size], out=counts[:size])
                against[:size] += counts[:size]
        np.multiply(against[:size], np.float32(-2.0), out=found[start : start + size], casting="unsafe")
    found += asked.total
    found *= factors
    return found


def _factors_of(rows: Rows) -> Iterator[Vector]:
    for start in range(0, len(rows), EXACT_BLOCK):
        block = _widened(rows[start : start + EXACT_BLOCK])
        sums = np.abs(block).sum(axis=1)
        sums[sums == 0.0] = np.inf
        yield np.vecdot(block, block) / sums


def packed_signs(vector: Vector) -> NDArray[np.uint64]:
    """The signs of one vector, as words."""
    return _packed(vector[None] >= 0)[:, 0]


def _as_numbers(rows: Rows) -> NDArray[Any]:
    """Whole numbers with the same signs: of small fractions NumPy finds them out one by one."""
    return rows.view(np.int16 if rows.dtype == STORED else np.int32)


def _packed(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Rows of bits as words, one row of the result for each word. What is missing at the end is zero."""
    lacking = -bits.shape[1] % WORD_BITS
    padded = np.pad(bits, ((0, 0), (0, lacking))) if lacking else bits
    return np.ascontiguousarray(np.packbits(padded, axis=1).view(np.uint64).T)


def exact_cosines(rows: Rows, places: Places | None, vector: Vector) -> Vector:
    """The cosines of these rows, or of all. Not `rows @ vector`: BLAS would start threads that fight with everyone
    else's for a product this small."""
    if places is None and rows.dtype == np.float32:
        return np.vecdot(rows, vector)  # type: ignore[no-any-return]
    count = len(rows) if places is None else len(places)
    found = np.empty(count, dtype=np.float32)
    for start in range(0, count, EXACT_BLOCK):
        end = start + EXACT_BLOCK
        block = rows[start:end] if places is None else rows[places[start:end]]
        found[start:end] = np.vecdot(_widened(block), vector)
    return found


def _widened(rows: Rows) -> Vector:
    """As 32-bit numbers. NumPy's own way takes several times as long: bits are moved to their new places instead, and
    the exponent, which counts from elsewhere, is set right by a multiplication. Exact for every finite number."""
    if rows.dtype == np.float32:
        return rows  # type: ignore[return-value]
    wide = np.left_shift(rows.view(np.int16), 13, dtype=np.int32)
    wide &= ~0x70000000
    found = wide.view(np.float32)
    found *= np.float32(2.0**112)
    return found


def _grown(array: NDArray[Any], capacity: int, kind: type) -> NDArray[Any]:
    larger = np.empty((capacity, *array.shape[1:]), dtype=kind)
    larger[: len(array)] = array
    return larger


def sorted_ids(entries: Iterable[int]) -> Places:
    """Each once, in rising order."""
    given = entries if isinstance(entries, np.ndarray) else np.fromiter(entries, dtype=np.int64)
    if len(given) < 2:
        return given
    is_rising = bool((given[1:] > given[:-1]).all())  # what was put in order once comes again with every search
    return given if is_rising else np.unique(given)


def shared_ids(one: Iterable[int] | None, other: Iterable[int] | None) -> Iterable[int] | None:
    """Those in both; None is everything."""
    if one is None or other is None:
        return other if one is None else one
    return np.intersect1d(sorted_ids(one), sorted_ids(other), assume_unique=True)


def places_of(ids: Places, entries: Places) -> Places:
    """Where the entries stand among `ids`; those that do not are left out. Both in rising order."""
    if not len(entries) or not len(ids):
        return np.empty(0, dtype=np.int64)
    asked = entries[np.searchsorted(entries, ids[0]) : np.searchsorted(entries, ids[-1], side="right")]
    first, last = np.searchsorted(ids, asked), np.searchsorted(ids, asked, side="right")
    counts = last - first
    if counts.max(initial=0) <= 1:
        return first[counts > 0]
    before = np.cumsum(counts) - counts
    found: Places = np.arange(counts.sum()) + np.repeat(first - before, counts)
    return found


def to_bytes(vector: Vector) -> bytes:
    return np.asarray(vector, dtype=STORED).tobytes()


def from_bytes(blob: bytes, dimensions: int) -> Vector:
    """The vector of a text; of a long one the mean of its passages."""
    return mean_of(rows_from(blob, dimensions))


def rows_from(blob: bytes, dimensions: int) -> Vector:
    """A row for each passage of a text."""
    return np.frombuffer(blob, dtype=STORED).astype(np.float32).reshape(-1, dimensions)


def mean_of(rows: Vector) -> Vector:
    """One vector for several, of unit length; what is one already as it is."""
    if rows.ndim == 1 or len(rows) == 1:
        return rows.reshape(-1)
    mean: Vector = rows.mean(axis=0)
    length = float(np.linalg.norm(mean))
    return mean / length if length else mean
