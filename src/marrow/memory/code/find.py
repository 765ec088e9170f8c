"""Which symbol is meant: `name`, `Class.name`, `path:name`, `path::Class.name` or `path:line`."""

from __future__ import annotations

import re
from operator import itemgetter

from ...codemap.entry import TEST
from ...model.code import CALLABLES, TYPES
from ...model.errors import Ambiguous, Invalid, NotFound
from ...model.nearest import nearest
from ...store.code import FileRow, Known, MapReader

CANDIDATES_SHOWN = 10
LOOKED_AT = 10_000
GIVEN_MAX = 500
_LINE = re.compile(r"(?P<path>.+):(?P<line>\d+)\Z")
_CALLED = CALLABLES | TYPES
_PLACE = itemgetter(*(Known._fields.index(name) for name in ("path", "start", "id")))


def one_symbol(reader: MapReader, given: str, *, field: str = "symbol") -> Known:
    """The one that is meant; of overloads the last, which is the one with a body."""
    return meant(reader, given, field=field)[-1]


def meant(reader: MapReader, given: str, *, field: str = "symbol") -> list[Known]:
    """What is meant: one symbol, or all overloads of one. Several others are an error that lists them."""
    found = matching(reader, given, field=field)
    if len(found) > 1:  # what can be called is meant rather than a field of that name, code rather than its tests
        found = [one for one in found if one.kind in _CALLED] or found
    if len(found) > 1:
        found = [one for one in found if not one.flags & TEST] or found
    if len(found) > 1:  # a type rather than what makes one of it
        types = {one.id for one in found if one.kind in TYPES}
        found = [one for one in found if one.kind != "constructor" or one.parent not in types]
    if not found:
        raise _unknown(reader, given, field)
    places = {spelt(one): one.start for one in reversed(found)}
    if len(places) > 1:
        told = [f"{name} (line {line})" for name, line in reversed(places.items())]
        more = f" and {len(told) - CANDIDATES_SHOWN} more" if len(told) > CANDIDATES_SHOWN else ""
        raise Ambiguous(
            f"{given!r} names several symbols: {', '.join(told[:CANDIDATES_SHOWN])}{more}.",
            hint="Give the path too: path::Class.name, or path:line.",
            field=field,
        )
    return found


def overloads(reader: MapReader, symbol: Known) -> list[Known]:
    """A symbol with those of the same name in the same place."""
    if symbol.kind not in CALLABLES:
        return [symbol]
    known = reader.symbols_qualified(symbol.within, symbol.name, LOOKED_AT)
    return [one for one in known if one.path == symbol.path and one.qualified == symbol.qualified] or [symbol]


def spelt(symbol: Known) -> str:
    """How a symbol can be named so that no other is meant."""
    return f"{symbol.path}::{symbol.qualified}"


def matching(reader: MapReader, given: str, *, kind: str = "", field: str = "symbol") -> list[Known]:
    """Every symbol that may be meant, in the order of paths and lines."""
    text = given.strip().removesuffix("()")
    if not text or len(text) > GIVEN_MAX:
        raise Invalid("No symbol was named.", hint="Give name, Class.name, path::name or path:line.", field=field)
    found = _matching(reader, text)
    if kind:
        found = [one for one in found if one.kind == kind]
    return sorted(found, key=_PLACE)


def _matching(reader: MapReader, text: str) -> list[Known]:
    line = _LINE.match(text)
    if line is not None and (file := _file(reader, line["path"])) is not None:
        return _at_line(reader, file, int(line["line"]))
    for separator in ("::", ":", "#"):
        path, found, name = text.partition(separator)
        if found and name and (file := _file(reader, path)) is not None:
            wanted = _dotted(name)
            symbols = reader.symbols_of(file.id)
            exact = [one for one in symbols if one.qualified == wanted]
            return exact or [one for one in symbols if ends_with(one.qualified, wanted)]
    return by_name(reader, _dotted(text))


def _dotted(name: str) -> str:
    return name.replace("::", ".").replace("#", ".").replace("->", ".").strip(".")


def _file(reader: MapReader, path: str) -> FileRow | None:
    return reader.file_at(path.strip().replace("\\", "/").removeprefix("./"))


def _at_line(reader: MapReader, file: FileRow, line: int) -> list[Known]:
    """The innermost function or type around a line."""
    around = [one for one in reader.symbols_of(file.id) if one.start <= line <= one.stop]
    chosen = [one for one in around if one.kind in _CALLED] or around
    return [min(chosen, key=lambda one: (one.stop - one.start, -one.at))] if chosen else []


def by_name(reader: MapReader, name: str) -> list[Known]:
    """By its name, by the end of its qualified name, or by that with its module before it."""
    within, _, last = name.rpartition(".")
    if not within:
        return reader.symbols_named(last, LOOKED_AT)
    found = reader.symbols_qualified(within, last, LOOKED_AT)
    found = found or reader.symbols_named(name, LOOKED_AT)  # a name with dots in it: a heading
    if found:
        return found
    known = reader.symbols_named(last, LOOKED_AT)
    return [one for one in known if ends_with(f"{module_of(one.path)}.{one.qualified}", name)]


def module_of(path: str) -> str:
    """What a file is called where it is imported, with its folders."""
    stem = path.rpartition(".")[0] or path
    return stem.removesuffix("/__init__").removesuffix("/index").removesuffix("/mod").replace("/", ".")


def ends_with(qualified: str, wanted: str) -> bool:
    return qualified == wanted or qualified.endswith(f".{wanted}")


def _unknown(reader: MapReader, given: str, field: str) -> NotFound:
    last = _dotted(given.partition("::")[2] or given.rpartition(":")[2]).rpartition(".")[2]
    near = _near(reader, last)
    hint = f"Did you mean {near}?" if near else "code_symbols lists what a file or folder has."
    return NotFound(f"The code has no symbol {given.strip()[:120]!r}.", hint=hint, field=field)


def _near(reader: MapReader, name: str) -> str:
    for part in dict.fromkeys((name[:4], name[:2]) if len(name) > 2 else (name,)):
        starts = {part, part.lower(), part.capitalize(), part.upper()} - {""}
        known = {one.name for start in starts for one in reader.symbols_beginning(start, 500)}
        found = nearest(name, sorted(known))
        if found:
            return found
    return ""


def beginning(reader: MapReader, name: str, count: int) -> list[str]:
    """Names that begin with what was taken for a whole one; else the nearest."""
    last = _dotted(name).rpartition(".")[2]
    known = reader.symbols_beginning(last, LOOKED_AT) if last else []
    near = _near(reader, last) if not known else ""
    return list(dict.fromkeys(one.name for one in known))[:count] or ([near] if near else [])
