"""What a repository has besides the folder at hand: its other worktrees, and the files of its other branches."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing, suppress

from .command import content, conversation, fields
from .gitconfig import read_bounded
from .identity import Place, locate

_REFS_BYTES_MAX = 4 * 1024 * 1024
_POINTER_BYTES_MAX = 8192
# So many questions take git about a second.
QUESTIONS_MAX = 100_000


def is_linked(root: str) -> bool:
    """Whether a folder is one of several working trees of its repository, and not the main one."""
    place = locate(root, environ={}) if root else None
    return place is not None and _is_linked(place)


def is_beside_main(root: str) -> bool:
    """The same, where there is a main one: of a bare repository all are linked."""
    place = locate(root, environ={}) if root else None
    if place is None or not _is_linked(place):
        return False
    main = locate(os.path.dirname(place.common_dir), environ={})
    return main is not None and main.root is not None and main.git_dir == place.common_dir


def _is_linked(place: Place) -> bool:
    """A submodule has its git directory elsewhere too, but shares it with nothing."""
    return place.git_dir != place.common_dir and os.path.basename(os.path.dirname(place.git_dir)) == "worktrees"


def worktrees(root: str) -> list[str]:
    """The folders where this repository is checked out, `root` first: each as far below its top as `root` is."""
    place = locate(root, environ={})
    found = [root]
    if place is None or place.root is None:
        return found
    below = os.path.relpath(os.path.realpath(root), os.path.realpath(place.root))
    tops = [os.path.dirname(place.common_dir)] if os.path.basename(place.common_dir) == ".git" else []
    with suppress(OSError):  # there is no such folder where there is one worktree
        kept = os.path.join(place.common_dir, "worktrees")
        for name in sorted(os.listdir(kept)):
            pointer = (read_bounded(os.path.join(kept, name, "gitdir"), _POINTER_BYTES_MAX) or "").strip()
            if pointer and "\0" not in pointer:
                tops.append(os.path.dirname(os.path.normpath(os.path.join(kept, name, pointer))))
    return found + [os.path.normpath(os.path.join(top, below)) for top in tops if top != place.root]


def on_other_branches(root: str, paths: Sequence[str]) -> set[str]:
    """Those of these paths, told from `root`, that another branch has, here or as it was last fetched, and that the one
    at hand has not left behind: an old branch still has what was deleted long ago. Where there are too many to ask
    about, all of them."""
    if locate(root, environ={}) is None:
        return set()
    asked = [path for path in paths if "\n" not in path]
    found = set(paths).difference(asked)  # about these, git cannot be asked line by line
    options = ("--format=%(objectname)", "refs/heads", "refs/remotes")
    tips, is_whole = content(root, "for-each-ref", *options, bytes_max=_REFS_BYTES_MAX)
    commits = sorted(set(tips.decode("ascii", "replace").split()))
    if not is_whole or len(commits) * len(asked) > QUESTIONS_MAX:
        return set(paths)
    here = _having(root, ["HEAD"], asked)
    there = _having(root, commits, [path for path in asked if path not in here])
    return found | (there - _deleted(root, sorted(there)))


def _having(root: str, commits: Sequence[str], paths: Sequence[str]) -> set[str]:
    questions = [(commit, path) for commit in commits for path in paths]
    if not questions:
        return set()
    lines = b"".join(f"{commit}:./".encode() + os.fsencode(path) + b"\n" for commit, path in questions)
    with conversation(root, "cat-file", "--batch-check", asked=lines) as told:
        answers = zip(questions, told, strict=False)
        return {path for (_, path), line in answers if not line.endswith(b" missing\n")}


def _deleted(root: str, paths: Sequence[str]) -> set[str]:
    """Those that a commit before HEAD has deleted."""
    if not paths:
        return set()
    options = ("--format=", "--name-only", "-z", "--relative", "--no-renames", "--diff-filter=D", "HEAD", "--")
    with closing(fields(root, "log", *options, *(f":(literal){path}" for path in paths))) as told:
        return {os.fsdecode(name).lstrip("\n") for name in told}
