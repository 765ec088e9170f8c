"""The first stage: the teacher itself learns from the pairs, a little, before it teaches.

It learns from everything that was written for this, and from a sample of the other pairs; its own first vectors hold it
where it was. A large model makes more of a few thousand pairs than a small one, and hands it on with every text.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

import numpy as np
import torch
from batches import Draw, Tokens, all_vectors, autocast, hard_negatives
from encoder import schedule
from losses import contrast, same_group
from mpnet import Mpnet, mpnet_from
from torch import Tensor

from corpus import QUESTION_TOKENS, Corpus

SAMPLE = 100_000
# With these about two fifths of what is drawn was written by hand.
DRAWN = {"written": 2.7, "asked": 0.65}
PAIRS = 512


@dataclasses.dataclass(frozen=True)
class Tuning:
    """`hold` is the weight of what keeps it where it was."""

    steps: int
    pairs: int
    rate: float
    hold: float
    longest: int
    seed: int


def _sample(corpus: Corpus, seed: int) -> Corpus:
    chance = np.random.default_rng(seed)
    sure = np.isin(corpus.kind, [corpus.kinds.index(kind) for kind in ("written", "asked")])
    others = np.flatnonzero(~sure)
    chosen = np.sort(
        np.concatenate([np.flatnonzero(sure), chance.choice(others, min(SAMPLE, len(others)), replace=False)])
    )
    kept = {name: getattr(corpus, name)[chosen] for name in ("asked", "answer", "kind")}
    return dataclasses.replace(corpus, **kept)


def tuned(
    weights: Mapping[str, Tensor], corpus: Corpus, tokens_of: Tokens, device: torch.device, tuning: Tuning,
    say: Callable[[str], None],
) -> Mpnet:  # fmt: skip
    """Halfway the hard negatives are mined anew, by what it has learnt until then."""
    model = mpnet_from(weights).to(device)
    part, pairs, steps = _sample(corpus, tuning.seed), tuning.pairs, tuning.steps
    used = torch.from_numpy(np.unique(np.concatenate([part.asked.ravel(), part.answer]))).to(device).long()
    known = all_vectors(model, tokens_of, len(corpus.texts), device, used)
    draw = Draw(part, hard_negatives(known, part, device), device, tuning.seed, DRAWN)
    group = torch.from_numpy(corpus.group).to(device)
    say(f"tuning the teacher on {len(part.answer)} pairs of {len(used)} texts")
    optimiser = torch.optim.AdamW(model.parameters(), lr=tuning.rate, weight_decay=0.01, fused=device.type == "cuda")
    total = torch.zeros((), device=device)
    every = max(1, steps // 5)
    for step in range(steps):
        if step == steps // 2:
            now = all_vectors(model, tokens_of, len(corpus.texts), device, used)
            draw.negatives = hard_negatives(now, part, device)
            del now
        model.train()
        for entry in optimiser.param_groups:
            entry["lr"] = tuning.rate * schedule(step, steps, 0.1)
        asked, right, wrong, _ = draw(pairs, 1)
        numbers = torch.cat([asked, right, wrong])
        with autocast(device):
            made = tokens_of.encode(model, (asked, numbers[pairs:]), (QUESTION_TOKENS, tuning.longest), 256)
        before = known[numbers].float()
        learnt = contrast(
            made[:pairs], made[pairs : 2 * pairs], made[2 * pairs :], before[pairs:], same_group(numbers, pairs, group)
        )
        loss = learnt + tuning.hold * (1 - (made * before).sum(1)).mean()
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        total += loss.detach()
        if (step + 1) % every == 0:
            say(f"teacher step {step + 1}: loss {total.item() / every:.4f}")
            total.zero_()
    return model.eval()
