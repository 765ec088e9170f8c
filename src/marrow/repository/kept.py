"""Answers that cannot change, kept in the process for who asks again. Bounded, and safe between threads."""

from __future__ import annotations

import threading
from collections.abc import Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Kept(Generic[K, V]):
    """What was used last stays longest."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._known: dict[K, V] = {}

    def get(self, key: K) -> V | None:
        with self._lock:
            found = self._known.pop(key, None)
            if found is not None:
                self._known[key] = found
            return found

    def keep(self, key: K, value: V) -> V:
        with self._lock:
            self._known.pop(key, None)
            self._known[key] = value
            while len(self._known) > self._most:
                del self._known[next(iter(self._known))]
        return value

    def clear(self) -> None:
        with self._lock:
            self._known.clear()
