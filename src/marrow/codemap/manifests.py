"""The dependencies that a project says it has, from the manifests of the common ecosystems: names and versions.

Pure: text in, values out. A manifest that cannot be read gives what could be found in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(?:@\s*(\S+)|([^;#]*))")
_GO_LINE = re.compile(r"^\s*(?:require\s+)?([\w.-]+\.[\w.-]+/[^\s]+|[\w.-]+\.\w+)\s+(v\S+)", re.M)
_GRADLE = re.compile(
    r"""\b(?:\w*[iI]mplementation|\w*[aA]pi|compileOnly|runtimeOnly|kapt|ksp|annotationProcessor|classpath|\w*[cC]ompile)"""
    r"""\s*[( ]\s*(?:platform\()?["']([\w.-]+:[\w.-]+)(?::([^"'@]+))?"""
)
_GEM = re.compile(r"""^\s*gem\s+["']([\w-]+)["']((?:\s*,\s*["'][^"']*["'])*)""", re.M)
_GEMSPEC = re.compile(
    r"""add_(?:runtime_|development_)?dependency\s*\(?\s*["']([\w-]+)["']((?:\s*,\s*["'][^"']*["'])*)"""
)
_POM = re.compile(
    r"<dependency>\s*(?:<!--.*?-->\s*)?<groupId>\s*([^<\s]+)\s*</groupId>\s*<artifactId>\s*([^<\s]+)\s*</artifactId>"
    r"(?:\s*<version>\s*([^<]*?)\s*</version>)?",
    re.S,
)
_POM_PROPERTY = re.compile(r"<([\w.-]+)>([^<>]+)</\1>")
_CSPROJ = re.compile(r"<Package(?:Reference|Version)\s+([^>]*?)/?>(?:\s*<Version>([^<]*)</Version>)?", re.S)
_ATTRIBUTE = re.compile(r"(\w+)\s*=\s*\"([^\"]*)\"")
_MIX = re.compile(r"\{\s*:(\w+)\s*,\s*\"([^\"]*)\"")
_SWIFT = re.compile(r"""\.package\(\s*(?:name:\s*"[^"]*",\s*)?url:\s*"([^"]+)"\s*,\s*([^)]*)\)""")


class Dependency(NamedTuple):
    name: str
    version: str


Reader = Callable[[str], Iterator[Dependency]]


def is_manifest(path: str) -> bool:
    return _reader(path) is not None


def dependencies(path: str, text: str) -> dict[str, str]:
    """Versions by name, as they are written; the first where a name is there twice. Empty for another kind of file."""
    read, found = _reader(path), dict[str, str]()
    for name, version in read(text) if read else ():
        found.setdefault(name, " ".join(version.split()))
    return found


def same_name(one: str, other: str) -> bool:
    """Names as the package indexes compare them; the last part of a long one will do."""
    ours, theirs = _plain(one), _plain(other)
    return ours == theirs or theirs.endswith((f"/{ours}", f":{ours}"))


def same_version(one: str, other: str) -> bool:
    """Whether two ways to write a version ask for the same."""
    return _demands(one) == _demands(other)


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name.strip().lower())


def _demands(version: str) -> frozenset[str]:
    parts = re.split(r"\s*,\s*", version.strip().strip("()"))
    return frozenset(re.sub(r"^[v=]+(?=\d)", "", re.sub(r"\s+", "", part)) for part in parts if part not in ("", "*"))


def _reader(path: str) -> Reader | None:
    name = path.rpartition("/")[2].lower()
    if name in _BY_NAME:
        return _BY_NAME[name]
    if re.fullmatch(r"(?:.*[-_.])?requirements?(?:[-_.].*)?\.(?:txt|in)|constraints.*\.txt", name):
        return _requirements
    return next((read for ending, read in _BY_ENDING.items() if name.endswith(ending)), None)


def _requirement(line: str) -> Dependency | None:
    found = _REQUIREMENT.match(line)
    if found is None or not line.strip() or line.lstrip().startswith(("#", "-", "//")):
        return None
    return Dependency(found[1], (found[2] or found[3] or "").strip().strip("()").strip())


def _requirements(text: str) -> Iterator[Dependency]:
    for line in text.replace("\\\n", " ").splitlines():
        found = _requirement(line.partition(" --hash")[0].partition(" #")[0])
        if found is not None:
            yield found


def _pyproject(text: str) -> Iterator[Dependency]:
    shape = _toml(text)
    project, tool = _table(shape, "project"), _table(shape, "tool")
    groups = [project.get("dependencies"), *_table(project, "optional-dependencies").values()]
    groups += [*_table(shape, "dependency-groups").values(), _table(shape, "build-system").get("requires")]
    groups += [_table(tool, "uv").get("dev-dependencies"), *_table(_table(tool, "pdm"), "dev-dependencies").values()]
    for group in groups:
        for line in group if isinstance(group, list) else ():
            found = _requirement(line) if isinstance(line, str) else None
            if found is not None:
                yield found
    poetry = _table(tool, "poetry")
    tables = [_table(poetry, "dependencies"), _table(poetry, "dev-dependencies")]
    tables += [_table(_table(group, ""), "dependencies") for group in _table(poetry, "group").values()]
    for one in tables:
        yield from _named(one)


def _pipfile(text: str) -> Iterator[Dependency]:
    shape = _toml(text)
    for part in ("packages", "dev-packages"):
        yield from _named(_table(shape, part))


def _cargo(text: str) -> Iterator[Dependency]:
    shape = _toml(text)
    places = [shape, _table(shape, "workspace"), *(_table(one, "") for one in _table(shape, "target").values())]
    for place in places:
        for part in ("dependencies", "dev-dependencies", "build-dependencies"):
            yield from _named(_table(place, part))


def _gradle_catalogue(text: str) -> Iterator[Dependency]:
    shape = _toml(text)
    versions = _table(shape, "versions")
    for value in _table(shape, "libraries").values():
        if isinstance(value, str):
            name, _, version = value.rpartition(":")
            yield Dependency(name, version)
            continue
        one = _table(value, "")
        name = str(one.get("module") or f"{one.get('group', '')}:{one.get('name', '')}")
        version = one.get("version", "")
        if isinstance(version, dict) and "ref" in version:
            version = versions.get(str(version["ref"]), "")
        yield Dependency(name, _version(version))


def _setup_cfg(text: str) -> Iterator[Dependency]:
    """`install_requires` and its like: the indented lines after the name."""
    taking = False
    for line in text.splitlines():
        key = re.match(r"(\w[\w.-]*)\s*=\s*(.*)", line)
        section = re.match(r"\[(.*)\]", line)
        if section:
            taking = section[1] == "options.extras_require"
            extras = taking
            continue
        if key and not line[:1].isspace():
            taking = key[1] in ("install_requires", "setup_requires", "tests_require") or (taking and extras)
            line = key[2]
        found = _requirement(line) if taking else None
        if found is not None:
            yield found


def _package_json(text: str) -> Iterator[Dependency]:
    shape = _json(text)
    for part in "dependencies devDependencies peerDependencies optionalDependencies".split():
        yield from _named(_table(shape, part))


def _composer(text: str) -> Iterator[Dependency]:
    shape = _json(text)
    for part in ("require", "require-dev"):
        yield from _named(_table(shape, part))


def _deno(text: str) -> Iterator[Dependency]:
    for value in _table(_json(text), "imports").values():
        found = re.match(r"(?:npm|jsr):(@?[^@]+)@(.+)", str(value))
        if found:
            yield Dependency(found[1], found[2])


def _go(text: str) -> Iterator[Dependency]:
    bare = re.sub(r"//[^\n]*", "", text)
    bare = re.sub(r"(?ms)^\s*(?:replace|exclude|retract)\b(?:\s*\(.*?^\s*\)|[^\n]*)", "", bare)
    for name, version in _GO_LINE.findall(bare):
        yield Dependency(name, version)


def _pom(text: str) -> Iterator[Dependency]:
    properties = dict(_POM_PROPERTY.findall(text))
    for group, artifact, version in _POM.findall(text):
        known = re.sub(r"\$\{([^}]+)\}", lambda one: properties.get(one[1], one[0]), version)
        yield Dependency(f"{group}:{artifact}", known)


def _gradle(text: str) -> Iterator[Dependency]:
    for name, version in _GRADLE.findall(re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)):
        yield Dependency(name, version)


