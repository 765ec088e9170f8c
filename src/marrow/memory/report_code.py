"""What a report says about the code: which functions are new, changed and gone, who of them calls whom, and which calls
lead nowhere that is known. From the code map; nothing where there is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from ..codemap.compare import Difference, compare
from ..codemap.draw import Graph
from ..codemap.languages.table import language_of
from ..codemap.tame import is_tame
from ..model.code import CALLABLES, TYPES, FileMap
from ..model.errors import MarrowError
from ..model.moments import iso, moment
from ..repository.changed import blobs, changed_between, commit_before, nothing_yet
from ..repository.identity import locate
from ..store.code import Known, MapReader
from .code.build import MAPPED_AT
from .code.call_graph import among
from .code.changes import FILES_MAX, Changes, changes
from .code.opened import kept
from .code.parsing import parse
from .code.since import Since, since_of
from .engine import Asker, Engine
from .report_range import Range
from .usual_calls import is_usual

TOLD = CALLABLES | TYPES
UNRESOLVED_SHOWN, FILES_READ = 10, 200


class CodeReport(NamedTuple):
    """`changed` are functions and types; `graph` is who of them calls whom. `unresolved` are (name, how often) of calls
    in the files that changed. `since` says what they are compared with."""

    since: str
    files: int
    changed: tuple[Difference, ...]
    graph: Graph | None
    unresolved: tuple[tuple[str, int], ...]


def report_code(engine: Engine, asker: Asker, chosen: Range) -> CodeReport | None:
    """What changed in the range. Where that is over, by its commits; a session's is up to now, since what it did is
    often committed after it."""
    try:
        mapped = kept(engine, asker)
        if mapped is None:
            return None
        mapped.update(engine.clock())
        with mapped.reading() as reader:
            found = _changes(engine, asker, reader, mapped.root, chosen)
            told = tuple(one for one in found.found if one.symbol.kind in TOLD)
            symbols = _symbols(reader, told)
            paths = list(dict.fromkeys(one.path for one in found.found))
            return CodeReport(found.since.words, found.files, told, among(reader, symbols), _unresolved(reader, paths))
    except MarrowError:
        return None


def _changes(engine: Engine, asker: Asker, reader: MapReader, root: str, chosen: Range) -> Changes:
    if chosen.is_over:
        return changes_between(root, chosen.start, chosen.end)
    since = since_of(engine, asker, root, iso(chosen.start), int(reader.about(MAPPED_AT) or 0))
    return changes(reader, root, since)


def changes_between(root: str, start: int, end: int) -> Changes:
    """Between the last commits before two moments."""
    words = f"{iso(start)} until {iso(end)}, by commits"
    last = commit_before(root, moment(end)) if locate(root, environ={}) is not None else ""
    first = commit_before(root, moment(max(0, start))) or nothing_yet(root) if last else ""
    if not first or first == last:
        return Changes(Since(words), ())
    pairs = [(a, b) for a, b in changed_between(root, first, last) if language_of(a or b)]
    told = pairs[:FILES_MAX]
    old = {path: _map(path, source) for path, source in blobs(root, first, [a for a, _ in told if a])}
    new = {path: _map(path, source) for path, source in blobs(root, last, [b for _, b in told if b])}
    renamed = {b: a for a, b in told if a and b and a != b}
    return Changes(Since(words, last), tuple(compare(old, new, renamed)), len(told), len(pairs) - len(told))


def _map(path: str, source: bytes) -> FileMap:
    return parse(path, source)[0] if is_tame(source) else FileMap(language_of(path))


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
        outline = reader.outline(row.id)
        imports = {one.local: one.module for one in outline[0].imports} if outline else {}
        for place, call in enumerate(reader.calls(row.id)):
            name = call.chain.rpartition(".")[2].removesuffix("{}").strip("?<>[]()")
            if place in linked or call.kind != "call" or not name:
                continue
            if not is_usual(row.language, call.chain, name, imports):
                counts[name] += 1
    return tuple(counts.most_common(UNRESOLVED_SHOWN))
