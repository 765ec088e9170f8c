"""The namespaces that every file of a project of C# sees without saying so: `<Using Include="Shop.Data" />` in its
.csproj or in a Directory.Build.props (or .targets) above it, and `global using` in the files that are called for it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from ..language import Project
from .packages import shares_package

PROPERTIES = ("Directory.Build.props", "Directory.Build.targets")
USINGS = ("GlobalUsings.cs", "Usings.cs")

_ITEM = re.compile(r"<Using\s([^<>]*)>")
_INCLUDED = re.compile(r"\bInclude\s*=\s*\"([^\"]+)\"")
_GLOBAL = re.compile(r"^[ \t]*global\s+using\s+([\w.]+)\s*;", re.MULTILINE)
_OWN = shares_package("csharp", ".", root=True)


def shares(project: Project, path: str) -> Collection[str]:
    found = list(_OWN(project, path))
    for name in dict.fromkeys(_seen_everywhere(project, path)):
        found += project.in_package("csharp", name)
    return found


def _seen_everywhere(project: Project, path: str) -> Iterator[str]:
    folder = path.rpartition("/")[0]
    while True:
        before = f"{folder}/" if folder else ""
        own = f"{before}{folder.rpartition('/')[2]}.csproj"  # a project is mostly called as its folder is
        for item in (own, *(f"{before}{name}" for name in PROPERTIES)):
            for given in _ITEM.findall(project.text(item)) if project.has(item) else ():
                included = _INCLUDED.search(given)
                if included is not None and "Static" not in given and "Alias" not in given:
                    yield included[1]
        for usings in (f"{before}{name}" for name in USINGS):
            yield from _GLOBAL.findall(project.text(usings)) if project.has(usings) else ()
        if not folder:
            return
        folder = folder.rpartition("/")[0]
