"""The commits that changed a file, under this name and those that it had before."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from marrow.model.errors import Invalid

from .command import fields
from .head import head_of, repository_at, shallow_mark, working_folder
from .history import moment_of
from .kept import Kept

LIMIT_MAX = 1_000
_FORMAT = "--format=tformat:%x00%H%x00%an%x00%at%x00%ct%x00%s"
_FIELDS = 5
_WORDS = {"A": "added", "D": "deleted", "R": "renamed", "C": "copied"}


@dataclass(frozen=True, slots=True)
class FileCommit:
    """A commit that changed a file. `path` is what it was called then, and `before` what it had been called until then
    where this commit renamed it."""

    hash: str
    author: str
    at: datetime
    subject: str
    what: str
    path: str
    before: str = ""


_kept: Kept[tuple[str, str, str, str, int], tuple[FileCommit, ...]] = Kept(512)


def checked_limit(limit: int) -> int:
    if not 1 <= limit <= LIMIT_MAX:
        raise Invalid(f"limit is a number from 1 to {LIMIT_MAX:,}.", field="limit")
    return limit


def file_history(root: str | os.PathLike[str], path: str, limit: int = 10) -> tuple[FileCommit, ...]:
    """The latest first. `path` is from the repository's root; the file may be gone. Git looks through all commits for
    it, so the answer is kept as long as the head stays where it is."""
    checked_limit(limit)
    place = repository_at(root)
    head = head_of(place).commit
    if not head:
        return ()
    key = (place.common_dir, head, shallow_mark(place), path, limit)
    if (known := _kept.get(key)) is not None:
        return known
    return _kept.keep(key, tuple(_followed(working_folder(place), head, path, limit)))


def _followed(folder: str, head: str, path: str, limit: int) -> Iterator[FileCommit]:
    arguments = ["log", "-z", _FORMAT, "--follow", "--name-status", "--find-renames", f"--max-count={limit}"]
    arguments += ["--no-show-signature", "--no-color", "--no-notes", "--no-ext-diff", "--no-textconv"]
    arguments += [f"-O{os.devnull}", "--encoding=UTF-8", head, "--", f":(literal,top){path}"]
    with closing(fields(folder, *arguments)) as told:
        begins = next(told, None)
        while begins is not None:
            hash_, author, written, committed, subject = (
                field.decode("utf-8", "replace") for field in islice(told, _FIELDS)
            )
            what, name, before = "modified", path, ""
            while status := next(told, None):
                letter = status.removeprefix(b"\n")[:1].decode("ascii", "replace")
                what, name = _WORDS.get(letter, "modified"), next(told, b"").decode("utf-8", "replace")
                if letter in "RC":
                    before, name = name, next(told, b"").decode("utf-8", "replace")
            begins = status
            yield FileCommit(hash_, author, moment_of(written, committed), subject, what, name, before)
