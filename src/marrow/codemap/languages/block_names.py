"""Names of variables in languages with blocks: one name may stand for several things in one function.

The map knows a name by its function. The first of several things that a name stands for is bound there; where one of
the others is meant, what it stands for takes the place of its name in the chain.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from operator import itemgetter
from typing import TYPE_CHECKING

from ...model.code import CALLABLES, TOP, Binding
from ..outline import Outline

if TYPE_CHECKING:
    from tree_sitter import Node

REPLACEMENT_MAX = 200

_FIRST = re.compile(r"[^.(\[{]*")


# Where a name begins to stand for something, its scope, the name, the type, the value, the declaration, and where it
# ends to stand for it, if that is known already.
_Given = tuple[int, int, str, str, str, "Node | None", int]


class BlockNames:
    """Collects what names stand for, in any order, and then settles it. `block_end` finds where the block ends that a
    declaration stands in; it is asked only where a name stands for several things."""

    def __init__(self, outline: Outline, block_end: Callable[[Node], int]) -> None:
        self._outline, self._block_end = outline, block_end
        self._given: list[_Given] = []
        self._ranges: dict[str, list[tuple[int, int, str]]] = {}
        self._starts: dict[str, list[int]] = {}

    def give(self, name: str, node: Node, type_: str, value: str) -> None:
        """A name stands for something from the end of a declaration to the end of its block."""
        end = node.end_byte
        self._given.append((end, self._outline.scope_at(end - 1), name, type_, value, node, 0))

    def give_within(self, name: str, first: int, last: int, type_: str, value: str) -> None:
        """A name stands for something in a part of the text."""
        self._given.append((first, self._outline.scope_at(first), name, type_, value, None, last))

    def settled(self) -> list[Binding]:
        self._given.sort(key=itemgetter(0))
        firsts: dict[tuple[int, str], _Given] = {}
        many: set[tuple[int, str]] = set()
        for one in self._given:
            key = (one[1], one[2])
            first = firsts.setdefault(key, one)
            if one[6] or (first is not one and first[3:5] != one[3:5]):
                many.add(key)
        bindings: list[Binding] = []
        for one in self._given:
            at, scope, name, type_, value, _, last = one
            key = (scope, name)
            if value and self._ranges:
                value = self.chain(value, at - 1)
            if firsts[key] is one and not last and self._is_function(scope):
                bindings.append(Binding(scope, name, type_, value or ("" if type_ else "?")))
            elif key in many or last or not self._is_function(scope):
                self._put(one, value)
        return bindings

    def _is_function(self, scope: int) -> bool:
        """In a file or a type itself a name has a block too: that of a lambda, or of code that sets up the type."""
        return scope != TOP and self._outline.kind_of(scope) in CALLABLES

    def _put(self, one: _Given, value: str) -> None:
        at, _, name, type_, _, node, last = one
        end = last or (self._block_end(node) if node is not None else 0)
        text = f"<{type_}>" if type_ else value or "?"
        self._ranges.setdefault(name, []).append((at, end, text if len(text) <= REPLACEMENT_MAX else "?"))
        self._starts.setdefault(name, []).append(at)

    def chain(self, chain: str, byte: int) -> str:
        """A chain as it is meant at a place."""
        if not self._ranges:
            return chain
        found = _FIRST.match(chain)
        ranges = self._ranges.get(found[0]) if found is not None else None
        if found is None or ranges is None:
            return chain
        end = found.end()
        at = bisect_right(self._starts[found[0]], byte)
        for _, last, text in reversed(ranges[max(0, at - 50) : at]):  # the innermost begins last
            if byte < last:
                # A name alone stays: it is what is called.
                return text + chain[end:] if end < len(chain) or text[0] not in "?<" else chain
        return chain
