"""How far back a history was read, where a limit cut it: what lies before is not found, and nobody would know."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple

from ...repository.changed import commit_moment
from ...repository.whole_history import commit_names


class ReadBack(NamedTuple):
    """The commit up to which all were read, its day ("" for one that no calendar has), how many were not, of how many,
    and the limit that cut it."""

    commit: str
    date: str
    earlier: int
    total: int
    limit: int


def read_back(root: str, known: Collection[str], limit: int, since: datetime | None = None) -> ReadBack | None:
    """None where all are read, of those after `since`. Few commits are counted before it is clear that there are more
    than `limit`."""
    if sum(1 for _ in commit_names(root, since, limit + 1)) <= limit:
        return None
    every = list(commit_names(root, since))
    telling = frozenset(commit_names(root, since, merges=False))
    # Beyond the limit, an earlier run may have read some. Merges say nothing and are not read.
    unread = [at for at in range(limit, len(every)) if every[at] not in known and every[at] in telling]
    if not unread:
        return None
    last = every[unread[0] - 1]
    at = commit_moment(root, last)
    return ReadBack(last, f"{at:%Y-%m-%d}" if at is not None else "", len(unread), len(every), limit)
