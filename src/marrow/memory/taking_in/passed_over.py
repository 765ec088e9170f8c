"""Which files of a repository are passed over by their names alone, and why: nobody should have to guess."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence

from ...ingest.file_kinds import BINARY, LEFT_BEHIND, OTHER, elsewhere, no_document
from ...ingest.item import Skipped
from ...model.source import CURSOR, SKIPPED, Source
from ...repository.file_sorts import is_binary_name, is_inside_git, is_secret
from ...store.receive import redacted_name
from ..engine import Asker, Engine
from .file_of import file_of


def passed_over(
    engine: Engine, asker: Asker, service: str, every: Iterable[str], known: Mapping[str, Source], root: str
) -> list[Skipped]:
    """Those of `every` that nothing was read from, with the reason: neither for the service whose rows are `known`, nor
    one by one for another of the project. Secrets and git's own files are not told: it is no news that they
    are left out."""
    read = {path for path, row in known.items() if row.is_document}
    left = [(path, reason) for path in every if path not in read and (reason := _reason(path))]
    if not left:
        return []
    taken = read_one_by_one(engine, asker, service, known, root)
    files = ((os.path.join(root, path), path, reason) for path, reason in left)
    return [
        Skipped(redacted_name(path, engine.redact_extra), reason)
        for file, path, reason in files
        if file not in taken and os.path.isfile(file)
    ]


def read_one_by_one(engine: Engine, asker: Asker, service: str, known: Mapping[str, Source], root: str) -> set[str]:
    """The files that were read one by one, for the service whose rows are `known` or for another of the project."""
    with engine.store.reading() as reader:
        rest = reader.sources(asker.namespace, (asker.scope.project,), but_service=service)
    top = os.path.realpath(asker.root) if asker.root else root
    return _one_by_one([row for path, row in known.items() if ":" in path] + rest, top)


def _one_by_one(rows: Iterable[Source], top: str) -> set[str]:
    """The files that were read one by one, for whatever service; those in the project are named from its top. Of a
    service that was read as a whole, a path without a word before it may lie in another repository."""
    every = [row for row in rows if row.kind != SKIPPED]
    whole = {row.service for row in every if row.kind == CURSOR}
    names = (file_of(row) or ("" if row.service in whole else row.path) for row in every)
    return {os.path.join(top, name) for name in names if name}


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
    if reader := elsewhere(suffix, path):
        return reader
    if is_binary_name(path):
        return BINARY
    return LEFT_BEHIND if no_document(path, suffix, b"") else OTHER
