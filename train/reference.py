"""How a text becomes a vector, in as few lines as it takes: the static tier with numpy, the other with onnxruntime.

The folder holds
    tokenizer.json      word pieces (that of the teacher), for both tiers
    transformer.onnx    inputs input_ids, attention_mask (int64); output sentence_embedding (float32, unit length)
    static.npz          rows (units, 256) int8; scales (units,) float32; pieces (word pieces,) int32, the row or -1;
                        words, pairs: the text of rows, one a line, in UTF-8; word_rows, pair_rows: their rows, int32
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from marrow.providers.units import Units

TOKENS_MAX = 256


class StaticTier:
    """A sum of rows. The order of words is lost, but for the pairs that have a row."""

    def __init__(self, folder: Path) -> None:
        kept = np.load(folder / "static.npz")
        self._rows, self._scales = kept["rows"], kept["scales"]
        words, pairs = (bytes(kept[name]).decode().split("\n") for name in ("words", "pairs"))
        self._units = Units(
            Tokenizer.from_file(str(folder / "tokenizer.json")),
            kept["pieces"].tolist(),
            dict(zip(words, kept["word_rows"].tolist(), strict=True)),
            dict(zip(pairs, kept["pair_rows"].tolist(), strict=True)) if pairs != [""] else {},
        )

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        made = np.zeros((len(texts), self._rows.shape[1]), np.float32)
        for at, text in enumerate(texts):
            counts = Counter(self._units.rows(text))
            if counts:
                which = np.fromiter(counts, np.int64, len(counts))
                weight = np.sqrt(np.fromiter(counts.values(), np.float32, len(counts))) * self._scales[which]
                made[at] = weight @ self._rows[which].astype(np.float32)
        return made / np.maximum(np.linalg.norm(made, axis=1, keepdims=True), 1e-9)


class Transformer:
    """One text at a time, so that a vector does not depend on what is embedded beside it."""

    def __init__(self, graph: Path, tokenizer: Path, threads: int = 1, length: int = TOKENS_MAX) -> None:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        self._session = onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
        self._tokenizer = Tokenizer.from_file(str(tokenizer))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(length)

    def __call__(self, texts: Sequence[str]) -> NDArray[np.float32]:
        made = []
        for text in texts:
            ids = np.array([self._tokenizer.encode(text[: 16 * TOKENS_MAX]).ids], np.int64)
            made.append(self._session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0])
        return np.stack(made)
