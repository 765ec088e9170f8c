"""The project's folder together with what the kept map knows of it. The one place where anchors ask that map."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable
from functools import cache
from typing import TYPE_CHECKING

from ...codemap.entry import TEST, is_test_path
from ...model.code import TOP, Symbol
from ...model.errors import MarrowError
from ..engine import Engine
from .checkout import Checkout

if TYPE_CHECKING:
    from ..code.kept_map import KeptMap

DEFINITIONS_MAX = 50
FILES_MEANT_MAX = 3


def is_mapped(engine: Engine, root: str) -> bool:
    """Whether there is a map that may know where a name is defined."""
    return _kept_map(engine, root) is not None


def _kept_map(engine: Engine, root: str) -> KeptMap | None:
    try:
        kept = engine.maps(root) if engine.maps is not None else None
    except MarrowError:  # a map that cannot be read is as good as none
        return None
    return kept if kept is not None and kept.has_map() else None


def checkout_of(engine: Engine, root: str) -> Checkout:
    looked_for = cache(lambda: _kept_map(engine, root))  # once: a text may name much that is no symbol

    def defining(name: str) -> list[str]:
        kept = looked_for()
        if kept is None:
            return []
        try:
            with kept.reading() as reader:
                within, _, last = name.rpartition(".")
                if within:
                    found = reader.symbols_qualified(within, last, DEFINITIONS_MAX)
                else:
                    found = reader.symbols_named(last, DEFINITIONS_MAX)
                return list(dict.fromkeys(one.path for one in found))
        except MarrowError:
            return []

    return Checkout(root, defining, engine.redact_extra)


def mapped_symbols(engine: Engine, root: str, paths: Iterable[str]) -> dict[str, tuple[Symbol, ...]]:
    """The symbols of those of these files that the map has as they are now: names, kinds and lines; without tests that
    stand beside what they test. A large project is not read anew where it was mapped."""
    wanted, found = set(paths), dict[str, tuple[Symbol, ...]]()
    if engine.maps is None or not wanted:
        return found
    try:
        kept = engine.maps(root)
        if not kept.has_map():
            return found
        with kept.reading() as reader:
            for row in reader.files():
                if row.path in wanted and row.is_mapped and _is_as_it_was(root, row.path, row.size, row.mtime):
                    found[row.path] = tuple(
                        Symbol(one.kind, one.name, one.qualified, TOP, one.start, one.stop)
                        for one in reader.symbols_of(row.id)
                        if not one.flags & TEST or is_test_path(row.path)
                    )
    except MarrowError:
        return {}
    return found


def widespread(engine: Engine, root: str, names: Iterable[str], inner: Collection[str]) -> set[str]:
    """Those of these names, with dots or without, that so many files define that a text which says one means none of
    them. Where there is no map to say so, those of what stands in something else, the `inner` ones."""
    kept = _kept_map(engine, root) if root else None
    if kept is None:
        return {name for name in names if name in inner}
    found: set[str] = set()
    try:
        with kept.reading() as reader:
            for name in names:
                defined = reader.symbols_named(name.rpartition(".")[2], DEFINITIONS_MAX)
                paths = {one.path for one in defined if name in (one.name, one.qualified)}
                if len(paths) > FILES_MEANT_MAX:
                    found.add(name)
    except MarrowError:
        return set()
    return found


def _is_as_it_was(root: str, path: str, size: int, mtime: int) -> bool:
    try:
        now = os.lstat(os.path.join(root, path))
    except OSError:
        return False
    return (now.st_size, now.st_mtime_ns) == (size, mtime)
