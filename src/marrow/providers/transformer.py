"""The built-in embedder's better tier: a transformer of a few layers as int8, through onnxruntime.

It is of the same space as the static tier, so a store holds one kind of vectors: the quick ones that a save writes, and
these, which follow. It needs the extra `onnx`; without it the static tier serves alone.

It has read English. Of letters that it does not know it makes vectors all the same, and any two of them are alike: of a
text in these, what the static tier knows of it counts, which may be nothing.
"""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from marrow.model.errors import Unavailable
from marrow.model.text import is_in_other_letters
from marrow.providers.graph import Graph
from marrow.providers.prompts import Kind
from marrow.providers.static import (
    DIMENSIONS,
    GRAPH_FILE,
    HINT,
    MODEL,
    TOKENIZER_FILE,
    StaticEmbedder,
    checked_bytes,
    package_folder,
)

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

TOKENS_MAX, CHARACTERS_MAX = 256, 4096
OUTPUT = "sentence_embedding"


def runtime_is_installed() -> bool:
    return importlib.util.find_spec("onnxruntime") is not None


class TransformerEmbedder:
    """One text at a time on one thread, so that a vector does not depend on what is embedded beside it."""

    model = MODEL
    dimensions = DIMENSIONS
    # Of unrelated questions and notes of developers one in some hundreds is as near as this (bench/paraphrase).
    sure_from = 0.42

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = package_folder() if folder is None else folder
        if not (self._folder / GRAPH_FILE).is_file():
            raise Unavailable(f"The file {GRAPH_FILE} of the package marrow-embedder is missing.", hint=HINT)
        self.elsewhere = StaticEmbedder(self._folder)
        self._lock = threading.Lock()
        self._loaded: tuple[Graph, Tokenizer] | None = None

    def documents(self, texts: Sequence[str]) -> NDArray[float32]:
        import numpy as np

        graph, tokenizer = self._model()
        made = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            if not text.strip():
                continue
            if is_in_other_letters(text[:CHARACTERS_MAX]):
                made[row] = self.elsewhere.documents([text])[0]
                continue
            ids = np.array([tokenizer.encode(text[:CHARACTERS_MAX]).ids], np.int64)
            made[row] = graph.run(ids, np.ones_like(ids))[OUTPUT][0]
        return made

    def query(self, text: str, kind: Kind = "observation") -> NDArray[float32]:
        vector: NDArray[float32] = self.documents([text])[0]
        return vector

    def _model(self) -> tuple[Graph, Tokenizer]:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self._folder)
            return self._loaded


def _load(folder: Path) -> tuple[Graph, Tokenizer]:
    from tokenizers import Tokenizer

    checked_bytes(folder, GRAPH_FILE)
    graph = Graph(folder / GRAPH_FILE, threads=1)
    tokenizer = Tokenizer.from_buffer(checked_bytes(folder, TOKENIZER_FILE))
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS_MAX)
    return graph, tokenizer
