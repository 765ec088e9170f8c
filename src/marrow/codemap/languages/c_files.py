"""What `#include` means: which files of the project. A header brings the source of its name with it, in which what it
declares is defined."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from ..language import Finder, Project
from .c_system import SYSTEM

HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc", ".inl", ".ipp")
SOURCES = (".c", ".cc", ".cpp", ".cxx")
FOLDERS = ("include", "src", "source", "lib")


def finder(project: Project) -> Finder:
    @lru_cache(maxsize=65536)
    def find(path: str, module: str) -> Collection[str]:
        spelt = module.strip("<>")
        _, dot, ending = spelt.rpartition(".")
        if not dot or f".{ending}" not in (*HEADERS, *SOURCES):
            return ()
        if module in SYSTEM:
            return ()
        header = _header(project, path, spelt)
        if not header:
            return ()
        return (header, *_sources(project, header))

    return find


def _header(project: Project, path: str, spelt: str) -> str:
    folder = path.rpartition("/")[0]
    likely = [_joined(folder, spelt), _joined("", spelt)]
    likely += [_joined(root, spelt) for root in FOLDERS]
    for one in likely:
        if one != path and project.has(one):
            return one
    name = spelt.rpartition("/")[2]
    found = [one for one in project.named(name) if one != path and f"/{one}".endswith(f"/{spelt.lstrip('./')}")]
    if len(found) > 1:  # the nearest
        found.sort(key=lambda one: (-_shared(one, path), len(one)))
        if _shared(found[0], path) == _shared(found[1], path):
            return ""
    return found[0] if found else ""


def _sources(project: Project, header: str) -> list[str]:
    stem = header.rpartition(".")[0]
    beside = [stem + ending for ending in SOURCES if project.has(stem + ending)]
    if beside:
        return beside
    name = stem.rpartition("/")[2]
    found = [one for ending in SOURCES for one in project.named(name + ending)]
    return found if len(found) == 1 else []


def _shared(one: str, other: str) -> int:
    count = 0
    for a, b in zip(one.split("/"), other.split("/"), strict=False):
        if a != b:
            break
        count += 1
    return count


def _joined(folder: str, name: str) -> str:
    parts = folder.split("/") if folder else []
    for part in name.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
