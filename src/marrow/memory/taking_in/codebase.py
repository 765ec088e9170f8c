"""Take in a codebase: the files that git tracks or would, read once and again when they change."""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from ...codemap.languages.table import language_of
from ...ingest.file_kinds import NO_NAME, SUBMODULE, other_language
from ...ingest.files import CODE, read_file
from ...ingest.formats.text_of import FILE_BYTES_MAX as DOCUMENT_BYTES_MAX
from ...ingest.item import Item, Skipped
from ...ingest.meeting import CAPTION_SUFFIXES
from ...ingest.service_name import manifest_name, service_name
from ...model.errors import Conflict, Invalid, NotFound, Unavailable
from ...model.moments import moment
from ...model.source import CODEBASE, CURSOR, NO_ADDRESS, Source
from ...model.standing import MOMENT_MAX
from ...model.text import name as short_name
from ...repository.changed import Stamp, changed_between, commit_named, escaped, is_real, listing, stamp
from ...repository.file_sorts import is_inside_git, is_secret, is_test
from ...repository.first_added import FirstAdded
from ...repository.gitconfig import submodules
from ...repository.head import repository_at
from ...repository.identity import identify, locate
from ...repository.ignored import ignored
from ...repository.last_changed import last_changed
from ...repository.own_builds import OwnBuilds
from ...repository.plain_file import read_plain
from ...repository.working_tree import looking
from ..attribution import DATED
from ..engine import Asker, Engine
from ..uncollected import uncollected
from .kept_path import kept_path
from .passed_over import noted, passed_over, read_one_by_one
from .settled import SETTLE
from .shelf import Shelf
from .take_in import Progress, TakenIn, take_in

OPERATION = "ingest_codebase"
FILE_BYTES_MAX = 1024 * 1024
# What is mostly data is taken in when it is small enough to have been written by hand.
DATA_SUFFIXES = frozenset(".json .yaml .yml .xml .html .css .csv .ipynb".split())
DATA_BYTES_MAX = 256 * 1024
MICROS, NANOS_PER_MICRO = 1_000_000, 1_000
# A file that was written so shortly before it was looked at may be written again within the same tick of its clock. A
# system that keeps whole seconds may keep every other one; where there are fractions, a tick has some milliseconds.
SECOND_NS = 1_000_000_000
TICK_OF_SECONDS_NS, TICK_NS = 2 * SECOND_NS, 50_000_000
# Tests say what a thing does with made-up values: what it is for stands elsewhere.
TESTS_PRIORITY = 0.2
# Beside what is code by its name: prose, and files without an ending, which may be scripts.
PROSE_SUFFIXES = frozenset(".md .markdown .mdx .rst .txt .adoc .org .pdf .docx .html .ipynb .vtt .srt".split())
# The words of a licence are nobody's decision.
_LICENCE = re.compile(
    r"(?:un)?li[cs]en[cs]es?(?:[-_.](?:mit|apache|bsd|[al]?gpl|mpl|cc0?|isc|zlib|boost|v?[\d.]+|third[-_]?party))*"
    r"(?:\.(?:txt|md|rst))?|(?:copying|notice|patents)(?:\.(?:lib|lesser|txt|md|rst))?|[al]?gpl[-_.v\d]*(?:\.(?:txt|md))?",
    re.I,
)
# Stands between a repository and the folder of a service that is a part of it.
PART = " // "
# Paths of what came by another reader begin with a word and a colon.
BY_ANOTHER = re.compile(r"#|[a-z][a-z-]+:")


class Ingested(NamedTuple):
    """What came of a codebase: `files` were looked at, `read` had to be read."""

    service: str
    root: str
    files: int
    read: int
    taken: TakenIn


