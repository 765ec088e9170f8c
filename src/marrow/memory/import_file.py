"""Import a file or a folder, whichever of the known formats it has. What is in it tells; its name helps."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..ingest.conversation import CLAUDE_CODE, CODEX, form_of
from ..model.errors import Invalid, NotFound
from .engine import Asker, Engine
from .files import existing_file, opened
from .import_bundle import import_bundle
from .import_jsonl import import_jsonl
from .import_markdown import INDEX, import_markdown
from .import_other import FORMATS as OTHERS
from .import_other import import_other, other_format
from .imported import Imported

Progress = Callable[[int, "int | None"], None]
FORMATS = ("bundle", "jsonl", "markdown", *OTHERS)
_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".md": "markdown", ".markdown": "markdown", ".mdc": "markdown"}
_GZIP = b"\x1f\x8b"
_SQLITE = b"SQLite format 3\x00"


def import_file(
    engine: Engine,
    asker: Asker,
    source: str,
    *,
    format: str = "",  # noqa: A002
    project: str = "",
    from_project: str = "",
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """A bundle, JSON lines, Markdown memory files, or another program's memory; `format` says which when it does not
    show. `from_project` chooses one of several projects in another's, `project` says where a bundle's goes: all
    else goes to the project at hand."""
    if format and format not in FORMATS:
        raise Invalid(f"{format!r} is no format.", hint=f"One of {', '.join(FORMATS)}.", field="format")
    chosen = format or _format(source)
    if chosen in OTHERS:
        return import_other(
            engine, asker, source, format=chosen, from_project=from_project, dry_run=dry_run, progress=progress
        )
    if chosen == "bundle":
        return import_bundle(
            engine, asker, source, project=project, from_project=from_project, dry_run=dry_run, progress=progress
        )
    if from_project:
        raise Invalid(
            f"A file of {chosen} does not hold several projects.", hint="Leave from_project out.", field="from_project"
        )
    read = import_jsonl if chosen == "jsonl" else import_markdown
    return read(engine, asker, source, dry_run=dry_run, progress=progress)


def _format(source: str) -> str:
    if _is_folder(source):
        return _folder_format(source)
    path = existing_file(source)
    with opened(path) as file:
        start = file.read(4096)
    if start.startswith(_GZIP):
        return "bundle"
    if other := other_format(path):
        return other
    if start.startswith(_SQLITE):
        raise Invalid(
            f"{source!r} is a database of none of the memories that are known here.",
            hint="For a store of Marrow's own, export a bundle from it, or `marrow restore` it.",
            field="source",
        )
    if form_of(start) in (CLAUDE_CODE, CODEX):
        raise Invalid(
            f"{source!r} is a transcript, not a memory.", hint="`ingest_conversation` takes it in.", field="source"
        )
    if path.suffix.lower() in _SUFFIXES:
        return _SUFFIXES[path.suffix.lower()]
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return "jsonl"
    raise Invalid(
        f"{source!r} is neither a bundle, JSON lines nor Markdown.",
        hint=f"Say which it is with format, one of {', '.join(FORMATS)}.",
        field="source",
    )


def _is_folder(source: str) -> bool:
    return isinstance(source, str) and bool(source.strip()) and "\x00" not in source and _place(source).is_dir()


def _place(source: str) -> Path:
    return Path(source).expanduser()


def _folder_format(source: str) -> str:
    folder = _place(source)
    if (folder / INDEX).is_file():
        return "markdown"
    if other := other_format(folder):
        return other
    raise NotFound(
        f"{source!r} holds no memory that is known here.",
        hint=f"It is a folder with {INDEX}, a .mnemo store, basic-memory's notes, or claude-mem's database. "
        "Documents are taken in with ingest_document or ingest_codebase.",
        field="source",
    )
