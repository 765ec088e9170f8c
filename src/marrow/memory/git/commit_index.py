"""The index of a repository's commits: made on first use, then only what is new is read.

It holds the history of every working tree that was asked about, because they share a repository. Which commits are not
in a tree's own history is kept with the tree, and follows from the difference between two heads.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...model.errors import MarrowError, StoreDamaged, Unavailable
from ...model.redact import redact
from ...providers.embedder import Embedder, NoEmbedder
from ...providers.embedder import embedder as make_embedder
from ...providers.static import MODEL
from ...repository.head import head_of, shallow_mark, working_folder
from ...repository.identity import Place
from ...repository.kept import Kept
from ...repository.whole_history import Told, commit_count, told_commits
from ...store.bm25 import weight
from ..engine import Engine
from .commit_file import CommitFile, CommitReader, CommitWriter, Row, Stand
from .segment import COUNT_BITS, COUNT_MAX, Segment, joined, segment_of

if TYPE_CHECKING:
    from ...store.matrix import Matrix

Progress = Callable[[int, "int | None"], None]
FOLDER = "code"
# Of a longer history the latest so many are read.
COMMITS_MAX = 500_000
BATCH = 4_096
# A few commits at a time make many small segments; so many of them become one.
SMALL, SMALL_MOST = 512, 64
EMBEDDED_LENGTH_MAX = 1_000


@dataclass(frozen=True)
class Loaded:
    """What a process holds of an index, as it was at one moment; only the matrix may have grown since. For each posting
    of a segment `places` says where its commit is among all, and `worths` what its count is worth in a message so long.
    """

    segments: tuple[Segment, ...] = ()
    places: tuple[Any, ...] = ()
    worths: tuple[Any, ...] = ()
    last: int = 0
    mean: float = 0.0
    matrix: Matrix | None = None
    generation: str = ""


_indexes: Kept[str, CommitIndex]
_making = threading.Lock()


class CommitIndex:
    """The commits of one repository. Shared by threads."""

    def __init__(self, path: Path, embedder: Embedder) -> None:
        self._file = CommitFile(path)
        self._embedder = embedder
        self._loaded = Loaded()
        self._loading = threading.Lock()
        self._updating = threading.Lock()

    @property
    def embedder(self) -> Embedder:
        return self._embedder

    def is_made(self, place: Place) -> bool:
        """Whether this tree's history has been read, however long ago."""
        if not self._file.exists():
            return False
        with self._file.reading() as reader:
            stand = reader.stand(place.git_dir)
            return stand is not None and bool(reader.last())

    def update(self, place: Place, progress: Progress | None = None) -> Stand:
        """Read what is new, and say how the tree stands. A damaged file is dropped, and made again."""
        try:
            return self._update(place, progress)
        except StoreDamaged:
            return self._update(place, progress)

    def _update(self, place: Place, progress: Progress | None) -> Stand:
        known = self._current(place)
        if known is not None:
            return known
        with self._updating:
            known = self._current(place)  # another thread may have been faster
            if known is not None:
                return known
            head, shallow = head_of(place).commit, shallow_mark(place)
            if not head:
                return Stand(place.git_dir, "", shallow, 0, frozenset())
            base = self._stand(place)
            stand = None
            if base is not None and base.shallow == shallow:
                stand = self._follow(place, base, head, progress)
            return stand or self._read_all(place, head, shallow, progress)

    def _current(self, place: Place) -> Stand | None:
        """How the tree stands, where it has been read up to its head."""
        known = self._stand(place)
        wanted = (place.git_dir, head_of(place).commit, shallow_mark(place))
        return known if known is not None and known[:3] == wanted else None

    def reading(self) -> Any:
        return self._file.reading()

    def loaded(self) -> Loaded:
        """The postings and vectors, as far as the file has them."""
        with self._loading, self._file.reading() as reader:
            held, generation = self._loaded, reader.kept("generation")
            if held.generation != generation:
                held = Loaded(generation=generation)
            if held.last < reader.last() or held.matrix is None:
                held = _grown(held, reader, self._embedder.dimensions)
            self._loaded = held
        return held

    def _stand(self, place: Place) -> Stand | None:
        with self._file.reading() as reader:
            if reader.kept("model") not in ("", self._model):
                return None
            return reader.stand(place.git_dir)

    @property
    def _model(self) -> str:
        return f"{self._embedder.model} {self._embedder.dimensions}"

    def _follow(self, place: Place, known: Stand, head: str, progress: Progress | None) -> Stand | None:
        """From one head to another by what differs between them. None when git does not have the old one any more."""
        try:
            told = list(told_commits(working_folder(place), f"{known.head}...{head}"))
        except Unavailable:
            return None
        with self._file.reading() as reader:
            numbers = reader.numbers([one.hash for one in told])
        left = {numbers[one.hash] for one in told if one.is_left and one.hash in numbers}
        held = {numbers[one.hash] for one in told if not one.is_left and one.hash in numbers}
        held |= self._take_in((one for one in told if not one.is_left and one.hash not in numbers), progress, None)
        with self._file.reading() as reader:
            last = reader.last()
        # What came after the old head was read, from whichever tree, is in this history only where git says so.
        missing = known.missing.union(left, range(known.last + 1, last + 1)) - held
        return self._settle(Stand(place.git_dir, head, known.shallow, last, missing))

    def _read_all(self, place: Place, head: str, shallow: str, progress: Progress | None) -> Stand:
        folder = working_folder(place)
        with self._file.writing() as writer:
            if writer.kept("model") != self._model:
                writer.empty()
                writer.keep("model", self._model)
                writer.keep("generation", os.urandom(8).hex())
        total = min(COMMITS_MAX, commit_count(folder, head)) if progress is not None else None
        reached = self._take_in(told_commits(folder, head, COMMITS_MAX), progress, total)
        with self._file.reading() as reader:
            last = reader.last()
        missing = frozenset(range(1, last + 1)) - reached
        return self._settle(Stand(place.git_dir, head, shallow, last, missing))

    def _settle(self, stand: Stand) -> Stand:
        with self._file.writing() as writer:
            writer.stand_at(stand)
            _tidy(writer)
        return stand

    def _take_in(self, told: Iterable[Told], progress: Progress | None, total: int | None) -> set[int]:
        """Keep those that are not known yet; the numbers of all of them."""
        numbers: set[int] = set()
        waiting = iter(told)
        while batch := list(islice(waiting, BATCH)):
            numbers |= self._keep(batch)
            if progress is not None:
                progress(len(numbers), total)
        return numbers

    def _keep(self, batch: Sequence[Told]) -> set[int]:
        texts = {one.hash: redact(f"{one.subject}\n\n{one.body}".strip()).text for one in batch}
        with self._file.reading() as reader:
            known = reader.numbers(list(texts))
        # Embedded before the file is locked: it takes longer than all the rest.
        new = [one for one in batch if one.hash not in known]
        vectors = dict(zip((one.hash for one in new), self._vectors([texts[one.hash] for one in new]), strict=True))
        with self._file.writing() as writer:
            known = writer.numbers(list(texts))  # another process may have been faster
            fresh = [one for one in new if one.hash not in known]
            first = writer.last() + 1
            rows = [_row(first + place, one, texts[one.hash]) for place, one in enumerate(fresh)]
            if rows:
                writer.add(rows, [one.files for one in fresh])
                segment = segment_of(first, [texts[one.hash] for one in fresh])
                writer.add_segment(segment, len(rows), b"".join(vectors[one.hash] for one in fresh))
        return {*known.values(), *(row.number for row in rows)}

    def _vectors(self, texts: Sequence[str]) -> Iterator[bytes]:
        if not self._embedder.dimensions:
            yield from (b"" for _ in texts)
            return
        from ...store.stored_vectors import to_bytes

        yield from map(to_bytes, self._embedder.documents([text[:EMBEDDED_LENGTH_MAX] for text in texts]))


