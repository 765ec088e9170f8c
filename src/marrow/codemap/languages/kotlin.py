"""Kotlin."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...model.code import TOP, TYPES, FileMap, Import
from ..language import Language, Rules
from .kotlin_lambdas import bind_parameters, what_it_is
from .kotlin_mending import mended
from .kotlin_names import (
    from_extension,
    known_extensions,
    named_after,
    reached_into,
    with_results_of_namesakes,
    without_hiding,
)
from .packages import finder_by_package, shares_package
from .reading import Reading, Spelling, Step, angled, child_of, head_of, part

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
[(class_declaration) (object_declaration) (companion_object)] @type
[(function_declaration) (secondary_constructor)] @function
(property_declaration) @property
(class_parameter) @class_parameter
(enum_entry) @entry
(type_alias) @alias
(parameter) @parameter
(for_statement) @loop
(catch_block) @catch
(lambda_parameters) @lambda
(call_expression . (_) @given_to (annotated_lambda (lambda_literal) @block))
(multi_variable_declaration (variable_declaration) @hidden)
(call_expression . (_) @call)
(delegation_specifier (constructor_invocation (user_type) @made))
(infix_expression (identifier) (identifier) @infix (_))
(import) @import
(package_header) @package
[(line_comment) (block_comment)] @comment
[(string_literal) (multiline_string_literal) (character_literal)] @string
"""
WRITTEN_TYPES = frozenset(("user_type", "nullable_type", "function_type", "parenthesized_type", "non_nullable_type"))
BODIES = ("class_body", "enum_class_body")
_CONFIGURED = re.compile(r"(?:^|\.)(?:apply|also)\(\)")
_LABEL = re.compile(r"\b(this|super)(?:@\w+|<[^>]*>)")


def respelt(chain: str) -> str:
    """What is configured stays what it is: `made().apply { … }` is `made()`."""
    if "()" in chain and (found := _CONFIGURED.search(chain)):
        chain = _CONFIGURED.sub("", chain) if found.start() else f"this{_CONFIGURED.sub('', chain)}"
    return _LABEL.sub(r"\1", chain) if "@" in chain else chain


def _type(text: str) -> str:
    bare = re.sub(r"@\w+|\b(?:in|out|suspend)\s", "", text)
    return angled(bare.replace("*", "")).replace("[]", "")


NAME = Step("name")
STEPS = {
    "identifier": NAME,
    "this_expression": NAME,
    "super_expression": NAME,
    "navigation_expression": Step("member", 0, -1),
    "call_expression": Step("call", 0),
    "index_expression": Step("element", 0),
    "parenthesized_expression": Step("through", 0),
    "unary_expression": Step("through", "argument"),
    "as_expression": Step("typed", "right"),
    "string_literal": Step("word", name="<String>"),
}
SPELLING = Spelling(STEPS, _type, respelt=respelt)


def read(root: Node, source: bytes, path: str) -> FileMap:
    root = mended(LANGUAGES["kotlin"], root, source)
    reading = Reading("kotlin", QUERY, SPELLING, root, source)
    package = _package(reading)
    companions: dict[int, str] = {}
    for node in reading.nodes("type"):
        _declared_type(reading, node, companions)
    bodies = [(node, *_function(reading, node, companions)) for node in reading.nodes("function")]
    _annotation_classes(reading)
    for node in reading.nodes("entry"):
        reading.define("constant", node, reading.text(child_of(node, ("identifier",))), child_of(node, BODIES))
    for node in reading.nodes("alias"):
        name = node.child_by_field_name("type")
        reading.define("type", node, reading.text(name), returns=reading.type(part(node, -1)))
    for node in reading.nodes("class_parameter"):
        if re.search(rb"\b(?:val|var)\s", source[node.start_byte : node.end_byte]):
            name, type_, _ = _variable(node)
            reading.define("property", node, reading.text(name), returns=reading.type(type_))
    reading.place()
    properties = [node for node in reading.nodes("property") if not _property(reading, node, companions)]
    reading.settle()
    _bindings(reading, properties)
    namesakes = []
    for node, body, typed in bodies:
        if not typed and body is not None and body.type == "function_body":
            only = part(body, 0)
            if only is not None and only.type != "block":
                scope = reading.scope(node.end_byte - 1)
                reading.give_back(scope, only)
                namesakes.append((scope, reading.chain(only)))
    with_results_of_namesakes(reading, namesakes)
    reading.symbols = without_hiding(reading.symbols, COMMON)
    reading.read_calls()
    what_it_is(reading)
    _named_after_methods(reading)
    for node in reading.nodes("infix"):
        if (word := reading.text(node)) != "class":
            reading.add_call(node, f"?.{word}")
    _extensions(reading, _imports(reading))
    reading.name_root(package, ".")
    return reading.map(package)


