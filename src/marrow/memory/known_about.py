"""What is known about files and what stands in them: the one definition, for who counts it, shows it or misses it.

A memory is about a place when it is anchored there, when its text names what stands there, or when it is the document
that was read from there. What only tells that something was done to a file is not, and neither is the code itself: it
says what the code says.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from ..model.code import CALLABLES, TYPES, Symbol
from ..model.record import CURRENT, Record
from ..store.protocol import Reader
from ..store.terms import terms_of
from .anchors.checkout import Checkout
from .anchors.known import mapped_symbols, widespread
from .anchors.mentions import mentions, words_like_code
from .engine import Asker, Engine
from .known_here import known_here, tells

# So many texts are read that may name a thing, and for so many things of a file they are looked for.
TEXTS_READ, NAMES_READ = 40, 200
# Where the code itself has a name in more texts than those, so many.
MORE_TEXTS = 400
LENGTH_READ = 200_000


def names_in(text: str) -> set[str]:
    """What a text names that may be in the code."""
    said = {name.partition("(")[0].replace("::", ".") for name in mentions(text).names}
    return said.union(words_like_code(text, LENGTH_READ))


def names_of(symbol: Symbol) -> tuple[str, ...]:
    """The names by which a text surely means a symbol; its own alone only where that is no word of the language."""
    return (symbol.qualified, symbol.name) if is_telling(symbol.name) else (symbol.qualified,)


def inner_names(symbols: Iterable[Symbol]) -> set[str]:
    """The names of what stands in something else, such as methods: others may well have one of the same name."""
    return {symbol.name for symbol in symbols if symbol.qualified != symbol.name}


def is_telling(name: str) -> bool:
    return "_" in name.strip("_") or re.search(r"[a-z][A-Z]", name) is not None


def naming(
    engine: Engine, reader: Reader, asker: Asker, symbols: Sequence[Symbol], now: int
) -> list[tuple[Symbol, Record]]:
    """Which memories name which of these symbols in their text."""
    # A plain word alone is in every text.
    named_so = [
        one for one in symbols if one.kind in CALLABLES | TYPES and (is_telling(one.name) or "." in one.qualified)
    ]
    holding: list[tuple[Symbol, list[int]]] = []
    records: dict[int, Record] = {}
    for symbol in named_so[:NAMES_READ]:
        name = symbol.name if is_telling(symbol.name) else symbol.qualified
        for most in (TEXTS_READ, MORE_TEXTS):
            some = _holding(reader, asker, name, most)
            missing = [entry for entry in some if entry not in records]
            records |= {record.entry: record for record in reader.records_of(missing, CURRENT)}
            if len(some) < most or any(tells(records[entry]) for entry in some if entry in records):
                break
        holding.append((symbol, some))
    records = {entry: record for entry, record in records.items() if tells(record)}
    named = {
        entry: names_in(record.node.content) for entry, record in records.items() if record.standing.is_active(now)
    }
    found = [
        (symbol, records[entry], said)
        for symbol, some in holding
        for entry in some
        if entry in named and (said := named[entry].intersection(names_of(symbol)))
    ]
    many = widespread(engine, asker.root, {name for _, _, said in found for name in said}, inner_names(symbols))
    return [(symbol, record) for symbol, record, said in found if said - many]


def _holding(reader: Reader, asker: Asker, name: str, most: int) -> list[int]:
    """The texts that have a name, which the index has as one word too, or the words of one with dots."""
    terms = terms_of(name)
    wanted = terms if "." in name else terms[-1:]
    return [entry for entry, _ in reader.match(asker.namespace, wanted, asker.places(), None, most)]


def read_from(reader: Reader, asker: Asker, paths: Iterable[str], now: int) -> dict[str, list[Record]]:
    """By file: the documents that were read from it and hold."""
    found: dict[str, list[Record]] = {}
    for path in paths:
        rows = reader.sources(asker.namespace, asker.places(), path=path)
        addresses = [row.address for row in rows if row.is_document]
        records = reader.records(asker.namespace, addresses, asker.places(), CURRENT) if addresses else ()
        here = [record for record in records if record.standing.is_active(now) and tells(record)]
        found |= {path: here} if here else {}
    return found


def known_about(engine: Engine, reader: Reader, asker: Asker, paths: Sequence[str]) -> Mapping[str, list[Record]]:
    """By file: all that is known about it and what stands in it, each once."""
    now = engine.clock()
    anchored = known_here(reader, asker, paths, now)
    read = read_from(reader, asker, paths, now)
    mapped = mapped_symbols(engine, asker.root, paths) if asker.root else {}
    checkout = Checkout(asker.root) if asker.root else None
    found: dict[str, list[Record]] = {}
    for path in paths:
        symbols = mapped[path] if path in mapped else checkout.symbols(path) if checkout is not None else ()
        named = [record for _, record in naming(engine, reader, asker, symbols, now)]
        every = (*(one.record for one in anchored.get(path, ())), *read.get(path, ()), *named)
        records = list({record.entry: record for record in every}.values())
        found |= {path: records} if records else {}
    return found
