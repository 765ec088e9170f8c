"""JSON lines of transcripts: one object at a time, whatever else stands in the file. Only a line is held at once."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import IO, Any

from ...model.errors import Invalid
from ...model.moments import parse as parse_moment
from ...model.text import counted

LINE_BYTES_MAX = 32 * 1024 * 1024


class Lines:
    """The objects of a file, its digest and size when all were read, and how many lines were no objects."""

    def __init__(self, file: IO[bytes] | Iterable[bytes]) -> None:
        self._file = file
        self._digest = hashlib.sha256()
        self.size = 0
        self.broken = 0

    @property
    def digest(self) -> str:
        return self._digest.hexdigest()

    @property
    def problem(self) -> str:
        return f"{counted(self.broken, 'line')} could not be read" if self.broken else ""

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for line in self._bounded():
            if not line.strip():
                continue
            try:
                shape = json.loads(line)
            except (ValueError, RecursionError):
                self.broken += 1
                continue
            if isinstance(shape, dict):
                yield shape
            else:
                self.broken += 1

    def _bounded(self) -> Iterator[bytes]:
        """Lines, without those that are longer than any that can be meant (a picture in one may be)."""
        if not hasattr(self._file, "readline"):
            for line in self._file:
                self._count(line)
                yield line
            return
        file: IO[bytes] = self._file  # type: ignore[assignment]
        is_rest = False
        while piece := file.readline(LINE_BYTES_MAX):
            self._count(piece)
            is_whole = piece.endswith(b"\n") or len(piece) < LINE_BYTES_MAX
            if not is_rest and is_whole:
                yield piece
            elif not is_rest:
                self.broken += 1
            is_rest = not is_whole

    def _count(self, piece: bytes) -> None:
        self._digest.update(piece)
        self.size += len(piece)


def moment_in(given: object) -> int:
    """A moment as transcripts write it, in microseconds: ISO 8601, or seconds or thousandths since 1970. 0: none."""
    if isinstance(given, bool) or not isinstance(given, str | int | float) or given == "":
        return 0
    number: float | None
    try:
        number = float(given)
    except OverflowError:  # a number with more digits than any moment
        return 0
    except ValueError:
        number = None
    if number is not None:
        for scale in (1.0, 1e3, 1e6, 1e9):
            if number / scale < 1e10:
                number = number / scale
                break
    try:
        return max(0, parse_moment(given if number is None else number, 0, future=True))
    except Invalid:
        return 0


def text_at(shape: object, *path: str) -> str:
    """The text at a place in a shape; "" where there is none."""
    for key in path:
        shape = shape.get(key) if isinstance(shape, dict) else None
    return shape if isinstance(shape, str) else ""
