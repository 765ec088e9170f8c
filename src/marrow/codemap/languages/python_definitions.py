"""Python's functions, classes and variables as definitions."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from ...model.code import TOP
from ..outline import Definition, Outline, Span
from .python_expressions import Fields, type_of

if TYPE_CHECKING:
    from tree_sitter import Node

HEAD_MAX = 400  # bytes of what a variable is given
_MAY_BEGIN_DOC = frozenset(b"\"'rRuUbBfF#")
_BASES = frozenset(("identifier", "attribute", "subscript"))


class Given(NamedTuple):
    """An assignment, taken apart once. `name` is there where one name is given something. `between` is which of the
    places between borders of scopes it begins at (`Outline.borders`)."""

    node: Node
    between: int
    left: Node | None
    kind: str  # of what stands on the left
    name: str
    right: Node | None
    type: str


class Definitions:
    """Collects what a file defines. `comments` gains the doc strings, which count as such."""

    def __init__(self, source: bytes, known: Fields, comments: list[Span]) -> None:
        self._source, self._known, self._comments = source, known, comments
        self.found: list[Definition] = []
        self.parameters: list[Node | None] = []

    def functions(self, nodes: Iterable[Node], decorated: dict[int, Node]) -> None:
        source, known = self._source, self._known
        new, doc = tuple.__new__, self._doc
        for node in nodes:
            field = node.child_by_field_id
            begin = node.start_byte
            whole = decorated.get(begin, node)
            name, declared, body = field(known.name), field(known.return_type), field(known.body)
            self.found.append(
                new(
                    Definition,
                    (
                        "function",
                        _text(name, source) if name is not None else "",
                        whole.start_byte,
                        whole.end_byte,
                        whole.start_point[0] + 1,
                        whole.end_point[0] + 1,
                        _head(source, begin, body.start_byte if body is not None else node.end_byte),
                        doc(body) if body is not None else "",
                        self._decorators(whole) if whole is not node else (),
                        (),
                        type_of(source[declared.start_byte : declared.end_byte]) if declared is not None else "",
                        "",
                    ),
                )
            )
            self.parameters.append(field(known.parameters))

    def classes(self, nodes: Iterable[Node], decorated: dict[int, Node]) -> None:
        source, known = self._source, self._known
        for node in nodes:
            field = node.child_by_field_id
            begin = node.start_byte
            whole = decorated.get(begin, node)
            name, above, body = field(known.name), field(known.superclasses), field(known.body)
            bases = [
                type_of(source[base.start_byte : base.end_byte])
                for base in (above.named_children if above is not None else ())
                if base.type in _BASES
            ]
            self.found.append(
                Definition(
                    "class",
                    _text(name, source) if name is not None else "",
                    whole.start_byte,
                    whole.end_byte,
                    whole.start_point[0] + 1,
                    whole.end_point[0] + 1,
                    _head(source, begin, body.start_byte if body is not None else node.end_byte),
                    self._doc(body) if body is not None else "",
                    self._decorators(whole) if whole is not node else (),
                    tuple(bases),
                )
            )

    def _decorators(self, whole: Node) -> tuple[str, ...]:
        texts = [_text(child, self._source)[1:] for child in whole.named_children if child.type == "decorator"]
        return tuple([" ".join(text.split())[:200] for text in texts])

    def _doc(self, body: Node) -> str:
        """The first line of the docstring, which counts as a comment from then on."""
        at = body.start_byte
        if at >= len(self._source) or self._source[at] not in _MAY_BEGIN_DOC:
            return ""
        first = body.named_child(0) if body.named_child_count else None
        while first is not None and first.type == "comment":
            first = first.next_named_sibling
        if first is None or first.type != "expression_statement":
            return ""
        string = first.named_child(0)
        if string is None or string.type != "string":
            return ""
        self._comments.append((string.start_byte, string.end_byte))
        text = _text(string, self._source).lstrip("rRuUbB").strip("\"'").strip()
        return text.partition("\n")[0].strip()

    def variables(self, given: Iterable[Given], scopes: Outline) -> None:
        """Names that are given a value in a file or a class itself."""
        source = self._source
        new = tuple.__new__
        known: set[tuple[int, str]] = set()
        within = scopes.borders()[1]
        sorts = ["variable" if at == TOP else "field" if scopes.kind_of(at) == "class" else "" for at in within]
        for node, between, left, kind, name, _, type_ in given:
            sort = sorts[between]
            if not sort:
                continue
            while kind == "type" and left is not None:
                left = left.named_child(0)
                kind = left.type if left is not None else ""
                name = _text(left, source) if left is not None and kind == "identifier" else ""
            if kind != "identifier":
                continue
            first, last = node.start_byte, node.end_byte
            scope = within[between]
            if (scope, name) in known:
                continue
            known.add((scope, name))
            if scope == TOP:
                sort = "type" if node.type == "type_alias_statement" else "constant" if name.isupper() else sort
            head = source[first : min(last, first + HEAD_MAX)].decode("utf-8", "replace")
            start, end = node.start_point[0] + 1, node.end_point[0] + 1
            self.found.append(new(Definition, (sort, name, first, last, start, end, head, "", (), (), type_, "")))


def assignments(nodes: Iterable[Node], source: bytes, known: Fields, scopes: Outline) -> list[Given]:
    given = []
    new, borders = tuple.__new__, scopes.borders()[0]
    left_id, right_id, type_id = known.left, known.right, known.type
    for node in nodes:
        begin = node.start_byte
        left = node.child(0)
        end = left.end_byte if left is not None else 0
        right: Node | None
        if source[end : end + 2] == b" =" and node.child_count == 3:  # the most, and quicker than to ask for fields
            right, type_ = node.child(2), ""
        else:
            field = node.child_by_field_id
            left, declared, right = field(left_id), field(type_id), field(right_id)
            end = left.end_byte if left is not None else 0
            type_ = type_of(source[declared.start_byte : declared.end_byte]) if declared is not None else ""
        kind = left.type if left is not None else ""
        name = source[begin:end].decode("utf-8", "replace") if kind == "identifier" else ""
        given.append(new(Given, (node, bisect_right(borders, begin), left, kind, name, right, type_)))
    return given


def _text(node: Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _head(source: bytes, first: int, last: int) -> str:
    """What stands before the body."""
    head = source[first:last].decode("utf-8", "replace").rstrip()
    colon = head.rfind(":")
    return head[:colon] if colon >= 0 else head
