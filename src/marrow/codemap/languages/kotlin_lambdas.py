"""What the blocks of Kotlin are given: their parameters, and `it`."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from typing import TYPE_CHECKING

from ..parse import line_starts
from .reading import Reading, child_of, part

if TYPE_CHECKING:
    from tree_sitter import Node

ITERATES = frozenset(
    "forEach map filter filterNot any all none first firstOrNull find mapNotNull flatMap associateBy groupBy sortedBy "
    "onEach single singleOrNull count sumOf maxByOrNull minByOrNull takeWhile dropWhile partition".split()
)
# What they are called on is what their block is given.
HANDS_ON = frozenset("let also use takeIf takeUnless".split())
# Their blocks are given nothing: `it` is that of the block around.
GIVES_NOTHING = frozenset("apply run with synchronized lazy buildString buildList buildMap withLock".split())
WITHIN_MAX = 4
BLOCKS_MAX = 100  # that are looked at for one that stands around a place

# Where a block begins and ends, and what it is given: as a chain, "?" where that is not known, "" where it is nothing.
Block = tuple[int, int, str]


def _given(reading: Reading, called: Node | None) -> str:
    """What the block is given that stands behind a call."""
    if called is not None and called.type == "call_expression":  # `fold(0) { … }`
        called = part(called, 0)
    if called is None:
        return "?"
    is_member = called.type == "navigation_expression"
    name = reading.text(part(called, -1) if is_member else called)
    if name in GIVES_NOTHING:
        return ""
    over = reading.chain(part(called, 0)) if is_member else ""
    if over and name in ITERATES:
        return f"{over}[]"
    return over if over and name in HANDS_ON else "?"


def bind_parameters(
    reading: Reading, node: Node, variable: Callable[[Node], tuple[Node | None, Node | None, Node | None]]
) -> None:
    """The parameters of a block; the first may be what the block is given."""
    call: Node | None = node
    for _ in range(3):
        call = call.parent if call is not None else None
    given = _given(reading, part(call, 0)) if call is not None and call.type == "call_expression" else ""
    for at, child in enumerate(node.named_children):
        if child.type == "variable_declaration":
            name, type_, _ = variable(child)
            value = given if not at and not given.startswith("?") else ""
            reading.bind(node.start_byte, reading.text(name), reading.type(type_), value)


def what_it_is(reading: Reading) -> None:
    """Calls and bindings that begin with `it` begin with what that is."""
    if any(call.chain.startswith("it.") for call in reading.calls):
        blocks = _blocks(reading)
        starts = line_starts(reading.source)
        for at, call in enumerate(reading.calls):
            if call.chain.startswith("it."):
                chain = _said(blocks, starts[call.line - 1] + call.column, call.chain)
                reading.calls[at] = call._replace(chain=chain)
    for at, one in enumerate(reading.bindings):
        if one.value.startswith("it."):
            reading.bindings[at] = one._replace(value=f"?{one.value[2:]}")


def _blocks(reading: Reading) -> list[Block]:
    """The blocks without parameters of their own, by where they begin."""
    found = []
    for called, node in zip(reading.nodes("given_to"), reading.nodes("block"), strict=True):
        if child_of(node, ("lambda_parameters",)) is None:
            found.append((node.start_byte, node.end_byte, _given(reading, called)))
    return sorted(found)


def _said(blocks: list[Block], place: int, chain: str) -> str:
    for _ in range(WITHIN_MAX):
        before = bisect_left(blocks, (place, 0, ""))
        near = blocks[max(0, before - BLOCKS_MAX) : before]
        around = next((block for block in reversed(near) if place < block[1] and block[2]), None)
        if around is None or around[2] == "?":
            break
        chain, place = f"{around[2]}{chain[2:]}", around[0]
        if not chain.startswith("it."):
            return chain
    return f"?{chain[2:]}" if chain.startswith("it.") else "?"
