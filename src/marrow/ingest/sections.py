"""A document by its headings, and the fields that stand in it: `* Status: accepted`, `**Date:** …`, `| Owner | … |`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import PurePosixPath

from .formats.front_matter import front_matter
from .formats.header import head_fields
from .formats.prose import asciidoc, markdown_headings, restructured
from .formats.text import Heading
from .formats.text_of import ASCIIDOC, RESTRUCTURED
from .lazy_pattern import LazyPattern

# Documents by form are short; what is longer is looked at this far.
READ = 200_000
FIELDS_WITHIN = 80
VALUE_LENGTH_MAX = 2_000
LIST_MAX = 40
_UNDERLINE = LazyPattern(r"[=\-~^\"'`#*+.]{3,}[ \t]*$")
_BOLD_LINE = LazyPattern(r"[ \t]{0,3}(\*\*|__)([^*_\n]{2,60}?):?\1:?[ \t]*$")
_NUMBERED = LazyPattern(r"^(?:[\d.]+[.):]?|[IVX]+\.)\s+")
_FIELD = LazyPattern(
    r"[ \t]*(?:[-*+>][ \t]+|:)?(?P<mark>\*\*|__|)(?P<name>[^\W\d_](?:[^\W\d_]|[ /()-]){1,40}?)"
    r"(?:(?P=mark)[ \t]{0,3}[:：]|[:：](?P=mark))(?P=mark)?[ \t]*(?P<value>.*)$"
)
_ROW = LazyPattern(
    r"[ \t]*\|[ \t]*\**(?P<name>[^\W\d_](?:[^\W\d_]|[ /()-]){1,40}?)[:：]?\**[ \t]*\|(?P<value>[^|]*)\|?[ \t]*$"
)
_ITEM = LazyPattern(r"[ \t]*(?:[-*+][ \t]+)(?P<value>\S.*)$|[ \t]{2,}(?P<more>\S.*)$")
_BULLET = LazyPattern(r"[ \t]*(?:[-*+]|\d{1,3}[.)])[ \t]+(?:\[(?P<done>[ xX])\][ \t]+)?(?P<said>\S.*)$")
_SECTION_NAMES = frozenset(
    (
        "summary", "simple summary", "overview", "abstract", "introduction", "motivation", "background", "description",
        "goals", "table of contents", "contents", "tl dr", "background and motivation",
    )
)  # fmt: skip
_RECORD_NAMES = frozenset("status context decision date статус 状态 ステータス 背景".split())
# A table with a column for each part, as proposals begin with.
_CELLS = LazyPattern(r"[ \t]{0,3}\|(?P<cells>.*\|.*)\|[ \t]*\Z")
_RULED = LazyPattern(r"[\s|:-]+\Z")
_COLUMNS_BESIDE = frozenset("author authors owner owners date created creation_date".split())
ROWS_MAX = 5
_STRUCK = LazyPattern(r"~~[^~\n]{0,300}~~")


@dataclass(frozen=True, slots=True)
class Section:
    """`key` is its heading in small letters, without numbers and marks; `body` goes up to the next heading of the same
    rank. `line` is that of its heading and `last` its last one, counted from 1."""

    key: str
    title: str
    level: int
    body: str
    line: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class Outline:
    """A document taken apart. `fields` are those at its top, `preamble` is what stands before the first section."""

    title: str
    sections: tuple[Section, ...]
    fields: Mapping[str, object]
    preamble: str

    def first(self, keys: Iterable[str]) -> str:
        """The text of the first section by one of these names, the names in order."""
        for key in keys:
            for section in self.sections:
                if section.key == key and section.body.strip():
                    return section.body
        return ""

    def field(self, *names: str) -> str:
        for name in names:
            value = self.fields.get(name)
            if isinstance(value, list):
                value = ", ".join(str(one) for one in value)
            if value:
                return str(value)
        return ""

    def keys(self) -> set[str]:
        return {section.key for section in self.sections}


def outline(path: str, text: str) -> Outline:
    read = text[:READ]
    looked_at = without_comments(read) if "<!--" in read else read
    suffix = PurePosixPath(path).suffix.lower()
    matter = front_matter(looked_at)
    headings = _headings(suffix, looked_at)
    lines = looked_at.split("\n")
    if len(headings) < 2:
        headings = sorted((*headings, *_bold_lines(lines)), key=lambda heading: heading.line)
    top = headings[0] if headings and headings[0].level == min(heading.level for heading in headings) else None
    is_titled = top is not None and (len(headings) == 1 or headings[1].level > top.level or not _is_name(top.text))
    rest = headings[1:] if is_titled else headings
    start = looked_at.count("\n", 0, matter.length)
    preamble = "\n".join(lines[start : rest[0].line - 1 if rest else None])
    title = top.text if top and is_titled else ""
    told = {**columns_in(preamble), **fields_in(preamble)}
    fields = {**head_fields(looked_at[matter.length :]), **told, **matter.fields}
    return Outline(title, _sections(lines, rest), fields, preamble)


def without_comments(text: str) -> str:
    """Blank where a comment was, so that every line keeps its number."""
    parts = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        parts += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end + 3
    return "".join((*parts, text[at:]))


def _headings(suffix: str, text: str) -> list[Heading]:
    if suffix in RESTRUCTURED:
        return list(restructured(text).headings)
    if suffix in ASCIIDOC:
        return list(asciidoc(text).headings)
    return list(markdown_headings(text))


def _bold_lines(lines: list[str]) -> list[Heading]:
    """Lines that are bold and nothing else: headings of who does not know how headings are written."""
    found = (
        (number, _BOLD_LINE.match(line)) for number, line in enumerate(lines, 1) if line[:5].strip()[:2] in ("**", "__")
    )
    return [Heading(9, bold[2].strip(), number) for number, bold in found if bold]


def _is_name(title: str) -> bool:
    return is_section_name(title) or key_of(title) in _RECORD_NAMES


def is_section_name(title: str) -> bool:
    """Whether a heading is what a section is called in any document, and so not what this one is."""
    return key_of(title) in _SECTION_NAMES


def key_of(title: str) -> str:
    words = _NUMBERED.sub("", title.strip().strip("*_`# ")).lower()
    return " ".join(re.sub(r"[^\w\s'/&-]+", " ", words).split())


def _sections(lines: list[str], headings: list[Heading]) -> tuple[Section, ...]:
    found = []
    open_: list[tuple[Heading, int]] = []
    ends: dict[int, int] = {}
    for heading in headings:
        while open_ and open_[-1][0].level >= heading.level:
            ends[open_.pop()[1]] = heading.line - 1
        open_.append((heading, heading.line))
    for heading in headings:
        first = heading.line
        if first < len(lines) and _UNDERLINE.match(lines[first]) and lines[first - 1].strip() == heading.text:
            first += 1
        last = ends.get(heading.line, len(lines))
        body = "\n".join(lines[first:last]).strip("\n").rstrip()
        found.append(Section(key_of(heading.text), heading.text, heading.level, body, heading.line, last))
    return tuple(found)


def fields_in(text: str) -> dict[str, object]:
    """Fields by their names in small letters with underscores. A field that is empty may be a list below it."""
    found: dict[str, object] = {}
    current = ""
    for line in text.split("\n", FIELDS_WITHIN)[:FIELDS_WITHIN]:
        said = _FIELD.match(line) or _ROW.match(line) if len(line) <= VALUE_LENGTH_MAX else None
        item = _ITEM.match(line) if current else None
        if item and (line[:2] in ("  ", "\t") or (not found[current] and not said)):
            before = found[current]
            listed = before if isinstance(before, list) else [before] if before else []
            found[current] = [*listed, plain(item["value"] or item["more"])][:LIST_MAX]
        elif said and not said["value"].startswith("//"):
            current = _field_name(said["name"])
            if found.get(current):
                current = ""  # The first one counts, and what stands below the second belongs to that.
            else:
                found[current] = plain(said["value"])
        elif line.strip():
            current = ""
    return found


def columns_in(text: str) -> dict[str, object]:
    """The fields of a table that has a column for each: `| Authors | Creation Date | Status |`. Further rows have
    further authors; one of many things, which stand differently, is a list of these."""
    rows = [
        _CELLS.match(line) for line in text.split("\n", FIELDS_WITHIN)[:FIELDS_WITHIN] if len(line) <= VALUE_LENGTH_MAX
    ]
    table = [[plain(cell) for cell in row["cells"].split("|")] for row in rows if row and not _RULED.match(row[0])]
    if not 1 < len(table) <= ROWS_MAX + 1:
        return {}
    columns = dict(zip(map(_field_name, table[0]), zip_longest(*table[1:], fillvalue=""), strict=False))
    found = {name: list(dict.fromkeys(filter(None, cells))) for name, cells in columns.items() if name}
    if len(found.get("status", ())) != 1 or _COLUMNS_BESIDE.isdisjoint(found):
        return {}
    return {name: ", ".join(cells)[:VALUE_LENGTH_MAX] for name, cells in found.items() if cells}


def _field_name(said: str) -> str:
    return re.sub(r"[ /()-]+", "_", said.strip().lower()).strip("_")


def plain(said: str) -> str:
    """A value without emphasis, code marks and what was struck out."""
    text = _STRUCK.sub("", said) if "~~" in said else said
    return " ".join(text.replace("**", "").replace("__", "").replace("`", "").split()).strip("* ").rstrip("\\").strip()


def bullets(text: str, count_max: int = 100) -> list[tuple[str, bool | None]]:
    """The items of the lists in a text, each with whether its box is ticked; None where it has no box."""
    found: list[tuple[str, bool | None]] = []
    for line in text.split("\n"):
        if len(found) < count_max and (item := _BULLET.match(line[:VALUE_LENGTH_MAX])):
            found.append((plain(item["said"]), None if item["done"] is None else item["done"] in "xX"))
    return found
