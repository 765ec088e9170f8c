"""What an import of Python means: which files of the project."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from ..language import Finder, Project

ENDINGS = (".py", ".pyi")
# Folders that hold packages without being part of their names, besides those that a package itself shows.
SOURCE_ROOTS = ("src", "lib", "python")


def finder(project: Project) -> Finder:
    """What an import means is the same for all files of a folder, and where a module lies below a folder the same for
    all that ask."""

    @lru_cache(maxsize=16384)
    def roots(folder: str) -> list[str]:
        return _roots(project, folder)

    @lru_cache(maxsize=65536)
    def at(root: str, names: str) -> tuple[str, ...]:
        return _at(project, root, names)

    @lru_cache(maxsize=65536)
    def found_in(folder: str, module: str) -> Collection[str]:
        bare = module.lstrip(".")
        dots = len(module) - len(bare)
        place = "/".join([name for name in bare.split(".") if name])
        if dots:
            for _ in range(dots - 1):
                folder = folder.rpartition("/")[0]
            return at(folder, place)
        for root in roots(folder):
            found = at(root, place)
            if found:
                return found
        return ()

    def find(path: str, module: str) -> Collection[str]:
        return found_in(path.rpartition("/")[0], module)

    return find


def _roots(project: Project, folder: str) -> list[str]:
    """Where absolute imports of a file may begin: above its package, then the folders further up, then the usual
    ones."""
    roots, here = [], folder
    while here and _is_package(project, here):
        here = here.rpartition("/")[0]
    roots.append(here)
    while here:
        here = here.rpartition("/")[0]
        roots.append(here)
        roots += [f"{here}/{name}" if here else name for name in SOURCE_ROOTS]
    roots += ["", *SOURCE_ROOTS, folder]
    return list(dict.fromkeys(roots))


def _is_package(project: Project, folder: str) -> bool:
    return any(project.has(f"{folder}/__init__{ending}") for ending in ENDINGS)


def _at(project: Project, root: str, names: str) -> tuple[str, ...]:
    """The files of a module below a folder; its names have slashes between them."""
    place = f"{root}/{names}" if root and names else root or names
    found = [f"{place}{ending}" for ending in ENDINGS] if names else []
    found += [f"{place}/__init__{ending}" if place else f"__init__{ending}" for ending in ENDINGS]
    return tuple([path for path in found if project.has(path)])
