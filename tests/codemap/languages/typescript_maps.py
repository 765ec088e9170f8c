"""What the tests of JavaScript and TypeScript ask of a map."""

from __future__ import annotations

from textwrap import dedent

from marrow.codemap.facts import InMemory
from marrow.codemap.parse import map_of
from marrow.codemap.resolve import Resolver
from marrow.model.code import FileMap


def read(source: str, path: str = "a.ts") -> FileMap:
    return map_of(path, dedent(source).encode())


def chains(found: FileMap) -> list[str]:
    return [call.chain for call in found.calls]


def bound(found: FileMap, name: str) -> list[str]:
    """What a name stands for, types in angle brackets."""
    return [f"<{one.type}>" if one.type else one.value for one in found.bindings if one.name == name]


def targets(files: dict[str, str], path: str, others: dict[str, str] | None = None) -> dict[str, str]:
    """What the calls of a file lead to: chain → file:qualified name."""
    maps = {name: map_of(name, dedent(source).encode()) for name, source in files.items()}
    edges = Resolver(InMemory(maps, others)).edges(path)
    return {maps[path].calls[e.call].chain: f"{e.path}:{maps[e.path].symbols[e.symbol].qualified}" for e in edges}
