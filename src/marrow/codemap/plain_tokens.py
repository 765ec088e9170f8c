"""Texts for which there is no grammar as tokens with their lines: by what their kind of file means by layout."""

from __future__ import annotations

import re
from collections.abc import Iterator

Token = tuple[bytes, int, int]

LOOSE = (".json", ".jsonc", ".json5", ".css", ".scss", ".less")
LINED = (".toml", ".ini", ".cfg", ".conf", ".properties", ".env")
INDENTED = (".yaml", ".yml")
MARKED = (".md", ".markdown", ".mdx")

_PIECES = re.compile(
    rb"""(?s)(?P<comment>/\*.*?\*/|//[^\n]*|\#[^\n]*)|(?P<string>\"\"\".*?\"\"\"|'''.*?'''|"(?:\\.|[^"\\\n])*"|'[^'\n]*')"""
    rb"""|(?P<word>[\w.+%-]+)|(?P<line>\n)|(?P<mark>[^\s\w])"""
)
_FENCE = re.compile(rb"\s*(```+|~~~+)")
_BULLET = re.compile(rb"[*+-]\s")
_RULE = re.compile(rb"\|?[\s:|-]+\|?\Z")
_EMPHASIS = re.compile(rb"(?<![\w\\])_+(?=\S)|(?<=\S)_+(?!\w)")


def plain_tokens(path: str, source: bytes) -> Iterator[Token]:
    """Lines without the space at their ends, unless more is known of the kind of file."""
    ending = path[path.rfind(".") :].lower() if "." in path.rpartition("/")[2] else ""
    if ending in MARKED:
        return _marked(source)
    if ending in LOOSE or ending in LINED:
        return _pieces(source, lined=ending in LINED, hashes=ending in LINED)
    if ending in INDENTED:
        return _indented(source)
    return _lines(source)


def _lines(source: bytes) -> Iterator[Token]:
    for number, line in enumerate(source.splitlines(), 1):
        if line.strip():
            yield line.rstrip(), number, number


def _indented(source: bytes) -> Iterator[Token]:
    """How deep a line is counts, not by how many spaces."""
    depths = [-1]
    for number, line in enumerate(source.splitlines(), 1):
        bare = line.strip()
        if not bare or bare.startswith(b"#"):
            continue
        depth = len(line) - len(line.lstrip())
        while depth < depths[-1]:
            depths.pop()
        if depth > depths[-1]:
            depths.append(depth)
        yield b"%d %b" % (len(depths), b" ".join(bare.split())), number, number


def _pieces(source: bytes, *, lined: bool, hashes: bool) -> Iterator[Token]:
    """Words, strings and marks. Where lines count, the ends of those that are not inside brackets are tokens too."""
    line, open_, comma, ended = 1, 0, None, True
    for found in _PIECES.finditer(source):
        kind, text = found.lastgroup, found[0]
        start, line = line, line + text.count(b"\n")
        if kind == "comment":
            if hashes == text.startswith(b"#"):
                continue
            kind = "word"
        if kind == "line":
            if lined and not open_ and not ended:
                yield b"\n", start, start
                ended = True
            continue
        if comma is not None:
            if text not in (b"]", b"}"):
                yield comma
            comma = None
        if text == b",":
            comma = (text, start, line)
            continue
        if kind == "mark":
            open_ = max(0, open_ + (text in b"[{(") - (text in b")}]"))
        elif kind == "string" and b"\\" not in text and len(text) > 1:
            text = b'"%b"' % text.strip(text[:1])
        ended = False
        yield text, start, line


def _marked(source: bytes) -> Iterator[Token]:
    """Markdown: words, so that a paragraph may be wrapped anew; the lines of code blocks as they are."""
    fence = b""
    for number, line in enumerate(source.splitlines(), 1):
        found = _FENCE.match(line)
        if fence:
            if found and found[1].startswith(fence):
                fence = b""
                yield b"```", number, number
            elif line.strip():
                yield line.rstrip(), number, number
            continue
        if found:
            fence = found[1]
            yield b"```", number, number
            yield from ((word, number, number) for word in line.strip().strip(fence).split())
            continue
        text = line.strip()
        if text and _RULE.match(text):
            text = b"|--" if b"|" in text else b"--"
        if _BULLET.match(text):
            text = b"- " + text[2:]
        elif text.startswith(b"#"):
            text = text.rstrip(b"#").rstrip()
        for word in _EMPHASIS.sub(lambda e: b"*" * len(e[0]), text).replace(b"|", b" | ").split():
            yield word, number, number
