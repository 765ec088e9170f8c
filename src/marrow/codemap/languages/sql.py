"""SQL: what is created, and what it speaks of.

Every database has a dialect of its own, and no grammar knows them all: most scripts of a large PostgreSQL project do
not parse. So the text is read by its words here; statements end at semicolons outside of strings and blocks.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from ...model.code import TOP, Call, FileMap
from ..language import Language, Rules
from ..outline import Definition, Outline, Span

if TYPE_CHECKING:
    from tree_sitter import Node

_NAME = rb"(?:\"[^\"\n]{1,200}\"|`[^`\n]{1,200}`|\[[^\]\n]{1,200}\]|[A-Za-z_#@][\w$#@]{0,200})"
_DOTTED = rb"(" + _NAME + rb"(?:\s{0,9}\.\s{0,9}" + _NAME + rb"){0,3})"
_TOKEN = re.compile(
    rb"--[^\n]*|/\*.*?(?:\*/|\Z)|'(?:[^']|'')*(?:'|\Z)|\$(\w{0,60})\$.*?(?:\$\1\$|\Z)"
    rb"|;|^[ \t]*go[ \t]*\r?$|\b(?:create|begin|case|end)\b",
    re.I | re.S | re.M,
)
_CREATE = re.compile(
    rb"create\s+(?:or\s+(?:replace|alter)\s+)?(?:(?:global|local|temp|temporary|unlogged|unique|clustered|nonclustered"
    rb"|materialized|recursive|virtual|external|foreign|constraint|event|fulltext|spatial|trusted|editionable"
    rb"|noneditionable|force|definer\s{0,9}=\s{0,9}\S+|sql\s+security\s+\w+|algorithm\s{0,9}=\s{0,9}\w+)\s+){0,6}"
    rb"(table|view|index|trigger|function|procedure|aggregate|type|domain|schema)\s+"
    rb"(?:concurrently\s+)?(?:if\s+not\s+exists\s+)?" + _DOTTED,
    re.I,
)
_MENTION = re.compile(
    rb"\b(?:from|join|into|update|references|truncate\s+table|alter\s+table|drop\s+table)\s+(?:only\s+)?"
    + _DOTTED
    + rb"|(?<![\w$#@.])("
    + _NAME
    + rb")\s?\(",
    re.I,
)
_ON = re.compile(rb"\son\s+(?:only\s+)?" + _DOTTED, re.I)
_WITH = re.compile(
    rb"(?<![\w$#@])("
    + _NAME
    + rb")\s+as\s+(?:not\s+)?(?:materialized\s+)?\(\s*(?:select|with|insert|values|delete|update)\b",
    re.I,
)
_RETURNS = re.compile(rb"\breturns?\s+(?:setof\s+)?([A-Za-z_][\w.]*)", re.I)

KINDS = {"procedure": "function", "aggregate": "function", "domain": "type", "schema": "namespace"}
HAS_BLOCKS = frozenset(("trigger", "function", "procedure"))
HEAD_MAX = 400
# Words that stand before brackets and call nothing of a project.
WORDS = frozenset(
    b"abs add after all and any array as asc avg before between bigint binary bit by cascade case cast char character "
    b"check coalesce column constraint count cross current_timestamp date decimal default delete desc distinct else "
    b"end exists extract filter float for foreign from full function generated group grouping having if in include "
    b"index inner insert int integer intersect interval into is isnull join json key left length like limit lower "
    b"materialized max min mod natural not now null nullif numeric nvarchar on only or order outer over overlay "
    b"partition position precision primary procedure range real references replace returning returns right round row "
    b"rows select set setof smallint some string substr substring sum table text then time timestamp timestamptz to "
    b"trigger trim type union unique update upper using values varchar varbinary view when where with".split()
)


class Created(NamedTuple):
    """A statement that creates something."""

    kind: str
    name: str
    schema: str
    first: int
    last: int


def read(root: Node, source: bytes, path: str) -> FileMap:
    comments: list[Span] = []
    strings: list[Span] = []
    created = _statements(source, comments, strings)
    lines = [0]
    lines += [found.end() for found in re.finditer(rb"\n", source)]
    definitions = []
    for one in created:
        head = source[one.first : min(one.last, one.first + HEAD_MAX)].decode("utf-8", "replace")
        result = _RETURNS.search(source, one.first, min(one.last, one.first + 2000)) if one.kind == "function" else None
        definitions.append(
            Definition(
                one.kind,
                one.name,
                one.first,
                one.last,
                bisect_right(lines, one.first),
                bisect_right(lines, max(one.first, one.last - 1)),
                _head(head),
                _doc(source, one.first, comments),
                (),
                (),
                result[1].decode() if result else "",
                one.schema,
            )
        )
    outline = Outline(source, definitions, comments, strings)
    symbols = outline.symbols()
    starts = [one.first for one in created]
    calls = _mentions(source, created, starts, comments, strings, lines)
    return FileMap("sql", "", symbols, (), (), tuple(calls))


def _head(text: str) -> str:
    """A statement up to its columns, its body or its query."""
    found = re.search(r"\s+(?:as|begin|language)\s|\$\w*\$|\(\s*\n|;", text, re.I)
    return text[: found.start()] if found else text


def _statements(source: bytes, comments: list[Span], strings: list[Span]) -> list[Created]:
    """What is created, in order; comments and strings are noted on the way."""
    created: list[Created] = []
    here: re.Match[bytes] | None = None
    depth = 0
    for token in _TOKEN.finditer(source):
        text = token[0]
        sort = text[:1]
        if sort in b"-/":
            comments.append(token.span())
        elif sort == b"'":
            strings.append(token.span())
        elif sort == b"$":
            continue
        elif sort in b";\r \tgG":
            if sort != b";":
                depth = 0
            if here is not None and not depth:
                created.append(_created(here, token.end() if sort == b";" else token.start()))
                here = None
        elif here is None:
            if sort in b"cC" and len(text) == 6:
                here = _CREATE.match(source, token.start())
                depth = 0
        elif here[1].lower().decode() in HAS_BLOCKS:
            depth = _deeper(source, token, depth)
    if here is not None:
        created.append(_created(here, len(source.rstrip()) if source.strip() else len(source)))
    return [one for one in created if one.name.lower() not in ("on", "if", "using", "for")]


def _deeper(source: bytes, token: re.Match[bytes], depth: int) -> int:
    """How deep in blocks the text behind a word is. What ends an `IF` or a loop ends no block."""
    word = token[0].lower()
    if word == b"begin" or (word == b"case" and depth):
        return depth + 1
    if word == b"end" and depth:
        following = source[token.end() : token.end() + 12].lstrip().lower()
        return depth if following.startswith((b"if", b"loop", b"while", b"for", b"repeat")) else depth - 1
    return depth


def _created(found: re.Match[bytes], last: int) -> Created:
    kind = found[1].lower().decode()
    schema, name = _names(found[2])
    return Created(KINDS.get(kind, kind), name, schema, found.start(), max(last, found.end()))


def _names(dotted: bytes) -> tuple[str, str]:
    """(schema, name), without quotes."""
    parts = [one.strip().strip('"`[]') for one in dotted.decode("utf-8", "replace").split(".")]
    return ".".join(parts[:-1]), parts[-1]


def _doc(source: bytes, first: int, comments: list[Span]) -> str:
    """The first line of the comment right before."""
    top = ""
    at = bisect_right(comments, (first, first))
    for begin, end in reversed(comments[max(0, at - 50) : at]):
        between = source[end:first] if first - end < 200 else b"x"
        if between.strip() or between.count(b"\n") > 1:
            break
        lines = source[begin : min(end, begin + 500)].decode("utf-8", "replace").splitlines()
        said = [line.strip("-/*# \t") for line in lines]
        top = next((line for line in said if line), "") or top
        first = begin
    return top


def _mentions(
    source: bytes,
    created: list[Created],
    starts: list[int],
    comments: list[Span],
    strings: list[Span],
    lines: list[int],
) -> list[Call]:
    """Tables that are read, written and referred to, and functions that are called."""
    aside = sorted([*comments, *strings])
    asides = [begin for begin, _ in aside]
    own = {found[1].lower() for found in _WITH.finditer(source)} if b"with" in source.lower() else set()
    heads = {source.find(b"(", one.first, one.last) for one in created if one.kind != "trigger"}
    calls = []
    mentioned = [found for one in created if one.kind in ("index", "trigger") and (found := _owner(source, one))]
    for found in (*mentioned, *_MENTION.finditer(source)):
        group = 1 if found[1] is not None else 2
        word = found[group]
        if word.lower() in WORDS or word.lower() in own or (group == 2 and found.end() - 1 in heads):
            continue
        at = found.start(group)
        near = bisect_right(asides, at) - 1
        if near >= 0 and aside[near][1] > at:
            continue
        name = _names(word)[1]
        row = bisect_right(lines, at)
        inside = bisect_right(starts, at) - 1
        scope = inside if inside >= 0 and created[inside].last > at else TOP
        if name and "." not in name:
            column = at - lines[row - 1] + max(0, word.rfind(name.encode()))
            calls.append(Call(scope, row, column, name, "call" if group == 2 else "type"))
    return sorted(calls, key=lambda call: (call.line, call.column))


def _owner(source: bytes, one: Created) -> re.Match[bytes] | None:
    """The table that an index or trigger is for."""
    return _ON.search(source, one.first, min(one.last, one.first + HEAD_MAX))


def _grammar() -> object:
    import tree_sitter_sql

    return tree_sitter_sql.language()


LANGUAGES = {"sql": Language("sql", (".sql",), _grammar, read, Rules(everywhere=True))}
