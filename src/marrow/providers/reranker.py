"""A reranker reads a question and a text together, and says how well the one answers the other. Optional and local.

It is slower than comparing vectors by far, so it works against a budget: when the time is over it gives up, and the
order stays as it was. A cross-encoder's folder has an ONNX graph, a `tokenizer.json` and a `config.json`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from ..model.errors import Invalid, Unavailable
from .graph import Graph
from .local import CHARACTERS_A_TOKEN, read_tokenizer
from .model_folder import ModelFolder, read_folder
from .rows import sendable

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray
    from tokenizers import Encoding, Tokenizer

BATCH = 8
"""So many texts between two looks at the clock."""

NONE, LOCAL = "none", "local:"


class Reranker(Protocol):
    """Scores texts against a question."""

    def scores(self, question: str, texts: Sequence[str], budget_ms: float) -> list[float] | None:
        """A number from 0 to 1 for each text, more for a better answer; None when the time was not enough."""
        ...


def reranker(name: str) -> Reranker | None:
    """The reranker with this name: `none`, or a cross-encoder's folder or ONNX file as a path or `local:PATH`."""
    if name == NONE:
        return None
    where = name.removeprefix(LOCAL)
    if not where:
        raise Invalid("No reranker is named.", hint="Give none, or the folder of a cross-encoder.", field="reranker")
    return OnnxReranker(Path(where).expanduser())


class OnnxReranker:
    """A cross-encoder. Loads it on first use, which counts against the budget; can be shared by threads."""

    def __init__(self, where: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.folder: ModelFolder = read_folder(where)
        if self.folder.graph is None:
            hint = "Export the cross-encoder to ONNX."
            raise Unavailable(f"The reranker at {where} has no ONNX graph.", hint=hint, field="reranker")
        labels = self.folder.config.get("id2label")
        if isinstance(labels, dict) and len(labels) != 1:
            hint = "Give a cross-encoder that was trained to rank."
            raise Unavailable(
                f"The model at {where} gives {len(labels)} labels, and no score.", hint=hint, field="reranker"
            )
        self._clock = clock
        self._lock = threading.Lock()
        self._loaded: tuple[Tokenizer, Graph] | None = None

    def warm(self) -> None:
        """Load the model now, so that the first question need not."""
        self._load()

    def scores(self, question: str, texts: Sequence[str], budget_ms: float) -> list[float] | None:
        end = self._clock() + budget_ms / 1000
        tokenizer, graph = self._load()
        most = self.folder.length * CHARACTERS_A_TOKEN
        asked = sendable(question)[:most]
        # Those of like length together: the shorter are padded to the longest of a batch.
        order = sorted(range(len(texts)), key=lambda at: len(texts[at]))
        found = [0.0] * len(texts)
        slowest = 0.0
        for start in range(0, len(order), BATCH):
            begun = self._clock()
            if begun + slowest >= end:
                return None
            places = order[start : start + BATCH]
            pairs = [tokenizer.encode(asked, sendable(texts[at])[:most]) for at in places]
            for at, score in zip(places, _scored(graph, pairs), strict=True):
                found[at] = score
            slowest = max(slowest, self._clock() - begun)
        return found

    def _load(self) -> tuple[Tokenizer, Graph]:
        with self._lock:
            if self._loaded is None and self.folder.graph is not None:
                tokenizer = read_tokenizer(self.folder.tokenizer, self.folder.length)
                self._loaded = (tokenizer, Graph(self.folder.graph))
            if self._loaded is None:  # the constructor refuses such a folder
                raise Unavailable("The reranker has no ONNX graph.", hint="Export the cross-encoder to ONNX.")
            return self._loaded


def _scored(graph: Graph, pairs: Sequence[Encoding]) -> list[float]:
    import numpy as np

    longest = max(len(pair.ids) for pair in pairs)
    ids, mask, types = (np.zeros((len(pairs), longest), dtype=np.int64) for _ in range(3))
    for row, pair in enumerate(pairs):
        count = len(pair.ids)
        ids[row, :count], mask[row, :count], types[row, :count] = pair.ids, 1, pair.type_ids
    name = "logits" if "logits" in graph.outputs else graph.outputs[0]
    logits: NDArray[float32] = graph.run(ids, mask, types)[name]
    if logits.size != len(pairs) or not np.isfinite(logits).all():
        hint = "Give a cross-encoder with one label."
        raise Unavailable("The reranker does not give one score for each text.", hint=hint, field="reranker")
    return [float(score) for score in 1 / (1 + np.exp(-logits.astype(np.float64).ravel()))]
