"""Types: what extends or implements one, what overrides a method, and what a symbol stands in."""

from __future__ import annotations

import re
from typing import NamedTuple

from ...model.code import TYPES
from ...store.code import Known, MapReader

REACH_MAX = 2_000
REFERRING_FILES_MAX = 500


def contained_by(reader: MapReader, symbol: Known) -> list[Known]:
    """What a symbol stands in, the innermost first."""
    found: list[Known] = []
    parent = symbol.parent
    while parent is not None and len(found) < 100:
        known = reader.symbol(parent)
        if known is None:
            break
        found.append(known)
        parent = known.parent
    return found


def members(reader: MapReader, symbol: Known) -> list[Known]:
    """What stands in a symbol itself."""
    return [one for one in reader.symbols_of(symbol.id >> 20) if one.parent == symbol.id]


def implementors(reader: MapReader, type_: Known, *, deep: bool = True) -> list[Known]:
    """The types that extend or implement a type, directly or through others."""
    found: dict[int, Known] = {}
    waiting = [type_.id]
    while waiting and len(found) < REACH_MAX:
        for below in reader.below(waiting.pop(0)):
            known = reader.symbol(below)
            if known is not None and below not in found and below != type_.id:
                found[below] = known
                if deep:
                    waiting.append(below)
    return sorted(found.values(), key=lambda one: (one.path, one.start))


def above(reader: MapReader, type_: Known) -> list[Known]:
    """The types that a type extends or implements, the nearest first."""
    found: dict[int, Known] = {}
    waiting = [type_.id]
    while waiting and len(found) < REACH_MAX:
        for one in reader.above(waiting.pop(0)):
            known = reader.symbol(one)
            if known is not None and one not in found and one != type_.id:
                found[one] = known
                waiting.append(one)
    return list(found.values())


def overrides(reader: MapReader, method: Known) -> list[Known]:
    """The methods of types below that take a method's place."""
    owner = reader.symbol(method.parent) if method.parent is not None else None
    if owner is None or owner.kind not in TYPES:
        return []
    types = {one.id for one in implementors(reader, owner)}
    return [one for one in reader.symbols_named(method.name) if one.parent in types] if types else []


def overridden(reader: MapReader, method: Known) -> list[Known]:
    """The methods of types above whose place a method takes."""
    owner = reader.symbol(method.parent) if method.parent is not None else None
    if owner is None or owner.kind not in TYPES:
        return []
    types = {one.id for one in above(reader, owner)}
    return [one for one in reader.symbols_named(method.name) if one.parent in types] if types else []


class Reference(NamedTuple):
    """A symbol whose head, fields or variables name a type."""

    symbol: Known
    how: str


def references(reader: MapReader, type_: Known) -> list[Reference]:
    """Where a type is named as a type: bases, results, fields, parameters. Looked for in its own file, in those that
    make one or call into its file, and in those of the types below it."""
    name = re.compile(rf"(?<!\w){re.escape(type_.name)}(?!\w)")
    own = type_.id >> 20
    files = {own, *reader.sources_into(own), *(one.id >> 20 for one in implementors(reader, type_))}
    found: list[Reference] = []
    for file in sorted(files)[:REFERRING_FILES_MAX]:
        outline = reader.outline(file)
        if outline is None:
            continue
        mentions: dict[int, str] = {}
        for at, symbol in enumerate(outline[0].symbols):
            if any(name.search(base) for base in symbol.bases):
                mentions[at] = "extends"
            elif name.search(symbol.returns):
                mentions[at] = "gives"
        for binding in outline[0].bindings:
            if binding.scope >= 0 and binding.type and name.search(binding.type):
                mentions.setdefault(binding.scope, "uses")
        known = {one.at: one for one in reader.symbols_of(file)}
        found += [Reference(known[at], how) for at, how in sorted(mentions.items()) if at in known]
    return [one for one in found if one.symbol.id != type_.id]
