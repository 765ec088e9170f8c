"""A store as it is, but with the vectors of another embedder. They are held in memory; the store itself is only read.

Everything else that ranks (words, threads, links, standings, statistics) is the store's own, so what differs between
the two is what the embedder does, and times can be compared.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn, cast

from ..model.errors import ReadOnly
from .protocol import Projects, Reader, Store

if TYPE_CHECKING:
    from .protocol import Vector


class _Vectors:
    """The vectors of one model, and the searches among them."""

    def __init__(self, model: tuple[str, int], vectors: Mapping[int, Vector]) -> None:
        from .matrix import Matrix
        from .stored_vectors import from_bytes, to_bytes

        # As a store keeps them, rounding included.
        kept = {entry: to_bytes(vectors[entry]) for entry in sorted(vectors)}
        self.model = model
        self.matrix = Matrix(model[1])
        self.matrix.extend(list(kept), list(kept.values()))
        self.of = {entry: from_bytes(blob, model[1]) for entry, blob in kept.items()}


class _Reread:
    """A reader that answers all but what is asked of vectors as the store's own does."""

    def __init__(self, reader: Reader, vectors: _Vectors) -> None:
        self._reader = reader
        self._vectors = vectors

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    def vector_model(self) -> tuple[str, int] | None:
        return self._vectors.model

    def nearest(
        self,
        namespace: str,
        vector: Vector,
        projects: Projects,
        within: Iterable[int] | None,
        limit: int,
        least: float = 0.0,
        among: Collection[int] | None = None,
    ) -> list[tuple[int, float]]:
        """There are only vectors of what may be found: whoever made them chose the projects."""
        from .matrix import shared_ids

        return self._vectors.matrix.nearest(vector, limit, shared_ids(within, among), (), least)

    def similarities(self, entries: Sequence[int], vector: Vector) -> Mapping[int, float]:
        return dict(self._vectors.matrix.cosines(entries, vector))

    def passage_similarities(self, entries: Sequence[int], vector: Vector) -> Mapping[int, Sequence[float]]:
        return self._vectors.matrix.passage_cosines(entries, vector)

    def vectors_of(self, entries: Sequence[int]) -> Mapping[int, Vector]:
        return {entry: self._vectors.of[entry] for entry in entries if entry in self._vectors.of}

    def passage_vectors(self, entries: Sequence[int]) -> Mapping[int, Vector]:
        """None of them was saved."""
        return {}


class Revectored:
    """`vectors` are those of the active entries of the projects that will be asked, and of no others."""

    def __init__(self, store: Store, model: tuple[str, int], vectors: Mapping[int, Vector]) -> None:
        self.url = store.url
        self.read_only = True
        self._store = store
        self._vectors = _Vectors(model, vectors)

    def known_as(self, namespace: str, names: Sequence[str]) -> str | None:
        return self._store.known_as(namespace, names)

    @contextmanager
    def reading(self) -> Iterator[Reader]:
        with self._store.reading() as reader:
            yield cast(Reader, _Reread(reader, self._vectors))

    def writing(self) -> NoReturn:
        raise ReadOnly("A store with borrowed vectors is only for reading.")

    def close(self) -> None:
        """The store belongs to whoever opened it."""

    def backup(self, path: str) -> None:
        self.writing()

    def restore(self, path: str, kept: str = "") -> None:
        self.writing()

    def damages(self) -> list[str]:
        return self._store.damages()

    def problems(self) -> list[str]:
        return self._store.problems()

    def is_broken(self) -> bool:
        return self._store.is_broken()

    def has_old_words(self) -> bool:
        return self._store.has_old_words()

    def note_new_words(self) -> None:
        self._store.note_new_words()

    def rebuild(self, kept: str, complete: Callable[[str], None]) -> Sequence[str]:
        self.writing()

    def copies(self) -> list[str]:
        return self._store.copies()

    def sweep(self) -> None:
        self.writing()
