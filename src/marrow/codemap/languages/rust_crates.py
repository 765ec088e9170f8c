"""What a path of Rust means: which files of the project. Crates are found by their Cargo.toml, modules by where their
files lie."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from ..language import Finder, Project

ROOTS = ("lib.rs", "main.rs")
# Folders of a crate whose files are each a crate of their own.
APART = ("tests", "examples", "benches", "bin")

_NAME = re.compile(r"^\s*name\s*=\s*[\"']([^\"']+)[\"']", re.MULTILINE)
_PATH = re.compile(r"^\s*path\s*=\s*[\"']([^\"']+)[\"']", re.MULTILINE)
_TABLE = re.compile(r"^\s*\[", re.MULTILINE)


def finder(project: Project) -> Finder:
    crates = _Crates(project)

    @lru_cache(maxsize=65536)
    def find(path: str, module: str) -> Collection[str]:
        if module.endswith(".rs"):
            found = _joined(path.rpartition("/")[0], module)
            return (found,) if project.has(found) else ()
        first, *names = module.split(".")
        if first == "crate":
            return crates.below(crates.roots_of(path), names)
        if first == "mod":
            return crates.below([path], names) if names else (path,)
        if first == "super":
            above = crates.above(path)
            while names and names[0] == "super":
                above = [up for one in above for up in crates.above(one)]
                names = names[1:]
            return crates.below(above, names)
        roots = crates.named(first, path)
        if roots:
            return crates.below(roots, names)
        # Before the edition of 2018 paths begin at the root of the crate.
        return crates.below([path], [first, *names]) or crates.below(crates.roots_of(path), [first, *names])

    return find


class _Crates:
    """The crates of a project."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._folders = {path.rpartition("/")[0]: path for path in project.named("Cargo.toml")}
        self._names: dict[str, list[str]] | None = None
        # Kept here: a cache of the class would keep every project that was ever asked about.
        self._roots: dict[str, tuple[str, ...]] = {}

    def named(self, name: str, path: str) -> list[str]:
        """The roots of a crate of the project, by its name. A crate does not mean itself, except where what tests it
        does."""
        if self._names is None:
            self._names = {}
            for folder, manifest in self._folders.items():
                self._learn(folder, self._project.text(manifest))
        roots = self._names.get(name, [])
        return [root for root in roots if root not in self.roots_of(path)]

    def _learn(self, folder: str, text: str) -> None:
        assert self._names is not None
        package, library = _section(text, "package"), _section(text, "lib")
        path = _PATH.search(library)
        lib = _joined(folder, path[1] if path else "src/lib.rs")
        if not self._project.has(lib):
            return
        for found in (_NAME.search(library), _NAME.search(package)):
            if found:
                self._names.setdefault(found[1].replace("-", "_"), []).append(lib)
                return

    def roots_of(self, path: str) -> tuple[str, ...]:
        """The roots of the crate that a file is in."""
        known = self._roots.get(path)
        if known is None:
            known = self._roots[path] = self._found_roots(path)
        return known

    def _found_roots(self, path: str) -> tuple[str, ...]:
        folder, _, name = path.rpartition("/")
        if name in ROOTS and (not folder or folder.rpartition("/")[2] == "src"):
            return (path,)
        home = folder
        while home and home not in self._folders:
            home = home.rpartition("/")[0]
        if home in self._folders:
            inside = path[len(home) + 1 :] if home else path
            parts = inside.split("/")
            if parts[0] in APART and len(parts) == 2:
                return (path,)
            if parts[:2] == ["src", "bin"] and len(parts) == 3:
                return (path,)
            if parts[0] in APART and len(parts) > 2:  # a folder with a main.rs, or what several share
                shared = f"{home}/" if home else ""
                main = f"{shared}{parts[0]}/{parts[1]}/main.rs"
                return (main,) if self._project.has(main) else self._siblings(f"{shared}{parts[0]}", parts[1])
            text = self._project.text(self._folders[home])
            given = _PATH.search(_section(text, "lib"))
            likely = [given[1]] if given else []
            likely += ["src/lib.rs", "src/main.rs"]
            found = [one for name in likely if self._project.has(one := _joined(home, name))]
            if found:
                return tuple(dict.fromkeys(found))
        here = folder
        while True:
            found = [one for root in ROOTS if self._project.has(one := _joined(here, root))]
            if found:
                return tuple(found)
            if not here:
                return (path,)
            here = here.rpartition("/")[0]

    def _siblings(self, folder: str, name: str) -> tuple[str, ...]:
        return tuple(sorted(path for path in self._project.in_folder(folder) if path.endswith(".rs")))[:8]

    def folder_of(self, path: str) -> str:
        """Where the modules below a file lie."""
        folder, _, name = path.rpartition("/")
        if name in ("mod.rs", *ROOTS) or path in self.roots_of(path):
            return folder
        return _joined(folder, name.removesuffix(".rs"))

    def below(self, paths: Collection[str], names: list[str]) -> tuple[str, ...]:
        """The files of a module that is named from one of some files downwards."""
        found = list(paths)
        for name in names:
            following: list[str] = []
            for path in found:
                folder = self.folder_of(path)
                likely = (_joined(folder, f"{name}.rs"), _joined(folder, f"{name}/mod.rs"))
                following += [one for one in likely if one != path and self._project.has(one)]
            found = following
            if not found:
                return ()
        return tuple(found)

    def above(self, path: str) -> list[str]:
        """The files of the module that a file's module is in."""
        if path in self.roots_of(path):
            return []
        folder, _, name = path.rpartition("/")
        if name == "mod.rs":
            folder = folder.rpartition("/")[0]
        likely = [_joined(folder, "mod.rs"), f"{folder}.rs" if folder else ""]
        likely += [root for root in self.roots_of(path) if root.rpartition("/")[0] == folder]
        return [one for one in likely if one and one != path and self._project.has(one)]


def _section(text: str, name: str) -> str:
    """What stands in a table of a manifest."""
    begin = re.search(rf"^\s*\[{name}\]\s*$", text, re.MULTILINE)
    if begin is None:
        return ""
    end = _TABLE.search(text, begin.end())
    return text[begin.end() : end.start() if end else len(text)]


def _joined(folder: str, name: str) -> str:
    parts = folder.split("/") if folder else []
    for part in name.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
