"""Import a file, whichever of the known formats it has."""

from __future__ import annotations

from collections.abc import Callable

from ..model.errors import Invalid
from .engine import Asker, Engine
from .files import existing_file, opened
from .import_bundle import import_bundle
from .import_jsonl import import_jsonl
from .import_markdown import import_markdown
from .imported import Imported

Progress = Callable[[int, "int | None"], None]
FORMATS = ("bundle", "jsonl", "markdown")
_SUFFIXES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".md": "markdown", ".markdown": "markdown", ".mdc": "markdown"}
_GZIP = b"\x1f\x8b"


def import_file(
    engine: Engine,
    asker: Asker,
    source: str,
    *,
    format: str = "",  # noqa: A002
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """A bundle, JSON lines, or a Markdown memory file; `format` says which when the file does not."""
    if format and format not in FORMATS:
        raise Invalid(f"{format!r} is no format.", hint=f"One of {', '.join(FORMATS)}.", field="format")
    chosen = format or _format(source)
    if chosen == "bundle":
        return import_bundle(engine, asker, source, dry_run=dry_run, progress=progress)
    read = import_jsonl if chosen == "jsonl" else import_markdown
    return read(engine, asker, source, dry_run=dry_run, progress=progress)


def _format(source: str) -> str:
    path = existing_file(source)
    with opened(path) as file:
        start = file.read(4096)
    if start.startswith(_GZIP):
        return "bundle"
    if path.suffix.lower() in _SUFFIXES:
        return _SUFFIXES[path.suffix.lower()]
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return "jsonl"
    raise Invalid(
        f"{source!r} is neither a bundle, JSON lines nor Markdown.",
        hint=f"Say which it is with format, one of {', '.join(FORMATS)}.",
        field="source",
    )
