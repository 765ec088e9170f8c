"""Vectors as they are stored, in numbers of 16 bits, and compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]
    Rows = NDArray[np.float16] | NDArray[np.float32]
    Places = NDArray[np.int64]

STORED = np.float16
# So many rows are widened and compared at a time: they fit into the cache of a core.
BLOCK = 512
# The bits of a number of 16 bits, moved to where a wider one has them, are that number times two to the minus so much.
_EXPONENTS_APART = 112
_BITS_APART, _SIGN_COPIES = 13, 0x70000000


def exact_cosines(rows: Rows, places: Places | None, vector: Vector) -> Vector:
    """The cosines of these rows, or of all, for unit vectors. Not `rows @ vector`: BLAS would start threads that fight
    with everyone else's for a product this small."""
    is_wide = rows.dtype == np.float32
    if places is None and is_wide:
        return np.vecdot(rows, vector)  # type: ignore[no-any-return]
    held: NDArray[Any] = rows if is_wide else rows.view(np.int16)
    # Exact as well: the one factor is a power of two, and so is the other.
    wanted = vector if is_wide else vector * np.float32(2.0**_EXPONENTS_APART)
    count = len(rows) if places is None else len(places)
    found = np.empty(count, dtype=np.float32)
    # Room that is used again costs half as much as new room for each block.
    shape = (min(BLOCK, count), rows.shape[1])
    picked, wide = np.empty(shape, dtype=held.dtype), np.empty(shape if not is_wide else 0, dtype=np.int32)
    for start in range(0, count, BLOCK):
        size = min(BLOCK, count - start)
        if places is None:
            block = held[start : start + size]
        else:  # any other mode would copy
            block = np.take(held, places[start : start + size], axis=0, out=picked[:size], mode="clip")
        np.vecdot(block if is_wide else _spread(block, wide[:size]), wanted, out=found[start : start + size])
    return found


def widened(rows: Rows) -> Vector:
    """As 32-bit numbers. NumPy's own way takes several times as long: bits are moved to their new places instead, and
    the exponent, which counts from elsewhere, is set right by a multiplication. Exact for every finite number."""
    if rows.dtype == np.float32:
        return rows  # type: ignore[return-value]
    found = _spread(rows.view(np.int16), np.empty(rows.shape, dtype=np.int32))
    found *= np.float32(2.0**_EXPONENTS_APART)
    return found


def _spread(bits: NDArray[np.int16], room: NDArray[np.int32]) -> Vector:
    """The bits at the places that they have in a wider number."""
    np.left_shift(bits, _BITS_APART, out=room, dtype=np.int32)
    room &= ~_SIGN_COPIES
    return room.view(np.float32)


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
