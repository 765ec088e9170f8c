"""What there is to map: the files of a checkout that git tracks or would, and a quick look at which of them changed.

Links are never followed, and nothing below a link is read. Where git cannot say what is ignored, nothing is read.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, NamedTuple

from marrow.model.errors import Invalid, MarrowError, NotFound, Unavailable

from .command import answered, at_home, conversation, fields, telling
from .files import ENTRIES_MAX, tracked
from .identity import locate

BLOB_BYTES_MAX = 1024 * 1024
_CHUNK_BYTES = 1024 * 1024
GIT_SECONDS = 10.0
# The last second that a calendar can show, of the year 9999; and the last time that a store can keep.
SECONDS_MAX = 253_402_300_799
_INT64_MAX = 2**63 - 1
# What stands for bytes of a name that are no UTF-8.
_NO_TEXT = re.compile("[\ud800-\udfff]")


class Stamp(NamedTuple):
    """By what a change of a file is noticed without reading it."""

    size: int
    mtime: int


def listed(root: str | os.PathLike[str]) -> list[str]:
    """Every file at or below `root` that is tracked, or is new and not ignored; from the root, with forward slashes.
    Of a folder in no repository, what a careful walk finds."""
    with listing(root) as found:
        return found()


@contextmanager
def listing(root: str | os.PathLike[str], nameless: list[str] | None = None) -> Iterator[Callable[[], list[str]]]:
    """Begins to list, and gives what waits for the list: much else can be done meanwhile. `nameless` takes up the files
    whose names cannot be written down."""
    folder = Path(root)
    if not folder.is_dir():
        raise NotFound(f"{folder} is no folder.", hint="Give the project's root.", field="root")
    with ExitStack() as running:
        try:
            git = telling(folder, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
            told: Iterator[bytes] | MarrowError = running.enter_context(git)
        except Unavailable as problem:  # there is no git here
            told = problem
        yield lambda: _listed(folder, told, [] if nameless is None else nameless)


def _listed(folder: Path, told: Iterator[bytes] | MarrowError, nameless: list[str]) -> list[str]:
    try:
        if isinstance(told, MarrowError):
            raise told
        return list(_inside(os.path.realpath(folder), told, nameless))
    except (Invalid, Unavailable) as problem:
        place = locate(folder, environ={})
        if place is not None and place.root is None:  # a bare repository has no files to map
            return []
        if control := _control_of(folder):
            why = problem.message if isinstance(problem, Unavailable) else f"git cannot read {control}."
            advice = problem.hint if isinstance(problem, Unavailable) else "Run `git status` there."
            hint = f"{advice} Nothing is read until git can: only it knows what is ignored."
            raise Unavailable(why, hint=hint) from problem
    walked = [path.relative_to(folder).as_posix() for path in tracked(folder)]
    nameless += [path for path in walked if not is_writable(path)]
    return [path for path in walked if is_writable(path)]


def _control_of(folder: Path) -> str:
    """What makes a folder a part of a repository, also of one that is damaged; "" where there is nothing of the sort.
    An empty `.git` is none."""
    here = Path(os.path.realpath(folder))
    for above in (here, *here.parents):
        control = above / ".git"
        try:
            if os.path.lexists(control) and not (control.is_dir() and not os.listdir(control)):
                return str(control)
        except OSError:  # it is there, and not for us to look into
            return str(control)
    return ""


def is_writable(path: str) -> bool:
    """Whether a path can be written down. A name that is no text (no UTF-8) can neither be kept nor asked for."""
    return path.isascii() or not _NO_TEXT.search(path)


def escaped(path: str) -> str:
    """A path whose bytes are no text, as it can be told: `caf\\xe9.md`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _inside(root: str, told: Iterable[bytes], nameless: list[str]) -> Iterator[str]:
    """Each once, and none that lies beyond a link."""
    real: dict[str, bool] = {"": True}
    seen: set[str] = set()
    for name in map(os.fsdecode, told):
        path = name if os.sep == "/" else name.replace(os.sep, "/")
        if path in seen or path[-1:] == "/":
            continue
        if not (path.isascii() or is_writable(path)):
            nameless.append(path)
            continue
        if len(seen) >= ENTRIES_MAX:
            return
        seen.add(path)
        folder = path.rpartition("/")[0]
        if real[folder] if folder in real else is_real(root, folder, real):
            yield path


