"""The vectors of a SQLite store, kept in memory between reads and brought up to date by what was added since."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..matrix import Matrix
    from ..protocol import Vector


class VectorRows(Protocol):
    """What the cache reads from."""

    def vector_model(self) -> tuple[str, int] | None: ...

    def vector_epoch(self) -> str: ...

    def vectors_between(self, first: int, last: int) -> list[tuple[int, bytes]]: ...


class VectorCache:
    """One matrix a project, and the numbers of the projects, which never change.

    Entries only ever get higher numbers, so a matrix grows at its end; whenever a vector is removed or replaced the
    store's epoch changes and the matrices are read anew."""

    def __init__(self, now: Callable[[], int]) -> None:
        self.now = now
        self._lock = threading.Lock()
        self._epoch = ""
        self._matrices: dict[int, Matrix] = {}
        self.projects: dict[str, dict[str, int]] = {}

    def renew(self, epoch: str) -> None:
        """Forget what was kept under another epoch."""
        with self._lock:
            if epoch != self._epoch:
                self._matrices, self.projects, self._epoch = {}, {}, epoch

    def matrix(self, rows: VectorRows, project: int) -> Matrix:
        from ..matrix import Matrix

        self.renew(rows.vector_epoch())
        with self._lock:
            found = self._matrices.get(project)
            if found is None:
                model = rows.vector_model()
                found = self._matrices[project] = Matrix(model[1] if model else 0)
            first = max(found.last + 1, project << 32)
            added = rows.vectors_between(first, (project << 32) + (1 << 32) - 1)
            found.extend([entry for entry, _ in added], [blob for _, blob in added])
            return found

    def similarities(self, rows: VectorRows, entries: Sequence[int], vector: Vector) -> Mapping[int, float]:
        found: dict[int, float] = {}
        for project in {entry >> 32 for entry in entries}:
            asked = [entry for entry in entries if entry >> 32 == project]
            found.update(self.matrix(rows, project).cosines(asked, vector))
        return found

    def forget(self) -> None:
        with self._lock:
            self._matrices, self._epoch, self.projects = {}, "", {}
