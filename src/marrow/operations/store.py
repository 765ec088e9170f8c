"""store: the memory itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Annotated, Any, Literal, NamedTuple

from ..capture import inbox
from ..memory.audit import audit as audit_events
from ..memory.audit_verify import audit_verify as verify
from ..memory.backup import backup as make_backup
from ..memory.doctor import NOTE
from ..memory.doctor import doctor as diagnose
from ..memory.erase import Erased
from ..memory.erase import erase as erase_nodes
from ..memory.export import export
from ..memory.import_file import import_file
from ..memory.import_told import Told
from ..memory.organisation.services import with_service
from ..memory.projects import init_project, projects
from ..memory.reindex import reindex as make_index
from ..memory.restore import restore as restore_store
from ..model.address import shown
from ..model.moments import iso
from ..model.scope import ADMIN, EVERY_PROJECT, WRITE
from ..model.text import counted, sized
from .filters import in_project, named_project, wanted
from .pauses import home_of, paused_until
from .table import Call, operation
from .views import kinds_counted


class ProjectResult(NamedTuple):
    project: str
    aliases: tuple[str, ...]
    active: int

    def text(self) -> str:
        also = f" (also {', '.join(self.aliases)})" if self.aliases else ""
        return f"{self.project}{also}: {self.active:,} active"


@operation("store", right=WRITE, changes=True)
def memory_init(call: Call, name: Annotated[str, "of a new, separate project"] = "") -> ProjectResult:
    """Make the project at hand known to the memory, or with a name make a new, separate project."""
    done = init_project(call.engine, call.asker, name or call.asker.scope.project)
    return ProjectResult(done.name, done.aliases, done.active)


class Projects(NamedTuple):
    items: tuple[dict[str, Any], ...]
    current: str
    left_out: int = 0

    def text(self) -> str:
        lines = []
        for one in self.items:
            mark = "*" if one["name"] == self.current else " "
            last = f", last {one['last_at']}" if one["total"] else ""
            lines.append(f"{mark} {one['name'] or '(global)'}: {one['active']:,} active of {one['total']:,}{last}")
        return "\n".join(lines) or "No project yet."


@operation("store")
def memory_projects(call: Call) -> Projects:
    """The projects in this memory; the one at hand has a star."""
    found = projects(call.engine, call.asker)
    return Projects(
        tuple(
            {
                "name": p.name,
                "aliases": list(p.aliases),
                "active": p.active,
                "total": p.total,
                "last_at": iso(p.last_at) if p.last_at else "",
            }
            for p in found
        ),
        call.asker.scope.project,
    )


@operation("store")
def memory_switch(call: Call, project: str) -> ProjectResult:
    """The project that goes by this name, to pass on as `project`. Servers keep no state between calls."""
    name = named_project(call, project)
    found = next(p for p in projects(call.engine, call.asker) if p.name == name)
    return ProjectResult(found.name, found.aliases, found.active)


PROBLEMS_TOLD = 20
_FORMATS = {".jsonl": "jsonl", ".md": "markdown", ".markdown": "markdown"}


class ExportResult(NamedTuple):
    path: str
    format: str
    bytes: int
    nodes: int
    seq: int

    def text(self) -> str:
        return (
            f"{counted(self.nodes, 'node')} as {self.format} in {self.path} ({sized(self.bytes)}), at event {self.seq}"
        )


@operation("store", changes=True)
def memory_export(
    call: Call,
    path: Annotated[str, "the file to write"],
    format: Annotated[  # noqa: A002 the name in the table
        Literal["", "bundle", "jsonl", "markdown"], "default: by the ending .jsonl or .md, else a bundle"
    ] = "",
    project: Annotated[str, "default: this one; all: every one"] = "",
    as_of: str = "",
    overwrite: Annotated[bool, "replace the file if it is there"] = False,
) -> ExportResult:
    """Write what is known to a file: a bundle that another memory can take in, JSON lines, or a document."""
    done = export(
        call.engine,
        call.asker,
        path,
        format=format or _FORMATS.get(PurePath(path).suffix.lower(), "bundle"),
        project=None if project == EVERY_PROJECT else project or call.asker.scope.project,
        as_of=as_of or None,
        overwrite=overwrite,
        progress=call.progress,
    )
    return ExportResult(done.path, done.format, done.bytes, done.nodes, done.seq)


class ImportResult(NamedTuple):
    source: str
    format: str
    dry_run: bool
    found: int
    new: int
    changed: int
    unchanged: int
    redacted: int = 0
    links: int = 0
    kinds: dict[str, int] | None = None
    problems: tuple[dict[str, str], ...] = ()
    left_out: int = 0
    projects: tuple[str, ...] = ()
    items: tuple[dict[str, str], ...] = ()
    more: dict[str, int] | None = None
    links_ended: int = 0

    def text(self) -> str:
        secrets = f"; secrets removed from {self.redacted}" if self.redacted else ""
        links = f"; {counted(self.links, 'link')} {self._verb(self.links)} made" if self.links else ""
        if self.links_ended:
            links += f"; {counted(self.links_ended, 'link')} {self._verb(self.links_ended)} ended"
        lines = [
            f"{counted(self.found, 'node')} in {self.source} ({self.format}): {self.new:,} {self._verb(self.new)} new, "
            f"{self.changed:,} changed, {self.unchanged:,} known{links}{secrets}"
        ]
        if self.new or self.changed:
            lines.append(f"  into {', '.join(name or 'the global scope' for name in self.projects)}")
        for what, words in _FATES.items():
            those = [one for one in self.items if one["what"] == what]
            notes = ((one, f" ({one['note']})" if one["note"] else "") for one in those)
            lines += [f"  {words}: [{one['address']}] {one['title']}{note}" for one, note in notes]
            if left := (self.more or {}).get(what, 0):
                lines.append(f"  {words}: and {left:,} more")
        if self.kinds and len(self.kinds) > 1:
            lines.append(f"  {kinds_counted(self.kinds)}")
        lines += [f"  {one['path']}: {one['reason']}" for one in self.problems]
        return "\n".join(lines)

    def _verb(self, number: int) -> str:
        return "would be" if self.dry_run else "was" if number == 1 else "were"


_FATES = {
    "back": "holds again",
    "ended": "no longer holds",
    "superseded": "superseded",
    "opposed": "said both ways, this holds",
    "changed": "changed",
    "new": "new",
}
_TOLD_EACH = 5


def _items(told: Sequence[Told]) -> tuple[tuple[dict[str, str], ...], dict[str, int]]:
    """The first few of each fate, those with something to say about them before the rest, and how many more."""
    items, more = [], {}
    for what in _FATES:
        those = sorted((one for one in told if one.what == what), key=lambda one: not one.note)
        items += [{**one._asdict(), "address": shown(one.address)} for one in those[:_TOLD_EACH]]
        if len(those) > _TOLD_EACH:
            more[what] = len(those) - _TOLD_EACH
    return tuple(items), more


@operation("store", right=WRITE, changes=True)
def memory_import(
    call: Call,
    source: Annotated[
        str, "a bundle, a .jsonl file, CLAUDE.md, AGENTS.md, MEMORY.md, or the file or folder of another memory"
    ],
    format: Literal[  # noqa: A002 the name in the table
        "", "bundle", "jsonl", "markdown", "claude-mem", "claude-mem-lite", "basic-memory", "mnemo"
    ] = "",
    dry_run: bool = False,
    from_project: Annotated[str, "of a memory that holds several: which one, or all; default: this one's name"] = "",
    project: Annotated[str, "into which project; default: this one, and a bundle's into those that it names"] = "",
) -> ImportResult:
    """Take in what a file or another memory knows. Nothing is imported twice, and the source is never changed.

    A bundle is united with this memory: in either order both end with the same.
    """
    asker = in_project(call, project) if project else call.asker
    done = import_file(
        call.engine,
        asker,
        source,
        format=format,
        project=asker.scope.project if project else "",
        from_project=from_project,
        dry_run=dry_run,
        progress=call.progress,
    )
    told = tuple({"path": one.path, "reason": one.reason} for one in done.problems[:PROBLEMS_TOLD])
    counts = (done.found, done.new, done.changed, done.unchanged, done.redacted, done.links)
    left = len(done.problems) - len(told)
    items, more = _items(done.told)
    result = ImportResult(done.source, done.format, done.dry_run, *counts, dict(done.kinds), told, left)
    return result._replace(projects=done.projects, items=items, more=more, links_ended=done.links_ended)


class AuditResult(NamedTuple):
    items: tuple[dict[str, Any], ...]
    left_out: int = 0

    def text(self) -> str:
        return (
            "\n".join(
                f"{e['seq']:>8}  {e['at']}  {e['actor']:<10} {e['operation']:<20} {e['summary']}"
                f"{' ' + ' '.join(e['addresses'][:3]) if e['addresses'] else ''}"
                for e in self.items
            )
            or "No event."
        )


@operation("store")
def audit(
    call: Call,
    since: str = "",
    until: str = "",
    actor: str = "",
    operation: str = "",
    address: str = "",
    service: str = "",
    limit: int = 50,
) -> AuditResult:
    """The events, latest first: who changed what and when."""
    found = audit_events(
        call.engine,
        call.asker,
        since=since or None,
        until=until or None,
        actor=actor,
        operation=operation,
        address=address or None,
        service=service,
        limit=limit,
    )
    return AuditResult(
        tuple(
            {
                "seq": e.seq,
                "at": iso(e.at),
                "actor": e.actor,
                "operation": e.operation,
                "layer": e.layer,
                "summary": e.summary,
                "project": e.project,
                "addresses": [shown(a) for a in e.addresses],
                "root": e.root,
                "hash": e.hash,
            }
            for e in found.items
        )
    )


class VerifyResult(NamedTuple):
    ok: bool
    checked: dict[str, int]
    problems: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()

    def text(self) -> str:
        one = {what: what.replace("leaves", "leaf").removesuffix("s") for what in self.checked}
        counts = ", ".join(f"{count:,} {one[what] if count == 1 else what}" for what, count in self.checked.items())
        lines = [f"{'All is well' if self.ok else 'NOT WELL'}: checked {counts}."]
        return "\n".join([*lines, *(f"- {p}" for p in self.problems), *(f"- {d} (repairable)" for d in self.derived)])


@operation("store")
def audit_verify(call: Call) -> VerifyResult:
    """Check every address, the chain of events, the Merkle tree, and the root of every snapshot."""
    found = verify(call.engine, call.asker, progress=call.progress)
    return VerifyResult(found.ok, dict(found.checked), found.problems, found.derived)


class DoctorResult(NamedTuple):
    ok: bool
    items: tuple[dict[str, str], ...]
    repaired: tuple[str, ...]
    counts: dict[str, int]
    left_out: int = 0

    def text(self) -> str:
        lines = ["The store is well." if self.ok else "Something is wrong with the store:"]
        for item in self.items:
            lines.append(f"{item['severity']}: {item['what']}")
            if item["do"]:
                lines.append(f"    {item['do']}")
        lines += [f"repaired: {done}" for done in self.repaired]
        if self.counts:
            lines.append(", ".join(f"{name} {count:,}" for name, count in self.counts.items()))
        return "\n".join(lines)


@operation("store", right=WRITE, changes=True)
def doctor(call: Call, repair: Annotated[bool, "mend everything that is derived"] = False) -> DoctorResult:
    """Look for what is wrong with the store, and say what to do about it."""
    found = diagnose(call.engine, call.asker, repair=repair, missing=call.missing, progress=call.progress)
    items = [{"severity": f.severity, "what": f.what, "do": f.do} for f in found.findings]
    if until := paused_until(call):
        what = f"this project is paused {until}: hooks capture and recall nothing"
        items.append({"severity": NOTE, "what": what, "do": "`marrow resume` lets them."})
    return DoctorResult(found.ok, tuple(items), found.repaired, dict(found.counts))


ALTERED_SHOWN = 10


class BackupResult(NamedTuple):
    path: str
    bytes: int
    nodes: int
    seq: int
    altered: tuple[str, ...] = ()

    def text(self) -> str:
        made = f"backup of {counted(self.nodes, 'node')} at event {self.seq} in {self.path} ({sized(self.bytes)})"
        if not self.altered:
            return made
        told = [f"- {line}" for line in self.altered[:ALTERED_SHOWN]]
        return "\n".join([made, "NOT WELL, in the store as in the backup; `marrow audit verify` says more:", *told])


@operation("store", right=ADMIN, changes=True)
def backup(call: Call, path: Annotated[str, "a new file"]) -> BackupResult:
    """Copy the whole store to a file, while it is in use."""
    done = make_backup(call.engine, call.asker, path)
    return BackupResult(done.path, done.bytes, done.nodes, done.head.seq, done.altered)


class RestoreStoreResult(NamedTuple):
    path: str
    dry_run: bool
    nodes: int
    seq: int
    kept: str = ""
    at: str = ""
    seq_here: int | None = None
    at_here: str = ""

    def text(self) -> str:
        if self.dry_run:
            of_backup = f" of {self.at}" if self.at else ""
            here = "What is here, which cannot be read,"
            if self.seq_here is not None:
                until = f" up to {self.at_here}" if self.at_here else ""
                here = f"The store here, with {counted(self.seq_here, 'event')}{until},"
            return (
                f"{self.path} holds {counted(self.nodes, 'node')}, up to event {self.seq}{of_backup}.\n"
                f"{here} would be replaced, and kept beside it. Nothing was changed yet."
            )
        kept = f" What was here is in {self.kept}." if self.kept else ""
        return f"Restored {counted(self.nodes, 'node')} from {self.path}.{kept}"


@operation("store", right=ADMIN, changes=True, destructive=True)
def restore(call: Call, path: str, dry_run: bool = True, confirm: bool = False) -> RestoreStoreResult:
    """Put a backup in the place of the store. What was there is kept beside it."""
    done = restore_store(call.engine, call.asker, path, dry_run=dry_run, confirm=confirm)
    before = done.before
    return RestoreStoreResult(
        done.path,
        done.dry_run,
        done.nodes,
        done.head.seq,
        done.kept,
        iso(done.head.at) if done.head.seq else "",
        before.seq if before else None,
        iso(before.at) if before and before.seq else "",
    )


class ReindexResult(NamedTuple):
    what: str
    words: int
    vectors: int
    trees: int
    ok: bool

    def text(self) -> str:
        wrong = "" if self.ok else " A root is NOT what the chain says: see `marrow audit verify`."
        made = f"{self.words:,} in words, {counted(self.vectors, 'vector')}, {counted(self.trees, 'tree')}"
        return f"reindexed {self.what}: {made}.{wrong}"


@operation("store", right=ADMIN, changes=True)
def reindex(call: Call, what: Literal["all", "words", "vectors", "tree"] = "all") -> ReindexResult:
    """Make everything that is derived anew from what is canonical; with another embedder, this re-embeds."""
    done = make_index(call.engine, call.asker, what, progress=call.progress)
    return ReindexResult(done.what, done.words, done.vectors, done.trees, not done.wrong_roots)


class EraseResult(NamedTuple):
    dry_run: bool
    erased: tuple[str, ...]
    made_from_them: tuple[str, ...]
    kept_shared: tuple[str, ...]
    brought_back: tuple[str, ...]
    other_versions: tuple[str, ...]
    reminder: str
    lines: tuple[str, ...] = ()
    seq: int = 0

    def text(self) -> str:
        verb = "would be erased" if self.dry_run else "erased for good"
        count = counted(len(self.erased) + len(self.made_from_them), "node")
        lines = [f"{count} {verb}: {' '.join(self.erased)}" if self.erased else f"{count} {verb}."]
        others = ("made_from_them", "kept_shared", "brought_back", "other_versions")
        lines += [f"{name.replace('_', ' ')}: {' '.join(found)}" for name in others if (found := getattr(self, name))]
        lines += [f"  {line}" for line in self.lines]
        lines.append("Nothing was changed yet." if self.dry_run else self.reminder)
        return "\n".join(lines)


@operation("store", right=ADMIN, changes=True, destructive=True, spellings={"thread": ("conversation",)})
def erase(
    call: Call,
    address: str = "",
    user: Annotated[str, "everything that only this user said"] = "",
    thread: Annotated[str, "everything said only in this conversation"] = "",
    tags: list[str] | None = None,
    metadata: dict[str, Any] | None = None,
    service: Annotated[str, "everything that was only taken in for this service"] = "",
    dry_run: bool = True,
    confirm: bool = False,
) -> EraseResult:
    """Remove memories for good, with all that was made from them: from tables, indexes, log and free pages.

    By default it only says what would go; dry_run=false with confirm=true does it. To merely retract, forget.
    """
    by_filter = None
    if tags or metadata or service:
        by_filter = wanted(call, tags=tags or (), metadata=metadata, service=service, include_superseded=True)
        by_filter = with_service(call.engine, call.asker, by_filter)
    done = erase_nodes(
        call.engine,
        call.asker,
        address=address or None,
        user=user or None,
        thread=thread or None,
        filter=by_filter,
        dry_run=dry_run,
        confirm=confirm,
    )
    if not done.dry_run:
        _wipe_inbox(call, done, {*done.sessions, *([thread] if thread else [])})
    return EraseResult(
        dry_run=done.dry_run,
        erased=done.chosen,
        made_from_them=done.made_from_them,
        kept_shared=done.kept_shared,
        brought_back=done.brought_back,
        other_versions=done.other_versions,
        reminder=done.reminder,
        lines=done.lines,
        seq=done.seq or 0,
    )


def _wipe_inbox(call: Call, done: Erased, whole: set[str]) -> None:
    """What hooks wrote down stays in the inbox for a while after it was taken in. A conversation that goes as a whole
    goes from there unread as well; of one that goes in part, what was not read yet is none of it."""
    home = home_of(call)
    inbox.wipe(home, whole)
    with call.engine.store.reading() as reader:
        inbox.wipe(home, done.threads, lambda segment: reader.inbox_position(inbox.key(home, segment)))
