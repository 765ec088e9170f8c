"""How much a word says about a text: BM25, with numbers of our own.

What is counted is counted among the texts of the projects that are asked, so that nobody else's texts move a ranking.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    Number = TypeVar("Number", float, NDArray[Any])

# Memories are short and of like length, so a long one is held back less than is usual (.75), and a word that comes
# again says little more: measured on the open sets.
K1, B = 0.9, 0.4
RARITY_LEAST = 1e-6


def rarity(texts: int, holders: int) -> float:
    """The weight of a word that `holders` of so many texts have: next to nothing when all of them have it."""
    return max(RARITY_LEAST, math.log(1 + (max(texts, holders) - holders + 0.5) / (holders + 0.5)))


def weight(count: Number, length: Number, mean: float) -> Number:
    """What `count` occurrences are worth in a text of this length."""
    return count * (K1 + 1) / (count + K1 * (1 - B + B * length / mean))
