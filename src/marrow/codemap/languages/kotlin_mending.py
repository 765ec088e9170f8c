"""Kotlin that the grammar stumbles over, written so that it does not.

The grammar takes some words for keywords where they are names, and loses the rest of the file. The mended text has the
same length and lines, and only its tree is used: names are read from the text as it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..parse import captures, tree_of

if TYPE_CHECKING:
    from tree_sitter import Node

    from ..language import Language


def _blank(found: re.Match[bytes]) -> bytes:
    return re.sub(rb"[^\n]", b" ", found[0])


def _name(found: re.Match[bytes]) -> bytes:
    return b"_" * len(found[0])


# Behind annotations, `open class Foo protected constructor()` is taken for words of an expression: without any error.
_HIDDEN_CONSTRUCTOR = re.compile(
    rb"(?<=\bclass )(\w{1,99}(?:<[^\n{}()]{0,200}>)?[ \t]+)(?:internal|private|protected|public)(?=[ \t]+constructor\b)"
)

_MENDED: tuple[tuple[re.Pattern[bytes], Callable[[re.Match[bytes]], bytes]], ...] = (
    # `suspend { … }`, and `suspend` as the name of an argument
    (re.compile(rb"\bsuspend(?=\s{0,9}[{=)])"), _name),
    (re.compile(rb"@\w+[ \t]+(?=(?:set|get)\b)"), _blank),
    (re.compile(rb"\?(?=::)"), _blank),
    # `in1.close()` at the beginning of a line is no test whether something is in `1.close()`
    (re.compile(rb"(?<=\n)([ \t]{0,200})in(?=\d|\w{0,99}\.)"), lambda found: found[1] + b"_n"),
    # words that are keywords only in some places, used as names
    (
        re.compile(
            rb"(?<=[^.\w])(?:set|get|open|inner|data|value|out|operator)"
            rb"(?=\s{0,9}(?:[.=\])]|or\b|and\b|!=)|\([\w, .\[\]]{0,200}\)(?!\s*[{=:]|\s*\n\s*(?:get|set)))"
        ),
        _name,
    ),
    # The constructor of a class within a class, on a line of its own: it goes up, and the lines below it go down again.
    (
        re.compile(
            rb"(?<=[ \t]class )(\w{1,99}(?:<[^\n{}()]{0,200}>)?)\n([ \t]{1,200})"
            rb"((?:internal|private|protected|public)[ \t]+)?(constructor\b[^\n]{0,400}\n)[ \t]"
        ),
        lambda found: found[1] + b" " + found[2] + b" " * len(found[3] or b"") + found[4] + b"\n",
    ),
    # a constructor on a line of its own
    (
        re.compile(
            rb"(?<=\n)[ \t]{0,200}(?:@\w+(?:\([^()\n]{0,200}\))?\s+){0,5}"
            rb"(?:internal|private|protected|public)[ \t]+(?=constructor\()"
        ),
        _blank,
    ),
    (re.compile(rb"(?<=\n)[ \t]{0,200}::(?=\w)"), _blank),
)


def mended(language: Language, root: Node, source: bytes) -> Node:
    """The tree of the mended text, if less of it is lost."""
    text = _HIDDEN_CONSTRUCTOR.sub(lambda found: found[1] + b" " * (len(found[0]) - len(found[1])), source)
    if text != source:
        source, root = text, tree_of(language, text).root_node
    if not root.has_error:
        return root
    for pattern, put in _MENDED:
        text = pattern.sub(put, text)
    if text == source or len(text) != len(source):
        return root
    other = tree_of(language, text).root_node
    return other if _lost(other) < _lost(root) else root


def _lost(root: Node) -> int:
    """How much of a text could not be parsed, in bytes."""
    if not root.has_error:
        return 0
    return 1 + sum(
        node.end_byte - node.start_byte for node in captures("kotlin", "(ERROR) @error")(root).get("error", ())
    )
