"""DOCX: a zip of XML files. Paragraphs, headings, lists, tables and footnotes as Markdown, within limits.

What a file says of its own size is not believed: every part is unpacked piece by piece, up to a limit.
"""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..item import Skipped
from .prose import markdown_headings
from .text import Text, as_title, joined
from .xml_text import BadXml, walk_xml

PART_BYTES_MAX = 64 * 1024 * 1024
RATIO_MAX = 200
RATIO_FROM = 1024 * 1024
ENTRIES_MAX = 20_000
TEXT_LENGTH_MAX = 8 * 1024 * 1024
_MAIN = "word/document.xml"
_HEADING_NAME = re.compile(r"heading\s?([1-9])\Z", re.I)
_OLE = bytes.fromhex("d0cf11e0a1b11ae1")


class _Full(Exception):
    """As much text as is kept was read."""


def word_document(path: str, data: bytes) -> Text | Skipped:
    if data.startswith(_OLE):
        return Skipped(path, "it is encrypted, or in Word's old form; save it as an open .docx")
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            if len(parts.infolist()) > ENTRIES_MAX:
                return Skipped(path, f"it is an archive of more than {ENTRIES_MAX:,} files")
            return _document(path, parts)
    except BadXml as problem:
        return Skipped(path, f"it is no sound DOCX: {problem}")
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, KeyError, ValueError, OSError):
        return Skipped(path, "it is no sound DOCX: its archive is broken, encrypted or packed in an unknown way")


def _document(path: str, parts: zipfile.ZipFile) -> Text | Skipped:
    names = set(parts.namelist())
    if _MAIN not in names:
        return Skipped(path, f"it is no DOCX: it has no {_MAIN}")
    about = _properties(_unpacked(parts, "docProps/core.xml")) if "docProps/core.xml" in names else {}
    styles = _styles(_unpacked(parts, "word/styles.xml")) if "word/styles.xml" in names else {}
    body = _Body(styles)
    problem = _walk(body, _unpacked(parts, _MAIN))
    text = body.text()
    if "word/footnotes.xml" in names and not problem:
        notes = _Body(styles)
        _walk(notes, _unpacked(parts, "word/footnotes.xml"))
        text = f"{text}\n\n{notes.text()}".strip()
    if not text.strip():
        return Skipped(path, "it has no text")
    headings = tuple(heading for heading, _ in zip(markdown_headings(text), range(2_000), strict=False))
    title = about.get("title") or body.title or (headings[0].text if headings else "")
    date = about.get("modified") or about.get("created") or ""
    author = {"author": about["creator"]} if about.get("creator") else {}
    return Text(text, "docx", as_title(title), joined(problem), date=date[:40], headings=headings, fields=author)


def _walk(body: _Body, data: bytes) -> str:
    try:
        walk_xml(data, start=body.start, end=body.end, words=body.words)
    except _Full:
        return f"only the first {TEXT_LENGTH_MAX:,} characters were read"
    return ""


def _unpacked(parts: zipfile.ZipFile, name: str) -> bytes:
    """A part, whole. One that grows beyond all measure is refused while it is unpacked."""
    packed = max(1, parts.getinfo(name).compress_size)
    pieces: list[bytes] = []
    size = 0
    with parts.open(name) as part:
        while piece := part.read(256 * 1024):
            pieces.append(piece)
            size += len(piece)
            if size > PART_BYTES_MAX or (size > RATIO_FROM and size > RATIO_MAX * packed):
                raise BadXml(f"{name} unpacks to more than {size // (1024 * 1024):,} MiB from {packed:,} bytes")
    return b"".join(pieces)


def _properties(data: bytes) -> dict[str, str]:
    found: dict[str, str] = {}
    open_names: list[str] = []

    def words(said: str) -> None:
        if open_names and open_names[-1] in ("title", "creator", "created", "modified"):
            found[open_names[-1]] = (found.get(open_names[-1], "") + said).strip()[:500]

    walk_xml(data, start=lambda name, _: open_names.append(name), end=lambda _: _dropped(open_names), words=words)
    return found


def _dropped(names: list[str]) -> None:
    names.pop()


def _styles(data: bytes) -> dict[str, int]:
    """The level of each style that is one of headings, by its id: ids are in the language of who wrote it, names are
    not. The title's is 1."""
    found: dict[str, int] = {}
    current = ""

    def start(name: str, about: Mapping[str, str]) -> None:
        nonlocal current
        if name == "style":
            current = about.get("styleId", "")
        elif name == "name" and current:
            said = about.get("val", "")
            if level := _HEADING_NAME.match(said):
                found[current] = int(level[1])
            elif said.lower() == "title":
                found[current] = 1

    walk_xml(data, start=start, end=lambda _: None, words=lambda _: None)
    return found


@dataclass(slots=True)
class _Body:
    """What was read so far of a document's body."""

    styles: Mapping[str, int]
    out: list[str] = field(default_factory=list)
    paragraph: list[str] = field(default_factory=list)
    title: str = ""
    length: int = 0
    level: int = 0
    list_level: int = -1
    tables: int = 0
    cells: list[str] = field(default_factory=list)
    cell: list[str] = field(default_factory=list)
    in_text: bool = False
    left_out: int = 0

    def text(self) -> str:
        return re.sub(r"\n{3,}", "\n\n", "".join(self.out)).strip("\n")

    def start(self, name: str, about: Mapping[str, str]) -> None:
        match name:
            case "p":
                self.paragraph, self.level, self.list_level = [], 0, -1
            case "pStyle":
                style = about.get("val", "")
                said = _HEADING_NAME.match(style)
                self.level = self.styles.get(style, int(said[1]) if said else 0)
                if style == "Title" or (self.level == 1 and style.lower().startswith("tit")):
                    self.level = 1
            case "ilvl":
                self.list_level = int(about["val"]) if about.get("val", "").isdigit() else 0
            case "numPr":
                self.list_level = max(self.list_level, 0)
            case "t":
                self.in_text = True
            case "tab":
                self.paragraph.append("\t")
            case "br" | "cr":
                self.paragraph.append("\n")
            case "tbl":
                self.tables += 1
            case "tr":
                self.cells = []
            case "tc":
                self.cell = []
            case "del" | "moveFrom" | "Fallback":
                self.left_out += 1

    def words(self, said: str) -> None:
        if self.in_text and not self.left_out:
            self.paragraph.append(said)
            self.length += len(said)
            if self.length > TEXT_LENGTH_MAX:
                raise _Full

    def end(self, name: str) -> None:
        match name:
            case "t":
                self.in_text = False
            case "p":
                self._close_paragraph()
            case "tc":
                self.cells.append(" ".join(" ".join(self.cell).split()).replace("|", "\\|"))
                self.cell = []
            case "tr" if any(self.cells):
                self.out.append(f"| {' | '.join(self.cells)} |\n")
                self.cells = []
            case "tbl":
                self.tables = max(0, self.tables - 1)
                self.out.append("\n")
            case "del" | "moveFrom" | "Fallback":
                self.left_out = max(0, self.left_out - 1)

    def _close_paragraph(self) -> None:
        said = "".join(self.paragraph).strip()
        self.paragraph = []
        if not said:
            return
        if self.tables:
            self.cell.append(said)
        elif self.level:
            line = " ".join(said.split())
            self.title = self.title or line
            self.out.append(f"\n{'#' * min(self.level, 6)} {line}\n\n")
        elif self.list_level >= 0:
            self.out.append(f"{'  ' * min(self.list_level, 8)}- {said}\n")
        else:
            self.out.append(f"\n{said}\n\n")
