"""Whom a change affects: the files whose calls may lead elsewhere now because of what changed in others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from ...codemap.compare import bound_in, handed_on
from ...model.code import CALLABLES, TOP, TYPES
from ...store.code import MapWriter
from ...store.code.packing import symbol_id
from .find import module_of
from .replace import Replaced

# So many files that call a name are resolved again at once when a symbol of that name comes; the others later.
NEAR_MAX = 60
HANDED_ON_MAX = 32
# So far it is followed what a function gives back that gives back what another does.
THROUGH_MAX = 100
EVERYTHING = "*"
_PARTS = re.compile(r"\w+")


def affected(writer: MapWriter, replaced: Sequence[Replaced], renamed: Iterable[int]) -> tuple[set[int], set[int]]:
    """To be resolved at once, and later. (One that calls what went from itself is among them.) `renamed` are files that
    have another path and are otherwise what they were."""
    near: set[int] = set()
    later: set[int] = set()
    names: set[str] = set()
    for one in replaced:
        for lost in one.lost:
            near.update(_sources(writer, lost.id))
        retyped, others = _through(writer, one.retyped)
        for id_ in retyped:
            near.update(_sources(writer, id_))
            near.update(_users_of_type(writer, id_))
        given = one.names | others | _names_of_everything(writer, one)
        for name in given:  # handed on otherwise: what had it from here may have it from elsewhere, or not at all
            for known in writer.symbols_named(name, HANDED_ON_MAX):
                near.update(_sources(writer, known.id))
        names |= given | {came.symbol.name for came in one.came} | {lost.symbol.name for lost in one.lost}
        _overridden(writer, one, near)
        near.update(_extended_elsewhere(writer, one))
        near.update(_in_the_place_of_others(writer, one))
    for file in renamed:
        near |= {file, *writer.sources_into(file)}
        names |= {symbol.name for symbol in writer.symbols_of(file)}
    for name in names:
        callers = writer.loose(name)
        unique = _taken_for_the_only_one(writer, name)
        (near if len(callers) <= NEAR_MAX else later).update(callers)
        near.update(unique)
    return near, later


def _sources(writer: MapWriter, id_: int) -> Iterator[int]:
    return (source for source, _ in writer.incoming(id_))


def _users_of_type(writer: MapWriter, id_: int) -> Iterator[int]:
    """Who calls something in the file of a type that means something else, and in those of the types below it."""
    symbol = writer.symbol(id_)
    waiting = [id_] if symbol is not None and symbol.kind in TYPES else []
    seen: set[int] = set()
    while waiting and len(seen) < THROUGH_MAX:
        type_ = waiting.pop()
        if type_ in seen:
            continue
        seen.add(type_)
        yield type_ >> 20
        yield from writer.sources_into(type_ >> 20)
        waiting += writer.below(type_)


def _through(writer: MapWriter, retyped: Iterable[int]) -> tuple[set[int], set[str]]:
    """With what gives back, or holds, what a symbol that gives something else now gave; and names of files' own
    variables that do."""
    found, names = set(retyped), set[str]()
    waiting = list(found)
    while waiting and len(found) < THROUGH_MAX:
        symbol = writer.symbol(waiting.pop())
        if symbol is None or symbol.kind not in CALLABLES:
            continue
        for file in list(_sources(writer, symbol.id))[:NEAR_MAX]:
            outline = writer.outline(file, bare=True)
            if outline is None:
                continue
            for scope, bound in bound_in(outline[0]).items():
                holds = {name for name, _, value in bound if symbol.name in _PARTS.findall(value)}
                if holds and scope == TOP:
                    names |= holds
                elif holds:
                    id_ = symbol_id(file, outline[1][scope] if outline[1] is not None else scope)
                    if id_ not in found:
                        found.add(id_)
                        waiting.append(id_)
    return found, names


def _names_of_everything(writer: MapWriter, one: Replaced) -> set[str]:
    """The names that come or go where a file hands on everything of another (`from .a import *`)."""
    modules = {module for local, module, name in handed_on(one.old) ^ handed_on(one.new) if EVERYTHING in (local, name)}
    lasts = {parts[-1] for module in modules if (parts := _PARTS.findall(module))}
    names: set[str] = set()
    if not lasts:
        return names
    for row in writer.files():
        if row.language and module_of(row.path).rpartition(".")[2] in lasts:
            names |= {symbol.name for symbol in writer.symbols_of(row.id) if symbol.parent is None}
            outline = writer.outline(row.id, bare=True)
            names |= {local for local, _, _ in handed_on(outline[0])} if outline is not None else set()
    return names - {EVERYTHING}


def _in_the_place_of_others(writer: MapWriter, one: Replaced) -> Iterator[int]:
    """A new file may be what a module's name means now (`lib.ts` beside `lib/index.ts`), and a new symbol what a
    package has by that name."""
    module = "" if one.old.symbols else module_of(one.path)
    for came in one.came:
        if came.symbol.parent != TOP:
            continue
        for known in writer.symbols_named(came.symbol.name, HANDED_ON_MAX):
            is_hidden = bool(module) and known.id >> 20 != one.file and module_of(known.path) == module
            for source, places in writer.incoming(known.id):
                if is_hidden or any(place.reason == "package" for place in places):
                    yield source


def _taken_for_the_only_one(writer: MapWriter, name: str) -> Iterable[int]:
    """The files that call the only symbol of a name because it was the only one."""
    known = writer.places_of_name(name, 4)
    if len(known) > 3:
        return
    for symbol in writer.symbols_named(name, 4):
        for source, places in writer.incoming(symbol.id):
            if any(place.reason == "unique" for place in places):
                yield source


def _extended_elsewhere(writer: MapWriter, one: Replaced) -> Iterator[int]:
    """A new member that is declared outside of its type may be meant where one of another file was, or neither."""
    for came in one.came:
        if not came.symbol.receiver:
            continue
        owner = came.symbol.receiver.rpartition(".")[2]
        for known in writer.symbols_named(came.symbol.name, HANDED_ON_MAX):
            if known.id >> 20 != one.file and known.within.rpartition(".")[2] == owner:
                yield from _sources(writer, known.id)


def _overridden(writer: MapWriter, one: Replaced, near: set[int]) -> None:
    """A new member takes the calls that led to the same one of a type above."""
    for came in one.came:
        symbol = writer.symbol(came.id)
        above = [symbol.parent] if symbol is not None and symbol.parent is not None else []
        seen: set[int] = set()
        while above and len(seen) < 64:
            type_ = above.pop()
            if type_ in seen:
                continue
            seen.add(type_)
            above += writer.above(type_)
        for other in writer.symbols_named(came.symbol.name, 64) if len(seen) > 1 else ():
            if other.parent in seen and other.id != came.id:
                near.update(_sources(writer, other.id))
