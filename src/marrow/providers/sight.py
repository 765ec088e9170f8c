"""Sight: the text in an image with the place of each line, by a recogniser on this machine. Nothing leaves it.

It is RapidOCR (the extra `images`), whose weights come with it, in a process of its own.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from ..model.errors import Invalid, NotFound, TooLarge, Unavailable
from .aside import Limits, Progress, done_aside
from .image_header import ImageHeader, image_header

EXTRA, LIBRARY = "images", "rapidocr"
IMAGE_BYTES_MAX = 256 * 1024 * 1024
PIXELS_MAX = 100_000_000
TASK, PDF_TASK = "recognise", "recognise_pdf"
_HEAD_BYTES = 1024 * 1024
_MEMORY_BYTES = 5 * 1024**3
_LIMITS = Limits(stall_seconds=180.0, seconds=600.0, memory_bytes=_MEMORY_BYTES)


class Box(NamedTuple):
    """A place in an image, in its pixels, from the upper left corner. Of several pages, `page` counts from 1."""

    x: int
    y: int
    w: int
    h: int
    page: int = 0


@dataclass(frozen=True, slots=True)
class SeenLine:
    text: str
    box: Box
    score: float = 1.0


@dataclass(frozen=True, slots=True)
class Seen:
    """The lines of text in an image, as they were found and in no order."""

    lines: tuple[SeenLine, ...]
    width: int = 0
    height: int = 0
    problem: str = ""

    def shape(self) -> dict[str, Any]:
        """As plain JSON, to be kept."""
        lines = [[one.text, *one.box, round(one.score, 3)] for one in self.lines]
        return {"lines": lines, "width": self.width, "height": self.height, "problem": self.problem}

    @classmethod
    def of(cls, shape: Mapping[str, Any]) -> Seen:
        lines = tuple(
            SeenLine(str(text), Box(int(x), int(y), int(w), int(h), int(page)), float(score))
            for text, x, y, w, h, page, score in shape["lines"]
        )
        return cls(lines, int(shape["width"]), int(shape["height"]), str(shape.get("problem", "")))


class Recogniser(Protocol):
    """Tells what is written in an image."""

    @property
    def name(self) -> str:
        """Which program and model it is."""
        ...

    def recognise(self, path: str, progress: Progress | None = None) -> Seen:
        """The text in a file. Raises Invalid for what is no image."""
        ...


@dataclass(frozen=True, slots=True)
class Rapid:
    """RapidOCR with the weights that it carries."""

    version: str
    pixels_max: int = PIXELS_MAX
    threads: int = 2

    @property
    def name(self) -> str:
        return f"rapidocr/{self.version}"

    def recognise(self, path: str, progress: Progress | None = None) -> Seen:
        check_image(path, self.pixels_max)
        return self._done(TASK, path, progress)

    def recognise_pdf(self, path: str, progress: Progress | None = None) -> Seen:
        """The text in the images on the pages of a PDF, for one that was scanned."""
        return self._done(PDF_TASK, path, progress)

    def _done(self, task: str, path: str, progress: Progress | None) -> Seen:
        request = {"path": os.path.abspath(path), "pixels_max": self.pixels_max, "threads": self.threads}
        return Seen.of(done_aside(task, request, _LIMITS, progress))


def check_image(path: str, pixels_max: int = PIXELS_MAX) -> ImageHeader:
    """What an image's header says. Raises for what is no image, and for one that is too large to be decoded."""
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            head = file.read(_HEAD_BYTES)
    except OSError as problem:
        raise NotFound(
            f"{path!r} cannot be read: {problem.strerror}.", hint="Check the path.", field="path"
        ) from problem
    found = image_header(head)
    if found is None:
        raise Invalid(
            f"{path!r} is no image that can be read.", hint="Give a PNG, JPEG, WebP, GIF or BMP.", field="path"
        )
    if found.pixels > pixels_max or size > IMAGE_BYTES_MAX:
        raise TooLarge(
            f"{path!r} has {found.width:,} × {found.height:,} pixels and {size:,} bytes; at most {pixels_max:,} pixels "
            f"and {IMAGE_BYTES_MAX:,} bytes are read.",
            hint="Scale it down, or cut out what matters.",
            field="path",
        )
    return found


def recogniser() -> Rapid:
    """The recogniser of this machine."""
    if importlib.util.find_spec(LIBRARY) is None or importlib.util.find_spec("onnxruntime") is None:
        raise Unavailable(
            "Text in images is recognised by the extra `images`, which is not installed.",
            hint="Install it: pip install 'marrow[images]'. What waits is done by `marrow recompute --errors-only`.",
            field=EXTRA,
        )
    return Rapid(importlib.metadata.version(LIBRARY))
