"""PHP."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...model.code import TOP, FileMap, Import
from ..language import Finder, Language, Project, Rules
from .packages import finder_by_package, shares_package
from .php_docs import HOLDERS, Docs
from .php_instanceof import with_tested
from .php_mocks import stood_in_for
from .reading import Reading, Spelling, Step, bracketed, child_of, part

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
(anonymous_class) @anonymous
(anonymous_class (base_clause (_) @made))
(qualified_name) @qualified
(binary_expression operator: "instanceof") @tested
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
    "anonymous_class": "class",
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
    "object_creation_expression": Step("made", lambda node: _made(node)),
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
    docs = Docs(reading, _type)
    package = _namespaces(reading)
    traits = _traits(reading)
    for node in reading.nodes("type", "anonymous"):
        _type_declared(reading, node, traits)
    untyped = [node.start_byte for node in reading.nodes("function") if not _function(reading, node, docs)]
    for node in reading.nodes("property", "promoted"):
        _property(reading, node, docs)
    reading.place()
    _constants(reading)
    reading.settle()
    _bindings(reading, {reading.scope(start) for start in untyped}, docs)
    reading.read_calls()
    reading.read_sent()
    reading.calls = with_tested(reading)
    _imports(reading, package)
    return reading.map(package)


def _made(node: Node) -> Node | None:
    """The type of which one is made; what has no name of its own is one of what it extends."""
    made = part(node, 0)
    if made is None or made.type != "anonymous_class":
        return made
    above = child_of(made, ("base_clause", "class_interface_clause"))
    return part(above, 0) if above is not None else None


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
    above: dict[str, list[str]] = {}
    for child in node.named_children:
        if child.type in ("base_clause", "class_interface_clause"):
            above[child.type] = [text for one in child.named_children if (text := reading.type(one))]
    # What an interface only demands, a trait may have.
    bases = [*above.get("base_clause", ()), *traits.get(node.start_byte, ()), *above.get("class_interface_clause", ())]
    name = reading.text(node.child_by_field_name("name"))
    if node.type == "anonymous_class":
        name = f"${(bases or [''])[0].rpartition('.')[2]}"
    reading.define(
        KINDS[node.type],
        node,
        name,
        node.child_by_field_name("body"),
        decorators=_attributes(reading, node),
        bases=bases,
    )


def _function(reading: Reading, node: Node, docs: Docs) -> bool:
    """Whether its result is declared."""
    name = reading.text(node.child_by_field_name("name"))
    result = node.child_by_field_name("return_type")
    returns = reading.type(result)
    returns = docs.before(node.start_byte).returns or returns if returns in HOLDERS else returns
    reading.define(
        "constructor" if name == "__construct" else "function",
        node,
        name,
        node.child_by_field_name("body"),
        decorators=_attributes(reading, node),
        returns=returns,
    )
    return result is not None or bool(returns)


def _property(reading: Reading, node: Node, docs: Docs) -> None:
    type_ = reading.type(node.child_by_field_name("type"))
    type_ = docs.before(node.start_byte).type or type_ if type_ in HOLDERS else type_
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
            reading.define("constant", node, reading.text(node.child_by_field_name("name")), returns="self")
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


def _bindings(reading: Reading, untyped: set[int], docs: Docs) -> None:
    for node in reading.nodes("assign"):
        if _wraps(reading, node):
            _assigned(reading, node)
    said = {reading.scope(one.start_byte): docs.before(one.start_byte) for one in reading.nodes("function")}
    for node in reading.nodes("parameter", "promoted", "catch"):
        name = node.child_by_field_name("name")
        if name is not None:
            type_ = reading.type(node.child_by_field_name("type"))
            about = said.get(reading.scope(node.start_byte)) if type_ in HOLDERS else None
            type_ = about.parameters.get(reading.text(name).lstrip("&$")) or type_ if about is not None else type_
            if node.type == "variadic_parameter" and type_:
                type_ = f"list[{type_}]"
            reading.bind(node.start_byte, reading.text(name).lstrip("&"), type_)
            if node.type == "property_promotion_parameter":
                owner = reading.owner(reading.scope(node.start_byte))
                if owner != TOP and type_:
                    reading.bind_in(owner, reading.text(name).lstrip("&$"), type_, "")
    for begin, end in reading.comments:
        if (one := docs.said(begin, end)).name:
            reading.bind(begin, f"${one.name}", one.type)
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


def _wraps(reading: Reading, node: Node) -> bool:
    """`$out = new Styled($out)`: from then on it is another thing than what was given."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None or left.type != "variable_name" or right.type != "object_creation_expression":
        return False
    return re.search(rf"[(,]\s*{re.escape(reading.text(left))}\s*[,)]", reading.text(right)) is not None


def _assigned(reading: Reading, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None:
        return
    mocked = stood_in_for(reading, right)
    if mocked.startswith("\\"):
        root = mocked[1:].partition("\\")[0]
        reading.imports.append(Import(root, root))
    if left.type == "variable_name":
        reading.bind(left.start_byte, reading.text(left), _type(mocked), right)
        return
    text = PLAIN.fullmatch(reading.source, left.start_byte, left.end_byte)
    target = respelt(text[0].decode()) if text is not None else ""
    first, _, name = target.partition(".")
    if first in ("this", "self", "static") and name and "." not in name:
        scope = reading.scope(node.start_byte)
        owner, chain = reading.owner(scope), reading.chain(right)
        if owner != TOP and (chain or mocked):
            reading.bind_in(owner, name, _type(mocked), "" if mocked else chain, scope)


def _imports(reading: Reading, package: str) -> None:
    firsts = {reading.text(node).partition("\\")[0] for node in reading.nodes("qualified")}
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
            if not module and local in firsts:  # a namespace
                module, name = name, ""
            reading.imports.append(Import(local, module, name, line))
    for node in reading.nodes("require"):
        found = INCLUDED.search(reading.text(node))
        if found is not None:
            line = node.start_point.row + 1
            reading.imports.append(Import("*", f"./{found[1].lstrip('./')}", "*", line, True))
    known = {one.local for one in reading.imports}
    roots = {found[1].decode() for found in ROOTED.finditer(reading.source)}
    reading.imports += [Import(root, root) for root in sorted(roots - known)]
    if package:  # other names of several parts go on from the namespace at hand
        below = sorted(firsts - known - roots - {"", "namespace"})
        reading.imports += [Import(first, package, first) for first in below]


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
    "add all append cancel clear close count create current execute fetch filter first format get getIterator "
    "getMessage getName getPath handle has isEmpty join key keys last load make map merge next open process "
    "push read remove render reset resolve run save send set start stop supports then toArray update valid "
    "validate values wait with write".split()
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
            shares=shares_package("php", root=True),
        ),
    )
}
