"""What a report says about the code: which functions are new, changed and gone, who of them calls whom, and which calls
lead nowhere that is known. From the code map; nothing where there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..codemap.compare import Difference
from ..codemap.draw import Graph
from ..model.code import CALLABLES, TYPES
from ..model.errors import MarrowError
from ..model.moments import iso
from ..store.code import Known, MapReader
from .code.build import MAPPED_AT
from .code.call_graph import among
from .code.changes import changes
from .code.opened import kept
from .code.since import since_of
from .engine import Asker, Engine

TOLD = CALLABLES | TYPES
UNRESOLVED_SHOWN, FILES_READ = 10, 200
# What nearly every language brings along: that it leads out of the project says nothing.
USUAL = frozenset(
    "print len str int float bool list dict set tuple range isinstance sorted min max sum super enumerate zip map "
    "filter append extend join split strip format get items keys values pop add update log push then catch "
    "toString slice replace startswith endswith encode decode open getattr setattr hasattr repr any all next iter "
    "type".split()
)


class CodeReport(NamedTuple):
    """`changed` are functions and types; `graph` is who of them calls whom. `unresolved` are (name, how often) of calls
    in the files that changed. `since` says what they are compared with."""

    since: str
    files: int
    changed: tuple[Difference, ...]
    graph: Graph | None
    unresolved: tuple[tuple[str, int], ...]


def report_code(engine: Engine, asker: Asker, start: int) -> CodeReport | None:
    """From then up to now."""
    try:
        mapped = kept(engine, asker)
        if mapped is None:
            return None
        mapped.update(engine.clock())
        with mapped.reading() as reader:
            since = since_of(engine, asker, mapped.root, iso(start), int(reader.about(MAPPED_AT) or 0))
            found = changes(reader, mapped.root, since)
            told = tuple(one for one in found.found if one.symbol.kind in TOLD)
            symbols = _symbols(reader, told)
            paths = list(dict.fromkeys(one.path for one in found.found))
            return CodeReport(since.words, found.files, told, among(reader, symbols), _unresolved(reader, paths))
    except MarrowError:
        return None


def _symbols(reader: MapReader, changed: Sequence[Difference]) -> list[Known]:
    wanted: dict[str, set[str]] = {}
    for one in changed:
        wanted.setdefault(one.path, set()).add(one.symbol.qualified)
    found = []
    for path, names in wanted.items():
        row = reader.file_at(path)
        if row is not None:
            found += [symbol for symbol in reader.symbols_of(row.id) if symbol.qualified in names]
    return found


def _unresolved(reader: MapReader, paths: Sequence[str]) -> tuple[tuple[str, int], ...]:
    counts: Counter[str] = Counter()
    for path in paths[:FILES_READ]:
        row = reader.file_at(path)
        if row is None:
            continue
        linked = {link.call for link in reader.links(row.id)}
        for place, call in enumerate(reader.calls(row.id)):
            name = call.chain.rpartition(".")[2].removesuffix("{}").strip("?<>[]()")
            if place not in linked and call.kind == "call" and name and name not in USUAL:
                counts[name] += 1
    return tuple(counts.most_common(UNRESOLVED_SHOWN))
