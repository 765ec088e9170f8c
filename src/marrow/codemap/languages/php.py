"""PHP."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...model.code import TOP, FileMap, Import
from ..language import Finder, Language, Project, Rules
from .packages import finder_by_package, shares_package
from .reading import Reading, Spelling, Step, bracketed, part

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
[(class_declaration) (interface_declaration) (trait_declaration) (enum_declaration)] @type
[(function_definition) (method_declaration)] @function
(property_declaration) @property
(property_promotion_parameter) @promoted
(const_declaration) @constant
(enum_case) @case
[(simple_parameter) (variadic_parameter)] @parameter
(assignment_expression) @assign
(foreach_statement) @loop
(catch_clause) @catch
(return_statement (_) @return)
(use_declaration) @trait
(function_call_expression function: (_) @call)
(member_call_expression name: (name) @sent) @sending
(nullsafe_member_call_expression name: (name) @sent) @sending
(scoped_call_expression name: (name) @sent) @sending
(object_creation_expression . [(name) (qualified_name)] @made)
(namespace_definition) @namespace
(namespace_use_declaration) @use
[(require_once_expression) (require_expression) (include_expression) (include_once_expression)] @require
(comment) @comment
[(string) (encapsed_string) (heredoc) (nowdoc)] @string
"""
KINDS = {
    "class_declaration": "class",
    "interface_declaration": "interface",
    "trait_declaration": "trait",
    "enum_declaration": "enum",
}
ROOTED = re.compile(rb"\\(?<![\w\\]\\)([A-Za-z_]\w*)\\[A-Za-z_]")
INCLUDED = re.compile(r"[\"']([^\"'$]+)[\"']")

NAME = Step("name")
SENT = Step("sent", "object", "name")
MEMBER = Step("member", "object", "name")
STEPS = {
    "name": NAME,
    "qualified_name": NAME,
    "variable_name": NAME,
    "relative_scope": NAME,
    "member_access_expression": MEMBER,
    "nullsafe_member_access_expression": MEMBER,
    "member_call_expression": SENT,
    "nullsafe_member_call_expression": SENT,
    "scoped_call_expression": Step("sent", "scope", "name"),
    "scoped_property_access_expression": Step("member", "scope", "name"),
    "class_constant_access_expression": Step("member", 0, 1),
    "function_call_expression": Step("call", "function"),
    "subscript_expression": Step("element", 0),
    "object_creation_expression": Step("made", 0),
    "parenthesized_expression": Step("through", 0),
    "assignment_expression": Step("through", "right"),
    "clone_expression": Step("through", 0),
    "string": Step("word", name="<string>"),
    "encapsed_string": Step("word", name="<string>"),
}


def respelt(chain: str) -> str:
    """Variables keep their mark, so that they are not taken for functions; the object at hand is `this`."""
    chain = chain.replace("?->", ".").replace("->", ".").replace("::$", ".").replace("::", ".").replace("\\", ".")
    return chain.lstrip(".").replace("$this", "this", 1) if chain.startswith((".", "$this")) else chain


def _type(text: str) -> str:
    """`?Foo`, `Foo|null`, `\\App\\Foo`, `static`."""
    bare = "".join(text.split()).replace("?", "").replace("\\", ".").replace("&", "|").replace("(", "").replace(")", "")
    names = [one.lstrip(".") for one in bare.split("|") if one not in ("null", "void", "false", "true", "mixed")]
    return bracketed("|".join("self" if one in ("static", "$this") else one for one in names))


PLAIN = re.compile(rb"\\?(?:\$?[A-Za-z_]\w*)(?:(?:\\|\??->|::\$?)[A-Za-z_]\w*)*")
SPELLING = Spelling(STEPS, _type, PLAIN, respelt)


