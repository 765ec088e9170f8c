"""Take in talk, logs and history: conversations from wherever they were kept, production logs, and the reasons in
commits. Said twice, each adds only what is new."""

from __future__ import annotations

import hashlib
import io
import os
import re
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

from ...ingest.conversation import SLACK, form_of, read_export, read_text, read_transcript
from ...ingest.history import COMMITS_MAX, commit_items, hash_in, unread
from ...ingest.history import KIND as COMMIT
from ...ingest.item import Item, Skipped
from ...ingest.log import read_file as read_log_file
from ...ingest.talk.slack_files import LISTS
from ...ingest.talk.turns import part_of, part_path
from ...ingest.touched_symbols import TouchedSymbols
from ...model.errors import Invalid, NotFound, TooLarge
from ...model.moments import beginning, moment
from ...model.moments import end as end_of
from ...model.moments import parse as parse_moment
from ...model.record import CURRENT, Filter
from ...model.source import Source
from ...model.standing import RETRACTED
from ...model.text import name as short_name
from ...repository.changed import commit_moment, commit_named
from ...repository.identity import locate
from ...store.receive import redacted_name
from ..engine import Asker, Engine
from ..files import existing_file, opened
from .codebase import service_of
from .file_of import READ_FROM, file_of_path
from .kept_path import kept_path
from .read_back import ReadBack, read_back
from .resettle import BATCH, PRUNED
from .rewritten import note, rewritten
from .settled import SETTLE
from .shelf import Shelf
from .take_in import Progress, TakenIn, take_in
from .touched_later import find_symbols_later

CONVERSATION, LOG, HISTORY = "ingest_conversation", "ingest_log", "ingest_history"
TRANSCRIPT_BYTES_MAX = 2 * 1024**3
FILES_MAX = 20_000
COMMITS_LIMIT = 100_000
# So long a run looks for the symbols that commits touched; what is left, the next one goes on with.
SYMBOL_SECONDS = 5.0
_START_BYTES = 4096
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", re.I)
_HOSTS = ("claude-code", "codex")


class Took(NamedTuple):
    """What came of it: for which service, and how many conversations, events or commits were looked at. `symbols_left`
    are the commits whose symbols a later run looks for; `back` says how far back a history was read that was cut."""

    service: str
    files: int
    taken: TakenIn
    symbols_left: int = 0
    back: ReadBack | None = None


def ingest_conversation(
    engine: Engine,
    asker: Asker,
    *,
    path: str = "",
    text: str = "",
    title: str = "",
    service: str = "",
    direct: bool = False,
    progress: Progress | None = None,
) -> Took:
    """A transcript, a folder of them, a Slack export, or a conversation given as text."""
    _one_of(path, text)
    named = _service(service)
    now = engine.clock()
    if text:
        items: Iterable[Item | Skipped] = read_text(text, title=title, service=named, now=now)
        return _took(engine, asker, CONVERSATION, named, 1, items, progress)
    place = _export_in(Path(path).expanduser())
    if place.is_dir() and not _is_export(place):
        return _folder(engine, asker, place, named, progress)
    if place.is_dir() or _is_zip(place):
        with closing(read_export(place, service=named, direct=direct, now=now)) as found:
            noted = (_from_file(one, named_file(asker, place)) for one in found)
            return _took(engine, asker, CONVERSATION, named, 1, noted, progress)
    items = _transcript(existing_file(path, bytes_max=TRANSCRIPT_BYTES_MAX, field="path"), asker, title, named, now)
    return _took(engine, asker, CONVERSATION, named, 1, items, progress)


def ingest_log(
    engine: Engine,
    asker: Asker,
    *,
    path: str = "",
    text: str = "",
    service: str = "",
    since: object = None,
    until: object = None,
    progress: Progress | None = None,
) -> Took:
    """The events of a log, grouped by what happened; of those between two times where they are given."""
    _one_of(path, text)
    named = _service(service)
    now = engine.clock()
    start = None if since in (None, "") else beginning(since, now, field="since")
    end = None if until in (None, "") else end_of(until, now, field="until")
    if start is not None and end is not None and start > end:
        raise Invalid("since lies after until.", hint="Give the earlier time as since.", field="since")
    read = partial(read_log_file, service=named, since=start, until=end, now=now, redact_extra=engine.redact_extra)
    read = partial(read, progress=progress)
    if text:
        items = read(io.BytesIO(text.encode("utf-8", "replace")))
    else:
        source = existing_file(path, field="path")
        with opened(source) as log:
            items = read(log, name=named_file(asker, source))
    return _took(engine, asker, LOG, named, 1, items, progress)


