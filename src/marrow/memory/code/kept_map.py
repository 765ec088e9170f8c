"""The map of one checkout: made when it is first asked for, and brought up to date each time before it answers."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from ...codemap.languages.table import language_of
from ...codemap.secrets import with_secrets
from ...model.errors import Conflict, Invalid, NotFound, StoreDamaged
from ...repository.changed import folders_stamp, is_as_it_was, is_writable, listed, stamp
from ...repository.ignored import ignored
from ...store.code import FileRow, MapFile, MapReader, MapWriter, is_of_older_format
from ...store.code.states import PLAIN
from ...version import __version__
from ..uncollected import uncollected
from .build import MAPPED_AT, Progress, build, languages_of_manifest, resolve_waiting
from .facts import KeptFacts
from .parsing import UNREADABLE, read_file
from .update import Changed, Updated, apply, maps_of, resolve_again

VERSION, PATTERNS = "version", "redact.extra"
# For so long the list of files is taken to hold while no folder and nothing of git's changed.
LISTED_SECONDS = 10.0
# A file that was emptied so short a time ago is most likely being written.
WRITTEN_NS = 2_000_000_000
TRIES = 5
# For so long a map of another version of Marrow is kept after it was last written.
KEPT_SECONDS = 30 * 86_400
LOADED_MAX = 150_000
# So many files are resolved in one part by this process; more are given to workers.
SETTLE_PART, ALONE_MAX = 50, 250


class _Found(NamedTuple):
    """Files that changed, went, were only touched, are new and plain, were renamed (from, to); and manifests that say
    otherwise what imports mean."""

    changed: list[Changed]
    removed: list[FileRow]
    touched: list[FileRow]
    plain: list[FileRow]
    renamed: list[tuple[FileRow, FileRow]]
    manifests: list[FileRow]


_opened: dict[str, KeptMap] = {}
_opening = threading.Lock()


def map_at(
    folder: str | os.PathLike[str], root: str, ignore_extra: tuple[str, ...] = (), redact_extra: tuple[str, ...] = ()
) -> KeptMap:
    """The map for the checkout at `root`, kept in `folder`; one for all who ask in this process. `ignore_extra` is what
    is left out of it, as in .gitignore: as who asked last has it. `redact_extra` are patterns of secrets: those of all
    who asked. Another version of Marrow reads code in another way, and has a map of its own."""
    if not root:
        raise Invalid("There is no project folder here.", hint="Run this inside a repository.", field="path")
    real = os.path.realpath(root)
    name = blake2b(os.fsencode(real), digest_size=10).hexdigest()
    path = os.path.join(folder, f"{name}-{__version__.replace('.', '_')}.map")
    with _opening:
        found = _opened.get(path)
        if found is None:
            found = _opened[path] = KeptMap(real, MapFile(Path(path)), ignore_extra)
        found.leave_out(ignore_extra)
        found.redact_too(redact_extra)
        return found


class KeptMap:
    """`root` is the real path of the working tree."""

    def __init__(
        self, root: str, file: MapFile, ignore_extra: tuple[str, ...] = (), redact_extra: tuple[str, ...] = ()
    ) -> None:
        self.root, self.file, self.ignore_extra, self.redact_extra = root, file, ignore_extra, redact_extra
        self._harmless: set[str] = set()
        self._updating = threading.RLock()
        self._rows: dict[str, FileRow] = {}
        self._version = -1
        self._facts: KeptFacts | None = None
        self._listing: tuple[int, float, list[str]] | None = None

    def leave_out(self, ignore_extra: tuple[str, ...]) -> None:
        if ignore_extra != self.ignore_extra:
            with self._updating:
                self.ignore_extra, self._listing = ignore_extra, None

    def redact_too(self, redact_extra: tuple[str, ...]) -> None:
        if not set(redact_extra) <= set(self.redact_extra):
            with self._updating:
                self.redact_extra = tuple(dict.fromkeys((*self.redact_extra, *redact_extra)))
                self._harmless, self._listing = set(), None

    def has_map(self) -> bool:
        return self.file.exists()

    @contextmanager
    def reading(self) -> Iterator[MapReader]:
        """A map whose damage shows only now goes: the next question makes it anew."""
        try:
            with self.file.reading() as reader:
                yield reader
        except StoreDamaged:
            with self._updating:
                self._forget()
                self.file.drop()
            raise

    def update(
        self,
        now: int,
        progress: Progress | None = None,
        *,
        only: Iterable[str] | None = None,
        whole: bool = True,
        nice: int = 0,
    ) -> Updated:
        """Make the map what the checkout is. `only` looks at these files alone; nothing is made where there is no map
        then. Without `whole`, calls that wait to be resolved may go on waiting: `resolve_for` does what a question
        needs."""
        with self._updating, uncollected():
            if not self.file.exists():
                return Updated() if only is not None else self._build(now, progress, whole, nice)
            try:
                return self._brought_up(now, progress, None if only is None else list(only), whole)
            except (StoreDamaged, NotFound):
                self._forget()
                self.file.drop()
                return Updated() if only is not None else self._build(now, progress, whole, nice)

    def _brought_up(self, now: int, progress: Progress | None, only: list[str] | None, whole: bool) -> Updated:
        done = self._bring_up(now, only)
        if only is None and whole:
            done.resolved += self._settle(progress)
        return done

    def _build(self, now: int, progress: Progress | None, whole: bool, nice: int) -> Updated:
        with self.file.alone():
            if self.file.exists():  # another process was faster
                return self._brought_up(now, progress, None, whole)
            _clear_up(self.file.path)
            about = ((VERSION, _first_version()), (PATTERNS, json.dumps(self.redact_extra)))
            parsed = build(
                self.file,
                self.root,
                self._paths,
                now,
                progress,
                nice=nice,
                whole=whole,
                redact_extra=self.redact_extra,
                about=about,
            )
        self._forget()
        return Updated(parsed=parsed)

    def rebuild(self, now: int, progress: Progress | None = None, *, whole: bool = True, nice: int = 0) -> Updated:
        """Map everything anew. What is known of the past goes."""
        with self._updating, uncollected():
            self._forget()
            self.file.drop()
            return self._build(now, progress, whole, nice)

    def _forget(self) -> None:
        self._rows, self._version, self._facts, self._listing = {}, -1, None, None

    def _bring_up(self, now: int, only: list[str] | None) -> Updated:
        for _ in range(TRIES):
            with self.file.reading() as reader:
                self._load(reader)
            found = self._look(only)
            try:
                return self._write(found, now)
            except Conflict:
                continue
        return Updated()  # others keep it up to date all the time

    def _load(self, reader: MapReader) -> None:
        self._know_patterns(reader)
        version = int(reader.about(VERSION) or 0)
        if version != self._version or not self._rows:
            self._rows = {row.path: row for row in reader.files()}
            self._version, self._facts = version, None

    def _know_patterns(self, reader: MapReader) -> None:
        """A map that was made without one of our patterns may hold what that one would have taken out. What is written
        to it must be without what all of its own find: who asks with fewer does not make it anew."""
        kept = tuple(json.loads(reader.about(PATTERNS) or "[]"))
        if not set(self.redact_extra) <= set(kept):
            raise StoreDamaged("The code map was made before `redact.extra` was what it is.", hint="Ask again.")
        self.redact_too(kept)

    def _look(self, only: list[str] | None) -> _Found:
        paths = self._listed() if only is None else self._chosen(path for path in only if is_writable(path))
        found = _Found([], [], [], [], [], [])
        new_id = max((row.id for row in self._rows.values()), default=0)
        for path in paths:
            row = self._rows.get(path)
            language = row.language if row is not None else language_of(path)
            if not language:
                new_id += self._look_at_plain(path, row, new_id + 1, found)
                continue
            if row is not None and is_as_it_was(self.root, path, row.size, row.mtime):
                continue
            here = stamp(self.root, path)
            if here is None:
                if row is not None and row.size >= 0:
                    found.removed.append(row)
                continue
            if row is not None and (row.size, row.mtime) == here:
                continue
            read = read_file(self.root, path)
            if read.reason == UNREADABLE or (only is not None and _is_being_written(row, read.size, read.mtime)):
                continue
            if row is None:
                new_id += 1
                row = FileRow(new_id, path, language)
                is_new = True
            else:
                is_new = False
                if read.hash is not None and read.hash == row.hash:
                    found.touched.append(row._replace(mtime=read.mtime))
                    continue
            seen = row._replace(size=read.size, mtime=read.mtime, hash=read.hash)
            found.changed.append(Changed(seen, read, is_new))
        if only is None:
            there = set(paths)
            found.removed.extend(row for row in self._rows.values() if row.path not in there)
        self._pair_renames(found)
        return found

    def _look_at_plain(self, path: str, row: FileRow | None, new_id: int, found: _Found) -> bool:
        """A file of no language that is mapped; whether it is new. Only manifests are looked at again."""
        is_manifest = bool(languages_of_manifest(path))
        if row is not None and not is_manifest:
            return False
        here = stamp(self.root, path)
        if here is None:
            return False
        if row is None:
            seen = here if is_manifest else (0, 0)
            found.plain.append(FileRow(new_id, path, size=seen[0], mtime=seen[1], state=PLAIN))
        if is_manifest and (row is None or (row.size, row.mtime) != here):
            known = row or found.plain[-1]
            found.manifests.append(known._replace(size=here.size, mtime=here.mtime))
        return row is None

    def _chosen(self, paths: Iterable[str]) -> list[str]:
        """Without what the setting `ignore.extra` leaves out, and without those whose path holds a secret: it could not
        be written down, and under another one the file would not be found."""
        if self.ignore_extra:
            is_ignored = ignored(self.ignore_extra)
            paths = (path for path in paths if not is_ignored(path))
        chosen = list(paths)
        new = [path for path in chosen if path not in self._harmless]
        if not new:
            return chosen
        telling = with_secrets(new, self.redact_extra)
        self._harmless.update(new)
        self._harmless -= telling
        return [path for path in chosen if path not in telling] if telling else chosen

    def _listed(self) -> list[str]:
        """The files of the checkout. Asking git takes longer than looking at each folder."""
        clock = time.monotonic()
        known = self._listing
        is_fresh = known is not None and clock - known[1] < LISTED_SECONDS
        if known is not None and is_fresh and folders_stamp(self.root, known[2]) == known[0]:
            return known[2]
        paths = self._paths()
        self._listing = (folders_stamp(self.root, paths), clock, paths)
        return paths

    def _paths(self) -> list[str]:
        return self._chosen(listed(self.root))

    def _pair_renames(self, found: _Found) -> None:
        """A file that went and one that came with the same content are one file."""
        gone = {row.hash: row for row in found.removed if row.hash is not None and row.language}
        for one in list(found.changed):
            digest = one.row.hash
            old = gone.get(digest) if one.is_new and digest else None
            if digest is not None and old is not None and old.language == one.row.language:
                found.renamed.append((old, one.row))
                found.removed.remove(old)
                found.changed.remove(one)
                del gone[digest]

    def _write(self, found: _Found, now: int) -> Updated:
        if not any(found):
            return Updated()
        maps = maps_of(self.root, found.changed, self.redact_extra)
        with self.file.writing() as writer:
            if int(writer.about(VERSION) or 0) != self._version:
                raise Conflict("Another process has changed the code map meanwhile.", hint="Look again.")
            for row in found.touched:
                writer.touch_file(row.id, row.mtime)
            plain_gone = [row for row in found.removed if not row.language]
            for row in plain_gone:
                writer.drop_file(row.id)
                writer.set_stale(self._under(row.path), True)
            writer.add_files(found.plain)
            for row in found.manifests:
                writer.mark_file(row)
                writer.set_stale(self._under(row.path), True)
            after_renames = self._rename(writer, found, now)
            removed = [row for row in found.removed if row.language]
            written: list[FileRow] = []

            def facts() -> KeptFacts:
                before = [*removed, *plain_gone]
                before += [self._rows[one.row.path] for one in found.changed if one.row.path in self._rows]
                before += [old for old, _ in found.renamed]
                rows = (writer.file(one.row.id) for one in found.changed)
                written.extend(row for row in rows if row is not None)
                written.extend(after_renames)
                written.extend(found.plain)
                return self._facts_after(writer, before, written)

            done = apply(writer, facts, found.changed, maps, removed, now, also={row.id for row in after_renames})
            done.renamed = len(found.renamed)
            writer.set_about(VERSION, self._version + 1)
        self._version += 1
        for row in found.removed:
            self._rows.pop(row.path, None)
        for old, _ in found.renamed:
            self._rows.pop(old.path, None)
        self._rows.update({row.path: row for row in (*written, *found.touched, *found.manifests)})
        return done

    def _under(self, manifest: str) -> list[int]:
        """The files whose imports a manifest speaks of."""
        folder = manifest.rpartition("/")[0]
        start = f"{folder}/" if folder else ""
        languages = languages_of_manifest(manifest)
        return [row.id for row in self._rows.values() if row.language in languages and row.path.startswith(start)]

    def _rename(self, writer: MapWriter, found: _Found, now: int) -> list[FileRow]:
        rows = []
        for old, new in found.renamed:
            writer.rename_file(old.id, old.path, new.path, now)
            writer.touch_file(old.id, new.mtime)
            rows.append(old._replace(path=new.path, mtime=new.mtime, changed=now))
        return rows

    def _facts_after(self, reader: MapReader, before: list[FileRow], after: list[FileRow]) -> KeptFacts:
        if self._facts is None or self._facts.loaded() > LOADED_MAX:
            rows = {**self._rows}
            for row in before:
                rows.pop(row.path, None)
            rows.update({row.path: row for row in after})
            self._facts = KeptFacts(self.root, reader, rows.values())
            return self._facts
        return self._facts.renewed(reader, before, after)

    def resolve_for(self, names: Iterable[str] = (), files: Iterable[int] = ()) -> int:
        """Resolve what waits in these files, and in those that call something of these names; how many are left."""
        with self._updating, uncollected():
            with self.file.reading() as reader:
                left = reader.stale_count()
                if not left:
                    return 0
                wanted = set(files).union(*(reader.loose(name) for name in names))
                rows = (reader.file(one) for one in sorted(wanted))
                waiting = [row.id for row in rows if row is not None and row.stale]
            if len(waiting) > ALONE_MAX:
                self._settle(None)
                return 0
            self._resolve_here(waiting)
            return left - len(waiting)

    def _settle(self, progress: Progress | None) -> int:
        """Resolve all that waits."""
        done = 0
        for _ in range(TRIES):
            with self.file.reading() as reader:
                waiting = reader.files_stale(-1)
                version = reader.about(VERSION)
            if not waiting:
                break
            if len(waiting) <= ALONE_MAX:
                done += self._resolve_here(waiting)
                break
            if resolve_waiting(self.file, self.root, waiting, _as_it_was(version), progress):
                done += len(waiting)
                break
        return done

    def _resolve_here(self, waiting: list[int]) -> int:
        done = 0
        for at in range(0, len(waiting), SETTLE_PART):
            with self.file.writing() as writer:
                self._load(writer)
                part = waiting[at : at + SETTLE_PART]
                done += resolve_again(writer, self._facts_after(writer, [], []), part, {})
        return done

    def is_whole(self) -> bool:
        """Whether nothing waits to be resolved."""
        with self.reading() as reader:
            return not reader.stale_count()

    def mapped_at(self) -> int:
        with self.reading() as reader:
            return int(reader.about(MAPPED_AT) or 0)


def _is_being_written(row: FileRow | None, size: int, mtime: int) -> bool:
    """Who writes a file empties it first, and one that was just edited may be edited again. What is seen in that moment
    is no change; one that stays empty is, at the next look."""
    return row is not None and row.size > 0 and size == 0 and abs(time.time_ns() - mtime) < WRITTEN_NS


def _clear_up(ours: Path) -> None:
    """Take away the maps, with what lies beside them, that are used no longer: those of this checkout that are of other
    versions, and all of an older format. These may hold secrets; who still uses one makes it anew."""
    checkout = ours.name.partition("-")[0]
    for path in ours.parent.glob("*.map"):
        with suppress(OSError):  # another process uses it after all, or was faster
            is_old = path.name.startswith(checkout) and time.time() - path.stat().st_mtime > KEPT_SECONDS
            if path != ours and (is_old or is_of_older_format(path)):
                for left in ours.parent.glob(f"{path.stem}.*"):
                    left.unlink()


def _first_version() -> int:
    """Another one for each map that is made: who knows one that was here before sees that this is not it."""
    return int.from_bytes(os.urandom(4)) << 24


def _as_it_was(version: object) -> Callable[[MapWriter], bool]:
    return lambda writer: bool(writer.about(VERSION) == version)


def inside(root: str, path: str, *, field: str = "path") -> str:
    """A path as the map has it: from the root, inside of it, links resolved."""
    given = path.strip().replace("\\", "/") or "."
    whole = os.path.realpath(os.path.join(root, given))
    if whole != root and not whole.startswith(os.path.join(root, "")):
        raise Invalid(f"{given[:200]!r} lies outside of the project.", hint="Give a path from its root.", field=field)
    found = os.path.relpath(whole, root).replace(os.sep, "/")
    return "" if found == "." else found
