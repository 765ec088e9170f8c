"""Take in what was committed since the last time, from git's objects alone: what is uncommitted or ignored stays out.

A row says which commit was read last, and while a run goes on which one it is about; so it stays while git lacks files.
The trees of two commits are compared, so it does not matter whether history was rewritten between them. Where the last
commit is gone, a run was broken off, or other files are to be left out, the whole tree is compared with what was read.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from ...ingest.item import Item, Skipped
from ...model.errors import Unavailable
from ...model.moments import micros
from ...model.source import CODEBASE, CURSOR, NO_ADDRESS, SKIPPED, Source
from ...model.text import name as short_name
from ...repository.changed import Stamp, commit_moment, commit_named, stamp
from ...repository.first_added import FirstAdded
from ...repository.head import head_of, repository_at
from ...repository.ignored import ignored
from ...repository.last_changed import last_changed
from ...repository.own_builds import may_be_own
from ...repository.tree import Blob, contents, lacking, tree_changes, tree_of
from ..engine import Asker, Engine
from .bookmark import bookmark, keep_bookmark
from .codebase import (
    BY_ANOTHER,
    MICROS,
    Ingested,
    as_read,
    bytes_max,
    is_chosen,
    origin_of,
    service_of,
    too_large,
)
from .kept_path import kept_path
from .passed_over import noted
from .rewritten import is_waiting
from .settled import SETTLE
from .shelf import Shelf
from .symbols_left import symbols_left
from .take_in import Progress, TakenIn, take_in
from .talk import ingest_history

OPERATION = "ingest_committed"
# The row that says which commit was read last; its digest is the one that a run is about, until that is done.
COMMITTED = "#committed"
# The row that says by which patterns files were left out then.
IGNORED = "#ignored"
# What `kept_path` puts behind a name that held a secret.
_MARKED = re.compile(r"~[0-9a-f]{8}\Z")
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
    patterns = _digest_of(engine.ignore_extra)
    choice = _Choice(engine, is_other=bookmark(engine, asker, named, IGNORED).get("digest", "") != patterns)
    if not head or (last is not None and (last.title, last.digest) == (head, "") and not choice.is_other):
        return Ingested(named, folder, 0, 0, _left_since(engine, asker, folder, named) if head else TakenIn())
    shelf = Shelf(engine, asker)
    known = shelf.of(named)
    before = known.get(CODEBASE)
    before = before if before is not None and before.kind == CURSOR else None
    origin = noted(origin_of(asker, folder, named, before), before, None)
    due = _due(folder, known, last, head, choice)
    row = Source(asker.scope.project, named, COMMITTED, CURSOR, NO_ADDRESS, title=last.title if last else "")
    _keep(engine, asker, row._replace(digest=head))
    times = _times(folder, due.blobs, head, engine.clock())
    reading = _Reading(folder, known, times, FirstAdded(folder), choice.kept, lacking(folder, head))
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
    said = ingest_history(engine, asker, repo_path=folder, service=named, progress=progress, is_asked=False).taken
    _keep(engine, asker, origin, row._replace(digest=head) if reading.lacks else row._replace(title=head))
    if choice.is_other:
        keep_bookmark(engine, asker, named, IGNORED, {"digest": patterns})
    taken = taken._replace(unchanged=taken.unchanged + reading.same + due.left)
    looked_at = len(due.blobs) + due.left
    return Ingested(named, folder, looked_at, len(due.blobs), _joined(taken, said))


def last_committed(engine: Engine, asker: Asker, service: str) -> Source | None:
    """The row of the commit that was read last for a service."""
    with engine.store.reading() as reader:
        found = reader.sources(asker.namespace, (asker.scope.project,), service=service, path=COMMITTED)
    return next((source for source in found if source.kind == CURSOR), None)


def _left_since(engine: Engine, asker: Asker, root: str, service: str) -> TakenIn:
    """HEAD is where it was. A branch that held earlier commits may be gone: a rebase moves it last. And the symbols of
    commits may be left to be found."""
    if not is_waiting(engine, asker, service) and not symbols_left(engine, asker, service):
        return TakenIn()
    return _joined(TakenIn(), ingest_history(engine, asker, repo_path=root, service=service, is_asked=False).taken)


class _Due(NamedTuple):
    """Files to be read, paths that are no longer there, and how many files were left as they are."""

    blobs: list[Blob]
    gone: list[str]
    left: int = 0


class _Choice:
    """Which files are ours to read. `is_other`: it is another choice than the last time."""

    def __init__(self, engine: Engine, *, is_other: bool) -> None:
        self._extra = engine.redact_extra
        self._is_ignored = ignored(engine.ignore_extra)
        self.is_other = is_other

    def takes(self, path: str) -> bool:
        return _is_ours(path) and not self._is_ignored(path)

    def kept(self, path: str) -> str:
        """A path as the rows have it: without a secret."""
        return kept_path(path, self._extra)


def _digest_of(patterns: Sequence[str]) -> str:
    """Tells patterns from others: what they say is not for the store. Empty for none."""
    return hashlib.sha256("\0".join(patterns).encode("utf-8", "replace")).hexdigest() if patterns else ""


def _due(root: str, known: Mapping[str, Source], last: Source | None, head: str, choice: _Choice) -> _Due:
    is_whole_run = last is not None and last.title and last.digest in ("", head) and not choice.is_other
    if last is not None and is_whole_run and commit_named(root, last.title):
        with suppress(Unavailable):  # a part of what it was is gone from git
            came, went = tree_changes(root, last.title, head)
            left = [choice.kept(path) for path in went if not BY_ANOTHER.match(path)]
            return _Due([b for b in came if choice.takes(b.path)], [path for path in left if path in known])
    every = [blob for blob in tree_of(root, head) if choice.takes(blob.path)]
    there = {choice.kept(blob.path) for blob in every}
    # What ingest_codebase read here, and lies here unchanged, stays as it was read: somebody has asked for it.
    kept = {path for path, source in known.items() if choice.takes(path) and _is_on_disk(root, path, source)}
    blobs = [blob for blob in every if blob.path not in kept]
    gone = [path for path in known if _is_ours(_MARKED.sub("", path)) and path not in there and path not in kept]
    return _Due(blobs, gone, len(every) - len(blobs))


def _is_ours(path: str) -> bool:
    return is_chosen(path) and not BY_ANOTHER.match(path)


def _is_on_disk(root: str, path: str, source: Source) -> bool:
    """Whether a file was read from the disk, and has not changed there. What comes from commits has no time."""
    return (
        bool(source.mtime_ns)
        and not _is_own_now(path, source)
        and stamp(root, path) == Stamp(source.size, source.mtime_ns)
    )


def _is_own_now(path: str, before: Source) -> bool:
    """Whether what was left out, since it lay in a folder of what is built, is somebody's own once it is committed."""
    return before.kind == SKIPPED and may_be_own(path, before.size)