def ingest_history(
    engine: Engine,
    asker: Asker,
    *,
    repo_path: str = "",
    since: str = "",
    service: str = "",
    limit: int = COMMITS_MAX,
    progress: Progress | None = None,
    symbol_seconds: float = SYMBOL_SECONDS,
    is_asked: bool = True,
) -> Took:
    """The commits of the current branch that are not known yet, with their reasons, files and symbols. Those that were
    amended, rebased or reset away since leave. Those that were pruned come back where somebody asked. Symbols are
    looked for as long as it is said, those of the newest commits first; known commits that have none yet get theirs in
    what is left of the time."""
    if not 1 <= limit <= COMMITS_LIMIT:
        raise TooLarge(f"limit is from 1 to {COMMITS_LIMIT:,}.", field="limit")
    root = Path(repo_path or asker.root or ".").expanduser()
    if not root.is_dir():
        raise NotFound(f"{repo_path or root} is no folder.", hint="Give the root of a repository.", field="repo_path")
    if locate(root) is None:
        raise Invalid(f"{repo_path or root} is in no git repository.", hint="Give one that is.", field="repo_path")
    folder = os.path.realpath(root)
    named = _service(service) or service_of(engine, asker, folder)
    shelf = Shelf(engine, asker)
    if is_asked:
        _take_pruned(engine, asker, named, shelf)
    known = {commit for path in shelf.of(named) if (commit := hash_in(path))}
    after, itself = _after(folder, since, engine.clock()) if since else (None, "")
    lost = rewritten(engine, asker, folder, named, known)
    passed = known | {itself}
    looked_at = unread(folder, passed, since=after, limit=limit)
    is_own = bool(asker.root) and os.path.realpath(asker.root) == folder
    finder = TouchedSymbols(folder, symbol_seconds)
    items = commit_items(
        folder, known=passed, since=after, limit=looked_at, service=named, anchored=is_own, finder=finder
    )
    total = looked_at or None
    taken = take_in(
        engine,
        asker,
        items if looked_at else (),
        operation=HISTORY,
        service=named,
        gone=lost.gone,
        progress=progress,
        total=total,
        shelf=shelf,
        settle=SETTLE,
    )
    note(engine, asker, named, lost)
    left = 0
    if is_own:
        left = find_symbols_later(engine, asker, folder, named, shelf.of(named), finder, operation=HISTORY)
    unchanged = taken.unchanged + len(known) - len(lost.gone)
    back = read_back(folder, known, limit, after) if is_asked and (known or looked_at) else None
    return Took(named, looked_at, taken._replace(unchanged=unchanged), left, back)


def _is_export(folder: Path) -> bool:
    return any((folder / name).is_file() for name in LISTS)


def _export_in(place: Path) -> Path:
    """The only folder in this one, where that is an export: many an archive unpacks to it."""
    if not place.is_dir() or _is_export(place):
        return place
    inside = [one for one in sorted(place.iterdir()) if not one.name.startswith(".")]
    return inside[0] if len(inside) == 1 and inside[0].is_dir() and _is_export(inside[0]) else place


def _take_pruned(engine: Engine, asker: Asker, service: str, shelf: Shelf) -> None:
    """The shelf no longer has the commits that were pruned: they are read as if they were new."""
    rows = [row for path, row in shelf.of(service).items() if hash_in(path)]
    addresses = sorted({row.address for row in rows})
    with engine.store.reading() as reader:
        wanted = Filter(projects=(asker.scope.project,), kinds=(COMMIT,), service=service)
        if len(reader.select(asker.namespace, wanted, CURRENT, engine.clock())) >= len(addresses):
            return
        pruned = {
            record.node.address
            for at in range(0, len(addresses), BATCH)
            for record in reader.records(asker.namespace, addresses[at : at + BATCH], (asker.scope.project,), CURRENT)
            if record.standing.state == RETRACTED and record.standing.reason == PRUNED
        }
    for row in rows:
        if row.address in pruned:
            shelf.take(service, row.path)


def _after(root: str, since: str, now: int) -> tuple[datetime, str]:
    """A time, or the time of a commit and the commit: git counts what was made in that second too."""
    commit = commit_named(root, since)
    if commit and (at := commit_moment(root, commit)) is not None:
        return at, commit
    return moment(parse_moment(since, now, field="since", future=True)), ""


def _folder(engine: Engine, asker: Asker, folder: Path, service: str, progress: Progress | None) -> Took:
    """Transcripts below a folder. One that has not changed since it was read is not read again."""
    shelf = Shelf(engine, asker)
    files = sorted(_transcripts(folder))
    if not files:
        raise NotFound(
            f"There is no transcript below {str(folder)!r}.",
            hint="Give a Slack export, or a folder with .jsonl transcripts.",
            field="path",
        )
    due = [file for file in files if not _is_known(shelf, service, file)]
    now = engine.clock()
    items = (item for file in due for item in _careful(file, asker, service, now))
    taken = _took(engine, asker, CONVERSATION, service, len(files), items, progress, shelf).taken
    return Took(service, len(files), taken._replace(unchanged=taken.unchanged + len(files) - len(due)))


