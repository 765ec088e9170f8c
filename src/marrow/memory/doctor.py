"""Doctor: what is wrong with the store, what to do about it, and on request the repair of all that is derived.

Canonical rows are never touched: for those there are backups.
"""

from __future__ import annotations

import shutil
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ..access.restricted import enforced
from ..model.errors import MarrowError, StoreDamaged
from ..model.scope import ADMIN, READ
from ..model.text import counted
from .audit_verify import audit_verify
from .backup import checked_backup
from .engine import Asker, Engine
from .reindex import TREE, VECTORS, WORDS, rebuild, reindex

Progress = Callable[[int, "int | None"], None]
ERROR, WARNING, NOTE = "error", "warning", "note"
FREE_BYTES_MIN = 512 * 1024**2
LOG_BYTES_MAX = 256 * 1024**2
OWNER_ONLY = 0o600
# How a backup is known by its name, and how many of them are looked into, newest first.
BACKUPS, BACKUPS_TRIED = "*backup*", 8
_CANONICAL, _INDEX, _MODEL, _TREE, _RIGHTS, _MACHINE = "canonical", "index", "model", "tree", "rights", "machine"
# Pages of what is derived that can neither be read nor dropped.
_BROKEN = "broken"
_REPAIRING = {
    _INDEX: "`marrow doctor --repair` puts it right.",
    _BROKEN: "Nothing canonical is in it. `marrow doctor --repair` makes the file anew, and keeps this one beside it.",
}
# The store is well all the same: most words have the form that they had.
_OLDER = "the keyword index was made by an older Marrow, and has other forms of some words"


class Finding(NamedTuple):
    """`severity` is error (memory is lost or in danger), warning (something works worse than it should) or note."""

    severity: str
    what: str
    do: str
    part: str = ""


class Diagnosis(NamedTuple):
    """`ok` when there is nothing above a note. `repaired` says what was done; the findings are those that remain."""

    ok: bool
    findings: tuple[Finding, ...]
    repaired: tuple[str, ...]
    counts: Mapping[str, int]


def doctor(
    engine: Engine, asker: Asker, *, repair: bool = False, missing: str = "", progress: Progress | None = None
) -> Diagnosis:
    """Look at everything; with `repair`, make again whatever is derived and look once more. `missing` is where the
    store would be, if it is not there yet."""
    asker.principal.check(ADMIN if repair else READ, asker.namespace)
    if missing:
        none = _of_nothing(Path(missing), asker)
        return Diagnosis(none.severity == NOTE, (none,), (), {})
    findings = _examined(engine, asker, progress)
    repaired: list[str] = []
    if repair and findings:
        parts = {finding.part for finding in findings}
        failed: list[Finding] = []
        try:
            repaired.extend(_repaired(engine, asker, parts, progress))  # those before one that fails are kept
        except MarrowError as problem:
            failed = [Finding(WARNING, f"the repair was not finished: {problem.message}", _instead(problem))]
        if repaired or failed:
            findings = [*failed, *_examined(engine, asker, progress)]
    is_well = all(finding.severity == NOTE for finding in findings)
    return Diagnosis(is_well, tuple(findings), tuple(repaired), _counts(engine))


def _of_nothing(place: Path, asker: Asker) -> Finding:
    """A place where nothing is kept yet, or not any more: then a backup may lie beside it."""
    if found := _newest_backup(place, asker.namespace):
        do = f"`marrow restore {found}` puts the newest backup beside it in its place."
        if place.exists():
            return Finding(ERROR, f"{place} is empty", do, _CANONICAL)
        return Finding(NOTE, f"there is no store at {place}", do, _MACHINE)
    return Finding(NOTE, f"there is no store at {place} yet", "The first save makes it.", _MACHINE)


def _instead(problem: MarrowError) -> str:
    """What helps where a repair does not. That a damaged file is to be looked at by `doctor` is known here."""
    if isinstance(problem, StoreDamaged):
        return "`marrow export FILE` writes what can be read; `marrow restore FILE` puts a backup in its place."
    return problem.hint


def _counts(engine: Engine) -> Mapping[str, int]:
    try:
        with engine.store.reading() as reader:
            return dict(reader.sizes())
    except StoreDamaged:
        return {}


def _examined(engine: Engine, asker: Asker, progress: Progress | None) -> list[Finding]:
    findings = list(_of_file(engine, asker))
    if not any(finding.severity == ERROR or finding.part == _BROKEN for finding in findings):
        findings += _of_memory(engine, asker, progress)
    return [*findings, *_of_machine(engine)]


def _restoring(engine: Engine, asker: Asker) -> str:
    """What can be done about a file that is damaged: the newest backup beside it is named, if one is sound."""
    place = _file_of(engine)
    if place is None:
        return "`marrow restore` puts a backup in its place."
    found = _newest_backup(place, asker.namespace)
    if found:
        return f"`marrow restore {found}`, the newest backup beside it, puts that in its place; the file is kept."
    return (
        "`marrow restore FILE` puts a backup in its place, and keeps the file; there is none beside it. Without one, "
        f'`sqlite3 "{place}" .recover` prints what can still be read.'
    )


