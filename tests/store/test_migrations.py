"""Migrations: the schema is their sum, a backup comes before the first change, and two processes do not get in each
other's way. MARROW_TEST_WRITE_SCHEMA=1 writes schema.sql anew after a migration was added."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import apsw.ext
import pytest

import marrow.store.sqlite.connection as opening
from marrow.model.errors import MarrowError, NewerFormat, ReadOnly, StoreDamaged, StoreLocked, Unavailable
from marrow.model.trace import Trace
from marrow.store.sqlite import SqliteStore
from marrow.store.sqlite.connection import Migration, migrations, statements
from marrow.store.sqlite.statements import queries

from .door import Door, picture, verify

SCHEMA = Path(opening.__file__).parent / "schema.sql"
HEADING = (
    "-- What the migrations add up to. Written by tests/store/test_migrations.py from a new store; not run by anyone.\n"
)
NEWEST = migrations()[-1].number
SECOND = Migration(NEWEST + 1, "a", "CREATE TABLE extra (\n    x TEXT\n);\nINSERT INTO extra VALUES ('second');\n")
THIRD = Migration(NEWEST + 2, "b", "-- why\nALTER TABLE extra ADD COLUMN y;\nUPDATE extra SET y = 'third';\n")
BROKEN = Migration(NEWEST + 2, "b", "UPDATE extra SET x = 'half';\nINSERT INTO no_such_table VALUES (1);\n")


def schema_of(connection: apsw.Connection) -> str:
    """Tables in the order in which they were made, each followed by its indexes; without what SQLite adds itself."""
    rows = connection.execute(
        "SELECT s.type, s.name, s.tbl_name, s.sql FROM sqlite_schema s JOIN sqlite_schema t ON t.name = s.tbl_name "
        "WHERE s.sql IS NOT NULL AND s.tbl_name NOT GLOB 'words_*' ORDER BY t.rowid, s.type <> 'table', s.rowid"
    ).fetchall()
    parts = [f"{sql};\n" if kind == "index" else f"\n{sql};\n" for kind, _, _, sql in rows]
    return HEADING + "".join(parts)


def test_checked_in_schema_is_the_sum_of_the_migrations(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "marrow.db"))
    found = schema_of(store._connection())
    store.close()
    if os.environ.get("MARROW_TEST_WRITE_SCHEMA"):
        SCHEMA.write_text(found, encoding="utf-8")
    assert found == SCHEMA.read_text(encoding="utf-8")


def test_checked_in_schema_makes_the_same_tables_by_itself() -> None:
    connection = apsw.Connection(":memory:")
    for statement in statements(SCHEMA.read_text(encoding="utf-8")):
        connection.execute(statement)
    assert schema_of(connection) == SCHEMA.read_text(encoding="utf-8")


def test_migrations_are_numbered_without_a_gap() -> None:
    assert [m.number for m in migrations()] == list(range(1, NEWEST + 1))
    assert all(m.name.startswith(f"{m.number:04}_") for m in migrations())


def test_every_named_statement_can_be_prepared(tmp_path: Path) -> None:
    """A statement that nobody runs in the tests still has to fit the schema."""
    store = SqliteStore(str(tmp_path / "marrow.db"))
    connection = store._connection()
    connection.execute("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab('main', 'words', 'row')")
    for sql in queries().values():
        count = apsw.ext.query_info(connection, sql).bindings_count
        assert connection.execute(f"EXPLAIN {sql}", (None,) * count).fetchall()
    store.close()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed store of today's format with something in it."""
    file = tmp_path / "marrow.db"
    store = SqliteStore(str(file))
    Door(store).say("Before.")
    store.close()
    return file


def backup_of(path: Path, number: int = NEWEST) -> Path:
    return Path(f"{path}.format-{number}.backup")


def extra(store: SqliteStore) -> list[tuple[object, ...]]:
    return store._connection().execute("SELECT * FROM extra").fetchall()


def test_backup_is_made_before_a_migration_and_is_what_was_there(path: Path) -> None:
    before_store = SqliteStore(str(path))
    before = picture(before_store)
    before_store.close()
    store = SqliteStore(str(path), scripts=[*migrations(), SECOND, THIRD])
    assert store._connection().pragma("user_version") == NEWEST + 2
    assert extra(store) == [("second", "third")]
    assert picture(store) == before
    Door(store).say("After.")
    verify(store)
    store.close()
    assert backup_of(path).stat().st_mode & 0o777 == 0o600
    old = SqliteStore(str(backup_of(path)), read_only=True)
    assert picture(old) == before
    old.close()
    # The next opening finds nothing to do.
    made = backup_of(path).stat()
    SqliteStore(str(path), scripts=[*migrations(), SECOND, THIRD]).close()
    assert backup_of(path).stat().st_mtime_ns == made.st_mtime_ns
    assert sorted(p.name for p in path.parent.glob("*.backup")) == [backup_of(path).name]


