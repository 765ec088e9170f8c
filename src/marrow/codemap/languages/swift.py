"""Swift."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...model.code import TYPES, FileMap, Import
from ..language import Language, Rules
from ..outline import Definition
from .reading import Reading, Spelling, Step, bracketed, child_of, head_of, part

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
[(class_declaration) (protocol_declaration)] @type
[(function_declaration) (init_declaration) (deinit_declaration) (protocol_function_declaration)
 (subscript_declaration)] @function
[(property_declaration) (protocol_property_declaration)] @property
[(typealias_declaration) (associatedtype_declaration)] @alias
(enum_entry) @entry
(parameter) @parameter
(for_statement) @loop
[(if_statement) (guard_statement) (while_statement)] @condition
(lambda_parameter name: (simple_identifier) @hidden)
(call_expression . (_) @call (call_suffix . (value_arguments "(")))
(call_expression . (_) @call (call_suffix . (lambda_literal)))
(import_declaration) @import
[(comment) (multiline_comment)] @comment
[(line_string_literal) (multi_line_string_literal) (raw_string_literal)] @string
"""
KINDS = {"class": "class", "struct": "struct", "enum": "enum", "actor": "class", "protocol": "protocol"}
BODIES = frozenset(("class_body", "enum_class_body", "protocol_body"))

_WORDS = re.compile(r"@\w+(?:\([^)]*\))?\s*|\b(?:some|any|inout|borrowing|consuming|isolated|sending)\s+")


def _type(text: str) -> str:
    """`[Row]?`, `[String: Row]`, `some Proto`, `Array<Row>`."""
    bare = "".join(_WORDS.sub("", text).split()).replace("?", "").replace("!", "").replace("&", "|")
    bare = bare.replace("[", "list<").replace("]", ">")
    bare = re.sub(r"list<([\w.]+):", r"dict<\1,", bare)
    return bracketed(bare.replace("<", "[").replace(">", "]"))


def respelt(chain: str) -> str:
    return f"?{chain[chain.find('.') :]}" if chain.startswith("$") and "." in chain else chain


NAME = Step("name")
STEPS = {
    "simple_identifier": NAME,
    "self_expression": NAME,
    "super_expression": NAME,
    "user_type": NAME,
    "navigation_expression": Step("member", "target", "suffix"),
    "call_expression": Step("suffixed", 0),
    "try_expression": Step("through", "expr"),
    "await_expression": Step("through", "expr"),
    "postfix_expression": Step("through", "target"),
    "tuple_expression": Step("through", "value"),
    "as_expression": Step("typed", "name"),
    "line_string_literal": Step("word", name="<String>"),
}
SPELLING = Spelling(STEPS, _type, re.compile(rb"\$?[A-Za-z_\d][\w.]*"), respelt)


def read(root: Node, source: bytes, path: str) -> FileMap:
    reading = Reading("swift", QUERY, SPELLING, root, source)
    extended = _types(reading)
    for node in reading.nodes("function"):
        _function(reading, node, _receiver(node, extended))
    for node in reading.nodes("alias"):
        name = node.child_by_field_name("name")
        aliased = part(node, -1) if node.type == "typealias_declaration" and node.named_child_count > 1 else None
        receiver = _receiver(node, extended)
        reading.define("type", node, reading.text(name), returns=reading.type(aliased), receiver=receiver)
    for node in reading.nodes("entry"):
        for child in node.children_by_field_name("name"):
            reading.define("constant", child, reading.text(child))
    reading.place()
    locals_ = [node for node in reading.nodes("property") if not _property(reading, node, extended)]
    reading.settle()
    _bindings(reading, locals_)
    reading.read_calls()
    for node in reading.nodes("import"):
        names = child_of(node, ("identifier",))
        text = reading.text(names)
        reading.imports.append(Import("*", text, "*", node.start_point.row + 1))
    return reading.map()


def _attributes(node: Node) -> list[Node]:
    modifiers = part(node, 0)
    if modifiers is None or modifiers.type != "modifiers":
        return []
    return [child for child in modifiers.named_children if child.type == "attribute"]


def _types(reading: Reading) -> dict[int, str]:
    """Types, and what they are extended with in this file. Gives where the bodies of extensions begin, with the types
    that they extend."""
    extended: dict[int, str] = {}
    more: dict[str, list[str]] = {}
    for node in reading.nodes("type"):
        sort = node.child_by_field_name("declaration_kind")
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        above = [child for child in node.named_children if child.type == "inheritance_specifier"]
        bases = [text for child in above if (text := reading.type(part(child, "inherits_from")))]
        word = reading.text(sort) if sort is not None else "protocol"
        if word == "extension":
            owner = head_of(reading.type(name))
            if body is not None:
                extended[body.start_byte] = owner
            more.setdefault(owner, []).extend(bases)
        else:
            reading.define(
                KINDS.get(word, "class"),
                node,
                reading.text(name),
                body,
                decorators=_attributes(node),
                bases=bases,
                receiver=_receiver(node, extended),
            )
    reading.definitions = [_conforming(one, more) for one in reading.definitions]
    return extended


