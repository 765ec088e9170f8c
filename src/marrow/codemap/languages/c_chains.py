"""Expressions and types of C and C++ in the map's spelling."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from ..parse import child_at

if TYPE_CHECKING:
    from tree_sitter import Node

DEPTH_MAX = 40
NAME_MAX = 200
TEXT_MAX = 300
CASTS = frozenset(("static_cast", "dynamic_cast", "reinterpret_cast", "const_cast"))
MAKERS = frozenset(("make_unique", "make_shared"))
LISTS = frozenset("vector array deque list set unordered_set span initializer_list multiset forward_list".split())

_PLAIN = re.compile(rb"[A-Za-z_]\w*(?:(?:::|\.|->)~?[A-Za-z_]\w*)*\Z")
_DROPPED = re.compile(
    r"\b(?:const|constexpr|volatile|struct|class|enum|union|typename|static|inline|extern|register|mutable|virtual|"
    r"explicit|friend|restrict|__restrict|unsigned|signed|consteval|constinit|thread_local)\b|[*&]|\.\.\."
)
_TYPE = re.compile(r"[\w:<>, ]+\Z")
_LITERALS = frozenset(
    ("number_literal", "char_literal", "true", "false", "null", "initializer_list", "sizeof_expression")
)


def text_of(node: Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


@lru_cache(maxsize=16384)
def type_text(text: str) -> str:
    """A type as it is written, in the map's spelling; "" for one that names nothing."""
    if len(text) > TEXT_MAX:
        return ""
    plain = " ".join(_DROPPED.sub(" ", text).split())
    if not plain or plain in ("auto", "void") or not _TYPE.match(plain) or plain.count("<") > 8:
        return ""
    if "<" not in plain:
        return plain.replace("::", ".").split(" ")[-1].strip(".")
    head, _, rest = plain.partition("<")
    end = rest.rfind(">") if ">" in rest else len(rest)
    inner = rest[end + 1 :].strip()
    if inner.startswith("::") and "<" not in inner:  # a type in a generic one
        return f"{head.strip()}{inner}".replace("::", ".").strip(".").split(" ")[-1]
    rest = rest[:end]
    arguments = [type_text(part) or "_" for part in _parts(rest)]
    name = head.strip().replace("::", ".").strip(".").split(" ")[-1]
    if name.rpartition(".")[2] in LISTS and arguments:
        return f"list[{arguments[0]}]"
    return f"{name}[{','.join(arguments)}]" if arguments else name


def _parts(text: str) -> list[str]:
    parts, depth, begin = [], 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "<") - (letter == ">")
        if letter == "," and not depth:
            parts.append(text[begin:at])
            begin = at + 1
    parts.append(text[begin:])
    return parts


def chain_of(node: Node | None, source: bytes) -> str:
    """An expression as a chain; "" for one that cannot be said as one."""
    parts: list[str] = []
    tail = ""
    for _ in range(DEPTH_MAX):
        if node is None:
            return ""
        kind = node.type
        if kind == "call_expression":
            function = node.child_by_field_name("function")
            special = _special(node, function, source)
            if special is not None:
                return _joined(special + tail, parts) if special else ""
            node, tail = function, "()" + tail
        elif kind == "field_expression":
            first, last = node.start_byte, node.end_byte
            if last - first <= NAME_MAX and _PLAIN.match(text := source[first:last]):
                return _joined(plain_chain(text) + tail, parts)
            name = node.child_by_field_name("field")
            parts.append((_bare(text_of(name, source)) if name is not None else "?") + tail)
            node, tail = node.child_by_field_name("argument"), ""
        elif kind in ("identifier", "qualified_identifier", "template_function", "this", "field_identifier"):
            head = path_of(node, source)
            return _joined(head + tail, parts) if head else ""
        elif kind in ("subscript_expression",):
            node, tail = node.child_by_field_name("argument"), "[]" + tail
        elif kind in ("parenthesized_expression", "pointer_expression", "co_await_expression"):
            node = node.child_by_field_name("argument") or child_at(node, 0)
        else:
            head = _value(node, kind, source)
            return _joined(head + tail, parts) if head else ""
    return ""


def _special(node: Node, function: Node | None, source: bytes) -> str | None:
    """Casts, and functions of the language that make something or hand it on; None for any other call."""
    if function is None or function.type not in ("template_function", "qualified_identifier"):
        return None
    text = text_of(function, source)[:TEXT_MAX]
    head, angle, rest = text.partition("<")
    name = head.rpartition("::")[2].strip()
    if angle and name in CASTS:
        type_ = type_text(rest.rpartition(">")[0])
        return f"<{type_}>" if type_ else ""
    if angle and name in MAKERS:
        type_ = type_text(rest.rpartition(">")[0])
        return f"{type_.partition('[')[0]}{{}}" if type_ else ""
    if head.strip() in ("std::move", "std::forward", "std::ref"):
        arguments = node.child_by_field_name("arguments")
        return chain_of(child_at(arguments, 0), source) if arguments is not None else ""
    return None


def _value(node: Node, kind: str, source: bytes) -> str:
    if kind == "new_expression" or kind == "compound_literal_expression":
        made = node.child_by_field_name("type")
        type_ = type_text(text_of(made, source)) if made is not None else ""
        return f"{type_.partition('[')[0]}{{}}" if type_ else ""
    if kind == "cast_expression":
        declared = node.child_by_field_name("type")
        type_ = type_text(text_of(declared, source)) if declared is not None else ""
        return f"<{type_}>" if type_ else ""
    if kind in ("string_literal", "raw_string_literal", "concatenated_string"):
        return "<str>"
    return "<builtin>" if kind in _LITERALS else ""


def _joined(head: str, parts: list[str]) -> str:
    return ".".join((head, *reversed(parts))) if parts else head


def plain_chain(text: bytes) -> str:
    return text.decode("utf-8", "replace").replace("->", ".").replace("::", ".")


def _bare(name: str) -> str:
    return name.partition("<")[0].strip()


def path_of(node: Node, source: bytes) -> str:
    """A name with its namespaces and types, without template arguments."""
    text = source[node.start_byte : node.end_byte]
    if len(text) <= NAME_MAX and _PLAIN.match(text):
        return plain_chain(text)
    spelt = text[:TEXT_MAX].decode("utf-8", "replace")
    while "<" in spelt:
        begin = spelt.rfind("<")
        end = spelt.find(">", begin)
        if end < 0 or spelt[max(0, begin - 8) : begin].endswith("operator"):
            break
        spelt = spelt[:begin] + spelt[end + 1 :]
    names = "".join(spelt.split()).split("::")
    return ".".join(name for name in names if name)
