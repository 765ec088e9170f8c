"""The files of a Slack export, a folder or a zip: read one at a time, and only such as belong to one.

An archive may come from anywhere. Names that lead out of it, links, locked entries and entries that unpack to more than
any export has are refused, each with a line; what an entry claims of its size is not believed.
"""

from __future__ import annotations

import json
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Protocol

from ...model.errors import Invalid
from ..item import Skipped

ENTRIES_MAX = 500_000
ENTRY_BYTES_MAX = 64 * 1024 * 1024
TOTAL_BYTES_MAX = 4 * 1024**3
# JSON shrinks to a tenth or a thirtieth; nothing that people wrote shrinks to a thousandth.
RATIO_MAX = 400
RATIO_FROM_BYTES = 1024 * 1024
LISTS = ("users.json", "org_users.json", "channels.json", "groups.json", "dms.json", "mpims.json")
_DAY = re.compile(r"(?P<channel>[^/]+)/(?P<day>\d{4}-\d{2}-\d{2})\.json\Z")


class Files(Protocol):
    """`names` are the paths inside, with forward slashes; `skipped` grows as they are read."""

    skipped: list[Skipped]

    def names(self) -> list[str]: ...

    def read(self, name: str) -> bytes | None: ...


class Folder:
    """An export that was unpacked. Links are not followed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self.skipped: list[Skipped] = []
        self._total = 0

    def names(self) -> list[str]:
        found: list[str] = []
        for entry in sorted(os.scandir(self._root), key=lambda entry: entry.name):
            if entry.is_symlink():
                self.skipped.append(Skipped(entry.name, "a link is not followed"))
            elif entry.is_dir():
                inside = sorted(os.scandir(entry.path), key=lambda entry: entry.name)
                found += [f"{entry.name}/{one.name}" for one in inside if one.is_file(follow_symlinks=False)]
            elif entry.is_file():
                found.append(entry.name)
            if len(found) > ENTRIES_MAX:
                raise Invalid(
                    f"The export has more than {ENTRIES_MAX:,} files.", hint="Take parts of it.", field="path"
                )
        return found

    def read(self, name: str) -> bytes | None:
        path = self._root / name
        try:
            with path.open("rb") as file:
                data = file.read(ENTRY_BYTES_MAX + 1)
        except OSError as problem:
            self.skipped.append(Skipped(name, f"cannot be read: {problem.strerror or problem}"))
            return None
        self._total += len(data)
        if len(data) > ENTRY_BYTES_MAX or self._total > TOTAL_BYTES_MAX:
            self.skipped.append(Skipped(name, f"larger than the {ENTRY_BYTES_MAX:,} bytes that are read"))
            return None
        return data


class Archive:
    """An export as it is downloaded."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.skipped: list[Skipped] = []
        self._total = 0
        self._entries: dict[str, zipfile.ZipInfo] = {}

    def names(self) -> list[str]:
        infos = self._archive.infolist()
        if len(infos) > ENTRIES_MAX:
            raise Invalid(f"The archive has more than {ENTRIES_MAX:,} entries.", hint="It is no export.", field="path")
        for info in infos:
            if info.is_dir():
                continue
            if reason := _wrong_with(info):
                self.skipped.append(Skipped(info.filename[:200], reason))
            elif info.filename in self._entries:
                self.skipped.append(Skipped(info.filename[:200], "the archive has it twice"))
            else:
                self._entries[info.filename] = info
        top = _only_folder(self._entries)
        if top:  # zipped once more by hand, with the folder around it
            self._entries = {name.removeprefix(top): info for name, info in self._entries.items()}
        return sorted(self._entries)

    def read(self, name: str) -> bytes | None:
        info = self._entries[name]
        try:
            with self._archive.open(info) as file:
                data = self._bounded(file, info)
        except (OSError, zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError) as problem:
            self.skipped.append(Skipped(name, f"cannot be unpacked: {str(problem)[:100]}"))
            return None
        if data is None:
            self.skipped.append(Skipped(name, "it unpacks to more than any export has"))
        return data

    def _bounded(self, file: IO[bytes], info: zipfile.ZipInfo) -> bytes | None:
        pieces, size = [], 0
        while piece := file.read(1 << 20):
            size += len(piece)
            self._total += len(piece)
            is_bomb = size > RATIO_FROM_BYTES and size > RATIO_MAX * max(info.compress_size, 1)
            if size > ENTRY_BYTES_MAX or self._total > TOTAL_BYTES_MAX or is_bomb:
                return None
            pieces.append(piece)
        return b"".join(pieces)


def _wrong_with(info: zipfile.ZipInfo) -> str:
    name = info.filename
    if name.startswith(("/", "\\")) or "\\" in name or re.match(r"[A-Za-z]:", name) or ".." in name.split("/"):
        return "its name leads out of the archive"
    if stat.S_ISLNK(info.external_attr >> 16):
        return "a link is not followed"
    if info.flag_bits & 0x1:
        return "it is locked with a password"
    if info.file_size > ENTRY_BYTES_MAX:
        return f"it has {info.file_size:,} bytes; at most {ENTRY_BYTES_MAX:,} are read"
    return ""


def _only_folder(names: dict[str, zipfile.ZipInfo]) -> str:
    if any(name in names for name in LISTS):
        return ""
    tops = {name.partition("/")[0] + "/" for name in names if not name.startswith("__MACOSX/")}
    top = next(iter(tops), "") if len(tops) == 1 else ""
    return top if any(f"{top}{name}" in names for name in LISTS) else ""


@contextmanager
def opened_export(path: Path) -> Iterator[Files]:
    """The files of an export at a path."""
    if path.is_dir():
        yield Folder(path)
        return
    try:
        with zipfile.ZipFile(path) as archive:
            yield Archive(archive)
    except zipfile.BadZipFile as problem:
        raise Invalid(
            f"{path.name!r} is no readable zip archive.", hint="Download it again.", field="path"
        ) from problem


def json_in(files: Files, name: str) -> Any:
    """What a file of the export says; None where it cannot be read."""
    data = files.read(name)
    if data is None:
        return None
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        files.skipped.append(Skipped(name, "it is not JSON"))
        return None


def days_of(names: list[str]) -> dict[str, list[str]]:
    """The files of each channel's folder, by day."""
    found: dict[str, list[str]] = {}
    for name in names:
        if day := _DAY.match(name):
            found.setdefault(day["channel"], []).append(name)
    return {channel: sorted(days) for channel, days in sorted(found.items())}


def is_export(names: list[str]) -> bool:
    """Whether these files are an export: its lists lie beside the channels' folders."""
    return any(name in names for name in LISTS) and (bool(days_of(names)) or "channels.json" in names)
