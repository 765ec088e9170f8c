"""One daemon a user: a lock on a file, which ends with the process that holds it. A newer daemon replaces an older."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from types import TracebackType

WAIT_STEP_SECONDS = 0.05


class Lock:
    """Held from `take` to the end of the process. The file says who holds it, for people and for `marrow doctor`."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._file: int | None = None

    def take(self, wait_seconds: float, is_worth_waiting: Callable[[dict[str, object]], bool]) -> bool:
        """Whether it is ours now. Waits for another only while its holder is one that is about to go."""
        file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        until = time.monotonic() + wait_seconds
        while not _locked(file):
            if time.monotonic() >= until or not is_worth_waiting(holder(self._path)):
                os.close(file)
                return False
            time.sleep(WAIT_STEP_SECONDS)
        self._file = file
        return True

    def say(self, about: dict[str, object]) -> None:
        if self._file is not None:
            os.ftruncate(self._file, 0)
            os.lseek(self._file, 0, os.SEEK_SET)
            os.write(self._file, json.dumps(about).encode())

    def release(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Lock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        self.release()


def holder(path: str) -> dict[str, object]:
    """What the holder of the lock says about itself; empty when nobody does."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _locked(file: int) -> bool:
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_newer(theirs: str, ours: str) -> bool:
    """Whether a client is of a later version. An older one is served: it must never make two programs replace one
    another in turn."""

    def numbers(version: str) -> tuple[int, ...]:
        parts = version.split("+")[0].split(".")
        return tuple(int(part) for part in parts if part.isdigit())

    return bool(theirs) and numbers(theirs) > numbers(ours)
