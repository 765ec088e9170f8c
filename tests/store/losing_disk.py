"""A disk that loses power: a VFS that keeps what was written in memory, and forgets what was not synchronised.

Each file has what is surely on the disk, and a list of what was written since. When the power goes, of that list some
writes are there whole, some in part (whole sectors of 512 bytes, or torn within one), some not at all, in any order.
A file's name is on the disk with its first synchronisation; a deletion without one may not have happened.
"""

from __future__ import annotations

from random import Random
from typing import Any

import apsw

SECTOR = 512


class LosingFile:
    """One file: `sure` survives anything, `writes` since then perhaps; `now` is what the program sees."""

    def __init__(self, content: bytes = b"", *, named: bool = False) -> None:
        self.sure = content
        self.now = bytearray(content)
        self.writes: list[tuple[int, bytes | None]] = []
        self.named = named

    def write(self, at: int, data: bytes) -> None:
        if at > len(self.now):
            self.now.extend(bytes(at - len(self.now)))
        self.now[at : at + len(data)] = data
        self.writes.append((at, data))

    def truncate(self, size: int) -> None:
        del self.now[size:]
        self.writes.append((size, None))

    def synchronise(self) -> None:
        self.sure, self.writes, self.named = bytes(self.now), [], True

    def survivors(self, chance: Random) -> bytes:
        image = bytearray(self.sure)
        pending = list(self.writes)
        if chance.random() < 0.5:
            chance.shuffle(pending)
        share = chance.choice((0.0, 0.3, 0.7, 1.0))
        for at, data in pending:
            if chance.random() >= share:
                continue
            if data is None:
                del image[at:]
                continue
            for start, part in _torn(at, data, chance):
                if start > len(image):
                    image.extend(bytes(start - len(image)))
                image[start : start + len(part)] = part
        return bytes(image)


def _torn(at: int, data: bytes, chance: Random) -> list[tuple[int, bytes]]:
    """The parts of one write that arrive: mostly all, else some sectors, the last of them perhaps not whole."""
    if chance.random() < 0.6:
        return [(at, data)]
    sectors = [(at + n, data[n : n + SECTOR]) for n in range(0, len(data), SECTOR)]
    kept = [sector for sector in sectors if chance.random() < 0.5]
    if kept:
        start, part = kept[-1]
        kept[-1] = (start, part[: chance.randint(0, len(part))])
    return kept


class LosingDisk(apsw.VFS):
    """All files of one test. `cut_after` operations that change something, the power goes."""

    def __init__(self, name: str, chance: Random) -> None:
        self.name = name
        self.files: dict[str, LosingFile] = {}
        self.gone: dict[str, LosingFile] = {}
        self.chance = chance
        self.cut_after: int | None = None
        self.is_off = False
        self.operations = 0
        self.survived: dict[str, bytes] = {}
        super().__init__(name, base="")

    def changing(self) -> None:
        self.operations += 1
        if not self.is_off and self.cut_after is not None and self.operations > self.cut_after:
            self.cut()
            raise apsw.IOError("the power went")

    def cut(self) -> None:
        """Now. What survives is decided here; what the program does afterwards is no longer of this world."""
        self.is_off = True
        for path, file in {**self.gone, **self.files}.items():
            if file.named:
                self.survived[path] = file.survivors(self.chance)

    # What SQLite calls

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> Any:  # noqa: N802
        path = name.filename() if isinstance(name, apsw.URIFilename) else name or f"temporary {len(self.files)}"
        if path not in self.files:
            self.files[path] = LosingFile()
        flags[1] = flags[0]
        return LosingHandle(self, self.files[path])

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        self.changing()
        file = self.files.pop(filename, None)
        if file is not None and file.named and not syncdir:
            self.gone[filename] = file

    def xAccess(self, pathname: str, flags: int) -> bool:  # noqa: N802
        return pathname in self.files and (flags != apsw.SQLITE_ACCESS_EXISTS or bool(self.files[pathname].now))


class LosingHandle:
    """An open file of the disk, with the methods of a VFS file."""

    def __init__(self, disk: LosingDisk, file: LosingFile) -> None:
        self.disk, self.file = disk, file

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        return bytes(self.file.now[offset : offset + amount])

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self.disk.changing()
        self.file.write(offset, bytes(data))

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self.disk.changing()
        self.file.truncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self.disk.changing()
        self.file.synchronise()

    def xFileSize(self) -> int:  # noqa: N802
        return len(self.file.now)

    def xLock(self, level: int) -> None:  # noqa: N802
        """One program has this disk: nobody to lock out."""

    def xUnlock(self, level: int) -> None:  # noqa: N802
        """The same."""

    def xCheckReservedLock(self) -> bool:  # noqa: N802
        return False

    def xFileControl(self, op: int, ptr: int) -> bool:  # noqa: N802
        return False

    def xSectorSize(self) -> int:  # noqa: N802
        return 4096

    def xDeviceCharacteristics(self) -> int:  # noqa: N802
        """What SQLite assumes of an ordinary disk: a write never damages the bytes beside it."""
        return int(apsw.SQLITE_IOCAP_POWERSAFE_OVERWRITE)

    def xClose(self) -> None:  # noqa: N802
        """What is in memory stays there."""

    def excepthook(self, *_: object) -> bool:
        """SQLite does not pass every failure on; the one of the cut is known."""
        return True
