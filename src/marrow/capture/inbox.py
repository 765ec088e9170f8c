"""The inbox: what hooks append and the daemon drains. A file an hour, a line an event.

A line is written by one call, between two line ends: `"\\n" + JSON + "\\n"`. So a line that was cut short (a full disk,
a kill) never swallows the next one; a reader sees it as a line that is no JSON and counts it as torn.
"""

from __future__ import annotations

import os
import time

from marrow.capture import where
from marrow.capture.json_text import parse

TYPE_CHECKING = False  # Importing `typing` would cost every hook a few milliseconds.
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

SUFFIX, HELD = ".jsonl", "held.jsonl"
RELEASING = HELD + ".releasing"
REST = RELEASING + ".new"  # left behind only by a kill
SEGMENT_BYTES_MAX = 64 * 1024 * 1024  # An hour that nobody drains does not fill the disk.
LINE_BYTES_MAX = 256 * 1024
CHUNK_BYTES = 1024 * 1024
KEPT_SECONDS = 2 * 3600
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_APPEND
_FLAGS |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)

if os.name == "nt":  # Appending is not one step there: writers take turns by a lock on a byte far behind the end.
    import msvcrt

    def _write(file: int, data: bytes) -> int:
        os.lseek(file, 0x7FFFFFF0, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_LOCK, 1)  # type: ignore[attr-defined,unused-ignore]
        try:
            return os.write(file, data)
        finally:
            os.lseek(file, 0x7FFFFFF0, os.SEEK_SET)
            msvcrt.locking(file, msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined,unused-ignore]

else:

    def _write(file: int, data: bytes) -> int:
        return os.write(file, data)


class Chunk:
    """What was read: `entries` are (value, text) of whole lines, `offset` is where to go on, `torn` counts the lost.

    `ended` says that nothing more is there to be read now.
    """

    __slots__ = ("ended", "entries", "offset", "torn")

    def __init__(self, entries: list[tuple[dict[str, object], str]], offset: int, torn: int, ended: bool) -> None:
        self.entries = entries
        self.offset = offset
        self.torn = torn
        self.ended = ended


def segment_name(seconds: float) -> str:
    """The segment of a moment: its hour, in UTC."""
    return time.strftime("%Y%m%d%H", time.gmtime(seconds)) + SUFFIX


def append(home: str, line: str, seconds: float | None = None) -> bool:
    """Appends one line; whether all of it was written. Raises OSError where the file cannot be opened or written."""
    data = b"\n" + line.encode("utf-8", "replace") + b"\n"
    path = os.path.join(where.inbox(home), segment_name(time.time() if seconds is None else seconds))
    try:
        file = os.open(path, _FLAGS, 0o600)
    except FileNotFoundError:
        where.make(where.inbox(home))
        file = os.open(path, _FLAGS, 0o600)
    try:
        if os.fstat(file).st_size > SEGMENT_BYTES_MAX:
            return False
        return _write(file, data) == len(data)
    finally:
        os.close(file)


# --- the daemon's side -----------------------------------------------------------------------------------------------


def segments(home: str) -> list[str]:
    """The names of the segments, oldest first."""
    try:
        names = os.listdir(where.inbox(home))
    except FileNotFoundError:
        return []
    return sorted(name for name in names if _hour(name) is not None)


def size(home: str, segment: str) -> int:
    """How long a segment is; 0 where there is none."""
    try:
        return os.stat(os.path.join(where.inbox(home), segment)).st_size
    except FileNotFoundError:
        return 0


def identity(home: str, segment: str) -> str:
    """What tells this file from another of the same name."""
    try:
        found = os.stat(os.path.join(where.inbox(home), segment))
    except FileNotFoundError:
        return ""
    return f"{found.st_ino:x}"


def key(home: str, segment: str) -> str:
    """By what a store knows how far it has read this file."""
    return f"{segment}#{identity(home, segment)}"


def read(home: str, segment: str, offset: int, limit: int = CHUNK_BYTES, *, last: bool = False) -> Chunk:
    """The whole lines from `offset`, about `limit` bytes of them, or one that is longer. Reading again from
    `chunk.offset` goes on.

    What has no line end yet is left for later, unless this is the `last` time that the segment is read: then it was
    cut short and counts as torn.
    """
    room = max(limit, LINE_BYTES_MAX)
    with open(os.path.join(where.inbox(home), segment), "rb") as file:
        file.seek(offset)
        data = file.read(room)
    end = whole = data.rfind(b"\n") + 1
    if whole > limit:  # the first byte may be a line end by itself: that alone is nothing
        end = data.rfind(b"\n", 1, limit) + 1 or data.find(b"\n", max(1, limit)) + 1
    ended = len(data) < room and end == whole
    torn = 0
    if end == 0 and data and (last or not ended):  # no line end in all of it: no line of ours
        return Chunk([], offset + len(data), 1, ended)
    entries = []
    for raw in data[:end].split(b"\n"):
        if raw:
            entry = _entry(raw)
            if entry is None:
                torn += 1
            else:
                entries.append(entry)
    if last and ended and end < len(data):
        torn, end = torn + 1, len(data)
    return Chunk(entries, offset + end, torn, ended)


