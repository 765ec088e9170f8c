"""Go."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ...model.code import TOP, Binding, Call, FileMap, Import
from ..language import Language, Rules
from ..outline import Definition, Outline, Span
from ..parse import captures, child_at
from .block_names import BlockNames
from .doc_comments import DocComments
from .go_modules import finder, shares
from .go_types import chain_of, declared, result_type, text_of, type_text

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(package_clause (package_identifier) @package)
(import_spec) @import
(function_declaration) @function
(method_declaration) @method
(type_spec) @type
(type_alias) @type
(type_spec type: (struct_type (field_declaration_list (field_declaration) @field)))
(type_spec type: (interface_type (method_elem) @demanded))
(source_file (const_declaration (const_spec) @constant))
(source_file (var_declaration (var_spec) @variable))
(source_file (var_declaration (var_spec_list (var_spec) @variable)))
(block (statement_list (var_declaration (var_spec) @local)))
(block (statement_list (var_declaration (var_spec_list (var_spec) @local))))
(function_declaration parameters: (parameter_list (_) @parameter))
(function_declaration result: (parameter_list (parameter_declaration) @parameter))
(method_declaration receiver: (parameter_list (parameter_declaration) @parameter))
(method_declaration parameters: (parameter_list (_) @parameter))
(method_declaration result: (parameter_list (parameter_declaration) @parameter))
(func_literal parameters: (parameter_list (_) @parameter))
(func_literal result: (parameter_list (parameter_declaration) @parameter))
(short_var_declaration) @short
(receive_statement left: (_)) @short
(range_clause left: (_)) @range
(type_switch_statement alias: (_)) @switch
(call_expression function: (_) @call)
(type_conversion_expression type: (generic_type) @call)
(composite_literal type: [(type_identifier) (qualified_type) (generic_type)] @made)
(comment) @comment
[(interpreted_string_literal) (raw_string_literal) (rune_literal)] @string
"""
SIGNATURE_TEXT_MAX = 400
ORDERS = (b"//go:", b"//nolint", b"//export", b"// +build")
NAMES_MAX = 50  # of one declaration
CASES_MAX = 200

_PLAIN = re.compile(rb"[A-Za-z_][\w.]*\Z")
_KEYWORD = re.compile(rb"(?:type|const|var)[ \t]+\Z")
_VERSION = re.compile(r"v\d+\Z")
_EMBEDDED = re.compile(r"[^\W\d][\w.]*(?:\[[^\n]*\])?\Z")


def read(root: Node, source: bytes, path: str) -> FileMap:
    found = captures("go", QUERY)(root)
    comments = [(n.start_byte, n.end_byte) for n in found.get("comment", ())]
    strings = [(n.start_byte, n.end_byte) for n in found.get("string", ())]
    reading = _Symbols(source, comments)
    definitions = [
        *reading.functions(found.get("function", ()), "function"),
        *reading.functions(found.get("method", ()), "method"),
        *reading.types(found.get("type", ())),
        *reading.fields(found.get("field", ())),
        *reading.functions(found.get("demanded", ()), "method"),
        *reading.values(found.get("constant", ()), "constant"),
        *reading.values(found.get("variable", ()), "variable"),
    ]
    outline = Outline(source, definitions, comments, strings)
    package = found.get("package")
    names = _bound(found, source, outline)
    bindings = names.settled()
    for node in (*found.get("variable", ()), *found.get("constant", ())):
        bindings += [Binding(TOP, name, type_, value) for name, type_, value in _spec(node, source) if type_ or value]
    return FileMap(
        "go",
        text_of(package[0], source) if package else "",
        outline.symbols(),
        tuple(_imports(found.get("import", ()), source)),
        tuple(bindings),
        tuple(_calls(found, source, outline, names)),
        1 if root.has_error else 0,
    )