def _gems(text: str) -> Iterator[Dependency]:
    bare = re.sub(r"(?m)^\s*#.*$", "", text)
    for name, versions in (*_GEM.findall(bare), *_GEMSPEC.findall(bare)):
        yield Dependency(name, ", ".join(re.findall(r"[\"']([^\"']*)[\"']", versions)))


def _csproj(text: str) -> Iterator[Dependency]:
    for attributes, inner in _CSPROJ.findall(text):
        given = dict(_ATTRIBUTE.findall(attributes))
        if name := given.get("Include") or given.get("Update"):
            yield Dependency(name, given.get("Version") or inner)


def _mix(text: str) -> Iterator[Dependency]:
    for name, version in _MIX.findall(re.sub(r"(?m)^\s*#.*$", "", text)):
        yield Dependency(name, version)


def _swift(text: str) -> Iterator[Dependency]:
    for url, version in _SWIFT.findall(text):
        yield Dependency(url.removesuffix(".git").rpartition("/")[2], version)


def _pubspec(text: str) -> Iterator[Dependency]:
    taking = False
    for line in text.splitlines():
        if line and not line[:1].isspace():
            taking = line.startswith(("dependencies:", "dev_dependencies:"))
        elif taking and (found := re.match(r"  (\w+):\s*([^#\s][^#]*)?", line)):
            yield Dependency(found[1], (found[2] or "").strip().strip("\"'"))


def _named(table: dict[str, Any]) -> Iterator[Dependency]:
    for name, value in table.items():
        yield Dependency(str(name), _version(value))


def _version(value: object) -> str:
    """What a version looks like in a table: a text, or an object that has one, or says where it comes from."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        keys = ("version", "strictly", "require", "tag", "rev", "branch", "path", "git", "url")
        return next((str(value[key]) for key in keys if isinstance(value.get(key), str)), "")
    return ""


def _table(shape: object, name: str) -> dict[str, Any]:
    """A table of a table; with "" the thing itself, if it is one."""
    found = shape if not name else shape.get(name) if isinstance(shape, dict) else None
    return found if isinstance(found, dict) else {}


def _toml(text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _json(text: str) -> dict[str, Any]:
    try:
        return _table(json.loads(text), "")
    except (ValueError, RecursionError):
        return {}


_BY_NAME: dict[str, Reader] = {
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
    "pipfile": _pipfile,
    "package.json": _package_json,
    "deno.json": _deno,
    "go.mod": _go,
    "cargo.toml": _cargo,
    "pom.xml": _pom,
    "build.gradle": _gradle,
    "build.gradle.kts": _gradle,
    "libs.versions.toml": _gradle_catalogue,
    "gemfile": _gems,
    "composer.json": _composer,
    "directory.packages.props": _csproj,
    "mix.exs": _mix,
    "package.swift": _swift,
    "pubspec.yaml": _pubspec,
}
_BY_ENDING: dict[str, Reader] = {".csproj": _csproj, ".fsproj": _csproj, ".vbproj": _csproj, ".gemspec": _gems}
