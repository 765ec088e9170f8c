"""Production logs as items: one for each kind of event that is worth telling, and a summary of the whole.

Lines are read one at a time and forgotten; what is kept does not grow with the log.
"""

from __future__ import annotations

import gzip
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO

from ..model.draft import Draft
from ..model.moments import iso, moment
from ..model.text import counted, first_line
from .file_kinds import PROSE
from .item import Item, Skipped
from .lazy_pattern import LazyPattern
from .logs.entry import ERROR, LEVELS, WARNING, Entry
from .logs.groups import MINUTE, Group, Groups
from .logs.joining import entries
from .logs.no_log import is_prose
from .logs.secrets_out import take_out_secrets

KIND = "log"
Progress = Callable[[int, "int | None"], None]
SOURCE = "log"
LINE_BYTES_MAX = 64 * 1024
BYTES_MAX = 4 * 1024**3
# So many take some minutes. What a log has beyond them is read by a later start.
EVENTS_MAX = 5_000_000
# How often somebody who waits is told how far it is.
TOLD_EVERY = 20_000
GROUPS_TOLD_MAX = 200
SUMMARY_GROUPS = 15
TITLE_LENGTH_MAX = 160
# A harmless event is worth telling when it suddenly came often.
BURST_LEAST, BURST_TIMES = 50, 10
# What tells a file that lies elsewhere from others of its name.
FILE_MARK = re.compile(r"@[0-9a-f]{8}\Z")
_GZIP = b"\x1f\x8b"
# What is looked at to tell whether it is text, and which share of bytes may be such as no text has.
LOOKED_AT, NO_TEXT_SHARE = 8_192, 0.02
_NO_TEXT = bytes(code for code in (*range(32), 127) if code not in b"\b\t\n\f\r\x1b")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_HOLE = re.compile(rb"\x00{16,}")
# As `_summary` and `_item` name their items: the file, the event and when it began.
_FILE_IN = LazyPattern(r"log:(?P<name>.*?)(?:#[0-9a-f]{12})?@(?:\d{8}T\d{6}|0)\Z", re.S)


@dataclass
class LogLines:
    """The lines of a file, however long it or they are: only one is held at once. Packed files are unpacked."""

    file: IO[bytes]
    bytes_max: int = BYTES_MAX
    progress: Progress | None = None
    size: int = 0
    lines: int = 0
    problem: str = ""
    is_binary: bool = False
    name: str = ""
    is_prose: bool = False
    _whole: int = 0

    @property
    def share(self) -> str:
        """How much of the file was read, for people; "" where that is not known."""
        return f"{min(99, 100 * self.file.tell() // self._whole)} % of the file" if self._whole else ""

    def __iter__(self) -> Iterator[str]:
        start = self.file.read(2)
        self._whole = self.file.seek(0, os.SEEK_END) if self.file.seekable() else 0
        self.file.seek(0)
        try:
            if start == _GZIP:
                with gzip.GzipFile(fileobj=self.file) as unpacked:
                    yield from self._text(unpacked)
            else:
                yield from self._text(self.file)
        except (OSError, EOFError, zlib.error) as problem:
            self.problem = f"it ends too early: {str(problem)[:100]}"

    def _text(self, stream: IO[bytes] | gzip.GzipFile) -> Iterator[str]:
        head = stream.read(LOOKED_AT)
        self.is_binary = _is_binary(head)
        self.is_prose = not self.is_binary and is_prose(head, self.name)
        if not (self.is_binary or self.is_prose):
            stream.seek(0)
            yield from self._lines(stream)

    def _lines(self, stream: IO[bytes] | gzip.GzipFile) -> Iterator[str]:
        is_rest = False
        while piece := stream.readline(LINE_BYTES_MAX):
            self.size += len(piece)
            is_end = piece.endswith(b"\n")
            is_hole = not is_rest and not piece.strip(b"\x00")  # the line begins behind it
            if not is_rest and not is_hole:
                self.lines += 1
                if self.progress is not None and not self.lines % TOLD_EVERY:
                    self.progress(self.file.tell(), self._whole or None)
                yield piece.decode("utf-8", "replace").rstrip("\r\n").replace("\x00", "").lstrip("\ufeff")
            is_rest = not is_end and not is_hole
            if self.size >= self.bytes_max:
                self.problem = f"only the first {self.bytes_max:,} bytes were read"
                return


