"""What a file of Rust uses: `use`, `mod x;` and `extern crate`, as imports."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...model.code import Import
from ..parse import child_at
from .rust_chains import DEPTH_MAX, Place, text_of

if TYPE_CHECKING:
    from tree_sitter import Node

USES_MAX = 2000


def uses(node: Node, source: bytes, place: Place, scope: int) -> Iterator[Import]:
    """The imports of one `use`, its tree unfolded."""
    argument = node.child_by_field_name("argument")
    if argument is None:
        return
    line = node.start_point.row + 1
    waiting: list[tuple[Node, list[str], int]] = [(argument, [], 0)]
    made = 0
    while waiting and made < USES_MAX:
        here, above, depth = waiting.pop()
        if depth > DEPTH_MAX:
            continue
        kind = here.type
        if kind == "scoped_use_list":
            path, listed = here.child_by_field_name("path"), here.child_by_field_name("list")
            names = [*above, *_names(path, source)]
            waiting += [(child, names, depth + 1) for child in reversed(listed.named_children if listed else [])]
        elif kind == "use_list":
            waiting += [(child, above, depth + 1) for child in reversed(here.named_children)]
        elif kind == "use_wildcard":
            names = [*above, *_names(child_at(here, 0), source)]
            made += 1
            if names:
                yield Import("*", ".".join(place.path(names)), "*", line, True, scope)
        elif kind == "use_as_clause":
            alias = here.child_by_field_name("alias")
            local = text_of(alias, source) if alias is not None else ""
            made += 1
            yield from _one([*above, *_names(here.child_by_field_name("path"), source)], local, place, line, scope)
        elif kind in ("identifier", "scoped_identifier", "self", "crate", "super"):
            made += 1
            yield from _one([*above, *_names(here, source)], "", place, line, scope)


def _names(node: Node | None, source: bytes) -> list[str]:
    if node is None:
        return []
    text = "".join(text_of(node, source).split())
    return [name for name in text.split("::") if name]


def _one(names: list[str], local: str, place: Place, line: int, scope: int) -> Iterator[Import]:
    if len(names) > 1 and names[-1] == "self":
        names = names[:-1]
    local = local or names[-1]
    path = place.path(names)
    if len(path) == 1:
        yield Import(local, path[0], "", line, True, scope)
    else:
        yield Import(local, ".".join(path[:-1]), path[-1], line, True, scope)


def module_file(node: Node, source: bytes, place: Place, scope: int, attributes: tuple[str, ...]) -> Import | None:
    """`mod x;`: the file of a module below this one, or the one that an attribute names."""
    name = node.child_by_field_name("name")
    if name is None:
        return None
    local = text_of(name, source).removeprefix("r#")
    line = node.start_point.row + 1
    for attribute in attributes:
        if attribute.startswith("path") and attribute.count('"') == 2 and not place.inner:
            return Import(local, f"./{attribute.split(chr(34))[1]}", "", line, True, scope)
    return Import(local, ".".join(("mod", *place.inner, local)), "", line, True, scope)


def external(node: Node, source: bytes, scope: int) -> Import | None:
    name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    if name is None:
        return None
    module = text_of(name, source)
    module = "crate" if module == "self" else module
    return Import(
        text_of(alias, source) if alias is not None else module, module, "", node.start_point.row + 1, True, scope
    )
