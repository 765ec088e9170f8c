"""Which files a JavaScript or TypeScript import means: beside the file, by `tsconfig.json`, by the packages of a
repository. What lies in node_modules is not part of a project."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from posixpath import dirname, join, normpath
from typing import Any

from ..language import Finder, Project

# In the order in which the compiler and the bundlers try them.
_ENDINGS = (".ts", ".tsx", ".d.ts", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".d.mts", ".d.cts")
# A module is imported by the name that it will have once compiled.
_COMPILED = {
    ".js": (".ts", ".tsx", ".d.ts", ".js", ".jsx"),
    ".jsx": (".tsx", ".jsx"),
    ".mjs": (".mts", ".d.mts", ".mjs"),
    ".cjs": (".cts", ".d.cts", ".cjs"),
}
_BUILT = re.compile(r"^(?:\./)?(?:dist|lib|build|out|esm|cjs|es|types|dts|module|bundles?|commonjs|_\w+)(?:/|$)")
_BUILT_ENDING = re.compile(r"(?:\.d)?\.[cm]?[jt]sx?$")
_COMMENTS = re.compile(r"""("(?:[^"\\]|\\.)*")|/\*.*?\*/|//[^\n]*""", re.DOTALL)
_TRAILING = re.compile(r"""("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])""", re.DOTALL)
_CONDITIONS = ("source", "development", "types", "typings", "import", "module", "node", "browser", "require", "default")
_CONFIGS = ("tsconfig.json", "jsconfig.json", "tsconfig.base.json", "tsconfig.app.json", "tsconfig.src.json")
_EXTENDS_MAX, _NESTED_MAX, _SOURCES = 6, 8, ("src", "source", "lib", "")


def finder(project: Project) -> Finder:
    packages = _Packages(project)
    configs = _Configs(project)
    known: dict[tuple[str, str], Collection[str]] = {}

    def find(path: str, module: str) -> Collection[str]:
        folder = dirname(path)
        key = folder, module
        if key not in known:
            known[key] = tuple(dict.fromkeys(_found(project, folder, module, configs, packages)))
        return known[key]

    return find


def _found(project: Project, folder: str, module: str, configs: _Configs, packages: _Packages) -> Iterator[str]:
    if module.startswith((".", "/")):
        place = normpath(join(folder, module)) if module[0] == "." else module.lstrip("/")
        if not place.startswith(".."):
            yield from files_at(project, "" if place == "." else place, module.endswith(("/", "/.", "/..")))
        return
    for place in configs.places(folder, module):
        yield from files_at(project, place)
    if module.startswith("#"):
        yield from packages.own(folder, module)
        return
    yield from packages.files(module)


def files_at(project: Project, place: str, is_folder: bool = False) -> Iterator[str]:
    """The files that a place may mean: itself, with an ending, or the index of a folder."""
    if not is_folder and place:
        stem, dot, ending = place.rpartition(".")
        for other in _COMPILED.get(f".{ending}", ()) if dot else ():
            if project.has(stem + other):
                yield stem + other
        if dot and place.endswith(_ENDINGS) and project.has(place):
            yield place
        for other in _ENDINGS:
            if project.has(place + other):
                yield place + other
    inside = f"{place}/index" if place else "index"
    for other in _ENDINGS:
        if project.has(inside + other):
            yield inside + other


