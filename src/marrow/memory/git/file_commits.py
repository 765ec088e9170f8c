"""The history of a file across its renames: from the index where it has been made, else from git."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from ...model.redact import redact
from ...model.scope import READ
from ...repository.file_history import FileCommit, checked_limit, file_history
from ...repository.head import repository_at
from ..engine import Asker, Engine
from .commit_file import CommitReader, Stand
from .commit_index import commit_index

# How many names a file can have had.
NAMES_MAX = 64
_FAR = 2**62
_WORDS = {"A": "added", "D": "deleted", "R": "renamed", "C": "copied", "r": "moved away"}


def file_commits(
    engine: Engine, asker: Asker, root: str | os.PathLike[str], path: str, limit: int = 10
) -> tuple[FileCommit, ...]:
    """The commits that changed a file, the latest first. `path` is from the repository's root; it may be gone."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    checked_limit(limit)
    place = repository_at(root)
    index = commit_index(engine, place)
    if not index.is_made(place):
        found = file_history(root, path, limit)
        return tuple(_redacted(one) for one in found)
    stand = index.update(place)
    with index.reading() as reader:
        return tuple(_followed(reader, stand, path, limit))


def _followed(reader: CommitReader, stand: Stand, path: str, limit: int) -> list[FileCommit]:
    found: list[FileCommit] = []
    below = _FAR
    for _ in range(NAMES_MAX):
        before = ""
        touches = reader.touches(path, below, limit + len(stand.missing))
        seen = [touch for touch in touches if touch.number not in stand.missing]
        for touch, row in zip(seen, reader.rows([touch.number for touch in seen]), strict=True):
            at = datetime.fromtimestamp(row.at, UTC)
            what, other = _WORDS.get(touch.what, "modified"), touch.other if touch.what in "RC" else ""
            found.append(FileCommit(row.hash, row.author, at, row.subject, what, path, other))
            if touch.what == "R":
                below, before = touch.number, touch.other
                break
            if len(found) >= limit:
                return found
        if not before or len(found) >= limit:
            return found[:limit]
        path = before
    return found[:limit]


def _redacted(one: FileCommit) -> FileCommit:
    return FileCommit(one.hash, one.author, one.at, redact(one.subject).text, one.what, one.path, one.before)
