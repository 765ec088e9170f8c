"""The teacher in torch: MPNet (all-mpnet-base-v2), a BERT whose attention knows how far apart two tokens are.

It reads the token ids of the student. Both have the same word pieces; MPNet's ids are four higher, but for the marks at
the ends.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import torch
from torch import Tensor, nn
from torch.nn import functional

HEADS, LAYERS, HIDDEN, WIDE, BUCKETS, FARTHEST = 12, 12, 768, 3072, 32, 128
WORDS, PLACES, FIRST_PLACE = 30_527, 514, 2
# BERT's ids of the marks, and MPNet's.
BEGIN, END = (101, 0), (102, 2)
SHIFT = 4


def _norm() -> nn.LayerNorm:
    return nn.LayerNorm(HIDDEN, eps=1e-5)


class _Layer(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        parts = nn.ModuleDict({part: nn.Linear(HIDDEN, HIDDEN) for part in "qkvo"})
        self.attention = nn.ModuleDict({"attn": parts, "LayerNorm": _norm()})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(HIDDEN, WIDE)})
        self.output = nn.ModuleDict({"dense": nn.Linear(WIDE, HIDDEN), "LayerNorm": _norm()})

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        texts, tokens, _ = x.shape
        own = self.attention["attn"]
        query, key, value = (own[part](x).view(texts, tokens, HEADS, -1).transpose(1, 2) for part in "qkv")
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias.to(query.dtype))
        x = self.attention["LayerNorm"](x + own["o"](mixed.transpose(1, 2).reshape(texts, tokens, HIDDEN)))
        wide = functional.gelu(self.intermediate["dense"](x))
        return self.output["LayerNorm"](x + self.output["dense"](wide))


def _buckets(tokens: int, device: torch.device) -> Tensor:
    """How far each token is from each other, in 32 steps that grow with the distance: half before, half after."""
    places = torch.arange(tokens, device=device)
    away = places[:, None] - places[None, :]
    half = BUCKETS // 2
    near = half // 2
    far = away.abs()
    grown = near + ((far.clamp_min(1) / near).log() / math.log(FARTHEST / near) * (half - near)).long()
    return (away < 0).long() * half + torch.where(far < near, far, grown.clamp_max(half - 1))


class Mpnet(nn.Module):
    """Gives the mean of the tokens at unit length."""

    def __init__(self) -> None:
        super().__init__()
        self.embeddings = nn.ModuleDict(
            {
                "word_embeddings": nn.Embedding(WORDS, HIDDEN),
                "position_embeddings": nn.Embedding(PLACES, HIDDEN),
                "LayerNorm": _norm(),
            }
        )
        self.encoder = nn.ModuleDict(
            {
                "layer": nn.ModuleList(_Layer() for _ in range(LAYERS)),
                "relative_attention_bias": nn.Embedding(BUCKETS, HEADS),
            }
        )

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        own = ids + SHIFT
        for theirs, mine in (BEGIN, END):
            own = own.masked_fill(ids == theirs, mine)
        tokens = ids.shape[1]
        places = self.embeddings["position_embeddings"].weight[FIRST_PLACE : FIRST_PLACE + tokens]
        x = self.embeddings["LayerNorm"](self.embeddings["word_embeddings"](own) + places)
        bias = self.encoder["relative_attention_bias"].weight.detach()[_buckets(tokens, ids.device)].permute(2, 0, 1)
        if torch.is_autocast_enabled(ids.device.type):
            bias = bias.to(torch.get_autocast_dtype(ids.device.type))
        bias = bias[None].masked_fill(~mask[:, None, None, :].bool(), -1e4)
        for layer in self.encoder["layer"]:
            x = layer(x, bias)
        mean = (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
        return functional.normalize(mean.float(), dim=-1)


def mpnet_from(weights: Mapping[str, Tensor]) -> Mpnet:
    model = Mpnet()
    names = model.state_dict()
    model.load_state_dict({name: table for name, table in weights.items() if name in names})
    return model.eval()
