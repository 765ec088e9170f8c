"""Callers: who calls a symbol, how sure that is, and why; and calls of its name that could not be resolved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from ...codemap.entry import is_test_path
from ...model.code import CALLABLES, REASONS, TOP, TYPES
from ...store.code import Known, MapReader
from ...store.code.packing import symbol_id
from ...store.code.reader import Seen
from .interfaces import CONSTRUCTOR, Interfaces
from .parsing import handed_on, handed_on_key, last_name
from .type_relations import overridden

# So many files are looked into for calls that were not resolved, and for others that have the same name so many.
LOOSE_FILES_MAX, LOOSE_SHOWN = 4, 20
SEEN = "seen"
BY_NAME, BY_NAME_CONFIDENCE = "name", 0.3


class CallSite(NamedTuple):
    """A place where something is called. `caller` is the symbol around it; None for a file's own lines."""

    path: str
    line: int
    caller: Known | None
    reason: str
    confidence: float
    chain: str = ""


class Above(NamedTuple):
    """A method whose place another takes, because it overrides it or because its type has the methods of the
    interface: a call of it may lead to that one. `sites` are the calls, those that are no tests first."""

    method: Known
    calls: int
    sites: tuple[CallSite, ...] = ()
    is_overridden: bool = True


class Callers(NamedTuple):
    """`loose` are calls of that name of which it is not known what they call; `loose_files` counts the files that have
    some."""

    symbol: Known
    sites: tuple[CallSite, ...]
    loose: tuple[CallSite, ...] = ()
    loose_files: int = 0


def callers(reader: MapReader, *symbols: Known, loose: bool = True, limit: int = 10_000) -> Callers:
    """Of a symbol, or of all its overloads. The surest first, then by place."""
    symbol = symbols[-1]
    found = sites(reader, *symbols, limit=limit)
    unresolved: list[CallSite] = []
    files: list[int] = []
    if loose:
        files = reader.loose(symbol.name)
        is_macro = symbol.kind == "macro"
        every = loose_sites(reader, symbol.name, files)
        unresolved = [one for one in every if is_macro or not one.chain.endswith("!")]
        files = files if unresolved else []
    return Callers(symbol, tuple(found), tuple(unresolved), len(files))


def other_names(reader: MapReader, symbol: Known) -> set[str]:
    """What its own file calls a symbol besides its name (`export { made as createdElement }`), and other files that
    hand it on."""
    outline = reader.outline(symbol.id >> 20, bare=True)
    bindings = outline[0].bindings if outline is not None else ()
    found = {one.name for one in bindings if one.scope == TOP and one.value == symbol.name}
    waiting = [symbol.name, *found]
    read: dict[int, dict[str, set[str]]] = {}  # a file may hand on thousands, each under the next one's name
    for name in waiting:
        files = reader.loose(handed_on_key(name))
        for file in files:
            if file not in read:
                one = reader.outline(file, bare=True)
                read[file] = handed_on(one[0]) if one is not None else {}
        new = {other for file in files for other in read[file].get(name, ())} - found
        waiting += sorted(new)
        found |= new
    return found


def called_above(reader: MapReader, symbols: Sequence[Known]) -> list[Above]:
    """The methods that some override or may stand for and that are called, the most called first."""
    of_one: dict[tuple[str, str], list[Known]] = {}
    overrides = {up.id for one in symbols for up in overridden(reader, one)}
    for one in dict.fromkeys(reached_through(Interfaces(reader), symbols)):
        of_one.setdefault((one.path, one.qualified), []).append(one)  # overloads together
    found: list[Above] = []
    for same in of_one.values():
        calls = sorted(sites(reader, *same), key=lambda site: is_test_path(site.path))
        if calls:
            found.append(Above(same[0], len(calls), tuple(calls), same[0].id in overrides))
    return sorted(found, key=lambda one: -one.calls)


def reached_through(interfaces: Interfaces, symbols: Iterable[Known]) -> Iterator[Known]:
    """The methods of types above and of interfaces that some take the place of: who calls those may call these. What
    makes one of a type is never reached so."""
    for one in symbols:
        if one.kind in CALLABLES and one.kind != CONSTRUCTOR:
            yield from overridden(interfaces.reader, one)
            yield from interfaces.above(one)


def sites(reader: MapReader, *symbols: Known, limit: int = 10_000) -> list[CallSite]:
    """The resolved calls of a symbol, or of overloads together. Making one of a type is calling its constructor, and
    the other way round."""
    found: list[CallSite] = []
    known: dict[int, Known | None] = {}
    paths: dict[int, str] = {}
    for target in dict.fromkeys(target for symbol in symbols for target in targets(reader, symbol)):
        seen = {one.caller: one for one in reader.seen_of_target(target)}
        for source, places in reader.incoming(target):
            if source not in paths:
                row = reader.file(source)
                paths[source] = row.path if row is not None else ""
            for place in places:
                if len(found) >= limit:
                    break
                id_ = symbol_id(source, place.caller) if place.caller >= 0 else -source
                if id_ not in known:
                    known[id_] = reader.symbol(id_) if id_ >= 0 else None
                observed = seen.pop(id_, None) if id_ in seen else None
                reason, confidence = weighed(place.reason, observed)
                found.append(CallSite(paths[source], place.line, known[id_], reason, confidence))
        found += _only_seen(reader, seen)
    found.sort(key=lambda one: (-one.confidence, one.path, one.line))
    return found


def targets(reader: MapReader, symbol: Known) -> list[int]:
    """The ids that calls of a symbol may lead to."""
    if symbol.kind == CONSTRUCTOR and symbol.parent is not None:
        return [symbol.id, symbol.parent]
    if symbol.kind in TYPES:
        children = reader.symbols_of(symbol.id >> 20)
        return [symbol.id, *(one.id for one in children if one.parent == symbol.id and one.kind == CONSTRUCTOR)]
    return [symbol.id]


def weighed(reason: str, seen: Seen | None) -> tuple[str, float]:
    """How sure a call is, with what was observed: seen at run time it is certain, seen to go elsewhere it is not."""
    confidence = REASONS[reason]
    if seen is None:
        return reason, confidence
    if seen.times > seen.against:
        return SEEN, REASONS[SEEN]
    return reason, round(confidence * 0.5 ** (seen.against - seen.times), 3)


def _only_seen(reader: MapReader, seen: dict[int, Seen]) -> list[CallSite]:
    """Calls that nothing in the text shows, and that were observed."""
    found = []
    for one in seen.values():
        caller = reader.symbol(one.caller)
        if caller is not None and one.times > one.against:
            found.append(CallSite(caller.path, one.line, caller, SEEN, REASONS[SEEN]))
    return found


def loose_sites(reader: MapReader, name: str, files: list[int]) -> list[CallSite]:
    found: list[CallSite] = []
    for file in files[:LOOSE_FILES_MAX]:
        row = reader.file(file)
        if row is None:
            continue
        calls = reader.calls_ending(file, name)
        named = [(at, call) for at, call in calls if call.kind == "call" and last_name(call.chain) == name]
        if not named:
            continue
        linked = reader.linked(file)
        # As long as a file is as the first map found it, its symbols are numbered as they come.
        numbers = reader.parents(file)[1] if row.changed else None
        for at, call in named:
            if len(found) >= LOOSE_SHOWN:
                return found
            if at not in linked:
                number = numbers[call.scope] if numbers is not None and call.scope >= 0 else call.scope
                caller = reader.symbol(symbol_id(file, number)) if number >= 0 else None
                found.append(CallSite(row.path, call.line, caller, BY_NAME, BY_NAME_CONFIDENCE, call.chain))
    return found