def is_real(root: str, folder: str, known: dict[str, bool] | None = None) -> bool:
    """Whether no part of a folder's path below the root is a link. What is found out is kept in `known`, which knows
    the root; from the top down, for a path may have more parts than Python has room for calls."""
    known = {"": True} if known is None else known
    waiting = []
    while folder not in known:
        waiting.append(folder)
        folder = folder.rpartition("/")[0]
    is_real = known[folder]
    for part in reversed(waiting):
        whole = os.path.join(root, part)
        if os.name == "nt":  # there are more sorts of links
            is_real = os.path.realpath(whole) == os.path.normpath(whole)
        else:
            is_real = is_real and not os.path.islink(whole)
        known[part] = is_real
    return is_real


def stamp(root: str, path: str) -> Stamp | None:
    """Of a regular file; None for anything else."""
    try:
        found = os.lstat(f"{root}/{path}")
    except OSError:
        return None
    if not stat.S_ISREG(found.st_mode):
        return None
    mtime = found.st_mtime_ns
    return Stamp(found.st_size, mtime if -_INT64_MAX <= mtime <= _INT64_MAX else _bounded(mtime))


def is_as_it_was(root: str, path: str, size: int, mtime: int) -> bool:
    """Whether a regular file has this stamp, without making one: most files of a checkout do, each time. (One with a
    time that no row can hold has not: its stamp says so.)"""
    try:
        found = os.lstat(f"{root}/{path}")
    except OSError:
        return False
    return found.st_mtime_ns == mtime and found.st_size == size and stat.S_ISREG(found.st_mode)


def _bounded(mtime: int) -> int:
    return max(-_INT64_MAX - 1, min(mtime, _INT64_MAX))


def folders_stamp(root: str, paths: Iterable[str]) -> int:
    """Changes when a file came to or went from one of the folders of these files, or git's index changed."""
    folders = {""}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    marks = []
    for folder in sorted(folders):
        for name in (folder, f"{folder}/.gitignore" if folder else ".gitignore"):
            try:
                marks.append(os.lstat(os.path.join(root, name)).st_mtime_ns)
            except OSError:
                marks.append(0)
    place = locate(root, environ={})
    for control in ("index", "HEAD", "info/exclude"):
        try:
            marks.append(os.lstat(os.path.join(place.git_dir, control)).st_mtime_ns if place is not None else 0)
        except OSError:
            marks.append(0)
    return hash(tuple(marks))


def changed_between(root: str | os.PathLike[str], commit: str, until: str = "") -> list[tuple[str, str]]:
    """Which files differ between a commit and another, or the working tree: (old path, new path), one of them "" for a
    file that came or went. Renames are followed."""
    found: list[tuple[str, str]] = []
    with closing(_diff(root, commit, until)) as told:
        for status in told:
            kind = status[:1]
            first = os.fsdecode(next(told, b""))
            if kind in (b"R", b"C"):
                found.append((first if kind == b"R" else "", os.fsdecode(next(told, b""))))
            elif kind == b"A":
                found.append(("", first))
            elif kind == b"D":
                found.append((first, ""))
            elif kind:
                found.append((first, first))
    if not until:
        with closing(fields(root, "ls-files", "-z", "--others", "--exclude-standard")) as others:
            found += [("", os.fsdecode(name)) for name in others if name]
    return [pair for pair in found if all(map(is_writable, pair))]


