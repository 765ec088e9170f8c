"""Scala, 2 and 3."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...model.code import TOP, TYPES, FileMap, Import
from ..language import Language, Rules
from .packages import finder_by_package, shares_package
from .reading import PLAIN_MAX, Reading, Spelling, Step, bracketed, head_of, part

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
[(class_definition) (trait_definition) (object_definition) (enum_definition) (package_object)
 (given_definition)] @type
[(function_definition) (function_declaration)] @function
[(val_definition) (var_definition) (val_declaration) (var_declaration)] @value
(type_definition) @alias
(class_parameter) @class_parameter
(parameter) @parameter
[(simple_enum_case) (full_enum_case)] @case
(extension_definition) @extension
(enumerator) @loop
(lambda_expression parameters: (identifier) @hidden)
(binding name: (identifier) @hidden)
(typed_pattern) @pattern
(call_expression function: (_) @call)
(infix_expression left: (_) @left operator: (identifier) @infix)
(instance_expression . [(type_identifier) (generic_type) (stable_type_identifier)] @made)
(field_expression) @field
(import_declaration) @import
(package_clause) @package
[(comment) (block_comment)] @comment
[(string) (interpolated_string_expression) (character_literal)] @string
"""
KINDS = {
    "class_definition": "class",
    "trait_definition": "trait",
    "object_definition": "object",
    "enum_definition": "enum",
    "package_object": "object",
    "given_definition": "object",
}
ITERATES = frozenset("foreach map filter flatMap exists forall find collect withFilter foldLeft".split())

_BY_NAME = re.compile(r"^\s*=>\s*|\*\s*$|@\w+")


def _type(text: str) -> str:
    bare = _BY_NAME.sub("", text).replace(" with ", "|").replace(" & ", "|")
    bare = "".join(bare.split()).replace("#", ".").removesuffix(".type")
    return "Self" if bare == "this" else bracketed(bare.replace("[]", ""))


def respelt(chain: str) -> str:
    return f"?{chain[1:]}" if chain.startswith("_.") else chain


NAME = Step("name")
STEPS = {
    "identifier": NAME,
    "operator_identifier": NAME,
    "wildcard": NAME,
    "this": NAME,
    "super": NAME,
    "field_expression": Step("member", "value", "field"),
    "call_expression": Step("call", "function"),
    "generic_function": Step("through", "function"),
    "instance_expression": Step("made", 0),
    "parenthesized_expression": Step("through", 0),
    "ascription_expression": Step("typed", -1),
    "string": Step("word", name="<String>"),
    "interpolated_string_expression": Step("word", name="<String>"),
}
SPELLING = Spelling(STEPS, _type, re.compile(rb"[A-Za-z_][\w$.]*"), respelt)


def read(root: Node, source: bytes, path: str) -> FileMap:
    reading = Reading("scala", QUERY, SPELLING, root, source)
    packages = [reading.text(node.child_by_field_name("name")) for node in reading.nodes("package")]
    package = ".".join("".join(name.split()) for name in packages)
    wrapped: dict[int, str] = {}  # where bodies begin that add to a type
    for node in reading.nodes("type"):
        _declared_type(reading, node, wrapped)
    extensions = _extensions(reading)
    bodies = [(node, _function(reading, node, wrapped, extensions)) for node in reading.nodes("function")]
    for node in reading.nodes("alias"):
        name, aliased = node.child_by_field_name("name"), node.child_by_field_name("type")
        reading.define("type", node, reading.text(name), returns=reading.type(aliased))
    for node in reading.nodes("case"):
        bases = _bases(reading, node.child_by_field_name("extend"))
        kind = "constant" if node.type == "simple_enum_case" else "class"
        reading.define(kind, node, reading.text(node.child_by_field_name("name")), bases=bases)
    for node in reading.nodes("class_parameter"):
        name, type_ = node.child_by_field_name("name"), node.child_by_field_name("type")
        reading.define("property", node, reading.text(name), returns=reading.type(type_))
    reading.place()
    values = [node for node in reading.nodes("value") if not _value(reading, node)]
    reading.settle()
    _bindings(reading, values, extensions)
    for node, body in bodies:
        if body is not None:
            last = part(body, -1) if body.type in ("block", "indented_block") else body
            reading.give_back(reading.scope(node.end_byte - 1), last)
    _calls(reading)
    for node in reading.nodes("import"):
        reading.imports += _imported(reading, node)
    reading.name_root(package, ".")
    return reading.map(package)


