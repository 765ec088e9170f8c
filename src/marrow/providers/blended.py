"""A question asked by two embedders of one space, of texts that only the quick one has embedded.

The better embedder knows what a question means as a whole, and the quick one's vectors of texts lie in its space. So a
question that both have read finds more than one that the quick one read alone, long before the better vectors of the
texts are made: measured on bench/knowledge, where it is most of what those vectors gain.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from marrow.model.errors import MarrowError

from .rows import unit_rows

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from .embedder import Embedder
    from .prompts import Kind

# The say of the better one in a question. With none of the quick one, questions in the words of the texts find less.
BETTER_SHARE = 0.6


class Blended:
    """Texts are those of the quick one. From where on a meaning is sure was not measured for the two together."""

    def __init__(self, quick: Embedder, better: Embedder) -> None:
        self.quick, self.better = quick, better
        self.model, self.dimensions = quick.model, quick.dimensions
        # In another language the better one says nothing that the quick one does not.
        self.elsewhere = quick

    def documents(self, texts: Sequence[str]) -> NDArray[float32]:
        return self.quick.documents(texts)

    def query(self, text: str, kind: Kind = "observation") -> NDArray[float32]:
        quick = self.quick.query(text, kind)
        try:
            better = self.better.query(text, kind)
        except MarrowError:
            return quick  # one that cannot run must not silence the other
        both: NDArray[float32] = unit_rows((BETTER_SHARE * better + (1.0 - BETTER_SHARE) * quick)[None, :])[0]
        return both
