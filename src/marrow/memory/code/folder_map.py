"""The map of a folder: what is in it, which files matter, what their main symbols are."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ...codemap.entry import is_test_path
from ...model.code import CALLABLES, TYPES
from ...model.errors import NotFound
from ...repository.gitconfig import submodules
from ...store.code import FileRow, Known, MapReader
from ...store.code.states import KEPT, MAPPED, PLAIN, SKIPPED

FILES_MAX, NAMES_MAX = 400, 6
DEPTH_MAX = 12


class FolderEntry(NamedTuple):
    """A folder (`files` and `lines` of all in it) or a file, with its main symbols."""

    path: str
    is_folder: bool
    files: int
    lines: int
    symbols: int
    main: tuple[str, ...] = ()
    note: str = ""


class FolderMap(NamedTuple):
    path: str
    files: int
    lines: int
    symbols: int
    languages: tuple[tuple[str, int, int], ...]
    entries: tuple[FolderEntry, ...]
    skipped: tuple[tuple[str, int], ...] = ()
    plain: int = 0
    left_out: int = 0
    deeper: int = 0


def folder_map(reader: MapReader, root: str, path: str, depth: int = 2) -> FolderMap:
    """Folders down to a depth, and the files in them at that depth's top; what is tested comes before its tests. What
    is skipped comes with the repositories of their own below it."""
    below = reader.files_below(path)
    single = reader.file_at(path) if path else None
    if single is not None:
        below = [single]
    if not below and path:
        raise NotFound(f"The code map has nothing at {path!r}.", hint="Give a folder.", field="path")
    mapped = [row for row in below if row.state in (MAPPED, KEPT)]
    counts = {row.id: reader.symbol_count(row.id) for row in mapped}
    entries = _folders(path, mapped, counts, depth)
    files = [row for row in mapped if _depth(path, row.path) <= depth]
    files.sort(key=lambda row: (is_test_path(row.path), row.path.rpartition("/")[0], row.path))
    left = max(0, len(files) - FILES_MAX)
    entries += [_file(reader, row, counts[row.id]) for row in files[:FILES_MAX]]
    own = [module for module in submodules(root) if not path or module == path or module.startswith(f"{path}/")]
    skipped = Counter(row.reason for row in below if row.state == SKIPPED and row.path not in own)
    if own:
        skipped["submodule" if len(own) == 1 else "submodules"] = len(own)
    languages: dict[str, tuple[int, int]] = {}
    for row in mapped:
        count, lines = languages.get(row.language, (0, 0))
        languages[row.language] = count + 1, lines + row.lines
    ordered = sorted(languages.items(), key=lambda one: -one[1][1])
    return FolderMap(
        path,
        len(mapped),
        sum(row.lines for row in mapped),
        sum(counts.values()),
        tuple((name, *counted) for name, counted in ordered),
        tuple(sorted(entries, key=lambda one: one.path)),
        tuple(skipped.most_common()),
        sum(1 for row in below if row.state == PLAIN),
        left,
        len(mapped) - len(files),
    )


def _depth(top: str, path: str) -> int:
    rest = path[len(top) + 1 :] if top else path
    return rest.count("/") + 1


def _folders(top: str, rows: list[FileRow], counts: dict[int, int], depth: int) -> list[FolderEntry]:
    """Every folder down to the depth, with what is in it altogether."""
    found: dict[str, list[int]] = {}
    for row in rows:
        parts = (row.path[len(top) + 1 :] if top else row.path).split("/")[:-1]
        for n in range(1, min(depth, len(parts)) + 1):
            name = "/".join([*([top] if top else []), *parts[:n]])
            known = found.setdefault(name, [0, 0, 0])
            known[0] += 1
            known[1] += row.lines
            known[2] += counts[row.id]
    return [FolderEntry(name, True, files, lines, symbols) for name, (files, lines, symbols) in found.items()]


def _file(reader: MapReader, row: FileRow, symbols: int) -> FolderEntry:
    note = "its last map: it does not parse now" if row.state == KEPT else ""
    return FolderEntry(row.path, False, 1, row.lines, symbols, main_symbols(reader, row.id), note)


def main_symbols(reader: MapReader, file: int) -> tuple[str, ...]:
    """The largest types and functions at the top of a file, in its order."""
    tops = [one for one in reader.symbols_of(file) if one.parent is None and one.kind in TYPES | CALLABLES]
    if not tops:
        tops = [one for one in reader.symbols_of(file) if one.parent is None]
    chosen = sorted(tops, key=_weight)[:NAMES_MAX]
    return tuple(one.name for one in sorted(chosen, key=lambda one: one.at))


def _weight(one: Known) -> tuple[bool, bool, int]:
    return one.name.startswith("_"), one.kind not in TYPES, one.start - one.stop