def test_what_is_only_in_the_log_is_in_the_backup(path: Path) -> None:
    writer = SqliteStore(str(path))
    Door(writer).say("Only in the log.")
    newer = SqliteStore(str(path), scripts=[*migrations(), SECOND])
    newer.close()
    writer.close()
    old = SqliteStore(str(backup_of(path)), read_only=True)
    assert sorted(Door.select(_reader(old))) == ["Before.", "Only in the log."]
    old.close()


def _reader(store: SqliteStore) -> Door:
    door = Door.__new__(Door)
    door.store, door.namespace, door.project, door.now = store, "local", "p", 0
    return door


def test_new_store_runs_every_migration_and_needs_no_backup(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    store = SqliteStore(str(path), scripts=[*migrations(), SECOND, THIRD])
    assert extra(store) == [("second", "third")]
    Door(store).say("Here.")
    store.close()
    assert list(tmp_path.glob("*.backup")) == []


def test_migration_that_fails_leaves_the_old_format_and_the_backup(path: Path) -> None:
    before_store = SqliteStore(str(path))
    before = picture(before_store)
    before_store.close()
    with pytest.raises((MarrowError, apsw.Error)):
        SqliteStore(str(path), scripts=[*migrations(), SECOND, BROKEN])
    store = SqliteStore(str(path))
    assert store._connection().pragma("user_version") == NEWEST
    assert picture(store) == before
    Door(store).say("Still here.")
    store.close()
    assert backup_of(path).exists()
    repaired = SqliteStore(str(path), scripts=[*migrations(), SECOND, THIRD])
    assert extra(repaired) == [("second", "third")]
    repaired.close()


def test_backup_that_the_disk_has_no_room_for_stops_the_migration_and_replaces_none(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripts = [*migrations(), SECOND]
    backup_of(path).write_bytes(b"an earlier one")

    def fill_the_disk(target: Path, source: apsw.Connection) -> None:
        target.write_bytes(b"half")
        raise apsw.FullError("no space")

    with monkeypatch.context() as patched:
        patched.setattr(opening, "copy_to", fill_the_disk)
        with pytest.raises(Unavailable, match="full"):
            SqliteStore(str(path), scripts=scripts)
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name, backup_of(path).name]
    assert backup_of(path).read_bytes() == b"an earlier one"
    opening.half_made(backup_of(path)).write_bytes(b"left by one that was killed")
    SqliteStore(str(path), scripts=scripts).close()
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name, backup_of(path).name]
    old = SqliteStore(str(backup_of(path)), read_only=True)
    assert _reader(old).select() == ["Before."]
    old.close()


def test_store_of_the_first_format_keeps_everything_and_gets_sessions(tmp_path: Path) -> None:
    path = tmp_path / "first.db"
    first = SqliteStore(str(path), scripts=migrations()[:1])
    Door(first).say("Before.", thread="s1")
    before = picture_of_the_first_format(first)
    first.close()
    store = SqliteStore(str(path))
    assert store._connection().pragma("user_version") == NEWEST
    assert picture_of_the_first_format(store) == before
    with store.writing() as writer:
        assert writer.keep_traces("local", "p", [Trace("1", 1, "codex", "s1", "prompt")]) == 1
    verify(store)
    store.close()
    old = SqliteStore(str(backup_of(path, 1)), read_only=True, as_it_is=True)
    assert picture_of_the_first_format(old) == before
    assert "traces" not in _reader(old).ask(lambda r: r.sizes())
    old.close()


def picture_of_the_first_format(store: SqliteStore) -> object:
    with store.reading() as reader:
        sizes = reader.sizes()
        return list(reader.events("local")), _reader(store).select(), sizes["nodes"], sizes["occurrences"]


def test_read_only_store_of_an_older_format_says_what_to_do(path: Path) -> None:
    with pytest.raises(ReadOnly) as caught:
        SqliteStore(str(path), read_only=True, scripts=[*migrations(), SECOND])
    assert caught.value.hint
    assert not backup_of(path).exists()


def test_store_of_an_older_format_that_was_cut_off_is_told_as_damaged_and_restored(path: Path, tmp_path: Path) -> None:
    copy = tmp_path / "whole.backup"
    shutil.copy(path, copy)
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 4096)
    store = SqliteStore(str(path), scripts=[*migrations(), SECOND])
    assert "4,096 bytes early" in store.damages()[0]
    for attempt in (lambda: _reader(store).select(), lambda: _writing(store)):
        with pytest.raises(StoreDamaged):
            attempt()
    assert not backup_of(path).exists()
    store.restore(str(copy))
    assert Door(store).select() == ["Before."]
    assert extra(store) == [("second",)]
    verify(store)
    store.close()


def test_backup_of_an_older_format_can_be_restored(path: Path) -> None:
    store = SqliteStore(str(path), scripts=[*migrations(), SECOND])
    Door(store).say("After.")
    store.restore(str(backup_of(path)))
    assert Door(store).select() == ["Before."]
    assert extra(store) == [("second",)]
    Door(store).say("Goes on.")
    verify(store)
    store.close()