def _newest_backup(place: Path, namespace: str) -> str:
    beside = [file for file in place.parent.glob(BACKUPS) if file != place and file.is_file()]
    for file in sorted(beside, key=lambda one: one.stat().st_mtime, reverse=True)[:BACKUPS_TRIED]:
        with suppress(MarrowError):  # it is no backup, or damaged itself
            checked_backup(str(file), namespace)
            return str(file)
    return ""


def _of_file(engine: Engine, asker: Asker) -> Iterator[Finding]:
    damages = engine.store.damages()
    for line in damages:
        yield Finding(ERROR, line, _restoring(engine, asker), _CANONICAL)
    if not damages:
        part = _BROKEN if engine.store.is_broken() else _INDEX
        for line in engine.store.problems():
            yield Finding(WARNING, line, _REPAIRING[part], part)
        if part != _BROKEN and engine.store.has_old_words():
            yield Finding(NOTE, _OLDER, "`marrow reindex words` makes it anew, or the daemon in time.", part)
    if engine.store.read_only and not damages:  # what is damaged is only read, whatever its permissions
        yield Finding(
            WARNING, "the store is open for reading only", "Check the permissions of the file and its folder."
        )


def _of_memory(engine: Engine, asker: Asker, progress: Progress | None) -> Iterator[Finding]:
    ours = (engine.embedder.model, engine.embedder.dimensions)
    try:
        with engine.store.reading() as reader:
            theirs = reader.vector_model()
        if ours[1] and theirs is not None and theirs != ours:
            what = f"the vectors are of {theirs[0]} ({theirs[1]} numbers), and not of {ours[0]} ({ours[1]})"
            yield Finding(WARNING, what, "`marrow reindex vectors` makes them anew.", _MODEL)
        if enforced(engine.store):
            yield Finding(NOTE, "only what a view shows was looked at", "Without the setting `view`, all of it is.")
            return
        verified = audit_verify(engine, asker, progress=progress)
    except StoreDamaged as problem:
        yield Finding(ERROR, problem.message, _restoring(engine, asker), _CANONICAL)
        return
    for line in verified.problems:
        if line in verified.derived:
            yield Finding(WARNING, line, "`marrow reindex tree` hashes it again.", _TREE)
        else:
            do = "Compare with a backup or an export: what is canonical is not repaired here."
            yield Finding(ERROR, line, do, _CANONICAL)


def _of_machine(engine: Engine) -> Iterator[Finding]:
    place = _file_of(engine)
    if place is None:
        yield Finding(NOTE, "this memory is not kept on the disk", "Name a file with MARROW_STORE to keep it.")
        return
    for file in _files(place):
        mode = stat.S_IMODE(file.stat().st_mode)
        if mode & ~OWNER_ONLY:
            yield Finding(WARNING, f"{file} can be used by others (mode {mode:o})", f"chmod 600 {file}", _RIGHTS)
    size, log = place.stat().st_size, Path(f"{place}-wal")
    free = shutil.disk_usage(place.parent).free
    if free < max(FREE_BYTES_MIN, size):
        what = f"{free:,} bytes are free on the disk, and the store has {size:,}"
        yield Finding(WARNING, what, "Free some space: an erasure needs as much again as the store has.", _MACHINE)
    if log.exists() and log.stat().st_size > LOG_BYTES_MAX:
        what = f"the log has {log.stat().st_size:,} bytes: a reader that does not end keeps it from being emptied"
        yield Finding(WARNING, what, "Stop programs that have the store open, then open it again.", _MACHINE)


def _file_of(engine: Engine) -> Path | None:
    scheme, _, path = engine.store.url.partition(":")
    return Path(path) if scheme == "sqlite" else None


def _files(place: Path) -> list[Path]:
    return [file for suffix in ("", "-wal", "-shm") if (file := Path(f"{place}{suffix}")).exists()]


def _repaired(engine: Engine, asker: Asker, parts: set[str], progress: Progress | None) -> Iterator[str]:
    """Each repair that was done, in words. One that cannot be done raises, and leaves its finding."""
    if _RIGHTS in parts:
        place = _file_of(engine)
        for file in _files(place) if place else ():
            file.chmod(OWNER_ONLY)
        yield "took the rights to the files from others"
    if engine.store.read_only:
        return
    if _BROKEN in parts:
        lost = rebuild(engine, asker, progress=progress)
        yield "made the file anew, with its keyword index and tree; the broken one is kept beside it"
        if gone := [part for part in lost if part != VECTORS]:
            yield f"kept what could be read of {', '.join(gone)}"
    if _TREE in parts:
        made = reindex(engine, asker, TREE, progress=progress)
        yield f"hashed the tree again in {counted(made.trees, 'namespace')}"
    if _INDEX in parts:
        made = reindex(engine, asker, WORDS, progress=progress)
        yield f"made the keyword index again: {counted(made.words, 'entry')}"
    with engine.store.reading() as reader:
        sizes = reader.sizes()
    is_short = bool(parts & {_INDEX, _BROKEN}) and sizes["vectors"] < sizes["entries"]
    if engine.embedder.dimensions and (_MODEL in parts or is_short):
        made = reindex(engine, asker, VECTORS, progress=progress)
        yield f"made {counted(made.vectors, 'vector')} with {made.model}"
    if _INDEX in parts and engine.store.problems():
        engine.store.sweep()
        yield "swept the file: nothing of what was erased is left in it"
