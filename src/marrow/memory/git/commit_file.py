"""The file that the index of commits is kept in: one for a repository, beside the store. It can be made again from git
at any time, so nothing waits for the disk, and a file that is damaged or of another format is dropped."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from ...model.errors import StoreDamaged, StoreLocked, Unavailable
from ...store.sqlite.connection import keep_a_log
from .segment import Segment, segment_from

FORMAT = 1
APPLICATION_ID = 0x4D52574D ^ 0x434D4954  # Marrow's, for commits
BUSY_MS = 10_000
_SCHEMA = """
CREATE TABLE kept (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE commits (
    number  INTEGER PRIMARY KEY,
    hash    BLOB NOT NULL UNIQUE,
    at      INTEGER NOT NULL,
    author  TEXT NOT NULL,
    subject TEXT NOT NULL,
    body    TEXT NOT NULL
);
CREATE TABLE paths (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE);
CREATE TABLE touched (
    path   INTEGER NOT NULL,
    number INTEGER NOT NULL,
    what   TEXT NOT NULL,
    other  INTEGER,
    PRIMARY KEY (path, number)
) WITHOUT ROWID;
CREATE TABLE segments (
    first    INTEGER PRIMARY KEY,
    count    INTEGER NOT NULL,
    terms    BLOB NOT NULL,
    starts   BLOB NOT NULL,
    postings BLOB NOT NULL,
    lengths  BLOB NOT NULL,
    vectors  BLOB NOT NULL
);
CREATE TABLE heads (
    tree    TEXT PRIMARY KEY,
    head    TEXT NOT NULL,
    shallow TEXT NOT NULL,
    last    INTEGER NOT NULL,
    missing BLOB NOT NULL
) WITHOUT ROWID;
"""
_CONNECTIONS_MAX = 32


class Row(NamedTuple):
    """A commit as it is kept. `hash` in full."""

    number: int
    hash: str
    at: int
    author: str
    subject: str
    body: str


class Touch(NamedTuple):
    """What a commit did to a file, with git's letters, and `r` for a file that went to another name: `other`."""

    number: int
    what: str
    other: str


class Stand(NamedTuple):
    """Up to which commit a working tree has been read, and the numbers of the commits that are not in its history: of
    those up to `last`. What other trees added since then is not in it either."""

    tree: str
    head: str
    shallow: str
    last: int
    missing: frozenset[int]


class CommitFile:
    """Each thread has a connection of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._opened: dict[int, tuple[threading.Thread, apsw.Connection]] = {}
        self._opening = threading.Lock()

    def exists(self) -> bool:
        return self.path.exists()

    @contextmanager
    def reading(self) -> Iterator[CommitReader]:
        with self._translating():
            connection = self._connection()
            connection.execute("BEGIN")
            try:
                yield CommitReader(connection)
            finally:
                _end(connection)

    @contextmanager
    def writing(self) -> Iterator[CommitWriter]:
        with self._translating():
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield CommitWriter(connection)
                connection.execute("COMMIT")
            except BaseException:
                _end(connection)
                raise

    def close(self) -> None:
        with self._opening:
            for _, connection in self._opened.values():
                with suppress(apsw.Error):
                    connection.close()
            self._opened.clear()

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except (apsw.BusyError, apsw.LockedError) as problem:
            raise StoreLocked("Another process is reading the history into the index.", hint="Try again.") from problem
        except (apsw.NotADBError, apsw.CorruptError) as problem:
            self._drop()
            raise StoreDamaged(
                "The index of commits was damaged and has been dropped.", hint="Ask again: it is made anew."
            ) from problem
        except apsw.Error as problem:
            raise Unavailable(f"The index of commits cannot be used: {problem}.", hint="Check the disk.") from problem

    def _connection(self) -> apsw.Connection:
        with self._opening:
            for key, (thread, old) in list(self._opened.items()):
                if not thread.is_alive():
                    old.close()
                    del self._opened[key]
            mine = threading.get_ident()
            if mine not in self._opened:
                self._opened[mine] = (threading.current_thread(), self._open())
            return self._opened[mine][1]

    def _open(self) -> apsw.Connection:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as problem:
            raise Unavailable(
                f"The folder {self.path.parent} cannot be made: {problem.strerror}.", hint="Check its permissions."
            ) from problem
        connection = _connect(self.path)
        if _format(connection) not in (0, FORMAT):
            connection.close()
            self._drop_files()
            connection = _connect(self.path)
        if _format(connection) == 0:
            connection.execute("BEGIN IMMEDIATE")
            if _format(connection) == 0:  # nobody was faster
                connection.execute(_SCHEMA)
                connection.execute(f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={FORMAT}")
            connection.execute("COMMIT")
        return connection

    def _drop(self) -> None:
        self.close()
        self._drop_files()

    def _drop_files(self) -> None:
        for suffix in ("", "-wal", "-shm"):
            with suppress(OSError):
                os.unlink(f"{self.path}{suffix}")


def _connect(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.set_busy_timeout(BUSY_MS)
    connection.execute("PRAGMA page_size=8192")
    keep_a_log(connection, BUSY_MS)
    for pragma in ("synchronous=OFF", "cache_size=-16000"):
        connection.execute(f"PRAGMA {pragma}")
    with suppress(OSError):
        os.chmod(path, 0o600)
    return connection


def _format(connection: apsw.Connection) -> int:
    found: int = connection.pragma("user_version")
    return found


def _end(connection: apsw.Connection) -> None:
    if connection.in_transaction:
        with suppress(apsw.Error):
            connection.execute("ROLLBACK")


class CommitReader:
    def __init__(self, connection: apsw.Connection) -> None:
        self._db = connection

    def kept(self, name: str) -> str:
        found = self._db.execute("SELECT value FROM kept WHERE name = ?", (name,)).fetchone()
        return str(found[0]) if found else ""

    def last(self) -> int:
        """The number of the last commit: they count from 1, without gaps."""
        return int(self._db.execute("SELECT coalesce(max(number), 0) FROM commits").get)

    def stand(self, tree: str) -> Stand | None:
        """Of this tree, or else of any other: to go on from there is shorter than from the beginning. As it is now."""
        statement = "SELECT tree, head, shallow, last, missing FROM heads ORDER BY tree <> ? LIMIT 1"
        found: Any = self._db.execute(statement, (tree,)).fetchone()
        if found is None:
            return None
        tree_, head, shallow, known, packed = found
        last = self.last()
        return Stand(tree_, head, shallow, last, _numbers(packed).union(range(known + 1, last + 1)))

    def numbers(self, hashes: Sequence[str]) -> dict[str, int]:
        found = {}
        for one in hashes:
            row = self._db.execute("SELECT number FROM commits WHERE hash = ?", (bytes.fromhex(one),)).fetchone()
            if row:
                found[one] = int(row[0])
        return found

    def begins(self, prefix: str, limit: int) -> list[int]:
        """The commits whose hashes begin so."""
        low = bytes.fromhex(prefix + "0" * (len(prefix) % 2))
        high = bytes.fromhex(prefix.ljust(64, "f"))
        statement = "SELECT number FROM commits WHERE hash BETWEEN ? AND ? LIMIT ?"
        return [row[0] for row in self._db.execute(statement, (low, high, limit))]

    def rows(self, numbers: Sequence[int]) -> list[Row]:
        """In the order given."""
        statement = "SELECT number, hex(hash), at, author, subject, body FROM commits WHERE number = ?"
        rows = [self._db.execute(statement, (number,)).fetchone() for number in numbers]
        return [Row(row[0], row[1].lower(), *row[2:]) for row in rows if row]

    def segments(self, after: int) -> list[tuple[Segment, int, bytes]]:
        """Those whose first commit comes after this one: each with its number of commits and its vectors."""
        columns = "first, count, vectors, terms, starts, postings, lengths"
        statement = f"SELECT {columns} FROM segments WHERE first > ? ORDER BY first"
        rows: list[Any] = self._db.execute(statement, (after,)).fetchall()
        return [(segment_from(row[0], *row[3:]), row[1], row[2]) for row in rows]

    def segment_sizes(self) -> list[tuple[int, int]]:
        """The first commit of each, and how many it has."""
        return [(row[0], row[1]) for row in self._db.execute("SELECT first, count FROM segments ORDER BY first")]

    def touches(self, path: str, below: int, limit: int) -> list[Touch]:
        statement = (
            "SELECT touched.number, touched.what, coalesce(others.path, '') FROM touched "
            "JOIN paths ON paths.id = touched.path LEFT JOIN paths AS others ON others.id = touched.other "
            "WHERE paths.path = ? AND touched.number < ? ORDER BY touched.number DESC LIMIT ?"
        )
        return [Touch(*row) for row in self._db.execute(statement, (path, below, limit))]


class CommitWriter(CommitReader):
    def keep(self, name: str, value: str) -> None:
        self._db.execute("INSERT OR REPLACE INTO kept VALUES (?, ?)", (name, value))

    def add(self, rows: Sequence[Row], files: Sequence[Sequence[tuple[str, str, str]]]) -> None:
        self._db.executemany(
            "INSERT INTO commits VALUES (?, ?, ?, ?, ?, ?)",
            [(row.number, bytes.fromhex(row.hash), *row[2:]) for row in rows],
        )
        known: dict[str, int] = {}
        touched: list[tuple[int, int, str, int | None]] = []
        for row, some in zip(rows, files, strict=True):
            for what, path, before in some:
                this = self._path(known, path)
                other = self._path(known, before) if before else None
                touched.append((this, row.number, what, other))
                if other is not None and what == "R":
                    touched.append((other, row.number, "r", this))
        self._db.executemany("INSERT OR IGNORE INTO touched VALUES (?, ?, ?, ?)", touched)

    def _path(self, known: dict[str, int], path: str) -> int:
        found = known.get(path)
        if found is None:
            row = self._db.execute("SELECT id FROM paths WHERE path = ?", (path,)).fetchone()
            if row is None:
                self._db.execute("INSERT INTO paths (path) VALUES (?)", (path,))
            found = known[path] = int(row[0]) if row else self._db.last_insert_rowid()
        return found

    def empty(self) -> None:
        for table in ("commits", "paths", "touched", "segments", "heads"):
            self._db.execute(f"DELETE FROM {table}")

    def add_segment(self, segment: Segment, count: int, vectors: bytes) -> None:
        self._db.execute(
            "INSERT INTO segments VALUES (?, ?, ?, ?, ?, ?, ?)", (segment.first, count, *segment.blobs(), vectors)
        )

    def drop_segments(self, first: int) -> None:
        self._db.execute("DELETE FROM segments WHERE first >= ?", (first,))

    def stand_at(self, stand: Stand) -> None:
        packed = ",".join(map(str, sorted(stand.missing))).encode()
        self._db.execute("INSERT OR REPLACE INTO heads VALUES (?, ?, ?, ?, ?)", (*stand[:4], packed))


def _numbers(packed: bytes) -> frozenset[int]:
    return frozenset(int(number) for number in bytes(packed).split(b",") if number)
