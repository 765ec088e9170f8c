"""Which files of a repository are passed over by their names alone, and why: nobody should have to guess."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence

from ...ingest.file_kinds import BINARY, LEFT_BEHIND, OTHER, elsewhere, no_document
from ...ingest.item import Skipped
from ...model.source import Source
from ...repository.file_sorts import is_binary_name, is_inside_git, is_secret
from ...store.receive import redacted_name
from .file_of import file_of


def passed_over(every: Iterable[str], known: Mapping[str, Source], root: str, extra: tuple[str, ...]) -> list[Skipped]:
    """Those of `every` that none of the rows in `known` was read from, with the reason. Secrets and git's own files are
    not told: it is no news that they are left out. `extra` are more secrets to be kept out of names."""
    read = {path for path, row in known.items() if row.is_document}
    read.update(file for row in known.values() if (file := file_of(row)))
    left = ((path, _reason(path)) for path in every if path not in read)
    return [
        Skipped(redacted_name(path, extra), reason)
        for path, reason in left
        if reason and os.path.isfile(os.path.join(root, path))
    ]


def noted(origin: Source, before: Source | None, passed: Sequence[Skipped] | None) -> Source:
    """The row of a codebase with which files were passed over and how many: once told, that is no news. None: it was
    not looked at."""
    if passed is None:
        return origin._replace(digest=before.digest, size=before.size) if before is not None else origin
    names = "\0".join(one.path for one in passed)
    digest = hashlib.sha256(names.encode("utf-8", "surrogateescape")).hexdigest() if passed else ""
    return origin._replace(digest=digest, size=len(passed))


def _reason(path: str) -> str:
    suffix = os.path.splitext(path)[1].lower()
    if not suffix or is_secret(path) or is_inside_git(path):
        return ""
    if reader := elsewhere(suffix):
        return reader
    if is_binary_name(path):
        return BINARY
    return LEFT_BEHIND if no_document(path, suffix, b"") else OTHER
