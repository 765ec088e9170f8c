"""Backup: the whole store as one file, checked before it gets its name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from ..model.errors import Forbidden, StoreDamaged
from ..model.event import Head
from ..model.scope import ADMIN, LOCAL_NAMESPACE
from ..store import open_store
from .audit_verify import altered_nodes
from .engine import Asker, Engine
from .files import checked_target, sync_folder


class BackedUp(NamedTuple):
    """Where the backup lies, and where the caller's chain ends in it. `altered` names what is not what it was when it
    was saved: the file is sound all the same, and a backup of it better than none."""

    path: str
    bytes: int
    nodes: int
    head: Head
    altered: tuple[str, ...] = ()


def backup(engine: Engine, asker: Asker, path: str) -> BackedUp:
    """A copy that can be restored, or opened as a store. Writers need not stop for it."""
    check_whole_store(engine, asker)
    target = checked_target(path)
    partial = target.with_name(f".{target.name}.{os.getpid()}.partial")
    try:
        engine.store.backup(str(partial))
        made = checked_backup(str(partial), asker.namespace)
        altered = _altered(str(partial))
        os.replace(partial, target)
    finally:
        for suffix in ("", "-wal", "-shm", "-journal"):
            Path(f"{partial}{suffix}").unlink(missing_ok=True)
    sync_folder(target.parent)
    return BackedUp(str(target), target.stat().st_size, *made, altered)


def _altered(path: str) -> tuple[str, ...]:
    copy = open_store(path, read_only=True, as_it_is=True)
    try:
        with copy.reading() as reader:
            return tuple(altered_nodes(reader))
    finally:
        copy.close()


def check_whole_store(engine: Engine, asker: Asker) -> None:
    """A store is one file with every namespace in it. Whoever works on the machine owns it; a tenant among others
    must not carry off or turn back the memory of the others."""
    asker.principal.check(ADMIN, asker.namespace)
    if asker.principal.namespace == LOCAL_NAMESPACE:
        return
    try:
        with engine.store.reading() as reader:
            is_shared = any(name != asker.namespace for name in reader.namespaces())
    except StoreDamaged:
        is_shared = True
    if is_shared:
        raise Forbidden(
            "This store is shared with other namespaces.", hint="Ask who runs it, or use `marrow export`.", field="path"
        )


def checked_backup(path: str, namespace: str) -> tuple[int, Head]:
    """How many nodes a backup holds and where the chain ends in it. One that is damaged is refused."""
    copy = open_store(path, read_only=True, as_it_is=True)
    try:
        damages = copy.damages()
        if damages:
            raise StoreDamaged(f"{path} is damaged: {damages[0]}.", hint="`marrow doctor` says more about the store.")
        with copy.reading() as reader:
            return reader.sizes()["nodes"], reader.head(namespace)
    finally:
        copy.close()
