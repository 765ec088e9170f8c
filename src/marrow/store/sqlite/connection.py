"""Opening a file: is it ours, can we read it, is it of our format; and SQLite's errors as Marrow's."""

from __future__ import annotations

import itertools
import operator
import os
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import apsw

from ...model.errors import (
    MarrowError,
    NewerFormat,
    NotAStore,
    ReadOnly,
    StoreDamaged,
    StoreLocked,
    Unavailable,
)
from .statements import FOLDER, TERMS, TERMS_FORM

APPLICATION_ID = 0x4D52574D  # "MRWM"
PAGE_BYTES_OFFSET, PAGE_COUNT_OFFSET = 16, 28
CHECKPOINT_PAGES = 4000
# How often what a query asks for occurs in a text. Called for every text that holds a word: nothing answers faster.
_INSTANCES: Any = operator.attrgetter("inst_count")


class Migration(NamedTuple):
    number: int
    name: str
    sql: str


def migrations() -> tuple[Migration, ...]:
    """The numbered scripts, in order. The format of a store is the number of the last one that ran on it."""
    found = sorted(FOLDER.joinpath("migrations").glob("*.sql"))
    return tuple(Migration(int(p.name[:4]), p.name, p.read_text(encoding="utf-8")) for p in found)


class translating:  # noqa: N801  it stands in `with` as a function would, in a third of the time
    """SQLite's errors as Marrow's, once."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> None:
        return

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, at: object) -> None:
        if isinstance(problem, apsw.Error) and (translated := _translated(self.path, problem)) is not None:
            raise translated from problem


def _translated(path: str, problem: apsw.Error) -> MarrowError | None:
    if isinstance(problem, apsw.BusyError | apsw.LockedError | apsw.ProtocolError):
        return StoreLocked(f"{path} is being written by another process.", hint="Try again; it is free in a moment.")
    if isinstance(problem, apsw.ConnectionClosedError):  # by who put another file in its place, while this one read
        return StoreLocked(f"{path} was put anew while it was read.", hint="Try again.")
    if isinstance(problem, apsw.ReadOnlyError):
        return ReadOnly(f"{path} cannot be written.", hint="Check the permissions of the file and its folder.")
    if isinstance(problem, apsw.NotADBError):
        return not_a_store(path, " If it was one, see `marrow doctor`.")
    if isinstance(problem, apsw.CorruptError):
        return damaged(path, str(problem))
    if isinstance(problem, apsw.FullError):
        return Unavailable(f"The disk with {path} is full; nothing was changed.", hint="Free some space.")
    if isinstance(problem, apsw.IOError | apsw.CantOpenError | apsw.AuthError | apsw.PermissionsError):
        return Unavailable(f"{path} cannot be used: {problem}.", hint="Check that the folder is there and yours.")
    return None


def not_a_store(path: str, also: str = "") -> NotAStore:
    hint = f"Name another file with MARROW_STORE; nothing was changed.{also}"
    return NotAStore(f"{path} is not a Marrow store.", hint=hint)


def damaged(path: str, what: str) -> StoreDamaged:
    return StoreDamaged(
        f"{path} is damaged: {what}.",
        hint="`marrow doctor` says what can be repaired; `marrow restore` takes a backup.",
    )


def connect(
    path: str, read_only: bool, busy_timeout_ms: int, *, vfs: str | None = None, ends_early: bool = False
) -> apsw.Connection:
    """A connection with our settings. One a thread. `vfs` names another way to the disk, which may have no shared
    memory: the file is then this connection's alone. `ends_early` reads what is there of a file that was cut off."""
    connection = _open(path, read_only, vfs, ends_early)
    if vfs is not None:
        connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.set_busy_handler(patient(busy_timeout_ms))
    # EXTRA is FULL and one thing more: the rollback journal with which a new file begins is surely gone before anything
    # is written to the log. If it came back with the power, it would undo everything.
    for pragma in ("synchronous = EXTRA", "foreign_keys = OFF", "temp_store = MEMORY", "cache_size = -32000"):
        connection.execute(f"PRAGMA {pragma}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
    connection.create_scalar_function("fold", _fold, 1, deterministic=True)
    connection.create_scalar_function("has_fields", _has_fields, 2, deterministic=True)
    connection.register_fts5_function("instances", _INSTANCES)
    return connection


def _open(path: str, read_only: bool, vfs: str | None, ends_early: bool) -> apsw.Connection:
    if not read_only:
        return apsw.Connection(path, statementcachesize=256, vfs=vfs)
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY, statementcachesize=256, vfs=vfs)
    if ends_early:
        # Without this SQLite refuses such a file as a whole. It is open for reading only, so nothing else comes of it.
        connection.execute("PRAGMA writable_schema = ON")
    try:
        connection.execute("SELECT 1 FROM sqlite_schema").fetchall()
    except (apsw.CantOpenError, apsw.ReadOnlyError) as problem:
        # A folder that cannot be written has no place for SQLite's shared index of the log: read the file as it is,
        # unless there is a log, which would then be passed over in silence.
        connection.close()
        if _has_log(path):
            raise Unavailable(
                f"{path} has a log that cannot be read from here.", hint="Open it once where its folder can be written."
            ) from problem
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        connection = apsw.Connection(f"{Path(path).resolve().as_uri()}?immutable=1", flags=flags)
    return connection


