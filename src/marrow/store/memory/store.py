"""The store in memory: one process, any number of threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from ...model.errors import Conflict
from ..protocol import first_known
from .reader import MemoryReader
from .tables import Tables
from .writer import MemoryWriter


class MemoryStore:
    """One process, any number of threads."""

    def __init__(self) -> None:
        self.url = "memory:"
        self.read_only = False
        self._tables = Tables()
        self._lock = threading.RLock()

    def known_as(self, namespace: str, names: Sequence[str]) -> str | None:
        with self.reading() as reader:
            return first_known(reader, namespace, names)

    @contextmanager
    def reading(self) -> Iterator[MemoryReader]:
        with self._lock:
            yield MemoryReader(self._tables)

    @contextmanager
    def writing(self) -> Iterator[MemoryWriter]:
        with self._lock:
            writer = MemoryWriter(self._tables)
            try:
                yield writer
            except BaseException:
                writer.roll_back()
                raise

    def close(self) -> None:
        """Nothing is held that has to be let go."""

    def backup(self, path: str) -> None:
        raise Conflict(
            "A memory that is not on the disk has no file to back up.",
            hint="`marrow export` writes what it knows.",
            field="path",
        )

    def restore(self, path: str, kept: str = "") -> None:
        raise Conflict("A backup is a file of the SQLite store.", hint="`marrow import` reads a bundle.", field="path")

    def damages(self) -> list[str]:
        return []

    def problems(self) -> list[str]:
        return []

    def is_broken(self) -> bool:
        return False

    def has_old_words(self) -> bool:
        return False

    def note_new_words(self) -> None:
        return

    def rebuild(self, kept: str, complete: Callable[[str], None]) -> Sequence[str]:
        return ()

    def copies(self) -> list[str]:
        return []

    def sweep(self) -> None:
        """Erased values are gone with the last reference to them."""
