"""Whether a source can be parsed here and now: tree-sitter cannot be stopped, and some texts take it for ever."""

from __future__ import annotations

from itertools import accumulate
from operator import sub

from .skipped import has_line_above

# Parsers that do not come to an end on some texts which are no programs, such as one that is being edited.
ENDLESS = frozenset(("kotlin",))
TAME_BYTES_MAX, TAME_LINE_MAX, TAME_DEPTH_MAX = 300_000, 5_000, 120
_NO_BRACKETS = bytes(set(range(256)) - set(b"[({})]"))


def is_tame(source: bytes) -> bool:
    """Neither large, nor of very long lines, nor deeply nested."""
    if len(source) > TAME_BYTES_MAX:
        return False
    if has_line_above(source, TAME_LINE_MAX):
        return False
    steps = [1 if bracket in b"[({" else -1 for bracket in source.translate(None, _NO_BRACKETS)]
    if len(steps) <= TAME_DEPTH_MAX:
        return True
    depths = list(accumulate(steps, initial=0))
    lowest = accumulate(depths, min)  # what closes and was never opened does not count
    deepest: int = max(map(sub, depths, lowest))
    return deepest <= TAME_DEPTH_MAX
