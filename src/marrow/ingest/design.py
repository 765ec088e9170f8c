"""Designs: screenshots, mock-ups and drawings. Their text becomes the content, line by line in reading order; where
each line stands in the image is kept beside it, so that a hit can tell the place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from ..model.draft import Draft
from ..model.text import CONTENT_BYTES_MAX
from ..providers.sight import Box, Seen, SeenLine
from .formats.text import Text
from .formats.xml_text import BadXml, walk_xml
from .item import Item, Skipped
from .reading_order import in_reading_order

KIND, DOMAIN, SOURCE = "design", "architecture", "design"
IMAGE_SUFFIXES = (".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp")
SVG_SUFFIX, PDF_SUFFIX = ".svg", ".pdf"
SUFFIXES = (*IMAGE_SUFFIXES, SVG_SUFFIX, PDF_SUFFIX)
TITLE_MAX, ALIAS_MAX, LINE_MAX = 200, 80, 2000
# Metadata is small: the places of so many lines are kept.
BOXES_MAX = 1500
SVG_BYTES_MAX = 32 * 1024 * 1024
FAR = 10_000_000
NO_TEXT = "no text was recognised in it"

_SEEN = frozenset(("text", "desc", "title", "foreignObject"))
_HIDDEN = frozenset(("style", "script", "metadata", "defs", "symbol", "clipPath", "mask"))
_BREAKS = frozenset(("text", "desc", "title", "p", "div", "li", "br", "h1", "h2", "h3", "h4", "td"))
_TRANSFORM = re.compile(r"(translate|scale|matrix)\s*\(([^)]*)\)")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_PAGE = re.compile(r"\[page (\d{1,6})\]")

Matrix = tuple[float, float, float, float, float, float]
_SAME: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Design:
    """A design as it was read: `boxes` are the places of the first lines of `content`."""

    content: str
    boxes: tuple[Box, ...] = ()
    title: str = ""
    form: str = ""
    width: int = 0
    height: int = 0
    pages: int = 0
    problem: str = ""


def is_design(path: str) -> bool:
    return path.lower().endswith(SUFFIXES)


def seen_design(seen: Seen, *, path: str = "", form: str = "image") -> Design:
    """A design from what was recognised in it."""
    lines = [replace(line, text=" ".join(line.text.split())[:LINE_MAX]) for line in in_reading_order(seen.lines)]
    title = title_of(path)
    if not lines:
        told = "; ".join(filter(None, (seen.problem, NO_TEXT)))
        return Design(title, (), title, form, seen.width, seen.height, problem=told)
    return _bounded(
        Design(
            "\n".join(line.text for line in lines),
            tuple(line.box for line in lines),
            title,
            form,
            seen.width,
            seen.height,
            max(line.box.page for line in lines),
            seen.problem,
        )
    )


def text_design(found: Text, *, path: str = "") -> Design:
    """A design from the text of a PDF: of each line, the page is known."""
    boxes, page = [], 0
    for line in found.text.split("\n"):
        named = _PAGE.fullmatch(line.strip())
        page = int(named[1]) if named else page
        boxes.append(Box(0, 0, 0, 0, page))
    title = found.title or title_of(path)
    return _bounded(Design(found.text, tuple(boxes), title, "pdf", pages=found.pages, problem=found.problem))


def svg_design(data: bytes, *, path: str = "") -> Design | Skipped:
    """A design from the texts of a drawing, each with its place in the drawing's own units."""
    if len(data) > SVG_BYTES_MAX:
        return Skipped(path, f"it has {len(data):,} bytes; at most {SVG_BYTES_MAX:,} are read")
    drawing = _Drawing()
    try:
        walk_xml(data, start=drawing.start, end=drawing.end, words=drawing.words)
    except BadXml as problem:
        return Skipped(path, f"it is no sound SVG: {problem}")
    if not drawing.is_svg:
        return Skipped(path, "it is no SVG, whatever its name says")
    width, height = drawing.size
    found = seen_design(Seen(tuple(drawing.lines), width, height), path=path, form="svg")
    return replace(found, title=drawing.title[:TITLE_MAX] or found.title)


def design_item(
    found: Design,
    *,
    path: str = "",
    feature: str = "",
    url: str = "",
    description: str = "",
    service: str = "",
    digest: str = "",
    size: int = 0,
    mtime_ns: int = 0,
    metadata: Mapping[str, object] | None = None,
) -> Item:
    """The item of a design. A description by a model comes after the text, and says that it is one."""
    title = " ".join(found.title.split())[:TITLE_MAX]
    content = found.content if not description else f"{found.content}\n\nDescription: {description}"
    known: dict[str, object] = {
        **(metadata or {}),
        "title": title,
        "path": path,
        "feature": feature,
        "url": url,
        "form": found.form,
        "width": found.width,
        "height": found.height,
        "pages": found.pages,
        "boxes": [list(box) if box.page else list(box[:4]) for box in found.boxes[:BOXES_MAX]],
        "problem": found.problem,
    }
    names = dict.fromkeys(name[:ALIAS_MAX].strip() for name in (feature, title) if name.strip())
    draft = Draft(
        content=content,
        kind=KIND,
        domain=DOMAIN,
        aliases=tuple(names),
        source=SOURCE,
        service=service,
        metadata={key: value for key, value in known.items() if value},
    )
    return Item(draft, path, digest, found.problem, size, mtime_ns)


