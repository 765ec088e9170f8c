"""What a service is called: by its manifests, then by where its repository is from, unless that is a place on
this machine, then by its folder."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

from ..repository.identity import identify
from ..repository.plain_file import read_plain

MANIFEST_BYTES_MAX = 256 * 1024
NAME_MAX = 100
_GO_MODULE = re.compile(r"^module\s+(\S+)", re.M)
_ARTIFACT = re.compile(r"<artifactId>\s*([^<\s]+)\s*</artifactId>")
_PARENT = re.compile(r"<parent>.*?</parent>", re.S)
_GRADLE = re.compile(r"""rootProject\.name\s*=\s*["']([^"']+)["']""")
_MAJOR = re.compile(r"v\d+")


def service_name(root: str | os.PathLike[str]) -> str:
    """Never empty."""
    folder = Path(root)
    if found := manifest_name(folder):
        return found
    identity = identify(folder, create=False)
    # An origin on this machine is where somebody keeps copies: its last folder may be called "repo".
    if identity.source == "origin" and not identity.name.startswith(("path:", "id:")):
        return identity.name.rstrip("/").rpartition("/")[2][:NAME_MAX] or folder.resolve().name
    return folder.resolve().name[:NAME_MAX] or "service"


def manifest_name(root: str | os.PathLike[str]) -> str:
    """What the manifests in a folder call it; "" where there is none that says."""
    for name, read in _MANIFESTS:
        text = _text(Path(root) / name)
        found = read(text).strip() if text else ""
        if found:
            return found[:NAME_MAX]
    return ""


def _text(path: Path) -> str:
    try:
        return read_plain(path, MANIFEST_BYTES_MAX).decode("utf-8-sig", "replace")
    except OSError:
        return ""


def _pyproject(text: str) -> str:
    said = _toml(text)
    tool = said.get("tool")
    poetry = tool.get("poetry") if isinstance(tool, dict) else None
    return _name_in(said.get("project")) or _name_in(poetry)


def _cargo(text: str) -> str:
    return _name_in(_toml(text).get("package"))


def _toml(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def _package(text: str) -> str:
    try:
        return _name_in(json.loads(text)).rpartition("/")[2]
    except (ValueError, RecursionError):
        return ""


def _name_in(table: object) -> str:
    name = table.get("name") if isinstance(table, dict) else None
    return name if isinstance(name, str) else ""


def _go(text: str) -> str:
    found = _GO_MODULE.search(text)
    parts = found[1].split("/") if found else []
    while len(parts) > 1 and _MAJOR.fullmatch(parts[-1]):
        parts.pop()
    return parts[-1] if parts else ""


def _maven(text: str) -> str:
    found = _ARTIFACT.search(_PARENT.sub("", text))
    return found[1] if found else ""


def _gradle(text: str) -> str:
    found = _GRADLE.search(text)
    return found[1] if found else ""


_MANIFESTS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("pyproject.toml", _pyproject),
    ("package.json", _package),
    ("Cargo.toml", _cargo),
    ("go.mod", _go),
    ("pom.xml", _maven),
    ("settings.gradle", _gradle),
    ("settings.gradle.kts", _gradle),
)