def _bases(reading: Reading, extends: Node | None) -> list[str]:
    if extends is None:
        return []
    return [text for one in extends.children_by_field_name("type") if one.is_named and (text := reading.type(one))]


def _annotations(node: Node, source: bytes) -> list[Node]:
    if source[node.start_byte : node.start_byte + 1] != b"@":
        return []
    return [child for child in node.named_children if child.type == "annotation"]


def _declared_type(reading: Reading, node: Node, wrapped: dict[int, str]) -> None:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    kind = KINDS[node.type]
    if node.type == "given_definition":
        results = [one for one in node.children_by_field_name("return_type") if one.is_named]
        bases = [text for one in results if (text := reading.type(one))]
    else:
        bases = _bases(reading, node.child_by_field_name("extend"))
    reading.define(kind, node, reading.text(name), body, decorators=_annotations(node, reading.source), bases=bases)
    before = reading.source[node.start_byte : name.start_byte] if name is not None else b""
    if kind == "class" and b"implicit" in before.split() and body is not None:
        parameters = node.child_by_field_name("class_parameters")
        first = part(parameters, 0) if parameters is not None else None
        if first is not None:
            wrapped[body.start_byte] = head_of(reading.type(first.child_by_field_name("type")))


def _extensions(reading: Reading) -> dict[int, tuple[str, str]]:
    """Where functions begin that extend a type, with the name that it has in them, and the type."""
    found: dict[int, tuple[str, str]] = {}
    for node in reading.nodes("extension"):
        parameters = node.child_by_field_name("parameters")
        first = part(parameters, 0) if parameters is not None else None
        if first is None:
            continue
        name, type_ = first.child_by_field_name("name"), first.child_by_field_name("type")
        given = reading.text(name), reading.type(type_)
        for body in node.children_by_field_name("body"):
            inner = body.named_children if body.type not in ("function_definition", "function_declaration") else [body]
            found.update((one.start_byte, given) for one in inner)
    return found


def _function(
    reading: Reading, node: Node, wrapped: dict[int, str], extensions: dict[int, tuple[str, str]]
) -> Node | None:
    """Gives the body, where no result is declared."""
    name, result = node.child_by_field_name("name"), node.child_by_field_name("return_type")
    body = node.child_by_field_name("body")
    receiver = ""
    if wrapped and node.parent is not None:
        receiver = wrapped.get(node.parent.start_byte, "")
    if node.start_byte in extensions:
        receiver = head_of(extensions[node.start_byte][1])
    text = reading.text(name)
    reading.define(
        "constructor" if text == "this" else "function",
        node,
        text.strip("`"),
        body,
        decorators=_annotations(node, reading.source),
        returns=reading.type(result),
        receiver=receiver,
    )
    return body if result is None and text != "this" else None


def _value(reading: Reading, node: Node) -> bool:
    """A symbol, if it stands in a file or type; False for one that is to be bound too."""
    around = reading.kind_at(node.start_byte)
    if around and around not in TYPES:
        return False
    name = node.child_by_field_name("pattern") or node.child_by_field_name("name")
    if name is None or name.type not in ("identifier", "operator_identifier"):
        return False
    text, type_ = reading.text(name), reading.type(node.child_by_field_name("type"))
    kind = "property" if around else "constant" if text[:1].isupper() else "variable"
    reading.define(kind, node, text.strip("`"), decorators=_annotations(node, reading.source), returns=type_)
    return bool(type_)


def _bindings(reading: Reading, values: Iterable[Node], extensions: dict[int, tuple[str, str]]) -> None:
    for node in reading.nodes("parameter", "class_parameter"):
        if reading.scope(node.start_byte) == TOP:  # that of an extension
            continue
        name = node.child_by_field_name("name")
        reading.bind(node.start_byte, reading.text(name), reading.type(node.child_by_field_name("type")))
    for start, (name_, type_) in extensions.items():
        reading.bind(start, name_, type_)
    for node in reading.nodes("hidden"):
        _lambda(reading, node)
    for node in reading.nodes("pattern"):
        name = node.child_by_field_name("pattern")
        if name is not None and name.type == "identifier":
            reading.bind(node.start_byte, reading.text(name), reading.type(node.child_by_field_name("type")))
    for node in values:
        name = node.child_by_field_name("pattern") or node.child_by_field_name("name")
        if name is not None and name.type == "identifier":
            type_ = reading.type(node.child_by_field_name("type"))
            reading.bind(node.start_byte, reading.text(name), type_, node.child_by_field_name("value"))
        elif name is not None and name.type == "tuple_pattern":
            for one in name.named_children:
                if one.type == "identifier":
                    reading.bind(node.start_byte, reading.text(one))
    for node in reading.nodes("loop"):
        name, over = part(node, 0), part(node, -1)
        if name is not None and over is not None and name.type == "identifier" and name.end_byte < over.start_byte:
            drawn = b"<-" in reading.source[name.end_byte : over.start_byte]
            reading.bind(node.start_byte, reading.text(name), "", over, "[]" if drawn else "")


