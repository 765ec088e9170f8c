"""Where a name stands as a word: all that is known of what is not called, such as a constant, a field, or a function
that is handed on as a value."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import NamedTuple

from ...codemap.entry import is_test_path
from ...model.code import CALLABLES, TYPES
from ...store.code import FileRow, Known, MapReader
from ...store.code.states import KEPT, MAPPED
from .build import ROOT
from .parsing import read_file

SHOWN = 10
LINE_MAX = 120
_PROSE = frozenset(("markdown",))
_COMMENT = (b"# ", b"//", b"* ", b"/*", b"--")


class NamedPlace(NamedTuple):
    """A line that has the name; `within` is the function or type around it, empty for a file's own lines."""

    path: str
    line: int
    within: str
    content: str


class Named(NamedTuple):
    """`places` are the first few, what is tested before its tests; `total` counts all."""

    places: tuple[NamedPlace, ...] = ()
    total: int = 0


def named_places(reader: MapReader, names: Collection[str], shown: int = SHOWN) -> dict[str, Named]:
    """Of each name: the lines that have it, without those where something of that name is defined and without lines
    that are comments. Every file of code is read once."""
    words = {name.encode(): name for name in names if name}
    if not words:
        return {}
    pattern = re.compile(rb"(?<![\w$])(?:" + b"|".join(re.escape(word) for word in words) + rb")(?![\w$])")
    root = str(reader.about(ROOT) or "")
    rows = [row for row in reader.files() if row.state in (MAPPED, KEPT) and row.language not in _PROSE]
    rows.sort(key=lambda row: (is_test_path(row.path), row.path))
    found: dict[str, list[NamedPlace]] = {name: [] for name in words.values()}
    total = dict.fromkeys(found, 0)
    for row in rows:
        source = read_file(root, row.path).source
        if any(word in source for word in words):
            for word, line, text, symbols in _in_file(reader, row, source, pattern, words):
                total[word] += 1
                if len(found[word]) < shown:
                    found[word].append(NamedPlace(row.path, line, _around(symbols, line), text))
    return {name: Named(tuple(places), total[name]) for name, places in found.items()}


def _in_file(
    reader: MapReader, row: FileRow, source: bytes, pattern: re.Pattern[bytes], words: dict[bytes, str]
) -> Iterator[tuple[str, int, str, list[Known]]]:
    symbols = reader.symbols_of(row.id)
    defined: dict[str, list[int]] = {}
    for one in symbols:
        defined.setdefault(one.name, []).append(one.start)
    for number, line in enumerate(source.split(b"\n"), 1):
        for word in dict.fromkeys(pattern.findall(line)):
            name = words[word]
            starts = [start for start in defined.get(name, ()) if start <= number]
            if starts:  # the first line from there on that has the name is the definition
                defined[name] = [start for start in defined[name] if start > number]
                continue
            if not line.lstrip().startswith(_COMMENT):
                yield name, number, line.strip().decode(errors="replace")[:LINE_MAX], symbols


def _around(symbols: list[Known], line: int) -> str:
    around = [one for one in symbols if one.start <= line <= one.stop and one.kind in CALLABLES | TYPES]
    return min(around, key=lambda one: (one.stop - one.start, -one.at)).qualified if around else ""
