"""Expressions of Rust as chains. Paths and members are both written with dots; `?` as a part stands for what an Option
or a Result holds, and `mod` for the module at hand (`self::`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..parse import child_at
from .rust_types import bare, type_text

if TYPE_CHECKING:
    from tree_sitter import Node

DEPTH_MAX = 40
NAME_MAX = 200

_PLAIN = re.compile(rb"[A-Za-z_]\w*(?:(?:::|\.)\w+)*\Z")
_THROUGH = frozenset(("await_expression", "parenthesized_expression", "reference_expression", "unsafe_block"))
_TEXTS = frozenset(("string_literal", "raw_string_literal"))
_OTHERS = frozenset(
    (
        "integer_literal",
        "float_literal",
        "boolean_literal",
        "char_literal",
        "unit_expression",
        "range_expression",
    )
)


class Place:
    """Where an expression stands: what `Self` and the parameters of types mean there, and in which modules of its own
    file it is (`inner`)."""

    __slots__ = ("inner", "known")

    def __init__(self, known: Mapping[str, str], inner: tuple[str, ...] = ()) -> None:
        self.known, self.inner = known, inner

    def path(self, names: list[str]) -> list[str]:
        """A path with `self`, `super` and `Self` as the map has them."""
        first = names[0]
        if first == "self":
            return ["mod", *self.inner, *names[1:]]
        if first == "super":
            here = list(self.inner)
            while names and names[0] == "super":
                if not here:
                    return names
                here.pop()
                names = names[1:]
            return ["mod", *here, *names]
        said = self.known.get(first)
        return [*bare(said).split("."), *names[1:]] if said else names


def text_of(node: Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def chain_of(node: Node | None, source: bytes, place: Place) -> str:
    """An expression as a chain; "" for one that cannot be said as one."""
    parts: list[str] = []
    tail = ""
    for _ in range(DEPTH_MAX):
        if node is None:
            return ""
        kind = node.type
        if kind == "call_expression":
            node = node.child_by_field_name("function")
            tail = "()" + tail
        elif kind == "field_expression":
            first, last = node.start_byte, node.end_byte
            if last - first <= NAME_MAX and _PLAIN.match(text := source[first:last]):
                return _joined(plain_chain(text, place) + tail, parts)
            name = node.child_by_field_name("field")
            parts.append((text_of(name, source) if name is not None else "?") + tail)
            node, tail = node.child_by_field_name("value"), ""
        elif kind in ("identifier", "self", "scoped_identifier", "type_identifier"):
            head = path_of(node, source, place)
            return _joined(head + tail, parts) if head else ""
        elif kind == "try_expression":
            parts.append(f"?{tail}")
            node, tail = child_at(node, 0), ""
        elif kind in _THROUGH:
            node = _inside(node)
        elif kind == "generic_function":
            node = node.child_by_field_name("function")
        elif kind == "index_expression":
            node, tail = child_at(node, 0), "[]" + tail
        elif kind == "unary_expression":
            if source[node.start_byte : node.start_byte + 1] != b"*":
                return _joined(f"<builtin>{tail}", parts)
            node = child_at(node, 0)
        else:
            head = _value(node, kind, source, place)
            return _joined(head + tail, parts) if head else ""
    return ""


def _value(node: Node, kind: str, source: bytes, place: Place) -> str:
    """What stands at the beginning of a chain, if it is no name."""
    if kind == "struct_expression":
        name = node.child_by_field_name("name")
        head = path_of(name, source, place) if name is not None else ""
        return f"{head}{{}}" if head else ""
    if kind == "type_cast_expression":
        declared = node.child_by_field_name("type")
        type_ = type_text(text_of(declared, source), place.known) if declared is not None else ""
        return f"<{type_}>" if type_ else ""
    if kind in _TEXTS:
        return "<str>"
    return "<builtin>" if kind in _OTHERS else ""


def _inside(node: Node) -> Node | None:
    """What stands in brackets, after `&`, or as the value of a block."""
    inner = node.child_by_field_name("value") if node.type == "reference_expression" else None
    if inner is not None:
        return inner
    count = node.named_child_count
    return child_at(node, count - 1 if node.type == "unsafe_block" else 0) if count else None


def _joined(head: str, parts: list[str]) -> str:
    return ".".join((head, *reversed(parts))) if parts else head


def plain_chain(text: bytes, place: Place) -> str:
    """Names with `::` and dots between them."""
    spelt = text.decode("utf-8", "replace")
    path, dot, members = spelt.partition(".")
    if "::" in path:
        path = ".".join(place.path(path.split("::")))
    elif path != "self":
        said = place.known.get(path)
        path = bare(said) if said else path
    return f"{path}.{members}" if dot else path


def path_of(node: Node, source: bytes, place: Place) -> str:
    """A path: `Foo::<T>::new`, `<Foo as Trait>::go`."""
    text = source[node.start_byte : node.end_byte]
    if len(text) <= NAME_MAX and _PLAIN.match(text):
        return plain_chain(text, place)
    names: list[str] = []
    here: Node | None = node
    for _ in range(DEPTH_MAX):
        if here is None:
            break
        kind = here.type
        if kind in ("scoped_identifier", "scoped_type_identifier"):
            name = here.child_by_field_name("name")
            names.append(text_of(name, source) if name is not None else "?")
            here = here.child_by_field_name("path")
        elif kind in ("generic_type", "generic_type_with_turbofish", "generic_function"):
            here = here.child_by_field_name("type") or here.child_by_field_name("function")
        elif kind == "bracketed_type":
            type_ = type_text(text_of(here, source)[1:-1].partition(" as ")[0], place.known)
            names.append(bare(type_))
            return ".".join(reversed(names)) if type_ else ""
        else:
            spelt = text_of(here, source)[:NAME_MAX]
            names.append(spelt)
            break
    names.reverse()
    return ".".join(place.path(names)) if names and "" not in names else ""