def _transcripts(folder: Path) -> Iterator[Path]:
    """The sessions' files. What agents said among themselves lies beside them, and is not taken in."""
    count = 0
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in ("subagents", "tool-results", "memory"))
        for name in sorted(names):
            path = Path(where, name)
            if name.endswith(".jsonl") and not name.startswith("agent-") and not path.is_symlink():
                count += 1
                if count > FILES_MAX:
                    raise TooLarge(f"There are more than {FILES_MAX:,} transcripts.", hint="Take parts.", field="path")
                yield path


def _is_known(shelf: Shelf, service: str, file: Path) -> bool:
    found = _UUID.findall(file.stem)
    if not found:
        return False
    try:
        about = file.stat()
    except OSError:
        return False
    rows: list[Source | None] = [shelf.at(service, f"{host}:{found[-1].lower()}") for host in _HOSTS]
    return any(row is not None and (row.size, row.mtime_ns) == (about.st_size, about.st_mtime_ns) for row in rows)


def _careful(file: Path, asker: Asker, service: str, now: int) -> Iterator[Item | Skipped]:
    """One that cannot be read does not stop the rest."""
    try:
        size = file.stat().st_size
        if size > TRANSCRIPT_BYTES_MAX:
            yield Skipped(str(file.name), f"it has {size:,} bytes; at most {TRANSCRIPT_BYTES_MAX:,} are read")
            return
        yield from _transcript(file, asker, "", service, now)
    except OSError as problem:
        yield Skipped(str(file.name), f"it cannot be read: {problem.strerror or problem}")


def _transcript(file: Path, asker: Asker, title: str, service: str, now: int) -> list[Item | Skipped]:
    about = file.stat()
    with opened(file) as stream:
        name = named_file(asker, file)
        found = read_transcript(
            stream, name=name, title=title, service=service, now=min(now, about.st_mtime_ns // 1000)
        )
    size, changed = about.st_size, about.st_mtime_ns
    items = [replace(one, size=size, mtime_ns=changed) if isinstance(one, Item) else one for one in found]
    return [_from_file(one, name) for one in items]


def _from_file(item: Item | Skipped, name: str) -> Item | Skipped:
    """With the file that it stands in, where it is known by a name of its own."""
    if not isinstance(item, Item) or file_of_path(item.path):
        return item
    metadata = {**item.draft.metadata, READ_FROM: name}
    return replace(item, draft=replace(item.draft, metadata=metadata))


def named_file(asker: Asker, path: Path) -> str:
    """A file's name among the sources: from the project's root, or for one that lies elsewhere its own, with a mark
    that tells it from others of the same name."""
    real = os.path.realpath(path)
    root = os.path.realpath(asker.root) if asker.root else ""
    if root and real.startswith(root.rstrip(os.sep) + os.sep):
        return Path(real).relative_to(root).as_posix()
    mark = hashlib.sha256(os.path.dirname(real).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    name = os.path.basename(real).encode("utf-8", "replace").decode()
    return f"{name}@{mark}" if not _UUID.search(name) else name


def _is_zip(path: Path) -> bool:
    if not path.is_file():
        return False
    with opened(path) as file:
        return form_of(file.read(_START_BYTES)[:4]) == SLACK


def _one_of(path: str, text: str) -> None:
    if bool(path) == bool(text.strip()):
        raise Invalid("Give either a path or a text.", hint="A file to read, or the text itself.", field="path")


def _service(service: str) -> str:
    return short_name(service, field="service", length_max=100) if service else ""


def _took(
    engine: Engine,
    asker: Asker,
    operation: str,
    service: str,
    files: int,
    items: Iterable[Item | Skipped],
    progress: Progress | None,
    shelf: Shelf | None = None,
) -> Took:
    known = shelf or Shelf(engine, asker)
    parts = _Parts(items)
    taken = take_in(
        engine, asker, parts, operation=operation, service=service, progress=progress, shelf=known, settle=SETTLE
    )
    if left := parts.left(known.of(redacted_name(service, engine.redact_extra)), engine.redact_extra):
        without = take_in(engine, asker, (), operation=operation, service=service, gone=left, shelf=known)
        taken = taken._replace(gone=taken.gone + without.gone)
    return Took(service, files, taken)


class _Parts:
    """Items as they pass, and how many parts each of their conversations has."""

    def __init__(self, items: Iterable[Item | Skipped]) -> None:
        self._items = items
        self._last: dict[str, int] = {}

    def __iter__(self) -> Iterator[Item | Skipped]:
        for item in self._items:
            if isinstance(item, Item) and item.path:
                whole, number = part_of(item)
                self._last[whole] = max(number, self._last.get(whole, 0))
            yield item

    def left(self, known: Collection[str], redact_extra: tuple[str, ...]) -> list[str]:
        """The known paths of parts that their conversation no longer has: it became shorter."""
        found = []
        for whole, last in self._last.items():
            number = last + 1
            while (path := kept_path(part_path(whole, number), redact_extra)) in known:
                found.append(path)
                number += 1
        return found
