"""knowledge: taking out a service, or what is old. Retracted, not erased: a restore brings it back."""

from __future__ import annotations

from typing import Annotated, Any, NamedTuple

from ..memory.removal import Removed
from ..memory.removal import delete_service_data as delete_service
from ..memory.removal import prune as prune_old
from ..model.address import shown
from ..model.scope import ADMIN
from ..model.text import counted, first_line
from .filters import asked_kinds, in_project
from .table import Call, operation
from .views import kinds_counted


class RemovalResult(NamedTuple):
    """`deleted` nodes were retracted, or would be; `kept_shared` stay: files of another service hold them, or they were
    said elsewhere too. `undo` is the sequence number that a restore back would name."""

    dry_run: bool
    what: str
    deleted: int
    kinds: dict[str, int]
    items: tuple[dict[str, Any], ...]
    kept_shared: int = 0
    sources: int = 0
    undo: int | None = None
    service: str = ""
    left_out: int = 0

    def text(self) -> str:
        kinds = kinds_counted(self.kinds)
        verb = "would be retracted" if self.dry_run else "retracted"
        lines = [f"{self.what}: {counted(self.deleted, 'node')} {verb}{f' ({kinds})' if kinds else ''}"]
        lines += [f"  [{item['address']}] {item['kind']}: {item['title']}" for item in self.items]
        lines += [f"  and {self.left_out:,} more"] if self.left_out else []
        if self.kept_shared:
            why = "files of another service hold it, or it was said elsewhere too"
            lines.append(f"kept, because {why}: {counted(self.kept_shared, 'node')}")
        if self.dry_run:
            lines.append("Nothing was changed yet: dry_run=false with confirm=true does it.")
        elif self.undo is not None:
            lines.append(f"To undo it: `snapshot_restore {self.undo}`.")
        if self.deleted:
            how = f"`erase service={self.service}`" if self.service else "`erase`, by address or by filter"
            lines.append(f"It stays in the log and its history. To remove it for good: {how}.")
        return "\n".join(lines)


@operation("knowledge", right=ADMIN, changes=True, destructive=True, spellings={"service": ("service_name",)})
def delete_service_data(
    call: Call,
    service: Annotated[str, "the name of the service"],
    project: Annotated[str, "default: this one"] = "",
    dry_run: bool = True,
    confirm: bool = False,
) -> RemovalResult:
    """Retract all that was taken in for a service, and forget where it was read. A restore brings it back.

    By default it only says what would go; dry_run=false with confirm=true does it.
    """
    asker = in_project(call, project) if project else call.asker
    done = delete_service(call.engine, asker, service, dry_run=dry_run, confirm=confirm)
    return _result(done, service.strip())


@operation(
    "knowledge",
    right=ADMIN,
    changes=True,
    destructive=True,
    aliases=("prune_old_data",),
    spellings={"older_than": ("days_old",)},
)
def prune(
    call: Call,
    older_than: Annotated[Any, "90 (days), 6 months, or a date"],
    kinds: Annotated[
        list[str] | None, "default: all but preferences, commits, and what was read from files that are still there"
    ] = None,
    project: Annotated[str, "default: this one"] = "",
    dry_run: bool = True,
    confirm: bool = False,
) -> RemovalResult:
    """Retract what was last said before then; what is pinned stays. A restore brings it back, and so does taking its
    source in again.

    By default it only says what would go; dry_run=false with confirm=true does it.
    """
    asker = in_project(call, project) if project else call.asker
    done = prune_old(call.engine, asker, older_than, asked_kinds(call, kinds or ()), dry_run=dry_run, confirm=confirm)
    return _result(done)


def _result(done: Removed, service: str = "") -> RemovalResult:
    items = tuple(
        {
            "address": shown(record.node.address),
            "kind": record.node.kind,
            "title": first_line(record.node.content, 80),
        }
        for record in done.first
    )
    return RemovalResult(
        dry_run=done.dry_run,
        what=done.what,
        deleted=done.nodes,
        kinds=dict(done.kinds),
        items=items,
        kept_shared=done.kept_shared,
        sources=done.sources,
        undo=done.undo,
        service=service,
        left_out=done.nodes - len(items),
    )
