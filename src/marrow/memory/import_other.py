"""Import what another memory knows: claude-mem, claude-mem-lite, basic-memory, mnemo. Nothing of theirs is changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..ingest.memories import basic_memory, claude_mem, mem_lite, mnemo
from ..ingest.memories.found import OtherMemory, Reader
from ..ingest.memories.sqlite_file import MAGIC, opened_database
from ..model.errors import Invalid, Unavailable
from .engine import Asker, Engine
from .files import existing_file, opened
from .imported import Imported, Placed, import_drafts

Progress = Callable[[int, "int | None"], None]
FORMATS = (claude_mem.FORMAT, mem_lite.FORMAT, basic_memory.FORMAT, mnemo.FORMAT)
BYTES_MAX = 4 * 1024**3
# Where these programs keep their memory, in the folder that is theirs.
_DATABASES = ("claude-mem.db",)


def import_other(
    engine: Engine,
    asker: Asker,
    source: str,
    *,
    format: str,  # noqa: A002
    from_project: str = "",
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Into the caller's project. Each memory keeps its time, and the name of the program that it came from."""
    names = (asker.scope.project, *asker.aliases, *([Path(asker.root).name] if asker.root else []))
    reader = Reader(asker.root, tuple(name for name in names if name), engine.clock())
    try:
        memory = _read(Path(source).expanduser(), format, reader, from_project)
    except OSError as problem:
        raise Unavailable(f"{source!r} cannot be read: {problem.strerror or problem}.") from problem
    drafts = [Placed(one.where, one.draft, one.key, one.links, one.state) for one in memory.found]
    return import_drafts(
        engine,
        asker,
        drafts,
        source=source,
        format=memory.format,
        dry_run=dry_run,
        progress=progress,
        strict=False,
        timed=False,
        problems=memory.problems,
    )


def _read(path: Path, form: str, reader: Reader, from_project: str) -> OtherMemory:
    if form == basic_memory.FORMAT:
        if not path.is_dir():
            existing_file(str(path), bytes_max=basic_memory.FILE_BYTES_MAX)
        return basic_memory.read(path, reader)
    if form == mnemo.FORMAT:
        store = mnemo.store_in(path) if path.is_dir() else None
        if store is None:
            raise Invalid(f"{str(path)!r} is no store of mnemo's.", hint="Give the .mnemo folder.", field="source")
        return mnemo.read(store, reader)
    database = database_in(path) if path.is_dir() else existing_file(str(path), bytes_max=BYTES_MAX)
    if database is None:
        raise Invalid(f"There is no database in {str(path)!r}.", hint="Give the file itself.", field="source")
    with opened_database(database) as connection:
        if form == claude_mem.FORMAT and claude_mem.is_store(connection):
            return claude_mem.read(connection, reader, from_project)
        if form == mem_lite.FORMAT and mem_lite.is_store(connection):
            return mem_lite.read(connection, reader, from_project)
    raise Invalid(f"{str(path)!r} is no database of {form}.", hint="Leave format out.", field="source")


def other_format(path: Path) -> str:
    """Which other memory a file or folder is, by what is in it; "" for none of these."""
    if path.is_dir():
        if mnemo.store_in(path) is not None:
            return mnemo.FORMAT
        if (database := database_in(path)) is not None and (form := _database_format(database)):
            return form
        return basic_memory.FORMAT if basic_memory.is_folder(path) else ""
    with opened(path) as file:
        start = file.read(len(MAGIC))
    if start == MAGIC:
        return _database_format(path)
    if path.suffix.lower() in (".md", ".markdown"):
        with opened(path) as file:
            text = file.read(basic_memory.FILE_BYTES_MAX).decode("utf-8-sig", "replace")
        return basic_memory.FORMAT if basic_memory.is_note(text) else ""
    return ""


def database_in(folder: Path) -> Path | None:
    """The database in a folder that these programs keep theirs in."""
    return next((folder / name for name in _DATABASES if (folder / name).is_file()), None)


def _database_format(path: Path) -> str:
    with opened_database(path) as connection:
        if claude_mem.is_store(connection):
            return claude_mem.FORMAT
        return mem_lite.FORMAT if mem_lite.is_store(connection) else ""