def _diff(root: str | os.PathLike[str], commit: str, until: str) -> Generator[bytes]:
    options = ("--name-status", "-z", "-M", "--no-ext-diff", "--no-textconv", "--relative", "--ignore-submodules=dirty")
    return fields(root, *at_home(root), "diff", *options, commit, *([until] if until else []), "--")


def blobs(root: str | os.PathLike[str], commit: str, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """What files were in a commit, read from git's objects by one process. What was not there, or is larger than any
    source, is left out. Paths are from `root`, which may lie below the repository's."""
    safe = [path for path in paths if "\n" not in path]
    asked = "".join(f"{commit}:./{path}\n" for path in safe).encode("utf-8", "surrogateescape")
    with conversation(root, "cat-file", "--batch", asked=asked) as told:
        for path in safe:
            head = answer_line(told, root)
            if len(head) != 3 or not head[2].isdigit():  # it says that there is no such thing
                continue
            size = int(head[2])
            source = answer_bytes(told, root, size, is_kept=head[1] == b"blob" and size <= BLOB_BYTES_MAX)
            if source is not None:
                yield path, source


def answer_line(told: IO[bytes], root: str | os.PathLike[str]) -> list[bytes]:
    """The words of the line with which `git cat-file --batch` begins an answer."""
    line = told.readline()
    if not line.endswith(b"\n"):
        raise _died(root)
    return line.split()


def answer_bytes(told: IO[bytes], root: str | os.PathLike[str], size: int, *, is_kept: bool) -> bytes | None:
    """What follows the line, with the line's end behind it; None when it is only passed over."""
    data = told.read(size) if is_kept else None
    left = size - len(data) if data is not None else size
    while left > 0 and data is None and (chunk := told.read(min(left, _CHUNK_BYTES))):
        left -= len(chunk)
    if left or told.read(1) != b"\n":
        raise _died(root)
    return data


def _died(root: str | os.PathLike[str]) -> Unavailable:
    return Unavailable(f"git ended while it was reading {os.fspath(root)}.", hint="Try again, or run `git fsck` there.")


def commit_named(root: str | os.PathLike[str], given: str) -> str:
    """The whole hash of a commit by any name that git knows it by; "" when there is none."""
    if not given or given.startswith("-") or len(given) > 200:
        return ""
    options = ("rev-parse", "--quiet", "--verify", "--end-of-options", f"{given}^{{commit}}")
    told = answered(root, *options, bytes_max=200, seconds=GIT_SECONDS)
    return told.told.decode("ascii", "replace").strip() if told.code == 0 else ""


def commit_before(root: str | os.PathLike[str], at: datetime) -> str:
    """The last commit of the current branch that was made before a moment; "" when there is none."""
    when = f"--before={at:%Y-%m-%dT%H:%M:%S}+00:00"
    told = answered(root, "rev-list", "-1", when, "HEAD", "--", bytes_max=200, seconds=GIT_SECONDS)
    return told.told.decode("ascii", "replace").strip() if told.code == 0 else ""


def nothing_yet(root: str | os.PathLike[str]) -> str:
    """What stands for the time before the first commit: the tree without files."""
    told = answered(root, "hash-object", "-t", "tree", "--stdin", bytes_max=200, seconds=GIT_SECONDS)
    return told.told.decode("ascii", "replace").strip() if told.code == 0 else ""


def commit_moment(root: str | os.PathLike[str], commit: str) -> datetime | None:
    """When a commit was made, by its whole hash; None also for a time that no calendar has."""
    told = answered(root, "show", "--no-patch", "--format=%ct", commit, "--", bytes_max=200, seconds=GIT_SECONDS)
    said = told.told.strip()
    if told.code != 0 or not said.isdigit() or not is_possible(seconds := int(said)):
        return None
    return datetime.fromtimestamp(seconds, UTC)


def is_possible(seconds: int) -> bool:
    """Whether a time lies from 1970 to 9999. A commit can say anything."""
    return 0 <= seconds <= SECONDS_MAX
