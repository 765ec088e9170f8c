"""A file's bytes as a map: the parser of its language, within limits."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
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
