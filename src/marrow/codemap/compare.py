"""The difference of two maps: which symbol of the new one is which of the old one, and what became of the others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from ..model.code import CALLABLES, TOP, TYPES, FileMap, Symbol

# What is shorter than this is the same in many places by chance.
MOVED_LINES_MIN, TELLING_LINES_MIN = 2, 5
_MOVABLE = CALLABLES | TYPES

Shape = tuple[object, ...]


class Matched(NamedTuple):
    """`kept` is the old place of each new symbol, or None; `gone` the old places that no new symbol has; `renamed` the
    new places whose symbol had another name."""

    kept: list[int | None]
    gone: list[int]
    renamed: set[int]


def match(old: FileMap, new: FileMap) -> Matched:
    """By qualified name and kind, the nth with the nth; then by what is in them, where that is the only one."""
    waiting: dict[tuple[str, str], list[int]] = {}
    for place, symbol in enumerate(old.symbols):
        waiting.setdefault(_key(symbol), []).append(place)
    for places in waiting.values():
        places.reverse()
    kept: list[int | None] = []
    for symbol in new.symbols:
        places = waiting.get(_key(symbol), [])
        kept.append(places.pop() if places else None)
    left = sorted(at for places in waiting.values() for at in places)
    came = [at for at, found in enumerate(kept) if found is None]
    renamed = set()
    if left and came:
        shapes, theirs = only(shapes_of(old, left)), only(shapes_of(new, came))
        for shape, at in theirs.items():
            before = shapes.get(shape)
            if at is not None and before is not None:
                kept[at] = before
                renamed.add(at)
    taken = {at for at in kept if at is not None}
    return Matched(kept, [at for at in left if at not in taken], renamed)


def only(shapes: Iterable[tuple[int, Shape]]) -> dict[Shape, int | None]:
    """The only place of a shape; None where several have it."""
    found: dict[Shape, int | None] = {}
    for at, shape in shapes:
        found[shape] = None if shape in found else at
    return found


def shapes_of(found: FileMap, places: Iterable[int]) -> Iterator[tuple[int, Shape]]:
    """What symbols look like without their names: head, length, what they call where. The hash of a symbol sees its
    name, so a renamed one is told by this. What is too small to tell is left out."""
    wanted = {at for at in places if is_movable(found.symbols[at])}
    calls: dict[int, list[tuple[int, int, str]]] = {at: [] for at in wanted}
    for call in found.calls:
        scope = call.scope
        while scope != TOP and scope not in wanted:
            scope = found.symbols[scope].parent
        if scope != TOP:
            symbol = found.symbols[scope]
            calls[scope].append((call.line - symbol.start, call.column, _without(call.chain, symbol.name)))
    bound: dict[int, int] = {}
    for binding in found.bindings:
        bound[binding.scope] = bound.get(binding.scope, 0) + 1
    for at in sorted(wanted):
        symbol = found.symbols[at]
        lines = symbol.end - symbol.start
        if not calls[at] and lines < TELLING_LINES_MIN:
            continue
        head = _without(symbol.signature, symbol.name, 1)
        kind = "callable" if symbol.kind in CALLABLES else "type"
        yield at, (kind, head, symbol.decorators, lines, bound.get(at, 0), tuple(calls[at]))


def _without(text: str, name: str, most: int = 0) -> str:
    """A text without a name, but not without what only has the name in it: of `Save`, `Saver` stays."""
    return re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "", text, count=most) if name in text else text


def is_movable(symbol: Symbol) -> bool:
    return symbol.kind in _MOVABLE and bool(symbol.hash) and symbol.end - symbol.start + 1 >= MOVED_LINES_MIN


def _key(symbol: Symbol) -> tuple[str, str]:
    return symbol.qualified, "callable" if symbol.kind in CALLABLES else "type" if symbol.kind in TYPES else "other"


def interface(found: FileMap, at: int) -> tuple[object, ...]:
    """What others see of a symbol when they resolve a call through it."""
    symbol = found.symbols[at]
    return symbol.kind, symbol.bases, symbol.returns, symbol.receiver, tuple(d for d in symbol.decorators)


def bound_in(found: FileMap) -> dict[int, set[tuple[str, str, str]]]:
    """What others can learn from the bindings of a file, by scope: fields, module variables, what functions return."""
    bound: dict[int, set[tuple[str, str, str]]] = {}
    for binding in found.bindings:
        scope = binding.scope
        if scope == TOP or binding.name == "return" or found.symbols[scope].kind in TYPES:
            bound.setdefault(scope, set()).add((binding.name, binding.type, binding.value))
    return bound


def handed_on(found: FileMap) -> set[tuple[str, str, str]]:
    """The imports that others can have from this file."""
    return {(one.local, one.module, one.name) for one in found.imports if one.exported}


NEW, MODIFIED, UNCHANGED, DELETED, RENAMED, MOVED = "new", "modified", "unchanged", "deleted", "renamed", "moved"


class Difference(NamedTuple):
    """What became of a symbol. `symbol` is as it is now, or as it was for one that is deleted; `was` is where it was:
    path and qualified name, for one that was renamed or moved."""

    what: str
    path: str
    symbol: Symbol
    was: tuple[str, str] = ("", "")


class Folded(NamedTuple):
    """A difference with how many of what is in the symbol went with it."""

    difference: Difference
    members: int = 0


def folded(differences: Sequence[Difference]) -> list[Folded]:
    """What is in a type that is new, deleted, renamed or moved as a whole is told with it, not by itself."""
    whole: dict[tuple[str, str], int] = {}
    for at, one in enumerate(differences):
        if one.symbol.kind in TYPES and one.what != MODIFIED:
            for path, qualified in ((one.path, one.symbol.qualified), one.was):
                if qualified:
                    whole.setdefault((path, qualified), at)
    members: dict[int, int] = {}
    kept: list[int] = []
    for at, one in enumerate(differences):
        owner = _outermost(one, whole)
        if owner is None or owner == at or one.what == MODIFIED:
            kept.append(at)
        elif one.what != DELETED or differences[owner].what == DELETED:  # deleted and new again: one member that moved
            members[owner] = members.get(owner, 0) + 1
    return [Folded(differences[at], members.get(at, 0)) for at in kept]


def _outermost(one: Difference, whole: Mapping[tuple[str, str], int]) -> int | None:
    parts = one.symbol.qualified.split(".")
    for n in range(1, len(parts)):
        at = whole.get((one.path, ".".join(parts[:n])))
        if at is not None:
            return at
    return None


def compare(old: Mapping[str, FileMap], new: Mapping[str, FileMap], renamed: Mapping[str, str]) -> list[Difference]:
    """Of the files in two maps; `renamed` has the old path of a file by its new one. Symbols that are what they were
    are left out. Same body in another file is moved; same shape with another name is renamed."""
    found: list[Difference] = []
    lost: list[tuple[str, int, FileMap]] = []
    came: list[tuple[str, int, FileMap]] = []
    taken = set(renamed.values())
    for path, after in sorted(new.items()):
        source = renamed.get(path, path)
        before = old.get(source, FileMap(after.language))
        matched = match(before, after)
        for at, place in enumerate(matched.kept):
            symbol = after.symbols[at]
            if place is None:
                came.append((path, at, after))
            elif at in matched.renamed:
                found.append(Difference(RENAMED, path, symbol, (source, before.symbols[place].qualified)))
            elif before.symbols[place].hash != symbol.hash:
                found.append(Difference(MODIFIED, path, symbol))
        lost += [(source, at, before) for at in matched.gone]
    for path, before in sorted(old.items()):
        if path not in new and path not in taken:
            lost += [(path, at, before) for at in range(len(before.symbols))]
    bodies = only(
        (n, (one.symbols[at].name, one.symbols[at].hash))
        for n, (_, at, one) in enumerate(came)
        if is_movable(one.symbols[at])
    )
    moved: dict[int, tuple[str, str]] = {}
    for path, at, before in lost:
        symbol = before.symbols[at]
        to = bodies.get((symbol.name, symbol.hash)) if is_movable(symbol) else None
        if to is None:
            found.append(Difference(DELETED, path, symbol))
        else:
            moved[to] = path, symbol.qualified
            bodies[symbol.name, symbol.hash] = None
    for n, (path, at, after) in enumerate(came):
        if n in moved:
            found.append(Difference(MOVED, path, after.symbols[at], moved[n]))
        else:
            found.append(Difference(NEW, path, after.symbols[at]))
    return sorted(found, key=lambda one: (one.path, one.symbol.start, one.what))
