"""A file's bytes as a map: the parser of its language, within limits."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable
from functools import cache
from itertools import accumulate
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from ..model.code import FileMap
from ..model.errors import TooLarge
from .language import Language
from .languages.table import language, language_of

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query, Tree

SOURCE_BYTES_MAX = 1024 * 1024
PARSE_SECONDS = 5.0


def map_of(path: str, source: bytes) -> FileMap:
    """The map of a file. One in a language that is not known is empty, with "" for its language."""
    name = language_of(path)
    if not name:
        return FileMap("")
    known = language(name)
    if other := known.meant(path, source):
        known = language(other)
    tree = tree_of(known, source)
    return known.read(tree.root_node, source, path)


def tree_of(known: Language, source: bytes) -> Tree:
    """The syntax tree. Some texts take a grammar for ever (40 KB of quotes): it gives up after a while. What may be
    hostile is parsed by a worker all the same, that can be killed."""
    if len(source) > SOURCE_BYTES_MAX:
        raise TooLarge(f"A source of {len(source):,} bytes is not mapped.", hint=f"At most {SOURCE_BYTES_MAX:,}.")
    parser = _parser(known.name)
    try:
        return parser.parse(source)
    except ValueError as problem:
        parser.reset()  # else it would go on with this one
        raise TooLarge("It takes too long to parse.", hint="It is left out of the code map.") from problem


@cache
def _parser(name: str) -> Parser:
    from tree_sitter import Parser

    parser = Parser(_grammar(name))
    with warnings.catch_warnings():  # what is to be used in its place is not called for texts, only for functions
        warnings.simplefilter("ignore", DeprecationWarning)
        if hasattr(parser, "timeout_micros"):
            setattr(parser, "timeout_micros", int(PARSE_SECONDS * 1_000_000))  # noqa: B010 its types call it read-only
    return parser


@cache
def _grammar(name: str) -> Any:
    from tree_sitter import Language as Grammar

    return Grammar(language(name).grammar())


@cache
def query(name: str, text: str) -> Query:
    """A query for a language, compiled once."""
    from tree_sitter import Query

    return Query(_grammar(name), text)


@cache
def field_ids(name: str, fields: tuple[str, ...]) -> tuple[int, ...]:
    """The numbers that a grammar has for its fields, in the order given."""
    grammar = _grammar(name)
    return tuple(grammar.field_id_for_name(field) for field in fields)


@cache
def kind_ids(name: str, kinds: tuple[str, ...]) -> tuple[int, ...]:
    """The numbers that a grammar has for kinds of nodes, in the order given."""
    grammar = _grammar(name)
    return tuple(grammar.id_for_node_kind(kind, True) for kind in kinds)


def line_starts(source: bytes) -> list[int]:
    """Where the lines of a text begin, so that `bisect_right` of it and a place is the line there, from 1. For many
    places that is quicker than to ask each node for its point."""
    if b"\r" in source:  # which ends no line here
        return list(accumulate([len(line) + 1 for line in source.split(b"\n")], initial=0))
    starts = list(accumulate(map(len, source.splitlines(keepends=True)), initial=0))
    if source and not source.endswith(b"\n"):
        starts.pop()
    return starts


_PLACE_FIRST, _PLACE_LAST = attrgetter("start_byte"), attrgetter("end_byte")
_PLACE = attrgetter("byte_range")


def child_at(node: Node, at: int) -> Node | None:
    """(tree-sitter raises where there is none, as in the brackets of `append()`.)"""
    return node.named_child(at) if 0 <= at < node.named_child_count else None


def spans(nodes: Iterable[Node]) -> list[tuple[int, int]]:
    """Where nodes begin and end, in bytes."""
    return list(map(_PLACE, nodes))


def captured(
    name: str, text: str, node: Node, unordered: Collection[str] = (), nested: Collection[str] = ()
) -> dict[str, list[Node]]:
    """What `captures` finds, quicker, for queries in which no two nodes of one name begin and end at the same places:
    put in order by where they begin, the longer first. Those in `unordered` come as they may. Only of those in `nested`
    may two begin at the same place."""
    from tree_sitter import QueryCursor

    found: dict[str, list[Node]] = QueryCursor(query(name, text)).captures(node)
    for named, nodes in found.items():
        if named not in unordered and len(nodes) > 1:
            if named in nested:
                nodes.sort(key=_PLACE_LAST, reverse=True)
            nodes.sort(key=_PLACE_FIRST)
    return found


Captures = Callable[["Node"], dict[str, list["Node"]]]


@cache
def captures(name: str, text: str) -> Captures:
    """What finds the nodes that a query names, by name, in the order of the text. (tree-sitter's own `captures` is
    slower, and gives them in another order each time.)"""
    from tree_sitter import QueryCursor

    compiled = query(name, text)

    def found(node: Node) -> dict[str, list[Node]]:
        nodes: dict[str, list[Node]] = {}
        for _, captured in QueryCursor(compiled).matches(node):
            for named, some in captured.items():
                if named in nodes:
                    nodes[named] += some
                else:
                    nodes[named] = some
        return nodes

    return found
