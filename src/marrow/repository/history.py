"""What was committed, and why: the history of the current branch, newest first."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice

from marrow.model.errors import Invalid, Unavailable

from .command import fields, succeeds

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A NUL before each commit: no file's name is empty, so an empty field is where the next commit begins.
_FORMAT = "--format=tformat:%x00%H%x00%an%x00%at%x00%ct%x00%s%x00%b"
_FIELDS = 6


@dataclass(frozen=True, slots=True)
class Commit:
    """`at` is when it was written, in UTC. `files` are from the repository's root; a merge lists none of its own."""

    hash: str
    author: str
    at: datetime
    subject: str
    body: str
    files: tuple[str, ...] = ()


def commits(
    root: str | os.PathLike[str],
    limit: int | None = None,
    since: datetime | None = None,
    *,
    files: bool = True,
) -> Iterator[Commit]:
    """Commits as git tells them, at most `limit`, committed after `since` (UTC where it names no zone).

    A repository without commits has none to give. Leave out `files` where they are not needed: they cost git most.
    """
    if limit is not None and limit < 0:
        raise Invalid(f"The limit cannot be {limit}.", hint="Give 0 or more, or none at all.", field="limit")
    arguments = ["log", "-z", _FORMAT, "--no-show-signature", "--no-color", "--no-notes", "--encoding=UTF-8"]
    if files:
        # The order file is cancelled: a repository may name one that is not there.
        arguments += ["--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", f"-O{os.devnull}"]
    else:
        arguments.append("--no-patch")
    if limit is not None:
        arguments.append(f"--max-count={limit}")
    if since is not None:
        moment = since if since.tzinfo else since.replace(tzinfo=UTC)
        if moment > _EPOCH:  # git reads no date before it
            arguments.append(f"--since={moment.astimezone(UTC):%Y-%m-%dT%H:%M:%S}+00:00")
    return _commits(root, [*arguments, "HEAD", "--"])


def _commits(root: str | os.PathLike[str], arguments: list[str]) -> Iterator[Commit]:
    with closing(fields(root, *arguments)) as told:
        try:
            begins = next(told, None)
        except Unavailable:
            if _has_no_commits(root):
                return
            raise
        while begins is not None:
            address, author, written, committed, subject, body = (
                field.decode("utf-8", "replace") for field in islice(told, _FIELDS)
            )
            paths: list[str] = []
            while path := next(told, None):
                paths.append((path if paths else path.removeprefix(b"\n")).decode("utf-8", "replace"))
            begins = path
            yield Commit(address, author, moment_of(written, committed), subject, body.strip(), tuple(paths))


def _has_no_commits(root: str | os.PathLike[str]) -> bool:
    """Before the first commit, HEAD names a branch that is not there yet."""
    return succeeds(root, "rev-parse", "--git-dir") and not succeeds(root, "rev-parse", "--quiet", "--verify", "HEAD")


def moment_of(*seconds: str) -> datetime:
    """The first that is a time at all: a commit's dates are whatever its author's program wrote."""
    for text in seconds:
        try:
            return datetime.fromtimestamp(int(text), UTC)
        except (ValueError, OverflowError, OSError):
            continue
    return _EPOCH
