"""The files of commits, from git's objects alone: what was never committed is not in them.

Only regular files are told. A link is a path that somebody wrote down, and a submodule is another repository.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import IO, NamedTuple

from .changed import is_writable
from .command import conversation, fields

_REGULAR = (b"100644", b"100755", b"100664")  # the last one is of very old commits
_CHUNK_BYTES = 1 << 20


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


def contents(root: str | os.PathLike[str], blobs: Sequence[Blob], bytes_max: Callable[[str], int]) -> Iterator[Content]:
    """What files hold, in their order, read by one process. `bytes_max` says how much of a path is worth reading."""
    if not blobs:
        return
    asked = "".join(f"{blob.object}\n" for blob in blobs).encode()
    with conversation(root, "cat-file", "--batch", asked=asked) as told:
        for blob in blobs:
            head = told.readline().split()
            if len(head) != 3 or not head[2].isdigit():
                yield Content(blob, -1, None)
                continue
            size = int(head[2])
            if size > bytes_max(blob.path):
                _pass_over(told, size)
                data = None
            else:
                data = told.read(size)
            told.read(1)
            yield Content(blob, size, data)


def _pass_over(stream: IO[bytes], size: int) -> None:
    while size > 0 and (chunk := stream.read(min(size, _CHUNK_BYTES))):
        size -= len(chunk)