def read(root: Node, source: bytes, path: str) -> FileMap:
    reading = Reading("php", QUERY, SPELLING, root, source)
    package = _namespaces(reading)
    traits = _traits(reading)
    for node in reading.nodes("type"):
        _type_declared(reading, node, traits)
    untyped = [node.start_byte for node in reading.nodes("function") if not _function(reading, node)]
    for node in reading.nodes("property", "promoted"):
        _property(reading, node)
    reading.place()
    _constants(reading)
    reading.settle()
    _bindings(reading, {reading.scope(start) for start in untyped})
    reading.read_calls()
    reading.read_sent()
    _imports(reading)
    return reading.map(package)


def _namespaces(reading: Reading) -> str:
    """The namespace of the file; further ones are symbols."""
    package = ""
    for node in reading.nodes("namespace"):
        name = reading.text(node.child_by_field_name("name"))
        if not package:
            package = name
        elif name != package and (body := node.child_by_field_name("body")) is not None:
            reading.define("namespace", node, name.replace("\\", "."), body)
    return package


def _traits(reading: Reading) -> dict[int, list[str]]:
    """The traits that types use, by where the types begin."""
    found: dict[int, list[str]] = {}
    for node in reading.nodes("trait"):
        body = node.parent
        owner = body.parent if body is not None else None
        if owner is not None:
            names = [reading.type(one) for one in node.named_children if one.type in ("name", "qualified_name")]
            found.setdefault(owner.start_byte, []).extend(filter(None, names))
    return found


def _attributes(reading: Reading, node: Node) -> list[Node]:
    if reading.source[node.start_byte : node.start_byte + 2] != b"#[":
        return []
    listed = node.child_by_field_name("attributes")
    groups = listed.named_children if listed is not None else []
    return [one for group in groups for one in group.named_children if one.type == "attribute"]


def _type_declared(reading: Reading, node: Node, traits: dict[int, list[str]]) -> None:
    bases = []
    for child in node.named_children:
        if child.type in ("base_clause", "class_interface_clause"):
            bases += [text for one in child.named_children if (text := reading.type(one))]
    reading.define(
        KINDS[node.type],
        node,
        reading.text(node.child_by_field_name("name")),
        node.child_by_field_name("body"),
        decorators=_attributes(reading, node),
        bases=[*bases, *traits.get(node.start_byte, ())],
    )


def _function(reading: Reading, node: Node) -> bool:
    """Whether its result is declared."""
    name = reading.text(node.child_by_field_name("name"))
    result = node.child_by_field_name("return_type")
    reading.define(
        "constructor" if name == "__construct" else "function",
        node,
        name,
        node.child_by_field_name("body"),
        decorators=_attributes(reading, node),
        returns=reading.type(result),
    )
    return result is not None


def _property(reading: Reading, node: Node) -> None:
    type_ = reading.type(node.child_by_field_name("type"))
    if node.type == "property_promotion_parameter":
        name = node.child_by_field_name("name")
        owner: Node | None = node
        for _ in range(4):  # it stands in the constructor and belongs to the class
            owner = owner.parent if owner is not None else None
        receiver = reading.text(owner.child_by_field_name("name")) if owner is not None else ""
        reading.define("property", node, reading.text(name).lstrip("&$"), returns=type_, receiver=receiver)
        return
    for child in node.named_children:
        if child.type == "property_element":
            name = child.child_by_field_name("name") or part(child, 0)
            attributes = _attributes(reading, node)
            reading.define("property", node, reading.text(name).lstrip("$"), decorators=attributes, returns=type_)
            break  # of several in one declaration, the first


def _constants(reading: Reading) -> None:
    known: set[str] = set()
    for node in reading.nodes("constant", "case"):
        if node.type == "enum_case":
            reading.define("constant", node, reading.text(node.child_by_field_name("name")))
            continue
        for child in node.named_children:
            if child.type == "const_element":
                reading.define("constant", child, reading.text(part(child, 0)))
    for node in reading.nodes("assign"):
        left = node.child_by_field_name("left")
        if left is not None and left.type == "variable_name" and not reading.kind_at(node.start_byte):
            name = reading.text(left)
            if name not in known and len(name) > 1:
                known.add(name)
                reading.define("variable", node, name)


