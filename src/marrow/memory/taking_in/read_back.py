"""How far back a history was read, where a limit cut it: what lies before is not found, and nobody would know."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from ...repository.changed import commit_moment
from ...repository.whole_history import commit_names


class ReadBack(NamedTuple):
    """The earliest commit that was read, its day ("" for one that no calendar has), how many come before it, and how
    many there are in all."""

    commit: str
    date: str
    earlier: int
    total: int


def read_back(root: str, known: Collection[str], limit: int, since: datetime | None = None) -> ReadBack | None:
    """None where all are read, of those after `since`. Few commits are counted before it is clear that there are more
    than `limit`."""
    if sum(1 for _ in commit_names(root, since, limit + 1)) <= limit:
        return None
    every = list(commit_names(root, since))
    # Those beyond the limit that an earlier run read with a higher one; merges among them say nothing and are unknown.
    last = max((at for at, commit in enumerate(every) if commit in known), default=limit - 1)
    last = max(last, limit - 1)
    earlier = len(every) - 1 - last
    if earlier <= 0:
        return None
    at = commit_moment(root, every[last])
    return ReadBack(every[last], f"{at:%Y-%m-%d}" if at is not None else "", earlier, len(every))
