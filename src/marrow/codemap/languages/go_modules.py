"""What an import of Go means, and which files belong together: packages are folders."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

from ..language import Finder, Project

_MODULE = re.compile(r"^\s*module\s+\"?([^\s\"]+)", re.MULTILINE)
_REPLACE = re.compile(r"^\s*(?:replace\s+)?([^\s()]+)(?:\s+v\S+)?\s*=>\s*(\.{1,2}(?:/\S*)?)\s*$", re.MULTILINE)


def finder(project: Project) -> Finder:
    modules = _modules(project)

    @lru_cache(maxsize=65536)
    def find(path: str, module: str) -> Collection[str]:
        folder = path.rpartition("/")[0]
        if module.startswith("."):
            return _package(project, _joined(folder, module)) if module.startswith(("./", "../")) else ()
        here = folder
        while True:  # vendored by one of the folders above, or below one that is a GOPATH
            for place in ("vendor", "src") if modules else ("vendor", "src", ""):
                found = _package(project, "/".join(part for part in (here, place, module) if part))
                if found:
                    return found
            if not here:
                break
            here = here.rpartition("/")[0]
        for name, root in modules:
            if module == name or module.startswith(f"{name}/"):
                found = _package(project, _joined(root, f"./{module[len(name) :].strip('/')}"))
                if found:
                    return found
        return ()

    return find


def shares(project: Project, path: str) -> Collection[str]:
    """The other files of the package. Only tests see what stands in tests."""
    package, is_test = project.package(path), path.endswith("_test.go")
    return tuple(
        other
        for other in sorted(project.in_folder(path.rpartition("/")[0]))
        if other.endswith(".go")
        and other != path
        and (is_test or not other.endswith("_test.go"))
        and project.package(other) == package
    )


def _modules(project: Project) -> list[tuple[str, str]]:
    """The names of modules with their folders, the longest first."""
    found: list[tuple[str, str]] = []
    for path in sorted(project.named("go.mod")):
        folder, text = path.rpartition("/")[0], project.text(path)
        name = _MODULE.search(text)
        if name is not None:
            found.append((name[1], folder))
        found += [(one[1], _joined(folder, one[2])) for one in _REPLACE.finditer(text)]
    return sorted(found, key=lambda one: -len(one[0]))


def _joined(folder: str, relative: str) -> str:
    parts = folder.split("/") if folder else []
    for part in relative.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _package(project: Project, folder: str) -> tuple[str, ...]:
    """The files of a folder that others can import: no tests, and no programs beside a package."""
    files = [path for path in project.in_folder(folder) if path.endswith(".go") and not path.endswith("_test.go")]
    library = [path for path in files if project.package(path) != "main"]
    return tuple(sorted(library or files))
