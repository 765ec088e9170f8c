"""store: memories that are exchanged, as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Annotated, Literal, NamedTuple

from ..memory.export import export
from ..memory.import_file import import_file
from ..memory.import_told import Told
from ..model.address import shown
from ..model.scope import EVERY_PROJECT, WRITE
from ..model.text import counted, sized
from .filters import in_project
from .table import Call, operation
from .views import kinds_counted

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


# In the order of what a reader must know first.
_FATES = {
    "back": "holds again",
    "ended": "no longer holds",
    "superseded": "superseded",
    "opposed": "said both ways, neither holds",
    "forked": "replaced twice",
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
