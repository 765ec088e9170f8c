"""Bad files, full disks, permissions: each an error that says what, where and what to do, and nothing changed."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from marrow.model.errors import (
    Conflict,
    Invalid,
    MarrowError,
    NewerFormat,
    NotAStore,
    NotFound,
    ReadOnly,
    StoreDamaged,
    Unavailable,
)
from marrow.store import open_store
from marrow.store.sqlite import SqliteStore
from marrow.store.sqlite.connection import APPLICATION_ID, migrations

from .door import Door, picture, verify


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "marrow.db"


def made(path: Path, count: int = 30) -> dict[str, str]:
    """A closed store with some nodes in it; contents by address."""
    store = SqliteStore(str(path))
    door = Door(store)
    told = {door.say(f"Fact {n}. " + f"word{n} " * 200): f"Fact {n}." for n in range(count)}
    store.close()
    assert not Path(f"{path}-wal").exists()
    return told


def state(folder: Path) -> dict[str, str]:
    """The files of a folder by their content. A reader of a log leaves an empty one and an index behind: no change."""
    files = [p for p in sorted(folder.iterdir()) if p.is_file() and not p.name.endswith("-shm")]
    kept = [p for p in files if not (p.name.endswith("-wal") and p.stat().st_size == 0)]
    return {p.name: hashlib.sha256(p.read_bytes()).hexdigest() for p in kept}


def check_refused(path: Path, error: type[MarrowError], exit_code: int) -> MarrowError:
    """Opening fails in this way, says where, gives a hint, and leaves the folder as it was."""
    before = state(path.parent)
    for read_only in (False, True):
        with pytest.raises(error) as caught:
            SqliteStore(str(path), read_only=read_only)
        assert type(caught.value) is error
        assert caught.value.exit_code == exit_code
        assert str(path) in caught.value.message
        assert caught.value.hint
    assert state(path.parent) == before
    return caught.value


# What is no store


@pytest.mark.parametrize(
    "content",
    [b"just text\n", b"x" * 5000, b"SQLite format 3", b"PK\x03\x04" * 300, b"SQLite format 3\x00" + b"\xff" * 8000],
)
def test_file_of_another_kind_is_no_store(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    check_refused(path, NotAStore, 65)


@pytest.mark.parametrize("application_id", [0, 7])
def test_other_database_is_no_store(path: Path, application_id: int) -> None:
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')")
    other.pragma("application_id", application_id)
    other.pragma("user_version", 1)
    other.close()
    check_refused(path, NotAStore, 65)


def test_newer_format_is_refused_with_its_own_exit_code(path: Path) -> None:
    made(path, 3)
    newest = migrations()[-1].number
    connection = apsw.Connection(str(path))
    connection.pragma("user_version", newest + 1)
    connection.close()
    problem = check_refused(path, NewerFormat, 78)
    assert str(newest + 1) in problem.message


def test_folder_is_no_file(tmp_path: Path) -> None:
    for read_only in (False, True):
        with pytest.raises(Conflict) as caught:
            SqliteStore(str(tmp_path), read_only=read_only)
        assert (caught.value.field, bool(caught.value.hint)) == ("store", True)


def test_missing_parent_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "marrow.db"
    store = SqliteStore(str(path))
    Door(store).say("Here.")
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    for suffix in ("-wal", "-shm"):
        assert Path(f"{path}{suffix}").stat().st_mode & 0o777 == 0o600
    store.close()


def test_parent_that_is_a_file_is_an_error_that_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(Unavailable) as caught:
        SqliteStore(str(tmp_path / "file" / "marrow.db"))
    assert caught.value.hint


def test_missing_file_is_made_unless_it_is_only_to_be_read(path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        SqliteStore(str(path), read_only=True)
    assert caught.value.field == "store"
    assert not path.exists()
    SqliteStore(str(path)).close()
    assert path.exists()


def test_empty_file_becomes_a_store(path: Path) -> None:
    path.touch()
    store = SqliteStore(str(path))
    Door(store).say("Here.")
    verify(store)
    assert store.problems() == []
    store.close()


def test_file_says_what_it_is(path: Path) -> None:
    made(path, 1)
    header = path.read_bytes()[:100]
    assert int.from_bytes(header[68:72]) == APPLICATION_ID
    assert int.from_bytes(header[60:64]) == migrations()[-1].number


@pytest.mark.parametrize(("url", "field"), [("", "store"), ("sqlite:", "store"), ("mysql://host/x", "store")])
def test_address_that_names_no_store_is_refused(url: str, field: str) -> None:
    with pytest.raises(Invalid) as caught:
        open_store(url)
    assert caught.value.field == field
    assert caught.value.hint


def test_path_and_address_name_the_same_store(path: Path) -> None:
    first = open_store(f"sqlite:{path}")
    Door(first).say("Here.")
    second = open_store(str(path))
    assert second.url == first.url
    assert Door(second).select() == ["Here."]
    first.close()
    second.close()


# Damage


def test_truncated_file_is_read_as_far_as_it_goes_and_never_written(path: Path) -> None:
    told = made(path)
    os.truncate(path, path.stat().st_size - 3 * 4096)
    before = path.read_bytes()
    store = SqliteStore(str(path))
    assert store.read_only
    assert "early" in store.problems()[0]
    with pytest.raises(StoreDamaged) as caught, store.writing():
        pass
    assert caught.value.exit_code == 74
    assert caught.value.hint
    with store.reading() as reader:
        assert reader.head("local").seq == len(told)
    store.close()
    assert path.read_bytes() == before


@pytest.mark.parametrize("size", [50, 100, 2000, 4096])
def test_file_cut_to_almost_nothing_is_refused_or_damaged_and_stays_as_it_is(path: Path, size: int) -> None:
    made(path)
    os.truncate(path, size)
    before = path.read_bytes()
    with pytest.raises(Unavailable) as caught:  # noqa: PT012
        store = SqliteStore(str(path))
        assert store.problems()
        with store.writing():
            pass
    assert caught.value.exit_code in (65, 74)
    assert path.read_bytes() == before


def test_corrupt_pages_are_named_and_the_rest_is_served(path: Path) -> None:
    """One page after another is overwritten. Whatever it held: no answer is wrong, and every failure says damage."""
    told = made(path)
    good = path.read_bytes()
    served = failed = 0
    for page in range(1, len(good) // 4096):
        path.write_bytes(good[: page * 4096] + b"\xa5" * 4096 + good[(page + 1) * 4096 :])
        store = SqliteStore(str(path))
        for address, beginning in list(told.items())[::7]:
            try:
                with store.reading() as reader:
                    for record in reader.records("local", [address], None, 2**62 - 1):
                        assert record.node.content.startswith(beginning)
                        served += 1
            except StoreDamaged:
                failed += 1
        store.close()
        assert path.read_bytes()[:4096] == good[:4096]
    assert served > failed > 0


def test_damaged_store_is_restored_from_a_backup(path: Path, tmp_path: Path) -> None:
    made(path)
    store = SqliteStore(str(path))
    before = picture(store)
    copy = tmp_path / "backup.db"
    store.backup(str(copy))
    Door(store).say("Later.")
    store.restore(str(copy))
    assert picture(store) == before
    store.close()
    os.truncate(path, 3 * 4096)
    store = SqliteStore(str(path))
    assert store.problems()
    store.restore(str(copy))
    assert store.problems() == []
    assert picture(store) == before
    Door(store).say("Again.")
    verify(store)
    store.close()


def test_backup_is_whole_private_and_never_overwrites(path: Path, tmp_path: Path) -> None:
    store = SqliteStore(str(path))
    door = Door(store)
    door.say("Here.")
    copy = tmp_path / "backup.db"
    store.backup(str(copy))
    assert copy.stat().st_mode & 0o777 == 0o600
    assert sorted(p.name for p in tmp_path.glob("backup*")) == ["backup.db"]
    other = SqliteStore(str(copy), read_only=True)
    assert picture(other) == picture(store)
    other.close()
    with pytest.raises(Conflict) as caught:
        store.backup(str(copy))
    assert caught.value.field == "path"
    with pytest.raises(Unavailable):
        store.backup("/proc/nowhere/backup.db")
    store.close()


@pytest.mark.parametrize("bad", ["missing", "text", "damaged", "other database", "newer"])
def test_bad_backup_is_refused_and_the_store_stays(path: Path, tmp_path: Path, bad: str) -> None:
    made(path)
    copy = tmp_path / "backup.db"
    if bad == "text":
        copy.write_text("no backup")
    elif bad == "other database":
        apsw.Connection(str(copy)).execute("CREATE TABLE t (x)")
    elif bad != "missing":
        shutil.copy(path, copy)
    if bad == "damaged":
        good = copy.read_bytes()
        copy.write_bytes(good[: 8 * 4096] + b"\xa5" * (len(good) - 8 * 4096))
    if bad == "newer":
        connection = apsw.Connection(str(copy))
        connection.pragma("user_version", 999)
        connection.close()
    store = SqliteStore(str(path))
    before = picture(store)
    with pytest.raises(MarrowError) as caught:
        store.restore(str(copy))
    assert type(caught.value) in (NotFound, NotAStore, StoreDamaged, NewerFormat)
    assert caught.value.hint
    assert picture(store) == before
    Door(store).say("Still writable.")
    store.close()


# Permissions. Root may do everything, so these run as nobody, in a process of their own.


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that anybody may enter: pytest's own are closed to others."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


AS_NOBODY = """
import os, sys
from marrow.model.errors import MarrowError
from marrow.store.sqlite import SqliteStore
from marrow.store.sqlite.connection import migrations
from tests.store.door import Door, verify
# Nobody may not be able to read the sources: everything is loaded before.
scripts = migrations()
rehearsal = SqliteStore(sys.argv[2], scripts=scripts)
Door(rehearsal).say("Load everything.")
verify(rehearsal)
rehearsal.close()
if os.getuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
try:
    store = SqliteStore(sys.argv[1], busy_timeout_ms=100, scripts=scripts)
    with store.reading() as reader:
        seq = reader.head("local").seq
    verify(store)
    print("read", store.read_only, seq)
    Door(store).say("Written by nobody.")
    print("wrote")
