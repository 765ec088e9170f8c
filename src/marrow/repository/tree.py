"""The files of commits, from git's objects alone: what was never committed is not in them.

Only regular files are told. A link is a path that somebody wrote down, and a submodule is another repository.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

from .changed import answer_bytes, answer_line, is_writable
from .command import content, conversation, fields
from .gitconfig import FILE_BYTES_MAX, read_bounded
from .identity import locate

_LACKING_BYTES_MAX = 64 * 1024 * 1024
_REGULAR = (b"100644", b"100755", b"100664")  # the last one is of very old commits


class Blob(NamedTuple):
    """A file in a commit: its path from the root that was asked for, and the name of the object that it is."""

    path: str
    object: str


class Content(NamedTuple):
    """`data` is None for one that is larger than was asked for; `size` is below 0 for one that git does not have."""

    blob: Blob
    size: int
    data: bytes | None


def tree_of(root: str | os.PathLike[str], commit: str) -> list[Blob]:
    """Every file at or below `root` as a commit has it."""
    found = []
    with closing(fields(root, "ls-tree", "-r", "-z", commit)) as told:
        for line in told:
            about, _, name = line.partition(b"\t")
            mode, _, object_name = about.split()[:3]
            if mode in _REGULAR and is_writable(path := os.fsdecode(name)):
                found.append(Blob(path, object_name.decode()))
    return found


def tree_changes(root: str | os.PathLike[str], before: str, after: str) -> tuple[list[Blob], list[str]]:
    """From one commit to another: the files that came or changed, and the paths of those that went. Neither has to
    come from the other."""
    came, went = list[Blob](), list[str]()
    options = ("-r", "-z", "--raw", "--no-renames", "--no-abbrev", "--relative", "--ignore-submodules=none")
    with closing(fields(root, "diff-tree", *options, before, after, "--")) as told:
        for line in told:
            path = os.fsdecode(next(told, b""))
            _, mode, _, object_name, *_ = line.split()
            if not is_writable(path):
                continue
            if mode in _REGULAR:
                came.append(Blob(path, object_name.decode()))
            else:
                went.append(path)
    return came, went


def lacking(root: str | os.PathLike[str], commit: str) -> frozenset[str]:
    """The objects of a commit that a partial clone has not fetched. Asked for one of them, git ends."""
    place = locate(root, environ={})
    said = (read_bounded(os.path.join(place.common_dir, "config"), FILE_BYTES_MAX) or "").lower() if place else ""
    if "promisor" not in said and "partialclone" not in said:
        return frozenset()
    options = ("--objects", "--missing=print", "--quiet", f"{commit}^{{tree}}", "--")
    told, _ = content(root, "rev-list", *options, bytes_max=_LACKING_BYTES_MAX)
    return frozenset(line[1:].decode() for line in told.split(b"\n") if line.startswith(b"?"))


def contents(root: str | os.PathLike[str], blobs: Sequence[Blob], bytes_max: Callable[[str], int]) -> Iterator[Content]:
    """What files hold, in their order, read by one process. `bytes_max` says how much of a path is worth reading. A git
    that ends midway is an error: the rest is not taken for missing."""
    if not blobs:
        return
    asked = "".join(f"{blob.object}\n" for blob in blobs).encode()
    with conversation(root, "cat-file", "--batch", asked=asked) as told:
        for blob in blobs:
            head = answer_line(told, root)
            if len(head) != 3 or not head[2].isdigit():
                yield Content(blob, -1, None)
                continue
            size = int(head[2])
            yield Content(blob, size, answer_bytes(told, root, size, is_kept=size <= bytes_max(blob.path)))
