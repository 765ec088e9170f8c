"""Coverage: which parts of the code the memory knows nothing about, the worst first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from ..codemap.entry import TEST, flags_in, is_test_path
from ..codemap.fingerprint import Span
from ..codemap.skipped import GENERATED, named_as_generated, why_skipped
from ..model.code import CALLABLES, TYPES, Symbol
from ..model.record import CURRENT, Filter
from ..model.scope import READ
from .anchors.check import is_companion
from .anchors.checkout import Checkout
from .anchors.known import checkout_of, mapped_symbols, widespread
from .engine import Asker, Engine
from .known_about import inner_names, names_in, names_of
from .known_here import tells
from .scan import source_files
from .verify import clean_path, root_of

LOOKED_AT = 50_000
LINES_MIN = 3  # shorter functions need no memory beside longer ones
GAPS_SHOWN = 5


class Part(NamedTuple):
    """A file: how many of its symbols and lines something is known about, and the longest ones nothing is known about.
    `about_file` is how many memories are about it as a whole, `memories` are the entries of all that are about it."""

    path: str
    symbols: int
    known: int
    lines: int
    known_lines: int
    about_file: int
    gaps: tuple[Symbol, ...]
    memories: frozenset[int] = frozenset()

    @property
    def share(self) -> float:
        return self.known_lines / self.lines if self.lines else 1.0


class Coverage(NamedTuple):
    """`memories` is how many are about these files, `generated` how many files were left out because programs wrote
    them."""

    parts: tuple[Part, ...]
    symbols: int
    known: int
    lines: int
    known_lines: int
    memories: int
    generated: int = 0


class _Known(NamedTuple):
    """What the memories are about: files, symbols and lines by file, and names that texts mention. With each the
    entries of those that are."""

    files: dict[str, set[int]]
    symbols: dict[str, dict[str, set[int]]]
    lines: dict[str, list[tuple[Span, int]]]
    names: dict[str, set[int]]

    def about(self, path: str, symbol: Symbol) -> set[int]:
        found = set(self.symbols.get(path, {}).get(symbol.qualified, ()))
        found.update(
            entry for span, entry in self.lines.get(path, ()) if span.first <= symbol.end and span.last >= symbol.start
        )
        for name in names_of(symbol):
            found.update(self.names.get(name, ()))
        return found


def coverage(engine: Engine, asker: Asker, path: str = "") -> Coverage:
    """The files at or below a path. The more lines nothing is known about, the earlier."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    checkout = checkout_of(engine, root_of(asker))
    known = _known(engine, asker)
    files = source_files(checkout, clean_path(path))
    mapped = mapped_symbols(engine, root_of(asker), files)
    generated = {one for one in files if one not in mapped and _is_generated(checkout, one)}
    read = {one: mapped[one] if one in mapped else checkout.symbols(one) for one in files if one not in generated}
    said = {name for some in read.values() for symbol in some for name in names_of(symbol) if name in known.names}
    inner = inner_names(symbol for some in read.values() for symbol in some)
    for name in widespread(engine, root_of(asker), said, inner):
        del known.names[name]
    parts = [part for part in (_part(known, *one) for one in read.items()) if part.symbols]
    parts.sort(key=lambda part: (part.known_lines - part.lines, part.path))
    return Coverage(
        tuple(parts),
        sum(part.symbols for part in parts),
        sum(part.known for part in parts),
        sum(part.lines for part in parts),
        sum(part.known_lines for part in parts),
        len(frozenset().union(*(part.memories for part in parts))),
        len(generated),
    )


def _is_generated(checkout: Checkout, path: str) -> bool:
    """Nobody remembers anything about what a program wrote; the map leaves it out as well."""
    return named_as_generated(path) or why_skipped(checkout.source(path) or b"") == GENERATED


def _part(known: _Known, path: str, every: Sequence[Symbol]) -> Part:
    named = [one for one in every if one.kind in CALLABLES | TYPES and not _is_test(path, one)]
    # Where there is nothing else, short ones are what the file is about.
    symbols = [one for one in named if one.end - one.start + 1 >= LINES_MIN] or named
    about_file = known.files.get(path, set())
    about = [known.about(path, symbol) for symbol in symbols]
    found = [symbol for symbol, entries in zip(symbols, about, strict=True) if entries]
    gaps = [symbol for symbol, entries in zip(symbols, about, strict=True) if not entries]
    gaps.sort(key=lambda one: one.start - one.end)
    lines = _lines(symbols, symbols)
    known_lines = _lines(symbols, found)
    # What is said of a whole file is something about all of it, and not much about any of it.
    if about_file:
        known_lines += (lines - known_lines) // 4
    memories = frozenset(about_file).union(*about)
    shown = tuple(gaps[:GAPS_SHOWN])
    return Part(path, len(symbols), len(found), lines, known_lines, len(about_file), shown, memories)


def _is_test(path: str, symbol: Symbol) -> bool:
    """One that stands beside what it tests. In a file of tests, the tests are what there is to know."""
    return not is_test_path(path) and bool(flags_in(path, False)(symbol) & TEST)


def _lines(every: Sequence[Symbol], chosen: Sequence[Symbol]) -> int:
    """Each line once: those of a class without those of its functions."""
    taken: set[int] = set()
    for symbol in chosen:
        own = set(range(symbol.start, symbol.end + 1))
        for one in every:
            if one is not symbol and symbol.start < one.start and one.end <= symbol.end:
                own.difference_update(range(one.start, one.end + 1))
        taken |= own
    return len(taken)


def _known(engine: Engine, asker: Asker) -> _Known:
    now = engine.clock()
    files: dict[str, set[int]] = defaultdict(set)
    symbols: dict[str, dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    lines: dict[str, list[tuple[Span, int]]] = defaultdict(list)
    names: dict[str, set[int]] = defaultdict(set)
    with engine.store.reading() as reader:
        entries = reader.select(asker.namespace, Filter(projects=asker.places()), CURRENT, now, LOOKED_AT)
        records = [record for record in reader.records_of(entries, CURRENT) if tells(record)]
        anchors = reader.anchors([record.entry for record in records], CURRENT)
    for record in records:
        for name in names_in(record.node.content):
            names[name].add(record.entry)
        for anchor in anchors.get(record.entry, ()):
            about, path = anchor.fields, anchor.fields.get("path")
            if anchor.type == "symbol" and isinstance(path, str):
                symbols[path][anchor.target].add(record.entry)
            elif anchor.type == "lines" and isinstance(about.get("start"), int):
                lines[anchor.target].append((Span(about["start"], about.get("end") or about["start"]), record.entry))
            elif anchor.type in ("pattern", "dependency") and isinstance(path, str):
                files[path].add(record.entry)
            elif anchor.type == "file" and not is_companion(anchor):
                files[anchor.target].add(record.entry)
    return _Known(files, symbols, lines, names)