@uncollected()
def ingest_codebase(
    engine: Engine,
    asker: Asker,
    path: str,
    *,
    service: str = "",
    extensions: Sequence[str] = (),
    since: str = "",
    progress: Progress | None = None,
) -> Ingested:
    """Take in the files below `path`. What is unchanged since the last time is not read."""
    root, below = _root(asker, path)
    given = short_name(service, field="service_name", length_max=100) if service else ""
    own = manifest_name(os.path.join(root, below)) if below else ""
    named = given or own or service_of(engine, asker, root)
    endings = suffixes(extensions) if extensions else PROSE_SUFFIXES
    shelf, nameless = Shelf(engine, asker), list[str]()
    with listing(root, nameless) as every:  # git works while the rows are read
        known = shelf.of(named)
        inside = [path for path in every() if path.startswith(below)] if below else every()
    chosen = [path for path in inside if is_chosen(path, endings, not extensions)]
    chosen = _not_taken(chosen, root, known, partial(read_one_by_one, engine, asker, named, known, root))
    is_ignored, extra = ignored(engine.ignore_extra), engine.redact_extra
    odd = {path for path in chosen if BY_ANOTHER.match(path)}
    ours = [path for path in chosen if path not in odd and not is_ignored(path)]
    there = {path: found for path in ours if (found := stamp(root, path)) is not None}
    # A path that is written down has no secret in it, unless more are looked for now than when it was.
    names = {path: path if path in known and not extra else kept_path(path, extra) for path in there}
    held = frozenset(names.values())
    away = [path for path in known if path not in held and path.startswith(below) and not BY_ANOTHER.match(path)]
    gone = [path for path in away if is_chosen(path, endings, not extensions)]
    if since:
        changed = frozenset(_changed_since(root, since))
        there = {path: found for path, found in there.items() if path in changed}
        gone = [path for path in gone if path in changed]
    origin = origin_of(asker, root, named, known.get(CODEBASE), below if given or own else "")
    # Of a service that was read as a whole, a folder alone does not say which files are passed over.
    is_piece = bool(below) and CODEBASE in known and not origin.title.endswith(f"{PART}{below.rstrip('/')}")
    passed = None
    if not (extensions or since or is_piece):
        taken_in = frozenset(chosen)
        left = [path for path in inside if path not in taken_in and not is_licence(path) and not is_ignored(path)]
        passed = passed_over(engine, asker, named, left, known, root) + _modules(root, below, is_ignored, extra)
        passed += _without_name(root, [path for path in nameless if path.startswith(below)], is_ignored, extra)
    row = noted(origin, known.get(CODEBASE), passed)
    looked_at = _looked_at(there, names, known)
    now = engine.clock()  # What files hold is read after this: whatever is written later has a later time.
    with _pending(root, looked_at) as pending:  # git works while the files are looked at
        due, same = _changed(root, looked_at, now)
        differing = pending() if due else None
        times = _committed_at(root, due, differing)
    refused = [Skipped(path, "its name is of a form that Marrow uses itself") for path in sorted(odd)]
    taken = take_in(
        engine,
        asker,
        chain(refused, _items(root, due, times, differing or ())),
        operation=OPERATION,
        service=named,
        gone=gone,
        progress=progress,
        total=len(due),
        shelf=shelf,
        settle=SETTLE,
        rows=[*same, row._replace(at=engine.clock())],
        seen_at=now,
    )
    news = passed if passed and (CODEBASE not in known or row.digest != known[CODEBASE].digest) else ()
    unchanged = len(there) - len(due) + taken.unchanged
    taken = taken._replace(unchanged=unchanged, problems=(*taken.problems, *news))
    return Ingested(named, root, len(there), len(looked_at), taken)


def _not_taken(
    paths: list[str], root: str, known: Collection[str], one_by_one: Callable[[], Collection[str]]
) -> list[str]:
    """Without the subtitles that were read by themselves, with what somebody said of them."""
    new = [path for path in paths if path.endswith(CAPTION_SUFFIXES) and path not in known]
    taken = one_by_one() if new else ()
    left_out = {path for path in new if os.path.join(root, path) in taken}
    return [path for path in paths if path not in left_out] if left_out else paths