def _is_binary(head: bytes) -> bool:
    """Whether there is more than a little in it that no text has. The hole that is left where a log was cut while a
    program went on writing, and marks of UTF-16, are no sign of that."""
    if head.startswith(_UTF_16):
        return False
    text = _HOLE.sub(b"", head)
    return len(text) - len(text.translate(None, _NO_TEXT)) > NO_TEXT_SHARE * len(text)


def read_log(
    lines: Iterable[str],
    *,
    name: str = "",
    service: str = "",
    since: int | None = None,
    until: int | None = None,
    now: int = 0,
    redact_extra: Sequence[str] = (),
    stopped: Callable[[int, int], None] | None = None,
) -> list[Item]:
    """The items of a log's lines. `name` is that of the file; `since` and `until` limit what is looked at. `stopped` is
    told how many events were read and when the last one was, where that was not all."""
    groups = Groups(service)
    for entry in entries(lines, now):
        if _is_within(entry, since, until):
            if groups.entries >= EVENTS_MAX:
                if stopped is not None:
                    stopped(groups.entries, groups.last)
                break
            # Of what is like something known, nothing is kept that could hold a secret.
            if entry.trace or not groups.is_known(entry):
                shape = groups.shape_of(entry)
                take_out_secrets(entry, redact_extra)
                groups.add(entry, shape)
    if not groups.entries:
        return []
    told = sorted(
        (group for group in groups.groups.values() if worth(group, groups)),
        key=lambda group: (-group.level, -group.count, group.first, group.template),
    )
    items = [_item(group, groups, name, now) for group in told[:GROUPS_TOLD_MAX]]
    return [_summary(groups, told, name, now), *items]


def read_file(
    file: IO[bytes],
    *,
    name: str = "",
    service: str = "",
    since: int | None = None,
    until: int | None = None,
    now: int = 0,
    redact_extra: Sequence[str] = (),
    progress: Progress | None = None,
) -> list[Item | Skipped]:
    """The same for a file, packed with gzip or not. `progress` is told how many of its bytes were read."""
    lines = LogLines(file, name=FILE_MARK.sub("", name), progress=progress)

    def stopped(count: int, last: int) -> None:
        upto = f" up to {iso(last)}" if last else ""
        rest = f"; since={iso(last)} reads on" if last else ""
        share = f", {lines.share}" if lines.share else ""
        lines.problem = f"only the first {count:,} events were read,{upto}{share}{rest}"

    about = {"name": name, "service": service}
    told = read_log(lines, **about, since=since, until=until, now=now, redact_extra=redact_extra, stopped=stopped)
    found: list[Item | Skipped] = [*told]
    if lines.is_binary:
        return [Skipped(name or KIND, "it is not text")]
    if lines.is_prose:
        return [Skipped(name or KIND, PROSE)]
    if not found:
        between = " in that time" if since is not None or until is not None else ""
        found.append(Skipped(name or KIND, f"no event was found{between}"))
    if lines.problem:
        found.append(Skipped(name or KIND, lines.problem))
    return found


def file_in(path: str) -> str:
    """The file that an item with this path was read from; "" for one of a text, or of something else."""
    found = _FILE_IN.match(path)
    return found["name"] if found else ""


def _is_within(entry: Entry, since: int | None, until: int | None) -> bool:
    if since is None and until is None:
        return True
    return bool(entry.at) and (since is None or entry.at >= since) and (until is None or entry.at <= until)


def worth(group: Group, groups: Groups) -> bool:
    """Errors and warnings are told, and what came in a burst."""
    return group.level >= WARNING or burst(group, groups) > 0


