"""The models in torch: a BERT of any depth and width, and the static tier, a table of rows that are summed.

The names of the weights are BERT's, so that MiniLM can be taken over and the export knows them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

HEADS, OUT = 12, 256


def _fake_int8(values: Tensor, dims: tuple[int, ...], *, symmetric: bool) -> Tensor:
    """What int8 would make of these numbers, with the gradient of the numbers themselves."""
    with torch.no_grad():
        if symmetric:
            scale = values.abs().amax(dims, keepdim=True).clamp_min(1e-8) / 127
            rounded = (values / scale).round().clamp(-127, 127) * scale
        else:
            low = values.amin(dims, keepdim=True).clamp_max(0)
            scale = (values.amax(dims, keepdim=True).clamp_min(0) - low).clamp_min(1e-8) / 255
            rounded = ((values - low) / scale).round() * scale + low
        error = rounded - values
    return values + error


class Linear(nn.Linear):
    """A matrix that can be trained as if it were int8 already: weights a channel, activations a text."""

    quantised = False

    def forward(self, rows: Tensor) -> Tensor:
        if not self.quantised:
            return super().forward(rows)
        weight = _fake_int8(self.weight, (1,), symmetric=True)
        return functional.linear(_fake_int8(rows, (-2, -1), symmetric=False), weight, self.bias)


class _Layer(nn.Module):
    def __init__(self, hidden: int, wide: int) -> None:
        super().__init__()
        this = nn.ModuleDict({part: Linear(hidden, hidden) for part in ("query", "key", "value")})
        out = nn.ModuleDict({"dense": Linear(hidden, hidden), "LayerNorm": nn.LayerNorm(hidden, eps=1e-12)})
        self.attention = nn.ModuleDict({"self": this, "output": out})
        self.intermediate = nn.ModuleDict({"dense": Linear(hidden, wide)})
        self.output = nn.ModuleDict({"dense": Linear(wide, hidden), "LayerNorm": nn.LayerNorm(hidden, eps=1e-12)})

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        texts, tokens, hidden = x.shape
        this, out = self.attention["self"], self.attention["output"]
        query, key, value = (this[part](x).view(texts, tokens, HEADS, hidden // HEADS).transpose(1, 2) for part in this)
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
        x = out["LayerNorm"](x + out["dense"](mixed.transpose(1, 2).reshape(texts, tokens, hidden)))
        wide = functional.gelu(self.intermediate["dense"](x))
        return self.output["LayerNorm"](x + self.output["dense"](wide))


class Encoder(nn.Module):
    """BERT, the mean of the tokens, and a matrix (no bias) to `out` dimensions, or none for the teacher."""

    def __init__(self, words: int, hidden: int, wide: Sequence[int], out: int | None = OUT) -> None:
        super().__init__()
        self.embeddings = nn.ModuleDict(
            {
                "word_embeddings": nn.Embedding(words, hidden),
                "position_embeddings": nn.Embedding(512, hidden),
                "token_type_embeddings": nn.Embedding(2, hidden),
                "LayerNorm": nn.LayerNorm(hidden, eps=1e-12),
            }
        )
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(_Layer(hidden, width) for width in wide)})
        self.dense = nn.Linear(hidden, out, bias=False) if out else None

    def pooled(self, ids: Tensor, mask: Tensor) -> Tensor:
        part = self.embeddings
        places = part["position_embeddings"].weight[: ids.shape[1]] + part["token_type_embeddings"].weight[0]
        x = part["LayerNorm"](part["word_embeddings"](ids) + places)
        seen = mask[:, None, None, :].bool()
        for layer in self.encoder["layer"]:
            x = layer(x, seen)
        return (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        vector = self.pooled(ids, mask)
        vector = vector.float() if self.dense is None else self.dense(vector).float()
        return functional.normalize(vector, dim=-1)

    def quantise(self, on: bool) -> None:
        for module in self.modules():
            if isinstance(module, Linear):
                module.quantised = on


def student_of(teacher: Mapping[str, Tensor], layers: Sequence[int], wide: int) -> Encoder:
    """MiniLM's layers `layers`, each with the `wide` units of its inner part that weigh most."""
    words, hidden = teacher["embeddings.word_embeddings.weight"].shape
    student = Encoder(words, hidden, [wide] * len(layers))
    own = {name: table for name, table in teacher.items() if name.startswith("embeddings.")}
    for at, layer in enumerate(layers):
        prefix = f"encoder.layer.{layer}."
        into = teacher[f"{prefix}intermediate.dense.weight"]
        back = teacher[f"{prefix}output.dense.weight"]
        best = (into.norm(dim=1) * back.norm(dim=0)).topk(wide).indices.sort().values
        for name, table in teacher.items():
            if name.startswith(prefix):
                if ".intermediate." in f".{name}":
                    table = table[best]
                elif name == f"{prefix}output.dense.weight":
                    table = table[:, best]
                own[f"encoder.layer.{at}.{name.removeprefix(prefix)}"] = table
    own["dense.weight"] = torch.eye(OUT, hidden)  # fitted before the training
    student.load_state_dict({name: table.clone().float() for name, table in own.items()})
    return student


class Static(nn.Module):
    """One row a unit (word piece, word, pair of words). A text is their sum, each times the root of its count."""

    def __init__(self, rows: Tensor) -> None:
        super().__init__()
        self.table = nn.EmbeddingBag.from_pretrained(rows, freeze=False, mode="sum")
        self.quantised = False

    def forward(self, ids: Tensor, starts: Tensor, weights: Tensor) -> Tensor:
        rows = _fake_int8(self.table.weight, (1,), symmetric=True) if self.quantised else self.table.weight
        made = functional.embedding_bag(ids, rows, starts, mode="sum", per_sample_weights=weights)
        return functional.normalize(made, dim=-1)


def teacher_from(weights: Mapping[str, Tensor]) -> Encoder:
    words, hidden = weights["embeddings.word_embeddings.weight"].shape
    layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
    wide = weights["encoder.layer.0.intermediate.dense.weight"].shape[0]
    teacher = Encoder(words, hidden, [wide] * layers, None)
    teacher.load_state_dict(dict(weights))
    return teacher.eval()


def schedule(step: int, steps: int, warm: float = 0.05) -> float:
    """The share of the learning rate at a step: up in a line, down in a half wave."""
    first = max(1, int(steps * warm))
    if step < first:
        return (step + 1) / first
    return 0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * (step - first) / max(1, steps - first)))
