"""Rust."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ...model.code import TOP, Binding, Call, FileMap, Import, Symbol
from ..language import Language, Rules
from ..outline import Definition, Outline
from ..parse import captures
from .rust_bindings import Bindings
from .rust_chains import NAME_MAX, Place, chain_of, path_of, plain_chain, text_of
from .rust_crates import finder
from .rust_definitions import Around, Before, Definitions, impls_of, positional, traits_of, with_tests_marked
from .rust_macros import STANDARD, opened, written
from .rust_types import type_text
from .rust_uses import external, module_file, uses

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
[(function_item) (function_signature_item)] @function
[(struct_item) (enum_item) (union_item) (trait_item)] @type
[(impl_item) (trait_item)] @impl
(mod_item) @module
[(const_item) (static_item) (type_item) (associated_type)] @value
(macro_definition) @macro
(field_declaration) @field
(ordered_field_declaration_list) @positional
(enum_variant) @variant
(use_declaration) @use
(extern_crate_declaration) @external
(attribute_item) @attribute
(call_expression function: (_) @call)
(struct_expression name: (_) @made)
(macro_invocation macro: (_) @invoked (token_tree) @tokens)
(let_declaration) @let
(let_condition) @condition
(match_expression) @match
(for_expression) @for
(parameter) @parameter
(closure_parameters) @closure
[(line_comment) (block_comment)] @comment
[(string_literal) (raw_string_literal) (char_literal)] @string
"""
GENERIC_END = ord(">")

_PLAIN = re.compile(rb"[A-Za-z_]\w*(?:(?:::|\.)\w+)*\Z")


def read(root: Node, source: bytes, path: str) -> FileMap:
    inner = opened(root, source)
    if inner is not None:
        root = inner
    found = captures("rust", QUERY)(root)
    comments = [(n.start_byte, n.end_byte) for n in found.get("comment", ())]
    strings = [(n.start_byte, n.end_byte) for n in found.get("string", ())]
    impls = impls_of(found.get("impl", ()), source)
    make = Definitions(source, Before(found.get("attribute", ()), comments, source), Around(impls))
    traits = traits_of(impls)
    definitions = list(make.items((*found.get("function", ()), *found.get("value", ()))))
    definitions += [make.type(node, traits) for node in found.get("type", ())]
    definitions += [make.module(n) for n in found.get("module", ()) if n.child_by_field_name("body") is not None]
    definitions += [make.macro(node) for node in found.get("macro", ())]
    scopes = _Scopes(source, definitions, make.bounds)
    payloads = list(_payloads(found, source, make, scopes, definitions))
    outline = Outline(source, definitions, comments, strings)
    symbols = with_tests_marked(outline.symbols())
    scopes = _Scopes(source, definitions, make.bounds, outline, symbols)
    names = Bindings(source, outline.scope_at, scopes.place)
    _bind(names, found)
    bindings = list(names.bindings())
    bindings += [Binding(outline.scope_at(first), name, type_) for first, name, type_ in payloads]
    return FileMap(
        "rust",
        "",
        symbols,
        tuple(_imports(found, source, make, scopes)),
        tuple(bindings),
        tuple(_calls(found, source, scopes, names)),
        1 if root.has_error else 0,
    )


class _Scopes:
    """What names mean in each scope of a file."""

    def __init__(
        self,
        source: bytes,
        definitions: list[Definition],
        bounds: Mapping[int, Mapping[str, str]],
        outline: Outline | None = None,
        symbols: tuple[Symbol, ...] | None = None,
    ) -> None:
        self.outline = outline if outline is not None else Outline(source, definitions)
        self._sorted = sorted(definitions, key=lambda d: (d.first, -d.last))
        self._bounds = bounds
        self._symbols = symbols
        self._places: dict[int, Place] = {TOP: Place({})}

    def definition(self, scope: int) -> Definition:
        return self._sorted[scope]

    def known(self, scope: int) -> Mapping[str, str]:
        return self._bounds.get(self._sorted[scope].first, {}) if scope != TOP else {}

    def place(self, scope: int) -> Place:
        found = self._places.get(scope)
        if found is not None or self._symbols is None:
            return found or self._places[TOP]
        missing = []
        while scope not in self._places:
            missing.append(scope)
            scope = self._symbols[scope].parent
        here = self._places[scope]
        for index in reversed(missing):
            symbol = self._symbols[index]
            inner = (*here.inner, symbol.name) if symbol.kind == "module" else here.inner
            here = self._places[index] = Place(self.known(index) or here.known, inner)
        return here


