"""Prose with marks in it: Markdown, reStructuredText, AsciiDoc and plain text. The text is kept as it is, line by line,
so that a line of it is a line of the file; headings, title and fields are read out of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise

from ..dates import read_date
from .front_matter import NONE, FrontMatter, front_matter
from .header import CHANGED, DATES, TITLES, first_said, head_fields
from .text import Heading, Text, as_title

HEADINGS_MAX = 2_000
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]+(\S.*?)[ \t]*$")
_ASCIIDOC = re.compile(r"(={1,6})[ \t]+(\S.*?)[ \t]*$")
_MARKDOWN_UNDERLINE = re.compile(r"(?:=+|-{2,})[ \t]*$")
_RST_UNDERLINE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*$")
_RST_FIELD = re.compile(r":([A-Za-z][\w -]{0,40}):[ \t]*(.*)$")
_TITLE_LENGTH_MAX = 300
_FIELDS_WITHIN = 40


def markdown(text: str) -> Text:
    matter = front_matter(text)
    headings = tuple(_up_to(HEADINGS_MAX, markdown_headings(text, matter)))
    return _made(text, "markdown", headings, {**head_fields(text[matter.length :]), **matter.fields})


def restructured(text: str) -> Text:
    return _made(text, "restructuredtext", tuple(_up_to(HEADINGS_MAX, rst_headings(text))), _fields(text))


def asciidoc(text: str) -> Text:
    headings = []
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("=") and (found := _ASCIIDOC.match(line)):
            headings.append(Heading(len(found[1]), found[2][:_TITLE_LENGTH_MAX], number))
    return _made(text, "asciidoc", tuple(headings[:HEADINGS_MAX]), _fields(text))


def plain(text: str) -> Text:
    """Plain text has no headings of its own; many a one is written as Markdown all the same."""
    headings = tuple(_up_to(HEADINGS_MAX, markdown_headings(text, NONE)))
    first = text.lstrip().partition("\n")[0].strip()
    title = headings[0].text if headings and headings[0].line <= 3 else first if len(first) <= 100 else ""
    fields = head_fields(text)
    date, status = _date(fields), str(fields.get("status") or "")[:100]
    said = first_said(fields, TITLES)
    return Text(text, "text", as_title(said or title), date=date, status=status, headings=headings, fields=fields)


def _fields(text: str) -> dict[str, object]:
    return {**head_fields(text), **_rst_fields(text)}


def _date(fields: Mapping[str, object]) -> str:
    """The first of the fields for it that holds a date."""
    said = (first_said(fields, (name,)) for name in (*DATES, *CHANGED))
    return next((one for one in said if one and read_date(one)), "")


def _made(text: str, form: str, headings: tuple[Heading, ...], fields: dict[str, object]) -> Text:
    top = min((heading.level for heading in headings[:10]), default=0)
    first = next((heading.text for heading in headings if heading.level == top), "")
    named = first_said(fields, TITLES)
    return Text(
        text,
        form,
        as_title(named or first),
        date=_date(fields),
        status=first_said(fields, ("status",))[:100],
        headings=headings,
        fields=fields,
    )


def _up_to(count: int, headings: Iterator[Heading]) -> Iterator[Heading]:
    return (heading for heading, _ in zip(headings, range(count), strict=False))


def markdown_headings(text: str, matter: FrontMatter | None = None) -> Iterator[Heading]:
    """The headings of a Markdown text, in their order. Those inside fenced code are code."""
    skipped = (front_matter(text) if matter is None else matter).length
    number = text.count("\n", 0, skipped)
    fence = before = ""
    for line in text[skipped:].split("\n"):
        number += 1
        first = line[:1]
        if first in " \t`~" and (marks := _FENCE.match(line)):
            closes = fence and marks[1].startswith(fence)
            fence = "" if closes else fence or marks[1]
            before = ""
            continue
        if fence:
            continue
        if first in "# \t" and (found := _HEADING.match(line)):
            if name := found[2].rstrip("#").rstrip()[:_TITLE_LENGTH_MAX]:
                yield Heading(len(found[1]), name, number)
            before = ""
            continue
        if first in ("=", "-") and before and _MARKDOWN_UNDERLINE.match(line) and _can_be_underlined(before):
            yield Heading(1 if first == "=" else 2, before.strip()[:_TITLE_LENGTH_MAX], number - 1)
            before = ""
            continue
        before = line


def _can_be_underlined(line: str) -> bool:
    """Text, and no list, table or quotation."""
    return bool(line.strip()) and line[0] not in " \t-*+>|#=" and len(line) <= 120


def rst_headings(text: str) -> Iterator[Heading]:
    """Underlined lines; the first mark that is used is the highest level, the second the next, and so on."""
    levels: dict[str, int] = {}
    lines = text.split("\n")
    for number, (title, under) in enumerate(pairwise(lines), 1):
        mark = _RST_UNDERLINE.match(under) if under and title.strip() else None
        if not mark or len(title) > _TITLE_LENGTH_MAX or _RST_UNDERLINE.match(title):
            continue
        over = number > 1 and bool(_RST_UNDERLINE.match(lines[number - 2])) and lines[number - 2][:1] == mark[1]
        if len(under.rstrip()) < min(len(title.rstrip()), 3) or (title[:1] in " \t" and not over):
            continue
        level = levels.setdefault(mark[1] * (2 if over else 1), len(levels) + 1)
        yield Heading(level, title.strip(), number)


def _rst_fields(text: str) -> dict[str, object]:
    """The list of fields at the top: `:Status: accepted`."""
    found: dict[str, object] = {}
    for line in text.split("\n", _FIELDS_WITHIN)[:_FIELDS_WITHIN]:
        if line.startswith(":") and (said := _RST_FIELD.match(line)):
            found.setdefault(said[1].lower().replace(" ", "_").replace("-", "_"), said[2].strip()[:500])
    return found
