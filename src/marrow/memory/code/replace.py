"""One file's new map in the place of its old one: symbols keep their numbers, and what they were is written down."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...codemap.compare import bound_in, handed_on, interface, match
from ...codemap.entry import flags_in, is_test_path
from ...model.code import TOP, TYPES, FileMap, Symbol
from ...store.code import FileRow, MapWriter, Version
from ...store.code.packing import pack_calls, pack_outline, symbol_id
from ...store.code.states import MAPPED
from .parsing import within

MODIFIED, DELETED, RENAMED, MOVED = "modified", "deleted", "renamed", "moved"


class Lost(NamedTuple):
    """A symbol that is no longer where it was."""

    id: int
    path: str
    symbol: Symbol
    born: int
    since: int
    place: int  # in its file's old list


class Came(NamedTuple):
    """A symbol that was not there before."""

    id: int
    path: str
    symbol: Symbol
    place: int


class Replaced(NamedTuple):
    """What changed for others: symbols that came and went, symbols that mean something else now (`retyped`), and names
    that the file hands on or no longer does. `old` and `new` are the maps; `was_whole`: its calls were resolved."""

    file: int
    path: str
    came: list[Came]
    lost: list[Lost]
    retyped: set[int]
    names: set[str]
    old: FileMap
    new: FileMap
    old_ids: list[int]
    new_ids: list[int]
    was_whole: bool


def replace(writer: MapWriter, row: FileRow, found: FileMap, now: int, *, is_new: bool) -> Replaced:
    """Write down a file as it is now. Symbols that went are in `lost` and still in the tables: what became of them is
    known when all files were looked at."""
    path = row.path
    old, numbers = FileMap(row.language), None
    known: dict[int, tuple[int, int]] = {}
    kept: set[tuple[Any, ...]] = set()
    if not is_new:
        before = writer.outline(row.id)
        if before is not None:
            old, numbers = before[0]._replace(calls=writer.calls(row.id)), before[1]
        there = writer.symbols_of(row.id)
        known = {one.id: (one.born, one.since) for one in there}
        kept = {(one.id, *one[2:]) for one in there}
    kept_row = None if is_new else writer.file(row.id)
    was_whole = kept_row is not None and not kept_row.stale and kept_row.state == row.state == MAPPED
    matched = match(old, found)
    given = row.numbers

    def id_before(at: int) -> int:
        return symbol_id(row.id, numbers[at] if numbers is not None else at)

    ids: list[int] = []
    for at in matched.kept:
        if at is None:
            ids.append(symbol_id(row.id, given))
            given += 1
        else:
            ids.append(id_before(at))
    versions, rows = [], list[tuple[Any, ...]]()
    flags_of = flags_in(path, is_test_path(path))
    for at, (symbol, id_, place) in enumerate(zip(found.symbols, ids, matched.kept, strict=True)):
        born, since = (now, now) if place is None else known.get(id_, (0, 0))
        if place is not None:
            was = old.symbols[place]
            if at in matched.renamed:
                versions.append(_version(path, was, since, now, RENAMED, path, symbol.qualified))
                since = now
            elif was.hash != symbol.hash:
                versions.append(_version(path, was, since, now, MODIFIED, path, symbol.qualified))
                since = now
        rows.append(_row(symbol, id_, ids, at, flags_of(symbol), (born, since)))
    writer.put_symbols(one for one in rows if one not in kept)
    writer.add_versions(versions)
    start = symbol_id(row.id, 0)
    counted = all(id_ == start + at for at, id_ in enumerate(ids))
    outline = pack_outline(found, None if counted else [id_ - start for id_ in ids])
    writer.change_text(row.id, outline, pack_calls(found.calls))
    writer.change_file(row._replace(numbers=given))
    lost = [Lost(id_before(at), path, old.symbols[at], *known.get(id_before(at), (0, 0)), at) for at in matched.gone]
    came = [
        Came(id_, path, symbol, at)
        for at, (symbol, id_, place) in enumerate(zip(found.symbols, ids, matched.kept, strict=True))
        if place is None
    ]
    retyped, names = _differences(old, found, matched.kept, ids)
    names |= {found.symbols[at].name for at in matched.renamed}
    retyped |= {ids[at] for at in matched.renamed}
    if old.symbols and old.package != found.package:  # it is found by another name now, with all that is in it
        retyped |= set(ids)
        names |= {symbol.name for symbol in found.symbols}
    old_ids = [id_before(at) for at in range(len(old.symbols))]
    return Replaced(row.id, path, came, lost, retyped, names, old, found, old_ids, ids, was_whole)


def _row(symbol: Symbol, id_: int, ids: list[int], at: int, flags: int, seen: tuple[int, int]) -> tuple[Any, ...]:
    """`seen`: when the symbol was first seen, and when as it is now."""
    parent = None if symbol.parent == TOP else ids[symbol.parent]
    around = within(symbol.qualified, symbol.name)
    return (id_, symbol.name, around, symbol.kind, symbol.start, symbol.end, parent, at, flags, *seen)


def _differences(old: FileMap, new: FileMap, kept: list[int | None], ids: list[int]) -> tuple[set[int], set[str]]:
    """The symbols through which others resolve differently now, and the names that are handed on differently."""
    before, after = bound_in(old), bound_in(new)
    retyped = {
        ids[at]
        for at, place in enumerate(kept)
        if place is not None
        and (interface(old, place) != interface(new, at) or before.get(place) != after.get(at))
        and (new.symbols[at].kind in TYPES or new.symbols[at].kind != "heading")
    }
    names = {local for local, _, _ in handed_on(old) ^ handed_on(new)}
    if before.get(TOP) != after.get(TOP):
        names |= {name for name, _, _ in before.get(TOP, set()) ^ after.get(TOP, set())}
    return retyped, names


def _version(
    path: str, was: Symbol, first: int, last: int, became: str, to_path: str = "", to_qualified: str = ""
) -> Version:
    return Version(
        path,
        was.qualified,
        was.kind,
        was.signature,
        was.hash,
        was.start,
        was.end,
        first,
        last,
        became,
        to_path,
        to_qualified,
    )


def gone(lost: Lost, now: int, moved_to: Came | None = None) -> Version:
    """The last version of a symbol that went, with where it went to."""
    if moved_to is None:
        return _version(lost.path, lost.symbol, lost.since, now, DELETED)
    became = MOVED if moved_to.path != lost.path else RENAMED
    return _version(lost.path, lost.symbol, lost.since, now, became, moved_to.path, moved_to.symbol.qualified)