def _modules(root: str, below: str, is_ignored: Callable[[str], bool], extra: tuple[str, ...]) -> list[Skipped]:
    """The repositories of their own in it, which are not read."""
    inside = (path for path in submodules(root) if path.startswith(below) and not is_ignored(path))
    return [Skipped(kept_path(path, extra), SUBMODULE) for path in inside]


def _without_name(
    root: str, paths: Sequence[str], is_ignored: Callable[[str], bool], extra: tuple[str, ...]
) -> list[Skipped]:
    """The files whose names are no text. Secrets, licences and git's own are no news, as with all others."""
    there = sorted({path for path in paths if stamp(root, path) is not None and not is_ignored(path)})
    told = (path for path in there if not (is_secret(path) or is_licence(path) or is_inside_git(path)))
    return [Skipped(kept_path(escaped(path), extra), NO_NAME) for path in told]


def origin_of(asker: Asker, root: str, service: str, before: Source | None, below: str = "") -> Source:
    """The row that says where a service is from. Two repositories in one service would take each other's files for
    their own: what one has not would be gone. `below` is the folder of a service that is only a part of it."""
    found = identify(root, create=False)
    known = before.title.partition(PART)[0] if before is not None else ""
    if before is not None and known not in (found.name, *found.aliases, found.path_name):
        raise Conflict(
            f"The service {service!r} was read from {before.title}, and not from {found.name}.",
            hint="Give another service_name, or delete_service_data of this one first.",
            field="service_name",
        )
    part = f"{PART}{below.rstrip('/')}" if below and (before is None or PART in before.title) else ""
    return Source(asker.scope.project, service, CODEBASE, CURSOR, NO_ADDRESS, title=f"{found.name}{part}")


def service_of(engine: Engine, asker: Asker, root: str) -> str:
    """What the service of a repository is called here: as it was read before, or as it would be read."""
    found = identify(root, create=False)
    names = (found.name, *found.aliases, found.path_name)
    with engine.store.reading() as reader:
        known = reader.sources(asker.namespace, (asker.scope.project,), path=CODEBASE)
    services = (source.service for source in known if source.kind == CURSOR and source.title in names)
    return next(services, "") or service_name(root)


def suffixes(given: Sequence[str]) -> frozenset[str]:
    """Endings as a caller writes them: with or without their dot."""
    found = frozenset(f".{one.strip().lower().lstrip('.*')}" for one in given if one.strip(" .*"))
    if not found:
        raise Invalid("extensions names no ending.", hint="For example .py, .md.", field="extensions")
    return found


def _root(asker: Asker, path: str) -> tuple[str, str]:
    """The root of the repository that a folder is in, and the folder from there, with a slash at its end: what lies
    elsewhere in the repository is then neither read nor gone. A folder in no repository is a root by itself."""
    folder = Path(path or asker.root or ".").expanduser()
    if not folder.is_dir():
        one = " ingest_document takes in one file." if folder.is_file() else ""
        hint = f"Give the root of a repository.{one}"
        raise NotFound(f"{path or folder} is no folder.", hint=hint, field="repo_path")
    real = os.path.realpath(folder)
    place = locate(real)
    top = os.path.realpath(place.root) if place is not None and place.root is not None else real
    if top == real or not real.startswith(os.path.join(top, "")):
        return real, ""
    return top, os.path.relpath(real, top).replace(os.sep, "/") + "/"


def is_chosen(path: str, endings: frozenset[str] = PROSE_SUFFIXES, is_default: bool = True) -> bool:
    """Whether a file is worth reading by its name: one with these endings, or by default code and prose."""
    return not is_inside_git(path) and _is_named_so(path.rpartition("/")[2], endings, is_default)