def test_older_program_does_not_touch_what_a_newer_one_migrates(path: Path) -> None:
    """The older one has looked at the file already, and then the newer one is faster."""
    older = [*migrations(), SECOND]
    connection = opening.connect(str(path), False, 1000)
    assert opening.format_of(connection, str(path)) == NEWEST
    SqliteStore(str(path), scripts=[*older, THIRD]).close()
    with pytest.raises(NewerFormat):
        opening.migrate(connection, str(path), older)
    connection.close()
    store = SqliteStore(str(path), scripts=[*older, THIRD])
    assert extra(store) == [("second", "third")]
    store.close()


def test_program_that_has_the_file_open_neither_reads_nor_writes_what_a_newer_one_migrated(path: Path) -> None:
    older = SqliteStore(str(path))
    before = picture(older)
    newer = SqliteStore(str(path), scripts=[*migrations(), SECOND])
    for attempt in (lambda: _reader(older).select(), lambda: _writing(older)):
        with pytest.raises(NewerFormat) as caught:
            attempt()
        assert "start this program anew" in caught.value.hint
    assert picture(newer) == before
    newer.restore(str(backup_of(path)))  # it is migrated again at once: nothing in between is met by others
    with pytest.raises(NewerFormat):
        _writing(older)
    newer.close()
    older.close()


def test_older_backup_that_others_put_there_is_met_by_nobody_before_it_is_migrated(path: Path) -> None:
    store, other = SqliteStore(str(path)), apsw.Connection(str(path))
    other.pragma("user_version", NEWEST - 1)
    for attempt in (lambda: _reader(store).select(), lambda: _writing(store)):
        with pytest.raises(StoreLocked) as caught:
            attempt()
        assert caught.value.retryable
    other.pragma("user_version", NEWEST)
    assert _reader(store).select() == ["Before."]
    other.close()
    store.close()


def _writing(store: SqliteStore) -> None:
    with store.writing():
        pass


OPENING = """
import sys, time
from marrow.store.sqlite import SqliteStore
from marrow.store.sqlite.connection import migrations
from tests.store.door import Door
from tests.store.test_migrations import SECOND, THIRD
folder, what, name = sys.argv[1:]
scripts = [*migrations(), *([SECOND, THIRD] if what == "migrate" else [])]
print("ready", flush=True)
moment = float(sys.stdin.readline())
for number in range(int(sys.stdin.readline())):
    while time.monotonic() < moment + number * 0.04:
        pass
    store = SqliteStore(f"{folder}/{number}.db", scripts=scripts, busy_timeout_ms=60_000)
    Door(store, seed=int(name)).say("Process " + name)
    store.close()
"""
PROCESSES = 6


def open_at_once(folder: Path, what: str, files: int, environment: dict[str, str]) -> None:
    """Several processes that are loaded and ready open one file after another, each at the same moment."""
    commands = [[sys.executable, "-c", OPENING, str(folder), what, str(n)] for n in range(PROCESSES)]
    pipe = subprocess.PIPE
    children = [subprocess.Popen(c, stdin=pipe, stdout=pipe, stderr=pipe, env=environment) for c in commands]
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == b"ready\n"
    told = f"{time.monotonic() + 0.05}\n{files}\n".encode()
    with ThreadPoolExecutor(PROCESSES) as pool:
        for _, errors in pool.map(lambda child: child.communicate(told, timeout=120), children):
            assert errors == b""


def test_processes_that_open_a_new_file_at_once_make_one_store(
    tmp_path: Path, child_environment: dict[str, str]
) -> None:
    files = int(os.environ.get("MARROW_TEST_OPENINGS", "25"))
    open_at_once(tmp_path, "plain", files, child_environment)
    for number in range(files):
        store = SqliteStore(str(tmp_path / f"{number}.db"))
        verify(store)
        assert sorted(Door(store).select()) == [f"Process {n}" for n in range(PROCESSES)]
        assert store._connection().pragma("journal_mode") == "wal"
        store.close()


def test_processes_that_migrate_at_once_do_it_once_after_one_backup(
    path: Path, tmp_path: Path, child_environment: dict[str, str]
) -> None:
    files = 8
    folder = tmp_path / "old"
    folder.mkdir()
    for number in range(files):
        shutil.copy(path, folder / f"{number}.db")
    open_at_once(folder, "migrate", files, child_environment)
    for number in range(files):
        file = folder / f"{number}.db"
        store = SqliteStore(str(file), scripts=[*migrations(), SECOND, THIRD])
        assert extra(store) == [("second", "third")]
        assert len(Door(store).select()) == PROCESSES + 1
        verify(store)
        store.close()
        old = SqliteStore(str(backup_of(file)), read_only=True)
        assert _reader(old).select() == ["Before."]
        old.close()
