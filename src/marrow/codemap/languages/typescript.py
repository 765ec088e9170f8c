"""JavaScript and TypeScript, with JSX."""

from __future__ import annotations

import re
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ...model.code import TOP, Binding, Call, FileMap, Import, Symbol
from ..language import Language, Rules
from ..outline import Outline
from ..parse import captures, tree_of
from .typescript_bindings import HANDS_ON, Bindings
from .typescript_chains import chain_of
from .typescript_comments import Comments, is_jsx_comment
from .typescript_definitions import Definitions
from .typescript_imports import imports_of, loaded
from .typescript_mending import mended
from .typescript_modules import finder

if TYPE_CHECKING:
    from tree_sitter import Node

_EVERY = """
(function_declaration) @function
(generator_function_declaration) @function
[(arrow_function) (function_expression) (generator_function)] @anonymous
(class_declaration) @class
(class) @class
(method_definition) @method
(program [(lexical_declaration) (variable_declaration)] @top)
(export_statement declaration: [(lexical_declaration) (variable_declaration)] @top)
(variable_declarator value: [(arrow_function) (function_expression) (generator_function) (class)]) @value
(variable_declarator value: (parenthesized_expression [(arrow_function) (function_expression) (class)])) @value
(variable_declarator value: (call_expression
  arguments: (arguments . [(arrow_function) (function_expression)]))) @value
(variable_declarator) @declarator
(call_expression function: (_) @call)
(new_expression constructor: (_) @new)
(decorator) @decorator
(assignment_expression) @assign
(pair value: [(arrow_function) (function_expression) (generator_function)]) @pair
(return_statement (_) @return)
(for_in_statement) @loop
(catch_clause parameter: (_) @catch)
(import_statement) @import
(export_statement) @export
(comment) @comment
(string) @string
(template_string) @string
(regex) @string
"""
_JSX = """
(jsx_opening_element name: (_) @jsx)
(jsx_self_closing_element name: (_) @jsx)
(jsx_expression (comment)) @braced
"""
_JAVASCRIPT = "(field_definition) @field"
_TYPED = """
(function_signature) @signature
(abstract_class_declaration) @class
(interface_declaration) @interface
(enum_declaration) @enum
(type_alias_declaration) @alias
(internal_module) @namespace
(module) @namespace
(internal_module body: (statement_block [(lexical_declaration) (variable_declaration)] @top))
(ambient_declaration) @ambient
(ambient_declaration [(lexical_declaration) (variable_declaration)] @top)
(class_body (method_signature) @signature)
(abstract_method_signature) @signature
(interface_body (method_signature) @signature)
(interface_body (property_signature) @property)
(type_alias_declaration value: (object_type [(method_signature) @signature (property_signature) @property]))
(variable_declarator value: [
  (as_expression [(arrow_function) (function_expression) (class) (parenthesized_expression)])
  (satisfies_expression [(arrow_function) (function_expression) (class) (parenthesized_expression)])]) @value
(import_alias) @import_alias
(public_field_definition) @field
(enum_body [(property_identifier) (string) (enum_assignment)] @enumerator)
"""
QUERIES = {
    "javascript": _EVERY + _JSX + _JAVASCRIPT,
    "typescript": _EVERY + _TYPED + "(variable_declarator value: (type_assertion)) @value",
    "tsx": _EVERY + _TYPED + _JSX,
}

_PLAIN = re.compile(r"[^\W\d][\w$]*(?:[?!]*\.#?[\w$]+)*\Z|\$[\w$]*(?:[?!]*\.#?[\w$]+)*\Z")
_MARKS = str.maketrans("", "", "?!")
_ERRORS_MAX = 100


def read(root: Node, source: bytes, path: str, language: str) -> FileMap:
    errors = 0
    if root.has_error:
        root, errors = _mended(root, source, language)
    found: dict[str, list[Any]] = captures(language, QUERIES[language])(root)
    comments = [(n.start_byte, n.end_byte) for n in found.get("comment", ())]
    strings = [(n.start_byte, n.end_byte) for n in found.get("string", ())]
    remarks = Comments(comments, source)
    is_typed = language != "javascript"
    definitions = Definitions(found, source, remarks, is_typed)
    bindings = Bindings(found, source, definitions, None if is_typed or b"@type" not in source else remarks)
    braced = (one for one in found.get("braced", ()) if is_jsx_comment(one, one.parent.type if one.parent else ""))
    hidden = {*comments, *((one.start_byte, one.end_byte) for one in braced)}
    outline = Outline(source, definitions.list, sorted(hidden), strings, optional=b";")
    symbols = outline.symbols()
    imports, aliases = imports_of(found, source)
    calls, loads = _calls(found, source, outline, bindings)
    imports += loads
    bindings.settle(outline, symbols, imports)
    symbols = tuple(_without_value(symbol) if symbol.returns[:1] == "=" else symbol for symbol in symbols)
    imports += bindings.imports
    imports, given = _handed_on(imports, [*aliases, *definitions.exports])
    names = {symbol.name for symbol in symbols if symbol.parent == TOP}
    given = [one for one in given if one.name not in names]
    return FileMap(
        language,
        symbols=symbols,
        imports=tuple(imports),
        bindings=(*bindings.made(), *given),
        calls=tuple(bindings.told(calls)),
        errors=errors,
    )


