"""How the working tree differs from the last commit: which files, how much, and the changed lines themselves."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from .command import at_home, content, fields
from .file_sorts import BINARY, GENERATED, LARGE, SECRET, is_binary, is_binary_name, is_generated, is_secret
from .head import head_of, repository_at, working_folder
from .identity import Place
from .plain_file import without_waiting
from .submodules import changed_within, said_of
from .working_tree import Touched, working_tree

PATCH_BYTES_MAX = 8 * 1024 * 1024
UNTRACKED_BYTES_MAX = 256 * 1024
# What a file with more changed lines differs in is only counted.
LINES_MAX = 4_000
LINE_LENGTH_MAX = 400
CONTEXT = 3
# What became of a submodule begins with this word.
SUBMODULE = "submodule"
_OPTIONS = ("--no-ext-diff", "--no-textconv", "--no-color", f"-O{os.devnull}", "--ignore-submodules=dirty")
_RENAMES = ("--find-renames", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/")
_ESCAPE = re.compile(rb'\\([abtnvfr"\\]|[0-7]{3})')
_ESCAPED = dict(zip(b'abtnvfr"\\', b'\a\b\t\n\v\f\r"\\', strict=True))


@dataclass(frozen=True, slots=True)
class Hunk:
    """`head` is what stands between the @@ and after them: the lines and, where git knows it, the function. Lines begin
    with a plus, a minus or a space."""

    head: str
    lines: tuple[str, ...]

    @property
    def is_context_only(self) -> bool:
        return not any(line[:1] in "+-" for line in self.lines)


@dataclass(frozen=True, slots=True)
class FileDiff:
    """`left_out` says why a file's lines are not told: it holds secrets, is binary, generated or too large; of a
    submodule what became of it."""

    path: str
    what: str
    before: str = ""
    added: int = 0
    removed: int = 0
    is_staged: bool = False
    is_unstaged: bool = False
    left_out: str = ""
    hunks: tuple[Hunk, ...] = ()


@dataclass(frozen=True, slots=True)
class Diff:
    """`is_cut` when there are more new files than are told."""

    files: tuple[FileDiff, ...]
    is_cut: bool = False


def current_diff(root: str | os.PathLike[str]) -> Diff:
    """Everything that differs from the last commit, staged or not, new files included. Nothing in a bare repository."""
    place = repository_at(root)
    tree = working_tree(root)
    if place.root is None:
        return Diff(())
    within = changed_within(place)
    own = tuple(_submodule(path, told) for path, told in within.items() if all(path != one.path for one in tree.files))
    if not tree.files:
        return Diff(own, tree.more)
    base = head_of(place).commit or _empty_tree(place)
    counts = dict(_counted(place, base))
    files = [(one, _file(place.root, one, counts.get(one.on_disk), within.get(one.path, ""))) for one in tree.files]
    wanted = [one for one, file in files if not file.left_out and file.what != "untracked"]
    hunks = _patched(place, base, [name for one in wanted for name in (one.on_disk, one.before_on_disk) if name])
    told = (_with_hunks(place.root, one.on_disk, file, hunks) for one, file in files)
    return Diff((*told, *own), tree.more)


def _submodule(path: str, own: str) -> FileDiff:
    """One that is where the last commit has it, with changes that are not committed in it."""
    return FileDiff(path, f"{SUBMODULE} modified", is_unstaged=True, left_out=own)


def _file(root: str, one: Touched, counts: tuple[int, int] | None, own: str) -> FileDiff:
    made = FileDiff(one.path, one.what, one.before, is_staged=one.is_staged, is_unstaged=one.is_unstaged)
    if one.is_submodule:
        return replace(made, what=f"{SUBMODULE} {one.what}", left_out=said_of(root, one, own))
    if is_secret(one.path) or is_secret(one.before):
        return replace(made, left_out=SECRET)
    begins, size = _begin(os.path.join(root, one.on_disk)) if one.what == "untracked" else (b"", 0)
    if one.what == "untracked":
        # As git counts: a last line without its end is one too.
        counts = None if is_binary(begins) else (begins.count(b"\n") + (begins[-1:] not in (b"", b"\n")), 0)
    if counts is None and one.what != "conflict":
        return replace(made, left_out=BINARY)
    added, removed = counts or (0, 0)
    made = replace(made, added=added, removed=removed)
    if is_binary_name(one.path):
        return replace(made, left_out=BINARY)
    if is_generated(one.path, begins):
        return replace(made, left_out=GENERATED)
    return replace(made, left_out=LARGE) if added + removed > LINES_MAX or size > UNTRACKED_BYTES_MAX else made


def _with_hunks(root: str, on_disk: str, file: FileDiff, hunks: dict[str, tuple[Hunk, ...]]) -> FileDiff:
    """`hunks` are by the name on the disk: two that are no UTF-8 may be told alike."""
    if file.left_out:
        return file
    if file.what != "untracked":
        return replace(file, hunks=hunks.get(on_disk, ()))
    begins, _ = _begin(os.path.join(root, on_disk))
    lines = begins.decode("utf-8", "replace").removesuffix("\n").split("\n") if begins else []
    hunk = Hunk(f"+1,{len(lines)}", tuple(f"+{_shown(line)}" for line in lines))
    return replace(file, hunks=(hunk,) if lines else ())


def _begin(path: str) -> tuple[bytes, int]:
    """The beginning of a regular file and its size; nothing of a link, a pipe, or what went away."""
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            return b"", 0
        with open(path, "rb", opener=without_waiting) as file:
            return file.read(UNTRACKED_BYTES_MAX), os.fstat(file.fileno()).st_size
    except OSError:
        return b"", 0


def _counted(place: Place, base: str) -> Iterator[tuple[str, tuple[int, int] | None]]:
    """(path, lines added and removed) of each file that git tracks; None for a binary one."""
    folder = working_folder(place)
    arguments = ("diff", "--numstat", "-z", *_OPTIONS, *_RENAMES, base, "--")
    with closing(fields(folder, *at_home(folder), *arguments)) as told:
        for line in told:
            more, less, path = line.split(b"\t", 2)
            if not path:  # a renamed one: both names follow
                next(told, b"")
                path = next(told, b"")
            name = os.fsdecode(path)
            yield name, (int(more), int(less)) if more.isdigit() and less.isdigit() else None


def _patched(place: Place, base: str, names: Sequence[str]) -> dict[str, tuple[Hunk, ...]]:
    if not names:
        return {}
    folder = working_folder(place)
    paths = [f":(literal,top){name}" for name in names]
    settings = ("-c", "core.quotePath=false", *at_home(folder))
    arguments = ("diff", f"--unified={CONTEXT}", *_OPTIONS, *_RENAMES, base, "--", *paths)
    told, _ = content(folder, *settings, *arguments, bytes_max=PATCH_BYTES_MAX)
    return dict(_parsed(told))


def _parsed(patch: bytes) -> Iterator[tuple[str, tuple[Hunk, ...]]]:
    for part in re.split(rb"^diff --(?:git|cc|combined) ", patch, flags=re.M)[1:]:
        head, *bodies = re.split(rb"^@@+ ", part, flags=re.M)
        path = _path(head)
        if path:
            yield path, tuple(_hunk(body) for body in bodies)


def _path(head: bytes) -> str:
    """The file's name: what it is called now, or was called before it was deleted."""
    found = re.search(rb"^\+\+\+ (?!/dev/null)(.+)$", head, re.M) or re.search(rb"^--- (?!/dev/null)(.+)$", head, re.M)
    if found is None:
        return ""
    name = found[1].rstrip(b"\t\r")
    if name.startswith(b'"'):
        name = _ESCAPE.sub(_unescaped, name.strip(b'"'))
    return os.fsdecode(name[2:])


def _unescaped(found: re.Match[bytes]) -> bytes:
    mark = found[1]
    return bytes((int(mark, 8) & 0xFF if len(mark) == 3 else _ESCAPED[mark[0]],))


def _hunk(body: bytes) -> Hunk:
    head, *lines = body.decode("utf-8", "replace").split("\n")
    place, _, function = head.partition("@@")
    named = " ".join(f"{place.strip()} {function.strip()}".split())
    kept = tuple(_shown(line) for line in lines if line[:1] in ("+", "-", " "))
    return Hunk(named, kept)


def _shown(line: str) -> str:
    line = line.rstrip("\r")
    return line if len(line) <= LINE_LENGTH_MAX else f"{line[:LINE_LENGTH_MAX]}… ({len(line):,} characters)"


def _empty_tree(place: Place) -> str:
    """The name of the tree without files: before the first commit everything is new."""
    told, _ = content(working_folder(place), "hash-object", "-t", "tree", "--stdin", bytes_max=128)
    return told.decode().strip()