except MarrowError as problem:
    print(type(problem).__name__, problem.exit_code, bool(problem.hint))
"""


def as_nobody(path: Path, environment: dict[str, str]) -> list[str]:
    with tempfile.TemporaryDirectory() as other:
        command = [sys.executable, "-c", AS_NOBODY, str(path), f"{other}/rehearsal.db"]
        done = subprocess.run(command, env=environment, capture_output=True, timeout=60)
    assert done.stderr == b""
    return done.stdout.decode().splitlines()


def test_read_only_file_in_a_read_only_folder_is_read(open_folder: Path, child_environment: dict[str, str]) -> None:
    path = open_folder / "marrow.db"
    made(path, 5)
    path.chmod(0o444)
    open_folder.chmod(0o555)
    before = state(open_folder)
    assert as_nobody(path, child_environment) == ["read True 5", "ReadOnly 73 True"]
    assert state(open_folder) == before


def test_unreadable_file_is_an_error_that_says_so(open_folder: Path, child_environment: dict[str, str]) -> None:
    path = open_folder / "marrow.db"
    made(path, 2)
    path.chmod(0o000)
    open_folder.chmod(0o555)
    assert as_nobody(path, child_environment) == ["Unavailable 69 True"]


def test_folder_that_cannot_be_entered_is_an_error_that_says_so(
    open_folder: Path, child_environment: dict[str, str]
) -> None:
    path = open_folder / "closed" / "marrow.db"
    made(path, 2)
    path.parent.chmod(0o000)
    assert as_nobody(path, child_environment) == ["Unavailable 69 True"]
    path.parent.chmod(0o755)


def test_new_store_where_nothing_may_be_written_is_an_error_that_says_so(
    open_folder: Path, child_environment: dict[str, str]
) -> None:
    open_folder.chmod(0o555)
    assert as_nobody(open_folder / "marrow.db", child_environment) == ["Unavailable 69 True"]
    assert as_nobody(open_folder / "new" / "marrow.db", child_environment) == ["Unavailable 69 True"]


def test_reader_without_rights_sees_what_a_living_writer_has_written(
    open_folder: Path, child_environment: dict[str, str]
) -> None:
    path = open_folder / "marrow.db"
    store = SqliteStore(str(path))
    door = Door(store)
    door.say("One.")
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").chmod(0o644)
    door.say("Two.")
    assert as_nobody(path, child_environment) == ["read True 2", "ReadOnly 73 True"]
    store.close()


def test_log_that_cannot_be_read_is_an_error_and_never_a_silent_loss(
    open_folder: Path, child_environment: dict[str, str]
) -> None:
    """A crash left a log, and the reader may not make the index that reading it takes: old answers would be wrong."""
    path = open_folder / "marrow.db"
    made(path, 3)
    old = path.read_bytes()
    store = SqliteStore(str(path))
    Door(store).say("Only in the log.")
    log = Path(f"{path}-wal").read_bytes()
    store.close()
    path.write_bytes(old)
    Path(f"{path}-wal").write_bytes(log)
    for file in open_folder.iterdir():
        file.chmod(0o444)
    open_folder.chmod(0o555)
    lines = as_nobody(path, child_environment)
    assert lines in (["read True 4", "ReadOnly 73 True"], ["Unavailable 69 True"])
    open_folder.chmod(0o755)
    path.chmod(0o644)
    again = SqliteStore(str(path))  # Whoever may write recovers it.
    assert Door(again).seq() == 4
    again.close()


def test_store_that_is_opened_for_reading_cannot_be_written(path: Path) -> None:
    made(path, 2)
    store = SqliteStore(str(path), read_only=True)
    with pytest.raises(ReadOnly) as caught:
        Door(store)
    assert (caught.value.exit_code, bool(caught.value.hint)) == (73, True)
    with pytest.raises(ReadOnly):
        store.restore(str(path))
    store.close()


# A full disk


def test_full_disk_changes_nothing_and_says_so(path: Path) -> None:
    made(path, 5)
    store = SqliteStore(str(path))
    door = Door(store)
    connection = store._connection()
    pages = connection.pragma("page_count")
    connection.pragma("max_page_count", pages + 1)
    before = picture(store)
    with pytest.raises(Unavailable) as caught:
        door.say("Too much. " + "more and more " * 5000)
    assert "full" in caught.value.message
    assert (caught.value.exit_code, bool(caught.value.hint)) == (69, True)
    assert picture(store) == before
    verify(store)
    connection.pragma("max_page_count", 1_000_000)
    door.say("Room again.")
    verify(store)
    assert store.problems() == []
    store.close()


FULL = """
import resource, sys
from marrow.model.errors import MarrowError, Unavailable
from marrow.store.sqlite import SqliteStore
from tests.store.door import Door, picture, verify
store = None
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), resource.RLIM_INFINITY))
told = []
try:
    store = SqliteStore(sys.argv[1])
    door = Door(store)
    for number in range(1000):
        told.append(door.say(f"Fact {number}. " + "padding " * 100))
except Unavailable as problem:
    assert problem.hint and type(problem) is Unavailable, problem
    if store is not None:
        before = picture(store)
        try:
            door.say("Once more. " + "padding " * 2000)
        except Unavailable:
            assert picture(store) == before
        verify(store)
print("\\n".join(told))
"""


@pytest.mark.parametrize("limit", [1, 4096, 20_000, 150_000, 300_000, 700_000])
def test_disk_that_fills_up_keeps_what_was_acknowledged(
    path: Path, limit: int, child_environment: dict[str, str]
) -> None:
    command = [sys.executable, "-c", FULL, str(path), str(limit)]
    done = subprocess.run(command, env=child_environment, capture_output=True, timeout=60)
    assert done.stderr == b""
    told = done.stdout.decode().split()
    assert len(told) < 1000
    store = SqliteStore(str(path))
    door = Door(store)
    assert {r.node.address for r in door.records(*told)} == set(told)
    assert len(door.select()) == len(told) == door.seq()
    door.say("Room again.")
    verify(store)
    assert store.problems() == []
    store.close()