def patient(timeout_ms: int) -> Callable[[int], bool]:
    """A busy handler: writers queue with short uneven waits, so that none of them starves."""
    started = 0.0

    def wait(tries: int) -> bool:
        nonlocal started
        if tries == 0:
            started = time.monotonic()
        if (time.monotonic() - started) * 1000 > timeout_ms:
            return False
        share = os.urandom(1)[0] / 255
        time.sleep(0.0002 + share * (0.0018 + min(tries, 10) * 0.0005))
        return True

    return wait


def _fold(*given: object) -> str:
    return str(given[0]).lower()


def _has_fields(*given: object) -> bool:
    """SQLite reads JSON's true as 1 and loses digits of long numbers: the filter's own meaning is asked instead."""
    from ...model.record import has_fields_in_text

    metadata, asked = given
    return has_fields_in_text(str(metadata), str(asked))


def create_file(path: Path) -> None:
    """An empty file that only its owner can read, in a folder that only its owner can enter."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def prepare(
    connection: apsw.Connection, path: str, scripts: Sequence[Migration], read_only: bool, busy_timeout_ms: int
) -> None:
    """Make the file a store of our format, or say why it cannot be one."""
    newest = scripts[-1].number
    format_ = format_of(connection, path)
    _check_known(path, format_, newest)
    if format_ == newest:
        return
    if read_only:
        raise ReadOnly(
            f"{path} has format {format_} and cannot be brought to {newest}: it is read-only.",
            hint="Open it once where it can be written.",
        )
    if not format_:
        keep_a_log(connection, busy_timeout_ms)
    migrate(connection, path, scripts)


def keep_a_log(connection: apsw.Connection, busy_timeout_ms: int) -> None:
    """Turn on the log. SQLite does not wait for others here by itself; whoever is first does it for all."""
    wait = patient(busy_timeout_ms)
    for tries in itertools.count():
        try:
            connection.execute("PRAGMA journal_mode = WAL")
        except apsw.BusyError:
            if not wait(tries):
                raise
        else:
            return


def _check_known(path: str, format_: int, newest: int) -> None:
    if format_ > newest:
        raise NewerFormat(
            f"{path} has format {format_}; this Marrow knows formats up to {newest}.", hint="Upgrade Marrow."
        )


def check_unchanged(connection: apsw.Connection, path: str, newest: int) -> None:
    """Within a transaction: since the file was opened, a newer program may have migrated it, or `restore` may have put
    a backup of an older format there, which it migrates in a moment."""
    format_ = connection.execute("PRAGMA user_version").get
    if format_ > newest:
        raise NewerFormat(
            f"{path} has format {format_} by now; this Marrow knows formats up to {newest}.",
            hint="Upgrade Marrow; if you have, start this program anew.",
        )
    if format_ < newest:
        raise StoreLocked(
            f"{path} was put anew from a backup of format {format_}, and is not brought to {newest} yet.",
            hint="Try again; if it stays so, start this program anew.",
        )


def format_of(connection: apsw.Connection, path: str) -> int:
    """The number of the last migration that ran on a file; 0 for an empty one. Raises NotAStore for anything else."""
    # One statement, one view: another process may be making the tables at this moment.
    application, version, tables = connection.execute(
        "SELECT a.application_id, v.user_version, (SELECT count(*) FROM sqlite_schema) "
        "FROM pragma_application_id a, pragma_user_version v"
    ).get
    if application != APPLICATION_ID and (application or tables):
        raise not_a_store(path)
    return int(version)


def migrate(connection: apsw.Connection, path: str, scripts: Sequence[Migration]) -> None:
    """Run what is still to run, in one transaction: another process that opens the file now waits and finds it done.
    Only then is it certain what has run and what a backup would hold."""
    newest = scripts[-1].number
    connection.execute("BEGIN IMMEDIATE")
    try:
        done = format_of(connection, path)
        _check_known(path, done, newest)
        if 0 < done < newest:
            _backup_before(path, done)
        for script in scripts:
            if script.number > done:
                for statement in statements(script.sql):
                    connection.execute(statement)
        if not done:
            connection.execute("INSERT INTO facts (name, value) VALUES (?, ?)", (TERMS, TERMS_FORM))
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {newest}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:  # A full disk has rolled it back already.
            connection.execute("ROLLBACK")
        raise


def statements(script: str) -> Iterator[str]:
    """The statements of a script, one by one: several in one call would stop at the first that returns a row."""
    lines: list[str] = []
    for line in script.splitlines():
        if line.strip() and not line.lstrip().startswith("--"):
            lines.append(line)
        if line.rstrip().endswith(";"):
            yield "\n".join(lines)
            lines = []


def _backup_before(path: str, format_: int) -> None:
    """What the file holds before it is changed, beside it, for its owner alone. It gets its name when it is whole: an
    earlier one is not given up for half of one. Nobody else makes one meanwhile, since the lock is held."""
    target = Path(f"{path}.format-{format_}.backup")
    making = half_made(target)
    _remove(making)
    source = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
    try:
        copy_to(making, source)
        making.replace(target)
    finally:
        source.close()
        _remove(making)


def half_made(backup: Path) -> Path:
    return backup.with_name(f"{backup.name}.partial")


def _remove(file: Path) -> None:
    for suffix in ("", "-journal"):  # one that was killed leaves both
        file.with_name(file.name + suffix).unlink(missing_ok=True)


def copy_to(target: Path, source: apsw.Connection) -> None:
    """Everything that a connection sees, as one new file without a log, for its owner alone."""
    create_file(target)
    copy = apsw.Connection(str(target))
    try:
        copy.execute("PRAGMA synchronous = EXTRA")
        with copy.backup("main", source, "main") as backup:
            backup.step()
        copy.pragma("journal_mode", "delete")
    finally:
        copy.close()


def _has_log(path: str) -> bool:
    try:
        return Path(f"{path}-wal").stat().st_size > 0
    except FileNotFoundError:  # the last of others to close it takes it away, at any moment
        return False


def truncated(path: Path) -> str:
    """What is missing at the end of the file, in words; empty when nothing is.

    Only a file whose log is empty can be judged: otherwise its last pages may be in the log.
    """
    if _has_log(str(path)):
        return ""
    with path.open("rb") as file:
        header = file.read(100)
    if len(header) < 100 or not header.startswith(b"SQLite format 3\x00"):
        return ""
    page = int.from_bytes(header[PAGE_BYTES_OFFSET : PAGE_BYTES_OFFSET + 2])
    pages = int.from_bytes(header[PAGE_COUNT_OFFSET : PAGE_COUNT_OFFSET + 4])
    expected = pages * (65536 if page == 1 else page)
    size = path.stat().st_size
    return f"the file ends {expected - size:,} bytes early" if size < expected else ""
