"""One process at a time, and one that waits: whoever comes then can go. The one that waits looks at what there is only
when its turn has come, so nothing that happened before that is missed. The locks end with their processes."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from marrow.capture import where

STEP_SECONDS = 0.05

if sys.platform == "win32":
    import msvcrt

    def _is_locked(file: int) -> bool:
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _is_locked(file: int) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def in_turn(home: str, names: Sequence[str], seconds: float, *, queued: bool = True) -> Iterator[bool]:
    """Whether it is this process's turn with what these names stand for: at once, or after at most so many seconds.
    `queued`: not where another one waits already."""
    folder = where.run(home)
    where.make(folder)
    place = os.path.join(folder, "watch-" + where.digest("\0".join(names), 16))
    waiting = _taken(f"{place}.waiting", 0.0) if queued else None
    if queued and waiting is None:
        yield False
        return
    try:
        running = _taken(f"{place}.running", seconds)
    finally:
        if waiting is not None:
            os.close(waiting)
    try:
        yield running is not None
    finally:
        if running is not None:
            os.close(running)


def _taken(path: str, seconds: float) -> int | None:
    """The file that is locked now; None where another process kept it for all that time."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    until = time.monotonic() + seconds
    while not _is_locked(file):
        if time.monotonic() >= until:
            os.close(file)
            return None
        time.sleep(STEP_SECONDS)
    return file
