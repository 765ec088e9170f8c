"""Import a Markdown memory file (CLAUDE.md, AGENTS.md, MEMORY.md): one claim a list item or paragraph.

A claim keeps the path of headings above it as a tag and in its metadata, and the file's name as its source. What is
indented under an item belongs to it; a fenced block belongs to the paragraph above it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from ..model.draft import Draft
from ..model.errors import Invalid
from ..model.moments import moment
from ..model.redact import redact
from .engine import Asker, Engine
from .files import existing_file, opened
from .imported import Imported, Placed, import_drafts

Progress = Callable[[int, "int | None"], None]
BYTES_MAX = 16 * 1024**2
TAG_LENGTH_MAX = 80
_HEADING = re.compile(r" {0,3}(#{1,6})\s+(.*?)\s*#*\s*\Z")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})\s*\Z")
_ITEM = re.compile(r"(\s*(?:[-*+]|\d{1,9}[.)])\s+)(.*)")
_FENCE = re.compile(r"\s*(```+|~~~+)")
_RULE = re.compile(r" {0,3}([-*_])(?:\s*\1){2,}\s*\Z")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_FRONT_MATTER = re.compile(r"\A---\n.*?\n(?:---|\.\.\.)\n", re.S)


@dataclass
class _Claim:
    """`offset` is where the text of an item begins: what is set in as far belongs to it. 0 for a paragraph."""

    line: int
    headings: tuple[str, ...]
    offset: int = 0
    lines: list[str] = field(default_factory=list)

    def has(self, line: str) -> bool:
        """Whether a line goes on with this claim: after a blank one only what is set in under an item does."""
        if not line.strip():
            return True
        set_in = len(line) - len(line.lstrip())
        if self.lines and self.lines[-1] == "":
            return 0 < self.offset <= set_in
        return not _ITEM.match(line) or 0 < self.offset <= set_in

    def text(self) -> str:
        return "\n".join(self.lines).strip()


def import_markdown(
    engine: Engine, asker: Asker, source: str, *, dry_run: bool = False, progress: Progress | None = None
) -> Imported:
    """Into the caller's project. Everything in it was said when the file was last changed."""
    path = existing_file(source, bytes_max=BYTES_MAX)
    with opened(path) as file:
        raw = file.read()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise Invalid(f"{source!r} is not UTF-8.", hint="Convert it first.", field="source") from problem
    changed_at = moment(min(path.stat().st_mtime_ns // 1000, engine.clock()))
    # Before it is taken apart: a private block may reach over several items.
    cleaned = redact(text, engine.redact_extra).text
    drafts = []
    for claim in claims(cleaned):
        path_of_headings = " / ".join(claim.headings)
        tag = path_of_headings[-TAG_LENGTH_MAX:].strip(" /").replace(",", " ")
        metadata = {"heading": path_of_headings} if path_of_headings else {}
        draft = Draft(claim.text(), tags=[tag] if tag else [], at=changed_at, source=path.name, metadata=metadata)
        drafts.append(Placed(f"Line {claim.line}", draft))
    return import_drafts(engine, asker, drafts, source=source, format="markdown", dry_run=dry_run, progress=progress)


def claims(text: str) -> Iterator[_Claim]:
    """The list items and paragraphs of a Markdown text, each with the headings above it."""
    headings: list[tuple[int, str]] = []
    claim: _Claim | None = None
    fence = ""
    for number, line in enumerate(_lines(text), 1):
        opening = _FENCE.match(line)
        if fence or opening:
            # A fenced block is taken as it is, and belongs to what stands above it.
            claim = claim or _Claim(number, _path(headings))
            claim.lines.append(line)
            fence = _fence(fence, line, opening[1] if opening else "")
            continue
        heading = _heading(line, claim)
        if heading is None and not _RULE.match(line) and claim and claim.has(line):
            claim.lines.append(line if line.strip() else "")
            continue
        if claim and heading and heading[2]:
            claim.lines.pop()
        yield from _said(claim)
        claim = None
        if heading:
            headings = [(level, name) for level, name in headings if level < heading[0]] + [heading[:2]]
        elif line.strip() and not _RULE.match(line):
            item = _ITEM.match(line)
            first, offset = (item[2], len(item[1])) if item else (line, 0)
            claim = _Claim(number, _path(headings), offset, [first])
    yield from _said(claim)


def _fence(inside: str, line: str, mark: str) -> str:
    """The mark of the fenced block that is open after this line, or nothing."""
    if not inside:
        return mark
    is_end = mark.startswith(inside) and not line.strip().strip(inside[0])
    return "" if is_end else inside


def _lines(text: str) -> list[str]:
    """Without front matter and comments, whose lines stay blank so that numbers hold."""
    form = text.replace("\r\n", "\n").replace("\r", "\n")
    for pattern in (_FRONT_MATTER, _COMMENT):
        form = pattern.sub(lambda found: "\n" * found[0].count("\n"), form)
    return form.split("\n")


def _heading(line: str, claim: _Claim | None) -> tuple[int, str, bool] | None:
    """(level, text, whether it was the line above that this one underlines)."""
    if found := _HEADING.match(line):
        return len(found[1]), found[2], False
    if claim and not claim.offset and len(claim.lines) == 1 and (found := _UNDERLINE.match(line)):
        return (1 if found[1][0] == "=" else 2), claim.lines[0].strip(), True
    return None


def _path(headings: list[tuple[int, str]]) -> tuple[str, ...]:
    return tuple(name for _, name in headings if name)


def _said(claim: _Claim | None) -> Iterator[_Claim]:
    if claim is not None and any(character.isalnum() for character in claim.text()):
        yield claim
