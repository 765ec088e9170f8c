"""The whole history in the order in which it came to be, with what each commit did to which files: for an index."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from itertools import islice
from typing import NamedTuple

from marrow.model.errors import Unavailable

from .command import content, fields
from .history import moment_of

# A commit that touches more files than this took them in or moved them all: their names say nothing about it.
FILES_MAX = 1_000
BODY_LENGTH_MAX = 4_000
_FORMAT = "--format=tformat:%x00%m%H%x00%an%x00%at%x00%ct%x00%s%x00%b"
_FIELDS = 6
_COUNT_BYTES_MAX = 64


class Told(NamedTuple):
    """A commit. `is_left` is for one that only the first of two heads has. `files` are (what, path, the name before),
    with git's letters: A, M, D, R; none when there were too many."""

    hash: str
    author: str
    at: int
    subject: str
    body: str
    files: tuple[tuple[str, str, str], ...]
    is_left: bool


def told_commits(folder: str, revision: str, most: int | None = None) -> Iterator[Told]:
    """The commits of a revision or of a range `a...b`, the oldest first; with `most`, the latest so many."""
    arguments = ["log", "-z", _FORMAT, "--reverse", "--left-right", "--name-status", "--no-show-signature"]
    arguments += ["--no-color", "--no-notes", "--no-ext-diff", "--no-textconv", f"-O{os.devnull}", "--encoding=UTF-8"]
    arguments += [] if most is None else [f"--max-count={most}"]
    told = 0
    try:
        for one in _told(folder, [*arguments, "--find-renames", revision, "--"]):
            yield one
            told += 1
    except Unavailable:  # finding renames needs files that a partial copy lacks: it goes on without
        yield from islice(_told(folder, [*arguments, "--no-renames", revision, "--"]), told, None)


def commit_count(folder: str, revision: str) -> int:
    told, _ = content(folder, "rev-list", "--count", revision, "--", bytes_max=_COUNT_BYTES_MAX)
    return int(told.decode().strip() or 0)


def commit_names(
    folder: str, since: datetime | None = None, most: int | None = None, *, merges: bool = True
) -> Iterator[str]:
    """The hashes of the commits of HEAD alone, the newest first, of those committed after `since`."""
    arguments = [f"--max-count={most}"] if most is not None else []
    arguments += [] if merges else ["--no-merges"]
    if since is not None and since.timestamp() > 0:  # git reads no date before it
        arguments.append(f"--since={since.astimezone(UTC):%Y-%m-%dT%H:%M:%S}+00:00")
    told = fields(folder, "log", "-z", "--format=tformat:%H", "--no-show-signature", *arguments, "HEAD", "--")
    with closing(told):
        yield from (one.decode("ascii", "replace").strip() for one in told if one.strip())


def _told(folder: str, arguments: list[str]) -> Iterator[Told]:
    with closing(fields(folder, *arguments)) as told:
        begins = next(told, None)
        while begins is not None:
            marked, author, written, committed, subject, body = (
                field.decode("utf-8", "replace") for field in islice(told, _FIELDS)
            )
            files: list[tuple[str, str, str]] = []
            while status := next(told, None):
                letter = status[1:2] if status[:1] == b"\n" else status[:1]
                path, before = next(told, b"").decode("utf-8", "replace"), ""
                if letter in (b"R", b"C"):
                    before, path = path, next(told, b"").decode("utf-8", "replace")
                files.append((letter.decode("ascii", "replace"), path, before))
            begins = status
            at = int(moment_of(written, committed).timestamp())
            kept = tuple(files) if len(files) <= FILES_MAX else ()
            yield Told(marked[1:], author, at, subject, body.strip()[:BODY_LENGTH_MAX], kept, marked[:1] == "<")
