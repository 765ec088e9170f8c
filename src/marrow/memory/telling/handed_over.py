"""A handoff as a new session is told it: on one line, and without what it is told beside it by its own address."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..observed.digest import HANDED_OVER

# Of two texts, so many letters in common at their beginning are no accident: one of them was cut.
COMPARED = 40
_NOT_LETTERS = re.compile(r"\W+")
_SECTION = re.compile(rf"({'|'.join(HANDED_OVER)}):(?:\s*\n- | )")


def letters(text: str) -> str:
    """Letters and digits alone, so that texts can be compared."""
    return _NOT_LETTERS.sub("", text.lower())


def handed_over(content: str, told: Sequence[str]) -> str:
    """`told` are the letters of what is told beside it. A handoff in somebody's own words stays as it is."""
    kept = []
    for section in content.split("\n\n"):
        found = _SECTION.match(section)
        if found is None:
            kept.append(section)
            continue
        lines = section[found.end() :].split("\n- ")
        if new := [line.strip() for line in lines if not _is_told(letters(line), told)]:
            kept.append(f"{found[1]}: {'; '.join(new)}")
    return "\n".join(kept)


def _is_told(line: str, told: Sequence[str]) -> bool:
    return any(line == one or (line[:COMPARED] == one[:COMPARED] and len(line) >= COMPARED) for one in told)
