"""Texts on the device: padded batches of tokens, bags of static units, what is drawn in a step, and whole sets of
vectors with the hard negatives that are mined from them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from encoder import Encoder, Static
from mpnet import Mpnet
from torch import Tensor

from corpus import SURE_KINDS, Corpus, Ragged

# How often pairs of a kind are drawn, compared with others of the same number.
DRAWN = {
    "written": 6.8,
    "asked": 2.4,
    "qa": 3.0,
    "doc": 1.2,
    "same": 1.0,
    "part": 0.6,
    "dict": 0.5,
    "comment": 0.7,
    "chat": 1.0,
    "python": 1.3,
    "way": 0.4,
}
# A question as it was, as people ask, with fewer of the text's words.
FORMS = (0.5, 0.22, 0.28)
# Two memories that are nearer to each other than this may both be right.
SAYS_THE_SAME = 0.7


class Tokens:
    """The token ids of all texts on the device; makes padded batches, short texts beside short ones."""

    def __init__(self, made: Ragged, device: torch.device) -> None:
        self.values = torch.from_numpy(made.values.astype(np.int32)).to(device)
        self.starts = torch.from_numpy(made.starts).to(device)
        self.lengths = self.starts[1:] - self.starts[:-1]

    def batch(self, numbers: Tensor, longest: int) -> tuple[Tensor, Tensor]:
        lengths = self.lengths[numbers].clamp_max(longest)
        return self._padded(numbers, lengths, int(lengths.max()))

    def _padded(self, numbers: Tensor, lengths: Tensor, width: int) -> tuple[Tensor, Tensor]:
        width = (width + 7) // 8 * 8
        places = torch.arange(width, device=numbers.device)
        mask = places[None, :] < lengths[:, None]
        at = (self.starts[numbers][:, None] + places[None, :]).clamp_max(len(self.values) - 1)
        return torch.where(mask, self.values[at], 0).long(), mask

    def encode(
        self, model: Encoder | Mpnet, numbers: Sequence[Tensor], longest: Sequence[int], size: int = 512
    ) -> Tensor:
        """The vectors of several lists of texts, each list cut at its own length. All are sorted together: padded to
        the longest of its list, a batch would be twice as large.
        """
        every = torch.cat(list(numbers))
        lengths = torch.cat([self.lengths[some].clamp_max(most) for some, most in zip(numbers, longest, strict=True)])
        lengths, order = lengths.sort()
        parts = order.split(size)
        ends = torch.tensor([len(some) for some in parts]).cumsum(0) - 1
        widths = lengths[ends.to(lengths.device)].tolist()
        made = [
            model(*self._padded(every[some], own, width))
            for some, own, width in zip(parts, lengths.split(size), widths, strict=True)
        ]
        return torch.cat(made)[order.argsort()]


class Bags:
    """The static tier's units of all texts on the device."""

    def __init__(self, rows: Ragged, weights: Ragged, device: torch.device) -> None:
        self.rows = torch.from_numpy(rows.values.astype(np.int32)).to(device)
        self.weights = torch.from_numpy(weights.values.astype(np.float32)).to(device)
        self.starts = torch.from_numpy(rows.starts).to(device)

    def encode(self, model: Static, numbers: Tensor, dropped: float = 0.0) -> Tensor:
        begin, end = self.starts[numbers], self.starts[numbers + 1]
        lengths = end - begin
        starts = lengths.cumsum(0) - lengths
        at = torch.arange(int(lengths.sum()), device=numbers.device)
        at = at + torch.repeat_interleave(begin - starts, lengths)
        weights = self.weights[at]
        if dropped:
            weights = weights * (torch.rand_like(weights) >= dropped)
        return model(self.rows[at].long(), starts, weights)


class Draw:
    """Draws pairs by kind, a form of each question, a hard negative, and texts that stand alone."""

    def __init__(
        self, corpus: Corpus, negatives: Tensor, device: torch.device, seed: int, drawn: Mapping[str, float] = DRAWN
    ) -> None:
        self.asked = torch.from_numpy(corpus.asked).to(device).long()
        self.answer = torch.from_numpy(corpus.answer).to(device).long()
        self.alone = torch.from_numpy(corpus.alone).to(device).long()
        self.negatives = negatives
        weights = torch.tensor([drawn.get(kind, 1.0) for kind in corpus.kinds])[torch.from_numpy(corpus.kind).long()]
        self.edges = weights.double().cumsum(0).to(device)
        self.chance = torch.Generator(device).manual_seed(seed)

    def __call__(self, pairs: int, alone: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        device, chance = self.answer.device, self.chance
        at = torch.rand(pairs, device=device, generator=chance, dtype=torch.float64) * self.edges[-1]
        which = torch.searchsorted(self.edges, at).clamp_max(len(self.answer) - 1)
        form = torch.multinomial(torch.tensor(FORMS, device=device), pairs, True, generator=chance)
        worst = torch.randint(self.negatives.shape[1], (pairs,), device=device, generator=chance)
        rest = torch.randint(len(self.alone), (alone,), device=device, generator=chance)
        return self.asked[which, form], self.answer[which], self.negatives[which, worst].long(), self.alone[rest]


def autocast(device: torch.device) -> torch.autocast:
    return torch.autocast(device.type, torch.bfloat16, enabled=device.type == "cuda")


@torch.no_grad()
def all_vectors(
    model: Encoder | Mpnet, tokens_of: Tokens, count: int, device: torch.device, only: Tensor | None = None
) -> Tensor:
    """One vector a text; where `only` some are wanted, the others are zero."""
    model.eval()
    order = tokens_of.lengths.argsort() if only is None else only[tokens_of.lengths[only].argsort()]
    made: Tensor | None = None
    for some in order.split(2048):
        ids, mask = tokens_of.batch(some, 512)
        with autocast(device):
            vectors = model(ids, mask)
        if made is None:
            made = torch.zeros(count, vectors.shape[1], dtype=torch.float16, device=device)
        made[some] = vectors.half()
    assert made is not None
    return made


@torch.no_grad()
def hard_negatives(vectors: Tensor, corpus: Corpus, device: torch.device, count: int = 24) -> Tensor:
    """For each pair, texts that the teacher finds near the question, but not so near as to be right as well. Of pairs
    that were written we know which is right, so others may be as near as they like, unless they say what the right one
    says: several people wrote, and now and then about the same thing.
    """
    asked = torch.from_numpy(corpus.asked[:, 0]).to(device).long()
    answer = torch.from_numpy(corpus.answer).to(device).long()
    group = torch.from_numpy(corpus.group).to(device)
    kinds = torch.from_numpy(corpus.kind).to(device)
    chosen = torch.empty(len(asked), count, dtype=torch.int32, device=device)
    for kind in kinds.unique():
        mine = (kinds == kind).nonzero()[:, 0]
        sure = corpus.kinds[int(kind)] in SURE_KINDS
        listed = answer[mine].unique()
        texts = vectors[listed]
        for some in mine.split(4096):
            near = vectors[asked[some]] @ texts.T
            if not sure:
                right = (vectors[asked[some]] * vectors[answer[some]]).sum(1, keepdim=True)
                near[near > right.clamp_min(0.25) * 0.95] = -1  # may be an answer too
            else:
                near[vectors[answer[some]] @ texts.T > SAYS_THE_SAME] = -1
            near[group[listed][None, :] == group[answer[some]][:, None]] = -1
            best = near.topk(min(count, near.shape[1]), dim=1).indices
            if best.shape[1] < count:
                best = best.repeat(1, count)[:, :count]
            chosen[some] = listed[best].int()
    return chosen
