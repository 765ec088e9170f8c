"""A file's bytes as a map: the parser of its language, within limits."""

from __future__ import annotations

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
    """The syntax tree. tree-sitter cannot be stopped from within: what may
    be hostile is parsed by a worker that can be killed."""
    if len(source) > SOURCE_BYTES_MAX:
        raise TooLarge(f"A source of {len(source):,} bytes is not mapped.", hint=f"At most {SOURCE_BYTES_MAX:,}.")
    return _parser(known.name).parse(source)


@cache
def _parser(name: str) -> Parser:
    from tree_sitter import Parser

    return Parser(_grammar(name))


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
