"""store: the memory itself."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from ..capture import inbox
from ..memory.audit import audit as audit_events
from ..memory.audit_verify import audit_verify as verify
from ..memory.backup import backup as make_backup
from ..memory.doctor import NOTE
from ..memory.doctor import doctor as diagnose
from ..memory.erase import Erased
from ..memory.erase import erase as erase_nodes
from ..memory.organisation.services import with_service
from ..memory.projects import init_project, projects
from ..memory.reindex import reindex as make_index
from ..memory.restore import restore as restore_store
from ..model.address import shown
from ..model.moments import iso
from ..model.scope import ADMIN, WRITE
from ..model.text import counted, sized
from ..repository.identity import identify
from .filters import is_named_as_another, name_of_another, named_project, wanted
from .pauses import home_of, paused_until
from .table import Call, operation


class ProjectResult(NamedTuple):
    project: str
    aliases: tuple[str, ...]
    active: int
    left: str = ""
    left_active: int = 0

    def text(self) -> str:
        also = f" (also {', '.join(self.aliases)})" if self.aliases else ""
        lines = [f"{self.project}{also}: {self.active:,} active"]
        if self.left_active:
            lines.append(f"What was saved here under {self.left} stays there: {self.left_active:,} active.")
            lines.append(
                f"  `marrow export FILE --project {self.left}`, then `marrow import FILE --project {self.project}`"
            )
        return "\n".join(lines)


@operation("store", right=WRITE, changes=True)
def memory_init(call: Call, name: Annotated[str, "of a new, separate project"] = "") -> ProjectResult:
    """Make the project at hand known to the memory, or with a name make a new, separate project.

    A repository whose .marrow.toml calls it by that name is known by it from then on.
    """
    own = identify(call.root, name=name, own=True, create=True).aliases if call.root and name.strip() else ()
    here = call.asker.scope.project if name and name_of_another(call) == name else ""
    done = init_project(call.engine, call.asker, name or call.asker.scope.project, own)
    left = next((p.active for p in projects(call.engine, call.asker) if here and p.name == here), 0)
    return ProjectResult(done.name, done.aliases, done.active, here if left else "", left)


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
    if name := name_of_another(call):
        do = f"`marrow init {name}` if both are one."
        items.append({"severity": NOTE, "what": is_named_as_another(name), "do": do})
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
    place: str = ""
    is_there: bool = True

    def text(self) -> str:
        if self.dry_run:
            of_backup = f" of {self.at}" if self.at else ""
            holds = f"{self.path} holds {counted(self.nodes, 'node')}, up to event {self.seq}{of_backup}."
            return f"{holds}\n{self._replaced()} Nothing was changed yet."
        kept = f" What was here is in {self.kept}." if self.kept else ""
        return f"Restored {counted(self.nodes, 'node')} from {self.path}.{kept}"

    def _replaced(self) -> str:
        if not self.is_there:
            return f"There is no store at {self.place} yet: it would be put there."
        here = f"{self.place}, which is damaged or never was a store,"
        if self.seq_here is not None:
            until = f" up to {self.at_here}" if self.at_here else ""
            here = f"The store here, with {counted(self.seq_here, 'event')}{until},"
        return f"{here} would be replaced, and kept beside it."


@operation("store", right=ADMIN, changes=True, destructive=True)
def restore(call: Call, path: str, dry_run: bool = True, confirm: bool = False) -> RestoreStoreResult:
    """Put a backup in the place of the store. What was there is kept beside it."""
    done = restore_store(call.engine, call.asker, path, dry_run=dry_run, confirm=confirm, missing=call.missing)
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
        call.missing or call.engine.store.url.partition(":")[2],
        is_there=not call.missing,
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
