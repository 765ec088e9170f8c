"""Writing a map, within one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..sqlite.connection import statements
from .packing import Link, Place, pack_files, pack_links, pack_places
from .reader import FileRow, MapReader, Seen, Version, queries, script


class MapWriter(MapReader):
    def _many(self, name: str, rows: Iterable[Sequence[Any]]) -> None:
        self._connection.executemany(queries()[name], rows)

    def set_about(self, key: str, value: object) -> None:
        self._run("set_about", (key, value))

    def part_done(self) -> None:
        """What was written so far can be read by others from now on, while this goes on."""
        self._connection.execute("COMMIT")
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("BEGIN IMMEDIATE")

    def index(self) -> None:
        for statement in statements(script("indexes.sql")):
            self._connection.execute(statement)

    def add_files(self, rows: Iterable[FileRow]) -> None:
        self._many("add_file", rows)

    def change_file(self, row: FileRow) -> None:
        id_, _, language, package, *rest = row[:13]
        self._run("change_file", (id_, language, package, *rest))

    def mark_file(self, row: FileRow) -> None:
        self._run("mark_file", (row.id, row.size, row.mtime, row.hash, row.state, row.reason))

    def touch_file(self, file: int, mtime: int) -> None:
        self._run("touch_file", (mtime, file))

    def rename_file(self, file: int, old: str, new: str, at: int) -> None:
        self._run("rename_file", (file, new, at))
        self._run("move_history", (old, new))

    def set_stale(self, files: Iterable[int], stale: bool) -> None:
        self._many("set_stale", ((int(stale), file) for file in files))

    def drop_file(self, file: int) -> None:
        """A file and everything that was known of it, but what others call in it: they are resolved again."""
        for name in ("drop_file", "drop_text", "drop_edges"):
            self._run(name, (file,))
        for name in ("drop_symbols", "drop_extends_below"):
            self._run(name, (file, file))

    def add_texts(self, rows: Iterable[tuple[int, bytes, bytes]]) -> None:
        self._many("add_text", rows)

    def change_text(self, file: int, outline: bytes, calls: bytes) -> None:
        self._run("change_text", (file, outline, calls))

    def add_symbols(self, rows: Iterable[Sequence[Any]]) -> None:
        """For a map that is made: id, name, within, kind, start, stop, parent, at, flags."""
        self._many("add_symbol", rows)

    def put_symbols(self, rows: Iterable[Sequence[Any]]) -> None:
        """The same with `born` and `since`."""
        self._many("put_symbol", rows)

    def drop_symbol(self, id_: int) -> None:
        names = ("drop_symbol", "drop_incoming_of_symbol", "drop_extends_above", "forget_seen_target")
        for name in (*names, "forget_seen_caller"):
            self._run(name, (id_,))

    def add_edges(self, rows: Iterable[tuple[int, bytes]]) -> None:
        """For a map that is made: packed links by file."""
        self._many("set_edges", rows)

    def add_incoming(self, rows: Iterable[tuple[int, int, bytes]]) -> None:
        self._many("add_incoming", rows)

    def relink(self, file: int, links: Sequence[Link], places: Mapping[int, Sequence[Place]]) -> None:
        """Put the resolved calls of a file in the place of those before; `places` has them by target."""
        before = {link.target for link in self.links(file)}
        self._many("drop_incoming", ((target, file) for target in before))
        self._run("set_edges", (file, pack_links(links)))
        self.add_incoming((target, file, pack_places(some)) for target, some in places.items())

    def relink_packed(self, file: int, links: bytes, incoming: Iterable[tuple[int, int, bytes]]) -> None:
        """The same with what a worker has packed."""
        before = {link.target for link in self.links(file)}
        self._many("drop_incoming", ((target, file) for target in before))
        self._run("set_edges", (file, links))
        self.add_incoming(incoming)

    def set_loose(self, rows: Iterable[tuple[str, Iterable[int]]]) -> None:
        self._many("put_loose", ((name, pack_files(some)) for name, some in rows))

    def change_loose_of_many(self, gone: Mapping[str, set[int]], came: Mapping[str, set[int]]) -> None:
        """The same for many files at once: which files no longer hold a name, and which do now."""
        for name in {*gone, *came}:
            left = (set(self.loose(name)) - gone.get(name, set())) | came.get(name, set())
            if left:
                self._run("put_loose", (name, pack_files(left)))
            else:
                self._run("drop_loose", (name,))

    def change_loose(self, file: int, gone: Iterable[str], came: Iterable[str]) -> None:
        for name in gone:
            known = self.loose(name)
            left = [other for other in known if other != file]
            if left == known:
                continue
            if left:
                self._run("put_loose", (name, pack_files(left)))
            else:
                self._run("drop_loose", (name,))
        for name in came:
            self._run("put_loose", (name, pack_files({*self.loose(name), file})))

    def add_extends(self, rows: Iterable[tuple[int, int]]) -> None:
        self._many("add_extends", rows)

    def set_extends(self, file: int, rows: Iterable[tuple[int, int]]) -> None:
        self._run("drop_extends_below", (file, file))
        self.add_extends(rows)

    def add_versions(self, versions: Iterable[Version]) -> None:
        self._many("add_version", versions)

    def see(self, found: Iterable[Seen]) -> None:
        self._many("see", found)
