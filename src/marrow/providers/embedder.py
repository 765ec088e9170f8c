"""Embedders: what turns a text into a vector, behind one small protocol, and the factory that picks one by name.

Every embedder has a stable `model` name. It is stored with each vector, because vectors of different models, or of
two schemes over the same weights, must never be compared. A change in what the same text gives is a new name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from marrow.model.errors import Invalid
from marrow.providers.static import StaticEmbedder

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray


class Embedder(Protocol):
    """Turns texts into vectors of unit length, so that a dot product is a cosine.

    A text in which nothing is known gives a zero vector: it is like nothing, itself included. The same text gives
    the same bytes, alone or in any batch. Implementations can be shared between threads.
    """

    @property
    def model(self) -> str:
        """The stable name that is recorded with every vector."""
        ...

    @property
    def dimensions(self) -> int: ...

    def documents(self, texts: Sequence[str]) -> NDArray[float32]:
        """The vectors of texts that are kept, one row each: (len(texts), dimensions)."""
        ...

    def query(self, text: str) -> NDArray[float32]:
        """The vector of a question: (dimensions,)."""
        ...


class FakeEmbedder:
    """Hashes words into buckets. For tests: it needs no weights, and texts that share words are close."""

    _WORD = re.compile(r"[a-z0-9]+")

    def __init__(self, dimensions: int = 64) -> None:
        if dimensions < 1:
            raise Invalid(f"{dimensions} dimensions are too few.", field="dimensions", hint="Give at least 1.")
        self.dimensions = dimensions
        self.model = f"fake-{dimensions}/1"

    def documents(self, texts: Sequence[str]) -> NDArray[float32]:
        import numpy as np

        vectors = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            vectors[row] = self._counts(text)
        return vectors

    def query(self, text: str) -> NDArray[float32]:
        vector: NDArray[float32] = self.documents([text])[0]
        return vector

    def _counts(self, text: str) -> list[float]:
        counts = [0] * self.dimensions
        for word in self._WORD.findall(text.lower()):
            counts[_polynomial_hash(word) % self.dimensions] += 1
        length = math.sqrt(sum(count * count for count in counts))
        return [count / length for count in counts] if length else [0.0] * self.dimensions


class NoEmbedder:
    """Knows no vectors: every row is empty, and search goes by words alone."""

    model = "none"
    dimensions = 0

    def documents(self, texts: Sequence[str]) -> NDArray[float32]:
        import numpy as np

        return np.empty((len(texts), 0), dtype=np.float32)

    def query(self, text: str) -> NDArray[float32]:
        import numpy as np

        return np.empty(0, dtype=np.float32)


_CHOICES: dict[str, Callable[[], Embedder]] = {
    "auto": StaticEmbedder,
    "static": StaticEmbedder,
    "fake": FakeEmbedder,
    "none": NoEmbedder,
}


def embedder(name: str) -> Embedder:
    """The embedder with this name: "auto" and "static" are the built-in one, "none" is search by words alone."""
    build = _CHOICES.get(name)
    if build is None:
        choices = ", ".join(_CHOICES)
        raise Invalid(f"There is no embedder called {name!r}.", field="embedder", hint=f"Choose one of: {choices}.")
    return build()


def _polynomial_hash(word: str) -> int:
    """Python's own hash of a string differs from process to process; this one is the same everywhere."""
    value = 0
    for character in word:
        value = (value * 131 + ord(character)) & 0xFFFFFFFF
    return value
