"""What PHP tests for its class: where `$out instanceof Console` holds, `$out` is a Console."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ...model.code import Call
from ..parse import line_starts
from .reading import Reading

if TYPE_CHECKING:
    from tree_sitter import Node

PARENTS_MAX = 8
TESTS_MAX = 200  # of a file: each is compared with each call

_HOLDS_IN = {
    "if_statement": "body",
    "else_if_clause": "body",
    "while_statement": "body",
    "conditional_expression": "body",
}


class Tested(NamedTuple):
    """What is known of something between two bytes."""

    begin: int
    end: int
    chain: str
    type: str


def with_tested(reading: Reading) -> list[Call]:
    """The calls of what was tested are calls of what it was tested for."""
    tests = [one for node in list(reading.nodes("tested"))[:TESTS_MAX] for one in _tested(reading, node)]
    if not tests:
        return reading.calls
    starts = line_starts(reading.source)
    tests.sort(key=lambda one: one.end - one.begin)
    return [_known(call, starts[call.line - 1] + call.column, tests) for call in reading.calls]


def _known(call: Call, place: int, tests: list[Tested]) -> Call:
    for one in tests:
        if one.begin <= place < one.end and call.chain.startswith(f"{one.chain}."):
            return call._replace(chain=f"<{one.type}>{call.chain[len(one.chain) :]}")
    return call


def _tested(reading: Reading, node: Node) -> list[Tested]:
    """Where a test holds: in what follows it in the same condition, and in what the condition guards."""
    chain, type_ = reading.chain(node.child_by_field_name("left")), reading.type(node.child_by_field_name("right"))
    if not chain or not type_ or type_ == "parent" or chain == "this":
        return []
    found = []
    child, here = node, node.parent
    for _ in range(PARENTS_MAX):
        if here is None:
            break
        if here.type in _HOLDS_IN:
            body = here.child_by_field_name(_HOLDS_IN[here.type])
            if body is not None and body.start_byte >= child.end_byte:
                found.append(Tested(body.start_byte, body.end_byte, chain, type_))
            break
        if here.type == "binary_expression":
            if reading.text(here.child_by_field_name("operator")) not in ("&&", "and"):
                break
            found.append(Tested(child.end_byte, here.end_byte, chain, type_))
        elif here.type != "parenthesized_expression":
            break
        child, here = here, here.parent
    return found
