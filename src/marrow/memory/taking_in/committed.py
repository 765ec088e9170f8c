"""Take in what was committed since the last time, from git's objects alone: what is uncommitted or ignored stays out.

A row says which commit was read last, and while a run goes on which one it is about. The trees of two commits are
compared, so it does not matter whether history was rewritten between them. Where the last commit is gone, or a run was
broken off, the whole tree is compared with what was read.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from ...ingest.item import Item, Skipped
from ...model.errors import Unavailable
from ...model.moments import micros
from ...model.source import CURSOR, NO_ADDRESS, Source
from ...model.text import name as short_name
from ...repository.changed import Stamp, commit_moment, commit_named, stamp
from ...repository.head import head_of, repository_at
from ...repository.last_changed import last_changed
from ...repository.tree import Blob, contents, tree_changes, tree_of
from ..engine import Asker, Engine
from .codebase import (
    BY_ANOTHER,
    MICROS,
    ORIGIN,
    Ingested,
    as_read,
    bytes_max,
    is_chosen,
    origin_of,
    service_of,
    too_large,
)
from .rewritten import is_waiting
from .settled import SETTLE
from .shelf import Shelf
from .take_in import Progress, TakenIn, take_in
from .talk import ingest_history

OPERATION = "ingest_committed"
# The row that says which commit was read last; its digest is the one that a run is about, until that is done.
COMMITTED = "#committed"
_POINTER = b"version https://git-lfs.github.com/spec/"


def ingest_committed(
    engine: Engine, asker: Asker, root: str, *, service: str = "", progress: Progress | None = None
) -> Ingested:
    """Bring what is known of a repository to its HEAD: files and commit messages. Uncommitted work stays out."""
    folder = os.path.realpath(root)
    head = head_of(repository_at(folder)).commit
    given = short_name(service, field="service_name", length_max=100) if service else ""
    named = given or service_of(engine, asker, folder)
    last = last_committed(engine, asker, named)
    if not head or (last is not None and (last.title, last.digest) == (head, "")):
        return Ingested(named, folder, 0, 0, _left_since(engine, asker, folder, named) if head else TakenIn())
    shelf = Shelf(engine, asker)
    known = shelf.of(named)
    origin = origin_of(asker, folder, named, known.get(ORIGIN))
    due = _due(folder, known, last, head)
    row = Source(asker.scope.project, named, COMMITTED, CURSOR, NO_ADDRESS, title=last.title if last else "")
    _keep(engine, asker, replace(row, digest=head))
    reading = _Reading(folder, known, _times(folder, due.blobs, head))
    taken = take_in(
        engine,
        asker,
        reading.items(due.blobs),
        operation=OPERATION,
        service=named,
        gone=due.gone,
        progress=progress,
        total=len(due.blobs),
        shelf=shelf,
        settle=SETTLE,
    )
    said = ingest_history(engine, asker, repo_path=folder, service=named, progress=progress).taken
    _keep(engine, asker, origin, replace(row, title=head))
    taken = taken._replace(unchanged=taken.unchanged + reading.same + due.left)
    looked_at = len(due.blobs) + due.left
    return Ingested(named, folder, looked_at, len(due.blobs), _joined(taken, said))


def last_committed(engine: Engine, asker: Asker, service: str) -> Source | None:
    """The row of the commit that was read last for a service."""
    with engine.store.reading() as reader:
        found = reader.sources(asker.namespace, (asker.scope.project,), service=service, path=COMMITTED)
    return next((source for source in found if source.kind == CURSOR), None)


def _left_since(engine: Engine, asker: Asker, root: str, service: str) -> TakenIn:
    """HEAD is where it was. A branch that held earlier commits may be gone: a rebase moves it last."""
    if not is_waiting(engine, asker, service):
        return TakenIn()
    return _joined(TakenIn(), ingest_history(engine, asker, repo_path=root, service=service).taken)


class _Due(NamedTuple):
    """Files to be read, paths that are no longer there, and how many files were left as they are."""

    blobs: list[Blob]
    gone: list[str]
    left: int = 0


def _due(root: str, known: Mapping[str, Source], last: Source | None, head: str) -> _Due:
    is_whole_run = last is not None and last.title and last.digest in ("", head)
    if last is not None and is_whole_run and commit_named(root, last.title):
        with suppress(Unavailable):  # a part of what it was is gone from git
            came, went = tree_changes(root, last.title, head)
            return _Due([b for b in came if _is_ours(b.path)], [path for path in went if path in known])
    every = [blob for blob in tree_of(root, head) if _is_ours(blob.path)]
    there = {blob.path for blob in every}
    # What ingest_codebase read here, and lies here unchanged, stays as it was read: somebody has asked for it.
    kept = {path for path, source in known.items() if _is_on_disk(root, path, source)}
    blobs = [blob for blob in every if blob.path not in kept]
    gone = [path for path in known if _is_ours(path) and path not in there and path not in kept]
    return _Due(blobs, gone, len(every) - len(blobs))


def _is_ours(path: str) -> bool:
    return is_chosen(path) and not BY_ANOTHER.match(path)


def _is_on_disk(root: str, path: str, source: Source) -> bool:
    """Whether a file was read from the disk, and has not changed there. What comes from commits has no time."""
    if not source.mtime_ns or not _is_ours(path):
        return False
    return stamp(root, path) == Stamp(source.size, source.mtime_ns)


def _times(root: str, blobs: Sequence[Blob], head: str) -> Mapping[str, int]:
    """When each was last committed, in microseconds; under "" the time of the commit for those that are not told."""
    at = commit_moment(root, head)
    found = last_changed(root, [blob.path for blob in blobs])
    return {"": micros(at) if at is not None else 0} | {path: time * MICROS for path, time in found.items()}


@dataclass
class _Reading:
    """Files of a commit as items. `same` counts those that were read before, and hold what they held."""

    root: str
    known: Mapping[str, Source]
    times: Mapping[str, int]
    same: int = 0

    def items(self, blobs: Sequence[Blob]) -> Iterator[Item | Skipped]:
        for (path, _), size, data in contents(self.root, blobs, bytes_max):
            if size < 0:
                yield Skipped(path, "git has not fetched it: this is a partial clone")
            elif data is not None and data.startswith(_POINTER):
                yield Skipped(path, "what it holds is kept by git-lfs, and not in git itself")
            else:
                yield from self._read(path, size, data)

    def _read(self, path: str, size: int, data: bytes | None) -> Iterator[Item | Skipped]:
        large = too_large(path, size) if data is None else None
        digest = large.digest if large is not None else hashlib.sha256(data or b"").hexdigest()
        before = self.known.get(path)
        if before is not None and before.digest == digest:
            self.same += 1
        elif large is not None:
            yield large
        else:
            yield from as_read(path, data or b"", digest, self.times.get(path) or self.times[""])


def _keep(engine: Engine, asker: Asker, *rows: Source) -> None:
    now = engine.clock()
    with engine.store.writing() as writer:
        writer.keep_sources(asker.namespace, [replace(row, at=now) for row in rows])


def _joined(files: TakenIn, messages: TakenIn) -> TakenIn:
    """What came of the files and of the messages. Of these only what came and went counts."""
    return files._replace(
        added=files.added + messages.added + messages.moved,
        gone=files.gone + messages.gone,
        problems=files.problems + messages.problems,
        addresses=files.addresses + messages.addresses,
    )
