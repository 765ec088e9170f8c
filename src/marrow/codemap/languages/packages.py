"""Imports that name a package which files say that they belong to, wherever they lie."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import lru_cache

from ..language import Finder, Project


def finder_by_package(language: str, mark: str = ".") -> Callable[[Project], Finder]:
    """Finds the files of a package; `mark` stands between the names of a package in this language."""

    def made(project: Project) -> Finder:
        @lru_cache(maxsize=65536)
        def find(path: str, module: str) -> Collection[str]:
            spelt = module if mark == "." else module.replace(".", mark)
            return tuple(project.in_package(language, spelt))

        return find

    return made


def shares_package(language: str, mark: str = "", root: bool = False) -> Callable[[Project, str], Collection[str]]:
    """The files of the same package; with `mark` those of the packages around it too, with `root` those of none."""

    def shares(project: Project, path: str) -> Collection[str]:
        package = project.package(path)
        found = list(project.in_package(language, package))
        while mark and mark in package:
            package = package.rpartition(mark)[0]
            found += project.in_package(language, package)
        if root and package:
            found += project.in_package(language, "")
        return found

    return shares