def _conforming(one: Definition, more: dict[str, list[str]]) -> Definition:
    added = [base for base in more.get(one.name, ()) if base not in one.bases]
    return one._replace(bases=(*one.bases, *added)) if added else one


def _receiver(node: Node, extended: dict[int, str]) -> str:
    """The type that is extended around a node; "" where it stands elsewhere."""
    if not extended:
        return ""
    body = node.parent
    return extended.get(body.start_byte, "") if body is not None and body.type in BODIES else ""


def _function(reading: Reading, node: Node, receiver: str) -> None:
    kind = node.type
    body = node.child_by_field_name("body")
    name, result = "", None
    if kind == "init_declaration":
        name = "init"
    elif kind == "deinit_declaration":
        name = "deinit"
    else:
        named = node.children_by_field_name("name")
        if kind == "subscript_declaration":
            name, result = "subscript", named[-1] if named else None
            body = body or child_of(node, ("computed_property",))
        else:
            name = reading.text(named[0]) if named else ""
            result = named[-1] if len(named) > 1 else None
    reading.define(
        "constructor" if kind == "init_declaration" else "method" if receiver else "function",
        node,
        name.strip("`"),
        body,
        decorators=_attributes(node),
        returns=reading.type(result),
        receiver=receiver,
    )


def _property(reading: Reading, node: Node, extended: dict[int, str]) -> bool:
    """A symbol, if it stands in a file or type; False for a variable of a function or one without a type."""
    receiver = _receiver(node, extended)
    around = reading.kind_at(node.start_byte)
    if around and around not in TYPES and not receiver:
        return False
    name = _named(node)
    text = reading.text(name).strip("`")
    type_ = _annotated(reading, node)
    body = node.child_by_field_name("computed_value") or child_of(
        node, ("willset_didset_block", "protocol_property_requirements")
    )
    kind = "property" if around or receiver else "constant" if text.isupper() else "variable"
    if not re.fullmatch(r"\w+", text):
        return False
    reading.define(kind, node, text, body, decorators=_attributes(node), returns=type_, receiver=receiver)
    return bool(type_) or node.child_by_field_name("value") is None


def _named(node: Node) -> Node | None:
    pattern = node.child_by_field_name("name")
    return (pattern.child_by_field_name("bound_identifier") or pattern) if pattern is not None else None


def _annotated(reading: Reading, node: Node) -> str:
    annotation = child_of(node, ("type_annotation",))
    return reading.type(annotation.child_by_field_name("name")) if annotation is not None else ""


def _bindings(reading: Reading, locals_: list[Node]) -> None:
    for node in reading.nodes("parameter"):
        named = node.children_by_field_name("name")
        if named:
            type_ = reading.type(named[-1]) if len(named) > 1 else ""
            if type_ and reading.source[node.start_byte : node.end_byte].endswith(b"..."):
                type_ = f"list[{type_}]"
            reading.bind(node.start_byte, reading.text(named[0]), type_)
    for node in reading.nodes("hidden"):
        reading.bind(node.start_byte, reading.text(node))
    for node in locals_:
        name = reading.text(_named(node))
        if re.fullmatch(r"\w+", name):
            reading.bind(node.start_byte, name, _annotated(reading, node), node.child_by_field_name("value"))
        else:
            for one in re.findall(r"\w+", name):
                reading.bind(node.start_byte, one)
    for node in reading.nodes("loop"):
        item = node.child_by_field_name("item")
        drawn = item.child_by_field_name("bound_identifier") if item is not None else None
        if drawn is not None:
            reading.bind(drawn.start_byte, reading.text(drawn), "", node.child_by_field_name("collection"), "[]")
    for node in reading.nodes("condition"):
        _conditions(reading, node)


def _conditions(reading: Reading, node: Node) -> None:
    """`if let x = y, let z = x.w()`: each name, and what stands behind it; alone it stands for itself."""
    name = ""
    for child in node.named_children:
        kind = child.type
        if kind in ("statements", "else"):
            return
        if name:
            if kind != "type_annotation":
                reading.bind(node.start_byte, name, "", child)
                name = ""
        elif kind == "simple_identifier":
            before = child.prev_named_sibling
            follows = reading.source[child.end_byte : child.end_byte + 3].lstrip()
            if before is not None and before.type == "value_binding_pattern" and follows[:1] in (b"=", b":"):
                name = reading.text(child)


COMMON = frozenset(
    "add append appending allSatisfy cancel compactMap contains count decode description dropFirst encode enumerated "
    "filter first firstIndex flatMap forEach get hash index init insert joined last load lock lowercased map max min "
    "next perform print read reduce remove removeAll removeFirst removeLast replace resume reversed run send set sort "
    "sorted split start stop sync unlock update uppercased validate value write zip".split()
)


def _grammar() -> object:
    import tree_sitter_swift

    return tree_sitter_swift.language()


LANGUAGES = {
    "swift": Language(
        "swift",
        (".swift",),
        _grammar,
        read,
        Rules(
            selves=frozenset(("self", "Self")),
            supers=frozenset(("super",)),
            made_by_call=True,
            implicit_self=True,
            everywhere=True,
            wrappers=frozenset(("Optional", "Binding", "Published")),
            common=COMMON,
        ),
    )
}
