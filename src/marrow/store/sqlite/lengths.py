"""How many terms each text of a project has, by the number of its entry. Read from the keyword index's own table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

NUMBER = (1 << 32) - 1
# The index keeps one small number for each of its two columns, in one byte each unless the text is long.
USUAL_BYTES = 2


@dataclass(frozen=True, slots=True)
class Lengths:
    """`terms[number]` is a text's length; 0 where there is none. Immutable: another thread may be reading it."""

    terms: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, dtype=np.float32))
    texts: int = 0
    total: int = 0

    @property
    def next(self) -> int:
        return len(self.terms)

    def extended(self, rows: Sequence[tuple[int, bytes]]) -> Lengths:
        """With these rows, which come after those that are here."""
        if not rows:
            return self
        numbers = np.fromiter((entry for entry, _ in rows), dtype=np.int64, count=len(rows)) & NUMBER
        sizes = [packed for _, packed in rows]
        joined = b"".join(sizes)
        if len(joined) == USUAL_BYTES * len(rows) and max(joined) < 0x80 and set(map(len, sizes)) == {USUAL_BYTES}:
            added = np.frombuffer(joined, dtype=np.uint8).reshape(-1, USUAL_BYTES).sum(axis=1, dtype=np.int64)
        else:
            added = np.fromiter((_unpacked(packed) for packed in sizes), dtype=np.int64, count=len(rows))
        terms = np.zeros(int(numbers[-1]) + 1, dtype=np.float32)
        terms[: len(self.terms)] = self.terms
        terms[numbers] = added
        return Lengths(terms, self.texts + len(rows), self.total + int(added.sum()))


def _unpacked(sizes: bytes) -> int:
    """The sum of SQLite's variable-length numbers: seven bits a byte, the highest bit set when more follow."""
    total = value = 0
    for byte in sizes:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            total, value = total + value, 0
    return total
