"""The project's files by their names, with what is known about each."""

from __future__ import annotations

import os
from typing import NamedTuple

from ..model.errors import Invalid
from ..model.scope import READ
from .engine import Asker, Engine
from .known_here import Known, known_here
from .project_files import listed, matches_glob, project_folder, project_root

FILES_MAX = 2_000
PATTERN_LENGTH_MAX = 500


class Globbed(NamedTuple):
    """`found` is how many there are; `files` are the first of them by name."""

    files: tuple[tuple[str, tuple[Known, ...]], ...]
    found: int


def glob(engine: Engine, asker: Asker, pattern: str, path: str = "") -> Globbed:
    """The files whose path below `path` matches: `*.py` by name anywhere, `src/**/*.ts` by folder."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    if not pattern.strip() or len(pattern) > PATTERN_LENGTH_MAX or "\0" in pattern:
        raise Invalid("A pattern is a name with wildcards.", hint="For example *.py or src/**/*.ts.", field="pattern")
    root = project_root(asker)
    folder = project_folder(root, path)
    start = f"{folder}/" if folder else ""
    matching = (name for name in listed(root, folder) if matches_glob(name.removeprefix(start), pattern.strip()))
    names = sorted(name for name in matching if _is_there(root, name))
    kept = names[:FILES_MAX]
    with engine.store.reading() as reader:
        known = known_here(reader, asker, kept, engine.clock())
    return Globbed(tuple((name, tuple(known.get(name, []))) for name in kept), len(names))


def _is_there(root: str, name: str) -> bool:
    """Git tells of files too that were deleted, or that lie beyond a link which took the place of their folder."""
    folder, _, _ = name.rpartition("/")
    whole = os.path.join(root, folder)
    return os.path.lexists(os.path.join(root, name)) and os.path.realpath(whole) == os.path.normpath(whole)
