"""A file's map as bytes: columns, marshalled and compressed. Two parts, because resolving looks into many files for
their symbols and only into one for its calls."""

from __future__ import annotations

import marshal
import zlib
from array import array
from collections.abc import Container, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from ...model.code import REASONS, Binding, Call, FileMap, Import, Symbol
from ...model.errors import StoreDamaged

T = TypeVar("T", bound=tuple[Any, ...])

MARSHAL_VERSION = 4
LEVEL = 1
NUMBER_BITS = 20
NUMBER_MASK = (1 << NUMBER_BITS) - 1
REASON_NAMES = tuple(REASONS)
REASON_CODES = {name: code for code, name in enumerate(REASON_NAMES)}
_REASON_BITS = 8
_CHAIN = Call._fields.index("chain")
_FOR_PEOPLE = frozenset(Symbol._fields.index(name) for name in ("signature", "doc", "hash"))
_PARENT = Symbol._fields.index("parent")


class Link(NamedTuple):
    """A resolved call of a file: which of its calls, the id of the symbol, and why."""

    call: int
    target: int
    reason: str


class Place(NamedTuple):
    """Where a symbol is called in a file: the number of the symbol around (-1 for the file itself), the line, why."""

    caller: int
    line: int
    reason: str


def symbol_id(file: int, number: int) -> int:
    return file << NUMBER_BITS | number


def file_of(symbol: int) -> int:
    return symbol >> NUMBER_BITS


def pack_outline(found: FileMap, numbers: Sequence[int] | None = None) -> bytes:
    """Everything but the calls. `numbers` are the symbols' own, where they are not simply counted."""
    parts = (
        found.language,
        found.package,
        found.errors,
        _columns(found.symbols),
        _columns(found.imports),
        _columns(found.bindings),
        array("I", numbers).tobytes() if numbers is not None else b"",
    )
    return zlib.compress(marshal.dumps(parts, MARSHAL_VERSION), LEVEL)


def unpack_outline(data: bytes, *, bare: bool = False) -> tuple[FileMap, Sequence[int] | None]:
    """`bare` leaves out what only people read: most of what a map holds."""
    language, package, errors, symbols, imports, bindings, raw = _opened(data)
    if bare and symbols:
        empty = ("",) * len(symbols[0])
        symbols = [empty if at in _FOR_PEOPLE else column for at, column in enumerate(symbols)]
    numbers = array("I")
    numbers.frombytes(raw)
    found = FileMap(
        language,
        package,
        _rows(Symbol, symbols),
        _rows(Import, imports),
        _rows(Binding, bindings),
        (),
        errors,
    )
    return found, numbers if raw else None


def unpack_parents(data: bytes) -> tuple[Sequence[int], Sequence[int] | None]:
    """Only where the symbols of a file stand, and their numbers: much quicker than all of it."""
    _, _, _, symbols, _, _, raw = _opened(data)
    numbers = array("I")
    numbers.frombytes(raw)
    return symbols[_PARENT] if symbols else (), numbers if raw else None


def unpack_calls_within(data: bytes, scopes: Container[int]) -> list[tuple[int, Call]]:
    """Only the calls that stand in these scopes, each with its place in the list."""
    columns = _opened(data)
    if not columns:
        return []
    places = [at for at, scope in enumerate(columns[0]) if scope in scopes]
    return [(at, Call(*(column[at] for column in columns))) for at in places]


def unpack_calls_ending(data: bytes, name: str) -> list[tuple[int, Call]]:
    """Only the calls whose chain ends in a name, or nearly so."""
    columns = _opened(data)
    if not columns:
        return []
    places = [at for at, chain in enumerate(columns[_CHAIN]) if name in chain]
    return [(at, Call(*(column[at] for column in columns))) for at in places]


def pack_calls(calls: Iterable[Call]) -> bytes:
    return zlib.compress(marshal.dumps(_columns(calls), MARSHAL_VERSION), LEVEL)


def unpack_calls(data: bytes) -> tuple[Call, ...]:
    return _rows(Call, _opened(data))


def pack_links(links: Iterable[Link]) -> bytes:
    flat = array("Q")
    for call, target, reason in links:
        flat.append(call << _REASON_BITS | REASON_CODES[reason])
        flat.append(target)
    return flat.tobytes()


def unpack_links(data: bytes) -> list[Link]:
    flat = array("Q")
    flat.frombytes(data)
    mask = (1 << _REASON_BITS) - 1
    return [
        Link(flat[at] >> _REASON_BITS, flat[at + 1], REASON_NAMES[flat[at] & mask]) for at in range(0, len(flat), 2)
    ]


def pack_places(places: Iterable[Place]) -> bytes:
    flat = array("I")
    for caller, line, reason in places:
        flat.extend((caller + 1, line << _REASON_BITS | REASON_CODES[reason]))
    return flat.tobytes()


def unpack_places(data: bytes) -> list[Place]:
    flat = array("I")
    flat.frombytes(data)
    mask = (1 << _REASON_BITS) - 1
    return [
        Place(flat[at] - 1, flat[at + 1] >> _REASON_BITS, REASON_NAMES[flat[at + 1] & mask])
        for at in range(0, len(flat), 2)
    ]


def pack_files(files: Iterable[int]) -> bytes:
    return array("I", sorted(files)).tobytes()


def unpack_files(data: bytes) -> list[int]:
    found = array("I")
    found.frombytes(data)
    return found.tolist()


def _columns(rows: Iterable[tuple[Any, ...]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(zip(*rows, strict=True))


def _rows(made: type[T], columns: Sequence[Sequence[Any]]) -> tuple[T, ...]:
    new = tuple.__new__
    return tuple([new(made, row) for row in zip(*columns, strict=True)])


def _opened(data: bytes) -> Any:
    try:
        return marshal.loads(zlib.decompress(data))
    except (zlib.error, ValueError, EOFError, TypeError) as problem:
        raise StoreDamaged(
            f"A part of the code map cannot be read: {problem}.", hint="Ask again: it is made anew."
        ) from problem
