"""What differs from the last commit in the working tree: staged, not staged, new, in conflict."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from .command import at_home, telling
from .head import repository_at
from .identity import Place

# More new files than this are not a change that somebody made, but something that nobody told git to ignore.
UNTRACKED_MAX = 2_000
# So many files are asked for by name: git then looks at these alone. More would not fit on a command line.
NAMED_MAX, NAMED_LENGTH_MAX = 500, 16_000
_WORDS = {"M": "modified", "T": "modified", "A": "added", "D": "deleted", "R": "renamed", "C": "copied"}
# How many fields a line of each sort has before the path.
_SUBMODULE = b"160000"  # its mode
_FIELDS = {b"1": 8, b"2": 9, b"u": 10}


@dataclass(frozen=True, slots=True)
class Touched:
    """A file as it differs. `what` is modified, added, deleted, renamed, copied, untracked or conflict; `before` is the
    name that a renamed one had. `is_staged` and `is_unstaged` say where the difference is: both can hold. `recorded` is
    the commit that a submodule was at in the last commit. `on_disk` and `before_on_disk` are the names as the system
    takes them: where one is no UTF-8, it is told with marks in it."""

    path: str
    what: str
    before: str = ""
    is_staged: bool = False
    is_unstaged: bool = False
    is_submodule: bool = False
    recorded: str = ""
    on_disk: str = ""
    before_on_disk: str = ""


@dataclass(frozen=True, slots=True)
class WorkingTree:
    """`more` when there are more new files than are told."""

    files: tuple[Touched, ...]
    more: bool = False


def working_tree(root: str | os.PathLike[str], paths: Sequence[str] = ()) -> WorkingTree:
    """Paths from the repository's root. A bare repository has no working tree, so nothing differs in it. Who needs to
    know of some files alone gives their `paths`: of others nothing may be told then, and it takes less time."""
    with looking(repository_at(root), paths) as found:
        return found()


@contextmanager
def looking(place: Place, paths: Sequence[str] = ()) -> Iterator[Callable[[], WorkingTree]]:
    """Begins to look, and gives what waits for what is found: much else can be done meanwhile."""
    if place.root is None:
        yield lambda: WorkingTree(())
        return
    options = ("--porcelain=v2", "-z", "--untracked-files=all", "--ignore-submodules=dirty", "--renames")
    is_short = len(paths) <= NAMED_MAX and sum(map(len, paths)) <= NAMED_LENGTH_MAX
    named = ("--", *paths) if is_short else ()
    with telling(place.root, *at_home(place.root), "--literal-pathspecs", "status", *options, *named) as told:
        yield lambda: _listened_to(told)


def _listened_to(told: Iterator[bytes]) -> WorkingTree:
    found: list[Touched] = []
    untracked = 0
    for line in told:
        sort = line[:1]
        if sort in _FIELDS:
            found.append(_touched(line, os.fsdecode(next(told)) if sort == b"2" else ""))
        elif sort == b"?":
            untracked += 1
            if untracked > UNTRACKED_MAX:
                return WorkingTree(tuple(found), more=True)
            found.append(Touched(_text(line[2:]), "untracked", is_unstaged=True, on_disk=os.fsdecode(line[2:])))
    return WorkingTree(tuple(found))


def _touched(line: bytes, before: str) -> Touched:
    *head, path = line.split(b" ", _FIELDS[line[:1]])
    letters = head[1].decode("ascii", "replace")
    staged, unstaged = letters[0], letters[1]
    if line[:1] == b"u":
        what = "conflict"
    elif "D" in (staged, unstaged) and staged != "A":
        what = "deleted"
    else:
        what = _WORDS.get(staged) or _WORDS.get(unstaged) or "modified"
    return Touched(
        _text(path),
        what,
        _text(os.fsencode(before)),
        is_staged=staged != ".",
        is_unstaged=unstaged != ".",
        is_submodule=head[2][:1] == b"S",
        recorded=head[6].decode("ascii", "replace") if line[:1] in b"12" and head[3] == _SUBMODULE else "",
        on_disk=os.fsdecode(path),
        before_on_disk=before,
    )


def _text(path: bytes) -> str:
    return path.decode("utf-8", "replace")
