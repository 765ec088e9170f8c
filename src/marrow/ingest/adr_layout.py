"""Where in the text of a decision record what was decided stands, and where its head ends: title, fields, status and
changelog say how it stands and nothing of what it is about."""

from __future__ import annotations

import re
from typing import NamedTuple

from .adr import CHANGES, DATE, DECISION, LINKS, STATUS, WORDED
from .sections import Section, fields_in, outline, without_comments

# Sections that say who and when.
_HEAD = frozenset((*STATUS, *CHANGES, *DATE, "deciders", "decision makers", "authors", "author"))
_ASIDE = _HEAD | frozenset(LINKS)
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}[ \t]|[=\-~^\"+]{3,}[ \t]*\Z")


class Layout(NamedTuple):
    """`body` is where what it says begins; `decision` are the beginning and the end of what was decided, with its
    heading, and `follows` the end of what comes after that and belongs to it: consequences, a comparison. `frames` are
    the parts that say how it stands, wherever they are. All are places in the text."""

    body: int
    decision: tuple[int, int] | None = None
    follows: int = 0
    frames: tuple[tuple[int, int], ...] = ()


def layout(path: str, text: str) -> Layout:
    shape = outline(path, text)
    commentless = without_comments(text) if "<!--" in text else text
    lines = commentless.split("\n")
    starts = [0]
    for written in text.split("\n"):
        starts.append(starts[-1] + len(written) + 1)
    starts[-1] = len(text)
    sections = [section for section in shape.sections if section.line]
    first = sections[0].line if sections else len(lines) + 1
    before = shape.preamble.count("\n") + 1 if shape.preamble else 0
    body = _prose(lines, max(1, first - before), first)
    if body is None:
        told = (section for section in sections if section.key not in _HEAD and section.body.strip())
        body = next((section.line for section in told if not _is_within_head(section, sections)), 1)
    frames = tuple((starts[one.line - 1], starts[one.last]) for one in sections if one.key in _HEAD)
    chosen = _decision(sections)
    if chosen is None:
        return Layout(starts[body - 1], frames=frames)
    after = next((one for one in sections if one.line > chosen.last and one.key not in _ASIDE), None)
    follows = after.last if after and after.line == chosen.last + 1 else chosen.last
    return Layout(starts[body - 1], (starts[chosen.line - 1], starts[chosen.last]), starts[follows], frames)


def _decision(sections: list[Section]) -> Section | None:
    for key in DECISION:
        for section in sections:
            if section.key == key and section.body.strip():
                return section
    return next((one for one in sections if WORDED.match(one.title) and one.body), None)


def _is_within_head(section: Section, sections: list[Section]) -> bool:
    return any(
        one.key in _HEAD and one.line < section.line <= one.last and one.level < section.level for one in sections
    )


def _prose(lines: list[str], first: int, until: int) -> int | None:
    """The first line before the sections that says something: no heading, no field, no list that is a field's."""
    in_field = False
    for number in range(first, until):
        line = lines[number - 1]
        if not line.strip() or _HEADING.match(line):
            continue
        in_field = bool(fields_in(line)) or (in_field and line[:1] in " \t")
        if not in_field:
            return None if _is_underlined(lines, number) else number
    return None


def _is_underlined(lines: list[str], number: int) -> bool:
    return number < len(lines) and bool(_HEADING.match(lines[number])) and not lines[number].lstrip().startswith("#")
