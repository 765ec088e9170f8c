"""What a resolver asks about a project: its files' maps, and where a name is defined."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from ..model.code import FileMap
from .language import Project

Ref = tuple[str, int]


class Facts(Project, Protocol):
    """A project with its maps."""

    def file(self, path: str) -> FileMap | None:
        """The map of a file; None for one that is not mapped. Asked for often."""

    def defined(self, name: str, within: str | None = None) -> Sequence[Ref]:
        """(path, index) of every symbol of that name, or of a good many where very many things have it: then all that
        stand in something with the last name `within` ("" for a file itself) are surely among them."""


class InMemory:
    """Maps that are all at hand. `others` are files that are not mapped, with their texts (manifests)."""

    def __init__(self, maps: Mapping[str, FileMap], others: Mapping[str, str] | None = None) -> None:
        self._maps, self._others = maps, others or {}
        self._defined: dict[str, list[Ref]] = {}
        self._folders: dict[str, list[str]] = {}
        self._packages: dict[tuple[str, str], list[str]] = {}
        self._names: dict[str, list[str]] = {}
        for path, found in maps.items():
            for at, symbol in enumerate(found.symbols):
                self._defined.setdefault(symbol.name, []).append((path, at))
            self._folders.setdefault(path.rpartition("/")[0], []).append(path)
            self._packages.setdefault((found.language, found.package), []).append(path)
        for path in (*maps, *self._others):
            self._names.setdefault(path.rpartition("/")[2], []).append(path)

    def file(self, path: str) -> FileMap | None:
        return self._maps.get(path)

    def defined(self, name: str, within: str | None = None) -> Sequence[Ref]:
        return self._defined.get(name, ())

    def has(self, path: str) -> bool:
        return path in self._maps or path in self._others

    def in_folder(self, folder: str) -> Collection[str]:
        return self._folders.get(folder, ())

    def in_package(self, language: str, package: str) -> Collection[str]:
        return self._packages.get((language, package), ())

    def named(self, file_name: str) -> Collection[str]:
        return self._names.get(file_name, ())

    def text(self, path: str) -> str:
        return self._others.get(path, "")

    def package(self, path: str) -> str:
        found = self._maps.get(path)
        return found.package if found else ""
