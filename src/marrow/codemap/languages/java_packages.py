"""What an import of Java means, and which files belong together: those that say that they are of one package."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from ..language import Finder, Project


def finder(project: Project) -> Finder:
    @lru_cache(maxsize=65536)
    def from_root(root: str, module: str) -> Collection[str]:
        return _near(project, root, module)

    def find(path: str, module: str) -> Collection[str]:
        return from_root(_root(project, path), module)

    return find


def shares(project: Project, path: str) -> Collection[str]:
    return _near(project, _root(project, path), project.package(path))


def _root(project: Project, path: str) -> str:
    """The folder that a file's package begins in."""
    folder, package = path.rpartition("/")[0], project.package(path).replace(".", "/")
    return folder.removesuffix(package).rstrip("/") if package and folder.endswith(package) else folder


def _near(project: Project, root: str, package: str) -> tuple[str, ...]:
    """The files of a package: first those of the same source folder, then those that are nearest to it."""
    found = project.in_package("java", package)
    if not found:
        return ()
    return tuple(sorted(found, key=lambda path: (not path.startswith(f"{root}/"), -_common(root, path), path)))


def _common(one: str, other: str) -> int:
    """How much of their beginnings two paths have in common."""
    for at, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return at
    return min(len(one), len(other))
