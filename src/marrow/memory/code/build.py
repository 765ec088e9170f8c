"""The first map of a checkout: parsed by two workers, then resolved by them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import chain
from operator import itemgetter
from typing import Any

from ...codemap.languages.table import language_of
from ...repository.changed import stamp
from ...store.code import FileRow, MapFile, MapWriter
from ...store.code.states import MAPPED, SKIPPED
from .parsing import Parsed
from .pool import Pool
from .worker import PARSE, PARSE_FIRST, RESOLVE, RESOLVE_FIRST

PARSE_BATCH, RESOLVE_BATCH = 16, 48
WRITTEN_TOGETHER = 32
PART_FILES = 400
Progress = Callable[[int, int | None], None]

MAPPED_AT, ROOT = "mapped_at", "root"
_SCRIPT = ("javascript", "typescript", "tsx")
# Files that say what imports mean, and for which languages.
MANIFESTS = {
    "go.mod": ("go",),
    "Cargo.toml": ("rust",),
    "Directory.Build.props": ("csharp",),
    "composer.json": ("php",),
    "package.json": _SCRIPT,
    "jsconfig.json": _SCRIPT,
}
# One of them may stand on another: tsconfig.base.json.
_SCRIPT_CONFIG = re.compile(r"tsconfig[\w.-]*\.json\Z")


def languages_of_manifest(path: str) -> tuple[str, ...]:
    """The languages for which a file says what imports mean; none for one that is no manifest."""
    name = path.rpartition("/")[2]
    if name.endswith(".csproj"):
        return ("csharp",)
    return _SCRIPT if _SCRIPT_CONFIG.match(name) else MANIFESTS.get(name, ())


def build(
    file: MapFile,
    root: str,
    listing: Callable[[], Sequence[str]],
    now: int,
    progress: Progress | None = None,
    *,
    nice: int = 0,
    whole: bool = True,
    redact_extra: Sequence[str] = (),
    about: Sequence[tuple[str, object]] = (),
) -> int:
    """Map everything anew, and say how many files that were. They are listed while the workers start. Without `whole`
    calls are known by name only, and every file waits to be resolved."""
    loose: dict[str, list[int]] = {}
    with file.making() as (place, writer), Pool(root, redact_extra, nice=nice) as pool:
        ordered = list(enumerate(sorted(listing()), 1))
        known = [(id_, path) for id_, path in ordered if language_of(path)]
        read = {id_ for id_, _ in known}
        total = (1 + whole) * len(known)
        writer.set_about(MAPPED_AT, now)
        writer.set_about(ROOT, root)
        for key, value in about:
            writer.set_about(key, value)
        writer.add_files(_plain(root, id_, path) for id_, path in ordered if id_ not in read)
        mapped: list[int] = []
        waiting: list[Parsed] = []
        for done, answer in enumerate(pool.work((PARSE_FIRST if whole else PARSE,), known, PARSE_BATCH)):
            one = Parsed(*answer)
            waiting.append(one)
            if len(waiting) >= WRITTEN_TOGETHER:
                _keep(writer, waiting, stale=not whole)
            if one.state == MAPPED:
                mapped.append(one.id)
                for name in () if whole else one.names:
                    loose.setdefault(name, []).append(one.id)
            _tell(progress, done, total)
        _keep(writer, waiting, stale=not whole)
        writer.add_files(
            FileRow(id_, path, language_of(path), state=SKIPPED, reason=why) for (id_, path), why in pool.failed
        )
        pool.failed.clear()
        writer.index()
        writer.set_loose(sorted(loose.items()))
        if whole:
            writer.part_done()
            _resolve(writer, pool, str(place), sorted(mapped), len(known), progress)
        _tell(progress, total, total, always=True)
    return len(known)


def _plain(root: str, id_: int, path: str) -> FileRow:
    """A file of no language that is mapped. When it was changed matters for manifests alone."""
    here = stamp(root, path) if languages_of_manifest(path) else None
    return FileRow(id_, path, size=here.size, mtime=here.mtime) if here is not None else FileRow(id_, path)


def _keep(writer: MapWriter, waiting: list[Parsed], *, stale: bool) -> None:
    """Write down what waits, in the order of the files: appending is quicker than finding a place."""
    waiting.sort(key=itemgetter(0))
    writer.add_files(
        FileRow(*one[:9], one.errors, one.lines, len(one.symbols), stale=int(stale and one.state == MAPPED))
        for one in waiting
    )
    mapped = [one for one in waiting if one.state == MAPPED]
    writer.add_texts((one.id, one.outline, one.calls) for one in mapped)
    writer.add_symbols(chain.from_iterable(one.symbols for one in mapped))
    waiting.clear()


def _resolve(
    writer: MapWriter, pool: Pool, place: str, files: Sequence[int], before: int, progress: Progress | None
) -> None:
    loose: dict[str, list[int]] = {}
    waiting: list[tuple[Any, ...]] = []
    for done, answer in enumerate(pool.work((RESOLVE_FIRST, place), files, RESOLVE_BATCH)):
        waiting.append(answer)
        if len(waiting) >= WRITTEN_TOGETHER:
            _keep_resolved(writer, waiting)
        for name in answer[3]:
            loose.setdefault(name, []).append(answer[0])
        _tell(progress, before + done, 2 * before)
    _keep_resolved(writer, waiting)
    writer.set_stale((job for job, _ in pool.failed), True)
    writer.set_loose(sorted(loose.items()))


def _keep_resolved(writer: MapWriter, waiting: list[tuple[Any, ...]]) -> None:
    """Write down what waits, all of a table at once: each time it is begun costs as much as some rows."""
    writer.add_edges((file, links) for file, links, *_ in waiting)
    writer.add_incoming(chain.from_iterable(incoming for _, _, incoming, *_ in waiting))
    writer.add_extends(chain.from_iterable(extends for *_, extends in waiting))
    waiting.clear()


def _tell(progress: Progress | None, done: int, total: int, *, always: bool = False) -> None:
    if progress is not None and (always or done % 50 == 0):
        progress(done, total)


def resolve_waiting(
    file: MapFile, root: str, files: Sequence[int], is_same: Callable[[MapWriter], bool], progress: Progress | None
) -> bool:
    """Resolve the calls of many files of a map that is in use, with workers, in parts that others do not wait long for.
    Ends, and says so, when the map was changed meanwhile: `is_same` is asked before each part."""
    part: list[tuple[Any, ...]] = []

    def written() -> bool:
        gone: dict[str, set[int]] = {}
        came: dict[str, set[int]] = {}
        with file.writing() as writer:
            if not is_same(writer):
                return False
            for id_, links, incoming, loose, settled, extends in part:
                writer.relink_packed(id_, links, incoming)
                writer.set_extends(id_, extends)
                for name in settled:
                    gone.setdefault(name, set()).add(id_)
                for name in loose:
                    came.setdefault(name, set()).add(id_)
            writer.change_loose_of_many(gone, came)
            writer.set_stale((one[0] for one in part), False)
        part.clear()
        return True

    with Pool(root) as pool:
        for done, answer in enumerate(pool.work((RESOLVE, str(file.path)), files, RESOLVE_BATCH)):
            part.append(answer)
            _tell(progress, done, len(files))
            if len(part) >= PART_FILES and not written():
                return False
    return written()