def _package(reading: Reading) -> str:
    for node in reading.nodes("package"):
        return "".join(reading.text(part(node, -1)).split())
    return ""


def _annotations(children: Iterable[Node]) -> list[Node]:
    for child in children:
        if child.type == "modifiers":
            return [one for one in child.named_children if one.type == "annotation"]
    return []


def _declared_type(reading: Reading, node: Node, companions: dict[int, str]) -> None:
    name = node.child_by_field_name("name")
    children = node.named_children
    bases, body = [], None
    for child in children:
        if child.type in BODIES:
            body = child
        elif child.type == "delegation_specifiers":
            for one in child.named_children:
                inner = part(one, 0) if one.type == "delegation_specifier" else one
                if inner is not None and inner.type in ("constructor_invocation", "explicit_delegation"):
                    inner = part(inner, 0)
                if text := reading.type(inner):
                    bases.append(text)
    kind = "object"
    if node.type == "class_declaration":
        before = reading.source[node.start_byte : name.start_byte if name is not None else node.start_byte].split()
        kind = "interface" if b"interface" in before else "enum" if b"enum" in before else "class"
    text = reading.text(name).strip("`")
    if node.type == "companion_object":
        text = text or "Companion"
        outer = node.parent.parent if node.parent is not None else None
        if body is not None and outer is not None:
            companions[body.start_byte] = reading.text(outer.child_by_field_name("name"))
    reading.define(kind, node, text, body, decorators=_annotations(children), bases=bases)


def _annotation_classes(reading: Reading) -> None:
    """`annotation class Foo` behind annotations of its own: the grammar takes it for three words of an expression."""
    for node in reading.nodes("infix"):
        if reading.source[node.start_byte : node.end_byte] == b"class" and node.parent is not None:
            whole = node.parent
            name = reading.text(part(whole, -1))
            annotations = []
            while whole.parent is not None and whole.parent.type == "annotated_expression":
                whole = whole.parent
                annotations += [child for child in whole.named_children if child.type == "annotation"]
            reading.define("class", whole, name, decorators=annotations[::-1])


def _owner(node: Node, companions: dict[int, str]) -> str:
    """What is in a companion belongs to the class that it is the companion of."""
    if not companions:
        return ""
    body = node.parent
    return companions.get(body.start_byte, "") if body is not None else ""


def _function(reading: Reading, node: Node, companions: dict[int, str]) -> tuple[Node | None, bool]:
    """Gives the body, and whether the result is declared."""
    name = node.child_by_field_name("name")
    children = node.named_children
    receiver, result, body = "", None, None
    passed = node.type == "secondary_constructor"
    for child in children:
        kind = child.type
        if kind == "function_value_parameters":
            passed = True
        elif kind in ("function_body", "block"):
            body = child
        elif kind in WRITTEN_TYPES:
            if passed:
                result = child
            else:
                written = reading.text(child).rstrip("?")
                receiver = head_of(reading.type(child)) or (written if written.isidentifier() else "")
    is_constructor = node.type == "secondary_constructor"
    reading.define(
        "constructor" if is_constructor else "function",
        node,
        "constructor" if is_constructor else reading.text(name).strip("`"),
        body,
        decorators=_annotations(children),
        returns=reading.type(result),
        receiver=receiver or _owner(node, companions),
    )
    return body, result is not None


def _variable(node: Node) -> tuple[Node | None, Node | None, Node | None]:
    """The name, type and value of a parameter or variable."""
    name, type_, value = None, None, None
    for child in node.named_children:
        kind = child.type
        if kind == "identifier" and name is None:
            name = child
        elif kind in WRITTEN_TYPES:
            type_ = child
        elif kind not in ("modifiers", "parameter_modifiers", "annotation"):
            value = child
    return name, type_, value


def _property_parts(node: Node) -> tuple[Node | None, Node | None, Node | None, Node | None, list[Node]]:
    """Of a property: its name, type, value, the type that it extends, and its children."""
    name, type_, value, extended = None, None, None, None
    children = node.named_children
    for child in children:
        kind = child.type
        if kind == "variable_declaration":
            name, type_, _ = _variable(child)
        elif kind in WRITTEN_TYPES and name is None:
            extended = child
        elif kind == "property_delegate":
            value = _delegated(child)
        elif kind == "getter":
            body = part(child, -1)
            only = part(body, 0) if body is not None else None
            value = only if value is None and only is not None and only.type != "block" else value
        elif kind not in ("modifiers", "type_parameters", "setter", "type_constraints") and name is not None:
            value = child
    return name, type_, value, extended, children


def _delegated(node: Node) -> Node | None:
    """`by lazy { … }` gives the last of what is in the brackets."""
    here: Node | None = part(node, 0)
    for _ in range(3):
        here = part(here, -1) if here is not None else None
        if here is not None and here.type == "lambda_literal":
            return part(here, -1)
    return None


