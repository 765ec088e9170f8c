"""knowledge: what the organisation knows. Here so far: snapshots, and the lineage of a node."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from ..memory.influences import Influence, influences
from ..memory.lineage import lineage
from ..memory.snapshot import snapshot_create as create
from ..memory.snapshot import snapshot_diff as compare
from ..memory.snapshot import snapshot_list as list_all
from ..memory.snapshot import snapshot_restore as restore
from ..model.address import shown
from ..model.errors import Invalid
from ..model.moments import iso
from ..model.scope import ADMIN, WRITE
from ..model.text import first_line
from .filters import EVERY_PROJECT, in_project
from .origins import DiffResult, diff_result, origin_shape
from .table import Call, operation


class SnapshotResult(NamedTuple):
    name: str
    seq: int
    root: str
    at: str
    tags: tuple[str, ...] = ()

    def text(self) -> str:
        return f"snapshot {self.name} at event {self.seq}, root {self.root[:16]}…"


@operation("knowledge", right=WRITE, changes=True, aliases=("create_snapshot",), spellings={"note": ("description",)})
def snapshot_create(call: Call, name: str, tags: list[str] | None = None, note: str = "") -> SnapshotResult:
    """Name this moment, so that any read can be asked `as_of` it. Costs nothing."""
    done = create(call.engine, call.asker, name, tags or (), note)
    return SnapshotResult(done.name, done.seq, done.root, iso(done.at), done.tags)


class SnapshotList(NamedTuple):
    items: tuple[dict[str, Any], ...]
    left_out: int = 0

    def text(self) -> str:
        lines = [
            f"{s['name']}: event {s['seq']}, {s['at']}, root {s['root'][:16]}…"
            f"{' #' + ' #'.join(s['tags']) if s['tags'] else ''}{' ' + s['note'] if s['note'] else ''}"
            for s in self.items
        ]
        return "\n".join(lines) or "No snapshot yet."


@operation("knowledge", aliases=("list_snapshots",))
def snapshot_list(call: Call) -> SnapshotList:
    """The snapshots, oldest first."""
    found = list_all(call.engine, call.asker)
    return SnapshotList(
        tuple(
            {"name": s.name, "seq": s.seq, "root": s.root, "at": iso(s.at), "tags": list(s.tags), "note": s.note}
            for s in found.items
        )
    )


@operation("knowledge")
def snapshot_diff(
    call: Call, a: Annotated[str, "snapshot, sequence number or time"], b: Annotated[str, "default: now"] = ""
) -> DiffResult:
    """What differs between two moments."""
    return diff_result(compare(call.engine, call.asker, a, b or None))


class RestoreResult(NamedTuple):
    """`undo` is the sequence number that a restore back would name."""

    to: int
    dry_run: bool
    added: int
    changed: int
    removed: int
    items: tuple[dict[str, Any], ...]
    seq: int = 0
    undo: int | None = None
    left_out: int = 0

    def text(self) -> str:
        verb = "would change" if self.dry_run else "changed"
        lines = [
            f"restore to event {self.to} {verb}: {self.added} come back, {self.changed} differ, {self.removed} leave"
        ]
        lines += [f"  {item['what']} [{item['address']}] {item['title']}" for item in self.items]
        lines.append("Nothing was changed yet." if self.dry_run else f"To undo it, restore to {self.undo}.")
        return "\n".join(lines)


@operation("knowledge", right=ADMIN, changes=True, destructive=True)
def snapshot_restore(
    call: Call,
    name: Annotated[str, "snapshot, sequence number or time"],
    project: Annotated[str, "default: this one; all: every one"] = "",
    dry_run: bool = True,
    confirm: bool = False,
) -> RestoreResult:
    """Make everything in this project stand as it did then. It is an event like any other, and can be undone.

    By default it only says what would change; dry_run=false with confirm=true does it.
    """
    every = project == EVERY_PROJECT
    asker = in_project(call, project) if project and not every else call.asker
    done = restore(call.engine, asker, name, dry_run, confirm, everywhere=every)
    changes = diff_result(done.changes)
    return RestoreResult(
        to=done.to,
        dry_run=done.dry_run,
        added=changes.added,
        changed=changes.changed,
        removed=changes.removed,
        items=changes.items,
        seq=done.receipt.seq if done.receipt else 0,
        undo=done.undo,
    )


class LineageResult(NamedTuple):
    """Back to the leaves, and forward to what was made from it. Of a file or commit: its edits, and what the memory had
    told the session before each."""

    address: str
    items: tuple[dict[str, Any], ...]
    followed: tuple[dict[str, Any], ...] = ()
    superseded_by: tuple[str, ...] = ()
    edits: tuple[dict[str, Any], ...] = ()
    left_out: int = 0

    def text(self) -> str:
        if not self.address:
            lines = [line for edit in self.edits for line in _edit_lines(edit)]
            return "\n".join(lines) or "No session was seen to edit that."
        lines = ["came from:"]
        lines += [f"  {'  ' * i['distance']}{i['via']} [{i['address']}] {i['title']}" for i in self.items]
        lines += ["led to:"]
        lines += [f"  {'  ' * i['distance']}{i['via']} [{i['address']}] {i['title']}" for i in self.followed]
        return "\n".join(lines)


def _edit_lines(edit: dict[str, Any]) -> list[str]:
    told = [f"    [{t['address']}] {t['title']} (told {t['at']}, {t['event']})" for t in edit["told"]]
    head = f"{edit['at']}  [{edit['address']}] {edit['title']}  (session {edit['session']})"
    return [head, *(["  had been told:", *told] if told else ["  had been told nothing"])]


@operation("knowledge", name="lineage")
def lineage_of(
    call: Call,
    address: str = "",
    as_of: str = "",
    file: Annotated[str, "instead: its edits, and what the memory had told before"] = "",
    commit: Annotated[str, "instead: the same for the edits between the last commit and this one"] = "",
) -> LineageResult:
    """Who, when, from what: a memory's origins, and what came of it. Or which memories came before an edit."""
    if sum(map(bool, (address, file, commit))) != 1:
        raise Invalid("One of address, file and commit is needed.", hint="Give one of them.", field="address")
    if not address:
        found_edits = influences(call.engine, call.asker, file=file, commit=commit)
        return LineageResult("", (), edits=tuple(_edit_shape(one) for one in found_edits))
    found = lineage(call.engine, call.asker, address, as_of)
    origins = (found.provenance.node, *found.provenance.origins)
    return LineageResult(
        address=shown(found.provenance.node.address),
        items=tuple(origin_shape(origin) for origin in origins),
        followed=tuple(origin_shape(origin) for origin in found.followed),
        superseded_by=tuple(shown(address) for address in found.superseded_by),
    )


def _edit_shape(one: Influence) -> dict[str, Any]:
    return {
        "address": shown(one.edit.node.address),
        "title": first_line(one.edit.node.content, 100),
        "at": iso(one.at),
        "session": one.session,
        "turn": one.turn,
        "told": [
            {
                "address": shown(told.address),
                "title": first_line(record.node.content, 100) if record else "(no longer there)",
                "at": iso(told.at),
                "event": told.event,
                "file": told.file,
                "tokens": told.tokens,
            }
            for told, record in one.told
        ],
    }
