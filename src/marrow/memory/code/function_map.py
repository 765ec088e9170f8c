"""Function map: of a file, or of the files that changed, with what changed marked."""

from __future__ import annotations

import os
from typing import NamedTuple

from ...codemap.compare import Difference
from ...codemap.function_map import Entry, by_file, entries
from ...model.errors import NotFound
from ...store.code import FileRow, MapReader
from ...store.code.states import KEPT, MAPPED
from .changes import changes
from .since import Since

FILES_MAX = 60


class FunctionMap(NamedTuple):
    """`note` says what is the matter with the file, where something is."""

    path: str
    lines: int
    entries: tuple[Entry, ...]
    note: str = ""


def file_function_map(reader: MapReader, root: str, path: str, since: Since | None) -> FunctionMap:
    row = reader.file_at(path)
    if row is None:
        is_folder = os.path.isdir(os.path.join(root, path))
        hint = (
            "It is a folder: memory_map shows what is in it." if is_folder else "Give a path from the project's root."
        )
        raise NotFound(f"The code map has no file {path!r}.", hint=hint, field="path")
    found = changes(reader, root, since, only=path).found if since is not None else ()
    return _of_row(reader, row, found)


def changed_function_maps(reader: MapReader, root: str, since: Since) -> tuple[list[FunctionMap], int]:
    """Of each file in which something changed; how many more there are."""
    grouped = by_file(changes(reader, root, since).found)
    maps = []
    for path, found in list(grouped.items())[:FILES_MAX]:
        row = reader.file_at(path)
        if row is not None:
            whole = _of_row(reader, row, found)
            kept = tuple(entry for entry in whole.entries if entry.mark != "UNCHANGED")
            maps.append(whole._replace(entries=kept))
        else:
            maps.append(FunctionMap(path, 0, tuple(entries((), found)), "the file is gone"))
    return maps, max(0, len(grouped) - FILES_MAX)


def _of_row(reader: MapReader, row: FileRow, found: tuple[Difference, ...] | list[Difference]) -> FunctionMap:
    if row.state not in (MAPPED, KEPT):
        why = row.reason or "of no language that is mapped"
        return FunctionMap(row.path, row.lines, (), f"not mapped: {why}")
    outline = reader.outline(row.id)
    symbols = outline[0].symbols if outline is not None else ()
    note = "does not parse now: this is its last map" if row.state == KEPT else ""
    if row.errors and not note:
        note = "has errors: parts may be missing"
    return FunctionMap(row.path, row.lines, tuple(entries(symbols, found)), note)
