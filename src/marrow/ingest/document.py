"""Documents: the README and the Markdown under docs/, split by heading into passages that can be found and read.

A passage is at most about 1,500 characters. It begins with the headings above it, since a paragraph alone often does
not say what it is about.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ..model.draft import Draft
from ..model.link import make_anchor
from ..repository.files import tracked

KIND = "document"
SOURCE = "document"
PASSAGE_LENGTH_MAX = 1500
FILE_BYTES_MAX = 1024 * 1024
FILES_MAX = 500
FOLDERS = ("docs", "doc", "documentation")
SUFFIXES = (".md", ".markdown")
README_SUFFIXES = (*SUFFIXES, ".rst", ".txt", "")

_HEADING = re.compile(r"(#{1,6})[ \t]+(.+?)[ \t]*#*\s*$")
_UNDERLINE = re.compile(r"(=+|-+)[ \t]*$")
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_FRONT_MATTER = re.compile(r"\A---\n.*?\n---\n", re.S)
# Lines that say nothing: badges and pictures alone, comments, and bare tags.
_NOISE = re.compile(r"\s*(?:(?:\[?!\[[^\]]*\]\([^)]*\)(?:\]\([^)]*\))?\s*)+|(?:</?[a-zA-Z][^>]*>\s*)+)$")
_COMMENT = re.compile(r"<!--.*?-->", re.S)


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document: the headings above it, outermost first, and its text."""

    headings: tuple[str, ...]
    text: str


def documents(root: str | os.PathLike[str]) -> Iterator[Draft]:
    """A draft for each passage of the documents below `root`. Files that cannot be read as text are left out."""
    folder = Path(root)
    for path in find_documents(folder):
        name = path.relative_to(folder).as_posix()
        text = _read(path)
        written = path.stat().st_mtime if text else 0
        for passage in passages(text):
            heading = " › ".join(passage.headings)
            yield Draft(
                content=f"{heading}\n\n{passage.text}" if heading else passage.text,
                kind=KIND,
                at=written,
                source=SOURCE,
                anchors=(make_anchor({"type": "file", "path": name}),),
                metadata={"path": name, **({"heading": heading} if heading else {})},
            )


def find_documents(root: Path) -> list[Path]:
    """The files that count: a README at the top, and Markdown in the documentation's folders."""
    found = [path for path in tracked(root) if is_document(PurePosixPath(path.relative_to(root).as_posix()))]
    return sorted(found, key=lambda path: (len(path.parts), path))[:FILES_MAX]


def is_document(path: PurePosixPath) -> bool:
    suffix = path.suffix.lower()
    if len(path.parts) == 1:
        return path.stem.lower() == "readme" and suffix in README_SUFFIXES
    return path.parts[0].lower() in FOLDERS and suffix in SUFFIXES


def _read(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(FILE_BYTES_MAX).decode("utf-8-sig", "ignore")
    except OSError:
        return ""


def passages(text: str) -> Iterator[Passage]:
    """The passages of a Markdown text. Headings inside fenced code are code."""
    whole = _FRONT_MATTER.sub("", _COMMENT.sub("", text.replace("\r\n", "\n")), count=1)
    headings: list[tuple[int, str]] = []
    section: list[str] = []
    for line, level in _levels(whole.split("\n")):
        if level:
            yield from _pieces(headings, section)
            section = []
            headings = [*(above for above in headings if above[0] < level), (level, line)]
        else:
            section.append(line)
    yield from _pieces(headings, section)


def _levels(lines: list[str]) -> Iterator[tuple[str, int]]:
    """Each line with its level as a heading; 0 for what is none."""
    fence = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        following = lines[at + 1] if at + 1 < len(lines) else ""
        at += 1
        if marks := _FENCE.match(line):
            closes = fence and marks[1].startswith(fence)
            fence = "" if closes else fence or marks[1]
            yield line, 0
        elif not fence and (heading := _HEADING.match(line)):
            yield heading[2], len(heading[1])
        elif not fence and _is_title(line) and (under := _UNDERLINE.match(following)):
            at += 1
            yield line.strip(), 1 if under[1][0] == "=" else 2
        elif fence or not _NOISE.match(line):
            yield line, 0


def _is_title(line: str) -> bool:
    """Whether a line can be a heading that is underlined on the next: text, and no list, table or quotation."""
    return bool(line.strip()) and line[0] not in " \t-*+>|#=" and len(line) <= 120


def _pieces(headings: list[tuple[int, str]], section: list[str]) -> Iterator[Passage]:
    above = tuple(text for _, text in headings)
    piece = ""
    for paragraph in _paragraphs("\n".join(section)):
        if piece and len(piece) + len(paragraph) + 2 > PASSAGE_LENGTH_MAX:
            yield Passage(above, piece)
            piece = ""
        piece = f"{piece}\n\n{paragraph}" if piece else paragraph
    if piece:
        yield Passage(above, piece)


def _paragraphs(text: str) -> Iterator[str]:
    """Paragraphs, each short enough for a passage: a longer one is cut at a line's end, or else at a space."""
    for paragraph in re.split(r"\n[ \t]*\n", text.strip("\n")):
        rest = paragraph.rstrip()
        while len(rest) > PASSAGE_LENGTH_MAX:
            cut = max(rest.rfind("\n", 0, PASSAGE_LENGTH_MAX), 0) or max(rest.rfind(" ", 0, PASSAGE_LENGTH_MAX), 0)
            cut = cut or PASSAGE_LENGTH_MAX
            yield rest[:cut].rstrip()
            rest = rest[cut:].lstrip("\n")
        if rest.strip():
            yield rest