class _Symbols:
    """The declarations of a file."""

    def __init__(self, source: bytes, comments: Sequence[Span]) -> None:
        self.source, self.docs = source, DocComments(source, comments, ORDERS)

    def functions(self, nodes: Iterable[Node], kind: str) -> Iterator[Definition]:
        for node in nodes:
            name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
            result = node.child_by_field_name("result")
            receiver = node.child_by_field_name("receiver") if kind == "method" else None
            owner = ""
            if receiver is not None:
                owner = declared(text_of(receiver, self.source)[1:-1].strip().rstrip(","))[1].partition("[")[0]
            end = body.start_byte if body is not None else node.end_byte
            yield self._definition(
                kind,
                text_of(name, self.source) if name is not None else "",
                node,
                node.start_byte,
                end,
                returns=result_type(text_of(result, self.source)) if result is not None else "",
                receiver=owner,
            )

    def types(self, nodes: Iterable[Node]) -> Iterator[Definition]:
        for node in nodes:
            name, of = node.child_by_field_name("name"), node.child_by_field_name("type")
            if name is None or of is None:
                continue
            first, head, bases, returns = self._first(node), of.end_byte, list[str](), ""
            kind = {"struct_type": "struct", "interface_type": "interface"}.get(of.type, "type")
            if kind == "type":
                said = type_text(text_of(of, self.source))
                if node.type == "type_alias":
                    returns = said
                elif said and said not in ("func", "struct", "interface"):
                    bases = [said]
            else:
                head = of.start_byte + len(kind)
                bases = list(_embedded(of, self.source))
            label = text_of(name, self.source)
            yield self._definition(kind, label, node, first, head, bases=tuple(bases), returns=returns)

    def fields(self, nodes: Iterable[Node]) -> Iterator[Definition]:
        for node in nodes:
            of = node.child_by_field_name("type")
            type_ = type_text(text_of(of, self.source)) if of is not None else ""
            names = node.children_by_field_name("name")
            for name in names[:NAMES_MAX]:
                if name.is_named:
                    yield self._definition(
                        "field", text_of(name, self.source), name, name.start_byte, node.end_byte, returns=type_
                    )
            if not names and type_:
                label = type_.partition("[")[0].rpartition(".")[2]
                yield self._definition("field", label, node, node.start_byte, node.end_byte, returns=type_)

    def values(self, nodes: Iterable[Node], kind: str) -> Iterator[Definition]:
        type_ = ""
        for node in nodes:
            names = [name for name in node.children_by_field_name("name") if name.is_named][:NAMES_MAX]
            of = node.child_by_field_name("type")
            if of is not None or node.child_by_field_name("value") is not None:  # else it is as the one before (iota)
                type_ = type_text(text_of(of, self.source)) if of is not None else ""
            for name in names:
                label = text_of(name, self.source)
                if label == "_":
                    continue
                whole = node if len(names) == 1 else name
                first = self._first(node) if len(names) == 1 else name.start_byte
                yield self._definition(kind, label, whole, first, node.end_byte, returns=type_)

    def _first(self, node: Node) -> int:
        """Where a declaration begins: with its keyword, where it has one of its own."""
        begin = node.start_byte
        found = _KEYWORD.search(self.source, max(0, begin - 12), begin)
        return found.start() if found is not None else begin

    def _definition(
        self,
        kind: str,
        name: str,
        node: Node,
        first: int,
        head: int,
        *,
        bases: tuple[str, ...] = (),
        returns: str = "",
        receiver: str = "",
    ) -> Definition:
        head = min(head, first + SIGNATURE_TEXT_MAX)
        return Definition(
            kind,
            name,
            first,
            node.end_byte,
            node.start_point.row + 1,
            node.end_point.row + 1,
            self.source[first:head].decode("utf-8", "replace").rstrip(" \t\r\n{"),
            self.docs.before(first),
            (),
            bases,
            returns,
            receiver,
        )


