"""Whether a source can be parsed here and now: tree-sitter cannot be stopped, and some texts take it for ever."""

from __future__ import annotations

from .skipped import has_longer_line

# Parsers that do not come to an end on some texts which are no programs, such as one that is being edited.
ENDLESS = frozenset(("kotlin",))
TAME_BYTES_MAX, TAME_LINE_MAX, TAME_DEPTH_MAX = 300_000, 5_000, 120
_OPENING, _CLOSING = b"[({", b"])}"
_OPEN = ord("(")
_ONE_SORT = bytes.maketrans(_OPENING + _CLOSING, b"((()))")
_OTHERS = bytes(one for one in range(256) if one not in _OPENING + _CLOSING)


def is_tame(source: bytes) -> bool:
    """Neither large, nor of very long lines, nor deeply nested."""
    return (
        len(source) <= TAME_BYTES_MAX
        and not has_longer_line(source, TAME_LINE_MAX)
        and not _is_deeper(source, TAME_DEPTH_MAX)
    )


def _is_deeper(source: bytes, limit: int) -> bool:
    """Whether brackets stand in each other more often than this. Those with nothing between them are taken away as
    often as there are some: what is left has no pairs, and nothing was deeper than all that is left of the opening ones
    and the times together. Only where that is too much is it counted."""
    brackets = source.translate(_ONE_SORT, _OTHERS)
    left, times = brackets, 0
    while times < limit and b"()" in left:
        left, times = left.replace(b"()", b""), times + 1
    if b"()" not in left and times + left.count(b"(") <= limit:
        return False
    depth = deepest = 0
    for bracket in brackets:
        depth = depth + 1 if bracket == _OPEN else max(0, depth - 1)
        deepest = max(deepest, depth)
    return deepest > limit
