"""Restore: a backup takes the place of the store. What was there is kept beside it first."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ..model.errors import Conflict, Invalid, NotAStore, StoreDamaged
from ..model.event import Head
from ..model.text import counted
from .backup import check_whole_store, checked_backup
from .engine import Asker, Engine
from .files import existing_file, kept_beside, sync_folder


class RestoredStore(NamedTuple):
    """What the backup held, what was there before (None when it could not be read), and where that was kept."""

    path: str
    dry_run: bool
    nodes: int
    head: Head
    before: Head | None
    kept: str = ""
    vectors: str = ""


def restore(
    engine: Engine, asker: Asker, path: str, *, dry_run: bool = True, confirm: bool = False, missing: str = ""
) -> RestoredStore:
    """Put everything back as the backup has it: every namespace, the log included. `missing` is where the store would
    be, if there is none."""
    check_whole_store(engine, asker)
    before = _head(engine, asker)
    source = existing_file(path, field="path")
    place = Path(missing) if missing else _place(engine)
    if source.resolve() == place.resolve():
        raise Invalid("That file is the store itself.", hint="Name a backup.", field="path")
    try:
        nodes, head = checked_backup(str(source), asker.namespace)
    except NotAStore as problem:
        hint = "`marrow backup` makes one. A bundle or an export is read by `marrow import`."
        raise NotAStore(f"{path} is no backup of a store.", hint=hint, field="path") from problem
    if dry_run:
        return RestoredStore(path, True, nodes, head, before)
    if not confirm:
        events = before.seq if before else 0
        raise Invalid(
            f"Restoring puts a memory of {counted(head.seq, 'event')} in the place of one of {events}.",
            hint="Look at it with dry_run=true, then give confirm=true. The present state is kept beside it.",
            field="confirm",
        )
    kept = kept_beside(place, "before-restore", engine.clock())
    engine.store.restore(str(source), str(kept))
    sync_folder(kept.parent)
    with engine.store.reading() as reader:
        model = reader.vector_model()
    ours = (engine.embedder.model, engine.embedder.dimensions)
    stale = bool(ours[1]) and model is not None and model != ours
    hint = "the vectors are of another model: `marrow reindex vectors`" if stale else ""
    return RestoredStore(path, False, nodes, head, before, str(kept), hint)


def _head(engine: Engine, asker: Asker) -> Head | None:
    """Where the chain ends now; None when the store is too damaged to say."""
    try:
        with engine.store.reading() as reader:
            return reader.head(asker.namespace)
    except StoreDamaged:
        return None


def _place(engine: Engine) -> Path:
    scheme, _, path = engine.store.url.partition(":")
    if scheme != "sqlite":
        raise Conflict("Only a store in a file can be restored.", hint="`marrow import` reads a bundle.", field="path")
    return Path(path)
