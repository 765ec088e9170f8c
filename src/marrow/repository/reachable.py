"""Which commits nothing reaches any more: amended, rebased or reset away. Git keeps them for a while, and then not."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from itertools import islice
from typing import NamedTuple

from .command import answered, conversation

COMMITS_MAX = 100_000
GIT_SECONDS = 10.0
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# What git puts aside for somebody is no branch: the commit that it was made on may be gone all the same.
_ASIDE = ("--exclude=refs/stash", "--exclude=refs/original/*")


class Unreached(NamedTuple):
    """`left` are commits that no branch, no tag and no HEAD reaches; `missing` are those that git does not have."""

    left: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()


def is_before_head(root: str | os.PathLike[str], commit: str) -> bool:
    """Whether HEAD comes from a commit, or is it."""
    if not _HASH.fullmatch(commit):
        return False
    options = ("merge-base", "--is-ancestor", commit, "HEAD")
    return answered(root, *options, bytes_max=200, seconds=GIT_SECONDS).code == 0


def unreached(root: str | os.PathLike[str], commits: Collection[str]) -> Unreached:
    """Of these commits, by their whole hashes, and of those that they come from. Where git fails, nothing is told."""
    asked = [commit for commit in islice(commits, COMMITS_MAX) if _HASH.fullmatch(commit)]
    if not asked:
        return Unreached()
    lines = "".join(f"{commit}\n" for commit in asked).encode()
    with conversation(root, "cat-file", "--batch-check", asked=lines) as told:
        missing = {line.split()[0].decode() for line in told if line.endswith(b" missing\n")}
    reached = ("--not", *_ASIDE, "--all", "HEAD")
    with conversation(root, "rev-list", "--ignore-missing", "--stdin", *reached, asked=lines) as told:
        left = [line.decode("ascii", "replace").strip() for line in islice(told, COMMITS_MAX)]
    return Unreached(frozenset(left), frozenset(missing))
