"""BERT in numpy: what runs a folder of weights (MiniLM, BGE, E5, GTE, Arctic) that has no ONNX graph.

One text at a time and without padding, so that a text's vector cannot depend on its neighbours. No torch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..model.errors import Unavailable

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

_ACTIVATIONS = ("gelu", "gelu_new", "gelu_pytorch_tanh", "relu")
_HINT = "Give a folder with an ONNX graph, or install sentence-transformers."


def can_run(config: Mapping[str, Any]) -> bool:
    """Whether a folder's `config.json` describes what is built here."""
    return (
        config.get("model_type") == "bert"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and config.get("hidden_act", "gelu") in _ACTIVATIONS
        and not config.get("is_decoder")
    )


@dataclass(frozen=True, slots=True)
class _Linear:
    weight: NDArray[float32]  # (out, in), as torch keeps it
    bias: NDArray[float32]

    def __call__(self, rows: NDArray[float32]) -> NDArray[float32]:
        result: NDArray[float32] = rows @ self.weight.T
        result += self.bias
        return result


@dataclass(frozen=True, slots=True)
class _Norm:
    weight: NDArray[float32]
    bias: NDArray[float32]
    epsilon: float

    def __call__(self, rows: NDArray[float32]) -> NDArray[float32]:
        import numpy as np

        centred = rows - rows.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(self.epsilon))
        result: NDArray[float32] = centred / spread * self.weight + self.bias
        return result


@dataclass(frozen=True, slots=True)
class _Layer:
    query: _Linear
    key: _Linear
    value: _Linear
    joined: _Linear
    after_attention: _Norm
    wide: _Linear
    narrow: _Linear
    after_all: _Norm


class Bert:
    """The encoder: token ids in, one row of numbers a token out."""

    def __init__(self, config: Mapping[str, Any], tensors: Mapping[str, NDArray[float32]]) -> None:
        if not can_run(config):
            raise Unavailable(f"A model of the kind {config.get('model_type')!r} cannot be run here.", hint=_HINT)
        prefix = "bert." if "bert.embeddings.word_embeddings.weight" in tensors else ""
        self._named = {name.removeprefix(prefix): table for name, table in tensors.items()}
        self._epsilon = float(config.get("layer_norm_eps", 1e-12))
        self._heads = int(config["num_attention_heads"])
        self._activation = str(config.get("hidden_act", "gelu"))
        try:
            self._words = self._named["embeddings.word_embeddings.weight"]
            kinds = self._named["embeddings.token_type_embeddings.weight"]
            self._places = self._named["embeddings.position_embeddings.weight"] + kinds[0]
            self._first = self._norm("embeddings.LayerNorm")
            self._layers = [self._layer(f"encoder.layer.{at}.") for at in range(int(config["num_hidden_layers"]))]
        except KeyError as error:
            raise Unavailable(
                f"The weights of the model lack {error}.", hint="Copy the model's folder again."
            ) from error
        self._named = {}

    def tokens(self, ids: Sequence[int]) -> NDArray[float32]:
        """(tokens, hidden): what the last layer says of each token. As many tokens as there are places, at most."""
        rows = self._first(self._words[list(ids)] + self._places[: len(ids)])
        for layer in self._layers:
            rows = layer.after_attention(rows + layer.joined(self._attention(layer, rows)))
            rows = layer.after_all(rows + layer.narrow(self._activated(layer.wide(rows))))
        return rows

    def _attention(self, layer: _Layer, rows: NDArray[float32]) -> NDArray[float32]:
        import numpy as np

        count, hidden = rows.shape
        by_head = (count, self._heads, hidden // self._heads)
        query, key, value = (
            part(rows).reshape(by_head).swapaxes(0, 1) for part in (layer.query, layer.key, layer.value)
        )
        scores = query @ key.swapaxes(1, 2)
        scores *= np.float32(1.0 / math.sqrt(by_head[2]))
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        result: NDArray[float32] = (scores @ value).swapaxes(0, 1).reshape(count, hidden)
        return result

    def _activated(self, rows: NDArray[float32]) -> NDArray[float32]:
        import numpy as np

        if self._activation == "relu":
            return np.maximum(rows, 0)
        half = np.float32(0.5)
        if self._activation == "gelu":
            return half * rows * (1 + _erf(rows * np.float32(math.sqrt(0.5))))
        cubed = rows + np.float32(0.044715) * rows * rows * rows
        result: NDArray[float32] = half * rows * (1 + np.tanh(np.float32(math.sqrt(2 / math.pi)) * cubed))
        return result

    def _layer(self, at: str) -> _Layer:
        attention = f"{at}attention."
        return _Layer(
            query=self._linear(f"{attention}self.query"),
            key=self._linear(f"{attention}self.key"),
            value=self._linear(f"{attention}self.value"),
            joined=self._linear(f"{attention}output.dense"),
            after_attention=self._norm(f"{attention}output.LayerNorm"),
            wide=self._linear(f"{at}intermediate.dense"),
            narrow=self._linear(f"{at}output.dense"),
            after_all=self._norm(f"{at}output.LayerNorm"),
        )

    def _linear(self, name: str) -> _Linear:
        return _Linear(self._named[f"{name}.weight"], self._named[f"{name}.bias"])

    def _norm(self, name: str) -> _Norm:
        return _Norm(self._named[f"{name}.weight"], self._named[f"{name}.bias"], self._epsilon)


def _erf(numbers: NDArray[float32]) -> NDArray[float32]:
    """The error function, which numpy lacks: Abramowitz and Stegun 7.1.26, wrong by 1.5e-7 at most."""
    import numpy as np

    size = np.abs(numbers)
    t = 1 / (1 + np.float32(0.3275911) * size)
    series = np.zeros_like(t)
    for factor in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = (series + np.float32(factor)) * t
    result: NDArray[float32] = np.copysign(1 - series * np.exp(-size * size), numbers)
    return result