def _calls(
    found: dict[str, list[Any]], source: bytes, outline: Outline, bindings: Bindings
) -> tuple[list[tuple[int, Call]], list[Import]]:
    """The calls with where they are, and the modules that are loaded on the way."""
    made: list[tuple[int, Call]] = []
    loads: list[Import] = []
    scope_at = outline.scope_at
    for node in found.get("call", ()):
        first, last = node.start_byte, node.end_byte
        text = source[first:last].decode("utf-8", "replace") if last - first < 200 else ""
        row, column = node.end_point
        if text.isidentifier():
            chain, column = text, column + first - last
            if text == "require" or text == "import":
                if (around := node.parent) is not None and (module := loaded(around, source)):
                    loads.append(Import("", module, "", row + 1, scope=scope_at(first)))
                continue
        elif text and _PLAIN.match(text):
            chain = text.translate(_MARKS) if "?" in text or "!" in text else text
            name = chain.rpartition(".")[2]
            if name in HANDS_ON:
                bindings.give(name, chain, node)
            column -= len(name) if name.isascii() else len(name.encode())
        else:
            row, column, chain = _long_call(node, source, bindings)
        made.append((first, Call(scope_at(first), row + 1, column, chain)))
    for node in found.get("new", ()):
        row, column, chain = _name_at(node, source)
        if not chain.endswith("}"):
            made.append((node.start_byte, Call(scope_at(node.start_byte), row + 1, column, chain + "{}")))
    for node in found.get("jsx", ()):
        row, column, chain = _name_at(node, source)
        if "." in chain or not chain[:1].islower():
            made.append((node.start_byte, Call(scope_at(node.start_byte), row + 1, column, chain)))
    for node in found.get("decorator", ()):
        inner = node.named_child(0) if node.named_child_count else None
        if inner is not None and inner.type in ("identifier", "member_expression"):
            row, column, chain = _name_at(inner, source)
            made.append((inner.start_byte, Call(scope_at(inner.start_byte), row + 1, column, chain)))
    made.sort(key=itemgetter(0))
    return made, loads


def _long_call(node: Node, source: bytes, bindings: Bindings) -> tuple[int, int, str]:
    """Where the last name of a callee stands that is more than names and dots, and its chain."""
    row, column, chain = _name_at(node, source)
    if node.type == "member_expression" and (name := chain.rpartition(".")[2]) in HANDS_ON:
        bindings.give(name, chain, node)
    return row, column, chain


def _name_at(node: Node, source: bytes) -> tuple[int, int, str]:
    chain = chain_of(node, source)
    last = node.child_by_field_name("property") if node.type == "member_expression" else node
    row, column = last.start_point if last is not None else node.start_point
    return row, column, chain


def _handed_on(imports: list[Import], aliases: list[tuple[str, str]]) -> tuple[list[Import], list[Binding]]:
    """`export {a as b}`: what was imported is handed on under its new name, what is the file's own is bound to it."""
    by_local: dict[str, list[int]] = {}
    for at, one in enumerate(imports):
        if one.scope == TOP and one.local:
            by_local.setdefault(one.local, []).append(at)
    given: list[Binding] = []
    for name, chain in aliases:
        places = by_local.get(chain, ())
        if not places and name != chain:
            given.append(Binding(TOP, name, "", chain))
        for at in places:
            if name == chain:
                imports[at] = imports[at]._replace(exported=True)
            else:
                imports.append(imports[at]._replace(local=name, exported=True))
    return imports, given


def _without_value(symbol: Symbol) -> Symbol:
    return symbol._replace(returns="this" if symbol.returns == "=this" else "")


def _errors(root: Node, language: str) -> int:
    places = captures(language, "[(ERROR) (MISSING)] @error")(root).get("error", ())
    return max(1, min(len(places), _ERRORS_MAX)) if root.has_error else 0


def _mended(root: Node, source: bytes, language: str) -> tuple[Node, int]:
    """The tree with the fewer errors: as it is, or of the text as the grammar likes it. Nothing in it has moved."""
    errors = _errors(root, language)
    text = mended(source) if language != "javascript" else source
    if text == source:
        return root, errors
    other = tree_of(LANGUAGES[language], text).root_node
    left = _errors(other, language)
    return (other, left) if left < errors else (root, errors)


def _javascript() -> object:
    import tree_sitter_javascript

    return tree_sitter_javascript.language()


def _typescript() -> object:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_typescript()


def _tsx() -> object:
    import tree_sitter_typescript

    return tree_sitter_typescript.language_tsx()


RULES = Rules(
    selves=frozenset(("this",)),
    supers=frozenset(("super",)),
    wrappers=frozenset(
        "Promise PromiseLike Readonly Partial Required Awaited NonNullable Pick Omit Extract Exclude NoInfer Ref"
        " MutableRefObject RefObject ShallowRef ComputedRef WeakRef".split()
    ),
    common=frozenset(
        "get set has add push pop shift unshift map filter forEach reduce find some every then catch finally toString"
        " valueOf toJSON call apply bind next return throw delete clear keys values entries join split slice splice"
        " concat includes indexOf replace match test exec sort reverse flat flatMap from of on off once emit"
        " addEventListener removeEventListener subscribe unsubscribe close open start stop end write read send"
        " parse stringify format create update remove init render log warn error info debug size length at fill"
        " trim padStart startsWith endsWith charAt charCodeAt substring resolve reject all race abort dispose destroy"
        " connect disconnect load save reset run execute fetch request json text blob append prepend"
        " createElement querySelector getAttribute setAttribute focus blur click done pipe constructor".split()
    ),
    finder=finder,
)

LANGUAGES = {
    "javascript": Language(
        "javascript",
        (".js", ".mjs", ".cjs", ".jsx"),
        _javascript,
        lambda root, source, path: read(root, source, path, "javascript"),
        RULES,
    ),
    "typescript": Language(
        "typescript",
        (".ts", ".mts", ".cts"),
        _typescript,
        lambda root, source, path: read(root, source, path, "typescript"),
        RULES,
    ),
    "tsx": Language("tsx", (".tsx",), _tsx, lambda root, source, path: read(root, source, path, "tsx"), RULES),
}
