"""C and C++. One reader for both: C++ only has more to find."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from ...model.code import TOP, TYPES, Binding, Call, FileMap, Import, Symbol
from ..language import Language, Rules
from ..outline import Definition, Outline
from ..parse import captures, child_at, tree_of
from .c_chains import CASTS, chain_of, path_of, plain_chain, text_of, type_text
from .c_definitions import KINDS, Definitions, Docs, declared, list_of, takes_values, type_name
from .c_files import finder
from .c_macros import alias_of, calls_in, stands_for_itself
from .c_mending import mended
from .c_system import SYSTEM

if TYPE_CHECKING:
    from tree_sitter import Node

C = """
(function_definition) @function
[(struct_specifier body: (_)) (union_specifier body: (_)) (enum_specifier body: (_))] @type
(type_definition) @typedef
(field_declaration) @field
(enumerator) @enumerator
(preproc_function_def) @macro
(preproc_def value: (_)) @constant
(preproc_include path: (_) @include)
(declaration) @declaration
(parameter_declaration) @parameter
(call_expression function: (_) @call)
(comment) @comment
[(string_literal) (char_literal)] @string
"""
CPP = """
(class_specifier body: (_)) @type
(namespace_definition) @namespace
(alias_declaration) @alias
(using_declaration) @using
(template_declaration) @template
(new_expression type: (_) @made)
(compound_literal_expression type: (_) @made)
(for_range_loop) @for
(optional_parameter_declaration) @parameter
(raw_string_literal) @string
"""
QUERIES = {"c": C, "cpp": C + CPP}
# What only C++ has, looked for in headers, whose names do not tell.
_IS_CPP = re.compile(
    rb"\b(?:class|template|namespace|typename|constexpr|nullptr|virtual|using|public|private|protected|operator)\b|::"
)
_HEADER_BYTES = 65_536


@lru_cache(maxsize=4)  # asked before a file is parsed, and when it is read
def meant(path: str, source: bytes) -> str:
    """A header of plain C is read as C."""
    if not path.endswith(".h"):
        return ""
    head = source[:_HEADER_BYTES]
    return "" if _IS_CPP.search(head) and _IS_CPP.search(_bare(head)) else "c"  # what the comments say comes second


def read(root: Node, source: bytes, path: str) -> FileMap:
    language = "c" if path.endswith(".c") or meant(path, source) else "cpp"
    root, plain = mended(root, source, path, language, lambda text: tree_of(LANGUAGES[language], text).root_node)
    found = captures(language, QUERIES[language])(root)
    return _Reader(found, source, plain, language).map(1 if root.has_error else 0)


def _bare(source: bytes) -> bytes:
    """A header without comments, and without what it only says to compilers of C++."""
    plain = re.sub(rb"/\*.*?\*/|//[^\n]*|\"[^\"\n]*\"", b" ", source, flags=re.DOTALL)
    return re.sub(rb"#\s*ifdef\s+__cplusplus.*?#\s*endif", b" ", plain, flags=re.DOTALL)


class _Reader:
    """One file."""

    def __init__(self, found: dict[str, list[Node]], source: bytes, plain: bytes, language: str) -> None:
        self.found, self.source, self.language = found, source, language
        self.comments = [(n.start_byte, n.end_byte) for n in found.get("comment", ())]
        templates = {}
        for node in found.get("template", ()):
            inner = child_at(node, node.named_child_count - 1) if node.named_child_count else None
            if inner is not None:
                templates[inner.start_byte] = node.start_byte
        self.make = Definitions(source, plain, Docs(self.comments, source), templates)
        self.bindings: list[Binding] = []

    def map(self, errors: int) -> FileMap:
        found = self.found
        strings = [(n.start_byte, n.end_byte) for n in found.get("string", ())]
        definitions = list(self._definitions())
        scopes = Outline(self.source, definitions)
        ordered = sorted(definitions, key=lambda d: (d.first, -d.last))
        definitions += list(self._members(scopes, ordered))
        outline = Outline(self.source, definitions, self.comments, strings)
        symbols = _rekinded(outline.symbols())
        kinds = [symbol.kind for symbol in symbols]
        self._bind(outline, kinds)
        calls = tuple(self._calls(outline))
        return FileMap(
            self.language,
            "",
            symbols,
            tuple(self._imports(outline, {call.chain for call in calls})),
            tuple(self.bindings),
            calls,
            errors,
        )

    def _definitions(self) -> Iterator[Definition]:
        make, found, source = self.make, self.found, self.source
        for node in found.get("function", ()):
            function = make.function(node)
            if function is not None:
                yield function
        named: dict[int, str] = {}
        for node in found.get("typedef", ()):
            type_ = node.child_by_field_name("type")
            name, function_type = declared(node.child_by_field_name("declarator"))
            if type_ is None or name is None:
                continue
            spelt = text_of(name, source)
            if type_.type in KINDS and type_.child_by_field_name("body") is not None:
                own = type_name(type_, source)
                if not own or own == spelt:
                    named[type_.start_byte] = spelt
                    continue
                yield make.alias(node, spelt, own)._replace(first=name.start_byte)
            else:
                returns = type_text(text_of(type_, source)) if function_type is None else ""
                yield make.alias(node, spelt, returns if returns != spelt else "")
        for node in found.get("type", ()):
            name_ = type_name(node, source) or named.get(node.start_byte, "")
            if name_:
                yield make.type(node, name_)
        for node in found.get("namespace", ()):
            yield from make.namespace(node)
        for node in found.get("alias", ()):
            alias, type_ = node.child_by_field_name("name"), node.child_by_field_name("type")
            if alias is not None and type_ is not None:
                yield make.alias(node, text_of(alias, source), type_text(text_of(type_, source)))
        for node in (*found.get("macro", ()), *found.get("constant", ())):
            spelt_, body = make.macro_parts(node)
            if not stands_for_itself(spelt_, body):
                is_called = node.type == "preproc_function_def" or alias_of(spelt_, body)
                yield make.macro(node, "macro" if is_called else "constant")

    def _members(self, scopes: Outline, ordered: list[Definition]) -> Iterator[Definition]:
        """Fields, enumerators, and variables outside of functions."""
        make = self.make
        for node in self.found.get("enumerator", ()):
            scope = scopes.scope_at(node.start_byte)
            in_enum = scope != TOP and ordered[scope].kind == "enum"
            yield make.enumerator(node, ordered[scope].name if in_enum else "")
        for node in (*self.found.get("field", ()), *self.found.get("declaration", ())):
            scope = scopes.scope_at(node.start_byte)
            kind = ordered[scope].kind if scope != TOP else "namespace"
            if kind in TYPES:
                member = make.member(node, ordered[scope].name)
                if member is not None:
                    yield member
                else:
                    yield from make.variables(node, "field")
            elif kind == "namespace":
                text = self.source[node.start_byte : node.start_byte + 160]
                if not text.startswith(b"extern ") or b"=" in text:
                    yield from make.variables(node, "constant" if b"const" in text.split(b"=")[0] else "variable")

    def _bind(self, outline: Outline, kinds: list[str]) -> None:
        for node in self.found.get("parameter", ()):
            scope = outline.scope_at(node.start_byte)
            if scope == TOP or kinds[scope] in TYPES:
                continue
            name, _ = declared(node.child_by_field_name("declarator"))
            type_ = node.child_by_field_name("type")
            if name is not None and type_ is not None:
                spelt = list_of(type_text(text_of(type_, self.source)), node.child_by_field_name("declarator"))
                self._add(scope, text_of(name, self.source), spelt, "")
        for node in self.found.get("declaration", ()):
            scope = outline.scope_at(node.start_byte)
            if scope != TOP and kinds[scope] not in TYPES and kinds[scope] != "namespace":
                self._local(node, scope)
        for node in self.found.get("for", ()):
            scope = outline.scope_at(node.start_byte)
            name, _ = declared(node.child_by_field_name("declarator"))
            type_ = node.child_by_field_name("type")
            if name is not None:
                over = chain_of(node.child_by_field_name("right"), self.source)
                spelt = type_text(text_of(type_, self.source)) if type_ is not None else ""
                self._add(scope, text_of(name, self.source), spelt, f"{over}[]" if over else "")

    def _local(self, node: Node, scope: int) -> None:
        type_ = node.child_by_field_name("type")
        spelt = type_text(text_of(type_, self.source)[:300]) if type_ is not None else ""
        for declarator in node.children_by_field_name("declarator"):
            value = None
            inner: Node | None = declarator
            if declarator.type == "init_declarator":
                inner, value = declarator.child_by_field_name("declarator"), declarator.child_by_field_name("value")
            name, function = declared(inner)
            is_variable = function is None or (self.language == "cpp" and takes_values(function))
            if name is not None and is_variable and name.type == "identifier":
                chain = chain_of(value, self.source) if value is not None and not spelt else ""
                self._add(scope, text_of(name, self.source), list_of(spelt, inner), chain)

    def _add(self, scope: int, name: str, type_: str, value: str) -> None:
        self.bindings.append(Binding(scope, name, type_, "" if type_ else value or "?"))

    def _imports(self, outline: Outline, called: set[str]) -> Iterator[Import]:
        for node in self.found.get("include", ()):
            text = text_of(node, self.source).strip()
            module = text if text.startswith("<") else text.strip('"')
            local = module.strip("<>").rpartition("/")[2]
            yield Import(local, module, "", node.start_point.row + 1, True)
            for name in sorted(called & SYSTEM.get(module, frozenset())):
                yield Import(name, module, name, node.start_point.row + 1)
        for node in self.found.get("using", ()):
            path = child_at(node, 0)
            if path is None:
                continue
            scope, line = outline.scope_at(node.start_byte), node.start_point.row + 1
            names = path_of(path, self.source)
            if b"namespace" in self.source[node.start_byte : path.start_byte]:
                yield Import("*", names, "*", line, True, scope)
            else:
                module, _, name = names.rpartition(".")
                if module:
                    yield Import(name, module, name, line, True, scope)

    def _calls(self, outline: Outline) -> Iterator[Call]:
        source = self.source
        for node in self.found.get("call", ()):
            kind = node.type
            if kind in ("parenthesized_expression", "lambda_expression", "call_expression", "primitive_type"):
                continue
            chain = chain_of(node, source)
            name: Node | None = node
            if kind == "field_expression":
                name = node.child_by_field_name("field")
            elif kind == "qualified_identifier":
                while name is not None and name.type == "qualified_identifier":
                    name = name.child_by_field_name("name")
            if name is None:
                continue
            if not chain and kind == "field_expression":
                chain = f"?.{text_of(name, source).partition('<')[0]}"
            if (chain and not chain.startswith("<") and chain not in CASTS) or (chain.startswith("<") and "." in chain):
                yield Call(outline.scope_at(node.start_byte), name.start_point.row + 1, name.start_point.column, chain)
        for node in self.found.get("made", ()):
            type_ = type_text(text_of(node, source)).partition("[")[0]
            if type_ and type_ != "list":
                point = node.start_point
                yield Call(outline.scope_at(node.start_byte), point.row + 1, point.column, f"{type_}{{}}")
        for node in (*self.found.get("macro", ()), *self.found.get("constant", ())):
            yield from self._called_by_macro(node, outline)

    def _called_by_macro(self, node: Node, outline: Outline) -> Iterator[Call]:
        value = node.child_by_field_name("value")
        if value is None:
            return
        name, body = self.make.macro_parts(node)
        if stands_for_itself(name, body):
            return
        begin, scope = value.start_byte, outline.scope_at(value.start_byte)
        if node.type == "preproc_function_def":
            taken = node.child_by_field_name("parameters")
            parameters = self.source[taken.start_byte : taken.end_byte] if taken is not None else b""
            called = list(calls_in(body, parameters))
        else:
            target = alias_of(name, body)
            called = [(body.index(target), target)] if target else []
        for at, path in called:
            last = begin + at + path.rfind(b":") + 1
            row = value.start_point.row + self.source.count(b"\n", begin, last)
            yield Call(scope, row + 1, last - self.source.rfind(b"\n", 0, last) - 1, plain_chain(path))


def _rekinded(symbols: tuple[Symbol, ...]) -> tuple[Symbol, ...]:
    """A function in a class is a method of it."""
    made = list(symbols)
    for at, symbol in enumerate(symbols):
        if symbol.kind == "function" and symbol.parent != TOP and made[symbol.parent].kind in TYPES:
            owner = made[symbol.parent].name
            made[at] = symbol._replace(kind="constructor" if symbol.name == owner else "method")
    return tuple(made)


COMMON = frozenset(
    "add append assign at back begin c_str cbegin cend clear close compare copy count data destroy emplace "
    "emplace_back "
    "empty end erase exchange fill find first flush free front get init insert is_open join key length load lock main "
    "max min name next notify_all notify_one open pop pop_back pop_front push push_back push_front put rbegin read "
    "release remove rend reserve reset resize run second seek send set size start stop store str string substr swap "
    "test to_string top type unlock update value wait what write".split()
)
_WRAPPERS = frozenset(
    "unique_ptr shared_ptr weak_ptr optional reference_wrapper atomic scoped_refptr lock_guard".split()
)
_PASSING = frozenset("get begin end cbegin rbegin lock load release".split())
_GIVING = frozenset("front back at top value value_or find".split())


def _c_grammar() -> object:
    import tree_sitter_c

    return tree_sitter_c.language()


def _cpp_grammar() -> object:
    import tree_sitter_cpp

    return tree_sitter_cpp.language()


_RULES = Rules(
    selves=frozenset(("this",)),
    implicit_self=True,
    wrappers=_WRAPPERS,
    common=COMMON,
    paths=True,
    globals=frozenset(("c", "cpp")),
    passing=_PASSING,
    giving=_GIVING,
    finder=finder,
)
LANGUAGES = {
    "c": Language("c", (".c",), _c_grammar, read, _RULES),
    "cpp": Language(
        "cpp", (".cc", ".cpp", ".cxx", ".hpp", ".hh", ".hxx", ".h", ".ipp", ".inl"), _cpp_grammar, read, _RULES, meant
    ),
}
