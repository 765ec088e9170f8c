"""Coverage: which parts of the code the memory knows nothing about, the worst first."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from ..codemap.entry import TEST, flags_of, is_test_path
from ..codemap.fingerprint import Span
from ..model.code import CALLABLES, TYPES, Symbol
from ..model.record import CURRENT, Filter
from ..model.scope import READ
from .anchors.check import is_companion
from .anchors.known import checkout_of, mapped_symbols
from .anchors.mentions import mentions, words_like_code
from .engine import Asker, Engine
from .scan import source_files
from .telling.about_file import PASSING_KINDS
from .verify import clean_path, root_of

LOOKED_AT = 50_000
LINES_MIN = 3  # shorter functions need no memory beside longer ones
GAPS_SHOWN = 5


class Part(NamedTuple):
    """A file: how many of its symbols and lines something is known about, and the longest ones nothing is known about.
    `about_file` is how many memories are about it as a whole."""

    path: str
    symbols: int
    known: int
    lines: int
    known_lines: int
    about_file: int
    gaps: tuple[Symbol, ...]

    @property
    def share(self) -> float:
        return self.known_lines / self.lines if self.lines else 1.0


class Coverage(NamedTuple):
    parts: tuple[Part, ...]
    symbols: int
    known: int
    lines: int
    known_lines: int
    memories: int


class _Known(NamedTuple):
    """What the memories are about: files, symbols and lines by file, and names that texts mention."""

    files: dict[str, int]
    symbols: dict[str, set[str]]
    lines: dict[str, list[Span]]
    names: set[str]
    memories: int


def coverage(engine: Engine, asker: Asker, path: str = "") -> Coverage:
    """The files at or below a path. The more lines nothing is known about, the earlier."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    checkout = checkout_of(engine, root_of(asker))
    known = _known(engine, asker)
    files = source_files(checkout, clean_path(path))
    mapped = mapped_symbols(engine, root_of(asker), files)
    every = (_part(known, one, mapped[one] if one in mapped else checkout.symbols(one)) for one in files)
    parts = [part for part in every if part.symbols]
    parts.sort(key=lambda part: (part.known_lines - part.lines, part.path))
    return Coverage(
        tuple(parts),
        sum(part.symbols for part in parts),
        sum(part.known for part in parts),
        sum(part.lines for part in parts),
        sum(part.known_lines for part in parts),
        known.memories,
    )


def _part(known: _Known, path: str, every: Sequence[Symbol]) -> Part:
    named = [one for one in every if one.kind in CALLABLES | TYPES and not _is_test(path, one)]
    # Where there is nothing else, short ones are what the file is about.
    symbols = [one for one in named if one.end - one.start + 1 >= LINES_MIN] or named
    about_file = known.files.get(path, 0)
    found = [symbol for symbol in symbols if _is_known(known, path, symbol)]
    gaps = [symbol for symbol in symbols if symbol not in found]
    gaps.sort(key=lambda one: one.start - one.end)
    lines = _lines(symbols, symbols)
    known_lines = _lines(symbols, found)
    # What is said of a whole file is something about all of it, and not much about any of it.
    if about_file:
        known_lines += (lines - known_lines) // 4
    return Part(path, len(symbols), len(found), lines, known_lines, about_file, tuple(gaps[:GAPS_SHOWN]))


def _is_test(path: str, symbol: Symbol) -> bool:
    """One that stands beside what it tests. In a file of tests, the tests are what there is to know."""
    return not is_test_path(path) and bool(flags_of(path, symbol, False) & TEST)


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


def _is_known(known: _Known, path: str, symbol: Symbol) -> bool:
    if symbol.qualified in known.symbols.get(path, ()):
        return True
    if any(span.first <= symbol.end and span.last >= symbol.start for span in known.lines.get(path, ())):
        return True
    return symbol.qualified in known.names or (_is_telling(symbol.name) and symbol.name in known.names)


def _is_telling(name: str) -> bool:
    """A name that is no word of the language."""
    return "_" in name.strip("_") or re.search(r"[a-z][A-Z]", name) is not None


def _known(engine: Engine, asker: Asker) -> _Known:
    now = engine.clock()
    files: dict[str, int] = defaultdict(int)
    symbols: dict[str, set[str]] = defaultdict(set)
    lines: dict[str, list[Span]] = defaultdict(list)
    names: set[str] = set()
    with engine.store.reading() as reader:
        entries = reader.select(asker.namespace, Filter(projects=(asker.scope.project,)), CURRENT, now, LOOKED_AT)
        records = [one for one in reader.records_of(entries, CURRENT) if one.node.kind not in PASSING_KINDS]
        anchors = reader.anchors([record.entry for record in records], CURRENT)
    for record in records:
        said = mentions(record.node.content)
        names.update(name.partition("(")[0].replace("::", ".") for name in said.names)
        names.update(words_like_code(record.node.content))
        for anchor in anchors.get(record.entry, ()):
            about = anchor.fields
            if anchor.type == "symbol" and isinstance(about.get("path"), str):
                symbols[about["path"]].add(anchor.target)
            elif anchor.type == "lines" and isinstance(about.get("start"), int):
                lines[anchor.target].append(Span(about["start"], about.get("end") or about["start"]))
            elif anchor.type == "file" and not is_companion(anchor):
                files[anchor.target] += 1
    return _Known(files, symbols, lines, names, len(records))