@lru_cache(maxsize=8_192)  # many are called the same, and each of a repository is asked about again and again
def _is_named_so(name: str, endings: frozenset[str], is_default: bool) -> bool:
    stem, dot, ending = name.rpartition(".")
    suffix = f"{dot}{ending.lower()}" if stem.strip(".") else ""  # as `os.path.splitext`, in half the time
    if not is_default:
        return suffix in endings
    if _LICENCE.fullmatch(name):
        return False
    if not suffix or suffix in endings or _is_of_code(suffix):
        return True
    return bool(language_of(name) or other_language(name, suffix))


def is_licence(path: str) -> bool:
    """Whether a file by this name holds the words of a licence."""
    return _LICENCE.fullmatch(path.rpartition("/")[2]) is not None


@lru_cache(maxsize=1024)
def _is_of_code(suffix: str) -> bool:
    """Whether what ends so is code, whatever it is called."""
    name = f"x{suffix}"
    return bool(language_of(name) or other_language(name, suffix))


def _changed_since(root: str, since: str) -> list[str]:
    commit = commit_named(root, since)
    if not commit:
        raise NotFound(f"{since!r} is no commit here.", hint="A hash, a tag, a branch or HEAD~5.", field="since")
    return [path for pair in changed_between(root, commit) for path in pair if path]


@dataclass(frozen=True, slots=True)
class _Due:
    path: str
    stamp: Stamp
    before: Source | None = None


def _looked_at(there: Mapping[str, Stamp], names: Mapping[str, str], known: Mapping[str, Source]) -> list[_Due]:
    """The files that may have changed, by how they look."""
    return [_Due(p, found, before) for p, found in there.items() if _is_due(found, before := known.get(names[p]))]


def _is_due(found: Stamp, before: Source | None) -> bool:
    """Whether a file has changed since it was read, by size and time. What was looked at within a moment of its change
    is looked at again: its clock may not have moved."""
    if before is None or (before.size, before.mtime_ns) != found:
        return True
    tick = TICK_NS if found.mtime % SECOND_NS else TICK_OF_SECONDS_NS
    return before.at * NANOS_PER_MICRO - found.mtime < tick


def _changed(root: str, looked_at: Sequence[_Due], now: int) -> tuple[list[_Due], list[Source]]:
    """Those that hold other bytes than when they were read last; and the rows of the rest, with what their files look
    like now, so that these are not looked at again."""
    due, same = [], []
    for one in looked_at:
        before, found = one.before, one.stamp
        is_known = before is not None and before.is_document and before.digest
        if before is not None and is_known and before.digest == _digest_of(root, one):
            same.append(before._replace(size=found.size, mtime_ns=found.mtime, at=now))
        else:
            due.append(one)
    return due, same


def _digest_of(root: str, one: _Due) -> str:
    """The digest of what a file holds; "" where that is not to be read."""
    most = bytes_max(one.path)
    if one.stamp.size > most:
        return ""
    try:
        data = _contents(root, one.path, most)
    except OSError:
        return ""
    return hashlib.sha256(data).hexdigest() if len(data) <= most else ""


@contextmanager
def _pending(root: str, looked_at: Sequence[_Due]) -> Iterator[Callable[[], Collection[str] | None]]:
    """Begins to ask which of these differ from the last commit, and gives what waits for the answer; None where git
    cannot say."""
    with ExitStack() as running:
        try:
            asked = looked_at and locate(root) is not None
            paths = [one.path for one in looked_at]
            found = running.enter_context(looking(repository_at(root), paths)) if asked else None
        except (Invalid, Unavailable):
            found = None

        def told() -> Collection[str] | None:
            try:
                return {one.path for one in found().files} if found is not None else None
            except (Invalid, Unavailable):
                return None

        yield told


