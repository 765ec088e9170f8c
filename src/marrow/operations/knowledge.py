"""knowledge: what the organisation knows. Here so far: snapshots, and the lineage of a node."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from ..memory.influences import Influence, influences
from ..memory.lineage import Read, lineage, read_from
from ..memory.provenance import Said
from ..memory.snapshot import snapshot_create as create
from ..memory.snapshot import snapshot_diff as compare
from ..memory.snapshot import snapshot_list as list_all
from ..memory.snapshot import snapshot_restore as restore
from ..model.address import shown
from ..model.derivation import Derived
from ..model.errors import Invalid, NotFound
from ..model.event import Event
from ..model.moments import iso
from ..model.record import Record
from ..model.scope import ADMIN, EVERY_PROJECT, WRITE
from ..model.source import Source
from ..model.text import first_line
from .filters import in_project
from .origins import DiffResult, diff_result, item_line, origin_shape
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
    tags: tuple[str, ...] = ()

    def text(self) -> str:
        lines = [
            f"{s['name']}: event {s['seq']}, {s['at']}, root {s['root'][:16]}…"
            f"{' #' + ' #'.join(s['tags']) if s['tags'] else ''}{' ' + s['note'] if s['note'] else ''}"
            for s in self.items
        ]
        return "\n".join(lines) or ("No snapshot has these tags." if self.tags else "No snapshot yet.")


@operation("knowledge", aliases=("list_snapshots",))
def snapshot_list(call: Call, tags: Annotated[list[str] | None, "only those with all of these"] = None) -> SnapshotList:
    """The snapshots, oldest first."""
    found = list_all(call.engine, call.asker, tags or ())
    return SnapshotList(
        tuple(
            {"name": s.name, "seq": s.seq, "root": s.root, "at": iso(s.at), "tags": list(s.tags), "note": s.note}
            for s in found.items
        ),
        tags=tuple(tags or ()),
    )


@operation("knowledge")
def snapshot_diff(
    call: Call, a: Annotated[str, "snapshot, sequence number or time"], b: Annotated[str, "default: now"] = ""
) -> DiffResult:
    """What differs between two moments."""
    return diff_result(compare(call.engine, call.asker, a, b or None))


class RestoreResult(NamedTuple):
    """`undo` is the sequence number that a restore back would name. `kept_closed` counts those that were more
    open then: they stay classified as they are."""

    to: int
    dry_run: bool
    added: int
    changed: int
    removed: int
    items: tuple[dict[str, Any], ...]
    seq: int = 0
    undo: int | None = None
    left_out: int = 0
    kept_closed: int = 0

    def text(self) -> str:
        verb = "would change" if self.dry_run else "changed"
        counts = ((self.added, "come", " back"), (self.changed, "differ", ""), (self.removed, "leave", ""))
        told = ", ".join(f"{count:,} {does}{'s' if count == 1 else ''}{how}" for count, does, how in counts)
        lines = [f"restore to event {self.to} {verb}: {told}"]
        lines += [f"  {item['what']} {item_line(item)}" for item in self.items]
        lines += [f"  ({self.left_out:,} more: raise budget_tokens)"] if self.left_out else []
        if self.kept_closed:
            stay = "stays closed: it was" if self.kept_closed == 1 else "stay closed: they were"
            lines.append(f"{self.kept_closed:,} {stay} more open then.")
        if self.dry_run:
            lines.append("Nothing was changed yet: dry_run=false with confirm=true does it.")
        else:
            lines.append("Nothing had changed." if self.undo is None else f"To undo it, restore to {self.undo}.")
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

    Of two classifications the stricter one holds, and views stay as they are.
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
        kept_closed=done.changes.kept_closed,
    )


class LineageResult(NamedTuple):
    """Who, when, from what, with which model. `items` go back to the leaves, `followed` on to what was made from it.
    Of a file or commit: what was read from it, its edits, and what the memory had told the session before each."""

    address: str
    items: tuple[dict[str, Any], ...]
    followed: tuple[dict[str, Any], ...] = ()
    superseded_by: tuple[str, ...] = ()
    events: tuple[dict[str, Any], ...] = ()
    said: tuple[dict[str, Any], ...] = ()
    versions: tuple[dict[str, Any], ...] = ()
    sources: tuple[dict[str, Any], ...] = ()
    derived: tuple[dict[str, Any], ...] = ()
    read: tuple[dict[str, Any], ...] = ()
    edits: tuple[dict[str, Any], ...] = ()
    left_out: int = 0

    def text(self) -> str:
        if not self.address:
            lines = [line for one in self.read for line in _read_lines(one)]
            lines += [line for edit in self.edits for line in _edit_lines(edit)]
            return "\n".join(lines) or "Nothing was read from it, and no session was seen to edit it."
        lines = ["came from:"]
        lines += [f"  {'  ' * i['distance']}{i['via']} [{i['address']}] {i['title']}" for i in self.items]
        lines += ["led to:"]
        lines += [f"  {'  ' * i['distance']}{i['via']} [{i['address']}] {i['title']}" for i in self.followed]
        return "\n".join([*lines, *_told_lines(self._asdict())])


def _told_lines(told: Mapping[str, Any]) -> list[str]:
    """Where it was said, by which events it came to stand as it does, its versions, and what was derived from it."""
    lines = []
    for part, line_of in (("said", _said_line), ("events", _event_line), ("derived", _derived_line)):
        if told[part]:
            lines += [f"{part}:", *(f"  {line_of(one)}" for one in told[part])]
    if len(told.get("versions", ())) > 1:
        lines += ["versions:", *(f"  [{v['address']}] {v['state']} {v['at']}: {v['title']}" for v in told["versions"])]
    return lines


def _said_line(said: Mapping[str, Any]) -> str:
    who = f" by {author}" if (author := said["author"] or said["user"]) else ""
    where = " ".join(part for part in (said["service"], said["path"]) if part)
    return f"{said['at']}  {where or said['project'] or 'global'} ({said['source'] or 'said'}){who}"


def _event_line(event: Mapping[str, Any]) -> str:
    return f"{event['seq']:>6}  {event['at']}  {event['actor']}: {event['operation']} ({event['summary']})"


def _derived_line(row: Mapping[str, Any]) -> str:
    with_ = f"{row['provider']} {row['model']}".strip()
    cost = f", {row['tokens']:,} tokens" if row["tokens"] else ""
    error = f": {row['error']}" if row["error"] else ""
    return f"{row['name']} {row['version']} by {with_}, {row['at']}{cost}, {row['state']}{error}"


def _read_lines(one: Mapping[str, Any]) -> list[str]:
    head = f"[{one['address']}] {one['kind']}, {one['state']}: {one['title']}"
    return [head, *(f"  {line}" for line in _told_lines(one))]


def _edit_lines(edit: dict[str, Any]) -> list[str]:
    told = [f"    [{t['address']}] {t['title']} (told {t['at']}, {t['event']})" for t in edit["told"]]
    head = f"{edit['at']}  [{edit['address']}] {edit['title']}  (session {edit['session']})"
    return [head, *(["  had been told:", *told] if told else ["  had been told nothing"])]


@operation("knowledge", name="lineage")
def lineage_of(
    call: Call,
    address: Annotated[str, "of a node; or a file's path, or a commit"] = "",
    as_of: str = "",
    file: Annotated[str, "instead: what was read from it, its edits, and what the memory had told before"] = "",
    commit: Annotated[str, "instead: the same for a commit and the edits since the one before"] = "",
) -> LineageResult:
    """Who, when, from which source, with which model: a memory's origins, events, versions, and what came of it.

    Of a file or commit: what was read from it, and which memories came before an edit.
    """
    if sum(map(bool, (address, file, commit))) != 1:
        raise Invalid("One of address, file and commit is needed.", hint="Give one of them.", field="address")
    if any(mark in address for mark in "/\\."):  # no address has one of these, and nearly every path
        address, file = "", address
    if not address:
        return _of_place(call, file, commit)
    try:
        found = lineage(call.engine, call.asker, address, as_of)
    except NotFound:
        if not read_from(call.engine, call.asker, commit=address):
            raise
        return _of_place(call, "", address)
    origins = (found.provenance.node, *found.provenance.origins)
    return LineageResult(
        address=shown(found.provenance.node.address),
        items=tuple(origin_shape(origin) for origin in origins),
        followed=tuple(origin_shape(origin) for origin in found.followed),
        superseded_by=tuple(shown(address) for address in found.superseded_by),
        events=tuple(map(_event_shape, found.events)),
        said=tuple(map(_said_shape, found.provenance.node.said)),
        versions=tuple(map(_version_shape, found.versions)),
        sources=tuple(map(_source_shape, found.sources)),
        derived=tuple(map(_derived_shape, found.derived)),
    )


def _of_place(call: Call, file: str, commit: str) -> LineageResult:
    read = read_from(call.engine, call.asker, file=file, commit=commit)
    try:
        edits = influences(call.engine, call.asker, file=file, commit=commit)
    except NotFound:
        if not read:
            raise
        edits = []
    if not (read or edits or (file and _is_there(call, file))):
        raise NotFound(
            f"No file, commit or address {(file or commit)[:200]!r} is known.",
            hint="list_documents names what was read; a path is from the project's root.",
            field="file" if file else "commit",
        )
    return LineageResult("", (), read=tuple(map(_read_shape, read)), edits=tuple(_edit_shape(one) for one in edits))


def _is_there(call: Call, file: str) -> bool:
    """Whether the project has such a file, though the memory knows nothing of it."""
    return "\x00" not in file and bool(call.root) and os.path.lexists(os.path.join(call.root, file))


def _read_shape(one: Read) -> dict[str, Any]:
    """What a reader called it says more than its first line, which may be a mark of the language."""
    titles = [title for said in one.said if isinstance(title := said.occurrence.fields.get("title"), str)]
    return _version_shape(one.record) | {
        **({"title": titles[-1]} if titles else {}),
        "kind": one.record.node.kind,
        "said": [_said_shape(said) for said in one.said],
        "events": [_event_shape(event) for event in one.events],
        "derived": [_derived_shape(row) for row in one.derived],
    }


def _event_shape(event: Event) -> dict[str, Any]:
    about = {"actor": event.actor, "operation": event.operation, "summary": event.summary}
    return {"seq": event.seq, "at": iso(event.at), **about, "hash": event.hash}


def _said_shape(said: Said) -> dict[str, Any]:
    one = said.occurrence
    path, author = one.fields.get("path"), one.fields.get("author")
    return {
        "at": iso(one.at),
        "project": said.project,
        "service": one.service,
        "source": one.source,
        "path": path if isinstance(path, str) else "",
        "user": one.user,
        "author": author if isinstance(author, str) else "",
        "thread": one.thread,
    }


def _version_shape(record: Record) -> dict[str, Any]:
    return {
        "address": shown(record.node.address),
        "state": record.standing.state,
        "at": iso(record.last_at),
        "title": first_line(record.node.content, 100),
    }


def _source_shape(source: Source) -> dict[str, Any]:
    return {
        "project": source.project,
        "service": source.service,
        "path": source.path,
        "title": source.title,
        "digest": source.digest,
        "at": iso(source.at) if source.at else "",
    }


def _derived_shape(row: Derived) -> dict[str, Any]:
    return {
        "name": row.name,
        "version": row.version,
        "state": row.state,
        "provider": row.provider,
        "model": row.model,
        "tokens": row.tokens,
        "cost_usd": row.cost_usd,
        "ms": row.ms,
        "at": iso(row.at) if row.at else "",
        "actor": row.actor,
        "error": row.error,
    }


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
