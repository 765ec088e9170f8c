"""Reading a map: files, symbols, and who calls whom."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from ...model.code import Call, FileMap
from .packing import (
    Link,
    Place,
    unpack_calls,
    unpack_calls_ending,
    unpack_calls_within,
    unpack_files,
    unpack_linked,
    unpack_links,
    unpack_outline,
    unpack_parents,
    unpack_places,
)
from .states import MAPPED, PLAIN

# Where the statements lie. Not by `importlib.resources`, which is slow to load.
FOLDER = Path(__file__).parent
# Greater than every character of a path.
LAST = "\U0010ffff"


def script(name: str) -> str:
    return FOLDER.joinpath(name).read_text(encoding="utf-8")


@lru_cache(maxsize=1)
def queries() -> dict[str, str]:
    """The named statements of queries.sql."""
    named = (part.partition("\n") for part in script("queries.sql").split("-- name: ")[1:])
    return {name.strip(): body.strip() for name, _, body in named}


class FileRow(NamedTuple):
    """A file of the checkout. `state` is mapped, kept (what is there now was not parsed; its last map stays), skipped
    (`reason` says why) or plain (of no language that is mapped)."""

    id: int
    path: str
    language: str = ""
    package: str = ""
    size: int = 0
    mtime: int = 0
    hash: bytes | None = None
    state: str = PLAIN
    reason: str = ""
    errors: int = 0
    lines: int = 0
    numbers: int = 0
    changed: int = 0
    stale: int = 0

    @property
    def is_mapped(self) -> bool:
        """Whether its map is that of what was read last."""
        return self.state == MAPPED


class Known(NamedTuple):
    """A symbol as it is kept. `at` is its place in its file's list; `flags` is not 0 for what is called from outside
    the code (tests, entry points); `born` and `since` are 0 for what the first map found."""

    id: int
    path: str
    name: str
    within: str
    kind: str
    start: int
    stop: int
    parent: int | None
    at: int
    flags: int
    born: int
    since: int

    @property
    def qualified(self) -> str:
        return f"{self.within}.{self.name}" if self.within else self.name

    @property
    def place(self) -> str:
        return f"{self.path}:{self.start}"


class Version(NamedTuple):
    """What a symbol was, from when to when, and what became of it then."""

    path: str
    qualified: str
    kind: str
    signature: str
    hash: str
    start: int
    stop: int
    first: int
    last: int
    became: str
    to_path: str = ""
    to_qualified: str = ""


class Seen(NamedTuple):
    caller: int
    target: int
    line: int
    times: int
    against: int
    last: int


class MapReader:
    """One view of the map: nothing changes in it while it is used."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._connection = connection

    def _run(self, name: str, given: Sequence[Any] = ()) -> Iterator[Any]:
        return self._connection.execute(queries()[name], tuple(given))

    def about(self, key: str) -> Any:
        return next((value for (value,) in self._run("about", (key,))), None)

    def files(self) -> list[FileRow]:
        return [FileRow(*row) for row in self._run("files")]

    def file_at(self, path: str) -> FileRow | None:
        return next((FileRow(*row) for row in self._run("file_at", (path,))), None)

    def file(self, id_: int) -> FileRow | None:
        return next((FileRow(*row) for row in self._run("file_by_id", (id_,))), None)

    def files_below(self, folder: str) -> list[FileRow]:
        """Every file in a folder and in those in it; "" is the root."""
        return [FileRow(*row) for row in self._run("files_below", bounds(folder))]

    def files_named(self, name: str) -> list[FileRow]:
        """The files of a name, in whatever folder."""
        return [FileRow(*row) for row in self._run("files_named", (name, f"*/{_plain(name)}"))]

    def files_changed(self, since: int) -> list[FileRow]:
        return [FileRow(*row) for row in self._run("files_changed", (since,))]

    def files_stale(self, limit: int) -> list[int]:
        return [id_ for (id_,) in self._run("files_stale", (limit,))]

    def stale_count(self) -> int:
        return next(int(count) for (count,) in self._run("stale_count"))

    def states(self) -> list[tuple[str, str, int]]:
        return list(self._run("states"))

    def languages(self) -> list[tuple[str, int, int]]:
        return list(self._run("languages"))

    def kinds(self) -> dict[str, int]:
        return dict(self._run("kinds"))

    def last_file(self) -> int:
        return next(int(last) for (last,) in self._run("last_file"))

    def outline(self, file: int, *, bare: bool = False) -> tuple[FileMap, Sequence[int] | None] | None:
        """A file's map without its calls, and the numbers of its symbols where they are not simply counted. `bare` is
        without heads, comments and hashes."""
        return next((unpack_outline(data, bare=bare) for (data,) in self._run("outline", (file,))), None)

    def calls(self, file: int) -> tuple[Call, ...]:
        return next((unpack_calls(data) for (data,) in self._run("calls", (file,))), ())

    def parents(self, file: int) -> tuple[Sequence[int], Sequence[int] | None]:
        """Where the symbols of a file stand, and their numbers where they are not simply counted."""
        return next((unpack_parents(data) for (data,) in self._run("outline", (file,))), ((), None))

    def calls_within(self, file: int, scopes: Container[int]) -> list[tuple[int, Call]]:
        """The calls in these scopes, each with its place in the file's list."""
        return next((unpack_calls_within(data, scopes) for (data,) in self._run("calls", (file,))), [])

    def calls_ending(self, file: int, name: str) -> list[tuple[int, Call]]:
        """The calls whose chain has a name in its last part, each with its place in the file's list."""
        return next((unpack_calls_ending(data, name) for (data,) in self._run("calls", (file,))), [])

    def links(self, file: int) -> list[Link]:
        return next((unpack_links(data) for (data,) in self._run("edges", (file,))), [])

    def linked(self, file: int) -> set[int]:
        """Which of the calls of a file are resolved, by their places in its list."""
        return next((unpack_linked(data) for (data,) in self._run("edges", (file,))), set())

    def whole(self, file: int) -> FileMap | None:
        found = self.outline(file)
        return found[0]._replace(calls=self.calls(file)) if found else None

    def symbols_named(self, name: str, limit: int = 10_000) -> list[Known]:
        return [Known(*row) for row in self._run("symbols_named", (name, limit))]

    def symbols_qualified(self, within: str, name: str, limit: int) -> list[Known]:
        """Those with this qualified name, or else those whose qualified name ends in it."""
        found = [Known(*row) for row in self._run("symbols_qualified", (name, within, limit))]
        return found or [Known(*row) for row in self._run("symbols_ending", (name, within, limit))]

    def symbols_beginning(self, start: str, limit: int) -> list[Known]:
        return [Known(*row) for row in self._run("symbols_beginning", (start, start + LAST, limit))]

    def symbols_of(self, file: int) -> list[Known]:
        return [Known(*row) for row in self._run("symbols_of_file", (file, file))]

    def symbol(self, id_: int) -> Known | None:
        return next((Known(*row) for row in self._run("symbol", (id_,))), None)

    def symbols(self, ids: Iterable[int]) -> dict[int, Known]:
        return {id_: found for id_ in ids if (found := self.symbol(id_)) is not None}

    def places_of_name(self, name: str, limit: int) -> list[tuple[int, int]]:
        """File and place in its list, of every symbol of a name."""
        return list(self._run("places_of_name", (name, limit)))

    def places_within(self, name: str, around: str, limit: int) -> list[tuple[int, int]]:
        """The same, of those that stand in something of which the last name is `around`; in nothing for ""."""
        return list(self._run("places_within", (name, around, limit)))

    def symbol_count(self, file: int) -> int:
        return next((int(count) for _, count in self._run("symbol_counts", (file, file))), 0)

    def orphans(self, folder: str = "") -> Iterator[Known]:
        return (Known(*row) for row in self._run("orphans", bounds(folder)))

    def incoming(self, target: int) -> list[tuple[int, list[Place]]]:
        """The files that call a symbol, and where."""
        return [(source, unpack_places(places)) for source, places in self._run("incoming", (target,))]

    def most_called(self, limit: int) -> list[tuple[int, int]]:
        """(id, number of calls) of the symbols that are called most, the most first."""
        return list(self._run("most_called", (limit,)))

    def incoming_count(self, target: int) -> int:
        return next(int(count) for (count,) in self._run("incoming_count", (target,)))

    def incoming_of_file(self, file: int) -> list[tuple[int, int, list[Place]]]:
        return [(t, source, unpack_places(places)) for t, source, places in self._run("incoming_of_file", (file, file))]

    def sources_into(self, file: int) -> list[int]:
        """The files that call something in a file."""
        return [source for (source,) in self._run("sources_into", (file, file))]

    def loose(self, name: str) -> list[int]:
        """The files that call something of this name that was not resolved."""
        return next((unpack_files(data) for (data,) in self._run("loose", (name,))), [])

    def above(self, type_: int) -> list[int]:
        return [above for (above,) in self._run("above", (type_,))]

    def below(self, type_: int) -> list[int]:
        return [below for (below,) in self._run("below", (type_,))]

    def seen_of_target(self, target: int) -> list[Seen]:
        return [Seen(*row) for row in self._run("seen_of_target", (target,))]

    def seen_of_caller(self, caller: int) -> list[Seen]:
        return [Seen(*row) for row in self._run("seen_of_caller", (caller,))]

    def versions_at(self, path: str, qualified: str) -> list[Version]:
        return [Version(*row) for row in self._run("versions_at", (path, qualified))]

    def versions_into(self, path: str, qualified: str) -> list[Version]:
        return [Version(*row) for row in self._run("versions_into", (path, qualified))]

    def versions_since(self, since: int) -> list[Version]:
        return [Version(*row) for row in self._run("versions_since", (since,))]


def _plain(name: str) -> str:
    """A name without what a pattern would understand."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def bounds(folder: str) -> tuple[str, str]:
    """Between which two texts the paths below a folder lie."""
    start = f"{folder}/" if folder else ""
    return start, start + LAST
