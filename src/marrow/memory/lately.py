"""What was recalled lately in this process, so that what follows can tell whether it was used. Safe between threads."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ..model.scope import Principal

LATELY_MAX = 32
HEARD_MAX, HEARD_LENGTH_MAX = 64, 6_000
# What is done with a memory so long after it was recalled has another reason.
LATELY_MICROS = 4 * 3600 * 1_000_000


@dataclass(frozen=True, slots=True)
class Given:
    """A memory that was recalled: for whom, for which message, and when. `is_used` once that recall has counted."""

    entry: int
    address: str
    asked: str
    who: Principal
    at: int
    is_used: bool = False


class Lately:
    """The last recalls, each memory once for each caller: one that is recalled again can count again, and what came of
    the earlier recall is settled by then."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._given: dict[tuple[int, Principal], Given] = {}
        self._heard: deque[tuple[Principal, str]] = deque(maxlen=HEARD_MAX)

    def hear(self, who: Principal, said: str, now: int) -> None:
        """Keep what a caller said after a recall, to be looked at when there is time: not while it waits for a save."""
        if self.open(who, now):
            with self._lock:
                self._heard.append((who, said[:HEARD_LENGTH_MAX]))

    def take_heard(self) -> list[tuple[Principal, str]]:
        with self._lock:
            found = list(self._heard)
            self._heard.clear()
        return found

    def add(self, given: Iterable[Given]) -> None:
        with self._lock:
            for one in given:
                self._given.pop((one.entry, one.who), None)
                self._given[one.entry, one.who] = one
            for key in list(self._given)[:-LATELY_MAX]:
                del self._given[key]

    def open(self, who: Principal, now: int) -> list[Given]:
        """What this caller was given lately and has not used, the latest first."""
        with self._lock:
            found = [one for one in self._given.values() if one.who == who and _is_open(one, now)]
        return found[::-1]

    def of(self, entry: int) -> list[Given]:
        """The recalls of one memory, used or not."""
        with self._lock:
            return [one for one in self._given.values() if one.entry == entry]

    def settle(self, entry: int, who: Principal, now: int) -> bool:
        """Let a use count for a recall: the caller's own, or else the latest of another. False when none is open."""
        with self._lock:
            found = [one for one in self._given.values() if one.entry == entry and _is_open(one, now)]
            if not found:
                return False
            chosen = next((one for one in found if one.who == who), found[-1])
            self._given[chosen.entry, chosen.who] = replace(chosen, is_used=True)
            return True


def _is_open(given: Given, now: int) -> bool:
    return not given.is_used and now - given.at <= LATELY_MICROS
