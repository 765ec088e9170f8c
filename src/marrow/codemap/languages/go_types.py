"""Go's types and expressions in the map's spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from ..parse import child_at

if TYPE_CHECKING:
    from tree_sitter import Node

DEPTH_MAX = 40
TEXT_MAX = 300
# Words that begin a type without a name before it.
_TYPE_WORDS = frozenset(("chan", "func", "map", "struct", "interface"))

_PLAIN = re.compile(rb"[A-Za-z_][\w.]*\Z")
_NAME = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)?")
_NAMED = re.compile(r"([^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*)\s+(?=\S)|([^\W\d]\w*)(?=\.\.\.|\*|\[\]|<-)")
_PREFIX = re.compile(r"(?:\*|\s)+")
_CHANNEL = re.compile(r"(?:<-\s*)?chan\b\s*(?:<-)?")


@lru_cache(maxsize=4096)
def type_text(text: str) -> str:
    """A type as Go writes it in the map's spelling; "" for one that cannot be said."""
    return _type(text, 0) if len(text) <= TEXT_MAX else ""


def _type(text: str, depth: int) -> str:
    if depth > DEPTH_MAX:
        return ""
    text = text.strip()
    prefix = _PREFIX.match(text)
    if prefix is not None:
        text = text[prefix.end() :]
    if text.startswith("..."):
        return _list_of(text[3:], depth)
    if text.startswith("["):
        return _list_of(text[_closing(text, 0) + 1 :], depth)
    if text.startswith("map["):
        end = _closing(text, 3)
        key, value = _type(text[4:end], depth + 1), _type(text[end + 1 :], depth + 1)
        return f"dict[{key or 'any'},{value}]" if value else ""
    channel = _CHANNEL.match(text)
    if channel is not None:
        inner = _type(text[channel.end() :], depth + 1)
        return f"chan[{inner}]" if inner else ""
    if text.startswith("(") and text.endswith(")"):
        return _type(text[1:-1], depth + 1)
    name = _NAME.match(text)
    if name is None:
        return ""
    if name[0] in _TYPE_WORDS:
        return name[0]
    rest = text[name.end() :].strip()
    if rest.startswith("[") and rest.endswith("]"):
        arguments = [_type(one, depth + 1) or "any" for one in pieces(rest[1:-1])]
        return f"{name[0]}[{','.join(arguments)}]"
    return name[0] if not rest else ""


def _list_of(text: str, depth: int) -> str:
    inner = _type(text, depth + 1)
    return f"list[{inner}]" if inner else ""


def _closing(text: str, at: int) -> int:
    """Where the bracket at a place is closed."""
    depth = 0
    for here in range(at, len(text)):
        depth += (text[here] in "[({") - (text[here] in "])}")
        if not depth:
            return here
    return len(text)


def pieces(text: str) -> Iterator[str]:
    """What stands between commas outside of brackets."""
    depth = begin = 0
    for at, letter in enumerate(text):
        if letter in "[({":
            depth += 1
        elif letter in "])}":
            depth -= 1
        elif letter == "," and not depth:
            yield text[begin:at]
            begin = at + 1
    yield text[begin:]


@lru_cache(maxsize=4096)
def declared(text: str) -> tuple[tuple[str, ...], str]:
    """The names and the type of a parameter, result or field; no names where there is only a type."""
    text = text.strip()
    found = _NAMED.match(text) if len(text) <= TEXT_MAX else None
    names = found[1] or found[2] if found is not None else ""
    if found is None or names in _TYPE_WORDS:
        return (), type_text(text)
    return tuple(name.strip() for name in names.split(",")), type_text(text[found.end() :])


@lru_cache(maxsize=4096)
def result_type(text: str) -> str:
    """What a function gives: the first of its results."""
    text = text.strip()
    if not text.startswith("(") or len(text) > TEXT_MAX:
        return type_text(text)
    parts = [declared(one) for one in pieces(text[1:-1])]
    named = next((type_ for names, type_ in parts if names), "")
    if named and not parts[0][0]:  # `(a, b int)`: the first has its type further on
        return named
    return parts[0][1]


def text_of(node: Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


_LITERALS = {
    "interpreted_string_literal": "<string>",
    "raw_string_literal": "<string>",
    "int_literal": "<int>",
    "float_literal": "<float64>",
    "rune_literal": "<rune>",
    "true": "<bool>",
    "false": "<bool>",
    "binary_expression": "<builtin>",
}


def chain_of(node: Node | None, source: bytes) -> str:
    """An expression as a chain; "" for one that cannot be said as one."""
    parts: list[str] = []
    tail = ""
    for _ in range(DEPTH_MAX):
        if node is None:
            return ""
        kind = node.type
        first = ""
        if kind in ("identifier", "selector_expression"):
            text = source[node.start_byte : node.end_byte]
            if _PLAIN.match(text):
                first = text.decode("ascii")
            elif kind == "identifier":
                first = text.decode("utf-8", "replace")
            else:
                field = node.child_by_field_name("field")
                parts.append((text_of(field, source) if field is not None else "?") + tail)
                node, tail = node.child_by_field_name("operand"), ""
        elif kind == "call_expression":
            function = node.child_by_field_name("function")
            word = source[function.start_byte : function.end_byte] if function is not None else b""
            if word in (b"new", b"make", b"append"):
                arguments = node.child_by_field_name("arguments")
                given = child_at(arguments, 0) if arguments is not None else None
                if word == b"append":
                    node = given
                    continue
                first = f"<{type_text(text_of(given, source))}>" if given is not None else ""
                if first in ("", "<>"):
                    return ""
            else:
                node, tail = function, "()" + tail
        elif kind == "index_expression":
            node, tail = node.child_by_field_name("operand"), "[]" + tail
        elif kind in ("composite_literal", "type_assertion_expression", "type_conversion_expression"):
            type_ = node.child_by_field_name("type")
            said = type_text(text_of(type_, source)) if type_ is not None else ""
            if not said:
                return ""
            if kind == "type_conversion_expression" and type_ is not None and type_.type == "generic_type":
                first = said.partition("[")[0] + "()"  # maybe a function of type parameters
            else:
                first = f"<{said}>"
        elif kind == "unary_expression":
            operator = source[node.start_byte : node.start_byte + 2]
            if operator == b"<-":
                tail = "[]" + tail
            elif operator[:1] not in (b"&", b"*"):
                first = "<builtin>"
            if not first:
                node = node.child_by_field_name("operand")
        elif kind == "slice_expression":
            node = node.child_by_field_name("operand")
        elif kind == "parenthesized_expression":
            node = child_at(node, 0)
        elif kind in ("generic_type", "type_instantiation_expression"):
            node = node.child_by_field_name("type") or child_at(node, 0)
        elif kind in ("type_identifier", "qualified_type"):
            first = text_of(node, source)
        elif kind in _LITERALS:
            first = _LITERALS[kind]
        else:
            return ""
        if first:
            parts.append(first + tail)
            return ".".join(reversed(parts))
    return ""