def _lambda(reading: Reading, node: Node) -> None:
    """A parameter of a lambda; that of one which is given to `map` and the like is an element."""
    value = ""
    call: Node | None = node
    for _ in range(3):
        call = call.parent if call is not None else None
    if node.parent is not None and node.parent.type == "lambda_expression" and call is not None:
        called = call.child_by_field_name("function") if call.type == "call_expression" else None
        field = called.child_by_field_name("field") if called is not None else None
        if called is not None and field is not None and reading.text(field) in ITERATES:
            over = reading.chain(called.child_by_field_name("value"))
            value = f"{over}[]" if over else ""
    reading.bind(node.start_byte, reading.text(node), "", value)


def _calls(reading: Reading) -> None:
    """Calls with brackets, between two words, and of members without brackets."""
    reading.read_calls()
    called = {(node.start_byte, node.end_byte) for node in reading.nodes("call")}
    for left, node in zip(reading.nodes("left"), reading.nodes("infix"), strict=True):
        before = reading.chain(left)
        reading.add_call(node, f"{before or '?'}.{reading.text(node)}")
    source, plain = reading.source, SPELLING.plain
    for node in reading.nodes("field"):
        first, last = node.start_byte, node.end_byte
        if (first, last) in called:
            continue
        text = plain.fullmatch(source, first, last) if last - first < PLAIN_MAX else None
        chain = respelt(text[0].decode()) if text is not None else reading.chain(node)
        if chain and chain.rpartition(".")[2][:1].islower():
            reading.add_call(node, chain)


def _imported(reading: Reading, node: Node) -> Iterable[Import]:
    line, path = node.start_point.row + 1, ""
    given = False
    for child in node.named_children:
        kind = child.type
        if kind in ("identifier", "stable_identifier", "operator_identifier"):
            path = f"{path}.{reading.text(child)}" if path else reading.text(child)
        elif kind in ("namespace_selectors", "namespace_wildcard", "as_renamed_identifier"):
            given = True
            for one in child.named_children if kind == "namespace_selectors" else [child]:
                yield from _selected(reading, one, path, line)
    if not given:
        module, _, name = path.rpartition(".")
        yield Import(name, module, name, line)


def _selected(reading: Reading, one: Node, path: str, line: int) -> Iterable[Import]:
    if one.type in ("arrow_renamed_identifier", "as_renamed_identifier"):
        name, alias = reading.text(one.child_by_field_name("name")), reading.text(one.child_by_field_name("alias"))
        if alias != "_":
            yield Import(alias, path, name, line)
    elif one.type == "identifier":
        yield Import(reading.text(one), path, reading.text(one), line)
    else:
        yield Import("*", path, "*", line)


COMMON = frozenset(
    "add all and apply asInstanceOf collect combine compose contains copy count drop equals eqv exists filter find "
    "flatMap flatten fold foldLeft foldRight forall foreach get getOrElse groupBy hashCode head headOption isDefined "
    "isEmpty isInstanceOf iterator keys last length lift map mkString nonEmpty of orElse pure reverse run size sortBy "
    "split sum tail take toList toMap toSeq toSet toString toVector traverse unapply value values void zip".split()
)


def _grammar() -> object:
    import tree_sitter_scala

    return tree_sitter_scala.language()


LANGUAGES = {
    "scala": Language(
        "scala",
        (".scala", ".sc"),
        _grammar,
        read,
        Rules(
            selves=frozenset(("this",)),
            supers=frozenset(("super",)),
            made_by_call=True,
            implicit_self=True,
            reopened=True,
            bare_calls=True,
            wrappers=frozenset(("Lazy",)),
            common=COMMON,
            finder=finder_by_package("scala"),
            shares=shares_package("scala", "."),
        ),
    )
}
