"""Which lines of which files commits touched, from git's objects alone: many commits by one process.

What git cannot tell of a commit (an object is missing, its difference is huge, it takes too long) is not told, and the
others are told all the same. Names that git has to quote, links and submodules are left out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from .command import answered, conversation

PATCH_BYTES_MAX = 16 * 1024 * 1024
GIT_SECONDS = 10.0
# A file above this is binary for git, and not compared.
FILE_BYTES_MAX = 512 * 1024
PATH_LENGTH_MAX = 400
_REGULAR = (b"100644", b"100755", b"100664")
_HASH = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# Each is told by its hash, in the order asked for. Whatever the configuration says about differences is overruled.
_LOG = ("log", "--no-walk=unsorted", "--format=tformat:%x00%H", "--no-show-signature", "--no-color", "--no-notes")
_PLAIN = ("--no-renames", "--no-ext-diff", "--no-textconv", "--submodule=short", f"-O{os.devnull}")
_LINES = ("--unified=0", "--inter-hunk-context=0", "--diff-algorithm=myers", "--src-prefix=a/", "--dst-prefix=b/")
_SETTINGS = ("-c", "core.quotePath=false", "-c", f"core.bigFileThreshold={FILE_BYTES_MAX}")
# What begins a line of a patch and is no line of a file: those begin with a plus, a minus or a backslash. The names
# stand between `diff --git` and the first `@@`; after that, three of a sign are a file's own.
_PART = re.compile(
    rb"^(?:\0(?P<commit>[0-9a-f]{40,64})$|(?P<file>diff --git )|--- (?P<before>.*)$|\+\+\+ (?P<after>.*)$"
    rb"|@@ -(?P<at>\d+)(?:,(?P<removed>\d+))? \+(?P<to>\d+)(?:,(?P<added>\d+))? @@)",
    re.M,
)

T = TypeVar("T")


class Piece(NamedTuple):
    """Some lines of a file gave way to others: from line `at` on, `removed` of the earlier text; from line `to` on,
    `added` of the later one."""

    at: int
    removed: int
    to: int
    added: int


class TouchedFile(NamedTuple):
    """`before` and `after` are the objects that it was and is; "" for none."""

    path: str
    before: str
    after: str
    pieces: tuple[Piece, ...] = ()


class Told(NamedTuple):
    """By commit, the files that it touched; none for one of which git cannot tell it. `untold` are yet to be asked."""

    files: dict[str, tuple[TouchedFile, ...]]
    untold: tuple[str, ...] = ()


def touched(
    root: str | os.PathLike[str], commits: Sequence[str], is_wanted: Callable[[str], bool], *, files_max: int
) -> Told:
    """Of these commits, by their whole hashes, the files that are wanted. A commit that touched more than `files_max`
    in all has none, nor has a merge. Ask for few at a time: all is in memory, and one that breaks git breaks them
    off."""
    asked = tuple(commit for commit in commits if _HASH.fullmatch(commit))
    if not asked:
        return Told({})
    named, later = _asked(root, asked, ("--raw", "--no-abbrev", "-z"), (), _files_in)
    chosen = {
        commit: {file.path: file for file in found if file is not None and is_wanted(file.path)}
        for commit, found in named.items()
        if len(found) <= files_max
    }
    worth = tuple(commit for commit in asked if chosen.get(commit))
    found: dict[str, tuple[TouchedFile, ...]] = dict.fromkeys(named, ())
    if not worth:
        return Told(found, later)
    paths = dict.fromkeys(f":(literal,top){path}" for commit in worth for path in chosen[commit])
    told, rest = _asked(root, worth, ("--patch", "--full-index", *_LINES), tuple(paths), _pieces_in)
    for commit, pieces in told.items():
        files = (chosen[commit][path]._replace(pieces=some) for path, some in pieces if path in chosen[commit])
        found[commit] = tuple(files)
    unseen = {*rest, *later}
    return Told({c: files for c, files in found.items() if c not in unseen}, tuple(c for c in asked if c in unseen))


def newest_first(root: str | os.PathLike[str], commits: Sequence[str]) -> list[str]:
    """Of these commits those that git has here, by when they were committed."""
    asked = "".join(f"{commit}\n" for commit in commits if _HASH.fullmatch(commit)).encode()
    if not asked:
        return []
    options = ("--no-walk=sorted", "--ignore-missing", "--stdin")
    with conversation(root, "rev-list", *options, asked=asked) as told:
        return [line.decode("ascii", "replace").strip() for line in told]


def _asked(
    root: str | os.PathLike[str],
    commits: tuple[str, ...],
    options: tuple[str, ...],
    paths: tuple[str, ...],
    read: Callable[[bytes], Iterator[tuple[str, tuple[T, ...]]]],
) -> tuple[dict[str, tuple[T, ...]], tuple[str, ...]]:
    """What git tells of each, and those it did not come to. Where it broke off, the commit that it told last is asked
    for alone: it may be whole, or the one that broke it, and then it has nothing."""
    arguments = (*_SETTINGS, *_LOG, *_PLAIN, *options, *commits, "--", *paths)
    answer = answered(root, *arguments, bytes_max=PATCH_BYTES_MAX, seconds=GIT_SECONDS)
    wanted = set(commits)
    told = {commit: found for commit, found in read(answer.told) if commit in wanted}
    if answer.code == 0 and not answer.is_cut and not answer.is_late:
        return {commit: told.get(commit, ()) for commit in commits}, ()
    last = commits.index(next(reversed(told))) if told else 0
    complete = {commit: told.get(commit, ()) for commit in commits[:last]}
    if len(commits) == 1:
        return {commits[0]: ()}, ()
    alone, _ = _asked(root, commits[last : last + 1], options, paths, read)
    return complete | alone, commits[last + 1 :]


def _files_in(told: bytes) -> Iterator[tuple[str, tuple[TouchedFile | None, ...]]]:
    """None stands for one that is no regular file, or has an odd name: it counts all the same."""
    parts = iter(told.split(b"\0"))
    next(parts, None)
    while (commit := next(parts, b"")) != b"":
        files: list[TouchedFile | None] = []
        while about := next(parts, b""):
            files.append(_file(about.removeprefix(b"\n"), next(parts, b"")))
        yield commit.decode("ascii", "replace"), tuple(files)


def _file(about: bytes, name: bytes) -> TouchedFile | None:
    words = about.removeprefix(b":").split()
    if len(words) < 4 or len(name) > PATH_LENGTH_MAX:
        return None
    before, after = (
        blob.decode("ascii", "replace") if mode in _REGULAR else ""
        for mode, blob in zip(words[:2], words[2:4], strict=True)
    )
    try:
        return TouchedFile(name.decode(), before, after) if before or after else None
    except UnicodeDecodeError:
        return None


def _pieces_in(told: bytes) -> Iterator[tuple[str, tuple[tuple[str, tuple[Piece, ...]], ...]]]:
    commit, path, is_head = "", "", False
    files: dict[str, list[Piece]] = {}
    for part in _PART.finditer(told):
        if part["commit"]:
            if commit:
                yield commit, tuple((name, tuple(pieces)) for name, pieces in files.items())
            commit, path, files = part["commit"].decode(), "", {}
        elif part["file"]:
            path, is_head = "", True
        elif is_head and (name := part["before"] or part["after"]):
            path = _name(name) or path
        elif part["at"]:
            is_head = False
            if path:
                numbers = (part["at"], part["removed"] or b"1", part["to"], part["added"] or b"1")
                files.setdefault(path, []).append(Piece(*map(int, numbers)))
    if commit:
        yield commit, tuple((name, tuple(pieces)) for name, pieces in files.items())


def _name(told: bytes) -> str:
    """A file's name behind its prefix; "" for none, and for one that is quoted."""
    name = told.removesuffix(b"\t")
    return name[2:].decode("utf-8", "replace") if name.startswith((b"a/", b"b/")) else ""
