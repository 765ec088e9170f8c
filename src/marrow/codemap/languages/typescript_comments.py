"""The first line of the comment before a definition; comments between the tags of JSX."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..outline import Span

if TYPE_CHECKING:
    from tree_sitter import Node

_DIRECTIVE = re.compile(r"eslint|prettier|istanbul|@ts-|tslint|c8 |v8 |#?region|#?endregion|#__|@__|webpack|biome|@jsx")
_GAP_MAX, _READ, _WHOLE, _LINES_MAX = 200, 600, 4000, 12


class Comments:
    """Where the comments of a file stand."""

    def __init__(self, spans: Sequence[Span], source: bytes) -> None:
        self._spans, self._source = sorted(spans), source
        self._ends = [end for _, end in self._spans]

    def before(self, first: int) -> str:
        """What the comment right before a place says first; "" for none."""
        at = self._right_before(first)
        if at < 0:
            return ""
        begin, end = self._spans[at]
        if self._source.startswith(b"//", begin):
            begin, end = self._first_of(at)
        return first_line(self._source[begin : min(end, begin + _READ)].decode("utf-8", "replace"))

    def whole_before(self, first: int) -> str:
        """All of the comment right before a place, where it is a doc comment."""
        at = self._right_before(first)
        if at < 0 or not self._source.startswith(b"/**", self._spans[at][0]):
            return ""
        begin, end = self._spans[at]
        return self._source[begin : min(end, begin + _WHOLE)].decode("utf-8", "replace")

    def _right_before(self, first: int) -> int:
        at = bisect_right(self._ends, first) - 1
        if at < 0:
            return -1
        end = self._ends[at]
        if first - end > _GAP_MAX:
            return -1
        gap = self._source[end:first]
        return -1 if gap.count(b"\n") > 1 or gap.strip() else at

    def _first_of(self, at: int) -> Span:
        """Lines of comments are one comment. One that ends a line of code belongs to that."""
        source = self._source
        while at > 0:
            before, here = self._spans[at - 1], self._spans[at]
            between = source[before[1] : here[0]]
            if between.strip() or between.count(b"\n") != 1 or not source.startswith(b"//", before[0]):
                break
            at -= 1
        begin, end = self._spans[at]
        line = source.rfind(b"\n", 0, begin) + 1
        if source[line:begin].strip():
            return 0, 0
        return begin, end


def is_jsx_comment(expression: Node, parent: str) -> bool:
    """Whether an expression in braces is no more than a comment: `{/* why */}` between tags."""
    inside = expression.named_children
    return parent != "jsx_attribute" and bool(inside) and all(one.type == "comment" for one in inside)


def first_line(comment: str) -> str:
    for line in comment.split("\n", _LINES_MAX)[:_LINES_MAX]:
        said = line.strip().removesuffix("*/").lstrip("/*!").strip()
        if not said:
            continue
        if said[0] == "@":
            return said.partition(" ")[2] if said.startswith(("@description", "@summary", "@deprecated")) else ""
        if not _DIRECTIVE.match(said):
            return said
    return ""
