"""What a file of Rust defines."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from ...model.code import Symbol
from ..entry import TESTS_ALONE, for_tests_alone
from ..outline import Definition
from .rust_chains import text_of
from .rust_types import MARKERS, bare, owner_text, type_text

if TYPE_CHECKING:
    from tree_sitter import Node

KINDS = {
    "struct_item": "struct",
    "enum_item": "enum",
    "union_item": "union",
    "trait_item": "trait",
    "const_item": "constant",
    "static_item": "variable",
    "type_item": "type",
    "associated_type": "type",
}
SIGNATURE_BYTES_MAX = 1200
BEFORE_MAX = 60

_BOUND = re.compile(r"\s*(?:const\s+)?(\w+)\s*(?::(?!:)(.*))?\Z", re.DOTALL)


class Impl(NamedTuple):
    """An `impl` or a `trait` with what names mean in it. `receiver` is "" for a trait."""

    first: int
    last: int
    receiver: str
    trait: str
    known: Mapping[str, str]
    name: str = ""


class Before:
    """The attributes and comments of a file, asked for what stands right before a place."""

    def __init__(self, attributes: Iterable[Node], comments: Iterable[tuple[int, int]], source: bytes) -> None:
        self._source = source
        # An attribute has the line that it begins on, a comment 0.
        rows = [(node.start_byte, node.end_byte, node.start_point.row + 1) for node in attributes]
        rows += [(first, last, 0) for first, last in comments]
        rows.sort()
        self._rows = rows
        self._starts = [row[0] for row in rows]

    def of(self, first: int) -> tuple[int, int, tuple[str, ...], str]:
        """Where the attributes before a place begin (byte and line, 0 for none), their texts, and the doc comment's
        first line."""
        at = bisect_right(self._starts, first) - 1
        source, here, line = self._source, first, 0
        begin = first
        attributes: list[str] = []
        doc_at: tuple[int, int] | None = None
        for row in range(at, max(-1, at - BEFORE_MAX), -1):
            start, end, attribute_line = self._rows[row]
            if source[end:here].strip():
                break
            here = start
            if attribute_line:
                text = source[start:end].decode("utf-8", "replace")
                attributes.append(" ".join(text[2:-1].split())[:200])
                begin, line = start, attribute_line
            elif source.startswith((b"///", b"/**"), start) and not source.startswith((b"////", b"/***"), start):
                doc_at = start, end
            elif source.startswith(b"//!", start) or source.startswith(b"/*!", start):
                break
        doc = _doc_line(source[doc_at[0] : doc_at[1]]) if doc_at is not None else ""
        return begin, line, tuple(reversed(attributes)), doc


def _doc_line(text: bytes) -> str:
    spelt = text[:SIGNATURE_BYTES_MAX].decode("utf-8", "replace").strip()
    if spelt.startswith("///"):
        return spelt[3:].strip()
    lines = (line.strip().lstrip("*").strip() for line in spelt[3:].removesuffix("*/").splitlines())
    return next((line for line in lines if line), "")


def bounds_of(node: Node, source: bytes, above: Mapping[str, str]) -> Mapping[str, str]:
    """The parameters of a type or function as what they must be: `T: Foo` is a Foo. With those from around it."""
    body = node.child_by_field_name("body")
    first = node.start_byte
    head = source[first : body.start_byte if body is not None else node.end_byte]
    asks = b"where" in head
    if not asks and b"<" not in head:
        return above
    listed = node.child_by_field_name("type_parameters")
    if listed is None and not asks:
        return above
    clause = None
    for child in node.named_children if asks else ():
        if child.type == "where_clause":
            clause = child
            break
    if listed is None and clause is None:
        return above
    known = dict(above)
    for child in listed.named_children if listed is not None else ():
        if child.type == "type_parameter":
            text = text_of(child, source)
            _bound(text if "<" in text else text.partition("=")[0], known, above)
    for child in clause.named_children if clause is not None else ():
        _bound(text_of(child, source), known, above)
    return known


def _bound(text: str, known: dict[str, str], above: Mapping[str, str]) -> None:
    found = _BOUND.match(text)
    if found is None or len(text) > 400:
        return
    name, bounds = found[1], found[2]
    type_ = type_text(bounds, above) if bounds else ""
    if type_ and type_ not in MARKERS and bare(type_) != name:
        known[name] = type_
    elif name in known and not type_ and not bounds:
        del known[name]  # hides the one around it


def impls_of(nodes: Iterable[Node], source: bytes) -> list[Impl]:
    """The blocks that methods stand in, in the order of the text."""
    found: list[Impl] = []
    for node in nodes:
        known = bounds_of(node, source, {})
        if node.type == "trait_item":
            name = node.child_by_field_name("name")
            spelt = text_of(name, source) if name is not None else ""
            known = {key: value for key, value in known.items() if key != "Self"}
            found.append(Impl(node.start_byte, node.end_byte, "", "", known, spelt))
            continue
        owner, trait = node.child_by_field_name("type"), node.child_by_field_name("trait")
        receiver = owner_text(text_of(owner, source)[:400], known) if owner is not None else ""
        implemented = type_text(text_of(trait, source), known) if trait is not None else ""
        if implemented.startswith("list[") or (trait is not None and not implemented):
            implemented = text_of(trait, source).partition("<")[0].replace("::", ".") if trait is not None else ""
        receiver = receiver or "_"
        found.append(Impl(node.start_byte, node.end_byte, receiver, bare(implemented), {**known, "Self": receiver}))
    return found


class Around:
    """Which `impl` or trait a place is in."""

    def __init__(self, impls: list[Impl]) -> None:
        self.impls = impls
        self._starts = [one.first for one in impls]

    def at(self, byte: int) -> Impl | None:
        here = bisect_right(self._starts, byte) - 1
        for row in range(here, max(-1, here - 3), -1):
            if self.impls[row].last > byte:
                return self.impls[row]
        return None


class Definitions:
    """Makes definitions of the nodes of a file."""

    def __init__(self, source: bytes, before: Before, around: Around) -> None:
        self.source, self.before, self.around = source, before, around
        self.bounds: dict[int, Mapping[str, str]] = {}  # by where a function or type begins
        # What the blocks of a type ask of its parameters, by its name: the type itself often asks nothing.
        self.asked: dict[str, dict[str, str]] = {}
        for one in around.impls:
            if one.receiver and len(one.known) > 1:
                told = self.asked.setdefault(one.receiver, {})
                for key, said in one.known.items():
                    told.setdefault(key, said)
        self._functions: list[tuple[int, int]] = []  # those around the place that is read

    def _block(self, first: int) -> Impl | None:
        """The `impl` or trait that something is an item of itself, not of a function in it."""
        inside = self.around.at(first)
        while self._functions and self._functions[-1][1] <= first:
            self._functions.pop()
        if inside is not None and self._functions and self._functions[-1][0] > inside.first:
            return None
        return inside

    def function(self, node: Node) -> Definition:
        source = self.source
        first = node.start_byte
        inside = self._block(first)
        self._functions.append((first, node.end_byte))
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        declared = node.child_by_field_name("return_type")
        around = inside or self.around.at(first)
        known = bounds_of(node, source, around.known if around is not None else {})
        returns = type_text(text_of(declared, source), known) if declared is not None else ""
        made = self._made(
            node,
            "method" if inside is not None else "function",
            text_of(name, source) if name is not None else "",
            body,
            returns=returns,
            receiver=inside.receiver if inside is not None else "",
            bases=(inside.trait,) if inside is not None and inside.trait else (),
        )
        self.bounds[made.first] = known
        return made

    def type(self, node: Node, traits: Mapping[str, list[str]]) -> Definition:
        source = self.source
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        spelt = text_of(name, source) if name is not None else ""
        known = bounds_of(node, source, {"Self": spelt} if node.type != "trait_item" else {})
        asked = {key: said for key, said in self.asked.get(spelt, {}).items() if key not in known}
        known = {**known, **asked} if asked else known
        bases = list(traits.get(spelt, ()))
        if node.type == "trait_item":
            bounds = node.child_by_field_name("bounds")
            for bound in bounds.named_children if bounds is not None else ():
                base = "" if bound.type == "lifetime" else bare(type_text(text_of(bound, source), {}))
                if base:
                    bases.append(base)
        made = self._made(node, KINDS[node.type], spelt, body, bases=tuple(dict.fromkeys(bases)))
        self.bounds[made.first] = known
        return made

    def items(self, nodes: Iterable[Node]) -> Iterator[Definition]:
        """Functions and values, in the order of the text."""
        for node in sorted(nodes, key=lambda one: one.start_byte):
            yield self.value(node) if node.type in KINDS else self.function(node)

    def value(self, node: Node) -> Definition:
        """A constant, a static, or another name for a type."""
        source = self.source
        inside = self._block(node.start_byte)
        known = inside.known if inside is not None else {}
        name = node.child_by_field_name("name")
        declared = node.child_by_field_name("bounds" if node.type == "associated_type" else "type")
        returns = ""
        if declared is not None:
            text = text_of(declared, source)
            returns = type_text(text.lstrip(": ") if node.type == "associated_type" else text, known)
        return self._made(
            node,
            KINDS[node.type],
            text_of(name, source) if name is not None else "",
            node.child_by_field_name("value"),
            returns=returns,
            receiver=inside.receiver if inside is not None else "",
        )

    def module(self, node: Node) -> Definition:
        name = node.child_by_field_name("name")
        return self._made(
            node, "module", text_of(name, self.source) if name is not None else "", node.child_by_field_name("body")
        )

    def macro(self, node: Node) -> Definition:
        name = node.child_by_field_name("name")
        spelt = text_of(name, self.source) if name is not None else ""
        made = self._made(node, "macro", spelt, None)
        return made._replace(signature=f"macro_rules! {spelt}")

    def field(self, node: Node, known: Mapping[str, str]) -> Definition:
        name, declared = node.child_by_field_name("name"), node.child_by_field_name("type")
        returns = type_text(text_of(declared, self.source), known) if declared is not None else ""
        return self._made(node, "field", text_of(name, self.source) if name is not None else "", None, returns=returns)

    def variant(self, node: Node, owner: str) -> Definition:
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
        first, last = node.start_byte, node.end_byte
        row = node.start_point.row + 1
        begin, line, attributes, doc = self.before.of(first)
        end = min(body.start_byte if body is not None else last, first + SIGNATURE_BYTES_MAX)
        head = self.source[first:end].decode("utf-8", "replace").rstrip().rstrip("={;,").rstrip()
        return Definition(
            kind,
            name.removeprefix("r#"),
            begin,
            last,
            line or row,
            node.end_point.row + 1,
            head,
            doc,
            attributes,
            bases,
            returns,
            receiver,
        )


def traits_of(impls: Iterable[Impl]) -> dict[str, list[str]]:
    """The traits that the types of a file implement in it, by the type's name."""
    found: dict[str, list[str]] = {}
    for one in impls:
        if one.receiver and one.trait:
            found.setdefault(one.receiver.rpartition(".")[2], []).append(one.trait)
    return found


def with_tests_marked(symbols: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
    """What stands in a module that is only there for tests is only there for them too: it has the same mark."""
    marked: set[int] = set()
    for at, symbol in enumerate(symbols):
        if symbol.parent in marked or any(for_tests_alone(one) for one in symbol.decorators):
            marked.add(at)
    if not marked:
        return symbols
    return tuple(
        symbol._replace(decorators=(*symbol.decorators, TESTS_ALONE))
        if at in marked and not any(for_tests_alone(one) for one in symbol.decorators)
        else symbol
        for at, symbol in enumerate(symbols)
    )


def positional(node: Node) -> Iterator[tuple[int, Node]]:
    """The types of a list of fields without names, with their positions."""
    yield from enumerate(node.children_by_field_name("type"))
