"""How the tests of readers ask: kinds by qualified name, chains of calls, and where calls lead."""

from __future__ import annotations

from marrow.codemap.facts import InMemory
from marrow.codemap.parse import map_of
from marrow.codemap.resolve import Resolver
from marrow.model.code import TOP, FileMap, Symbol


def kinds(found: FileMap) -> dict[str, str]:
    return {symbol.qualified: symbol.kind for symbol in found.symbols}


def symbol(found: FileMap, qualified: str) -> Symbol:
    return next(one for one in found.symbols if one.qualified == qualified)


def chains(found: FileMap) -> set[str]:
    return {call.chain for call in found.calls}


def bound(found: FileMap) -> dict[tuple[str, str], str]:
    """(scope, name) → type or value, the first that was said."""
    said: dict[tuple[str, str], str] = {}
    for one in found.bindings:
        scope = "" if one.scope == TOP else found.symbols[one.scope].qualified
        said.setdefault((scope, one.name), one.type or one.value)
    return said


def leads(files: dict[str, str]) -> dict[tuple[str, str], str]:
    """(file, chain) → file:qualified name, for the calls that lead somewhere."""
    maps = {path: map_of(path, text.encode()) for path, text in files.items()}
    resolver = Resolver(InMemory(maps))
    found = {}
    for path, one in maps.items():
        for edge in resolver.edges(path):
            target = maps[edge.path].symbols[edge.symbol]
            found[path, one.calls[edge.call].chain] = f"{edge.path}:{target.qualified}"
    return found
