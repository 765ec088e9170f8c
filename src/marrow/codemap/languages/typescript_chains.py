"""JavaScript's and TypeScript's expressions as chains (see `model/code.py`), and the names that patterns take apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .typescript_types import type_of

if TYPE_CHECKING:
    from tree_sitter import Node

DEPTH_MAX = 60
UNKNOWN = "?"

_PLAIN = re.compile(r"[^\W\d][\w$]*(?:[?!]*\.#?[\w$]+)*\Z|\$[\w$]*(?:[?!]*\.#?[\w$]+)*\Z")
_MARKS = str.maketrans("", "", "?!")
_KEY = re.compile(r"""["'`]([\w$]+)["'`]\Z""")
_LITERALS = {
    "string": "<string>",
    "template_string": "<string>",
    "number": "<number>",
    "regex": "<RegExp>",
    "true": "<boolean>",
    "false": "<boolean>",
    "array": "<list>",
}
# What stands around a value and does not change what it is.
_AROUND = frozenset(
    "parenthesized_expression await_expression non_null_expression instantiation_expression spread_element".split()
)
_NAMES = frozenset("identifier this super property_identifier type_identifier shorthand_property_identifier".split())
# A part of a pattern: the name it gives, and the way to it from what is taken apart; `None` for what cannot be said.
Part = tuple[str, str | None]


def text_of(node: Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def chain_of(node: Node, source: bytes) -> str:
    """The chain of an expression; what cannot be said begins with `?`."""
    parts: list[str] = []
    at: Node | None = node
    for _ in range(DEPTH_MAX):
        if at is None:
            return _joined(UNKNOWN, parts)
        kind = at.type
        if kind in _NAMES:
            return _joined(text_of(at, source), parts)
        if kind == "member_expression":
            whole = text_of(at, source) if at.end_byte - at.start_byte < 200 else ""
            if whole and _PLAIN.match(whole):
                return _joined(whole.translate(_MARKS), parts)
            named = at.child_by_field_name("property")
            parts.append("." + (text_of(named, source) if named is not None else UNKNOWN))
            at = at.child_by_field_name("object")
        elif kind == "call_expression":
            parts.append("()")
            at = at.child_by_field_name("function")
        elif kind == "subscript_expression":
            parts.append(_index(at, source))
            at = at.child_by_field_name("object")
        elif kind == "new_expression":
            return _joined(_made(at, source), parts)
        elif kind in _AROUND:
            at = at.named_child(0) if at.named_child_count else None
        elif kind in ("as_expression", "satisfies_expression", "type_assertion"):
            cast, at = _cast(at, source)
            if cast:
                return _joined(cast, parts)
        elif kind in ("binary_expression", "ternary_expression", "assignment_expression", "sequence_expression"):
            at = _one_side(at, source)
        else:
            return _joined(_LITERALS.get(kind, UNKNOWN), parts)
    return _joined(UNKNOWN, parts)


def _joined(root: str, parts: list[str]) -> str:
    if not parts:
        return root
    parts.append(root)
    parts.reverse()
    return "".join(parts)


def _index(node: Node, source: bytes) -> str:
    index = node.child_by_field_name("index")
    if index is not None and index.type == "string" and (key := _KEY.match(text_of(index, source))):
        return f".{key[1]}"
    return "[]"


def _made(node: Node, source: bytes) -> str:
    """`new Foo<Bar>()` is a Foo[Bar], `new Foo()` is `Foo{}`."""
    constructor = node.child_by_field_name("constructor")
    if constructor is None:
        return UNKNOWN
    arguments = node.child_by_field_name("type_arguments")
    if arguments is not None and constructor.type in ("identifier", "member_expression"):
        spelt = type_of(source[constructor.start_byte : arguments.end_byte].decode("utf-8", "replace"))
        if spelt and spelt[0] != "=":
            return f"<{spelt}>"
    name = text_of(constructor, source)
    if _PLAIN.match(name):
        return name + "{}"
    return UNKNOWN


def _cast(node: Node, source: bytes) -> tuple[str, Node | None]:
    """What a value is said to be; without that, the value itself."""
    count = node.named_child_count
    if not count:
        return UNKNOWN, None
    first, last = node.named_child(0), node.named_child(count - 1)
    if first is None or last is None:
        return UNKNOWN, None
    if node.type == "type_assertion":
        said = type_of(text_of(first, source)[1:-1])
        return _as_chain(said), last
    if count == 1 or node.type == "satisfies_expression":  # `as const` has no type
        return "", first
    return _as_chain(type_of(text_of(last, source))), first


def _as_chain(said: str) -> str:
    return "" if not said else said[1:] if said[0] == "=" else f"<{said}>"


def _one_side(node: Node, source: bytes) -> Node | None:
    """Of a choice, the side that says the most."""
    kind = node.type
    if kind == "assignment_expression":
        return node.child_by_field_name("right")
    if kind == "sequence_expression":
        return node.named_child(node.named_child_count - 1)
    if kind == "ternary_expression":
        first = node.child_by_field_name("consequence")
        return first if first is not None and first.type not in _EMPTY else node.child_by_field_name("alternative")
    sign = node.child_by_field_name("operator")
    written = sign.type if sign is not None else ""
    if written in ("||", "??"):
        return node.child_by_field_name("left")
    return node.child_by_field_name("right") if written == "&&" else None


_EMPTY = frozenset(("null", "undefined"))


def parts_of(pattern: Node, source: bytes, way: str = "", depth: int = 0) -> Iterator[Part]:
    """The names in a pattern. `{a, b: {c}}` gives a by `.a`, c by `.b.c`; `[x]` gives x by `[]`."""
    kind = pattern.type
    if kind in ("identifier", "shorthand_property_identifier_pattern", "this"):
        name = text_of(pattern, source)
        yield name, f"{way}.{name}" if kind == "shorthand_property_identifier_pattern" else way
    elif depth > 6:
        return
    elif kind == "object_pattern":
        for at in range(min(pattern.named_child_count, 100)):
            part = pattern.named_child(at)
            if part is not None:
                yield from _of_object(part, source, way, depth)
    elif kind == "array_pattern":
        for at in range(min(pattern.named_child_count, 100)):
            part = pattern.named_child(at)
            if part is not None:
                yield from parts_of(part, source, f"{way}[]", depth + 1)
    elif kind == "assignment_pattern":
        left = pattern.child_by_field_name("left")
        if left is not None:
            yield from parts_of(left, source, way, depth + 1)
    elif kind == "rest_pattern":
        inner = pattern.named_child(0) if pattern.named_child_count else None
        if inner is not None:
            yield text_of(inner, source), None


def _of_object(part: Node, source: bytes, way: str, depth: int) -> Iterator[Part]:
    kind = part.type
    if kind == "pair_pattern":
        key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
        if key is not None and value is not None:
            yield from parts_of(value, source, f"{way}.{text_of(key, source)}", depth + 1)
    elif kind == "object_assignment_pattern":
        left = part.child_by_field_name("left")
        if left is not None:
            yield from parts_of(left, source, way, depth + 1)
    else:
        yield from parts_of(part, source, way, depth + 1)
