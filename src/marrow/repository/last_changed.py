"""When files were last changed by a commit: the times of files in a fresh clone say only when it was cloned."""

from __future__ import annotations

import os
import time
from collections.abc import Collection
from contextlib import closing

from marrow.model.errors import Invalid, Unavailable

from .changed import is_possible
from .command import fields

SECONDS_MAX = 5.0
_MARK = b"\x01"


def last_changed(root: str | os.PathLike[str], paths: Collection[str]) -> dict[str, int]:
    """The time in seconds of the last commit that touched each of these files, from `root`. Those of which the newest
    commits say nothing, within a time, are left out, and so are those that were changed when no calendar has it."""
    missing, found = set(paths), dict[str, int]()
    if not missing:
        return found
    until, at = time.monotonic() + SECONDS_MAX, 0
    options = ("log", "--no-merges", "--no-renames", "--relative", "--name-only", "-z", "--format=tformat:%x01%ct")
    with closing(fields(root, *options, "HEAD", "--")) as told:
        try:
            for field in told:
                name = field.lstrip(b"\n")
                if name.startswith(_MARK):
                    at = int(name[1:].split(b"\n")[0] or 0)
                    if not missing or time.monotonic() > until:
                        break
                elif (path := os.fsdecode(name)) in missing:
                    missing.discard(path)
                    if is_possible(at):
                        found[path] = at
        except (Invalid, Unavailable, ValueError):  # no repository, or none that says
            return found
    return found
