"""Which files changed lately: in commits since a moment or after a commit, and in the working tree."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import islice

from marrow.model.errors import Unavailable

from .command import fields
from .head import head_of, oldest_here, repository_at, shallow_mark, working_folder
from .history import moment_of
from .identity import Place
from .kept import Kept
from .working_tree import Touched, looking

COMMITS_MAX = 5_000
# A commit that touches more files than this moved them or took them in: the rest of them is not told.
FILES_MAX = 2_000
_FORMAT = "--format=tformat:%x00%H%x00%an%x00%ct%x00%s"
_FIELDS = 4
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WORDS = {"A": "added", "D": "deleted", "R": "renamed", "C": "copied"}


@dataclass(frozen=True, slots=True)
class Changed:
    """A file that changed, and the latest commit that did it; `pending` is what the working tree does to it since.
    `what` is added, modified, deleted, renamed or copied; `before` is the name that it had."""

    path: str
    what: str
    at: datetime | None = None
    author: str = ""
    commit: str = ""
    subject: str = ""
    commits: int = 0
    before: str = ""
    pending: str = ""


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """Those of the working tree first, then by the time of the last commit. `is_cut` when there was more to look at;
    `is_cut_off` when what one of the commits changed is not known, since its parents are not here."""

    files: tuple[Changed, ...]
    commits: int
    is_cut: bool = False
    is_cut_off: bool = False


@dataclass(frozen=True, slots=True)
class _Commit:
    hash: str
    author: str
    at: datetime
    subject: str
    files: tuple[tuple[str, str, str], ...]  # what, path, the name before
    is_cut_off: bool = False


@dataclass(frozen=True, slots=True)
class _Since:
    """The commits of a head that are later than `since` or come after a commit, newest first. `is_cut`: only the newest
    of them."""

    since: datetime
    commits: tuple[_Commit, ...]
    is_cut: bool


_kept: Kept[tuple[str, str, str, str], _Since] = Kept(16)


def changed_lately(root: str | os.PathLike[str], since: datetime = _EPOCH, *, after: str = "") -> ChangedFiles:
    """`after` is a commit, by its whole hash: what came with those that are not before it, whenever they were made. A
    rebase makes many in one second, and a merge brings older ones."""
    place = repository_at(root)
    with looking(place) as looked:  # git does, while the commits are gone through here
        head = head_of(place).commit
        known = _known(place, head, since, after) if head else _Since(since, (), is_cut=False)
        commits = [commit for commit in known.commits if commit.at >= since]
        files = _in_commits(commits)
        committed = sorted(files.values(), key=_newest_first)
        tree = looked()
    before = dict(files)
    for one in tree.files:
        _touch(files, one)
    pending = [file for file in files.values() if file.pending]
    untouched = [file for file in committed if files.get(file.path) is before[file.path]]
    ordered = [*sorted(pending, key=_newest_first), *untouched]
    is_cut = (known.is_cut and len(commits) == len(known.commits)) or tree.more or len(ordered) > FILES_MAX
    is_cut_off = any(commit.is_cut_off for commit in commits)
    return ChangedFiles(tuple(ordered[:FILES_MAX]), len(commits), is_cut, is_cut_off)


def _newest_first(file: Changed) -> tuple[float, str]:
    return -(file.at or _EPOCH).timestamp(), file.path


def _in_commits(commits: Sequence[_Commit]) -> dict[str, Changed]:
    """Commits come newest first: the first that names a file says what became of it."""
    last: dict[str, tuple[_Commit, str]] = {}  # with the name that it had before
    whats: dict[str, str] = {}
    counts: dict[str, int] = {}
    newer: dict[str, str] = {}  # the name that a file has now, by one that it had
    for commit in commits:
        for what, path, before in commit.files:
            now = newer.get(path, path) if newer else path
            if now not in last:
                last[now], whats[now], counts[now] = (commit, before), what, 1
            else:
                counts[now] += 1
                if what == "added" and whats[now] == "modified":
                    whats[now] = what
            if before:
                newer[before] = now
    return {
        path: Changed(path, whats[path], commit.at, commit.author, commit.hash, commit.subject, counts[path], before)
        for path, (commit, before) in last.items()
    }


def _touch(files: dict[str, Changed], one: Touched) -> None:
    known = files.get(one.path) or files.pop(one.before, None) or Changed(one.path, "")
    what = "added" if one.what == "untracked" else one.what
    files[one.path] = replace(known, path=one.path, what=what, before=one.before or known.before, pending=one.what)


def _known(place: Place, head: str, since: datetime, after: str) -> _Since:
    """The commits of this head since then: those that are kept, where they go back far enough."""
    key = (place.common_dir, head, shallow_mark(place), after)
    known = _kept.get(key)
    if known is not None and (known.since <= since or known.is_cut):
        return known
    folder = working_folder(place)
    try:
        found = list(islice(_log(folder, head, since, after, "--find-renames"), COMMITS_MAX + 1))
    except Unavailable:  # finding renames needs files that a partial copy lacks
        found = list(islice(_log(folder, head, since, after, "--no-renames"), COMMITS_MAX + 1))
    cut_off = oldest_here(place)
    commits = tuple(
        replace(one, files=(), is_cut_off=True) if one.hash in cut_off else one for one in found[:COMMITS_MAX]
    )
    return _kept.keep(key, _Since(since, commits, len(found) > COMMITS_MAX))


def _log(folder: str, head: str, since: datetime, after: str, renames: str) -> Iterator[_Commit]:
    arguments = ["log", "-z", _FORMAT, "--name-status", renames, "--no-show-signature", "--no-color", "--no-notes"]
    arguments += ["--no-ext-diff", "--no-textconv", f"-O{os.devnull}", "--encoding=UTF-8"]
    if since > _EPOCH:  # git reads no date before it
        arguments.append(f"--since={since.astimezone(UTC):%Y-%m-%dT%H:%M:%S}+00:00")
    commits = [head, f"^{after}"] if after else [head]
    with closing(fields(folder, *arguments, *commits, "--")) as told:
        begins = next(told, None)
        while begins is not None:
            hash_, author, committed, subject = (field.decode("utf-8", "replace") for field in islice(told, _FIELDS))
            files: list[tuple[str, str, str]] = []
            while status := next(told, None):
                letter = status.removeprefix(b"\n")[:1].decode("ascii", "replace")
                path = next(told, b"").decode("utf-8", "replace")
                before = ""
                if letter in "RC":
                    before, path = path, next(told, b"").decode("utf-8", "replace")
                if len(files) < FILES_MAX:
                    files.append((_WORDS.get(letter, "modified"), path, before if letter == "R" else ""))
            begins = status
            yield _Commit(hash_, author, moment_of(committed), subject, tuple(files))
