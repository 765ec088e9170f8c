"""The sources as the tests of form see them: files, syntax trees, and who imports whom."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "marrow"
TESTS = ROOT / "tests"
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Import:
    """One imported name. `target` is the module that it reaches; `own` says that this is one of Marrow's."""

    path: Path
    line: int
    target: str
    own: bool
    in_function: bool
    for_types: bool

    @property
    def where(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}"

    @property
    def source(self) -> str:
        return module_name(self.path)


@cache
def python_files(folder: Path) -> tuple[Path, ...]:
    return tuple(sorted(path for path in folder.rglob("*.py") if ".mypy_cache" not in path.parts))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def modules() -> frozenset[str]:
    return frozenset(map(module_name, python_files(PACKAGE)))


@cache
def imports() -> tuple[Import, ...]:
    """Every import in the package, each name of a list on its own, relative ones resolved."""
    return tuple(found for path in python_files(PACKAGE) for found in _imports_of(path))


def _imports_of(path: Path) -> Iterator[Import]:
    for node, in_function, for_types in _statements(tree(path), False, False):
        for target in _targets(path, node):
            own = target.partition(".")[0] == PACKAGE.name
            yield Import(path, node.lineno, target, own, in_function, for_types)


def _statements(node: ast.AST, in_function: bool, for_types: bool) -> Iterator[tuple[ast.stmt, bool, bool]]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        yield node, in_function, for_types
    guarded: list[ast.stmt] = []
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        guarded = node.body
    for child in ast.iter_child_nodes(node):
        inside = in_function or isinstance(node, Function)
        yield from _statements(child, inside, for_types or child in guarded)


def _targets(path: Path, node: ast.stmt) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    assert isinstance(node, ast.ImportFrom)
    start = node.module or ""
    if node.level:
        here = module_name(path).split(".") + ([""] if path.name == "__init__.py" else [])
        start = ".".join([*here[: len(here) - node.level], *([start] if start else [])])
    return [f"{start}.{alias.name}" if f"{start}.{alias.name}" in modules() else start for alias in node.names]


def room(module: str) -> str:
    """The part of the package that a module belongs to: `marrow.store.sqlite.rows` is in `store`."""
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else "__init__"


def functions(path: Path) -> Iterator[Function]:
    for node in ast.walk(tree(path)):
        if isinstance(node, Function):
            yield node


@cache
def kept_files() -> tuple[Path, ...]:
    """The files that are in git or would be added to it."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    ).stdout.split("\0")
    return tuple(path for name in sorted(set(listed)) if name and (path := ROOT / name).is_file())
