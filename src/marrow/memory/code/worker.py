"""A process that parses and resolves for another one, which can kill it. Asked on standard input, answers on standard
output: frames of marshalled plain values."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...model.code import FileMap
from .frames import receive, send
from .parsing import parsed

# What only resolving needs is imported when that begins: a first map that does not resolve is made without it.
if TYPE_CHECKING:
    from ...codemap.resolve import Resolver
    from ...store.code.reader import FileRow, MapReader
    from .facts import KeptFacts

# To parse, to parse what will be resolved by the same workers, to resolve, and to resolve what never was before.
PARSE, PARSE_FIRST, RESOLVE, RESOLVE_FIRST = "parse", "parse first", "resolve", "resolve first"
# So many symbols and bindings are kept at hand while resolving; then it begins anew, to stay small.
LOADED_MAX = 280_000
# So many of what was parsed here are kept for resolving: what a worker has parsed is mostly what it resolves.
PARSED_MAX = 200_000


class Worker:
    def __init__(self, root: str) -> None:
        self._root = root
        self._reader: MapReader | None = None
        self._rows: list[FileRow] = []
        self._facts: KeptFacts | None = None
        self._resolver: Resolver | None = None
        self._parsed: dict[str, FileMap] = {}
        self._parsed_size = 0

    def parse(self, jobs: list[tuple[int, str]], *, is_resolved_next: bool) -> list[Any]:
        keep = self._keep if is_resolved_next else None
        return [tuple(parsed(self._root, id_, path, keep)) for id_, path in jobs]

    def _keep(self, path: str, found: FileMap) -> None:
        from .facts import bare, size_of

        size = size_of(found) + len(found.calls)
        if self._parsed_size + size <= PARSED_MAX:
            self._parsed_size += size
            self._parsed[path] = bare(found)

    def resolve(self, place: str, files: list[int], *, is_first: bool = False) -> list[Any]:
        """Packed links, rows for `incoming`, names that are loose and that are not (which only matters where they may
        have been), and pairs of types, by file."""
        return [answer for file in files if (answer := self._resolved(place, file, is_first)) is not None]

    def _resolved(self, place: str, file: int, is_first: bool) -> tuple[Any, ...] | None:
        from ...store.code.packing import pack_links, pack_places
        from .resolving import resolved

        facts, resolver = self._ready(place)
        path = facts.path(file)
        if path is None:
            return None
        found = resolved(resolver, facts, path)
        incoming = [(target, file, pack_places(some)) for target, some in found.places.items()]
        settled = [] if is_first else list(found.settled())
        return file, pack_links(found.links), incoming, list(found.loose), settled, found.extends

    def _ready(self, place: str) -> tuple[KeptFacts, Resolver]:
        from ...codemap.resolve import Resolver
        from ...store.code.map_file import connect
        from ...store.code.reader import MapReader
        from .facts import KeptFacts

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


def main() -> None:
    root, nice = sys.argv[1], int(sys.argv[2])
    if nice and hasattr(os, "nice"):
        os.nice(nice)
    gc.disable()  # there is nothing but tuples here, and looking through them again and again takes a fifth of the time
    given, answers = sys.stdin.buffer, sys.stdout.buffer
    worker = Worker(root)
    while (message := receive(given)) is not None:
        what, *rest = message
        if what in (RESOLVE, RESOLVE_FIRST):
            send(answers, worker.resolve(*rest, is_first=what == RESOLVE_FIRST))
        else:
            send(answers, worker.parse(*rest, is_resolved_next=what == PARSE_FIRST))


if __name__ == "__main__":
    main()
