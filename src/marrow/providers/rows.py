"""What every embedder does with its texts before and its rows after: clean, shorten, bring to unit length."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


def sendable(text: str) -> str:
    """The text as valid UTF-8: halves of characters, which no tokenizer and no service takes, are left out."""
    return text if text.isascii() else text.encode("utf-8", "ignore").decode("utf-8")


def is_blank(text: str) -> bool:
    """Whether nothing is said, so that the row is zero. No model is asked about it, and most services refuse it."""
    return not sendable(text).strip()


def unit_rows(rows: NDArray[float32], dimensions: int | None = None) -> NDArray[float32]:
    """The first `dimensions` of each row, at unit length. A zero row stays zero.

    Each row by itself, in double precision: its bytes must not depend on its neighbours.
    """
    import numpy as np

    short = rows[:, :dimensions].astype(np.float64)
    lengths = np.sqrt(np.add.reduce(short * short, axis=1, keepdims=True))
    lengths[lengths == 0.0] = 1.0
    return (short / lengths).astype(np.float32)