def _bindings(reading: Reading, untyped: set[int]) -> None:
    for node in reading.nodes("parameter", "promoted", "catch"):
        name = node.child_by_field_name("name")
        if name is not None:
            type_ = reading.type(node.child_by_field_name("type"))
            if node.type == "variadic_parameter" and type_:
                type_ = f"list[{type_}]"
            reading.bind(node.start_byte, reading.text(name).lstrip("&"), type_)
            if node.type == "property_promotion_parameter":
                owner = reading.owner(reading.scope(node.start_byte))
                if owner != TOP and type_:
                    reading.bind_in(owner, reading.text(name).lstrip("&$"), type_, "")
    for node in reading.nodes("assign"):
        _assigned(reading, node)
    for node in reading.nodes("loop"):
        over, target = part(node, 0), part(node, 1)
        if target is not None and target.type == "pair":
            target = part(target, -1)
        if target is not None and target.type == "variable_name":
            reading.bind(target.start_byte, reading.text(target), "", over, "[]")
    for node in reading.nodes("return"):
        scope = reading.scope(node.start_byte)
        if scope in untyped:
            reading.give_back(scope, node)


def _assigned(reading: Reading, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None:
        return
    if left.type == "variable_name":
        reading.bind(left.start_byte, reading.text(left), "", right)
        return
    text = PLAIN.fullmatch(reading.source, left.start_byte, left.end_byte)
    target = respelt(text[0].decode()) if text is not None else ""
    first, _, name = target.partition(".")
    if first in ("this", "self", "static") and name and "." not in name:
        scope = reading.scope(node.start_byte)
        owner, chain = reading.owner(scope), reading.chain(right)
        if owner != TOP and chain:
            reading.bind_in(owner, name, "", chain, scope)


def _imports(reading: Reading) -> None:
    for node in reading.nodes("use"):
        line, prefix = node.start_point.row + 1, ""
        clauses = []
        for child in node.named_children:
            if child.type == "namespace_name":
                prefix = f"{reading.text(child)}\\"
            elif child.type == "namespace_use_group":
                clauses += child.named_children
            else:
                clauses.append(child)
        for clause in clauses:
            if clause.type != "namespace_use_clause":
                continue
            alias = clause.child_by_field_name("alias")
            named = [one for one in clause.named_children if one.type in ("name", "qualified_name")]
            whole = prefix + (reading.text(named[0]) if named else "")
            module, _, name = whole.lstrip("\\").rpartition("\\")
            local = reading.text(alias) if alias is not None else name
            reading.imports.append(Import(local, module, name, line))
    for node in reading.nodes("require"):
        found = INCLUDED.search(reading.text(node))
        if found is not None:
            line = node.start_point.row + 1
            reading.imports.append(Import("*", f"./{found[1].lstrip('./')}", "*", line, True))
    known = {one.local for one in reading.imports}
    roots = {found[1].decode() for found in ROOTED.finditer(reading.source)}
    reading.imports += [Import(root, root) for root in sorted(roots - known)]


def finder(project: Project) -> Finder:
    by_package = finder_by_package("php", "\\")(project)

    def find(path: str, module: str) -> tuple[str, ...]:
        if not module.startswith("./"):
            return tuple(by_package(path, module))
        folder = path.rpartition("/")[0]
        while True:
            place = f"{folder}/{module[2:]}" if folder else module[2:]
            if project.has(place):
                return (place,)
            if not folder:
                return ()
            folder = folder.rpartition("/")[0]

    return find


COMMON = frozenset(
    "add all append clear close count create current execute fetch filter first format get getIterator getMessage "
    "getName handle has isEmpty join key keys last load make map merge next open process push read remove render "
    "reset run save send set start stop supports toArray update valid validate values write".split()
)


def _grammar() -> object:
    import tree_sitter_php

    return tree_sitter_php.language_php()


LANGUAGES = {
    "php": Language(
        "php",
        (".php",),
        _grammar,
        read,
        Rules(
            selves=frozenset(("this", "self", "static")),
            supers=frozenset(("parent",)),
            common=COMMON,
            finder=finder,
            shares=shares_package("php"),
        ),
    )
}
