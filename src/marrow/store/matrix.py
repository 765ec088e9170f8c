"""Vectors of one project held in memory, searched exactly. Filters apply before the best are chosen, so a search
under any filter is complete."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from typing import TypeVar

    from numpy.typing import NDArray

    Array = TypeVar("Array", bound=NDArray[Any])

    Vector = NDArray[np.float32]

STORED = np.float16


class Matrix:
    """Entries in rising order, one row each. Grows at its end; anything else is a new matrix."""

    def __init__(self, dimensions: int) -> None:
        self._ids: NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._rows: Vector = np.empty((0, dimensions), dtype=np.float32)
        self._count = 0

    @property
    def last(self) -> int:
        return int(self._ids[self._count - 1]) if self._count else 0

    def __len__(self) -> int:
        return self._count

    def extend(self, entries: Sequence[int], blobs: Sequence[bytes]) -> None:
        """Rows whose entries all come after those that are here."""
        if not entries:
            return
        needed = self._count + len(entries)
        if needed > len(self._ids):
            capacity = max(64, needed + needed // 4)
            self._ids = _grown(self._ids, capacity)
            self._rows = _grown(self._rows, capacity)
        self._ids[self._count : needed] = entries
        rows = np.frombuffer(b"".join(blobs), dtype=STORED).reshape(len(entries), -1)
        self._rows[self._count : needed] = rows
        self._count = needed

    def nearest(
        self,
        vector: Vector,
        limit: int,
        within: Iterable[int] | None,
        without: Collection[int],
        least: float = 0.0,
    ) -> list[tuple[int, float]]:
        """The best by cosine above `least`, for unit vectors; only of those `within`, and none of those `without`."""
        count = self._count  # Read once: another thread may be adding rows, which changes this last.
        if not count or limit <= 0:
            return []
        ids, rows = self._ids[:count], self._rows[:count]
        if within is not None:
            places = _places(ids, within)
            ids, rows = ids[places], rows[places]
        # Not `rows @ vector`: BLAS would start threads that fight with everyone else's for a product this small.
        scores = np.vecdot(rows, vector)
        if without:
            scores[_places(ids, without)] = -np.inf
        best = np.flatnonzero(scores > least)
        if len(best) > limit:
            best = best[np.argpartition(-scores[best], limit - 1)[:limit]]
        found = [(int(ids[place]), float(scores[place])) for place in best]
        found.sort(key=lambda row: (-row[1], row[0]))
        return found

    def cosines(self, entries: Sequence[int], vector: Vector) -> list[tuple[int, float]]:
        """The cosine of each of these entries that is here."""
        ids = self._ids[: self._count]
        places = _places(ids, entries)
        scores = self._rows[places] @ vector
        return [(int(ids[place]), float(score)) for place, score in zip(places, scores, strict=True)]


def _grown(array: Array, capacity: int) -> Array:
    larger: Array = np.empty((capacity, *array.shape[1:]), dtype=array.dtype)  # type: ignore[assignment]
    larger[: len(array)] = array
    return larger


def _places(ids: NDArray[np.int64], entries: Iterable[int]) -> NDArray[np.int64]:
    """Where the entries stand among `ids`; those that do not are left out."""
    asked = np.fromiter(entries, dtype=np.int64)
    if not len(asked) or not len(ids):
        return np.empty(0, dtype=np.int64)
    asked = np.unique(asked)
    at = np.searchsorted(ids, asked)
    at[at == len(ids)] = 0
    found: NDArray[np.int64] = at[ids[at] == asked]
    return found


def to_bytes(vector: Vector) -> bytes:
    return np.asarray(vector, dtype=STORED).tobytes()


def from_bytes(blob: bytes) -> Vector:
    return np.frombuffer(blob, dtype=STORED).astype(np.float32)
