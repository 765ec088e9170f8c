"""The daemon's background: one thread drains the inbox, makes memories of it, and embeds what waits for it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from ...app import Memories
from ...model.errors import MarrowError

# How often the inbox is looked at when nobody says that there is something in it.
LOOK_SECONDS = 1.0
# After a failure the next try waits, longer each time, up to this.
PATIENCE_SECONDS_MAX = 60.0
STOP_SECONDS = 2.0
# For how long nobody must have asked anything before what is not urgent is done.
QUIET_SECONDS = 2.0
# For how long a session that begins waits for what the one before left: for its turn, and again while it is done.
CATCH_UP_SECONDS = 0.3
# How often it is looked whether a language model has something to do.
CONDENSE_SECONDS = 30.0

log = logging.getLogger("marrow.background")


class Worker:
    """Never two turns at a time. What fails waits and is tried again; it is never in a hurry."""

    def __init__(self, memories: Memories, home: str) -> None:
        self._chores = memories.chores(home)
        self._turning = threading.Lock()
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._work, name="background", daemon=True),
            threading.Thread(target=self._condense, name="condense", daemon=True),
        ]
        self._failures = 0
        self.warmed = threading.Event()
        self._heard_at = 0.0

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._woken.set()
        for thread in self._threads:
            if thread.is_alive():
                thread.join(STOP_SECONDS)
        self._chores.stop()

    def nudge(self) -> None:
        self._woken.set()

    def heard(self) -> None:
        """Somebody is asking: what can wait does."""
        self._heard_at = time.monotonic()

    def answering(self) -> AbstractContextManager[None]:
        """While somebody waits for an answer: what works stands aside."""
        return self._chores.way.answering()

    def _is_quiet(self) -> bool:
        return time.monotonic() - self._heard_at > QUIET_SECONDS

    def catch_up(self) -> None:
        if self._turning.acquire(timeout=CATCH_UP_SECONDS):
            try:
                until = time.monotonic() + CATCH_UP_SECONDS
                self._chores.turn_awaited(lambda: self._stopping.is_set() or time.monotonic() > until)
            except MarrowError as problem:
                log.warning("put off: %s", problem)
            finally:
                self._turning.release()

    def drain(self) -> int:
        with self._turning:
            return self._chores.all_now()

    def state(self) -> Mapping[str, Any]:
        return self._chores.state()

    def _work(self) -> None:
        self._warm()
        while not self._stopping.is_set():
            self._woken.clear()
            more = self._turn()
            if not more:
                self._woken.wait(self._pause())

    def _condense(self) -> None:
        """Beside the turns, because a language model takes its time."""
        self.warmed.wait()
        while not self._stopping.wait(CONDENSE_SECONDS):
            try:
                while self._chores.condense() and not self._stopping.is_set():
                    pass
            except MarrowError as problem:
                log.warning("not condensed: %s", problem)
            except Exception:
                log.exception("condensing failed in a way that was not foreseen")

    def _warm(self) -> None:
        try:
            self._chores.warm()
        except MarrowError as problem:
            log.warning("not warmed up: %s", problem)
        finally:
            self.warmed.set()

    def _pause(self) -> float:
        return min(PATIENCE_SECONDS_MAX, LOOK_SECONDS * 2.0**self._failures) if self._failures else LOOK_SECONDS

    def _turn(self) -> bool:
        """Whether there is more to do at once."""
        try:
            with self._turning:
                more = self._chores.turn(self._stopping.is_set, self._is_quiet)
        except MarrowError as problem:
            log.warning("put off: %s", problem)
        except Exception:
            log.exception("a chore failed in a way that was not foreseen")
        else:
            self._failures = 0
            return more
        self._failures = min(self._failures + 1, 10)
        return False