_indexes = Kept(16)


def commit_index(engine: Engine, place: Place) -> CommitIndex:
    """The index of a repository. Kept beside the store; where that is no file, for as long as the process lives."""
    folder = index_folder(engine)
    name = hashlib.sha256(place.common_dir.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    path = folder / f"{name}.commits.db"
    with _making:
        found = _indexes.get(str(path))
        if found is None:
            found = _indexes.keep(str(path), CommitIndex(path, _embedder_of(engine)))
    return found


def index_folder(engine: Engine) -> Path:
    scheme, _, path = engine.store.url.partition(":")
    if scheme == "sqlite" and path:
        return Path(path).parent / FOLDER
    return _passing_folder()


_passing: list[Any] = []


def _passing_folder() -> Path:
    """A folder that goes with the process."""
    if not _passing:
        _passing.append(tempfile.TemporaryDirectory(prefix="marrow-"))
    return Path(_passing[0].name)


def _embedder_of(engine: Engine) -> Embedder:
    """The built-in one, whatever else is chosen for memories: a history is too long to be sent to a service. None where
    search goes by words alone."""
    model = engine.model()
    if model is None:
        return NoEmbedder()
    if model[0] == MODEL:
        return engine.embedder
    try:
        return make_embedder("static")
    except MarrowError:
        return NoEmbedder()


def _row(number: int, one: Told, text: str) -> Row:
    subject, _, body = text.partition("\n")
    return Row(number, one.hash, one.at, one.author, subject.strip(), body.strip())


def _grown(held: Loaded, reader: CommitReader, dimensions: int) -> Loaded:
    import numpy as np

    from ...store.matrix import Matrix

    matrix = held.matrix or Matrix(dimensions)
    found = reader.segments(held.last)
    mean, last = held.mean, held.last
    if not mean and found:  # a few more messages do not move it
        mean = max(1.0, float(np.concatenate([segment.lengths for segment, _, _ in found]).mean()))
    places, worths = [], []
    for segment, count, vectors in found:
        inside = (segment.postings >> COUNT_BITS).astype(np.int32)
        counts = (segment.postings & COUNT_MAX).astype(np.float32)
        worths.append(weight(counts, segment.lengths[inside].astype(np.float32), mean).astype(np.float32))
        places.append(inside + (segment.first - 1))
        if dimensions:
            matrix.extend(range(segment.first, segment.first + count), [vectors])
        last = segment.first + count - 1
    return Loaded(
        (*held.segments, *(segment for segment, _, _ in found)),
        (*held.places, *places),
        (*held.worths, *worths),
        last,
        mean,
        matrix,
        held.generation,
    )


def _tidy(writer: CommitWriter) -> None:
    """Make one segment of the last ones when they are many and small."""
    sizes = writer.segment_sizes()
    start = len(sizes)
    while start and sizes[start - 1][1] < SMALL:
        start -= 1
    if len(sizes) - start < SMALL_MOST:
        return
    first = sizes[start][0]
    small = writer.segments(first - 1)
    writer.drop_segments(first)
    vectors = b"".join(part for _, _, part in small)
    writer.add_segment(joined([segment for segment, _, _ in small]), sum(count for _, count, _ in small), vectors)
    writer.keep("generation", os.urandom(8).hex())
