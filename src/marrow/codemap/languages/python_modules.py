"""What an import of Python means: which files of the project."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from ..language import Finder, Project

ENDINGS = (".py", ".pyi")
# Folders that hold packages without being part of their names, besides those that a package itself shows.
SOURCE_ROOTS = ("src", "lib", "python")


def finder(project: Project) -> Finder:
    @lru_cache(maxsize=65536)
    def find(path: str, module: str) -> Collection[str]:
        folder = path.rpartition("/")[0]
        dots = len(module) - len(module.lstrip("."))
        names = [name for name in module[dots:].split(".") if name]
        if dots:
            for _ in range(dots - 1):
                folder = folder.rpartition("/")[0]
            return _at(project, folder, names)
        for root in _roots(project, folder):
            found = _at(project, root, names)
            if found:
                return found
        return ()

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


def _at(project: Project, root: str, names: list[str]) -> tuple[str, ...]:
    place = "/".join([*([root] if root else []), *names])
    found = [f"{place}{ending}" for ending in ENDINGS] if names else []
    found += [f"{place}/__init__{ending}" if place else f"__init__{ending}" for ending in ENDINGS]
    return tuple(path for path in found if project.has(path))
