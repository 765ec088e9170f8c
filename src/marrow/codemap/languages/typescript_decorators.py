"""Decorators of JavaScript and TypeScript, which stand before what they are for or in its head."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any

from ..outline import SIGNATURE_MAX, Definition
from .typescript_comments import Comments

TEXT_MAX = 200
# What may stand between two things that belong together.
BETWEEN = re.compile(rb"(?:[\s;,]|/\*.*?\*/|//[^\n]*)*\Z", re.DOTALL)
_HEADS = (b"", b"export", b"export default", b"default")
_WITHOUT = frozenset(("function", "constant", "variable", "type", "interface", "enum"))


def decorated(definitions: list[Definition], nodes: list[Any], source: bytes, comments: Comments) -> list[Definition]:
    """The definitions, each beginning with its first decorator."""
    marks = sorted((node.start_byte, node.end_byte, node.start_point.row + 1) for node in nodes)
    starts = [mark[0] for mark in marks]
    made = []
    for one in definitions:
        if one.kind in _WITHOUT:
            made.append(one)
            continue
        first, start, head = one.first, one.start, one.first
        texts: list[str] = []
        at = bisect_right(starts, one.first - 1)
        while at < len(marks) and marks[at][0] < one.last:
            if source[head : marks[at][0]].strip() not in _HEADS:
                break
            texts.append(_text(source, marks[at]))
            head = marks[at][1]
            at += 1
        at = bisect_right(starts, one.first - 1) - 1
        while at >= 0 and marks[at][1] <= first and BETWEEN.match(source, marks[at][1], first):
            texts.insert(0, _text(source, marks[at]))
            first, start = marks[at][0], marks[at][2]
            at -= 1
        if not texts:
            made.append(one)
            continue
        signature = one.signature
        if head != one.first:
            signature = source[head : one.last][: SIGNATURE_MAX + 100].decode("utf-8", "replace")
            signature = signature.partition("{")[0].strip()
        doc = one.doc or comments.before(first)
        names = (*texts, *one.decorators)
        made.append(one._replace(first=first, start=start, decorators=names, signature=signature, doc=doc))
    return made


def _text(source: bytes, mark: tuple[int, int, int]) -> str:
    return " ".join(source[mark[0] + 1 : mark[1]].decode("utf-8", "replace").split())[:TEXT_MAX]
