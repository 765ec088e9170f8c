"""Python's expressions and annotations in the map's spelling."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ..parse import field_ids, kind_ids

if TYPE_CHECKING:
    from tree_sitter import Node

DEPTH_MAX = 40
ANNOTATION_MAX = 300
ANNOTATIONS_KEPT, CHAINS_KEPT = 4096, 32768

# What is called, where its text is a chain already, with how many bytes its last name has: the same are met again.
PLAIN_CHAINS: dict[bytes, tuple[str, int]] = {}
_PLAIN = re.compile(rb"[A-Za-z_][\w.]*\Z")
_TYPE = re.compile(r"[\w.\[\],|\"' ]+\Z")
_SPACE_OR_QUOTES = re.compile(r"\s+|[\"']")


class Fields(NamedTuple):
    """The numbers of the fields: asking for a child by number takes half as long as by name."""

    alias: int
    arguments: int
    attribute: int
    body: int
    definition: int
    function: int
    left: int
    module_name: int
    name: int
    object: int
    parameters: int
    return_type: int
    right: int
    superclasses: int
    type: int
    value: int


@cache
def fields() -> Fields:
    return Fields(*field_ids("python", Fields._fields))


@lru_cache(maxsize=ANNOTATIONS_KEPT)
def type_of(annotation: bytes) -> str:
    """An annotation in the map's spelling; "" for one that names no type. The same few are met again and again."""
    text = annotation.decode("utf-8", "replace")
    bare = _SPACE_OR_QUOTES.sub("", text) if len(text) <= ANNOTATION_MAX and _TYPE.match(text) else ""
    if not bare or "|" not in bare:
        return "" if bare == "None" else bare
    return "|".join(part for part in _alternatives(bare) if part != "None")


def _alternatives(text: str) -> Iterator[str]:
    """What stands between bars outside of brackets."""
    depth, begin = 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and not depth:
            yield text[begin:at]
            begin = at + 1
    yield text[begin:]


_NAME, _ATTRIBUTE, _CALL, _SUBSCRIPT, _FIRST, _RIGHT, _WORD = range(7)
_STEPS: dict[str, tuple[int, str]] = {
    "identifier": (_NAME, ""),
    "attribute": (_ATTRIBUTE, ""),
    "call": (_CALL, ""),
    "subscript": (_SUBSCRIPT, ""),
    **dict.fromkeys(("await", "parenthesized_expression", "conditional_expression"), (_FIRST, "")),  # of two, the first
    "boolean_operator": (_RIGHT, ""),  # `given or Default()`
    **dict.fromkeys(("string", "concatenated_string"), (_WORD, "<str>")),
    **dict.fromkeys(
        ("list", "dictionary", "set", "tuple", "integer", "float", "true", "false", "list_comprehension"),
        (_WORD, "<builtin>"),
    ),
}


@cache
def _steps() -> dict[int, tuple[int, str]]:
    """By the number that the grammar has for a kind: asking a node for that takes half as long as for its name."""
    return dict(zip(kind_ids("python", tuple(_STEPS)), _STEPS.values(), strict=True))


def chain_of(node: Node | None, source: bytes, known: Fields) -> str:
    """An expression as a chain; "" for one that cannot be said as one."""
    parts: list[str] = []
    tail, steps = "", _steps()
    for _ in range(DEPTH_MAX):
        step = steps.get(node.kind_id) if node is not None else None
        if node is None or step is None:
            return ""
        action, word = step
        if action == _CALL:
            node, tail = node.child(0), "()" + tail
            continue
        if action <= _ATTRIBUTE:
            text = source[node.start_byte : node.end_byte]
            known_ = PLAIN_CHAINS.get(text)
            if known_ is not None:
                word = known_[0]
            elif action == _NAME or _PLAIN.match(text):
                word = text.decode("utf-8", "replace")
            else:
                name = node.child_by_field_id(known.attribute)
                parts.append((_text(name, source) if name is not None else "?") + tail)
                node, tail = node.child_by_field_id(known.object), ""
                continue
        elif action == _SUBSCRIPT:
            node, tail = node.child_by_field_id(known.value), "[]" + tail
            continue
        elif action == _FIRST:
            node = node.named_child(0)
            continue
        elif action == _RIGHT:
            node = node.child_by_field_id(known.right)
            continue
        if not parts:
            return word + tail
        parts.append(word + tail)
        parts.reverse()
        return ".".join(parts)
    return ""


def _text(node: Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def called_chain(node: Node, text: bytes, source: bytes, known: Fields) -> tuple[str, int]:
    """What stands before the brackets of a call, as a chain, and how many bytes its last name has; what has a name at
    least ends in that."""
    if _PLAIN.match(text):
        if len(PLAIN_CHAINS) >= CHAINS_KEPT:
            PLAIN_CHAINS.clear()
        found = PLAIN_CHAINS[text] = text.decode("ascii"), len(text) - text.rfind(b".") - 1
        return found
    chain = chain_of(node, source, known)
    if not chain and node.type == "attribute":
        name = node.child_by_field_id(known.attribute)
        chain = f"?.{_text(name, source)}" if name is not None else ""
    return chain, len(chain[chain.rfind(".") + 1 :].encode())
