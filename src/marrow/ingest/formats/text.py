"""The readable text of a file, and what its form says about it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from ...model.text import counted

TEXT_BYTES_MAX = 1024 * 1024
TITLE_LENGTH_MAX = 200
# As the door has it: more of them, and it is no text.
_CONTROL_SHARE_MAX = 0.05
_CONTROLS = bytes((*range(0x09), *range(0x0E, 0x1B), *range(0x1C, 0x20), 0x7F))
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_SURROGATES = re.compile(r"[\ud800-\udfff]")
_MARKS = re.compile(
    r"!\[([^\]\n]{0,200})\]\([^)\n]{0,500}\)|\[([^\]\n]{1,200})\](?:\([^)\n]{0,500}\)|\[[^\]\n]{0,100}\])"
)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level from 1 on, what it says, and its line in the text, counted from 1."""

    level: int
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Text:
    """`text` is at most as long as was asked for, and can be kept as it is. `date` is as the document writes it.
    `fields` is what stands in its front matter or its properties. `pages` is 0 for a format without pages; where there
    are some, a line `[page 3]` stands before each."""

    text: str
    format: str
    title: str = ""
    problem: str = ""
    date: str = ""
    status: str = ""
    language: str = ""
    pages: int = 0
    headings: tuple[Heading, ...] = ()
    fields: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bounded:
    """A text that can be kept, and what had to be done for that; `is_binary` when it cannot be."""

    text: str
    problem: str = ""
    is_binary: bool = False


def bounded(text: str, limit: int = TEXT_BYTES_MAX) -> Bounded:
    """The text with one kind of line end, without characters that no text has, and cut at a line's end to `limit`
    bytes."""
    form = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
    problems = []
    try:
        raw = form.encode()
    except UnicodeEncodeError:
        form, strays = _SURROGATES.subn("\ufffd", form)
        raw = form.encode()
        said = "character that is no Unicode was" if strays == 1 else "characters that are no Unicode were"
        problems.append(f"{strays:,} {said} replaced")
    if controls := len(raw) - len(raw.translate(None, _CONTROLS)):
        if controls > _CONTROL_SHARE_MAX * len(form):
            return Bounded("", "", is_binary=True)
        raw = raw.translate(None, _CONTROLS)
        form = raw.decode()
        problems.append(f"{counted(controls, 'control character')} {'was' if controls == 1 else 'were'} left out")
    if len(raw) > limit:
        whole, form = len(form), _cut(raw, limit)
        problems.append(f"only the first {len(form):,} of {whole:,} characters were kept")
    return Bounded(form, joined(*problems))


def _cut(raw: bytes, limit: int) -> str:
    head = raw[:limit].decode("utf-8", "ignore")
    line_end = head.rfind("\n")
    return head[:line_end] if line_end > limit // 2 else head


def joined(*problems: str) -> str:
    return "; ".join(problem for problem in problems if problem)


def as_title(text: str) -> str:
    """A title in one line, without marks of emphasis and links, shortened at a word's end."""
    plain = _MARKS.sub(lambda link: link[1] or link[2] or "", _COMMENT.sub("", text[:1000]))
    plain = " ".join(
        "".join(c for c in plain if c >= " " or c in "\t\n")
        .replace("`", "")
        .replace("**", "")
        .replace("~~", "")
        .split()
    )
    plain = plain.strip("# \t").strip()
    if len(plain) <= TITLE_LENGTH_MAX:
        return plain
    return plain[: TITLE_LENGTH_MAX - 1].rsplit(" ", 1)[0].rstrip() + "…"
