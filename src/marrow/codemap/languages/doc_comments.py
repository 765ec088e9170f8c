"""The comments of a file, and which of them says what a declaration is for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..outline import Span

GAP_MAX = 200
COMMENTS_MAX = 100
TEXT_MAX = 2000

_SAID = re.compile(rb"[\s/*]*([^\r\n]*)")
_TAGS = re.compile(r"</?[A-Za-z][^<>]*>|\{@\w+\s+#?([^{}]*)\}")


class DocComments:
    """`orders` are beginnings of comments that are meant for a tool."""

    def __init__(self, source: bytes, spans: Sequence[Span], orders: tuple[bytes, ...] = ()) -> None:
        self._source, self._orders = source, orders
        self._begins = {end: begin for begin, end in spans}

    def before(self, first: int) -> str:
        """The first line of the comment that ends right before a place."""
        source, text = self._source, ""
        for _ in range(COMMENTS_MAX):
            space = source[max(0, first - GAP_MAX) : first]
            end = first - len(space) + len(space.rstrip())
            begin = self._begins.get(end)
            if begin is None or source.count(b"\n", end, first) > 1:
                break
            if source[source.rfind(b"\n", 0, begin) + 1 : begin].strip():
                break  # it stands behind something else
            if not (self._orders and source.startswith(self._orders, begin)):
                text = _first_line(source[begin : min(end, begin + TEXT_MAX)]) or text
            first = begin
        return text


def _first_line(comment: bytes) -> str:
    found = _SAID.match(comment)
    said = found[1].decode("utf-8", "replace") if found is not None else ""
    if said.startswith("@"):
        return ""
    said = said.strip().removesuffix("*/").rstrip(" *")
    if "<" in said or "{" in said:
        said = _TAGS.sub(r"\1", said).strip()
    if said or found is None or found.end() >= len(comment):
        return said
    return _first_line(comment[found.end() :]) if len(comment) < TEXT_MAX else ""  # there was nothing but a tag
