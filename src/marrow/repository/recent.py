"""The latest commits with how much each changed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from marrow.model.errors import Invalid, Unavailable

from .command import fields
from .head import head_of, oldest_here, repository_at, shallow_mark, working_folder
from .history import moment_of
from .kept import Kept

LIMIT_MAX = 1_000
_FORMAT = "--format=tformat:%x00%H%x00%P%x00%an%x00%at%x00%ct%x00%s%x00%b"
_FIELDS = 7


@dataclass(frozen=True, slots=True)
class Recent:
    """`files`, `added` and `removed` are None where git could not count them, as of a commit whose parents are cut off
    (`is_cut_off`); a merge has none of its own."""

    hash: str
    author: str
    at: datetime
    subject: str
    body: str
    is_merge: bool
    files: int | None = None
    added: int | None = None
    removed: int | None = None
    is_cut_off: bool = False


_kept: Kept[tuple[str, str, str, int], tuple[Recent, ...]] = Kept(64)


def recent_commits(root: str | os.PathLike[str], limit: int = 10) -> tuple[Recent, ...]:
    """The latest of the branch at hand, newest first. None in a repository without commits."""
    if not 1 <= limit <= LIMIT_MAX:
        raise Invalid(f"limit is a number from 1 to {LIMIT_MAX:,}.", field="limit")
    place = repository_at(root)
    head = head_of(place).commit
    if not head:
        return ()
    key = (place.common_dir, head, shallow_mark(place), limit)
    if (known := _kept.get(key)) is not None:
        return known
    folder = working_folder(place)
    try:
        found = tuple(_recent(folder, head, limit, is_counted=True))
    except Unavailable:  # counting needs files that a partial copy lacks
        found = tuple(_recent(folder, head, limit, is_counted=False))
    cut_off = oldest_here(place)
    return _kept.keep(key, tuple(_uncounted(one) if one.hash in cut_off else one for one in found))


def _uncounted(one: Recent) -> Recent:
    return replace(one, files=None, added=None, removed=None, is_cut_off=True)


def _recent(folder: str, head: str, limit: int, *, is_counted: bool) -> Iterator[Recent]:
    arguments = ["log", "-z", _FORMAT, f"--max-count={limit}", "--no-show-signature", "--no-color", "--no-notes"]
    counting = ("--numstat", "--find-renames", "--no-ext-diff", "--no-textconv", f"-O{os.devnull}")
    arguments += counting if is_counted else ("--no-patch",)
    with closing(fields(folder, *arguments, "--encoding=UTF-8", head, "--")) as told:
        begins = next(told, None)
        while begins is not None:
            hash_, parents, author, written, committed, subject, body = (
                field.decode("utf-8", "replace") for field in islice(told, _FIELDS)
            )
            files = added = removed = 0
            while line := next(told, None):  # no such line is empty, so an empty field is where the next commit begins
                more, less, path = line.removeprefix(b"\n").split(b"\t", 2)
                if not path:  # it was renamed: both names follow
                    next(told), next(told)
                files, added, removed = files + 1, added + _number(more), removed + _number(less)
            begins = line
            counts = (files, added, removed) if is_counted else (None, None, None)
            yield Recent(hash_, author, moment_of(written, committed), subject, body.strip(), " " in parents, *counts)


def _number(text: bytes) -> int:
    """Of a binary file there is only a dash."""
    return int(text) if text.isdigit() else 0
