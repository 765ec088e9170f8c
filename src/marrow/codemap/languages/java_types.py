"""Java's types and expressions in the map's spelling."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ..parse import child_at

if TYPE_CHECKING:
    from tree_sitter import Node

DEPTH_MAX = 40
TEXT_MAX = 300

PLAIN = re.compile(rb"[A-Za-z_$][\w$.]*\Z")
_ANNOTATION = re.compile(r"@(?!interface\b)[\w.]+(?:\s*\([^()]*\))?\s*")
_WILDCARD = re.compile(r"\?\s*(?:(?:extends|super)\s+)?")
_TYPE = re.compile(r"[\w$.,|\[\]]+\Z")
_ARRAY = re.compile(r"\[\](?=$|[\],|\[])")
_SELF = re.compile(r"(?:.*?\.)??([\w$]+)\.(?:this|super)\b")
NO_TYPE = frozenset(("void", "var", "final"))


@lru_cache(maxsize=8192)
def type_text(written: bytes) -> str:
    """A type as Java writes it in the map's spelling; "" for one that cannot be said."""
    if len(written) > TEXT_MAX:
        return ""
    text = written.decode("utf-8", "replace")
    if text.isidentifier():
        return "" if text in NO_TYPE else text
    if "@" in text:
        text = _ANNOTATION.sub("", text)
    if "?" in text:
        text = _WILDCARD.sub(lambda found: "" if len(found[0]) > 1 and found[0].strip() != "?" else "any", text)
    bare = "".join(text.partition("&")[0].split()).replace("...", "[]")
    bare = bare.replace("<>", "").replace("<", "[").replace(">", "]")
    for _ in range(20):
        found = _ARRAY.search(bare)
        if found is None:
            break
        begin = _begin(bare, found.start())
        bare = f"{bare[:begin]}list[{bare[begin : found.start()]}]{bare[found.end() :]}"
    return bare if _TYPE.match(bare) and bare not in NO_TYPE else ""


def _begin(text: str, end: int) -> int:
    """Where the type that ends at a place begins."""
    depth = 0
    for at in range(end - 1, -1, -1):
        depth += (text[at] == "]") - (text[at] == "[")
        if depth < 0 or (text[at] in ",|" and not depth):
            return at + 1
    return 0


def text_of(node: Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def respelt(chain: str) -> str:
    """`Outer.this.x` is the x of some Outer; so is that of `Outer.super.x`. `Foo.class` is a Class."""
    if ".class" in chain and f"{chain}.".find(".class.") > 0:
        return f"<Class>{chain[f'{chain}.'.find('.class.') + 6 :]}"
    found = _SELF.match(chain) if ".this" in chain or ".super" in chain else None
    return f"<{found[1]}>{chain[found.end() :]}" if found is not None else chain


_LITERALS = {
    "string_literal": "<String>",
    "decimal_integer_literal": "<int>",
    "decimal_floating_point_literal": "<double>",
    "character_literal": "<char>",
    "true": "<boolean>",
    "false": "<boolean>",
    "null_literal": "?",
    "class_literal": "<Class>",
    "instanceof_expression": "<boolean>",
    "lambda_expression": "?",
}
_NAMES = frozenset(("identifier", "type_identifier", "scoped_type_identifier", "scoped_identifier", "this", "super"))
# Sorts of expressions that stand for a part of themselves.
_THROUGH = {
    "parenthesized_expression": "",
    "ternary_expression": "consequence",
    "assignment_expression": "right",
}
Known = dict[tuple[int, int], str]


def chain_of(node: Node | None, source: bytes, known: Known) -> str:
    """An expression as a chain; "" for one that cannot be said as one. `known` are the chains of calls that were met
    before, by where they begin and end."""
    parts: list[str] = []
    tail = ""
    for _ in range(DEPTH_MAX):
        if node is None:
            return ""
        kind, first = node.type, ""
        if kind in _NAMES:
            first = respelt(text_of(node, source))
        elif kind == "method_invocation":
            said = known.get((node.start_byte, node.end_byte))
            if said is not None:
                first = f"{said}()" if said else ""
                if not first:
                    return ""
            else:
                name = node.child_by_field_name("name")
                parts.append((text_of(name, source) if name is not None else "?") + "()" + tail)
                node, tail = node.child_by_field_name("object"), ""
                if node is None:
                    return ".".join(reversed(parts))
                continue
        elif kind == "field_access":
            text = source[node.start_byte : node.end_byte]
            if PLAIN.match(text):
                first = respelt(text.decode("ascii"))
            else:
                field = node.child_by_field_name("field")
                parts.append((text_of(field, source) if field is not None else "?") + tail)
                node, tail = node.child_by_field_name("object"), ""
        elif kind == "array_access":
            node, tail = node.child_by_field_name("array"), "[]" + tail
        elif kind in ("object_creation_expression", "cast_expression", "array_creation_expression", "generic_type"):
            type_ = node.child_by_field_name("type") if kind != "generic_type" else node
            said = type_text(source[type_.start_byte : type_.end_byte]) if type_ is not None else ""
            if not said:
                return ""
            first = f"<list[{said}]>" if kind == "array_creation_expression" else f"<{said}>"
        elif kind in _THROUGH:
            field_name = _THROUGH[kind]
            node = node.child_by_field_name(field_name) if field_name else child_at(node, 0)
        elif kind in _LITERALS:
            first = _LITERALS[kind]
        elif kind == "binary_expression":
            first = "<builtin>"
        else:
            return ""
        if first:
            parts.append(first + tail)
            return ".".join(reversed(parts))
    return ""
