"""The heads of JavaScript's and TypeScript's definitions: names, bases, and the function that a value is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .typescript_chains import chain_of, text_of
from .typescript_types import type_of

if TYPE_CHECKING:
    from tree_sitter import Node

FUNCTIONS = frozenset("arrow_function function_expression generator_function function".split())
MEMBERS_MAX = 500
# Functions that give back, in essence, the function that they are given.
_PASSED_ON = frozenset(
    "memo forwardRef observer useCallback debounce throttle memoize memoizeOne once cache wrap asyncHandler catchAsync "
    "useEventCallback useEffectEvent createSelector createAsyncThunk defineEventHandler".split()
)
# By its name a hook, whatever made it: that is how React and Vue know one.
_HOOK = re.compile(r"use[A-Z]")


def bare(value: Node) -> Node:
    """Without brackets and casts around it."""
    for _ in range(4):
        if value.type == "type_assertion":
            inner = value.named_child(value.named_child_count - 1) if value.named_child_count else None
        elif value.type in ("parenthesized_expression", "as_expression", "satisfies_expression"):
            inner = value.named_child(0) if value.named_child_count else None
        else:
            break
        if inner is None:
            break
        value = inner
    return value


def passed_on(value: Node, source: bytes, name: str = "") -> Node | None:
    """The function that the value of a name is, or is made of: `() => …`, `memo(() => …)`."""
    if value.type in FUNCTIONS:
        return value
    if value.type != "call_expression":
        return None
    called, arguments = value.child_by_field_name("function"), value.child_by_field_name("arguments")
    if called is None or arguments is None:
        return None
    if text_of(called, source).rpartition(".")[2] not in _PASSED_ON and not _HOOK.match(name):
        return None
    return next((one for one in arguments.named_children if one.type in FUNCTIONS), None)


def holds_functions(value: Node) -> bool:
    """An object with functions or other names in it is a place for names of its own."""
    for at in range(min(value.named_child_count, MEMBERS_MAX)):
        part = value.named_child(at)
        if part is None:
            continue
        kind = part.type
        if kind in ("method_definition", "shorthand_property_identifier"):
            return True
        held = part.child_by_field_name("value") if kind == "pair" else None
        if held is not None and held.type in FUNCTIONS:
            return True
    return False


def name_of(node: Node, source: bytes) -> str:
    written = text_of(node, source)
    kind = node.type
    if kind == "property_identifier" or kind == "identifier":
        return written
    if kind == "string":
        return written[1:-1]
    return "".join(written.split()) if kind == "nested_identifier" else " ".join(written.split())


def apart(spelt: str) -> Iterator[str]:
    """The alternatives of a type."""
    depth, begin = 0, 0
    for at, sign in enumerate(spelt):
        if sign == "[":
            depth += 1
        elif sign == "]":
            depth -= 1
        elif sign == "|" and not depth:
            yield spelt[begin:at]
            begin = at + 1
    yield spelt[begin:]


def bases_of(node: Node, source: bytes) -> tuple[str, ...]:
    """The types that a class or interface extends and implements."""
    found: list[str] = []
    for at in range(min(node.named_child_count, 12)):
        clause = node.named_child(at)
        if clause is None or clause.type not in ("class_heritage", "extends_type_clause"):
            continue
        if clause.type == "extends_type_clause":
            found += _listed_types(clause, source)
            continue
        for inside in range(min(clause.named_child_count, 4)):
            part = clause.named_child(inside)
            if part is None:
                continue
            if part.type == "implements_clause":
                found += _listed_types(part, source)
            else:
                found += _extended(part, source)
    return tuple(found)


def _listed_types(clause: Node, source: bytes) -> list[str]:
    parts = [clause.named_child(at) for at in range(min(clause.named_child_count, 30))]
    spelt = [type_of(text_of(part, source)) for part in parts if part is not None and part.type != "comment"]
    return [one for one in spelt if one and one[0] != "="]


def _extended(part: Node, source: bytes) -> list[str]:
    """`extends Base<X>`, and for `extends mixin(Base)` what is mixed in."""
    value: Node | None = part
    if part.type == "extends_clause":
        value = part.child_by_field_name("value")
        arguments = part.child_by_field_name("type_arguments")
        if value is not None and arguments is not None and value.type != "call_expression":
            spelt = type_of(source[value.start_byte : arguments.end_byte].decode("utf-8", "replace"))
            return [spelt] if spelt else []
    if value is None:
        return []
    if value.type == "call_expression":
        given = value.child_by_field_name("arguments")
        inner = [given.named_child(at) for at in range(min(given.named_child_count, 8))] if given is not None else []
        return [text_of(one, source) for one in inner if one is not None and one.type == "identifier"]
    chain = chain_of(value, source)
    return [chain] if chain[0] not in "?<" and "(" not in chain else []
