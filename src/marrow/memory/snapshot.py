"""Snapshots: named roots. A snapshot is a sequence number with a name, so keeping one costs nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ..model.change import SAME, Receipt, RestoreTo, TakeSnapshot
from ..model.draft import check_tags
from ..model.errors import Invalid, NotFound
from ..model.event import Head, Snapshot
from ..model.moments import is_time
from ..model.nearest import nearest
from ..model.record import CURRENT
from ..model.scope import ADMIN, READ
from ..model.text import counted
from ..model.text import name as short_name
from ..store.protocol import Reader
from .differences import Differences, differences
from .engine import Asker, Engine, seen_snapshots, sequence, submit
from .taking_in.resettle import resettle


class Snapshots(NamedTuple):
    """Every snapshot of the namespace, oldest first, and where its chain ends now."""

    items: tuple[Snapshot, ...]
    head: Head


class Restored(NamedTuple):
    """What a restore changed, or would change. `undo` is the number to restore to in order to take it back."""

    to: int
    dry_run: bool
    changes: Differences
    receipt: Receipt | None = None
    undo: int | None = None


def snapshot_create(engine: Engine, asker: Asker, name: str, tags: Sequence[str] = (), note: str = "") -> Snapshot:
    """Name the memory as it is now."""
    chosen = short_name(name, field="name")
    if chosen.isdigit():
        raise Invalid(
            "A snapshot's name is not a number: those are sequence numbers.", hint="Add a word.", field="name"
        )
    if is_time(chosen):
        raise Invalid(
            f"{chosen!r} reads as a time, which `as_of` also takes.",
            hint=f"Add a word: “before {chosen}”. A time needs no snapshot.",
            field="name",
        )
    step = TakeSnapshot(chosen, check_tags(tags), short_name(note, field="note", length_max=1000) if note else "")
    receipt = submit(engine, asker, "snapshot_create", [step], summary="take a snapshot")
    with engine.store.reading() as reader:
        return next(s for s in reader.snapshots(asker.namespace) if s.seq == receipt.seq)


def snapshot_list(engine: Engine, asker: Asker, tags: Sequence[str] = ()) -> Snapshots:
    """Those that have all of these tags."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    wanted = set(check_tags(tags))
    with engine.store.reading() as reader:
        seen = seen_snapshots(reader, asker)
        return Snapshots(tuple(one for one in seen if wanted.issubset(one.tags)), reader.head(asker.namespace))


def snapshot_diff(engine: Engine, asker: Asker, a: object, b: object = None) -> Differences:
    """How the memory at `b` (now, when not given) differs from the one at `a`: each a snapshot, a number or a time."""
    now = engine.clock()
    with engine.store.reading() as reader:
        start, end = _point(reader, asker, a, now, "a"), _point(reader, asker, b, now, "b")
        return differences(reader, asker.namespace, asker.everywhere(), start, end)


def snapshot_restore(
    engine: Engine,
    asker: Asker,
    name: object,
    dry_run: bool = True,
    confirm: bool = False,
    *,
    everywhere: bool = False,
) -> Restored:
    """Make the project at hand, or every project, stand as it did then, without lowering a classification or changing a
    view. A restore is an event, and can be undone."""
    places = None if everywhere else (asker.scope.project,)
    asker.principal.check(ADMIN, asker.namespace)
    if name is None or name == "":
        raise Invalid("It is not said what to restore to.", hint="Name a snapshot, a number or a time.", field="name")
    with engine.store.reading() as reader:
        to = _point(reader, asker, name, engine.clock(), "name")
        head = reader.head(asker.namespace).seq
        changes = differences(reader, asker.namespace, places, head, to, is_restore=True)
    if dry_run:
        return Restored(to, True, changes)
    if not confirm:
        raise Invalid(
            f"Restoring to {to} changes the standing of {counted(len(changes.items), 'node')}.",
            hint="Look at it with dry_run=true, then give confirm=true.",
            field="confirm",
        )
    receipt = submit(engine, asker, "snapshot_restore", [RestoreTo(to, places)], summary=f"restore to {to}")
    has_changed = receipt.outcomes[0].what != SAME
    with engine.store.reading() as reader:
        touched = places or [project.name for project in reader.projects(asker.namespace)]
    for project in touched if has_changed else ():
        resettle(engine, asker, project)
    return Restored(to, False, changes, receipt, receipt.seq - 1 if has_changed else None)


def _point(reader: Reader, asker: Asker, given: object, now: int, argument: str) -> int:
    """A sequence number that is known: now is the last one. A name that is none is said to be none."""
    try:
        found = sequence(reader, asker, given, now)
    except Invalid as problem:
        known = [snapshot.name for snapshot in seen_snapshots(reader, asker)]
        close = nearest(str(given), known) if known else ""
        near = f"Did you mean {close!r}?" if close else "`marrow snapshot list` shows them."
        raise NotFound(
            f"{str(given)[:80]!r} is no snapshot, sequence number or time.", hint=near, field=argument
        ) from problem
    return reader.head(asker.namespace).seq if found == CURRENT else found


__all__ = ["Restored", "Snapshots", "snapshot_create", "snapshot_diff", "snapshot_list", "snapshot_restore"]
