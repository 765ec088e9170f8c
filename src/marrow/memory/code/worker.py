"""A process that parses and resolves for another one, which can kill it. Asked on standard input, answers on standard
output: frames of marshalled plain values."""

from __future__ import annotations

import gc
import marshal
import os
import sys
from pathlib import Path
from typing import IO, Any

from ...codemap.resolve import Resolver
from ...store.code.map_file import connect
from ...store.code.packing import pack_links, pack_places
from ...store.code.reader import FileRow, MapReader
from .facts import KeptFacts
from .parsing import parsed
from .resolving import resolved

PARSE, RESOLVE, DONE = "parse", "resolve", "done"
# So many symbols and bindings are kept at hand while resolving; then it begins anew, to stay small.
LOADED_MAX = 280_000
_LENGTH_BYTES = 4


def send(stream: IO[bytes], message: Any) -> None:
    data = marshal.dumps(message, 4)
    stream.write(len(data).to_bytes(_LENGTH_BYTES))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """The next message; None at the end."""
    head = stream.read(_LENGTH_BYTES)
    if len(head) < _LENGTH_BYTES:
        return None
    length = int.from_bytes(head)
    data = stream.read(length)
    return marshal.loads(data) if len(data) == length else None


class Worker:
    def __init__(self, root: str) -> None:
        self._root = root
        self._reader: MapReader | None = None
        self._rows: list[FileRow] = []
        self._facts: KeptFacts | None = None
        self._resolver: Resolver | None = None

    def parse(self, jobs: list[tuple[int, str]]) -> list[Any]:
        return [tuple(parsed(self._root, id_, path)) for id_, path in jobs]

    def resolve(self, place: str, files: list[int]) -> list[Any]:
        """Packed links, rows for `incoming`, names that are loose and that are not, and pairs of types, by file."""
        done = []
        for file in files:
            facts, resolver = self._ready(place)
            path = facts.path(file)
            if path is None:
                continue
            found = resolved(resolver, facts, path)
            incoming = [(target, file, pack_places(some)) for target, some in found.places.items()]
            done.append(
                (file, pack_links(found.links), incoming, list(found.loose), list(found.settled), found.extends)
            )
        return done

    def _ready(self, place: str) -> tuple[KeptFacts, Resolver]:
        if self._reader is None:
            connection = connect(Path(place))
            connection.execute("BEGIN")
            self._reader = MapReader(connection)
            self._rows = self._reader.files()
        if self._facts is None or self._resolver is None or self._facts.loaded() > LOADED_MAX:
            self._facts = self._resolver = None
            gc.collect()
            self._facts = KeptFacts(self._root, self._reader, self._rows)
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
        send(answers, worker.parse(*rest) if what == PARSE else worker.resolve(*rest))


if __name__ == "__main__":
    main()
