"""C#."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from ...model.code import FileMap, Import
from ..language import Language, Rules
from ..parse import tree_of
from .conditions import PARSED_AGAIN_MAX, SECONDS_MAX, cost_of, tried, without_conditions
from .csharp_usings import shares
from .packages import finder_by_package
from .reading import Reading, Spelling, Step, angled, child_of, head_of, part

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
[(class_declaration) (struct_declaration) (interface_declaration) (record_declaration) (enum_declaration)] @type
[(method_declaration) (constructor_declaration) (destructor_declaration) (operator_declaration)
 (conversion_operator_declaration) (local_function_statement) (delegate_declaration)] @function
[(property_declaration) (event_declaration) (indexer_declaration) (enum_member_declaration)] @member
(field_declaration (variable_declaration) @field) @field_whole
(event_field_declaration (variable_declaration) @field) @field_whole
(local_declaration_statement (variable_declaration) @local)
(using_statement (variable_declaration) @local)
(for_statement (variable_declaration) @local)
(parameter) @parameter
(lambda_expression parameters: (implicit_parameter) @hidden)
(foreach_statement) @loop
[(declaration_pattern) (catch_declaration) (declaration_expression)] @pattern
(invocation_expression function: (_) @call)
(object_creation_expression type: (_) @made)
(constructor_initializer) @chained
(using_directive) @using
[(namespace_declaration) (file_scoped_namespace_declaration)] @namespace
(comment) @comment
[(string_literal) (verbatim_string_literal) (raw_string_literal) (character_literal)
 (interpolated_string_expression)] @string
"""
CONDITIONS_ROUNDS = 3
NAMESPACE = "namespace_declaration"
KINDS = {
    "class_declaration": "class",
    "struct_declaration": "struct",
    "interface_declaration": "interface",
    "record_declaration": "record",
    "enum_declaration": "enum",
    "constructor_declaration": "constructor",
    "destructor_declaration": "method",
    "delegate_declaration": "type",
    "enum_member_declaration": "constant",
}


def _condition(node: Node) -> Node | None:
    """What stands before the `?.` that a member belongs to."""
    here, start = node.parent, node.start_byte
    for _ in range(6):
        if here is None:
            return None
        if here.type == "conditional_access_expression":
            before = here.child_by_field_name("condition")
            if before is not None and before.start_byte < start:
                return before
        here = here.parent
    return None


def _inside(node: Node) -> Node | None:
    """What stands in round brackets."""
    return part(node, 0)


NAME = Step("name")
STRING = Step("word", name="<string>")
STEPS = {
    "identifier": NAME,
    "generic_name": NAME,
    "predefined_type": NAME,
    "this": NAME,
    "base": NAME,
    "this_expression": NAME,
    "base_expression": NAME,
    "qualified_name": Step("member", "qualifier", "name"),
    "member_access_expression": Step("member", "expression", "name"),
    "member_binding_expression": Step("member", _condition, "name"),
    "conditional_access_expression": Step("through", -1),
    "invocation_expression": Step("call", "function"),
    "element_access_expression": Step("element", "expression"),
    "element_binding_expression": Step("element", _condition),
    "object_creation_expression": Step("made", "type"),
    "cast_expression": Step("typed", "type"),
    "as_expression": Step("typed", "right"),
    "parenthesized_expression": Step("through", _inside),
    "await_expression": Step("through", 0),
    "postfix_unary_expression": Step("through", 0),
    "string_literal": STRING,
    "interpolated_string_expression": STRING,
    "verbatim_string_literal": STRING,
}
SPELLING = Spelling(
    STEPS,
    lambda text: angled(text.replace("global::", "").removeprefix("ref ").removeprefix("readonly ")),
    by_arity=True,
)


def read(root: Node, source: bytes, path: str) -> FileMap:
    if root.has_error:
        root = _without_conditions(root, source)
    reading = Reading("csharp", QUERY, SPELLING, root, source)
    package = _namespaces(reading)
    for node in reading.nodes("type"):
        _type(reading, node)
    for node in reading.nodes("function"):
        _function(reading, node)
    for node in reading.nodes("member"):
        _member(reading, node)
    for whole, node in zip(reading.nodes("field_whole"), reading.nodes("field"), strict=True):
        _fields(reading, whole, node)
    reading.place()
    _record_properties(reading)
    reading.settle()
    _bindings(reading)
    reading.read_calls()
    for node in reading.nodes("chained"):
        _chained(reading, node)
    for node in reading.nodes("using"):
        one = _using(reading, node)
        if one is not None:
            reading.imports.append(one)
    reading.name_root(package, ".")
    return reading.map(package)


