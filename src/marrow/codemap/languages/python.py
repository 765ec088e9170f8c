"""Python."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ...model.code import TOP, Call, FileMap, Import
from ..language import Language, Rules
from ..outline import Outline
from ..parse import captured, spans
from .python_definitions import Definitions, assignments
from .python_expressions import PLAIN_CHAINS, Fields, called_chain, fields
from .python_modules import finder
from .python_names import SELVES, PythonNames

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(function_definition) @function
(class_definition) @class
(decorated_definition) @decorated
(assignment) @assign
(named_expression) @walrus
(call function: (_) @call)
(decorator [(identifier) (attribute)] @call)
(import_statement) @import
(import_from_statement) @from
(for_statement) @for
(for_in_clause) @for
(with_item (as_pattern) @with)
(except_clause (as_pattern) @caught)
(return_statement (_) @return)
(type_alias_statement) @alias
(comment) @comment
(string) @string
(block) @block
"""
_PLAIN_NAMES = re.compile(rb" import ([A-Za-z_][A-Za-z_0-9]*(?:, ?[A-Za-z_][A-Za-z_0-9]*)*)")
UNORDERED = frozenset(("comment", "block", "decorated"))  # to put strings in order is quicker here than as spans later
NESTED = frozenset(("call",))  # `a()()`


def read(root: Node, source: bytes, path: str) -> FileMap:
    found = captured("python", QUERY, root, UNORDERED, NESTED)
    known = fields()
    # Taken out: so many nodes are let go before the rest is done.
    comments, strings, blocks = (spans(found.pop(name, ())) for name in ("comment", "string", "block"))
    # Looked up by where the definition itself begins: asking a node for its parent is slow.
    decorated = {_within(node, known).start_byte: node for node in found.get("decorated", ())}
    definitions = Definitions(source, known, comments)
    definitions.functions(found.get("function", ()), decorated)
    definitions.classes(found.get("class", ()), decorated)
    scopes = Outline(source, definitions.found)
    given = assignments((*found.get("assign", ()), *found.get("alias", ())), source, known, scopes)
    definitions.variables(given, scopes)
    outline = Outline(source, definitions.found, comments, strings, blocks=blocks, before=scopes)
    symbols = outline.symbols(_member_of)
    kinds = [symbol.kind for symbol in symbols]
    imports = tuple(_imports(found, source, outline, known))
    visible = {symbol.name for symbol in symbols}
    visible.update([one.local for one in imports])
    names = PythonNames(source, outline, kinds, [symbol.parent for symbol in symbols], visible, known)
    names.parameters(definitions.parameters)
    names.assignments(given)
    names.named(found.get("walrus", ()))
    for node in found.get("for", ()):
        names.loop(node)
    for node in found.get("with", ()):
        names.entered(node)
    for node in found.get("caught", ()):
        names.caught(node)
    names.returns(found.get("return", ()))
    calls = _calls(found.get("call", ()), source, outline, known)
    return FileMap("python", "", symbols, imports, tuple(names.bindings), calls, 1 if root.has_error else 0)


def _within(decorated: Node, known: Fields) -> Node:
    found = decorated.child_by_field_id(known.definition)
    assert found is not None
    return found


def _member_of(kind: str, around: str, name: str) -> str:
    """A function in a class is a method of it."""
    if kind == "function" and around == "class":
        return "constructor" if name == "__init__" else "method"
    return kind


def _calls(nodes: Iterable[Node], source: bytes, outline: Outline, known: Fields) -> tuple[Call, ...]:
    """The nodes come in order: to count lines from one to the next is quicker than to ask each for its point."""
    calls = []
    new, plain, (borders, scopes) = tuple.__new__, PLAIN_CHAINS.get, outline.borders()
    line, line_begin, reached, count = 1, 0, 0, source.count
    for node in nodes:
        first, last = node.start_byte, node.end_byte
        if further := count(b"\n", reached, first):
            line += further
            line_begin = source.rfind(b"\n", reached, first) + 1
        reached = first
        text = source[first:last]
        chain, size = plain(text) or called_chain(node, text, source, known)
        if chain:
            below = text.count(b"\n")
            column = last - size - (first + text.rfind(b"\n") + 1 if below else line_begin)
            scope = scopes[bisect_right(borders, first)]
            calls.append(new(Call, (scope, line + below, column if column > 0 else 0, chain, "call")))
    return tuple(calls)


def _imports(found: dict[str, list[Node]], source: bytes, outline: Outline, known: Fields) -> Iterator[Import]:
    for node in found.get("import", ()):
        scope, line = outline.scope_at(node.start_byte), node.start_point[0] + 1
        for child in node.named_children:
            module, local = _renamed(child, source, known)
            if local:
                yield Import(local, module, "", line, scope == TOP, scope)
            else:  # `import a.b` binds `a`
                yield Import(module.partition(".")[0], module.partition(".")[0], "", line, scope == TOP, scope)
    for node in found.get("from", ()):
        scope, line = outline.scope_at(node.start_byte), node.start_point[0] + 1
        from_ = node.child_by_field_id(known.module_name)
        if from_ is None:
            continue
        module = "".join(_text(from_, source).split())
        plain = _PLAIN_NAMES.fullmatch(source, from_.end_byte, node.end_byte)
        if plain is not None:
            for name in plain[1].decode("ascii").replace(" ", "").split(","):
                yield Import(name, module, name, line, scope == TOP, scope)
            continue
        if b"*" in source[from_.end_byte : node.end_byte] and any(
            child.type == "wildcard_import" for child in node.named_children
        ):
            yield Import("*", module, "*", line, scope == TOP, scope)
        for child in node.children_by_field_id(known.name):
            name, local = _renamed(child, source, known)
            yield Import(local or name, module, name, line, scope == TOP, scope)


def _renamed(node: Node, source: bytes, known: Fields) -> tuple[str, str]:
    """(name, what it is called here or "")."""
    if node.type == "aliased_import":
        name, alias = node.child_by_field_id(known.name), node.child_by_field_id(known.alias)
        return (_text(name, source) if name else "", _text(alias, source) if alias else "")
    return "".join(_text(node, source).split()), ""


def _text(node: Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


COMMON = frozenset(
    "add append clear close copy count decode discard encode endswith extend find format get group index insert "
    "isdigit items join keys lower lstrip match partition pop popitem read readline remove replace reverse rstrip "
    "run search send set setdefault sort split start startswith stop strip sub title update upper values write".split()
)


def _grammar() -> object:
    import tree_sitter_python

    return tree_sitter_python.language()


LANGUAGES = {
    "python": Language(
        "python",
        (".py", ".pyi", ".pyw"),
        _grammar,
        read,
        Rules(
            selves=SELVES,
            supers=frozenset(("super",)),
            made_by_call=True,
            wrappers=frozenset("Optional Annotated ClassVar Final Required NotRequired Awaitable Coroutine".split()),
            common=COMMON,
            members_beside="",
            finder=finder,
        ),
    )
}