class _Configs:
    """What the nearest `tsconfig.json` says about names of modules."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._files = {dirname(path): path for name in reversed(_CONFIGS) for path in project.named(name)}
        self._read: dict[str, list[tuple[str, str, str]]] = {}

    def places(self, folder: str, module: str) -> Iterator[str]:
        while self._files:
            if folder in self._files:
                yield from self._by(self._rules(folder), module)
            if not folder:
                return
            folder = dirname(folder)

    @staticmethod
    def _by(rules: list[tuple[str, str, str]], module: str) -> Iterator[str]:
        for before, after, target in rules:
            if len(module) >= len(before) + len(after) and module.startswith(before) and module.endswith(after):
                yield normpath(target.replace("*", module[len(before) : len(module) - len(after)], 1))

    def _rules(self, folder: str) -> list[tuple[str, str, str]]:
        """(before the star, after it, the place with a star), the most exact first."""
        if folder not in self._read:
            self._read[folder] = self._made(self._files[folder], 0)
        return self._read[folder]

    def _made(self, path: str, depth: int) -> list[tuple[str, str, str]]:
        read = _json(self._project.text(path))
        folder = dirname(path)
        options = _dict(read.get("compilerOptions"))
        base = options.get("baseUrl")
        root = normpath(join(folder, base)) if isinstance(base, str) else folder
        rules: list[tuple[str, str, str]] = []
        for pattern, targets in _dict(options.get("paths")).items():
            before, star, after = pattern.partition("*")
            places = [one for one in targets if isinstance(one, str) and one] if isinstance(targets, list) else []
            rules += [(before, after if star else "", normpath(join(root, one))) for one in places]
        rules.sort(key=lambda rule: -len(rule[0]))
        if isinstance(base, str):
            rules.append(("", "", join(root, "*") if root != "." else "*"))
        above = read.get("extends")
        for other in above if isinstance(above, list) else [above]:
            if isinstance(other, str) and other.startswith(".") and depth < _EXTENDS_MAX and not rules:
                place = normpath(join(folder, other))
                for one in (place, f"{place}.json", f"{place}/tsconfig.json"):
                    if one.endswith(".json") and self._project.has(one):
                        rules += self._made(one, depth + 1)
                        break
        return [(before, after, target) for before, after, target in rules if not target.startswith("..")]


class _Packages:
    """The packages of a repository, by the names in their `package.json`."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._manifests: dict[str, dict[str, Any]] = {}
        self._folders: dict[str, str] = {}
        for path in sorted(project.named("package.json"), key=len):
            if "node_modules/" in path:
                continue
            read = _json(project.text(path))
            folder = dirname(path)
            self._manifests[folder] = read
            name = read.get("name")
            if isinstance(name, str):
                self._folders.setdefault(name, folder)

    def files(self, module: str) -> Iterator[str]:
        parts = module.split("/")
        for count in range(1, 3):
            name = "/".join(parts[:count])
            if name in self._folders:
                yield from self._of(self._folders[name], "/".join(parts[count:]))
                return

    def own(self, folder: str, module: str) -> Iterator[str]:
        """`#internal`: by the `imports` of the package that a file is in."""
        while folder not in self._manifests:
            if not folder:
                return
            folder = dirname(folder)
        yield from self._mapped(folder, _dict(self._manifests[folder].get("imports")), module)

    def _of(self, folder: str, inside: str) -> Iterator[str]:
        read = self._manifests[folder]
        exports = read.get("exports")
        if isinstance(exports, str) or (isinstance(exports, dict) and not any(k.startswith(".") for k in exports)):
            exports = {".": exports}
        yield from self._mapped(folder, _dict(exports), f"./{inside}" if inside else ".")
        if not inside:
            for field in ("source", "types", "typings", "module", "main"):
                if isinstance(read.get(field), str):
                    yield from self._built(folder, read[field])
        for source in _SOURCES:
            yield from files_at(self._project, normpath(join(folder, source, inside)).removeprefix("."), not inside)

    def _mapped(self, folder: str, mapped: dict[str, Any], wanted: str) -> Iterator[str]:
        for pattern, target in mapped.items():
            before, star, after = pattern.partition("*")
            if not star and pattern != wanted:
                continue
            if star and not (
                wanted.startswith(before) and wanted.endswith(after) and len(wanted) >= len(before) + len(after)
            ):
                continue
            held = wanted[len(before) : len(wanted) - len(after)] if star else ""
            for one in _targets(target, 0):
                yield from self._built(folder, one.replace("*", held))

    def _built(self, folder: str, target: str) -> Iterator[str]:
        """What a manifest names is mostly the compiled file; the source has its name elsewhere."""
        place = normpath(join(folder, target))
        if self._project.has(place) and not place.endswith(".json"):
            yield place
            return
        stem = _BUILT_ENDING.sub("", target)
        for _ in range(3):
            for source in _SOURCES:
                yield from files_at(self._project, normpath(join(folder, source, stem)).removeprefix("./"))
            if not _BUILT.match(stem):
                return
            stem = stem.removeprefix("./").partition("/")[2]


def _targets(target: Any, depth: int) -> Iterator[str]:
    if isinstance(target, str):
        yield target
    elif isinstance(target, list):
        for one in target[:_NESTED_MAX]:
            yield from _targets(one, depth + 1)
    elif isinstance(target, dict) and depth < _NESTED_MAX:
        for condition in _CONDITIONS:
            if condition in target:
                yield from _targets(target[condition], depth + 1)
        for condition in target:
            if condition not in _CONDITIONS:
                yield from _targets(target[condition], depth + 1)


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _json(text: str) -> dict[str, Any]:
    """JSON, with comments and trailing commas where people write them."""
    kept: Callable[[re.Match[str]], str] = lambda found: found[1] or " "  # noqa: E731
    for attempt in (text, _TRAILING.sub(lambda found: found[1] or "", _COMMENTS.sub(kept, text))):
        try:
            return _dict(json.loads(attempt.lstrip("\ufeff")))
        except (ValueError, RecursionError):
            continue
    return {}
