"""One file's content in the place of another's, with nobody writing in between, and the other kept."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import apsw

from ...model.errors import StoreLocked
from .connection import copy_to

# A rebuild that was killed leaves what it had made, with this ending. One that runs writes to it all the time.
REBUILDING = ".rebuilding"
LEFT_OVER_SECONDS = 24 * 3600.0


def take_the_place(
    connection: apsw.Connection, path: str, original: apsw.Connection, meanwhile: Callable[[], None]
) -> None:
    """What `original` holds, which is not nothing, becomes what is at `connection`. The writers' lock is held from
    before `meanwhile` until it is: what is copied there is the last that anybody was told is saved. Readers read on."""
    with connection.backup("main", original, "main") as backup:
        backup.step(0)  # copies no page yet; SQLite takes the lock here and keeps it to the end
        meanwhile()
        backup.step()
        if not backup.done:
            raise StoreLocked(f"{path} is in use.", hint="Try again; it is free in a moment.")


def keep_copy(path: str, kept: str) -> None:
    """Everything that was committed to a store, as a file of its own; the files as they are where SQLite cannot read
    them. Nothing where `kept` is ""."""
    if not kept:
        return
    try:
        with closing(apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)) as reader:
            copy_to(Path(kept), reader)
    except (apsw.BusyError, apsw.FullError, apsw.IOError):
        Path(kept).unlink(missing_ok=True)  # half of one is none
        raise
    except (apsw.CorruptError, apsw.NotADBError):
        Path(kept).unlink(missing_ok=True)
        for suffix in ("", "-wal"):
            if os.path.exists(path + suffix):
                shutil.copy2(path + suffix, kept + suffix)


def set_aside(path: str, kept: str) -> None:
    """A file that is damaged is not thrown away: somebody may still save something from it."""
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(path + suffix):
            os.replace(path + suffix, kept + suffix)


def remove_left_over(path: str) -> None:
    """What rebuilds that were killed left, if no other process can be at work on it any more."""
    here = Path(path)
    for found in here.parent.glob(f"{here.name}.*{REBUILDING}*"):
        with suppress(FileNotFoundError):  # another was quicker
            if time.time() - found.stat().st_mtime > LEFT_OVER_SECONDS:
                found.unlink()
