"""What is a text and no log, though somebody gave it as one."""

from __future__ import annotations

from ..formats.text_of import ASCIIDOC, HTML, MARKDOWN, RESTRUCTURED
from .forms import parse

_PROSE = tuple(MARKDOWN | RESTRUCTURED | ASCIIDOC | HTML)
_HEADINGS = ("# ", "## ", "---\n")
# Of the lines of a log, far more than one in so many tell a time or a level; what they go on with lies between them.
ONE_IN = 10


def is_prose(head: bytes, name: str) -> bool:
    """Whether a file that is named as a document, or a text that begins as one, tells times and levels only in
    passing. `head` is its beginning."""
    text = head.decode("utf-8", "replace").lstrip("\ufeff\n\r\t ")
    if not (name.lower().endswith(_PROSE) or (not name and text.startswith(_HEADINGS))):
        return False
    lines = [line for line in text.split("\n") if line.strip()]
    heads = sum(parse(line, 0).is_head for line in lines)
    return heads * ONE_IN < len(lines)