def hold(home: str, line: str) -> None:
    """Set aside a line that has no place now, until `release`. It is on the disk when this returns: whoever set it
    aside goes on behind it, and does not read it again. Raises OSError where it is not."""
    data = b"\n" + line.encode("utf-8", "replace") + b"\n"
    file = os.open(os.path.join(home, HELD), _FLAGS, 0o600)
    try:
        if _write(file, data) != len(data):
            raise OSError("a line that has no place now could not be set aside as a whole")
        os.fsync(file)
    finally:
        os.close(file)


def release(home: str) -> int:
    """Put what was set aside into the inbox again; how many lines that were. Done halfway it is done again: lines have
    ids, and are kept once. What the inbox has no room for waits for the next time."""
    held, releasing = os.path.join(home, HELD), os.path.join(home, RELEASING)
    if not os.path.exists(releasing):
        try:
            os.rename(held, releasing)
        except FileNotFoundError:
            return 0
    with open(releasing, encoding="utf-8", errors="replace") as file:
        lines = [line.strip() for line in file if line.strip()]
    for at, line in enumerate(lines):
        if not append(home, line):
            _replace(releasing, os.path.join(home, REST), lines[at:])
            return at
    os.unlink(releasing)
    return len(lines)


def _replace(path: str, beside: str, lines: list[str]) -> None:
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(beside, path)


def wipe(home: str, sessions: Collection[str], taken_in: Callable[[str], int] | None = None) -> int:
    """Take the lines of these sessions out; how many those were. With `taken_in`, which says of a segment up to where
    it was read, only those before that: what nobody has read yet is not lost. Line ends take their place, so that the
    positions of all others stay, and nobody who appends meanwhile is disturbed."""
    found = 0
    for segment in segments(home) if sessions else ():
        path = os.path.join(where.inbox(home), segment)
        found += _wiped(path, sessions, None if taken_in is None else taken_in(segment))
    if sessions and taken_in is None:
        beside = [os.path.join(home, name) for name in (HELD, RELEASING, REST)]
        found += sum(_wiped(path, sessions, None) for path in beside)
    return found


def _wiped(path: str, sessions: Collection[str], until: int | None) -> int:
    wiped = at = 0
    try:
        file = open(path, "r+b")  # noqa: SIM115 what was drained and dropped meanwhile is not there
    except FileNotFoundError:
        return 0
    with file:
        for raw in file.read(-1 if until is None else until).split(b"\n"):
            entry = _entry(raw) if raw else None
            if entry is not None and str(entry[0].get("session")) in sessions:
                file.seek(at)
                file.write(b"\n" * len(raw))
                wiped += 1
            at += len(raw) + 1
        if wiped:
            file.flush()
            os.fsync(file.fileno())
    return wiped


def _entry(raw: bytes) -> tuple[dict[str, object], str] | None:
    try:
        text = raw.decode("utf-8")
        value = parse(text)
    except ValueError:
        return None
    return (value, text) if isinstance(value, dict) else None


def is_old(segment: str, seconds: float | None = None) -> bool:
    """Whether no hook writes to this segment any more: its hour ended two hours ago, or is as far ahead, since the
    clock went back."""
    hour = _hour(segment)
    now = time.time() if seconds is None else seconds
    return hour is not None and not segment_name(now - KEPT_SECONDS) <= segment <= segment_name(now + KEPT_SECONDS)


def drop(home: str, segment: str, offset: int, seconds: float | None = None) -> bool:
    """Deletes a segment that is old and was read to its end, which is `offset`; whether it is gone."""
    if not is_old(segment, seconds) or size(home, segment) > offset:
        return False
    try:
        os.unlink(os.path.join(where.inbox(home), segment))
    except FileNotFoundError:
        return True
    return True


def _hour(name: str) -> str | None:
    hour = name.removesuffix(SUFFIX)
    return hour if hour != name and len(hour) == 10 and hour.isascii() and hour.isdigit() else None
