"""The SQLite store: one file, any number of threads and processes."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import apsw

from ...model.errors import (
    Conflict,
    Internal,
    MarrowError,
    NotFound,
    ReadOnly,
    StoreDamaged,
    StoreLocked,
    Unavailable,
)
from ...model.text import counted
from .connection import (
    Migration,
    check_unchanged,
    connect,
    copy_to,
    create_file,
    damaged,
    format_of,
    keep_a_log,
    migrations,
    prepare,
    translating,
    truncated,
)
from .rebuilt import CANONICAL, begin, fill
from .statements import SWEEP_DUE, TERMS, TERMS_FORM, queries
from .swap import REBUILDING, keep_copy, remove_left_over, set_aside, take_the_place
from .vectors import VectorCache

if TYPE_CHECKING:
    from .reader import SqliteReader
    from .writer import SqliteWriter

# How SQLite names what is wrong within an index of words.
OF_WORDS = "FTS5 table"
# What keeps a file from being checked now, and says nothing of what is in it.
PASSING = (
    apsw.BusyError,
    apsw.LockedError,
    apsw.ProtocolError,
    apsw.ConnectionClosedError,
    apsw.FullError,
    apsw.CantOpenError,
    apsw.NoMemError,
)
ILLEGIBLE = "the beginning of the file is damaged, or it is no store"
UNSWEPT = "what was erased is gone from the memory, and may still be in the file"


def _roll_back(connection: apsw.Connection) -> None:
    """End a transaction that is still open: SQLite ends some itself when they fail."""
    if connection.in_transaction:
        connection.execute("ROLLBACK")


def _unusable(path: str, problem: OSError) -> Unavailable:
    what = problem.strerror or str(problem)
    return Unavailable(f"{path} cannot be used: {what}.", hint="Check that the folder is there and yours.")


# The stores that this process has open, by file.
_OPEN_PATHS: Counter[str] = Counter()


def now_micros() -> int:
    return time.time_ns() // 1000


class _Opened(NamedTuple):
    """A connection, and whose it is."""

    connection: apsw.Connection
    thread: threading.Thread


class SqliteStore:
    """Readers never block: the file is in WAL mode. Writers queue for the one write lock. A commit is synchronised."""

    def __init__(
        self,
        path: str,
        *,
        read_only: bool = False,
        busy_timeout_ms: int = 10_000,
        scripts: Sequence[Migration] | None = None,
        vfs: str | None = None,
        as_it_is: bool = False,
        illegible: bool = False,
    ) -> None:
        file = Path(path).expanduser()
        self.path = str(file)
        self.url = f"sqlite:{self.path}"
        self.damage = ""
        self._busy_timeout_ms = busy_timeout_ms
        self._scripts = tuple(scripts or migrations())
        self._vfs = vfs
        self._is_as_it_is, self._may_be_illegible, self._is_illegible = as_it_is, illegible, False
        self._cache = VectorCache(now_micros)
        self._local = threading.local()
        self._write_lock = threading.RLock()
        self._opened: list[_Opened] = []
        self._opened_lock = threading.Lock()
        self._pid = os.getpid()
        self._is_closed = self._is_counted = False
        self.read_only = read_only
        try:
            with translating(self.path):
                self._open(file)
        except OSError as problem:
            raise _unusable(self.path, problem) from problem
        except MarrowError:
            self.close()
            raise

    def _open(self, file: Path) -> None:
        self.read_only = self.read_only or not self._can_write(file)
        try:
            self._check_and_prepare(file)
        except apsw.CorruptError as problem:
            # The file is ours and cannot be read: reads say so, `restore` can still take its place.
            self.damage, self.read_only = self.damage or str(problem), True
        except apsw.NotADBError:
            # Its first page is gone, or it never was one. Only who looks at damage, or restores, is to have it.
            if not self._may_be_illegible:
                raise
            self._let_go()
            self.damage, self.read_only, self._is_illegible = ILLEGIBLE, True, True

    def _can_write(self, file: Path) -> bool:
        if file.exists():
            return os.access(file, os.W_OK) and os.access(file.parent, os.W_OK)
        return True

    def _check_and_prepare(self, file: Path) -> None:
        if file.is_dir():
            raise Conflict(f"{self.path} is a folder.", hint="Name a file.", field="store")
        if not file.exists():
            if self.read_only:
                raise NotFound(f"There is no store at {self.path}.", hint="`marrow init` makes one.", field="store")
            create_file(file)
        # Looking into a file that this process has open elsewhere would drop the locks that SQLite holds on it.
        self.damage = "" if _OPEN_PATHS[os.path.realpath(file)] else truncated(file)
        if self.damage:
            # What is still there is worth reading; nothing may be written over it.
            self.read_only = True
        connection = self._connection()
        if self._is_as_it_is:
            self._scripts = self._scripts_of(connection)
        if self.damage and format_of(connection, self.path) < self._scripts[-1].number:
            # It cannot be migrated any more, and its format is not read here: there is only `restore`.
            self._let_go()
            self._is_illegible = True
            return
        prepare(connection, self.path, self._scripts, self.read_only, self._busy_timeout_ms)
        self._count()

    def _count(self) -> None:
        if not self._is_counted:
            _OPEN_PATHS[os.path.realpath(self.path)] += 1
            self._is_counted = True

    def _connection(self) -> apsw.Connection:
        """This thread's own connection."""
        self._check_use()
        if self._is_illegible:
            raise damaged(self.path, self.damage)
        mine = getattr(self._local, "connection", None)
        if mine is None:
            mine = connect(
                self.path, self.read_only, self._busy_timeout_ms, vfs=self._vfs, ends_early=bool(self.damage)
            )
            self._local.connection = mine
            self._close_where(lambda opened: not opened.thread.is_alive())
            with self._opened_lock:
                self._opened.append(_Opened(mine, threading.current_thread()))
        return mine

    def _check_use(self) -> None:
        """A store that came through a fork is not usable: SQLite keeps its locks by process, so the child would write
        as if it held the parent's."""
        if os.getpid() != self._pid:
            raise Unavailable(
                f"{self.path} was opened before this process was forked.", hint="Call marrow.open() in the child."
            )
        if self._is_closed:
            raise Unavailable(f"{self.path} was closed.", hint="Open it again.")

    def _close_where(self, is_due: Callable[[_Opened], bool]) -> None:
        """Close connections that are no longer needed: those of threads that have ended, or all."""
        with self._opened_lock:
            due = [opened for opened in self._opened if is_due(opened)]
            self._opened = [opened for opened in self._opened if opened not in due]
        for opened in due:
            # One that another thread is using right now goes when that thread lets go of it.
            with suppress(apsw.ThreadingViolationError):
                opened.connection.close()

    def known_as(self, namespace: str, names: Sequence[str]) -> str | None:
        with translating(self.path):
            connection, statement = self._connection(), queries()["project_named"]
            known = (connection.execute(statement, {"namespace": namespace, "name": name}).get for name in names)
            return next((str(found) for found in known if found is not None), None)

    @contextmanager
    def reading(self) -> Iterator[SqliteReader]:
        from .reader import SqliteReader

        with translating(self.path):
            connection = self._connection()
            if connection.in_transaction:
                # A read inside a write of the same thread sees what it has written so far; nobody else may yet.
                if (writer := getattr(self._local, "writer", None)) is not None:
                    writer.finish()
                yield SqliteReader(connection, VectorCache(now_micros), self.path, keeps=False)
                return
            connection.execute("BEGIN")
            try:
                check_unchanged(connection, self.path, self._scripts[-1].number)
                yield SqliteReader(connection, self._cache, self.path)
            finally:
                _roll_back(connection)

    @contextmanager
    def writing(self) -> Iterator[SqliteWriter]:
        from .writer import SqliteWriter

        self._check_use()
        if self.damage:
            raise damaged(self.path, self.damage)
        if self.read_only:
            raise ReadOnly(f"{self.path} is open for reading only.", hint="Check the permissions of the file.")
        with self._write_lock, translating(self.path):
            connection = self._connection()
            if connection.in_transaction:
                raise Internal("A write was begun inside a read or a write of the same thread.", hint="Report this.")
            connection.execute("BEGIN IMMEDIATE")
            try:
                check_unchanged(connection, self.path, self._scripts[-1].number)
                # Its own cache: vectors that are not committed yet, or never will be, are nobody else's business.
                writer = SqliteWriter(connection, VectorCache(now_micros), self.path, keeps=False)
                known, self._local.known = getattr(self._local, "known", None), None
                self._local.writer = writer.begin(known)
                yield writer
                writer.finish()
                connection.execute("COMMIT")
                self._local.known = writer.known()
            except BaseException:
                _roll_back(connection)
                raise
            finally:
                self._local.writer = None

    def close(self) -> None:
        if os.getpid() == self._pid and not self._is_closed:
            self._let_go()
            _OPEN_PATHS[os.path.realpath(self.path)] -= self._is_counted
        self._is_closed = True

    def _let_go(self) -> None:
        self._close_where(lambda opened: True)
        self._local = threading.local()
        self._cache.forget()

    def backup(self, path: str) -> None:
        target = Path(path).expanduser()
        if target.exists():
            raise Conflict(f"{path} is there already.", hint="Name a new file for the backup.", field="path")
        try:
            with translating(str(target)):
                copy_to(target, self._connection())
        except MarrowError:
            target.unlink(missing_ok=True)
            raise
        except OSError as problem:
            raise _unusable(path, problem) from problem

    def restore(self, path: str, kept: str = "") -> None:
        source = Path(path).expanduser()
        if not source.is_file():
            raise NotFound(f"There is no backup at {path}.", hint="Check the path.", field="path")
        if self.read_only and not self.damage:
            raise ReadOnly(f"{self.path} is open for reading only.", hint="Check the permissions of the file.")
        checked = SqliteStore(str(source), read_only=True, scripts=self._scripts, as_it_is=True)
        found = checked.damages()
        checked.close()
        if found:
            raise StoreDamaged(f"The backup is damaged: {found[0]}.", hint="Take another one.")
        with self._write_lock, translating(self.path), self._within_room():
            self._let_go()
            if self.damage:
                set_aside(self.path, kept or f"{self.path}.damaged")
                create_file(Path(self.path))
                self.damage, self.read_only, self._is_illegible, kept = "", False, False, ""
            else:
                keep_a_log(self._connection(), self._busy_timeout_ms)  # else nobody could copy what is replaced
            with closing(apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READONLY)) as original:
                take_the_place(self._connection(), self.path, original, lambda: keep_copy(self.path, kept))
            self._connection().pragma("journal_mode", "wal")
            prepare(self._connection(), self.path, self._scripts, self.read_only, self._busy_timeout_ms)
            self._count()  # what was damaged may not have been, and now it is open as any other
        # Numbers of projects and entries may now mean something else: every process must read them anew.
        with self.writing() as writer:
            writer.new_epoch()

    @contextmanager
    def _within_room(self) -> Iterator[None]:
        """What the disk refuses, in words."""
        try:
            yield
        except OSError as problem:
            raise _unusable(self.path, problem) from problem

    def _scripts_of(self, connection: apsw.Connection) -> tuple[Migration, ...]:
        """Those that a file has seen. An older backup is read as it is, and migrated once it is in its place."""
        format_ = format_of(connection, self.path)
        return tuple(script for script in self._scripts if script.number <= format_) or self._scripts

    def problems(self) -> list[str]:
        if self.damage:
            return [self.damage]
        found = self._integrity("20")
        if found:
            return found
        with self.reading() as reader:
            words, vectors = reader.unindexed()
            has_vectors = (reader.vector_model() or ("", 0))[1] > 0
            is_unswept = reader.fact(SWEEP_DUE) is not None
        if words:
            found.append(f"the keyword index lacks {counted(len(words), 'entry')}")
        if vectors and has_vectors:
            found.append(f"{counted(len(vectors), 'entry')} without a vector")
        if is_unswept:
            found.append("an erasure is not finished: free pages or the log may still hold what was erased")
        return found

    def has_old_words(self) -> bool:
        with self.reading() as reader:
            return reader.fact(TERMS) != TERMS_FORM

    def note_new_words(self) -> None:
        with self.writing() as writer:
            writer.note_terms(TERMS_FORM)

    def damages(self) -> list[str]:
        if self.damage:
            return [self.damage]
        return [line for table in CANONICAL for line in self._integrity(table)]

    def _integrity(self, what: str) -> list[str]:
        """SQLite's own check, of one table or of everything with so many complaints at most."""
        with translating(self.path):
            try:
                lines = [line for (line,) in self._connection().execute(f"PRAGMA integrity_check({what})")]
            except PASSING:
                raise
            except apsw.Error as problem:
                lines = [str(problem)]
        return [f"the file: {line}" for line in lines if line != "ok"]

    def is_broken(self) -> bool:
        """An index of words that is wrong in itself lies in sound pages: it can be emptied."""
        return not self.damage and any(OF_WORDS not in line for line in self._integrity("20"))

    def rebuild(self, kept: str, complete: Callable[[str], None]) -> Sequence[str]:
        if self.read_only:
            raise ReadOnly(f"{self.path} is open for reading only.", hint="Check the permissions of the file.")
        lost: list[str] = []
        fresh = Path(f"{self.path}.{os.getpid()}{REBUILDING}")

        def build() -> None:
            keep_copy(self.path, kept)
            with closing(connect(self.path, True, self._busy_timeout_ms)) as source:
                source.execute("BEGIN")
                lost.extend(fill(connection, source))
            complete(str(fresh))

        remove_left_over(self.path)
        try:
            create_file(fresh)
            with (
                self._write_lock,
                translating(self.path),
                self._within_room(),
                closing(apsw.Connection(str(fresh))) as connection,
            ):
                self._let_go()
                keep_a_log(self._connection(), self._busy_timeout_ms)
                begin(connection, self._connection(), str(fresh), self._scripts)
                take_the_place(self._connection(), self.path, connection, build)
                self._connection().wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        finally:
            for suffix in ("", "-wal", "-shm", "-journal"):
                Path(f"{fresh}{suffix}").unlink(missing_ok=True)
        with self.writing() as writer:
            writer.new_epoch()
        return lost

    def copies(self) -> list[str]:
        here = Path(self.path)
        return sorted(
            str(found) for end in ("*.backup", f"*{REBUILDING}") for found in here.parent.glob(here.name + end)
        )

    def sweep(self) -> None:
        """Merging the index drops what was removed from it; rebuilding the file leaves nothing in free pages; the log
        is emptied. Each step waits for the readers of other processes. That it is due is noted in the file until it is
        done, so that a crash or a reader that stays does not make it forgotten."""
        try:
            with self._write_lock, translating(self.path):
                connection = self._connection()
                connection.execute(queries()["merge_words"])
                connection.execute("VACUUM")
                connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
                connection.execute(queries()["drop_fact"], (SWEEP_DUE,))
                remove_left_over(self.path)
        except StoreLocked as problem:
            raise StoreLocked(
                f"{self.path} is in use: {UNSWEPT}.",
                hint="`marrow doctor --repair` finishes it when nothing else has the store open.",
            ) from problem
        except Unavailable as problem:
            if isinstance(problem, StoreDamaged):
                raise
            # What was erased is so already: that nothing was changed is true of this step alone.
            raise Unavailable(
                f"{self.path} could not be rebuilt, for want of space or because the disk failed: {UNSWEPT}.",
                hint="Free as much space as the store has; then `marrow doctor --repair` finishes it.",
            ) from problem
