"""The names of functions and classes in changed lines, by pattern. The code map knows better, and comes later."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

NAMES_MAX = 20
_NAME = r"([A-Za-z_$][\w$]{0,79}[?!]?)"
_PATTERNS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"\s*(?:async\s+)?def\s+(?:self\.)?{_NAME}",
        rf"\s*(?:export\s+)?(?:default\s+)?(?:public\s+|private\s+|internal\s+|protected\s+|sealed\s+|abstract\s+|"
        rf"static\s+|final\s+|data\s+|partial\s+|open\s+)*(?:class|interface|struct|trait|enum|module|object|protocol|"
        rf"record)\s+{_NAME}",
        rf"\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?function\s*\*?\s*{_NAME}",
        rf"\s*func\s+(?:\([^)]{{0,80}}\)\s*)?{_NAME}",
        rf"\s*(?:pub(?:\([^)]{{0,20}}\))?\s+)?(?:const\s+)?(?:async\s+)?(?:unsafe\s+)?fn\s+{_NAME}",
        rf"\s*(?:pub(?:\([^)]{{0,20}}\))?\s+)?(?:struct|enum|trait|mod|type|union)\s+{_NAME}",
        rf"\s*(?:(?:public|private|protected|internal|override|suspend|inline|open)\s+)*fun\s+(?:<[^>]{{1,40}}>\s*)?"
        rf"(?:\w+\.)?{_NAME}",
        rf"\s*(?:export\s+)?(?:const|let|var)\s+{_NAME}\s*(?::[^=]{{1,80}})?=\s*(?:async\s*)?"
        rf"(?:\([^)]{{0,200}}\)?[^=]{{0,40}}=>|[\w$]+\s*=>|function\b)",
        rf"\s*(?:(?:public|private|protected|internal|static|virtual|override|async|final|abstract|synchronized|"
        rf"readonly)\s+)+(?:[\w<>\[\],.?]+\s+)?(?:function\s+)?{_NAME}\s*\(",
        rf"\s*(?i:create\s+(?:or\s+replace\s+)?(?:table|view|function|procedure|trigger|index|type)\s+"
        rf"(?:if\s+not\s+exists\s+)?){_NAME}",
        rf"(?:[A-Za-z_][\w:<>*&]*\s+[*&]?){{1,3}}{_NAME}\s*\([^;]{{0,200}}\)\s*(?:const\s*)?\{{",
    )
)
_NOT_NAMES = frozenset(
    "if for while switch return else catch with new await typeof do in of not class function".split()
)


def defined_in(line: str) -> str:
    """The name that a line of code defines, or nothing."""
    line = line[:300]
    for pattern in _PATTERNS:
        found = pattern.match(line)
        if found and found[1] not in _NOT_NAMES:
            return found[1]
    return ""


def names_in(lines: Iterable[str]) -> tuple[str, ...]:
    """What the lines define, each once, in order."""
    found = dict.fromkeys(name for line in lines if (name := defined_in(line)))
    return tuple(found)[:NAMES_MAX]


def enclosing(lines: Sequence[str], at: int) -> str:
    """The definition that the line at `at` stands in, as far as the lines before it show."""
    depth = _indent(lines[at]) if at < len(lines) else 0
    for line in reversed(lines[:at]):
        if not line.strip():
            continue
        here = _indent(line)
        if here < depth:
            if name := defined_in(line):
                return name
            depth = here
    return ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
