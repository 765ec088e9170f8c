"""What `require` means in Ruby: a file beside, or one below a folder that is looked in."""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from posixpath import join, normpath

from ..language import Finder, Project

LOAD_PATHS = ("lib", "app", "test", "spec", "")


def finder(project: Project) -> Finder:
    @lru_cache(maxsize=65536)
    def find(path: str, module: str) -> Collection[str]:
        file = module if module.endswith(".rb") else f"{module}.rb"
        folder = path.rpartition("/")[0]
        if module.startswith("."):
            place = normpath(join(folder, file))
            return (place,) if project.has(place) else ()
        # Of the files of that name, one below a `lib` near the file that asks.
        tail = f"/{file}"
        found = [one for one in project.named(file.rpartition("/")[2]) if f"/{one}".endswith(tail)]
        found = [one for one in found if f"/{one}"[: -len(tail)].rpartition("/")[2] in LOAD_PATHS]
        return tuple(sorted(found, key=lambda one: (-_together(one, path), one))[:1])

    return find


def _together(one: str, other: str) -> int:
    """How far two paths go together."""
    count = 0
    for a, b in zip(one.split("/"), other.split("/"), strict=False):
        if a != b:
            break
        count += 1
    return count
