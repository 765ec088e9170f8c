"""The file of a map: opened when it is used, made anew beside itself and put in its place when whole.

Nothing is lost with it. So nothing waits for the disk, and a file that is damaged or of another format is dropped.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import apsw

from ...model.errors import MarrowError, NotFound, StoreDamaged, StoreLocked, Unavailable
from ..sqlite.connection import patient, statements
from .reader import MapReader, script
from .writer import MapWriter

FORMAT = 3
APPLICATION_ID = 0x4D52574D ^ 0x434F4445  # Marrow's, for code
PAGE_BYTES = 8192
CACHE_KIB = 32_000
BUSY_MS = 20_000
# Where SQLite keeps these two in a file.
_VERSION_AT, _APPLICATION_AT, _HEAD_BYTES = 60, 68, 72
CHECKPOINT_PAGES = 2000
# What a map that is whole never says; the last of it is text that is none.
_DAMAGE = (
    *(apsw.CorruptError, apsw.NotADBError, apsw.SQLError, apsw.MismatchError, apsw.ConstraintError),
    UnicodeDecodeError,
)

if sys.platform == "win32":
    import msvcrt

    def _lock(file: int) -> None:
        msvcrt.locking(file, msvcrt.LK_LOCK, 1)
else:
    import fcntl

    def _lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX)


class MapFile:
    """One map. Each thread has a connection of its own; a file that another process put in this one's place is opened
    again."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._opened: dict[int, tuple[threading.Thread, tuple[int, int], apsw.Connection]] = {}
        self._opening = threading.Lock()
        self._writing = threading.RLock()

    def exists(self) -> bool:
        return os.path.exists(self.path)  # a save that names code asks this: the quicker way

    @contextmanager
    def reading(self) -> Iterator[MapReader]:
        with self._translating():
            connection = self._connection()
            if connection.in_transaction:  # within a write of this thread: it sees what was written so far
                yield MapReader(connection)
                return
            connection.execute("BEGIN")
            try:
                yield MapReader(connection)
            finally:
                _end(connection)

    @contextmanager
    def writing(self) -> Iterator[MapWriter]:
        with self._writing, self._translating():
            connection = self._connection()
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield MapWriter(connection)
                connection.execute("COMMIT")
            except BaseException:
                _end(connection)
                raise

    @contextmanager
    def making(self) -> Iterator[tuple[Path, MapWriter]]:
        """A new map from nothing, in a file of its own that takes this one's place when all went well. It can be read
        there by others after each `MapWriter.part_done`."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        new = self.path.with_name(f"{self.path.name}.{os.getpid()}-{threading.get_ident()}.new")
        new.unlink(missing_ok=True)
        os.close(os.open(new, os.O_CREAT | os.O_RDWR, 0o600))
        connection = apsw.Connection(str(new), statementcachesize=64)
        try:
            with self._translating():
                for pragma in (f"page_size = {PAGE_BYTES}", "journal_mode = OFF", "synchronous = OFF"):
                    connection.execute(f"PRAGMA {pragma}")
                connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
                connection.set_busy_handler(patient(BUSY_MS))
                for statement in statements(script("schema.sql")):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {FORMAT}")
                connection.execute("BEGIN IMMEDIATE")
                yield new, MapWriter(connection)
                connection.execute("COMMIT")
                connection.execute("PRAGMA journal_mode = WAL")
                connection.close()
            self._take_place(new)
        finally:
            connection.close(True)
            for suffix in ("", "-wal", "-shm", "-journal"):
                Path(f"{new}{suffix}").unlink(missing_ok=True)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Only one process at a time makes a map; the others wait, and find it made."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = os.open(f"{self.path}.lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            _lock(file)
            self._clear_up()
            yield
        finally:
            os.close(file)

    def _clear_up(self) -> None:
        """Take away what a process that was killed had begun to make: only who is alone makes one."""
        for left in self.path.parent.glob(f"{self.path.name}.*.new*"):
            left.unlink(missing_ok=True)

    def drop(self) -> None:
        self.close()
        for suffix in ("", "-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)

    def close(self) -> None:
        with self._opening:
            found = list(self._opened.values())
            self._opened.clear()
        for _, _, connection in found:
            with suppress(apsw.ThreadingViolationError):
                connection.close()

    def bytes_on_disk(self) -> int:
        paths = [Path(f"{self.path}{suffix}") for suffix in ("", "-wal")]
        return sum(path.stat().st_size for path in paths if path.exists())

    def _take_place(self, new: Path) -> None:
        # The log of the file that was here belongs to that file alone.
        self.close()
        for suffix in ("-wal", "-shm"):
            Path(f"{self.path}{suffix}").unlink(missing_ok=True)
        os.replace(new, self.path)

    def _connection(self) -> apsw.Connection:
        try:
            found = os.stat(self.path)
        except FileNotFoundError:
            raise NotFound(f"There is no code map at {self.path}.", hint="memory_map makes one.") from None
        identity, me = (found.st_dev, found.st_ino), threading.get_ident()
        known = self._opened.get(me)
        if known is not None and known[1] == identity:
            return known[2]
        connection = connect(self.path)
        with self._opening:
            gone = [key for key, (thread, _, _) in self._opened.items() if not thread.is_alive() or key == me]
            for key in gone:
                with suppress(apsw.ThreadingViolationError):
                    self._opened.pop(key)[2].close()
            self._opened[me] = (threading.current_thread(), identity, connection)
        return connection

    @contextmanager
    def _translating(self) -> Iterator[None]:
        try:
            yield
        except _DAMAGE as problem:
            raise StoreDamaged(
                f"The code map {self.path} is damaged: {problem}.", hint="Ask again: it is made anew."
            ) from problem
        except (apsw.BusyError, apsw.LockedError) as problem:
            raise StoreLocked(f"{self.path} is being written by another process.", hint="Try again.") from problem
        except apsw.Error as problem:
            raise Unavailable(
                f"The code map {self.path} cannot be used: {problem}.", hint="Check the folder and the disk."
            ) from problem
        except OSError as problem:
            raise Unavailable(
                f"The code map {self.path} cannot be used: {problem.strerror or problem}.", hint="Check the folder."
            ) from problem


def connect(path: Path) -> apsw.Connection:
    """A connection to a map that is there. One of another format counts as damaged: it is of no use to us."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE, statementcachesize=128)
    try:
        connection.set_busy_handler(patient(BUSY_MS))
        for pragma in ("synchronous = OFF", "temp_store = MEMORY", f"cache_size = -{CACHE_KIB}"):
            connection.execute(f"PRAGMA {pragma}")
        connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
        application, version = connection.execute(
            "SELECT a.application_id, v.user_version FROM pragma_application_id a, pragma_user_version v"
        ).get
        if (application, version) != (APPLICATION_ID, FORMAT):
            raise StoreDamaged(f"The code map {path} has another format.", hint="Ask again: it is made anew.")
    except (apsw.Error, MarrowError):
        connection.close()
        raise
    return connection


def is_of_older_format(path: Path) -> bool:
    """Whether this is a map that was written by a version which had another format. Nothing is opened for that."""
    with open(path, "rb") as file:
        head = file.read(_HEAD_BYTES)
    application, version = (int.from_bytes(head[at : at + 4]) for at in (_APPLICATION_AT, _VERSION_AT))
    return application == APPLICATION_ID and version < FORMAT


def _end(connection: apsw.Connection) -> None:
    if connection.in_transaction:
        connection.execute("ROLLBACK")