def _payloads(
    found: dict[str, list[Node]], source: bytes, make: Definitions, scopes: _Scopes, definitions: list[Definition]
) -> Iterator[tuple[int, str, str]]:
    """Adds fields and variants to the definitions; gives what has no name of its own as (byte in its type, name,
    type)."""
    outline = scopes.outline
    variants = found.get("variant", ())
    ranges: list[tuple[int, int, str]] = []
    for node in variants:
        scope = outline.scope_at(node.start_byte)
        owner = scopes.definition(scope).name if scope != TOP else ""
        made = make.variant(node, owner)
        definitions.append(made)
        if node.child_by_field_name("body") is not None:
            ranges.append((node.start_byte, node.end_byte, made.name))
    ranges.sort()
    for node in found.get("field", ()):
        first = node.start_byte
        field = make.field(node, scopes.known(outline.scope_at(first)))
        definitions.append(field)
        variant = _variant(ranges, first)
        if variant and field.returns:
            yield first, f"{variant}#{field.name}", field.returns
    for node in found.get("positional", ()):
        first = node.start_byte
        variant = _variant(ranges, first)
        known = scopes.known(outline.scope_at(first))
        for at, declared in positional(node):
            type_ = type_text(text_of(declared, source), known)
            if type_:
                yield first, f"{variant}#{at}" if variant else str(at), type_


def _variant(ranges: list[tuple[int, int, str]], byte: int) -> str:
    at = bisect_right(ranges, (byte, 1 << 62, "")) - 1
    return ranges[at][2] if at >= 0 and ranges[at][1] > byte else ""


def _bind(names: Bindings, found: dict[str, list[Node]]) -> None:
    for node in found.get("parameter", ()):
        names.parameter(node)
    for node in found.get("let", ()):
        names.let(node)
    for node in found.get("condition", ()):
        names.condition(node)
    for node in found.get("match", ()):
        names.matched(node)
    for node in found.get("for", ()):
        names.loop(node)
    for node in found.get("closure", ()):
        names.closure(node)


def _imports(found: dict[str, list[Node]], source: bytes, make: Definitions, scopes: _Scopes) -> Iterator[Import]:
    for node in found.get("use", ()):
        scope = scopes.outline.scope_at(node.start_byte)
        yield from uses(node, source, scopes.place(scope), scope)
    for node in found.get("module", ()):
        if node.child_by_field_name("body") is None:
            scope = scopes.outline.scope_at(node.start_byte)
            attributes = make.before.of(node.start_byte)[2]
            one = module_file(node, source, scopes.place(scope), scope, attributes)
            if one is not None:
                yield one
    for node in found.get("external", ()):
        one = external(node, source, scopes.outline.scope_at(node.start_byte))
        if one is not None:
            yield one


def _calls(found: dict[str, list[Node]], source: bytes, scopes: _Scopes, names: Bindings) -> Iterator[Call]:
    outline = scopes.outline
    for node in found.get("call", ()):
        if source[node.end_byte - 1] == GENERIC_END and node.type == "generic_function":
            node = node.child_by_field_name("function") or node
        first, last = node.start_byte, node.end_byte
        scope = outline.scope_at(first)
        place = scopes.place(scope)
        if last - first <= NAME_MAX and _PLAIN.match(text := source[first:last]):
            chain = plain_chain(text, place)
        else:
            chain = chain_of(node, source, place) if node.type != "parenthesized_expression" else ""
        if not chain:
            field = node.child_by_field_name("field") if node.type == "field_expression" else None
            if field is None:
                continue
            chain = f"?.{text_of(field, source)}"
        elif chain.startswith("<") and "." not in chain:
            continue
        yield _call(scope, node, names.told(scope, chain, first))
    for node in found.get("made", ()):
        scope = outline.scope_at(node.start_byte)
        chain = path_of(node, source, scopes.place(scope))
        if chain:
            yield _call(scope, node, f"{chain}{{}}")
    for node, tokens in zip(found.get("invoked", ()), found.get("tokens", ()), strict=False):
        name = text_of(node, source)[:NAME_MAX].rpartition("::")[2]
        scope = outline.scope_at(node.start_byte)
        place = scopes.place(scope)
        if name not in STANDARD:
            yield _call(scope, node, f"{path_of(node, source, place)}!")
        for line, column, chain in written(tokens, source, place):
            yield Call(scope, line, column, names.told(scope, chain, node.start_byte))


