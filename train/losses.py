"""What is learnt: to be where the teacher is, to see texts as near to each other as it does, and to find the answer."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

TEMPERATURE = 0.05
ALIKE = 0.92


def contrast(asked: Tensor, right: Tensor, wrong: Tensor, known: Tensor, same: Tensor) -> Tensor:
    """InfoNCE both ways; texts that the teacher holds for the same as the answer are no negatives."""
    scores = asked @ torch.cat([right, wrong]).T / TEMPERATURE
    count = len(asked)
    alike = (known[:count] @ known.T) > ALIKE
    alike |= same
    eye = torch.arange(count, device=asked.device)
    alike[eye, eye] = False
    forth = functional.cross_entropy(scores.masked_fill(alike, -1e4), eye)
    back = functional.cross_entropy(scores[:, :count].masked_fill(alike[:, :count], -1e4).T, eye)
    return forth + 0.5 * back


def agreement(mine: Tensor, theirs: Tensor) -> Tensor:
    """KL between the two similarity matrices of a batch, row by row, each text against the others."""
    eye = torch.eye(len(mine), dtype=torch.bool, device=mine.device)
    ours = ((mine @ mine.T) / TEMPERATURE).masked_fill(eye, -1e4).log_softmax(1)
    wanted = ((theirs @ theirs.T) / TEMPERATURE).masked_fill(eye, -1e4).log_softmax(1)
    return functional.kl_div(ours, wanted, reduction="batchmean", log_target=True)


def ranking(asked: Tensor, texts: Tensor, wanted: Tensor, known: Tensor) -> Tensor:
    """KL between how near each question finds the texts of a batch, and how near the teacher does."""
    ours = (asked @ texts.T / TEMPERATURE).log_softmax(1)
    theirs = (wanted @ known.T / TEMPERATURE).log_softmax(1)
    return functional.kl_div(ours, theirs, reduction="batchmean", log_target=True)


def same_group(numbers: Tensor, pairs: int, group: Tensor) -> Tensor:
    """Which of the answers and hard negatives are about the same thing as each answer."""
    return group[numbers[pairs : 3 * pairs]][None, :] == group[numbers[pairs : 2 * pairs]][:, None]


def losses(
    made: Tensor, numbers: Tensor, pairs: int, known: Tensor, target: Tensor, trust: Tensor, group: Tensor, share: float
) -> Tensor:  # fmt: skip
    """`made` are the vectors of questions, answers, hard negatives and lone texts, in this order; `share` is the weight
    of what is learnt from pairs, against what is learnt from the teacher.
    """
    theirs = known[numbers].float()
    follow = ((1 - (made * target[numbers].float()).sum(1)) * trust[numbers]).mean()
    kept = torch.cat([torch.arange(pairs, device=made.device), torch.arange(3 * pairs, len(made), device=made.device)])
    match = agreement(made[kept], theirs[kept])
    same = same_group(numbers, pairs, group)
    right, wrong = made[pairs : 2 * pairs], made[2 * pairs : 3 * pairs]
    match = match + ranking(made[:pairs], made[pairs : 3 * pairs], theirs[:pairs], theirs[pairs : 3 * pairs])
    learnt = contrast(made[:pairs], right, wrong, theirs[pairs : 3 * pairs], same)
    return 2.0 * follow + match + share * learnt