def committed_at(file: str, kind: str) -> int:
    """When git says that one file was written; 0 where it does not know it, or not as it is. What happened or was
    decided on a day is of when it was written first."""
    try:
        repository = repository_at(os.path.dirname(file))
        path = os.path.relpath(file, repository.root or "")
        if kind in DATED and (at := FirstAdded(repository.root or "")(path)):
            return _possible(at * MICROS)
        with looking(repository, [path]) as found:
            is_changed = bool(found().files)
        at = 0 if is_changed else last_changed(repository.root or "", [path]).get(path, 0)
        return _possible(at * MICROS)
    except (Invalid, Unavailable):
        return 0


def _committed_at(root: str, due: Sequence[_Due], pending: Collection[str] | None) -> dict[str, int]:
    """When the files that are as the last commit has them were changed, in seconds. Where git cannot say, the files'
    own times will do."""
    if not due or pending is None:
        return {}
    return last_changed(root, [one.path for one in due if one.path not in pending])


def _contents(root: str, path: str, most: int) -> bytes:
    """What a file holds, up to one byte more than it may. A link, put there since it was listed, is not followed."""
    if not is_real(root, os.path.dirname(path)):
        raise OSError(errno.ELOOP, "it lies beyond a link")
    return read_plain(os.path.join(root, path), most + 1, follow=False)


def _items(root: str, due: Sequence[_Due], times: dict[str, int], changed: Collection[str]) -> Iterator[Item | Skipped]:
    """`times` are those of commits; `changed` differ from the last one, and were written when their files say. Else a
    file may be as old as its copy."""
    added, is_own = FirstAdded(root), OwnBuilds(root)
    for one in due:
        if one.stamp.size > bytes_max(one.path):
            yield too_large(one.path, one.stamp.size, one.stamp.mtime)
            continue
        try:
            data = _contents(root, one.path, bytes_max(one.path))
        except OSError as problem:
            yield Skipped(one.path, f"it cannot be read: {problem.strerror}")
            continue
        if len(data) > bytes_max(one.path):
            yield too_large(one.path, len(data), one.stamp.mtime)
            continue
        at = times.get(one.path, 0) * MICROS
        if one.path in changed:
            at = one.stamp.mtime // NANOS_PER_MICRO
        own, digest = is_own(one.path, len(data)), hashlib.sha256(data).hexdigest()
        for found in as_read(one.path, data, digest, at, added, one.stamp.mtime, is_own=own):
            yield replace(found, size=one.stamp.size)


def _possible(at: int) -> int:
    """A time that a calendar can show. Clocks and commits can say anything."""
    return min(max(at, 0), MOMENT_MAX)


def bytes_max(path: str) -> int:
    """Of how many bytes a file may be to be read."""
    suffix = os.path.splitext(path)[1].lower()
    if suffix in (".pdf", ".docx"):
        return DOCUMENT_BYTES_MAX
    return DATA_BYTES_MAX if suffix in DATA_SUFFIXES else FILE_BYTES_MAX


def too_large(path: str, size: int, mtime_ns: int = 0) -> Skipped:
    reason = f"it has {size:,} bytes; at most {bytes_max(path):,} are read"
    return Skipped(path, reason, f"size:{size}", size, mtime_ns)


def as_read(
    path: str, data: bytes, digest: str, at: int, added: FirstAdded, mtime_ns: int = 0, *, is_own: bool = False
) -> Iterator[Item | Skipped]:
    """What a file says, with what is known of it. `at` is when git says that it was written, for where it does not say
    so itself; 0 where git does not know. What happened or was decided on a day is of when it was `added`."""
    for found in read_file(path, data, digest=digest, is_own=is_own):
        if isinstance(found, Skipped):
            yield replace(found, digest=digest, size=len(data), mtime_ns=mtime_ns)
        else:
            draft = found.draft
            if draft.at is None and (when := (added(path) * MICROS if draft.kind in DATED else 0) or at):
                draft = replace(draft, at=moment(_possible(when)))
            if draft.kind == CODE and is_test(path):
                draft = replace(draft, priority=TESTS_PRIORITY)
            yield replace(found, draft=draft, digest=digest, size=len(data), mtime_ns=mtime_ns)
