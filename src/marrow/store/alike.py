"""What is nearly the same as a text, among all that is known: asked with every save.

The signs of two vectors that are close to each other differ in few places. So the signs alone, a bit for each number,
nominate some hundred rows, and only these are compared. That looks at a twentieth of what an exact search looks at, and
leaves the processor's cache to everybody else.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np

from .matrix import Matrix, places_of, sorted_ids
from .stored_vectors import exact_cosines

if TYPE_CHECKING:
    from .stored_vectors import Places, Rows, Vector

# How near the nearest must be for this: the signs of what is farther apart say little.
CLOSE = 0.4
# So many are compared for each project. Of 6,000 real sentences, 256 held all but 2 of the 928 that are among the three
# nearest of another and nearer than .6, and all that words then found to be the same or at odds.
NOMINATED = 256
# Among very many, one in so many.
ROWS_FOR_EACH = 40
# And of so few, all.
FEW = 2048


def alike(
    matrices: Sequence[Matrix], vector: Vector, limit: int, without: Collection[int], least: float
) -> list[tuple[int, float]]:
    """The best few by cosine above `least`, which is at least `CLOSE`, and none of those `without`."""
    unwanted = sorted_ids(without)
    are_few = sum(map(len, matrices)) <= FEW
    best: dict[int, float] = {}
    for matrix in matrices:
        ids, rows = matrix.view()
        gone = places_of(ids, unwanted)
        places = np.delete(np.arange(len(ids)), gone) if are_few else _nominated(matrix, rows, vector, gone)
        best |= _best(ids[places], exact_cosines(rows, places, vector), limit, least)
    return sorted(best.items(), key=lambda found: -found[1])[:limit]


def _best(ids: Places, cosines: Vector, limit: int, least: float) -> dict[int, float]:
    near = (cosines > least).nonzero()[0]
    found: dict[int, float] = {}
    for place in near[np.argsort(-cosines[near], kind="stable")]:
        if len(found) == limit:
            break
        found.setdefault(int(ids[place]), float(cosines[place]))  # of a long text's passages the best counts
    return found


def _nominated(matrix: Matrix, rows: Rows, vector: Vector, gone: Places) -> Places:
    """Where the rows are whose signs differ least, but for those that are gone."""
    differing = matrix.differing(rows, None, vector)
    counts = np.bincount(differing, minlength=len(vector) + 1)
    if len(gone):
        counts -= np.bincount(differing[gone], minlength=len(counts))
    least = max(NOMINATED, len(rows) // ROWS_FOR_EACH)
    found = (differing <= counts.cumsum().searchsorted(least)).nonzero()[0]
    return found if not len(gone) else np.setdiff1d(found, gone, assume_unique=True)
