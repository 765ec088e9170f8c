"""Whether a source can be parsed here and now: tree-sitter cannot be stopped, and some texts take it for ever."""

from __future__ import annotations

import re

# Parsers that do not come to an end on some texts which are no programs, such as one that is being edited.
ENDLESS = frozenset(("kotlin",))
TAME_BYTES_MAX, TAME_LINE_MAX, TAME_DEPTH_MAX = 300_000, 5_000, 120
_BRACKETS = re.compile(rb"[\[({})\]]")


def is_tame(source: bytes) -> bool:
    """Neither large, nor of very long lines, nor deeply nested."""
    if len(source) > TAME_BYTES_MAX:
        return False
    if len(source) > TAME_LINE_MAX and max(map(len, source.split(b"\n"))) > TAME_LINE_MAX:
        return False
    depth = deepest = 0
    for bracket in _BRACKETS.findall(source):
        depth = depth + 1 if bracket in b"[({" else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest <= TAME_DEPTH_MAX
