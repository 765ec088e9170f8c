"""The vectors of a project in memory: matrices one after the other, none of which is copied to make room for more.

To make one matrix larger is to copy all of it, for tens of milliseconds, and whoever asks meanwhile waits. So what does
not fit any more goes into a further one, which has room for a quarter of all that came before: there are few of them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from .matrix import Matrix
from .stored_vectors import STORED

# A further matrix has room for so many at least.
ROOM_LEAST = 1_024


class Segments:
    """`refined` is the last entry whose rows are those of the better of two tiers."""

    def __init__(self, dimensions: int, refined: int = 0, matrices: tuple[Matrix, ...] = ()) -> None:
        self._dimensions = dimensions
        self.refined = refined
        self.matrices = matrices

    @property
    def last(self) -> int:
        return self.matrices[-1].last if self.matrices else 0

    def extend(self, entries: Sequence[int], blobs: Sequence[bytes]) -> None:
        """Rows whose entries all come after those that are here."""
        if not entries:
            return
        rows = sum(map(len, blobs)) // (STORED().itemsize * self._dimensions)
        if not self.matrices or not self.matrices[-1].has_room(rows):
            held = sum(map(len, self.matrices))
            further = Matrix(self._dimensions, max(rows, ROOM_LEAST, held // 4) if held else rows)
            self.matrices = (*self.matrices, further)
        self.matrices[-1].extend(entries, blobs)

    def refined_to(self, last: int, entries: Sequence[int], blobs: Sequence[bytes]) -> Segments:
        """New ones with better rows up to the entry `last`: these, of all entries since the last that was refined.
        These stay as they are, for those who search them now; what holds none of them is in both."""
        found: list[Matrix] = []
        at = 0
        for matrix in self.matrices:
            after = bisect_right(entries, matrix.last)
            better = matrix.replaced(self.refined, last, entries[at:after], blobs[at:after]) if after > at else matrix
            found.append(better)
            at = after
        made = Segments(self._dimensions, last, tuple(found))
        made.extend(entries[at:], blobs[at:])
        return made
