"""The three depths of an observation's text, taken apart again."""

from __future__ import annotations

import re

from ...model.text import first_line
from .observation import TITLE_MAX

_BLANK = re.compile(r"\n[ \t]*\n")


def depths(text: str) -> tuple[str, str, str]:
    """(title, summary, detail). A text that was not made by us has its first line as its title."""
    parts = _BLANK.split(text.strip(), maxsplit=2)
    title = parts[0] if len(parts[0]) <= TITLE_MAX and "\n" not in parts[0] else first_line(parts[0], TITLE_MAX)
    if len(parts) == 1:
        return title, parts[0], ""
    return title, parts[1].strip(), parts[2].strip() if len(parts) > 2 else ""
