"""What the variables of a Java file stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..outline import Outline
from ..parse import child_at
from .block_names import BlockNames
from .java_types import Known, chain_of, text_of, type_text

if TYPE_CHECKING:
    from tree_sitter import Node

TypeOf = Callable[["Node | None"], str]
# Methods of containers and streams that give each of their elements to a function.
EACH = frozenset(
    "allMatch anyMatch dropWhile filter findFirst flatMap forEach forEachOrdered ifPresent map mapToInt mapToLong "
    "mapToObj noneMatch peek removeIf replaceAll takeWhile".split()
)
_BLOCKS = frozenset(
    "block constructor_body lambda_expression enhanced_for_statement for_statement try_with_resources_statement "
    "catch_clause switch_block_statement_group switch_rule method_declaration constructor_declaration class_body "
    "interface_body enum_body_declarations record_declaration".split()
)


def bound(found: dict[str, list[Node]], source: bytes, outline: Outline, known: Known, type_of: TypeOf) -> BlockNames:
    names = BlockNames(outline, _block_end)
    for node in found.get("parameter", ()):
        _parameter(node, source, names, type_of)
    for node in found.get("local", ()):
        _local(node, source, names, known, type_of)
    for node in found.get("each", ()):
        name, type_ = node.child_by_field_name("name"), type_of(node.child_by_field_name("type"))
        if name is not None:
            chain = "" if type_ else chain_of(node.child_by_field_name("value"), source, known)
            names.give(text_of(name, source), name, type_, f"{chain}[]" if chain else "")
    for node in found.get("caught", ()):
        name, types = node.child_by_field_name("name"), child_at(node, node.named_child_count - 2)
        if name is not None and types is not None:
            names.give(text_of(name, source), name, type_text(source[types.start_byte : types.end_byte]), "")
    for node in found.get("resource", ()):
        name, type_ = node.child_by_field_name("name"), type_of(node.child_by_field_name("type"))
        if name is not None:
            value = "" if type_ else chain_of(node.child_by_field_name("value"), source, known)
            names.give(text_of(name, source), name, type_, value)
    for node in found.get("instance", ()):
        name = node.child_by_field_name("name")
        if name is not None:
            names.give(text_of(name, source), name, type_of(node.child_by_field_name("right")), "")
    for node in found.get("pattern", ()):
        count = node.named_child_count
        name = node.named_child(count - 1) if count > 1 else None
        if name is not None and name.type == "identifier":
            names.give(text_of(name, source), name, type_of(node.named_child(count - 2)), "")
    for node in found.get("inferred", ()):
        names.give(text_of(node, source), node, "", _given_each(node, source, known))
    return names


def _parameter(node: Node, source: bytes, names: BlockNames, type_of: TypeOf) -> None:
    if node.type == "formal_parameter":
        name, type_ = node.child_by_field_name("name"), type_of(node.child_by_field_name("type"))
        if type_ and name is not None and name.end_byte != node.end_byte:  # `Foo rows[]`
            type_ = f"list[{type_}]"
    else:  # `Foo... rest`
        count = node.named_child_count
        declarator, type_node = child_at(node, count - 1), child_at(node, count - 2)
        name = declarator.child_by_field_name("name") if declarator is not None else None
        of = type_of(type_node)
        type_ = f"list[{of}]" if of else ""
    if name is not None:
        names.give(text_of(name, source), name, type_, "")


def _local(node: Node, source: bytes, names: BlockNames, known: Known, type_of: TypeOf) -> None:
    type_ = type_of(node.child_by_field_name("type"))
    for one in node.children_by_field_name("declarator")[:50]:
        name = one.child_by_field_name("name")
        if name is None:
            continue
        is_list = type_ and source.startswith(b"[", name.end_byte)
        said = f"list[{type_}]" if is_list else type_
        value = "" if type_ else chain_of(one.child_by_field_name("value"), source, known)
        names.give(text_of(name, source), name, said, value)


def _given_each(node: Node, source: bytes, known: Known) -> str:
    """`rows.forEach(row -> …)`: an element of what the method is called of; "" where that cannot be said."""
    above = node.parent
    if above is not None and above.type == "inferred_parameters":
        if above.named_child_count != 1:
            return ""
        above = above.parent
    arguments = above.parent if above is not None else None
    call = arguments.parent if arguments is not None and arguments.type == "argument_list" else None
    if call is None or call.type != "method_invocation":
        return ""
    name, of = call.child_by_field_name("name"), call.child_by_field_name("object")
    if name is None or of is None or text_of(name, source) not in EACH:
        return ""
    chain = chain_of(of, source, known)
    return f"{chain}[]" if chain else ""


def _block_end(node: Node) -> int:
    here: Node | None = node.parent
    while here is not None and here.type not in _BLOCKS:
        here = here.parent
    return here.end_byte if here is not None else node.end_byte
