"""What a SQLite store keeps in memory between reads, brought up to date by what was added since: the vectors, how long
the texts are, and the nodes that were read lately."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from .kept_nodes import KeptNodes

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ..matrix import Matrix
    from ..protocol import Vector
    from ..segments import Segments
    from .lengths import Lengths
    from .postings import Postings

    Spans = tuple[tuple[int, int], ...]
    Entries = NDArray[np.int64]

# Of so many choices of projects it is kept which entries are not active.
SPANS_MAX = 16
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
    """The matrices of each project, the lengths of its texts, and the numbers of the projects, which never change.

    Entries only ever get higher numbers, so what is kept grows at its end; whenever a vector is removed or replaced the
    store's epoch changes and everything is read anew. Only what is refined is read again from where that began."""

    def __init__(self, now: Callable[[], int]) -> None:
        self.now = now
        self._lock = threading.Lock()
        self._epoch = ""
        self._segments: dict[int, Segments] = {}
        self._lengths: dict[int, Lengths] = {}
        self.projects: dict[str, dict[str, int]] = {}
        self._postings: Postings | None = None
        self._nodes = "", KeptNodes()
        self._inactive: dict[Spans, tuple[object, Entries]] = {}

    def inactive(self, spans: Spans, state: object, read: Callable[[], Entries]) -> Entries:
        """The entries in these spans that are not active in a state of the store: as they were read in the same."""
        known = self._inactive.get(spans)
        if known is None or known[0] != state:
            if len(self._inactive) >= SPANS_MAX:
                self._inactive = {}
            known = self._inactive[spans] = (state, read())
        return known[1]

    def nodes(self, rows: IndexRows) -> KeptNodes:
        """The nodes that were read lately, none of which was erased for who sees these rows. Nobody waits for who loads
        vectors; of two who begin anew, one reads again."""
        kept, epoch = self._nodes, rows.vector_epoch()
        if kept[0] != epoch:
            kept = self._nodes = epoch, KeptNodes()
        return kept[1]

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
        self._segments, self._lengths, self.projects, self._epoch = {}, {}, {}, epoch
        self._postings, self._nodes, self._inactive = None, ("", KeptNodes()), {}

    def matrices(self, rows: IndexRows, projects: Sequence[int]) -> list[Matrix]:
        """The vectors of these projects, each as it is now."""
        with self._lock:  # compared and filled under one lock, or a reader of an older state would fill a newer cache
            self._renew(rows.vector_epoch())
            marks = rows.refined_marks()
            return [one for project in projects for one in self._held(rows, project, marks.get(project, 0)).matrices]

    def _held(self, rows: IndexRows, project: int, mark: int) -> Segments:
        """The vectors of a project, of which those up to the mark are the better ones."""
        from ..segments import Segments

        held = self._segments.get(project)
        if held is None:
            model = rows.vector_model()
            held = Segments(model[1] if model else 0, mark)
        elif held.refined < mark:
            # Vectors are made better in the entries' order, a few at a time: those up to the old mark and after the new
            # one are as they were.
            better = rows.vectors_between(max(held.refined + 1, project << 32), mark)
            held = held.refined_to(mark, [entry for entry, _ in better], [blob for _, blob in better])
        self._segments[project] = held
        added = rows.vectors_between(max(held.last + 1, project << 32), (project << 32) + (1 << 32) - 1)
        held.extend([entry for entry, _ in added], [blob for _, blob in added])
        return held

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
        for matrix in self.matrices(rows, _projects_of(entries)):
            found.update(matrix.cosines(entries, vector))
        return found

    def vectors(self, rows: IndexRows, entries: Sequence[int]) -> Mapping[int, Vector] | None:
        """The vectors of these entries; None where those of their projects were not searched, and would have to be read
        first."""
        projects = _projects_of(entries)
        with self._lock:
            if not all(project in self._segments for project in projects):
                return None
        found: dict[int, Vector] = {}
        for matrix in self.matrices(rows, projects):
            found.update(matrix.vectors(entries))
        return found

    def passage_similarities(
        self, rows: IndexRows, entries: Sequence[int], vector: Vector
    ) -> Mapping[int, Sequence[float]]:
        found: dict[int, list[float]] = {}
        for matrix in self.matrices(rows, _projects_of(entries)):
            found.update(matrix.passage_cosines(entries, vector))
        return found

    def forget(self) -> None:
        with self._lock:
            self._clear("")


def _projects_of(entries: Sequence[int]) -> list[int]:
    return sorted({entry >> 32 for entry in entries})
