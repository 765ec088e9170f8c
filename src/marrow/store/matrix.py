"""Vectors held in memory and searched. Filters apply before the best are chosen, so a search under any filter is as
complete as one without.

Up to `EXACT_ROWS` every row is compared. Among more, the signs of the rows nominate `RESCORED` of them, and these are
compared exactly: the cosines that come back are always the exact ones. Where the signs differ is counted of all rows;
how much that matters to the question, of those where the fewest do.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .signs import Signs
from .stored_vectors import STORED, exact_cosines, mean_of, widened

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from .signs import Counts
    from .stored_vectors import Places, Rows, Vector

# So many rows are held as 32-bit numbers and compared in a millisecond. More are held as they are stored, in half the
# room, and go by their signs: a million takes 20 ms that way, and 90 if each were compared.
EXACT_ROWS = 16_384
# Of 118 thousand passages of code and documents, these held .996 of the best 10 texts, and .91 of the best 200.
RESCORED = 3_072
RESCORED_FOR_EACH = 16
# Of fewer rows, no more than one in so many has to be compared exactly.
ROWS_FOR_EACH = 10
# The best of so many at a time are looked at first.
BEST_BLOCK, BEST_BLOCK_LEAST = 64, 4
# So few rows, as a save adds, NumPy widens by itself before the other way has begun.
FEW_ROWS = 4
# For each row that is compared, so many are estimated. Were all of them, the same best 10 of those texts would be
# held, and two in a thousand more of the best 200.
ESTIMATED_FOR_EACH = 4
# Of more numbers than these, in how many signs a row differs says too little: all are estimated.
FEW_NUMBERS = 256
# Every so manieth row tells how many signs differ of those.
SAMPLED = 64
# So many passages of a text are compared when only it is asked for: those that are nearest by their signs.
PASSAGES = 3


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
        self._signs = Signs(dimensions)
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
        self._rows[self._count : needed] = rows if is_as_it_is else widened(rows)
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
        ids, rows = self._ids[places], widened(self._rows[places])
        starts = _starts(ids)
        if starts is None:
            return dict(zip(ids.tolist(), rows, strict=True))
        return dict(zip(ids[starts].tolist(), map(mean_of, np.split(rows, starts[1:])), strict=True))

    def view(self) -> tuple[Places, Rows]:
        """The entries and rows that are here now: another thread may be adding some, and changes the count last."""
        count = self._count
        return self._ids[:count], self._rows[:count]

    def differing(self, rows: Rows, places: Places | None, vector: Vector) -> Counts:
        """How many signs of the rows of a view, or of those at these places, are not those of the question."""
        return self._signs.differing(rows, places, vector)

    def estimates(self, rows: Rows, places: Places | None, vector: Vector) -> Vector:
        """About how near the rows of a view are, or those at these places: what their signs say."""
        return self._signs.estimates(rows, places, vector)


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
    """Entries in rising order with the cosine of each: of a long text that of its best passage. Where some that were
    asked for are missing, `every` are all of them, with how many of their signs differ."""

    ids: Places
    cosines: Vector
    every: tuple[tuple[_Part, Counts], ...] = ()

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

    def of_others(self, entries: Iterable[int], vector: Vector) -> dict[int, float]:
        """The cosine of each of these that was not compared: of the best of those passages that look best."""
        asked, found = sorted_ids(entries), dict[int, float]()
        for every, differing in self.every:
            part, counts = every.only(asked, differing)
            ids = part.chosen()
            order = np.lexsort((counts, ids))
            again = ids[order[PASSAGES:]] == ids[order[:-PASSAGES]]
            part = part.at(order[np.concatenate([np.ones(min(PASSAGES, len(order)), dtype=bool), ~again])])
            best, scores = _best_of_each(part.chosen(), part.cosines(vector))
            found.update(zip(best.tolist(), scores.tolist(), strict=True))
        return found


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
    every: tuple[tuple[_Part, Counts], ...] = ()
    if rows > EXACT_ROWS:
        every = tuple([(part, part.differing(vector)) for part in parts])
        parts = _nominated(every, vector, max(min(rescored, rows // ROWS_FOR_EACH), RESCORED_FOR_EACH * limit))
    if not parts:
        return NONE
    ids, scores = _joined([part.chosen() for part in parts]), _joined([part.cosines(vector) for part in parts])
    if any(part.matrix.has_passages for part in parts):
        ids, scores = _best_of_each(ids, scores)
    return Compared(ids, scores, every)


NONE = Compared(np.empty(0, dtype=np.int64), np.empty(0, dtype=np.float32))


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
    """Those rows of a matrix that are asked for: those at `places`, or all but those `left_out`."""

    matrix: Matrix
    ids: Places
    rows: Rows
    places: Places | None
    left_out: Places

    @classmethod
    def of(cls, matrix: Matrix, within: Places | None, without: Places) -> _Part:
        ids, rows = matrix.view()
        unwanted = places_of(ids, without)
        if within is None:
            return cls(matrix, ids, rows, None, unwanted)
        places = places_of(ids, within)
        if len(unwanted):
            places = places[np.isin(places, unwanted, assume_unique=True, invert=True)]
        return cls(matrix, ids, rows, places, NOWHERE)

    def __len__(self) -> int:
        return len(self.ids) - len(self.left_out) if self.places is None else len(self.places)

    def listed(self) -> Places | None:
        """Where its rows are; None for all there are."""
        if self.places is not None or not len(self.left_out):
            return self.places
        is_wanted = np.ones(len(self.ids), dtype=bool)
        is_wanted[self.left_out] = False
        return np.flatnonzero(is_wanted)

    def chosen(self) -> Places:
        places = self.listed()
        return self.ids if places is None else self.ids[places]

    def at(self, places: Places) -> _Part:
        """With only those of its rows that stand at these places in `differing`."""
        return self._of(places if self.places is None else self.places[places])

    def only(self, entries: Places, differing: Counts) -> tuple[_Part, Counts]:
        """With only those of its rows that are of these entries; and of all the counts, theirs."""
        places = places_of(self.ids, entries)
        if self.places is None:
            places = np.setdiff1d(places, self.left_out, assume_unique=True) if len(self.left_out) else places
            return self._of(places), differing[places]
        at = np.minimum(np.searchsorted(self.places, places), max(0, len(self.places) - 1))
        at = at[self.places[at] == places]
        return self._of(self.places[at]), differing[at]

    def _of(self, places: Places) -> _Part:
        return _Part(self.matrix, self.ids, self.rows, places, NOWHERE)

    def differing(self, vector: Vector) -> Counts:
        """How many signs of each are not those of the question. Of those that are left out, more than of any other."""
        found = self.matrix.differing(self.rows, self.places, vector)
        most = np.iinfo(found.dtype).max
        np.minimum(found, most - 1, out=found)
        found[self.left_out] = most
        return found

    def estimates(self, vector: Vector) -> Vector:
        """About how near each is."""
        return self.matrix.estimates(self.rows, self.listed(), vector)

    def cosines(self, vector: Vector) -> Vector:
        places = self.listed()
        if places is not None and self.rows.dtype == np.float32 and 2 * len(places) > len(self.rows):
            # To compare some in vain takes less than to pick out the others.
            found: Vector = np.vecdot(self.rows, vector)[places]
            return found
        return exact_cosines(self.rows, places, vector)


NOWHERE = np.empty(0, dtype=np.int64)


def _nominated(every: Sequence[tuple[_Part, Counts]], vector: Vector, count: int) -> list[_Part]:
    """The parts with only those rows left that look best by their signs."""
    differing = _joined([counts for _, counts in every])
    farthest = np.iinfo(differing.dtype).max - 1  # but for those that are left out
    is_telling = len(vector) <= FEW_NUMBERS
    most = min(_reached_by(differing, ESTIMATED_FOR_EACH * count), farthest) if is_telling else farthest
    near = [part.at(np.flatnonzero(counts <= most)) for part, counts in every]
    if sum(map(len, near)) < count:  # the sample was not like the rest
        near = [part.at(np.flatnonzero(counts <= farthest)) for part, counts in every]
    estimates = _joined([part.estimates(vector) for part in near])
    best = np.sort(np.argpartition(-estimates, count - 1)[:count]) if len(estimates) > count else None
    if best is None:
        return near
    ends = np.cumsum([len(part) for part in near])
    chosen = np.split(best, np.searchsorted(best, ends[:-1]))
    starts = ends - [len(part) for part in near]
    return [part.at(some - start) for part, some, start in zip(near, chosen, starts, strict=True) if len(some)]


def _reached_by(counts: Counts, wanted: int) -> int:
    """What about so many are not above. A sample says it."""
    sample = counts[::SAMPLED]
    place = min(wanted // SAMPLED, len(sample) - 1)
    return int(np.partition(sample, place)[place])


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
