"""Embedders: what turns a text into a vector, behind one small protocol, and the factory that picks one by name.

Every embedder has a stable `model` name. It is stored with each vector, because vectors of different models, or of
two schemes over the same weights, must never be compared. A change in what the same text gives is a new name.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol

from marrow.model.errors import Invalid
from marrow.providers.rows import unit_rows
from marrow.providers.static import StaticEmbedder

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from marrow.providers.prompts import Kind


class Embedder(Protocol):
    """Turns texts into vectors of unit length, so that a dot product is a cosine.

    A text in which nothing is known gives a zero vector: it is like nothing, itself included. The same text gives
    the same bytes, alone or in any batch; from a service, the same numbers to within its own accuracy. Implementations
    can be shared between threads, and load or ask nothing before the first text.
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

    def query(self, text: str, kind: Kind = "observation") -> NDArray[float32]:
        """The vector of a question: (dimensions,). `kind` says what it looks for, to models that want to know."""
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

    def query(self, text: str, kind: Kind = "observation") -> NDArray[float32]:
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

    def query(self, text: str, kind: Kind = "observation") -> NDArray[float32]:
        import numpy as np

        return np.empty(0, dtype=np.float32)


class Shortened:
    """Another embedder's vectors, cut to their first numbers and brought to unit length again."""

    def __init__(self, whole: Embedder, dimensions: int) -> None:
        if not 1 <= dimensions <= whole.dimensions:
            hint = f"Give from 1 to {whole.dimensions}."
            what = f"The vectors of {whole.model} have {whole.dimensions} numbers."
            raise Invalid(what, hint=hint, field="embedder.dimensions")
        self._whole = whole
        self.dimensions = dimensions
        self.model = f"{whole.model}@{dimensions}"

    def documents(self, texts: Sequence[str]) -> NDArray[float32]:
        return unit_rows(self._whole.documents(texts), self.dimensions)

    def query(self, text: str, kind: Kind = "observation") -> NDArray[float32]:
        vector: NDArray[float32] = unit_rows(self._whole.query(text, kind)[None, :], self.dimensions)[0]
        return vector


def sure_from(embedder: Embedder) -> float:
    """From which cosine on two texts surely speak of the same, where that was measured for an embedder; else 1."""
    found: float = getattr(embedder, "sure_from", 1.0)
    return found


def elsewhere(embedder: Embedder) -> Embedder:
    """What is asked a question in another language, in the place of an embedder that has read English alone."""
    found: Embedder = getattr(embedder, "elsewhere", embedder)
    return found


CHOICES = "auto, static, none, fake, minilm, local:FOLDER, voyage, openai, http://HOST/v1#MODEL"


def embedder(
    name: str,
    *,
    model: str | None = None,
    dimensions: int | None = None,
    instructions: str | None = None,
    key: str | None = None,
) -> Embedder:
    """The embedder with this name. Nothing is loaded and nobody is asked before the first text.

    - `auto`, `static`: the one that is built in; `none`: search by words alone; `fake`: for tests.
    - `local:WHERE`, or a path alone: a model on this machine. WHERE is its folder, its ONNX file, or its name.
    - `minilm`: all-MiniLM-L6-v2, from the package that carries its weights or by its name.
    - `voyage`, `voyage:MODEL`, `openai`, `openai:MODEL`: a service, with the key of its environment variable or `key`.
    - `http://HOST:PORT/v1#MODEL`, or https: any address that answers as OpenAI does. It is sent `key`, and no other.

    `model` is the MODEL or WHERE of a name that has none. `dimensions` asks for shorter vectors. `instructions` are put
    before a question, in place of what is usual for the model; `none` puts nothing there.
    """
    kind, _, rest = name.partition(":")
    if kind in ("http", "https"):
        address, _, of = name.partition("#")
        return _remote("", of or model, dimensions, instructions, key, address)
    if kind in ("voyage", "openai"):
        return _remote(kind, rest or model, dimensions, instructions, key, None)
    if kind == "local" or is_path(name):
        where = (rest if kind == "local" else name) or model
        if not where:
            raise Invalid("No model is named.", hint="Give local:FOLDER, or set embedder.model.", field="embedder")
        return _local(where, dimensions, instructions)
    build = _BUILT_IN.get(name)
    if build is None:
        raise Invalid(f"There is no embedder called {name!r}.", field="embedder", hint=f"Choose one of: {CHOICES}.")
    return build(dimensions, instructions)


def is_path(text: str) -> bool:
    """Whether this is written as a path, and not as a name."""
    return text.startswith(("/", "./", "../", "~", ".\\", "..\\")) or text in (".", "..") or os.path.isabs(text)


def _static(dimensions: int | None, _: str | None) -> Embedder:
    built = StaticEmbedder()
    return built if dimensions in (None, built.dimensions) else Shortened(built, dimensions)


def _minilm(dimensions: int | None, instructions: str | None) -> Embedder:
    from marrow.providers.by_name import minilm

    return minilm(dimensions=dimensions, instructions=instructions)


def _local(where: str, dimensions: int | None, instructions: str | None) -> Embedder:
    from marrow.providers.by_name import local_embedder

    return local_embedder(where, dimensions=dimensions, instructions=instructions)


def _remote(
    service: str,
    model: str | None,
    dimensions: int | None,
    instructions: str | None,
    key: str | None,
    address: str | None,
) -> Embedder:
    from marrow.providers.remote import COMPATIBLE, SERVICES, RemoteEmbedder

    if not service and not model:
        hint = "Give it after a #, as in http://localhost:11434/v1#MODEL, or set embedder.model."
        raise Invalid("No model is named for this address.", hint=hint, field="embedder.model")
    known = SERVICES.get(service, COMPATIBLE)
    return RemoteEmbedder(known, model, dimensions=dimensions, instructions=instructions, key=key, address=address)


_BUILT_IN: dict[str, Callable[[int | None, str | None], Embedder]] = {
    "auto": _static,
    "static": _static,
    "fake": lambda dimensions, _: FakeEmbedder() if dimensions is None else FakeEmbedder(dimensions),
    "none": lambda _, __: NoEmbedder(),
    "minilm": _minilm,
}


def _polynomial_hash(word: str) -> int:
    """Python's own hash of a string differs from process to process; this one is the same everywhere."""
    value = 0
    for character in word:
        value = (value * 131 + ord(character)) & 0xFFFFFFFF
    return value
