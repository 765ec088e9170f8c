"""The nearest of the names that exist, for errors about one that does not. (`difflib` would cost a start 1 ms.)"""

from __future__ import annotations

from collections.abc import Iterable

_LENGTH_MAX = 60


def nearest(name: str, known: Iterable[str]) -> str:
    """The name of `known` with the fewest letters changed; empty when none is near enough to have been meant."""
    given = name[:_LENGTH_MAX].lower()
    close = min(known, key=lambda other: _apart(given, other.lower()), default="")
    return close if close and _apart(given, close.lower()) <= max(2, len(given) // 3) else ""


def _apart(given: str, other: str) -> int:
    """Letters apart; `top_k` is also near to `recall.top_k`."""
    last = other.rpartition(".")[2]
    return min(_letters_apart(given, other), _letters_apart(given, last) + 1)


def _letters_apart(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, letter in enumerate(a, 1):
        corner, row[0] = row[0], i
        for j, other in enumerate(b, 1):
            corner, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, corner + (letter != other))
    return row[-1]
