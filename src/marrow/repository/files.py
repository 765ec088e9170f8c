"""The files that make up a project: those that git tracks, or what a careful walk finds where git cannot say.

Links are never followed: a repository may point one at its reader's keys.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator
from contextlib import closing
from pathlib import Path

from marrow.model.errors import Invalid, NotFound, Unavailable

from .command import fields
from .identity import locate

ENTRIES_MAX = 200_000
DEPTH_MAX = 40
# Not sources: what is built, downloaded or cached. Hidden folders are left out by their dot.
BUILD_FOLDERS = frozenset(
    "__pycache__ _build bower_components build cmakefiles coverage deriveddata dist env htmlcov jspm_packages "
    "node_modules obj out pods site-packages target vendor venv".split()
)


def tracked(root: str | os.PathLike[str], suffixes: Collection[str] = ()) -> Iterator[Path]:
    """Regular files at or below `root`, each once, in a stable order; with `suffixes`, only those that end so."""
    folder = Path(root)
    if not folder.is_dir():
        raise NotFound(f"{folder} is no folder.", hint="Give the project's root.", field="root")
    endings = tuple(suffix.lower() for suffix in suffixes)
    return _tracked(folder, endings)


def _tracked(folder: Path, endings: tuple[str, ...]) -> Iterator[Path]:
    with closing(fields(folder, "ls-files", "-z", "--cached")) as told:
        try:
            first = next(told, None)
        except (Invalid, Unavailable):  # no repository, no git, not ours to read, or a bare one
            place = locate(folder, environ={})
            if place is None or place.root is not None:
                _check_is_a_project(folder)
                yield from _walked(folder, endings)
            return
        real_root = os.path.realpath(folder)
        inside: dict[str, bool] = {}
        before = None
        while first is not None:
            name = os.fsdecode(first)
            if name != before and _ends(name, endings):  # a conflict lists a file once a side
                above = os.path.dirname(name)
                if above not in inside:
                    inside[above] = os.path.realpath(folder / above) == os.path.normpath(os.path.join(real_root, above))
                if inside[above] and _is_file(folder / name):
                    yield folder / name
            before, first = name, next(told, None)


def _check_is_a_project(folder: Path) -> None:
    """Whoever stands above their own home, or in it, has not gone to a project yet. What is there is not to be read."""
    at_home = os.path.expanduser("~")
    if not os.path.isabs(at_home):  # nobody's
        return
    here, home = (Path(os.path.realpath(one)) for one in (folder, at_home))
    if here == home or here in home.parents or here == here.parent:
        what = "your home folder" if here == home else "above your projects"
        hint = "Go to a project's folder first; `git init` there makes one of it."
        raise Invalid(f"{here} is {what}, and no repository.", hint=hint, field="root")


def _walked(folder: Path, endings: tuple[str, ...]) -> Iterator[Path]:
    left = ENTRIES_MAX
    waiting: list[tuple[Path, int]] = [(folder, 0)]
    while waiting:
        here, depth = waiting.pop()
        try:
            with os.scandir(here) as listing:
                found = sorted((entry for entry, _ in zip(listing, range(left), strict=False)), key=lambda e: e.name)
        except OSError:
            continue
        left -= len(found)
        folders = []
        for entry in found:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                if depth < DEPTH_MAX and entry.name.lower() not in BUILD_FOLDERS:
                    folders.append((here / entry.name, depth + 1))
            elif entry.is_file(follow_symlinks=False) and _ends(entry.name, endings):
                yield here / entry.name
        waiting.extend(reversed(folders))


def _ends(name: str, endings: tuple[str, ...]) -> bool:
    return not endings or name.lower().endswith(endings)


def _is_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(os.lstat(path).st_mode)
    except OSError:
        return False