def burst(group: Group, groups: Groups) -> int:
    """How many came in the busiest stretch, where that is far more than usual; else 0."""
    _, most = group.times.peak()
    stretches = max(1, (groups.last - groups.first) // group.times.width + 1)
    usual = group.count / stretches
    return most if most >= BURST_LEAST and most >= BURST_TIMES * usual else 0


def _item(group: Group, groups: Groups, name: str, now: int) -> Item:
    title = f"{LEVELS[group.level].upper()}{f' in {group.service}' if group.service else ''}: {group.template}"
    if group.raised and group.raised not in group.template:
        title = f"{title} ({group.raised})"
    parts = [title, _when(group, groups)]
    if group.sample.strip() != group.template:
        parts.append(f"Sample: {group.sample.strip()}")
    if group.trace:
        parts.append(f"Trace:\n{group.trace}")
    if group.trace_ids:
        parts.append(f"Traces: {', '.join(group.trace_ids)}")
    metadata: dict[str, object] = {
        "title": first_line(title, TITLE_LENGTH_MAX),
        "severity": LEVELS[group.level],
        "template": group.template,
        "count": group.count,
        "first": iso(group.first) if group.first else "",
        "last": iso(group.last) if group.last else "",
        "log": name,
    }
    if group.trace_ids:
        metadata["traces"] = list(group.trace_ids)
    domain = "issues" if group.level >= WARNING else "history"
    return _made(
        "\n\n".join(parts),
        metadata,
        group.service,
        domain,
        group.first,
        f"{name}#{group.key}@{_stamp(group.first)}",
        now,
    )


def _when(group: Group, groups: Groups) -> str:
    times = f"{group.count:,} times" if group.count > 1 else "Once"
    if not group.first:
        return f"{times}; the log tells no times."
    if group.count == 1 or group.first == group.last:
        return f"{times}, at {iso(group.first)}."
    told = f"{times}, from {iso(group.first)} to {iso(group.last)}"
    at, most = group.times.peak()
    if burst(group, groups) or (most > 1 and len(group.times.cells) > 1):
        told += f"; most in the {_stretch(group.times.width)} from {moment(at):%Y-%m-%d %H:%M} ({most:,})"
    return f"{told}."


def _stretch(width: int) -> str:
    minutes = width // MINUTE
    return "minute" if minutes == 1 else f"{minutes} minutes" if minutes < 120 else f"{minutes // 60} hours"


def _summary(groups: Groups, told: list[Group], name: str, now: int) -> Item:
    services = sorted(groups.services, key=lambda one: (-groups.services[one], one))
    where = groups.service or ", ".join(services[:5])
    title = f"Log{f' {name}' if name else ''}{f' of {where}' if where else ''}"
    span = f", {iso(groups.first)} to {iso(groups.last)}" if groups.first else ""
    counts = ", ".join(f"{groups.levels[level]:,} {LEVELS[level]}" for level in sorted(groups.levels, reverse=True))
    lines = [f"{title}{span}", "", f"{counted(groups.entries, 'event')}: {counts}."]
    at, most = groups.trouble.peak()
    if most > 1:
        stretch = _stretch(groups.trouble.width)
        lines.append(f"Most errors in the {stretch} from {moment(at):%Y-%m-%d %H:%M}: {most:,}.")
    if told:
        lines += ["", "What happened:"]
        for group in told[:SUMMARY_GROUPS]:
            about = f" in {group.service}" if group.service and not groups.service else ""
            text = first_line(f"{group.template} {group.raised}".strip(), TITLE_LENGTH_MAX)
            lines.append(f"- {LEVELS[group.level]}{about}, {group.count:,}×: {text}")
    if len(told) > SUMMARY_GROUPS:
        lines.append(f"- and {len(told) - SUMMARY_GROUPS} more kinds of events")
    if groups.dropped:
        lines.append(f"{groups.dropped:,} rare events of many kinds were only counted.")
    metadata: dict[str, object] = {
        "title": first_line(title, TITLE_LENGTH_MAX),
        "severity": LEVELS[max(groups.levels)],
        "count": groups.entries,
        "errors": sum(count for level, count in groups.levels.items() if level >= ERROR),
        "kinds_of_events": len(told),
        "first": iso(groups.first) if groups.first else "",
        "last": iso(groups.last) if groups.last else "",
        "services": services[:20],
        "log": name,
        "summary": True,
    }
    only = groups.service or (services[0] if len(services) == 1 else "")
    key = f"{name}@{_stamp(groups.first)}" if name else ""
    return _made("\n".join(lines), metadata, only, "history", groups.first, key, now)


def _stamp(at: int) -> str:
    """Logs are rotated: what begins at another time is another happening, and does not take the place of the last."""
    return f"{moment(at):%Y%m%dT%H%M%S}" if at else "0"


def _made(content: str, metadata: dict[str, object], service: str, domain: str, first: int, key: str, now: int) -> Item:
    at = min(first, now) if first and now else first or now
    draft = Draft(
        content=content,
        kind=KIND,
        domain=domain,
        at=moment(at) if at else None,
        source=SOURCE,
        service=service,
        metadata=metadata,
    )
    return Item(draft, f"{KIND}:{key}" if key else "", size=len(content))
