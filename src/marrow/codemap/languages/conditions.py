"""Conditions of a preprocessor (`#if`) where no grammar expects them: inside of an expression, a head or a statement.

The mended text has the same length and lines, and only its tree is used: names are read from the text as it was.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ...model.errors import TooLarge
from ..parse import captures

if TYPE_CHECKING:
    from tree_sitter import Node

CONDITION_LINES_MAX = 80
ERROR_LINES_MAX = 12  # a longer one says that something went wrong, but not where
ERROR_COST = 30  # bytes: what an error costs besides those that it covers
# So many bytes are parsed again at most, that a file is mended alike on every machine; and after so long none, however
# few: what takes that long is no code.
PARSED_AGAIN_MAX, SECONDS_MAX = 1_500_000, 2.0
WRONG = "[(ERROR) (MISSING)] @wrong"

_DIRECTIVE = re.compile(rb"[ \t]*#[ \t]*(if|ifdef|ifndef|elif|else|endif)\b[ \t]*(0\s*$)?")

Parse = Callable[[bytes], "Node"]


def cost_of(root: Node, language: str) -> int:
    """How much of a tree went wrong: an error that covers the whole file is worse than ten small ones."""
    if not root.has_error:
        return 0
    cost, last = 0, 0
    for node in captures(language, WRONG)(root).get("wrong", ()):
        cost += ERROR_COST + max(0, node.end_byte - max(last, node.start_byte))
        last = max(last, node.end_byte)
    return cost


def tried(parse: Parse, text: bytes) -> Node | None:
    """The tree of a text; None where it takes too long."""
    try:
        return parse(text)
    except TooLarge:
        return None


class _Condition(NamedTuple):
    """Lines of a condition's directives (from 0): `#if`, each `#elif` and `#else`, `#endif`. `is_never`: `#if 0`."""

    lines: tuple[int, ...]
    is_never: bool


def _conditions(lines: list[bytes]) -> Iterator[_Condition]:
    open_: list[tuple[list[int], bool]] = []
    for at, line in enumerate(lines):
        found = _DIRECTIVE.match(line) if b"#" in line else None
        if found is None:
            continue
        word = found[1]
        if word.startswith(b"if"):
            open_.append(([at], found[2] is not None))
        elif open_:
            open_[-1][0].append(at)
            if word == b"endif":
                taken, is_never = open_.pop()
                yield _Condition(tuple(taken), is_never)


def without_conditions(root: Node, text: bytes, language: str) -> bytes:
    """Without the conditions at which the grammar stumbles: of what they choose between, the first is taken."""
    places = captures(language, WRONG)(root).get("wrong", ())
    rows = sorted(
        row
        for node in places
        if node.end_point.row - node.start_point.row < ERROR_LINES_MAX
        for row in (node.start_point.row, node.end_point.row)
    )
    lines = text.split(b"\n")
    for taken, is_never in list(_conditions(lines)) if rows else ():
        first, last = taken[0], taken[-1]
        at = bisect_left(rows, first - 1)
        if last - first > CONDITION_LINES_MAX or at >= len(rows) or rows[at] > last + 1:
            continue
        kept = (taken[1], taken[2]) if is_never and len(taken) > 2 else (first, taken[1])
        begin = kept[0]
        while lines[begin].endswith(b"\\"):  # the directive goes on
            begin += 1
        for row in (*range(first, begin + 1), *range(kept[1], last + 1)):
            lines[row] = b" " * len(lines[row])
    return b"\n".join(lines)
