"""What stands in for a class in tests of PHP has its methods: `$this->createMock(Store::class)` is a Store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .reading import Reading, part

if TYPE_CHECKING:
    from tree_sitter import Node

MADE = frozenset("createMock createStub createPartialMock createConfiguredMock getMockForAbstractClass mock".split())
BUILDS, BUILT = "getMockBuilder", ("getMock", "getMockForAbstractClass")
STEPS_MAX = 12

_CALLS = ("member_call_expression", "scoped_call_expression")


def stood_in_for(reading: Reading, node: Node | None) -> str:
    """The class that an expression makes something to stand in for, as it is written; "" for other expressions."""
    if node is None or node.type not in _CALLS:
        return ""
    name = reading.text(node.child_by_field_name("name"))
    if name in BUILT:
        for _ in range(STEPS_MAX):
            node = node.child_by_field_name("object") if node is not None else None
            if node is None or node.type not in _CALLS:
                return ""
            if reading.text(node.child_by_field_name("name")) == BUILDS:
                break
    elif name not in MADE:
        return ""
    arguments = node.child_by_field_name("arguments") if node is not None else None
    first = part(arguments, 0) if arguments is not None else None
    given = part(first, 0) if first is not None else None
    if given is None:
        return ""
    text = reading.text(given)
    if given.type == "class_constant_access_expression":
        return text.removesuffix("::class") if text.endswith("::class") else ""
    if given.type in ("string", "encapsed_string"):
        bare = text.strip("'\"").replace("\\\\", "\\").lstrip("\\")
        return f"\\{bare}" if "\\" in bare else ""
    return ""