def _property(reading: Reading, node: Node, companions: dict[int, str]) -> bool:
    """A symbol, if it stands in a file or type; False for a variable of a function."""
    around = reading.kind_at(node.start_byte)
    if around and around not in TYPES:
        return False
    name, type_, value, extended, children = _property_parts(node)
    text = reading.text(name)
    if name is None or not text:
        return False
    before = reading.source[node.start_byte : name.start_byte].split()
    kind = "constant" if b"const" in before or (not around and text.isupper()) else "property" if around else "variable"
    receiver = head_of(reading.type(extended)) or _owner(node, companions)
    annotations = _annotations(children)
    getter = next((child for child in children if child.type in ("getter", "setter")), None)
    reading.define(kind, node, text, getter, decorators=annotations, returns=reading.type(type_), receiver=receiver)
    return type_ is not None or value is None


def _bindings(reading: Reading, properties: list[Node]) -> None:
    for node in reading.nodes("parameter", "class_parameter", "catch", "hidden"):
        name, type_, value = _variable(node)
        is_catch = node.type == "catch_block"
        reading.bind(node.start_byte, reading.text(name), reading.type(type_), None if is_catch else value)
    for node in properties:
        name, type_, value, _, _ = _property_parts(node)
        if name is not None:
            reading.bind(node.start_byte, reading.text(name), reading.type(type_), value)
    for node in reading.nodes("loop"):
        variable, over = part(node, 0), part(node, 1)
        if variable is not None and variable.type == "variable_declaration":
            name, type_, _ = _variable(variable)
            reading.bind(node.start_byte, reading.text(name), reading.type(type_), over, "[]")
    for node in reading.nodes("lambda"):
        bind_parameters(reading, node, _variable)


def _named_after_methods(reading: Reading) -> None:
    """`val body = body(1)` calls a function, which the variable does not hide."""
    own = {(one.scope, one.name) for one in reading.bindings if one.value.startswith(f"{one.name}(")}
    methods = {(one.parent, one.name) for one in reading.symbols if one.kind == "method"}
    for at, call in enumerate(reading.calls):
        if (call.scope, call.chain) in own and (reading.owner(call.scope), call.chain) in methods:
            reading.calls[at] = call._replace(chain=f"this.{call.chain}")
    reading.bindings = [named_after(one, reading.symbols) for one in reading.bindings]


def _extensions(reading: Reading, reached: list[str]) -> None:
    """Some extensions are known by their names, also on what is not of the project."""
    names = known_extensions(reading.symbols, reading.imports, reached) - COMMON
    if names:
        calls, bindings = reading.calls, reading.bindings
        reading.calls = [one._replace(chain=from_extension(one.chain, names, True)) for one in calls]
        reading.bindings = [one._replace(value=from_extension(one.value, names, False)) for one in bindings]


def _imports(reading: Reading) -> list[str]:
    """Gives the names that are imported out of classes and objects."""
    reached = []
    for node in reading.nodes("import"):
        named = node.named_children
        text = "".join(reading.text(named[0] if named else None).split()).replace("`", "")
        line = node.start_point.row + 1
        if reading.source[node.start_byte : node.end_byte].rstrip().endswith(b"*"):
            reading.imports.append(Import("*", text, "*", line))
            continue
        module, _, name = text.rpartition(".")
        local = reading.text(named[1]) if len(named) > 1 else name
        package, owner, chains = reached_into(module, name)
        if not owner:
            reading.imports.append(Import(local, module, name, line))
            continue
        reading.imports.append(Import(owner, package, owner, line))
        reached.append(local)
        for chain in chains:
            reading.bind_in(TOP, local, "", chain)
    return reached


COMMON = frozenset(
    "add addAll all also and any append apply associate clear close collect contains copy count create equals "
    "execute filter find first firstOrNull flatMap forEach get getOrNull getOrPut groupBy hashCode indexOf "
    "invoke isEmpty isNotEmpty iterator joinToString key keys last launch let listOf map mapNotNull next of "
    "open or orEmpty plus put read remove replace run send set shl shr size sortedBy split start stop "
    "substring sum take toList toMap toSet toString trim update use ushr value values with write xor".split()
)


def _grammar() -> object:
    import tree_sitter_kotlin

    return tree_sitter_kotlin.language()


LANGUAGES = {
    "kotlin": Language(
        "kotlin",
        (".kt", ".kts"),
        _grammar,
        read,
        Rules(
            selves=frozenset(("this",)),
            supers=frozenset(("super",)),
            made_by_call=True,
            implicit_self=True,
            wrappers=frozenset(("Lazy", "Deferred")),
            common=COMMON,
            finder=finder_by_package("kotlin"),
            shares=shares_package("kotlin"),
        ),
    )
}
