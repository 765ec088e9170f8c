"""A handoff as a new session is told it: on one line, and without what it is told beside it by its own address."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..observed.digest import HANDED_OVER

# Of two texts, so many letters in common at their beginning are no accident: one of them was cut.
COMPARED = 40
# C++ is not C, nor is 1.8 the same as 18.
_NOT_LETTERS = re.compile(r"(?:[^\w+#.]|\.(?!\d)|(?<!\d)\.)+")
_SECTION = re.compile(rf"({'|'.join(HANDED_OVER)}):(?:\s*\n- | )")


def letters(text: str) -> str:
    """Letters and digits, and what tells C++ from C, so that texts can be compared."""
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
    """As it is, or cut: then the shorter one is how the other begins. Two that only begin alike tell two things."""
    return any(line == one or (_is_long(line, one) and (line.startswith(one) or one.startswith(line))) for one in told)


def _is_long(line: str, one: str) -> bool:
    return min(len(line), len(one)) >= COMPARED
