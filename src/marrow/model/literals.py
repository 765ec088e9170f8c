"""Which of many literals a text may hold.

To look for each in turn goes through the text as often. One look at a long text notes every three bytes that stand
together; a literal of which some three are missing is not there. That needs NumPy: where nothing has loaded it, as in a
hook, each literal is looked for.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False  # Importing `typing` would cost every hook a few milliseconds.
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from typing import Any

# In a shorter text, to look for each takes as long.
LONG = 300
TOGETHER = 3
NOTED = 2**16


class Literals:
    """Looked for again and again. What the three bytes of each come to is found out when it is first needed."""

    __slots__ = ("_all", "_long", "_noted", "_short", "_starts")

    def __init__(self, literals: Sequence[str]) -> None:
        self._all = frozenset(literals)
        self._short = [one for one in literals if len(one.encode()) < TOGETHER]
        self._long = [one for one in literals if len(one.encode()) >= TOGETHER]
        self._noted: Any = None
        self._starts: Any = None

    def likely_in(self, text: str) -> Collection[str]:
        """Those that are in the text, and perhaps a few others."""
        np = sys.modules.get("numpy") if len(text) >= LONG and self._long else None
        # One that another thread is loading is there before it is whole.
        if np is None or getattr(np.__spec__, "_initializing", False):
            return self._all
        if self._noted is None:
            each = [_places(np, one) for one in self._long]
            self._starts = np.cumsum([0, *map(len, each[:-1])])
            self._noted = np.concatenate(each).astype(np.int64)
        stands = np.zeros(NOTED, dtype=bool)
        stands[_places(np, text)] = True
        found = np.logical_and.reduceat(stands[self._noted], self._starts)
        return {*self._short, *(self._long[at] for at in np.flatnonzero(found).tolist())}


def _places(np: Any, text: str) -> Any:
    """A number for each three bytes that stand together. Others may have the same."""
    each = np.frombuffer(text.encode("utf-8", "surrogatepass"), dtype=np.uint8).astype(np.uint16)
    found = each[:-2] << 10
    found ^= each[1:-1] << 5
    found ^= each[2:]
    return found