def _embedded(of: Node, source: bytes) -> Iterator[str]:
    """The types whose members a struct or an interface has as its own."""
    listed = child_at(of, 0) if of.type == "struct_type" else of
    for child in listed.named_children if listed is not None else ():
        if child.type == "field_declaration" and child.child_by_field_name("name") is None:
            type_ = child.child_by_field_name("type")
            text = text_of(type_, source) if type_ is not None else ""
        elif child.type == "type_elem" and child.named_child_count == 1:
            text = text_of(child, source)
        else:
            continue
        said = type_text(text) if _EMBEDDED.match(text.lstrip("* ")) else ""
        if said:
            yield said


def _spec(node: Node, source: bytes) -> Iterator[tuple[str, str, str]]:
    """The names of a declaration with their type or the chain of their value."""
    names = [name for name in node.children_by_field_name("name") if name.is_named][:NAMES_MAX]
    of, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    type_ = type_text(text_of(of, source)) if of is not None else ""
    values = value.named_children if value is not None and not type_ else []
    for name, said in zip(names, _said(len(names), values, source), strict=True):
        yield text_of(name, source), type_, "" if type_ else said


def _said(count: int, values: Sequence[Node], source: bytes) -> Iterator[str]:
    """The chains of the values that so many names are given."""
    for at in range(count):
        if len(values) == count or (at == 0 and values):
            yield chain_of(values[at], source)
        else:
            yield ""


def _bound(found: dict[str, list[Node]], source: bytes, outline: Outline) -> BlockNames:
    names = BlockNames(outline, _block_end)
    for node in found.get("parameter", ()):
        for name in (of := declared(text_of(node, source)))[0]:
            if name != "_":
                names.give(name, node, of[1], "")
    for node in found.get("local", ()):
        for name, type_, value in _spec(node, source):
            names.give(name, node, type_, value)
    for node in found.get("short", ()):
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            continue
        given = text_of(left, source).split(",")[:NAMES_MAX]
        values = right.named_children if right.type == "expression_list" else [right]
        for name, value in zip(given, _said(len(given), values, source), strict=True):
            name = name.strip()
            if name == "err" and (not value or value.endswith("()")):
                names.give(name, node, "error", "")
            elif name != "_":
                names.give(name, node, "", value)
    for node in found.get("range", ()):
        _ranged(node, source, names)
    for node in found.get("switch", ()):
        _switched(node, source, names)
    return names


def _ranged(node: Node, source: bytes, names: BlockNames) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None:
        return
    given = [name.strip() for name in text_of(left, source).split(",")]
    if given[0] != "_":
        names.give(given[0], node, "", "")
    if len(given) == 2 and given[1] != "_":
        chain = chain_of(right, source)
        names.give(given[1], node, "", f"{chain}[]" if chain else "")


def _switched(node: Node, source: bytes, names: BlockNames) -> None:
    """`switch v := x.(type)`: in each case v is of the type of that case."""
    alias, value = node.child_by_field_name("alias"), node.child_by_field_name("value")
    if alias is None:
        return
    name, chain = text_of(alias, source).strip(), chain_of(value, source)
    for case in node.named_children[:CASES_MAX]:
        if case.type not in ("type_case", "default_case"):
            continue
        types = [one for one in case.children_by_field_name("type") if one.is_named]
        type_ = type_text(text_of(types[0], source)) if len(types) == 1 else ""
        names.give_within(name, case.start_byte, case.end_byte, type_, "" if type_ else chain)


_BLOCKS = frozenset(
    "block func_literal for_statement if_statement type_case expression_case communication_case default_case "
    "function_declaration method_declaration expression_switch_statement type_switch_statement".split()
)


def _block_end(node: Node) -> int:
    here: Node | None = node.parent
    while here is not None and here.type not in _BLOCKS:
        here = here.parent
    return here.end_byte if here is not None else node.end_byte


