"""What is no damage is not told as damage, and what was damaged and restored is a store as any other."""

from __future__ import annotations

import os
from pathlib import Path

import apsw
import pytest

from marrow.model.errors import StoreLocked
from marrow.store.sqlite import SqliteStore
from marrow.store.sqlite.store import _OPEN_PATHS

from .door import Door


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed store with something in it."""
    file = tmp_path / "marrow.db"
    store = SqliteStore(str(file))
    Door(store).say("Before.")
    store.close()
    return file


def test_store_that_was_restored_is_not_looked_into_beside_sqlite(path: Path, tmp_path: Path) -> None:
    """Closing a file drops the locks that the process holds on it, by whatever way it was opened."""
    copy = tmp_path / "copy.backup"
    whole = SqliteStore(str(path))
    whole.backup(str(copy))
    whole.close()
    path.write_bytes(b"\xa5" * 8192)
    store = SqliteStore(str(path), illegible=True)
    store.restore(str(copy))
    assert _OPEN_PATHS[os.path.realpath(path)] == 1
    store.close()
    assert _OPEN_PATHS[os.path.realpath(path)] == 0


def test_file_that_cannot_be_checked_now_is_not_told_as_damaged(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = SqliteStore(str(path))

    class Busy:
        def execute(self, sql: str) -> None:
            raise apsw.BusyError("locked")

    with monkeypatch.context() as patched:
        patched.setattr(store, "_connection", Busy)
        for look in (store.damages, store.problems, store.is_broken):
            with pytest.raises(StoreLocked):
                look()
    assert store.problems() == []
    store.close()
