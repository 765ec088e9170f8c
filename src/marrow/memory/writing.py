"""Writing and changing a file of the project: whole or not at all, with a warning about the memories that are pinned
there, and a claim about what was done where there is one."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from ..model.draft import Draft
from ..model.errors import Conflict, Forbidden, Invalid, MarrowError, NotFound, TooLarge, Unavailable
from ..model.link import make_anchor
from ..model.scope import WRITE
from ..repository.file_sorts import is_generated
from ..repository.identity import PROJECT_FILE
from .anchors.evidence import has_evidence
from .anchors.finding import HOLDS, MOVED
from .code.opened import kept
from .engine import Asker, Engine
from .files import sync_folder
from .known_here import Known, known_here
from .project_files import READ_BYTES_MAX, ProjectFile, project_file, project_root, read_bytes
from .remember import Saved, remember
from .verify import verify_paths

FILE_MODE = 0o666
ANYBODY_WRITES = 0o222
EVERY_LINE = 1 << 30
# Where an old text that is not there may have been meant.
NEAR_SHOWN = 3


class Written(NamedTuple):
    """`first` and `last` are the lines that were written. `touched` are memories about them or about the whole file:
    they may no longer hold, and `said` tells what became of their places, by address. `held` counts those that were
    looked at and still hold. `claim` is what was saved of the claim."""

    path: str
    is_new: bool
    is_same: bool
    replaced: int
    first: int
    last: int
    bytes: int
    touched: tuple[Known, ...]
    said: Mapping[str, str]
    held: int = 0
    claim: Saved | None = None


def write_file(engine: Engine, asker: Asker, given: str, content: str, claim: str = "") -> Written:
    """Put a text in the place of what stands in a file, or make a new one with the folders that it needs."""
    file, root = _writable(asker, given)
    before = read_bytes(file) if file.exists else None
    data = _as_it_was(content, before)
    _check_size(data)
    is_same = before == data
    if not is_same:
        _put(root, file, data)
        _map_anew(engine, asker, file.path)
    lines = max(1, len(content.splitlines()))
    touched = [] if is_same else _touched(engine, asker, file.path, 1, EVERY_LINE)
    doubtful, said = _judged(engine, asker, file.path, touched)
    saved = _claimed(engine, asker, file.path, 1, lines, claim, whole=True)
    held = len(touched) - len(doubtful)
    return Written(file.path, before is None, is_same, 0, 1, lines, len(data), doubtful, said, held, saved)


def edit_file(
    engine: Engine, asker: Asker, given: str, old: str, new: str, *, replace_all: bool = False, claim: str = ""
) -> Written:
    """Replace a text that occurs exactly once, or everywhere. What it looks like is kept: line ends, mode, no or a last
    line feed."""
    if not old:
        raise Invalid("There is no text to replace.", hint="memory_write makes a new file.", field="old_string")
    if old == new:
        raise Invalid("The new text is the old one.", hint="Nothing would change.", field="new_string")
    file, root = _writable(asker, given)
    before = read_bytes(file)
    try:
        text = before.decode("utf-8")
    except UnicodeDecodeError as problem:
        raise Invalid(
            f"{file.path} is not UTF-8 (byte {problem.start:,}).", hint="It is not changed here.", field="path"
        ) from None
    end = _line_end(text)
    sought, put = (_with_ends(part, end) for part in (old, new))
    if sought == put:
        raise Invalid(
            "The new text differs in its line ends alone, and those are kept.",
            hint="Change them with another program.",
            field="new_string",
        )
    count = text.count(sought)
    if not count:
        raise _not_there(file, text, old)
    if count > 1 and not replace_all:
        lines = ", ".join(str(number) for number in _lines_of(text, sought)[:5])
        raise Conflict(
            f"The old text occurs {count} times in {file.path}, in the lines {lines}{' …' if count > 5 else ''}.",
            hint="Give more of what is around it, or replace_all=true.",
            field="old_string",
        )
    data = text.replace(sought, put).encode("utf-8")
    _check_size(data)
    first = _lines_of(text, sought)[0]
    old_last = text.count("\n", 0, text.rfind(sought) + len(sought)) + 1
    touched = _touched(engine, asker, file.path, first, old_last)
    _put(root, file, data, expected=before)
    _map_anew(engine, asker, file.path)
    last = first + max(1, len(put.splitlines())) - 1
    doubtful, said = _judged(engine, asker, file.path, touched)
    saved = _claimed(engine, asker, file.path, first, last, claim, whole=count > 1)
    held = len(touched) - len(doubtful)
    return Written(file.path, False, False, count, first, last, len(data), doubtful, said, held, saved)


def _writable(asker: Asker, given: str) -> tuple[ProjectFile, str]:
    asker.principal.check(WRITE, asker.namespace, asker.scope.project)
    root = project_root(asker)
    file = project_file(root, given)
    if file.real == root or os.path.isdir(file.real):
        raise Conflict(f"{file.path} is a folder.", hint="Name a file in it.", field="path")
    if file.exists and not stat.S_IMODE(os.lstat(file.real).st_mode) & ANYBODY_WRITES:
        raise Forbidden(
            f"{file.path} is marked as read-only.", hint="Take that away first, if it is yours to change.", field="path"
        )
    if is_generated(file.path):
        raise Forbidden(
            f"{file.path} is written by a program.",
            hint="Change what it is made from, and make it again.",
            field="path",
        )
    return file, root


def _check_size(data: bytes) -> None:
    if len(data) > READ_BYTES_MAX:
        raise TooLarge(
            f"The file would have {len(data):,} bytes; at most {READ_BYTES_MAX:,} are written.", field="content"
        )


def _line_end(text: str) -> str:
    """What most of its lines end with."""
    pairs = text.count("\r\n")
    return "\r\n" if pairs and 2 * pairs >= text.count("\n") else "\n"


def _with_ends(text: str, end: str) -> str:
    plain = text.replace("\r\n", "\n")
    return plain if end == "\n" else plain.replace("\n", end)


def _as_it_was(content: str, before: bytes | None) -> bytes:
    """The new text as bytes, with the line ends and the byte order mark of what it replaces."""
    if before is None:
        return content.encode("utf-8")
    mark = b"\xef\xbb\xbf" if before.startswith(b"\xef\xbb\xbf") and not content.startswith("\ufeff") else b""
    return mark + _with_ends(content, _line_end(before.decode("utf-8", "replace"))).encode("utf-8")


def _lines_of(text: str, sought: str) -> list[int]:
    found, at = [], text.find(sought)
    while at >= 0:
        found.append(text.count("\n", 0, at) + 1)
        at = text.find(sought, at + len(sought))
    return found


def _not_there(file: ProjectFile, text: str, old: str) -> NotFound:
    """With the lines that come nearest: most often only the indentation is another."""
    first = next((line.strip() for line in old.splitlines() if line.strip()), "")
    near = [number for number, line in enumerate(text.splitlines(), 1) if first and first in line][:NEAR_SHOWN]
    where = (
        f"Its first line is in line {', '.join(map(str, near))}: compare the rest." if near else "Read the file again."
    )
    return NotFound(f"The old text is not in {file.path}.", hint=where, field="old_string")


def _check_settings(path: str, data: bytes) -> None:
    """Without settings that can be read nothing runs here, not even what would write them anew."""
    if path != PROJECT_FILE:
        return
    import tomllib

    try:
        tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise Invalid(
            f"{path} would not be valid TOML: {problem}.",
            hint="Nothing was written. See `marrow config`.",
            field="content",
        ) from None


def _put(root: str, file: ProjectFile, data: bytes, *, expected: bytes | None = None) -> None:
    """A new file that takes the place of the old one: whoever reads meanwhile sees one or the other."""
    _check_settings(file.path, data)
    folder = os.path.dirname(file.real)
    temporary = os.path.join(folder, f".marrow-{os.urandom(8).hex()}.partial")
    try:
        os.makedirs(folder, exist_ok=True)
        # What was made or changed meanwhile must not lead elsewhere.
        if not os.path.join(os.path.realpath(folder), "").startswith(os.path.join(root, "")):
            raise Invalid(f"{file.path} leads out of the project.", hint="Give it from the root.", field="path")
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, FILE_MODE)
        try:
            with open(handle, "wb") as opened:
                opened.write(data)
                opened.flush()
                os.fsync(opened.fileno())
            if file.exists:
                os.chmod(temporary, stat.S_IMODE(os.lstat(file.real).st_mode))
            _check_unchanged(file, expected)
            os.replace(temporary, file.real)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as problem:
        raise Unavailable(
            f"{file.path} cannot be written: {problem.strerror or problem}.", hint="Check permissions and free space."
        ) from problem
    sync_folder(Path(folder))


def _map_anew(engine: Engine, asker: Asker, path: str) -> None:
    """Let the code map see the new text at once. Where that fails, it sees it when it is next asked."""
    with suppress(MarrowError):
        mapped = kept(engine, asker)
        if mapped is not None:
            mapped.update(engine.clock(), only=[path])


def _check_unchanged(file: ProjectFile, expected: bytes | None) -> None:
    if expected is not None and read_bytes(file) != expected:
        raise Conflict(f"{file.path} was changed meanwhile.", hint="Read it again.", field="path")


def _touched(engine: Engine, asker: Asker, path: str, first: int, last: int) -> list[Known]:
    """What is known about these lines: it may not hold any more."""
    with engine.store.reading() as reader:
        known = known_here(reader, asker, [path], engine.clock()).get(path, [])
    return [one for one in known if not one.start or (one.start <= last and one.end >= first)]


def _judged(
    engine: Engine, asker: Asker, path: str, touched: Sequence[Known]
) -> tuple[tuple[Known, ...], dict[str, str]]:
    """Those that may no longer hold, and what became of their places. The drift is noted with the memories at once; a
    pin that never knew what its place looked like cannot tell."""
    if not touched:
        return (), {}
    said: dict[str, str] = {}
    sure: set[str] = set()
    with suppress(MarrowError):
        for item in verify_paths(engine, asker, [path]).items:
            address = item.record.node.address
            if item.verdict in (HOLDS, MOVED) and all(has_evidence(one.anchor) for one in item.findings):
                sure.add(address)
            else:
                said[address] = next((one.said for one in item.findings if one.verdict == item.verdict), "")
    return tuple(one for one in touched if one.record.node.address not in sure), said


def _claimed(
    engine: Engine, asker: Asker, path: str, first: int, last: int, claim: str, *, whole: bool
) -> Saved | None:
    if not claim.strip():
        return None
    anchor = make_anchor(path if whole else f"{path}:{first}-{last}")
    done = remember(engine, asker, [Draft(claim, domain="architecture", anchors=(anchor,), source="edit")])
    return done.saved[0]