def place_at(content: str, offset: int, boxes: Sequence[Sequence[int]]) -> Box | None:
    """Where in the image the line stands that a place in the content lies in; None where it is not known."""
    if not 0 <= offset <= len(content):
        return None
    line = content.count("\n", 0, offset)
    if line >= len(boxes) or len(boxes[line]) not in (4, 5):
        return None
    box = Box(*(int(number) for number in boxes[line]))
    return box if any(box) else None


def title_of(path: str) -> str:
    """`checkout-flow_v2.png` shows "checkout flow v2"."""
    return " ".join(re.sub(r"[_-]+", " ", PurePath(path).stem).split())[:TITLE_MAX]


def _bounded(found: Design) -> Design:
    data = found.content.encode()
    if len(data) <= CONTENT_BYTES_MAX:
        return found
    kept = data[: CONTENT_BYTES_MAX - 8192].decode(errors="ignore").rpartition("\n")[0]
    told = f"cut after {len(kept):,} of {len(found.content):,} characters"
    return replace(found, content=kept, problem="; ".join(filter(None, (found.problem, told))))


class _Drawing:
    """What is written in an SVG, as its elements open and close."""

    def __init__(self) -> None:
        self.lines: list[SeenLine] = []
        self.title = ""
        self.size = (0, 0)
        self.is_svg = False
        self._open: list[str] = []
        self._matrices: list[Matrix] = [_SAME]
        self._at = (0.0, 0.0)
        self._height = 16.0
        self._parts: list[str] = []

    def start(self, name: str, about: Mapping[str, str]) -> None:
        if not self._open:
            self.is_svg = name == "svg"
            self.size = _size(about)
        self._open.append(name)
        self._matrices.append(_times(self._matrices[-1], _matrix(about.get("transform", ""))))
        if name in _BREAKS or (name == "tspan" and ("y" in about or "dy" in about)):
            self._flush()
        if name in ("text", "tspan", "foreignObject"):
            x, y = _first(about.get("x")), _first(about.get("y"))
            if name == "tspan" and y is None and (down := _first(about.get("dy"))) is not None:
                # A shift is in lines ("1.2em") or in the drawing's units.
                y = self._at[1] + down * (self._height if "em" in about.get("dy", "") else 1)
            self._at = (self._at[0] if x is None else x, self._at[1] if y is None else y)
            if (size := _first(about.get("font-size"))) is not None and size > 0:
                self._height = size

    def end(self, name: str) -> None:
        if name in _BREAKS:
            self._flush(is_title=name == "title" and len(self._open) == 2)
        self._open.pop()
        self._matrices.pop()

    def words(self, said: str) -> None:
        if _HIDDEN.isdisjoint(self._open) and not _SEEN.isdisjoint(self._open):
            self._parts.append(said)

    def _flush(self, *, is_title: bool = False) -> None:
        text = " ".join("".join(self._parts).split())
        self._parts.clear()
        if not text:
            return
        if is_title and not self.title:
            self.title = text
            return
        a, b, c, d, e, f = self._matrices[-1]
        x, y = self._at
        height = max(1, _whole(self._height * abs(d or b or 1.0)))
        # A text stands on its line: its place begins above it.
        across, down = _whole(a * x + c * y + e), _whole(b * x + d * y + f) - height
        self.lines.append(SeenLine(text, Box(across, down, round(0.6 * height * len(text)), height)))


def _size(about: Mapping[str, str]) -> tuple[int, int]:
    box = [float(number) for number in _NUMBER.findall(about.get("viewBox", ""))]
    width, height = _first(about.get("width")), _first(about.get("height"))
    if len(box) == 4:
        return _whole(box[2]), _whole(box[3])
    return _whole(width or 0), _whole(height or 0)


def _whole(number: float) -> int:
    """Rounded; 0 for what no drawing has, such as 1e999."""
    return round(number) if -FAR < number < FAR else 0


def _first(given: str | None) -> float | None:
    found = _NUMBER.search(given) if given else None
    return float(found[0]) if found else None


def _matrix(given: str) -> Matrix:
    made = _SAME
    for name, inside in _TRANSFORM.findall(given):
        numbers = [float(number) for number in _NUMBER.findall(inside)]
        if name == "matrix" and len(numbers) == 6:
            a, b, c, d, e, f = numbers
            made = _times(made, (a, b, c, d, e, f))
        elif name == "translate" and numbers:
            made = _times(made, (1.0, 0.0, 0.0, 1.0, numbers[0], numbers[1] if len(numbers) > 1 else 0.0))
        elif name == "scale" and numbers:
            made = _times(made, (numbers[0], 0.0, 0.0, numbers[-1], 0.0, 0.0))
    return made


def _times(m: Matrix, n: Matrix) -> Matrix:
    return (
        m[0] * n[0] + m[2] * n[1],
        m[1] * n[0] + m[3] * n[1],
        m[0] * n[2] + m[2] * n[3],
        m[1] * n[2] + m[3] * n[3],
        m[0] * n[4] + m[2] * n[5] + m[4],
        m[1] * n[4] + m[3] * n[5] + m[5],
    )
