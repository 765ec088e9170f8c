"""What a file of C or C++ defines.

A prototype is no symbol: the function is where it is defined. A member that a class declares is one, because it belongs
to what the class is; its signature ends in a semicolon, and what is defined elsewhere (`void Foo::bar() {…}`) is
preferred to it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ..outline import Definition
from ..parse import child_at
from .c_chains import TEXT_MAX, path_of, text_of, type_text

if TYPE_CHECKING:
    from tree_sitter import Node

KINDS = {
    "struct_specifier": "struct",
    "union_specifier": "union",
    "enum_specifier": "enum",
    "class_specifier": "class",
}
SIGNATURE_BYTES_MAX = 1200
DECLARATORS_MAX = 10
TESTS = frozenset(("TEST", "TEST_F", "TEST_P", "TYPED_TEST"))  # of GoogleTest: a class, and what is tested
CALLED = "abstract_function_declarator"  # what a call without arguments looks like where a parameter may stand
NAMES = frozenset(
    "identifier field_identifier type_identifier qualified_identifier destructor_name operator_name operator_cast "
    "template_function".split()
)


class Docs:
    """The comments of a file, asked for what stands right before a place."""

    def __init__(self, comments: Iterable[tuple[int, int]], source: bytes) -> None:
        self._source = source
        self._rows = sorted(comments)
        self._starts = [row[0] for row in self._rows]

    def before(self, first: int) -> str:
        at = bisect_right(self._starts, first) - 1
        source, here, doc = self._source, first, ""
        for row in range(at, max(-1, at - 30), -1):
            start, end = self._rows[row]
            between = source[end:here]
            if between.strip() or between.count(b"\n") > 1:
                break
            here, doc = start, _first_line(source[start : min(end, start + SIGNATURE_BYTES_MAX)]) or doc
        return doc


def _first_line(comment: bytes) -> str:
    text = comment.decode("utf-8", "replace").removesuffix("*/")
    for line in text.splitlines():
        plain = line.strip().lstrip("/*!<").strip()
        if plain and not set(plain) <= set("-=*/# "):
            return plain.removeprefix("@brief").removeprefix("\\brief").strip()
    return ""


def declared(node: Node | None) -> tuple[Node | None, Node | None]:
    """The name in a declarator, and the function declarator around it if what is declared is a function."""
    function: Node | None = None
    for _ in range(DECLARATORS_MAX):
        if node is None:
            return None, None
        kind = node.type
        if kind in NAMES:
            return node, function
        if kind == "function_declarator":
            function = node
        elif function is not None and (kind == "pointer_declarator" or _is_pointer(node)):
            function = None  # a pointer to a function
        inner = node.child_by_field_name("declarator")
        if inner is None:
            inner = next(
                (child for child in node.named_children if child.type.endswith("declarator") or child.type in NAMES),
                None,
            )
        node = inner
    return None, None


def _is_pointer(node: Node) -> bool:
    """`(*f)`, which is no name in brackets as in `int (f)(int a)`, where a macro of that name is not meant."""
    inner = child_at(node, 0) if node.type == "parenthesized_declarator" else None
    return inner is not None and inner.type not in NAMES


def takes_values(function: Node) -> bool:
    """Whether what looks like a declared function in a block is a variable with what it is made of: `Row row(a, b);`"""
    parameters = function.child_by_field_name("parameters")
    given = parameters.named_children if parameters is not None else []
    return bool(given) and all(
        one.type == "parameter_declaration"
        and ((given_as := one.child_by_field_name("declarator")) is None or given_as.type == CALLED)
        and (type_ := one.child_by_field_name("type")) is not None
        and type_.type in ("type_identifier", "qualified_identifier")
        for one in given
    )


def list_of(type_: str, declarator: Node | None) -> str:
    """The type of what is declared: an array is a list."""
    is_array = type_ and declarator is not None and declarator.type == "array_declarator"
    return f"list[{type_}]" if is_array else type_


class Definitions:
    """Makes definitions of the nodes of a file. `plain` is the text that was parsed: `source`, mended. `templates` are
    where templates begin, by where what they are for does itself."""

    def __init__(self, source: bytes, plain: bytes, docs: Docs, templates: Mapping[int, int]) -> None:
        self.source, self.plain, self.docs, self.templates = source, plain, docs, templates

    def function(self, node: Node) -> Definition | None:
        name, function = declared(node.child_by_field_name("declarator"))
        if name is None or function is None:
            return None
        path = path_of(name, self.source)
        receiver, _, last = path.rpartition(".")
        if not last:
            return None
        if name.type in ("operator_name", "operator_cast"):
            receiver, last = "", " ".join(text_of(name, self.source).split())[:80]
        body = node.child_by_field_name("body")
        type_ = node.child_by_field_name("type")
        if type_ is None and not receiver and last in TESTS:
            listed = function.child_by_field_name("parameters")
            parts = text_of(listed, self.source)[1:-1].split(",") if listed is not None else []
            if len(parts) == 2:
                # What is tested is often called in it, and is no member of what has the name of the suite.
                suite = parts[0].strip()
                receiver, last = suite if last != "TEST" else f"{suite}.TEST", parts[1].strip()
        kind = "function"
        if receiver:
            kind = "constructor" if receiver.rpartition(".")[2] == last else "method"
        return self._made(
            node,
            kind,
            last,
            body,
            returns=type_text(text_of(type_, self.source)) if type_ is not None else "",
            receiver=receiver,
        )

    def member(self, node: Node, owner: str) -> Definition | None:
        """A method that a class declares and does not define there."""
        name, function = declared(node.child_by_field_name("declarator"))
        if name is None or function is None:
            return None
        last = path_of(name, self.source).rpartition(".")[2]
        if name.type in ("operator_name", "operator_cast"):
            last = " ".join(text_of(name, self.source).split())[:80]
        type_ = node.child_by_field_name("type")
        returns = type_text(text_of(type_, self.source)) if type_ is not None else ""
        made = self._made(node, "constructor" if last == owner else "method", last, None, returns=returns)
        return made._replace(signature=f"{made.signature.rstrip(';').rstrip()};")

    def variables(self, node: Node, kind: str) -> Iterator[Definition]:
        """What a declaration declares, without functions."""
        type_ = node.child_by_field_name("type")
        returns = type_text(text_of(type_, self.source)) if type_ is not None and not _has_body(type_) else ""
        for declarator in node.children_by_field_name("declarator"):
            inner = declarator.child_by_field_name("declarator") if declarator.type == "init_declarator" else declarator
            name, function = declared(inner)
            if name is None or function is not None or name.type == "qualified_identifier":
                continue
            type_of = list_of(returns, inner)
            made = self._made(node, kind, text_of(name, self.source), None, returns=type_of)
            yield made._replace(first=declarator.start_byte, last=declarator.end_byte, doc=made.doc)

    def type(self, node: Node, name: str) -> Definition:
        bases = []
        for child in node.named_children:
            if child.type == "base_class_clause":
                for base in child.named_children:
                    if base.type in ("type_identifier", "qualified_identifier", "template_type"):
                        spelt = type_text(text_of(base, self.source))
                        bases += [spelt] if spelt else []
        return self._made(node, KINDS[node.type], name, node.child_by_field_name("body"), bases=tuple(bases))

    def alias(self, node: Node, name: str, returns: str) -> Definition:
        return self._made(node, "type", name, None, returns=returns)

    def namespace(self, node: Node) -> Iterator[Definition]:
        """`namespace a::b` is two, one in the other. What is in an inline one is in the one around it."""
        name = node.child_by_field_name("name")
        if name is None or self.plain[node.start_byte : name.start_byte].startswith(b"inline"):
            return
        body = node.child_by_field_name("body")
        for at, part in enumerate(text_of(name, self.plain).split("::")[:8]):
            made = self._made(node, "namespace", part.strip(), body)
            yield made._replace(first=made.first + at)

    def macro_parts(self, node: Node) -> tuple[bytes, bytes]:
        """The name of a macro, and what it stands for."""
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        own, given = (self.source[one.start_byte : one.end_byte] if one is not None else b"" for one in (name, value))
        return own, given

    def macro(self, node: Node, kind: str) -> Definition:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        made = self._made(node, kind, text_of(name, self.source) if name is not None else "", value)
        text = self.source[made.first : made.last]
        trailing = len(text) - len(text.rstrip())
        return made._replace(last=made.last - trailing, end=made.end - (1 if trailing and made.end > made.start else 0))

    def enumerator(self, node: Node, owner: str) -> Definition:
        name = node.child_by_field_name("name")
        return self._made(node, "constant", text_of(name, self.source) if name is not None else "", None, returns=owner)

    def _made(
        self,
        node: Node,
        kind: str,
        name: str,
        body: Node | None,
        *,
        returns: str = "",
        receiver: str = "",
        bases: tuple[str, ...] = (),
    ) -> Definition:
        own, last = node.start_byte, node.end_byte
        first = self.templates.get(own, own)
        row = node.start_point.row + 1
        if first != own:
            row -= self.source.count(b"\n", first, own)
        end = min(body.start_byte if body is not None else last, first + SIGNATURE_BYTES_MAX)
        head = self.source[first:end].decode("utf-8", "replace").rstrip().rstrip("={;,:").rstrip()
        doc = self.docs.before(first)
        return Definition(
            kind,
            name,
            first,
            last,
            row,
            node.end_point.row + 1,
            head[: TEXT_MAX * 2],
            doc,
            (),
            bases,
            returns,
            receiver,
        )


def _has_body(node: Node) -> bool:
    return node.type in KINDS and node.child_by_field_name("body") is not None


def type_name(node: Node, source: bytes) -> str:
    """The name of a struct, union, enum or class, without what it is a specialisation for."""
    name = node.child_by_field_name("name")
    return path_of(name, source).rpartition(".")[2] if name is not None else ""
