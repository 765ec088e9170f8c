"""Changes: which symbols are new, modified, deleted, renamed or moved since a commit or a time."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from ...codemap.compare import DELETED, MODIFIED, MOVED, NEW, RENAMED, Difference, compare
from ...codemap.languages.table import language_of
from ...codemap.skipped import named_as_generated, why_skipped
from ...codemap.tame import is_tame
from ...model.code import FileMap, Symbol
from ...repository.changed import blobs, changed_between
from ...store.code import FileRow, Known, MapReader, Version
from .parsing import parse
from .since import Since

# A merge that touches more files than this is told by its files.
FILES_MAX = 2_000


class Changes(NamedTuple):
    """`paths` are the files that differ, `files` counts them; `left_out` those that were too many to look into;
    `renamed` the old and the new path of those that have another name."""

    since: Since
    found: tuple[Difference, ...]
    files: int = 0
    left_out: int = 0
    paths: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()


def changes(reader: MapReader, root: str, since: Since, only: str | None = None) -> Changes:
    """`only` looks at one file."""
    if since.commit:
        return _since_commit(reader, root, since, only)
    return _since_time(reader, since, only)


def _since_commit(reader: MapReader, root: str, since: Since, only: str | None) -> Changes:
    pairs = [(a, b) for a, b in changed_between(root, since.commit) if language_of(a or b)]
    if only is not None:
        pairs = [(a, b) for a, b in pairs if only in (a, b)]
    left = max(0, len(pairs) - FILES_MAX)
    pairs = pairs[:FILES_MAX]
    old: dict[str, FileMap] = {}
    for path, source in blobs(root, since.commit, [a for a, _ in pairs if a]):
        if not named_as_generated(path) and not why_skipped(source):
            old[path] = _old_map(path, source)
    new: dict[str, FileMap] = {}
    for before, path in pairs:
        row = reader.file_at(path) if path else None
        found = reader.whole(row.id) if row is not None and row.is_mapped else None
        # What is mapped on one side alone (it is generated, huge or left out on the other) says nothing of what became
        # of its symbols: neither side counts.
        if found is not None and (not before or before in old):
            new[path] = found
        elif path:
            old.pop(before, None)
    renamed = {b: a for a, b in pairs if a and b and a != b}
    paths = tuple(b or a for a, b in pairs)
    moved = tuple(sorted((a, b) for b, a in renamed.items() if b in new))
    return Changes(since, tuple(compare(old, new, renamed)), len(pairs), left, paths, moved)


@lru_cache(maxsize=256)
def _old_map(path: str, source: bytes) -> FileMap:
    return parse(path, source)[0] if is_tame(source) else FileMap(language_of(path))


def _since_time(reader: MapReader, since: Since, only: str | None) -> Changes:
    """By what the map saw itself."""
    rows = reader.files_changed(since.at)
    if only is not None:
        rows = [row for row in rows if row.path == only]
    versions = [one for one in reader.versions_since(since.at) if only is None or only in (one.path, one.to_path)]
    came_from = {(one.to_path, one.to_qualified): one for one in versions if one.became in (MOVED, RENAMED)}
    found: list[Difference] = []
    here: set[tuple[str, str]] = set()
    for row in rows:
        found += _of_file(reader, row, since.at, came_from, here)
    seen: set[tuple[str, str]] = set()
    for one in reversed(versions):
        place = (one.path, one.qualified)
        if one.became == DELETED and place not in here and place not in seen and not _is_back(reader, one):
            found.append(Difference(DELETED, one.path, _as_it_was(one)))
        seen.add(place)
    files = tuple(sorted({row.path for row in rows} | {one.path for one in versions}))
    ordered = tuple(sorted(found, key=lambda one: (one.path, one.symbol.start, one.what)))
    return Changes(since, ordered, len(files), 0, files)


def _of_file(
    reader: MapReader,
    row: FileRow,
    at: int,
    came_from: dict[tuple[str, str], Version],
    here: set[tuple[str, str]],
) -> Iterable[Difference]:
    outline = reader.outline(row.id)
    if outline is None:
        return
    symbols = outline[0].symbols
    for known in reader.symbols_of(row.id):
        here.add((row.path, known.qualified))
        what = _what(known, at)
        before = came_from.get((row.path, known.qualified))
        if before is not None and (before.path, before.qualified) != (row.path, known.qualified):
            yield Difference(before.became, row.path, symbols[known.at], (before.path, before.qualified))
        elif what:
            yield Difference(what, row.path, symbols[known.at])


def _what(known: Known, at: int) -> str:
    return NEW if known.born > at else MODIFIED if known.since > at else ""


def _is_back(reader: MapReader, one: Version) -> bool:
    row = reader.file_at(one.path)
    return row is not None and any(known.qualified == one.qualified for known in reader.symbols_of(row.id))


def _as_it_was(one: Version) -> Symbol:
    name = one.qualified.rpartition(".")[2]
    return Symbol(one.kind, name, one.qualified, -1, one.start, one.stop, one.signature, hash=one.hash)
