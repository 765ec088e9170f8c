"""What a SQLite store keeps in memory between reads, brought up to date by what was added since: the vectors, and how
long the texts are."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from ..matrix import Matrix
    from ..protocol import Vector
    from .lengths import Lengths
    from .postings import Postings


# Facts with this name say up to which entry the vectors of a project are the better ones.
REFINED = "refined:"
# And with this one, that the words of earlier texts of a project were changed.
WORDS = "words:"


class IndexRows(Protocol):
    """What the cache reads from."""

    def vector_model(self) -> tuple[str, int] | None: ...

    def vector_epoch(self) -> str: ...

    def refined_marks(self) -> dict[int, int]: ...

    def vectors_between(self, first: int, last: int) -> list[tuple[int, bytes]]: ...

    def lengths_between(self, first: int, last: int) -> list[tuple[int, bytes]]: ...


class VectorCache:
    """One matrix a project, the lengths of its texts, and the numbers of the projects, which never change.

    Entries only ever get higher numbers, so what is kept grows at its end; whenever a vector is removed or replaced the
    store's epoch changes and everything is read anew. Only what is refined is read again from where that began."""

    def __init__(self, now: Callable[[], int]) -> None:
        self.now = now
        self._lock = threading.Lock()
        self._epoch = ""
        self._matrices: dict[int, Matrix] = {}
        self._lengths: dict[int, Lengths] = {}
        self.projects: dict[str, dict[str, int]] = {}
        self._postings: Postings | None = None

    def postings(self) -> Postings:
        """Where the words of the projects are that were searched lately."""
        from .postings import Postings

        if self._postings is None:
            self._postings = Postings()
        return self._postings

    def renew_words(self, project: int, state: str) -> None:
        """Forget what was kept of the words of a project in another state of them."""
        if self.postings().renew(project, state):
            with self._lock:
                self._lengths.pop(project, None)

    def renew(self, epoch: str) -> None:
        """Forget what was kept under another epoch."""
        with self._lock:
            self._renew(epoch)

    def _renew(self, epoch: str) -> None:
        if epoch != self._epoch:
            self._clear(epoch)

    def _clear(self, epoch: str) -> None:
        self._matrices, self._lengths, self.projects, self._epoch = {}, {}, {}, epoch
        self._postings = None

    def matrices(self, rows: IndexRows, projects: Sequence[int]) -> list[Matrix]:
        """The vectors of these projects, each as it is now."""
        from ..matrix import Matrix

        found = []
        with self._lock:  # compared and filled under one lock, or a reader of an older state would fill a newer cache
            self._renew(rows.vector_epoch())
            marks = rows.refined_marks()
            for project in projects:
                matrix = self._matrices.get(project)
                if matrix is None:
                    model = rows.vector_model()
                    matrix = self._matrices[project] = Matrix(model[1] if model else 0, marks.get(project, 0))
                elif matrix.refined < (mark := marks.get(project, 0)):
                    # Vectors are made better in the entries' order, a few at a time: those up to the old mark and after
                    # the new one are as they were.
                    better = rows.vectors_between(max(matrix.refined + 1, project << 32), mark)
                    matrix = matrix.refined_to(mark, [entry for entry, _ in better], [blob for _, blob in better])
                    self._matrices[project] = matrix
                first = max(matrix.last + 1, project << 32)
                added = rows.vectors_between(first, (project << 32) + (1 << 32) - 1)
                matrix.extend([entry for entry, _ in added], [blob for _, blob in added])
                found.append(matrix)
        return found

    def lengths(self, rows: IndexRows, projects: Sequence[int]) -> list[Lengths]:
        """How long the texts of these projects are."""
        from .lengths import Lengths

        found = []
        with self._lock:  # compared and filled under one lock, or a reader of an older state would fill a newer cache
            self._renew(rows.vector_epoch())
            for project in projects:
                known = self._lengths.get(project) or Lengths()
                added = rows.lengths_between((project << 32) + known.next, (project << 32) + (1 << 32) - 1)
                known = self._lengths[project] = known.extended(added)
                found.append(known)
        return found

    def similarities(self, rows: IndexRows, entries: Sequence[int], vector: Vector) -> Mapping[int, float]:
        found: dict[int, float] = {}
        projects = sorted({entry >> 32 for entry in entries})
        for project, matrix in zip(projects, self.matrices(rows, projects), strict=True):
            found.update(matrix.cosines([entry for entry in entries if entry >> 32 == project], vector))
        return found

    def vectors(self, rows: IndexRows, entries: Sequence[int]) -> Mapping[int, Vector] | None:
        """The vectors of these entries; None where those of their projects were not searched, and would have to be read
        first."""
        projects = sorted({entry >> 32 for entry in entries})
        with self._lock:
            if not all(project in self._matrices for project in projects):
                return None
        found: dict[int, Vector] = {}
        for project, matrix in zip(projects, self.matrices(rows, projects), strict=True):
            found.update(matrix.vectors([entry for entry in entries if entry >> 32 == project]))
        return found

    def passage_similarities(
        self, rows: IndexRows, entries: Sequence[int], vector: Vector
    ) -> Mapping[int, Sequence[float]]:
        found: dict[int, list[float]] = {}
        projects = sorted({entry >> 32 for entry in entries})
        for project, matrix in zip(projects, self.matrices(rows, projects), strict=True):
            found.update(matrix.passage_cosines([entry for entry in entries if entry >> 32 == project], vector))
        return found

    def forget(self) -> None:
        with self._lock:
            self._clear("")
