"""Which texts of a project hold a term, and how often: kept between searches, because questions about a project use its
words again and again.

Entries only ever get higher numbers, so what is kept of a term is brought up to date by what came after it. When the
words of an earlier text change, everything that is kept of that project is dropped (`words:<project>` among the facts).
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

BYTES_MAX = 24 * 1024 * 1024
# What a term costs besides its postings.
TERM_BYTES = 300
Key = tuple[int, str]


@dataclass(frozen=True, slots=True)
class Held:
    """The numbers of the texts below `next` that hold a term, rising, and how often each does."""

    numbers: NDArray[np.int32]
    counts: NDArray[np.uint8]
    next: int

    @property
    def size(self) -> int:
        return self.numbers.nbytes + self.counts.nbytes + TERM_BYTES

    def extended(self, numbers: Numbers, counts: Numbers, next_: int) -> Held:
        if not len(numbers):
            return Held(self.numbers, self.counts, next_)
        return Held(
            np.concatenate([self.numbers, numbers.astype(np.int32)]),
            np.concatenate([self.counts, counts.astype(np.uint8)]),
            next_,
        )


EMPTY = Held(np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.uint8), 0)


class Postings:
    """The terms that were asked for lately. Shared by threads."""

    def __init__(self, bytes_max: int = BYTES_MAX) -> None:
        self._lock = threading.Lock()
        self._held: OrderedDict[Key, Held] = OrderedDict()
        self._counts: dict[Key, tuple[int, int]] = {}
        self._states: dict[int, str] = {}
        self._bytes, self._bytes_max = 0, bytes_max

    def renew(self, project: int, state: str) -> bool:
        """Drop what was kept of a project in another state of its words; whether it was another."""
        with self._lock:
            if self._states.get(project) == state:
                return False
            for key in [key for key in self._held if key[0] == project]:
                self._bytes -= self._held.pop(key).size
            for key in [key for key in self._counts if key[0] == project]:
                del self._counts[key]
            self._states[project] = state
            return True

    def held(self, key: Key, state: str) -> Held | None:
        """What is kept for one who sees the project's words in this state."""
        with self._lock:
            found = self._held.get(key) if self._states.get(key[0]) == state else None
            if found is not None:
                self._held.move_to_end(key)
            return found

    def hold(self, key: Key, held: Held, state: str) -> None:
        """Keep what was read in this state of the project's words, unless they have changed meanwhile."""
        with self._lock:
            if self._states.get(key[0]) != state:
                return
            known = self._held.pop(key, None)
            if known is not None:
                self._bytes -= known.size
                held = known if known.next > held.next else held
            self._held[key] = held
            self._bytes += held.size
            while self._bytes > self._bytes_max and self._held:
                self._bytes -= self._held.popitem(last=False)[1].size

    def count(self, key: Key, state: str) -> tuple[int, int]:
        """How many hold a term, of those below a number; and that number."""
        with self._lock:
            if self._states.get(key[0]) != state:
                return 0, 0
            found = self._held.get(key)
            return (len(found.numbers), found.next) if found is not None else self._counts.get(key, (0, 0))

    def hold_count(self, key: Key, count: int, next_: int, state: str) -> None:
        with self._lock:
            if self._states.get(key[0]) != state:
                return
            if len(self._counts) >= 10_000:
                self._counts.clear()
            if self._counts.get(key, (0, 0))[1] <= next_:
                self._counts[key] = (count, next_)