def _without_conditions(root: Node, source: bytes) -> Node:
    until = time.monotonic() + SECONDS_MAX
    cost, plain = cost_of(root, "csharp"), source
    for _ in range(min(CONDITIONS_ROUNDS, PARSED_AGAIN_MAX // len(source))):
        if time.monotonic() > until:
            break
        before, plain = plain, without_conditions(root, plain, "csharp")
        if plain == before:
            break
        other = tried(lambda text: tree_of(LANGUAGES["csharp"], text).root_node, plain)
        if other is None or (found := cost_of(other, "csharp")) >= cost:
            break
        root, cost = other, found
    return root


def _chained(reading: Reading, node: Node) -> None:
    """`: base(…)` makes one of the type above, `: this(…)` one of the type at hand."""
    if reading.text(node).lstrip(": \t\r\n").startswith("base"):
        reading.add_call(node, "base")
    elif node.parent is not None:
        reading.add_call(node, f"{reading.text(node.parent.child_by_field_name('name'))}{{}}")


def _size(node: Node) -> int:
    return node.end_byte - node.start_byte


def _namespaces(reading: Reading) -> str:
    """The namespace of the file. Where a file has several that are not in one another, the others are symbols; all are,
    where most of it stands in none."""
    package, end = "", 0
    parts = reading.root.named_children
    within = sum(_size(node) for node in parts if node.type == NAMESPACE)
    is_bare = 0 < within < sum(_size(node) for node in parts if node.type in KINDS)
    for node in reading.nodes("namespace"):
        name = "".join(reading.text(node.child_by_field_name("name")).split())
        if not is_bare and (not package or (node.start_byte < end and not reading.definitions)):
            package, end = f"{package}.{name}" if package else name, node.end_byte
        elif name != package:
            reading.define("namespace", node, name, node.child_by_field_name("body"))
    return package


def _attributes(node: Node, source: bytes) -> list[Node]:
    if source[node.start_byte : node.start_byte + 1] != b"[":
        return []
    return [a for child in node.named_children if child.type == "attribute_list" for a in child.named_children]


def _type(reading: Reading, node: Node) -> None:
    bases = child_of(node, ("base_list",))
    names = []
    for base in bases.named_children if bases is not None else ():
        spelt = base.child_by_field_name("type") if base.type == "primary_constructor_base_type" else base
        if base.type != "argument_list" and (text := reading.type(spelt)):
            names.append(text)
    reading.define(
        KINDS[node.type],
        node,
        reading.text(node.child_by_field_name("name")),
        node.child_by_field_name("body"),
        decorators=_attributes(node, reading.source),
        bases=names,
    )


def _required(reading: Reading, node: Node, name: str) -> str:
    """What a type parameter of a method must be (`where T : Base`); the name itself where nothing is said."""
    for clause in node.named_children:
        if clause.type == "type_parameter_constraints_clause" and reading.text(part(clause, 0)) == name:
            types = (one.child_by_field_name("type") for one in clause.named_children)
            return next((head_of(reading.type(type_)) for type_ in types if type_ is not None), name)
    return name


def _function(reading: Reading, node: Node) -> None:
    kind = node.type
    name = reading.text(node.child_by_field_name("name"))
    result = node.child_by_field_name("returns" if kind == "method_declaration" else "type")
    if kind == "destructor_declaration":
        name = f"~{name}"
    elif kind == "operator_declaration":
        name = f"operator {reading.text(node.child_by_field_name('operator'))}"
    elif kind == "conversion_operator_declaration":
        name = f"operator {reading.text(result)}"
    parameters = node.child_by_field_name("parameters")
    receiver = ""
    if kind == "method_declaration" and parameters is not None:
        begin = parameters.start_byte + 1
        if reading.source[begin : begin + 60].lstrip().startswith(b"this "):
            first = part(parameters, 0)
            extended = first.child_by_field_name("type") if first is not None else None
            receiver = _required(reading, node, head_of(reading.type(extended)))
    reading.define(
        KINDS.get(kind, "function"),
        node,
        name,
        node.child_by_field_name("body"),
        decorators=_attributes(node, reading.source),
        returns="" if kind in ("constructor_declaration", "delegate_declaration") else reading.type(result),
        receiver=receiver,
    )


def _member(reading: Reading, node: Node) -> None:
    name = node.child_by_field_name("name")
    body = node.child_by_field_name("accessors") or node.child_by_field_name("value")
    reading.define(
        KINDS.get(node.type, "property"),
        node,
        "this" if node.type == "indexer_declaration" else reading.text(name),
        body if node.type != "enum_member_declaration" else None,
        decorators=_attributes(node, reading.source),
        returns=reading.type(node.child_by_field_name("type")),
    )


def _fields(reading: Reading, whole: Node, declaration: Node) -> None:
    """Each name of a field's declaration; a single one has the range of the whole."""
    type_ = reading.type(declaration.child_by_field_name("type"))
    modifiers = reading.source[whole.start_byte : declaration.start_byte]
    kind = "constant" if b"const " in modifiers or b"static readonly" in modifiers else "field"
    names = [child for child in declaration.named_children if child.type == "variable_declarator"]
    attributes = _attributes(whole, reading.source)
    for child in names:
        name = reading.text(child.child_by_field_name("name") or part(child, 0))
        if len(names) == 1:
            reading.define(kind, whole, name, decorators=attributes, returns=type_)
        else:
            reading.define(kind, child, name, returns=type_)


def _record_properties(reading: Reading) -> None:
    for node in reading.nodes("parameter"):
        if reading.kind_at(node.start_byte) == "record":
            listed = node.parent
            if listed is not None and listed.parent is not None and listed.parent.type == "record_declaration":
                name = reading.text(node.child_by_field_name("name"))
                reading.define("property", node, name, returns=reading.type(node.child_by_field_name("type")))


def _bindings(reading: Reading) -> None:
    for node in reading.nodes("parameter", "pattern"):
        name = node.child_by_field_name("name")
        if name is not None:
            reading.bind(node.start_byte, reading.text(name), reading.type(node.child_by_field_name("type")))
    for node in reading.nodes("hidden"):
        reading.bind(node.start_byte, reading.text(node))
    for node in reading.nodes("local"):
        declared = node.child_by_field_name("type")
        type_ = reading.type(declared)
        for child in node.named_children:
            if child.type == "variable_declarator":
                value = part(child, -1) if child.named_child_count > 1 else None
                local = reading.text(child.child_by_field_name("name"))
                reading.bind(node.start_byte, local, type_, value)
                if type_ and value is not None and value.type == "implicit_object_creation_expression":
                    reading.add_call(declared or node, f"{head_of(type_)}{{}}")
    for node in reading.nodes("loop"):
        name = node.child_by_field_name("left")
        if name is not None and name.type == "identifier":
            type_ = reading.type(node.child_by_field_name("type"))
            reading.bind(name.start_byte, reading.text(name), type_, node.child_by_field_name("right"), "[]")


def _using(reading: Reading, node: Node) -> Import | None:
    """`using A.B;` opens a namespace, `using X = A.B.C;` renames a type, `using static A.B.C;` names one."""
    alias = node.child_by_field_name("name")
    target = part(node, -1)
    text = "".join(reading.text(target).split()).replace("global::", "").partition("<")[0]
    words = reading.text(node).split()
    line, exported = node.start_point.row + 1, words[0] == "global"
    module, _, name = text.rpartition(".")
    if alias is not None:
        return Import(reading.text(alias), module, name, line, exported)
    if "static" in words[:3]:
        return Import(name, module, name, line, exported)
    return Import("*", text, "*", line, exported) if text else None


COMMON = frozenset(
    "Add AddRange Aggregate All Any Append AppendLine AsSpan AsTask Cast Clear Close Concat Contains ContainsKey "
    "Count Dispose Distinct ElementAt EndsWith Equals First FirstOrDefault Format Get GetCustomAttributes "
    "GetEnumerator GetField GetHashCode GetMethod GetProperty GetType GetValue GroupBy Insert Invoke "
    "IsAssignableFrom IsDefined IsSubclassOf Join Last Max Min MoveNext OfType OrderBy Read Remove Replace Reverse "
    "Run Select SelectMany Set SetValue Single Skip Sort Split StartsWith Substring Sum Take ToArray ToDictionary "
    "ToList ToLower ToString ToUpper Trim TryGetValue Where Write WriteLine".split()
)


def _grammar() -> object:
    import tree_sitter_c_sharp

    return tree_sitter_c_sharp.language()


LANGUAGES = {
    "csharp": Language(
        "csharp",
        (".cs",),
        _grammar,
        read,
        Rules(
            selves=frozenset(("this",)),
            supers=frozenset(("base",)),
            implicit_self=True,
            reopened=True,
            by_arity=True,
            wrappers=frozenset(("Task", "ValueTask", "Lazy", "Nullable", "ref")),
            common=COMMON,
            finder=finder_by_package("csharp"),
            shares=shares,
        ),
    )
}
