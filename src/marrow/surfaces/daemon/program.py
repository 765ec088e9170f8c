"""The program that a daemon runs, as it lies on the disk: has another one taken its place since?

A daemon loads some of its parts when they are first needed. After an upgrade these would be new ones among old ones
that are loaded already; and a clone that was brought up to date may have the version number that it had.
"""

from __future__ import annotations

import os

# This package, with all that is in it.
FOLDER = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_CODE = (".py", ".sql")
Stamp = frozenset[tuple[str, int, int]]


class Program:
    def __init__(self, folder: str = FOLDER) -> None:
        self._folder = folder
        self._begun = self._last = _stamp(folder)

    def is_replaced(self) -> bool:
        """Whether it is another one, and is whole: while it is being written it differs from one look to the next."""
        before, self._last = self._last, _stamp(self._folder)
        return self._last != self._begun and self._last == before


def _stamp(folder: str) -> Stamp:
    """Name, size and time of every file of it; of none, where it was taken away."""
    found = []
    for place, _, names in os.walk(folder):
        for name in names:
            if name.endswith(_CODE):
                path = os.path.join(place, name)
                try:
                    known = os.stat(path)
                except OSError:  # it goes at this moment
                    continue
                found.append((path, known.st_size, known.st_mtime_ns))
    return frozenset(found)
