"""The half of a worker that resolves. Apart from the other, which a first map that only parses does not pay for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ...codemap.resolve import Resolver
from ...model.code import FileMap
from ...store.code.map_file import connect
from ...store.code.packing import pack_links, pack_places
from ...store.code.reader import FileRow, MapReader
from .facts import KeptFacts, bare, size_of
from .resolving import resolved

# So many symbols and bindings are kept at hand while resolving; then it begins anew, to stay small.
LOADED_MAX = 280_000
# So many of what was parsed here are kept for resolving: what a worker has parsed is mostly what it resolves.
PARSED_MAX = 200_000


class ResolvingWorker:
    def __init__(self, root: str) -> None:
        self._root = root
        self._reader: MapReader | None = None
        self._rows: list[FileRow] = []
        self._facts: KeptFacts | None = None
        self._resolver: Resolver | None = None
        self._parsed: dict[str, FileMap] = {}
        self._parsed_size = 0

    def keep(self, path: str, found: FileMap) -> None:
        """What was parsed here, for when it is resolved."""
        size = size_of(found) + len(found.calls)
        if self._parsed_size + size <= PARSED_MAX:
            self._parsed_size += size
            self._parsed[path] = bare(found)

    def resolve(self, place: str, files: list[int], *, is_first: bool = False) -> list[Any]:
        """Packed links, rows for `incoming`, names that are loose and that are not (which only matters where they may
        have been), and pairs of types, by file."""
        return [answer for file in files if (answer := self._resolved(place, file, is_first)) is not None]

    def _resolved(self, place: str, file: int, is_first: bool) -> tuple[Any, ...] | None:
        facts, resolver = self._ready(place)
        path = facts.path(file)
        if path is None:
            return None
        found = resolved(resolver, facts, path)
        incoming = [(target, file, pack_places(some)) for target, some in found.places.items()]
        settled = [] if is_first else list(found.settled())
        return file, pack_links(found.links), incoming, list(found.loose), settled, found.extends

    def _ready(self, place: str) -> tuple[KeptFacts, Resolver]:
        if self._reader is None:
            connection = connect(Path(place))
            connection.execute("BEGIN")
            self._reader = MapReader(connection)
            self._rows = self._reader.files()
        if self._facts is None or self._resolver is None or self._facts.loaded() > LOADED_MAX:
            # Nobody else holds what was at hand, and nothing in it leads back to itself: it is gone at once.
            self._facts = self._resolver = None
            self._facts = KeptFacts(self._root, self._reader, self._rows)
            for path, found in self._parsed.items():
                self._facts.give(path, found)
            self._parsed = {}
            self._resolver = Resolver(self._facts)
        return self._facts, self._resolver
