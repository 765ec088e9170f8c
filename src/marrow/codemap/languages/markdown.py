"""Markdown: headings, each with its section, nested by level."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...model.code import FileMap
from ..language import Language
from ..outline import Definition, Outline
from ..parse import captures

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = "[(atx_heading) (setext_heading)] @heading"
INDENT_MAX = 3  # what stands further in is in a list

_LINK = re.compile(r"!?\[([^\]\[]*)\](?:\([^)]*\)|\[[^\],]*\])")
_MARKUP = re.compile(r"\\(?=[^\w\s]|_)|(?<!\\)[*~]+|<[^<>]*>|(?<![\w\\])_+(?=\w)|(?<=\w)_+(?!\w)")
_HEADING = re.compile(rb"[ \t]{0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$", re.M)


def read(root: Node, source: bytes, path: str) -> FileMap:
    found: list[tuple[int, int, int, str]] = []  # first byte, line, level, name
    for node in captures("markdown", QUERY)(root).get("heading", ()):
        first = source.rfind(b"\n", 0, node.start_byte) + 1
        is_atx = node.type == "atx_heading"
        begins = source[first : first + INDENT_MAX + 2].lstrip(b" ")
        if len(begins) > 1 and (begins.startswith(b"#") or not is_atx) and not begins.startswith(b">"):
            level, name = _heading(source[first : node.end_byte], is_atx)
            if name:
                found.append((first, node.start_point.row + 1, level, name))
    ends = _ends(found)
    lines = source.count(b"\n") + (not source.endswith(b"\n"))
    definitions = []
    for (first, line, level, name), after in zip(found, ends, strict=True):
        last = found[after][0] if after < len(found) else len(source)
        end = found[after][1] - 1 if after < len(found) else max(line, lines)
        definitions.append(Definition("heading", name, first, last, line, end, f"{'#' * level} {name}"))
    return FileMap("markdown", "", Outline(source, definitions).symbols())


def _heading(text: bytes, atx: bool) -> tuple[int, str]:
    """Its level and what it says, without markup."""
    if atx:
        matched = _HEADING.match(text)
        level, said = (len(matched[1]), matched[2] or b"") if matched else (1, text.lstrip(b"# "))
    else:
        said, _, line = text.rstrip().rpartition(b"\n")
        level = 1 if line.strip().startswith(b"=") else 2
    parts = _LINK.sub(r"\1", said.decode("utf-8", "replace")[:1000]).split("`")
    parts[::2] = [_MARKUP.sub("", part) for part in parts[::2]]  # between backquotes, all is as it stands
    return level, " ".join("".join(parts).split())


def _ends(found: list[tuple[int, int, int, str]]) -> list[int]:
    """For each heading the position of the one that ends its section: the next that is not below it."""
    ends = [len(found)] * len(found)
    waiting: list[int] = []
    for at, (_, _, level, _) in enumerate(found):
        while waiting and found[waiting[-1]][2] >= level:
            ends[waiting.pop()] = at
        waiting.append(at)
    return ends


def _grammar() -> object:
    import tree_sitter_markdown

    return tree_sitter_markdown.language()


LANGUAGES = {"markdown": Language("markdown", (".md", ".markdown"), _grammar, read)}
