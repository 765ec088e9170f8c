"""An embedder from a model on this machine: an ONNX graph, or the weights of a BERT. No torch, no network.

Scheme 1, in `LocalEmbedder.model`: the prompt and the text, cut to the model's length in tokens; the rows of the tokens
pooled as the folder says; unit length. Words that look like a control token are plain text. One text at a time and
without padding, so that a vector has the same bytes alone and in any batch; on a processor that is no slower.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from ..model.errors import Invalid, Unavailable
from .bert import Bert
from .graph import Graph
from .model_folder import Dense, ModelFolder, read_folder
from .prompts import Kind, with_instructions
from .rows import is_blank, sendable, unit_rows
from .tensors import read_tensors

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

CHARACTERS_A_TOKEN = 16
"""A text is cut to so many characters for each token of the model's length, before it is cut into tokens."""

_POOLED = "sentence_embedding"
_BY_TOKEN = ("token_embeddings", "last_hidden_state")


@dataclass(frozen=True, slots=True)
class _Loaded:
    tokenizer: Tokenizer
    rows: Callable[[Sequence[int]], NDArray[float32]]  # ids -> (tokens, hidden), or the pooled vector
    dense: tuple[tuple[Dense, NDArray[float32], NDArray[float32] | None], ...]


class LocalEmbedder:
    """Runs the model in `where`: a folder, or an ONNX file in one. Loads it on first use; can be shared by threads."""

    def __init__(
        self, where: Path, *, name: str = "", dimensions: int | None = None, instructions: str | None = None
    ) -> None:
        self.folder: ModelFolder = read_folder(where, name)
        whole = self.folder.dimensions
        if dimensions is not None and dimensions > whole:
            hint = f"Give at most {whole}."
            raise Invalid(f"The model's vectors have {whole} numbers.", hint=hint, field="embedder.dimensions")
        self.dimensions = dimensions or whole
        self.prompts = with_instructions(self.folder.prompts, instructions)
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None

    @cached_property
    def model(self) -> str:
        """Known by content, because a folder's name says nothing: `bert-384-0f3a9c…/1`."""
        whole = self.folder.dimensions
        shortened = "" if self.dimensions == whole else f"@{self.dimensions}"
        return f"{self.folder.kind}-{whole}-{self.folder.fingerprint()}{shortened}/1"

    def documents(self, texts: Sequence[str]) -> NDArray[float32]:
        import numpy as np

        rows = np.zeros((len(texts), self.folder.dimensions), dtype=np.float32)
        for row, text in enumerate(texts):
            if not is_blank(text):
                rows[row] = self._vector(self.prompts.document, text)
        return unit_rows(rows, self.dimensions)

    def query(self, text: str, kind: Kind = "observation") -> NDArray[float32]:
        import numpy as np

        if is_blank(text):
            return np.zeros(self.dimensions, dtype=np.float32)
        rows = self._vector(self.prompts.of(kind), text)[None, :]
        vector: NDArray[float32] = unit_rows(rows, self.dimensions)[0]
        return vector

    def _vector(self, prompt: str, text: str) -> NDArray[float32]:
        loaded = self._load()
        whole = prompt + sendable(text)[: self.folder.length * CHARACTERS_A_TOKEN]
        ids = loaded.tokenizer.encode(whole.lower() if self.folder.lowers else whole).ids
        rows = loaded.rows(ids)
        if rows.ndim == 1:
            return self._checked(rows)
        skipped = 0 if self.folder.counts_prompt else self._length_of(loaded, prompt)
        vector = pooled(rows, self.folder.pooling, min(skipped, len(rows) - 1))
        for step, weight, bias in loaded.dense:
            vector = _through(step, weight, bias, vector)
        return self._checked(vector)

    def _checked(self, vector: NDArray[float32]) -> NDArray[float32]:
        import numpy as np

        if vector.shape != (self.folder.dimensions,) or not np.isfinite(vector).all():
            what = f"The model gave {vector.shape[0]} numbers, or some that are none; {self.folder.dimensions} are due."
            raise Unavailable(what, hint="Its config.json and its weights do not belong together.")
        return vector

    def _length_of(self, loaded: _Loaded, prompt: str) -> int:
        """How many tokens the prompt has, with the mark before it and without the one after it."""
        encoding = loaded.tokenizer.encode(prompt)
        return len(encoding.ids) - (1 if encoding.ids and encoding.special_tokens_mask[-1] else 0) if prompt else 0

    def _load(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = self._read()
            return self._loaded

    def _read(self) -> _Loaded:
        folder = self.folder
        rows = _graph_rows(Graph(folder.graph)) if folder.graph else _bert(folder).tokens
        dense = []
        for step in folder.dense:
            tables = read_tensors(step.weights)
            if "linear.weight" not in tables or len(tables["linear.weight"]) != step.dimensions:
                raise Unavailable(f"{step.weights} lacks its matrix.", hint="Copy the model's folder again.")
            dense.append((step, tables["linear.weight"], tables.get("linear.bias")))
        return _Loaded(read_tokenizer(folder.tokenizer, folder.length), rows, tuple(dense))


def read_tokenizer(path: Path, length: int) -> Tokenizer:
    """The tokenizer, told to cut at `length` tokens, to pad nothing, and to take control tokens in a text as text."""
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_buffer(path.read_bytes())
    except (OSError, ValueError) as error:
        hint = "Copy the model's folder again."
        raise Unavailable(f"{path} is no tokenizer that can be read: {error}.", hint=hint) from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(length)
    tokenizer.encode_special_tokens = True
    return tokenizer


def pooled(rows: NDArray[float32], modes: Sequence[str], skipped: int = 0) -> NDArray[float32]:
    """One vector of the rows of a text's tokens; of several ways of pooling, one after the other."""
    import numpy as np

    kept = rows[skipped:]
    places = np.arange(skipped + 1, len(rows) + 1, dtype=np.float32)[:, None]
    by_mode = {
        "cls": lambda: kept[0],
        "max": lambda: kept.max(axis=0),
        "mean": lambda: kept.mean(axis=0),
        "mean_sqrt_len_tokens": lambda: kept.sum(axis=0) / np.sqrt(np.float32(len(kept))),
        "weightedmean": lambda: (kept * places).sum(axis=0) / places.sum(),
        "lasttoken": lambda: kept[-1],
    }
    return np.concatenate([by_mode[mode]() for mode in modes])


def _through(
    step: Dense, weight: NDArray[float32], bias: NDArray[float32] | None, vector: NDArray[float32]
) -> NDArray[float32]:
    import numpy as np

    if weight.shape[1] != len(vector):
        raise Unavailable(f"{step.weights} does not fit the model.", hint="Copy the model's folder again.")
    result: NDArray[float32] = weight @ vector if bias is None else weight @ vector + bias
    return np.tanh(result) if step.activation == "tanh" else result


def _bert(folder: ModelFolder) -> Bert:
    if folder.weights is None:  # `read_folder` refuses such a folder
        raise Unavailable(f"The model at {folder.path} has no weights.", hint="Copy the model's folder again.")
    return Bert(folder.config, read_tensors(folder.weights))


def _graph_rows(graph: Graph) -> Callable[[Sequence[int]], NDArray[float32]]:
    """What runs the graph on one text. A graph that pools by itself gives a vector; others a row for each token."""
    import numpy as np

    wanted = next((name for name in (_POOLED, *_BY_TOKEN) if name in graph.outputs), graph.outputs[0])

    def rows(ids: Sequence[int]) -> NDArray[float32]:
        batch = np.array([ids], dtype=np.int64)
        made = graph.run(batch, np.ones_like(batch))[wanted]
        if made.ndim not in (2, 3) or len(made) != 1:
            hint = f"One of its outputs must be {_POOLED}, or {' or '.join(_BY_TOKEN)}."
            raise Unavailable(f"The graph's output {wanted} is no vector and no table of tokens.", hint=hint)
        one: NDArray[float32] = made[0]
        return one

    return rows
