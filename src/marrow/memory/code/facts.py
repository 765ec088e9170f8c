"""What a resolver asks, answered from the kept map. A file's map is read when it is first asked for."""

from __future__ import annotations

import os
from bisect import insort
from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import attrgetter

from ...model.code import Call, FileMap, Symbol
from ...repository.plain_file import read_plain
from ...store.code.packing import symbol_id
from ...store.code.reader import FileRow, MapReader
from ...store.code.states import KEPT, MAPPED

# A name that stands for more things than this is never the only one, nor looked through; only what stands in something
# that is known by name is looked for among so many.
DEFINED_MAX, WITHIN_MAX = 64, 4096
TEXT_BYTES_MAX = 256 * 1024
_WITH_MAP = frozenset((MAPPED, KEPT))
_PATH = attrgetter("path")


class KeptFacts:
    """`reader` gives the maps; `rows` are all files of the checkout."""

    def __init__(self, root: str, reader: MapReader, rows: Iterable[FileRow]) -> None:
        self._root, self._reader = root, reader
        self.ids: dict[str, int] = {}
        self._paths: dict[int, str] = {}
        self._others: set[str] = set()
        self._packages: dict[str, str] = {}
        self._folders: dict[str, list[str]] = {}
        self._members: dict[tuple[str, str], list[str]] = {}
        self._names: dict[str, list[str]] = {}
        self._maps: dict[str, FileMap | None] = {}
        self._loaded = 0
        self._numbers: dict[str, Sequence[int] | None] = {}
        self._calls: dict[str, tuple[Call, ...]] = {}
        self._defined: dict[tuple[str, str | None], list[tuple[str, int]]] = {}
        self._countless: set[str] = set()
        self._enter_all(rows)

    def _enter_all(self, rows: Iterable[FileRow]) -> None:
        """As `_enter` does one by one, in the order of paths: nothing needs to be put between what is there."""
        for row in sorted(rows, key=_PATH):
            path, language, package = row.path, row.language, row.package
            folder, _, name = path.rpartition("/")
            self._names.setdefault(name, []).append(path)
            if row.state not in _WITH_MAP:
                self._others.add(path)
                continue
            self.ids[path], self._paths[row.id] = row.id, path
            self._packages[path] = package
            self._folders.setdefault(folder, []).append(path)
            self._members.setdefault((language, package), []).append(path)

    def _enter(self, row: FileRow) -> None:
        folder, _, name = row.path.rpartition("/")
        insort(self._names.setdefault(name, []), row.path)  # in the order of paths, whenever it came
        if row.state not in _WITH_MAP:
            self._others.add(row.path)
            return
        self.ids[row.path], self._paths[row.id] = row.id, row.path
        self._packages[row.path] = row.package
        insort(self._folders.setdefault(folder, []), row.path)
        insort(self._members.setdefault((row.language, row.package), []), row.path)

    def _leave(self, row: FileRow) -> None:
        folder, _, name = row.path.rpartition("/")
        places = (self._folders.get(folder), self._members.get((row.language, row.package)), self._names.get(name))
        for some in places:
            if some is not None and row.path in some:
                some.remove(row.path)
        self._others.discard(row.path)
        self._packages.pop(row.path, None)
        self._maps.pop(row.path, None)
        self._numbers.pop(row.path, None)
        self._calls.pop(row.path, None)
        if self.ids.pop(row.path, None) is not None:
            self._paths.pop(row.id, None)

    def renewed(self, reader: MapReader, before: Iterable[FileRow], after: Iterable[FileRow]) -> KeptFacts:
        """The same with other rows for some files, read through another reader. What was read of the rest stays."""
        self._reader = reader
        for row in before:
            self._leave(row)
        for row in after:
            self._enter(row)
        self._defined.clear()
        self._countless.clear()
        return self

    def path(self, file: int) -> str | None:
        return self._paths.get(file)

    def loaded(self) -> int:
        """How much is at hand: symbols, imports and bindings of the files that were read."""
        return self._loaded

    def whole(self, path: str) -> FileMap | None:
        """A file's map with its calls."""
        found = self.file(path)
        if found is None:
            return None
        calls = self._calls.pop(path, None)
        whole = found._replace(calls=self._reader.calls(self.ids[path]) if calls is None else calls)
        self._maps[path] = whole
        return whole

    def give(self, path: str, found: FileMap, numbers: Sequence[int] | None = None) -> None:
        """A map that is at hand already, as `file` would read it (`bare`), and with its calls. Its symbols are counted
        as they come, unless their `numbers` are given."""
        self._maps[path], self._numbers[path] = found._replace(calls=()), numbers
        self._calls[path] = found.calls
        self._loaded += size_of(found)

    def let_go(self, path: str) -> None:
        """The calls of a file are not needed any longer."""
        found = self._maps.get(path)
        if found is not None:
            self._maps[path] = found._replace(calls=())

    def id_of(self, path: str, index: int) -> int:
        numbers = self._numbers.get(path)
        return symbol_id(self.ids[path], numbers[index] if numbers is not None else index)

    def number(self, path: str, index: int) -> int:
        numbers = self._numbers.get(path)
        return numbers[index] if numbers is not None and index >= 0 else index

    def file(self, path: str) -> FileMap | None:
        if path in self._maps:
            return self._maps[path]
        id_ = self.ids.get(path)
        found = self._reader.outline(id_, bare=True) if id_ is not None else None
        self._maps[path] = found[0] if found else None
        if found is not None:
            self._loaded += size_of(found[0])
        self._numbers[path] = found[1] if found else None
        return self._maps[path]

    def defined(self, name: str, within: str | None = None) -> Sequence[tuple[str, int]]:
        known = self._defined.get((name, None))
        if known is None:
            rows = self._reader.places_of_name(name, DEFINED_MAX)
            if len(rows) == DEFINED_MAX:
                self._countless.add(name)
            known = self._defined[name, None] = sorted(self._places(rows))
        if within is None or name not in self._countless:
            return known
        more = self._defined.get((name, within))
        if more is None:
            rows = self._reader.places_within(name, within, WITHIN_MAX)
            more = self._defined[name, within] = sorted({*known, *self._places(rows)})
        return more

    def _places(self, rows: Iterable[tuple[int, int]]) -> Iterator[tuple[str, int]]:
        return ((self._paths[file], at) for file, at in rows if file in self._paths)

    def has(self, path: str) -> bool:
        return path in self.ids or path in self._others

    def in_folder(self, folder: str) -> Collection[str]:
        return self._folders.get(folder, ())

    def in_package(self, language: str, package: str) -> Collection[str]:
        return self._members.get((language, package), ())

    def named(self, file_name: str) -> Collection[str]:
        return self._names.get(file_name, ())

    def text(self, path: str) -> str:
        if not self.has(path):
            return ""
        try:
            return read_plain(os.path.join(self._root, path), TEXT_BYTES_MAX).decode("utf-8", "replace")
        except OSError:
            return ""

    def package(self, path: str) -> str:
        return self._packages.get(path, "")


def size_of(found: FileMap) -> int:
    """How much of a file's map is at hand while resolving."""
    return len(found.symbols) + len(found.imports) + len(found.bindings)


def bare(found: FileMap) -> FileMap:
    """Without what only people read, as it is read from the map (`MapReader.outline`)."""
    return found._replace(symbols=tuple([_bare(symbol) for symbol in found.symbols]))


def _bare(symbol: Symbol) -> Symbol:
    kind, name, qualified, parent, start, end, _, _, decorators, _, bases, returns, receiver = symbol
    few = (kind, name, qualified, parent, start, end, "", "", decorators, "", bases, returns, receiver)
    return tuple.__new__(Symbol, few)