def _imports(nodes: Iterable[Node], source: bytes) -> Iterator[Import]:
    for node in nodes:
        path, name = node.child_by_field_name("path"), node.child_by_field_name("name")
        if path is None:
            continue
        module, line = text_of(path, source).strip('"`'), node.start_point.row + 1
        local = text_of(name, source) if name is not None else _package_name(module, source)
        if local == ".":
            yield Import("*", module, "*", line)
        else:
            yield Import(local, module, "", line)


def _package_name(module: str, source: bytes) -> str:
    """What a package is most likely called: the last part of its path that is no version, as it is used here."""
    parts = module.split("/")
    last = parts[-2] if len(parts) > 1 and _VERSION.match(parts[-1]) else parts[-1]
    stem, _, version = last.rpartition(".")
    last = stem if stem and _VERSION.match(version) else last
    if last.isidentifier():
        return last
    guesses = [last.removeprefix("go-"), last.removesuffix("-go"), last.removesuffix(".go"), last.replace("-", "")]
    guesses += [last.replace("-", "_"), last.rpartition("-")[2], last.partition("-")[0]]
    for guess in guesses:
        if guess.isidentifier() and re.search(rb"\b" + guess.encode() + rb"\.", source):
            return guess
    return last


def _calls(found: dict[str, list[Node]], source: bytes, outline: Outline, names: BlockNames) -> Iterator[Call]:
    for key, ending in (("call", ""), ("made", "{}")):
        for node in found.get(key, ()):
            first, last = node.start_byte, node.end_byte
            text = source[first:last]
            end = node.end_point
            if len(text) < 200 and text.isascii() and _PLAIN.match(text):
                chain = text.decode("ascii")
                column = end.column - len(text) + text.rfind(b".") + 1
                line = end.row + 1
            else:
                chain, line, column = _spelt(node, text, source)
                if not chain:
                    continue
            chain = names.chain(chain, first) if not ending else chain
            yield Call(outline.scope_at(first), line, column, chain + ending)


def _spelt(node: Node, text: bytes, source: bytes) -> tuple[str, int, int]:
    """The chain of a call that is more than names with dots, with the place of its last name."""
    for _ in range(8):  # `(*Foo)(x)`, `Foo[int]{}`, `(pkg.F)()`
        if node.type in ("parenthesized_expression", "unary_expression", "generic_type", "index_expression"):
            inner = node.child_by_field_name("operand") or node.child_by_field_name("type") or child_at(node, 0)
            if inner is None:
                return "", 0, 0
            node = inner
        elif node.type == "type_instantiation_expression":
            inner = child_at(node, 0)
            if inner is None:
                return "", 0, 0
            node = inner
        else:
            break
    if node.type not in ("identifier", "selector_expression", "type_identifier", "qualified_type"):
        return "", 0, 0
    chain = chain_of(node, source)
    field = node.child_by_field_name("field")
    if not chain:
        chain = f"?.{text_of(field, source)}" if field is not None else ""
    end = node.end_point
    name = chain.rpartition(".")[2]
    return chain, end.row + 1, end.column - len(name.encode())


COMMON = frozenset(
    "Add Bytes Close Done Err Error Errorf Fatal Fatalf Flush Format Get GoString Handle Header Helper Len Less Lock "
    "Log Logf Marshal MarshalJSON Name New Next Print Printf Println Read ReadAll ReadFrom RLock RUnlock Reset Run "
    "Scan Seek ServeHTTP Set Skip Sprintf Start Stop String Sum Swap Type Unlock Unmarshal UnmarshalJSON Unwrap Value "
    "Wait Write WriteString WriteTo".split()
)


def _grammar() -> object:
    import tree_sitter_go

    return tree_sitter_go.language()


LANGUAGES = {
    "go": Language(
        "go",
        (".go",),
        _grammar,
        read,
        Rules(common=COMMON, members_beside="folder", finder=finder, shares=shares),
    )
}
