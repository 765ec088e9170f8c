"""A file's map as bytes: columns, marshalled. Two parts, because resolving looks into many files for their symbols and
only into one for its calls. To compress it all takes a tenth of the time of a first map; a column is made small by what
is known of it instead: numbers in two bytes, one value where all are the same.
"""

from __future__ import annotations

import marshal
from array import array
from collections.abc import Container, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar
from zlib import adler32

from ...model.code import REASONS, Binding, Call, FileMap, Import, Symbol
from ...model.errors import StoreDamaged

T = TypeVar("T", bound=tuple[Any, ...])

MARSHAL_VERSION = 4
_CHECK_BYTES = 4
_DIGEST_BYTES = 8
_BETWEEN = "\0"
NUMBER_BITS = 20
NUMBER_MASK = (1 << NUMBER_BITS) - 1
REASON_NAMES = tuple(REASONS)
REASON_CODES = {name: code for code, name in enumerate(REASON_NAMES)}
_REASON_BITS = 8
_CHAIN = Call._fields.index("chain")
_FOR_PEOPLE = frozenset(Symbol._fields.index(name) for name in ("signature", "doc", "hash"))
_PARENT, _HASH = Symbol._fields.index("parent"), Symbol._fields.index("hash")

# How many rows, and their columns: bytes for numbers or hashes, a text for texts, a list for a value that all have,
# otherwise the values themselves.
_Packed = tuple[int, tuple[bytes | str | list[Any] | tuple[Any, ...], ...]]


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
        _packed(found.symbols, _HASH),
        _packed(found.imports),
        _packed(found.bindings),
        array("I", numbers).tobytes() if numbers is not None else b"",
    )
    return _closed(parts)


def unpack_outline(data: bytes, *, bare: bool = False) -> tuple[FileMap, Sequence[int] | None]:
    """`bare` leaves out what only people read: most of what a map holds."""
    language, package, errors, symbols, imports, bindings, raw = _opened(data)
    if bare:
        symbols = symbols[0], [[""] if at in _FOR_PEOPLE else column for at, column in enumerate(symbols[1])]
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
    count, columns = symbols
    return _column(columns[_PARENT], count) if count else (), numbers if raw else None


def unpack_calls_within(data: bytes, scopes: Container[int]) -> list[tuple[int, Call]]:
    """Only the calls that stand in these scopes, each with its place in the list."""
    columns = _columns(_opened(data))
    if not columns:
        return []
    places = [at for at, scope in enumerate(columns[0]) if scope in scopes]
    return [(at, Call(*(column[at] for column in columns))) for at in places]


def unpack_calls_ending(data: bytes, name: str) -> list[tuple[int, Call]]:
    """Only the calls whose chain ends in a name, or nearly so."""
    columns = _columns(_opened(data))
    if not columns:
        return []
    places = [at for at, chain in enumerate(columns[_CHAIN]) if name in chain]
    return [(at, Call(*(column[at] for column in columns))) for at in places]


def pack_calls(calls: Iterable[Call]) -> bytes:
    return _closed(_packed(calls))


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


def unpack_linked(data: bytes) -> set[int]:
    """Only which of the calls are resolved."""
    flat = array("Q")
    flat.frombytes(data)
    return {call >> _REASON_BITS for call in flat[::2]}


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


def _packed(rows: Iterable[tuple[Any, ...]], digests: int = -1) -> _Packed:
    """`digests` is which column holds hashes."""
    columns = list(zip(*rows, strict=True))
    count = len(columns[0]) if columns else 0
    return count, tuple([_small(column, count, at == digests) for at, column in enumerate(columns)])


def _small(column: tuple[Any, ...], count: int, is_digest: bool) -> bytes | str | list[Any] | tuple[Any, ...]:
    first = column[0]
    if first == column[-1] and column.count(first) == count:
        return [first]
    try:
        if is_digest:
            data = bytes.fromhex("".join(column))
            return data if len(data) == _DIGEST_BYTES * count else column
        if type(first) is str:
            text = _BETWEEN.join(column)
            return text if text.count(_BETWEEN) == count - 1 else column
        if type(first) is int:
            return _numbers(column)
    except (ValueError, TypeError, OverflowError):  # some of them are something else
        pass
    return column


def _numbers(column: tuple[int, ...]) -> bytes:
    try:
        return array("h", column).tobytes()
    except OverflowError:
        return array("i", column).tobytes()


def _columns(packed: _Packed) -> list[Sequence[Any]]:
    count, columns = packed
    return [_column(column, count) for column in columns]


def _column(column: bytes | str | list[Any] | tuple[Any, ...], count: int) -> Sequence[Any]:
    if isinstance(column, str):
        texts, known = column.split(_BETWEEN), dict[str, str]()
        return list(map(known.setdefault, texts, texts))  # the same text is kept once
    if isinstance(column, list):
        return column * count
    if isinstance(column, tuple):
        return column
    size = len(column) // count
    if size == _DIGEST_BYTES:
        digits = column.hex()
        return [digits[at : at + 2 * size] for at in range(0, len(digits), 2 * size)]
    numbers = array("h" if size == 2 else "i")
    numbers.frombytes(column)
    return numbers.tolist()


def _rows(made: type[T], packed: _Packed) -> tuple[T, ...]:
    new = tuple.__new__
    return tuple([new(made, row) for row in zip(*_columns(packed), strict=True)])


def _closed(parts: tuple[Any, ...]) -> bytes:
    data = marshal.dumps(parts, MARSHAL_VERSION)
    return adler32(data).to_bytes(_CHECK_BYTES) + data


def _opened(data: bytes) -> Any:
    inner = data[_CHECK_BYTES:]
    try:
        if adler32(inner) == int.from_bytes(data[:_CHECK_BYTES]):
            return marshal.loads(inner)
        problem = "it is not what was written"
    except (ValueError, EOFError, TypeError) as found:
        problem = str(found)
    raise StoreDamaged(f"A part of the code map cannot be read: {problem}.", hint="Ask again: it is made anew.")