def _times(root: str, blobs: Sequence[Blob], head: str, now: int) -> Mapping[str, int]:
    """When each was last committed, in microseconds; under "" the time of the commit for those that are not told."""
    at = commit_moment(root, head)
    found = last_changed(root, [blob.path for blob in blobs])
    return {"": micros(at) if at is not None else now} | {path: time * MICROS for path, time in found.items()}


@dataclass
class _Reading:
    """Files of a commit as items. `same` counts those that were read before, and hold what they held; `lacks` says that
    git did not have one."""

    root: str
    known: Mapping[str, Source]
    times: Mapping[str, int]
    added: FirstAdded
    kept: Callable[[str], str]
    lacking: Collection[str]
    same: int = 0
    lacks: bool = False

    def items(self, blobs: Sequence[Blob]) -> Iterator[Item | Skipped]:
        for blob in blobs:
            if blob.object in self.lacking:
                yield self._lacked(blob.path)
        there = [blob for blob in blobs if blob.object not in self.lacking]
        for (path, _), size, data in contents(self.root, there, bytes_max):
            if size < 0:
                yield self._lacked(path)
            elif data is not None and data.startswith(_POINTER):
                yield Skipped(path, "what it holds is kept by git-lfs, and not in git itself")
            else:
                yield from self._read(path, size, data)

    def _lacked(self, path: str) -> Skipped:
        self.lacks = True
        return Skipped(path, "git does not have it: a partial clone may not have fetched it yet")

    def _read(self, path: str, size: int, data: bytes | None) -> Iterator[Item | Skipped]:
        large = too_large(path, size) if data is None else None
        digest = large.digest if large is not None else hashlib.sha256(data or b"").hexdigest()
        before = self.known.get(self.kept(path))
        if before is not None and before.digest == digest and not _is_own_now(path, before):
            self.same += 1
        elif large is not None:
            yield large
        else:
            at = self.times.get(path) or self.times[""]
            yield from as_read(path, data or b"", digest, at, self.added, is_own=may_be_own(path, size))


def _keep(engine: Engine, asker: Asker, *rows: Source) -> None:
    now = engine.clock()
    with engine.store.writing() as writer:
        writer.keep_sources(asker.namespace, [row._replace(at=now) for row in rows])


def _joined(files: TakenIn, messages: TakenIn) -> TakenIn:
    """What came of the files and of the messages. Of these only what came and went counts."""
    return files._replace(
        added=files.added + messages.added + messages.moved,
        gone=files.gone + messages.gone,
        problems=files.problems + messages.problems,
        addresses=files.addresses + messages.addresses,
    )