def _call(scope: int, node: Node, chain: str) -> Call:
    end = node.end_point
    name = chain.rpartition(".")[2].removesuffix("{}").removesuffix("!")
    return Call(scope, end.row + 1, max(0, end.column - len(name.encode())), chain)


SELVES = frozenset(("self", "Self"))
PASSING = frozenset(
    "iter iter_mut into_iter as_ref as_mut clone borrow borrow_mut lock by_ref cloned copied to_owned as_deref "
    "as_deref_mut rev skip take filter as_slice as_mut_slice as_inner chain peekable drain into_inner deref deref_mut "
    "as_pin_mut get_mut_unchecked into_boxed_slice to_vec into_vec ok or or_else ok_or ok_or_else map_err values "
    "values_mut into_values step_by fuse cycle inspect take_while skip_while context with_context as_mut_ptr as_ptr "
    "into_pin get_ref project project_ref project_replace get_pin_mut".split()
)
GIVING = frozenset(
    "? unwrap expect unwrap_or unwrap_or_else unwrap_or_default unwrap_unchecked next next_back first last get get_mut "
    "pop pop_front pop_back peek peek_mut nth front back front_mut back_mut first_mut last_mut remove swap_remove find "
    "get_unchecked get_unchecked_mut min_by_key max_by_key insert get_or_insert_with get_or_init or_insert_with "
    "or_insert or_default entry replace take_value".split()
)
COMMON = frozenset(
    "abs add all and and_then any append as_bytes as_mut as_path as_ptr as_ref as_slice as_str borrow borrow_mut "
    "build bytes canonicalize cast chain chars check clear clone cloned close cmp collect compare components contains "
    "contains_key copied copy count default deref description drain drop end ends_with entry enumerate eq err exists "
    "expect extend extension file_name file_stem filter filter_map find finish first flat_map flatten flush fmt fold "
    "for_each from from_str get get_mut hash id index init insert into into_inner into_iter is_absolute is_dir "
    "is_empty is_err is_file is_none is_ok is_some is_symlink iter iter_mut join key keys last len load lock lookup "
    "map map_err matches max metadata min name ne new next next_back nth offset ok or or_else parent parse "
    "partial_cmp peek poll pop pos position push push_str read read_dir read_to_string recv remove replace reserve "
    "reset resize rev run send set size size_hint skip sort source split start starts_with step store strip_prefix "
    "sub swap take to_owned to_path_buf to_string to_vec trim truncate try_from try_into unwrap unwrap_or update "
    "value values wait wake with_capacity with_extension with_file_name write write_all write_str zip".split()
)


def _grammar() -> object:
    import tree_sitter_rust

    return tree_sitter_rust.language()


LANGUAGES = {
    "rust": Language(
        "rust",
        (".rs",),
        _grammar,
        read,
        Rules(
            selves=SELVES,
            wrappers=frozenset(
                "Box Rc Arc RefCell Cell Mutex RwLock Pin Cow Weak ManuallyDrop MaybeUninit NonNull Ref RefMut "
                "MutexGuard RwLockReadGuard RwLockWriteGuard UnsafeCell OnceCell OnceLock LazyLock Lazy Reverse "
                "AtomicPtr CachePadded Wrapping PhantomData Peekable".split()
            ),
            common=COMMON,
            paths=True,
            passing=PASSING,
            giving=GIVING,
            finder=finder,
        ),
    )
}
