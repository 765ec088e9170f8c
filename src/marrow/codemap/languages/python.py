"""Python."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ...model.code import TOP, Binding, Call, FileMap, Import
from ..language import Language, Rules
from ..outline import Definition, Outline
from ..parse import captures
from .python_modules import finder

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(function_definition) @function
(class_definition) @class
(decorated_definition) @decorated
(assignment) @assign
(named_expression) @walrus
(call function: (_) @call)
(import_statement) @import
(import_from_statement) @from
(for_statement) @for
(for_in_clause) @for
(with_item (as_pattern) @with)
(except_clause (as_pattern) @caught)
(return_statement (_) @return)
(type_alias_statement) @alias
(comment) @comment
(string) @string
(block) @block
"""
RETURNS_MAX = 3
DEPTH_MAX = 40

_PLAIN = re.compile(rb"[A-Za-z_][\w.]*\Z")
_TYPE = re.compile(r"[\w.\[\],|\"' ]+\Z")


def read(root: Node, source: bytes, path: str) -> FileMap:
    found = captures("python", QUERY)(root)
    comments = [(n.start_byte, n.end_byte) for n in found.get("comment", ())]
    strings = [(n.start_byte, n.end_byte) for n in found.get("string", ())]
    blocks = [(n.start_byte, n.end_byte) for n in found.get("block", ())]
    definitions, parameters = [], []
    # Looked up by where the definition itself begins: asking a node for its parent is slow.
    decorated = {n.child_by_field_name("definition").start_byte: n for n in found.get("decorated", ())}  # type: ignore[union-attr]
    for node in found.get("function", ()):
        definitions.append(_function(node, decorated.get(node.start_byte, node), source, comments))
        parameters.append(node.child_by_field_name("parameters"))
    definitions += [
        _class(node, decorated.get(node.start_byte, node), source, comments) for node in found.get("class", ())
    ]
    scopes = Outline(source, definitions)
    given = [_Given.of(node) for node in (*found.get("assign", ()), *found.get("alias", ()))]
    definitions += _variables(given, source, scopes)
    outline = Outline(source, definitions, comments, strings, blocks=blocks)
    symbols = outline.symbols()
    kinds = [symbol.kind for symbol in symbols]
    # A function in a class is a method of it.
    for at, symbol in enumerate(symbols):
        if symbol.kind == "function" and symbol.parent != TOP and kinds[symbol.parent] == "class":
            kinds[at] = "constructor" if symbol.name == "__init__" else "method"
    symbols = tuple(s._replace(kind=k) if s.kind != k else s for s, k in zip(symbols, kinds, strict=True))
    imports = tuple(_imports(found, source, outline))
    visible = {symbol.name for symbol in symbols} | {one.local for one in imports}
    reading = Reading(source, outline, kinds, [s.parent for s in symbols], visible)
    for listed in parameters:
        reading.parameters(listed)
    for one in given:
        reading.assignment(one)
    for node in found.get("walrus", ()):
        reading.bind(node.child_by_field_name("name"), node.child_by_field_name("value"))
    for node in found.get("for", ()):
        reading.loop(node)
    for node in found.get("with", ()):
        reading.entered(node)
    for node in found.get("caught", ()):
        reading.caught(node)
    reading.returns(found.get("return", ()))
    calls = tuple(_calls(found.get("call", ()), source, outline))
    return FileMap("python", "", symbols, imports, tuple(reading.bindings), calls, 1 if root.has_error else 0)


class _Given(NamedTuple):
    """An assignment, taken apart once."""

    node: Node
    left: Node | None
    right: Node | None
    type: Node | None

    @classmethod
    def of(cls, node: Node) -> _Given:
        field = node.child_by_field_name
        return cls(node, field("left"), field("right"), field("type"))


def text_of(node: Node, source: bytes) -> str:
    return source[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _head(node: Node, source: bytes) -> str:
    """What stands before the body."""
    body = node.child_by_field_name("body")
    end = body.start_byte if body is not None else node.end_byte
    head = source[node.start_byte : end].decode("utf-8", "replace").rstrip()
    return head[: head.rfind(":")] if ":" in head else head


def _doc(node: Node, source: bytes, comments: list[tuple[int, int]]) -> str:
    """The first line of the docstring, which counts as a comment from then on."""
    body = node.child_by_field_name("body")
    first = body.named_child(0) if body is not None and body.named_child_count else None
    while first is not None and first.type == "comment":
        first = first.next_named_sibling
    if first is None or first.type != "expression_statement":
        return ""
    string = first.named_child(0)
    if string is None or string.type != "string":
        return ""
    comments.append((string.start_byte, string.end_byte))
    text = text_of(string, source).lstrip("rRuUbB").strip("\"'").strip()
    return text.partition("\n")[0].strip()


def _decorators(node: Node, whole: Node, source: bytes) -> tuple[str, ...]:
    if whole is node:
        return ()
    texts = [text_of(child, source)[1:] for child in whole.named_children if child.type == "decorator"]
    return tuple(" ".join(text.split())[:200] for text in texts)


def _function(node: Node, whole: Node, source: bytes, comments: list[tuple[int, int]]) -> Definition:
    decorators = _decorators(node, whole, source)
    name = node.child_by_field_name("name")
    declared = node.child_by_field_name("return_type")
    return Definition(
        "function",
        text_of(name, source) if name is not None else "",
        whole.start_byte,
        whole.end_byte,
        whole.start_point.row + 1,
        whole.end_point.row + 1,
        _head(node, source),
        _doc(node, source, comments),
        decorators,
        (),
        type_text(text_of(declared, source)) if declared is not None else "",
    )


def _class(node: Node, whole: Node, source: bytes, comments: list[tuple[int, int]]) -> Definition:
    decorators = _decorators(node, whole, source)
    name, above = node.child_by_field_name("name"), node.child_by_field_name("superclasses")
    bases = []
    for base in above.named_children if above is not None else ():
        if base.type in ("identifier", "attribute", "subscript"):
            bases.append(type_text(text_of(base, source)))
        elif base.type == "keyword_argument" and text_of(base, source).startswith("metaclass"):
            continue
    return Definition(
        "class",
        text_of(name, source) if name is not None else "",
        whole.start_byte,
        whole.end_byte,
        whole.start_point.row + 1,
        whole.end_point.row + 1,
        _head(node, source),
        _doc(node, source, comments),
        decorators,
        tuple(bases),
    )


def _variables(given: Iterable[_Given], source: bytes, scopes: Outline) -> Iterator[Definition]:
    """Names that are given a value in a file or a class itself."""
    known: set[tuple[int, str]] = set()
    for node, left, _, declared in given:
        while left is not None and left.type == "type":
            left = left.named_child(0)
        if left is None or left.type != "identifier":
            continue
        scope = scopes.scope_at(node.start_byte)
        kind = "variable" if scope == TOP else "field" if scopes.kind_of(scope) == "class" else ""
        name = text_of(left, source)
        if not kind or (scope, name) in known:
            continue
        known.add((scope, name))
        if kind == "variable" and node.type == "type_alias_statement":
            kind = "type"
        elif kind == "variable" and name.isupper():
            kind = "constant"
        first, last = node.start_byte, node.end_byte
        yield Definition(
            kind,
            name,
            first,
            last,
            node.start_point.row + 1,
            node.end_point.row + 1,
            source[first : min(last, first + 400)].decode("utf-8", "replace"),
            returns=type_text(text_of(declared, source)) if declared is not None else "",
        )


def type_text(text: str) -> str:
    """An annotation in the map's spelling; "" for one that names no type."""
    bare = re.sub(r"\s+|[\"']", "", text) if len(text) <= 300 and _TYPE.match(text) else ""
    if not bare or "|" not in bare:
        return "" if bare == "None" else bare
    return "|".join(part for part in _alternatives(bare) if part != "None")


def _alternatives(text: str) -> Iterator[str]:
    """What stands between bars outside of brackets."""
    depth, begin = 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if letter == "|" and not depth:
            yield text[begin:at]
            begin = at + 1
    yield text[begin:]


def chain_of(node: Node | None, source: bytes) -> str:
    """An expression as a chain; "" for one that cannot be said as one."""
    parts: list[str] = []
    tail = ""
    for _ in range(DEPTH_MAX):
        if node is None:
            return ""
        kind = node.type
        if kind in ("identifier", "attribute"):
            text = source[node.start_byte : node.end_byte]
            if _PLAIN.match(text):
                parts.append(text.decode("ascii", "replace") + tail)
                return ".".join(reversed(parts))
        if kind == "attribute":
            name = node.child_by_field_name("attribute")
            parts.append((text_of(name, source) if name is not None else "?") + tail)
            node, tail = node.child_by_field_name("object"), ""
        elif kind == "identifier":
            parts.append(text_of(node, source) + tail)
            return ".".join(reversed(parts))
        elif kind == "call":
            node, tail = node.child_by_field_name("function"), "()" + tail
        elif kind == "subscript":
            node, tail = node.child_by_field_name("value"), "[]" + tail
        elif kind in ("await", "parenthesized_expression", "conditional_expression"):  # of two sides, the first
            node = node.named_child(0)
        elif kind == "boolean_operator":  # `given or Default()`
            node = node.child_by_field_name("right")
        elif kind in ("string", "concatenated_string"):
            parts.append("<str>" + tail)
            return ".".join(reversed(parts))
        elif kind in ("list", "dictionary", "set", "tuple", "integer", "float", "true", "false", "list_comprehension"):
            parts.append("<builtin>" + tail)
            return ".".join(reversed(parts))
        else:
            return ""
    return ""


def _calls(nodes: Iterable[Node], source: bytes, outline: Outline) -> Iterator[Call]:
    for node in nodes:
        first, last = node.start_byte, node.end_byte
        text = source[first:last]
        chain = text.decode("ascii") if _PLAIN.match(text) and text.isascii() else chain_of(node, source)
        if not chain:
            name = node.child_by_field_name("attribute") if node.type == "attribute" else None
            if name is None:
                continue
            chain = f"?.{text_of(name, source)}"
        end = node.end_point
        name_bytes = len(chain.rpartition(".")[2].encode())
        yield Call(outline.scope_at(first), end.row + 1, max(0, end.column - name_bytes), chain)


class Reading:
    """Collects what names stand for."""

    def __init__(
        self, source: bytes, outline: Outline, kinds: list[str], parents: list[int], visible: Collection[str]
    ) -> None:
        self.source, self.outline, self.kinds, self.parents = source, outline, kinds, parents
        self.visible = visible
        self.bindings: list[Binding] = []

    def _stands_for(self, scope: int, name: str, chain: str) -> None:
        """What cannot be said only matters where it hides what has its name further out."""
        if chain or name in self.visible:
            self.bindings.append(Binding(scope, name, "", chain or "?"))

    def parameters(self, node: Node | None) -> None:
        if node is None:
            return
        scope = self.outline.scope_at(node.start_byte)
        for parameter in node.named_children:
            declared = parameter.child_by_field_name("type")
            if declared is not None:
                first = parameter.child_by_field_name("name") or parameter.named_child(0)
                type_ = type_text(text_of(declared, self.source))
                if first is not None and first.type == "identifier" and type_:
                    self.bindings.append(Binding(scope, text_of(first, self.source), type_))
            elif parameter.type == "default_parameter":
                name, value = parameter.child_by_field_name("name"), parameter.child_by_field_name("value")
                if name is not None and name.type == "identifier":
                    self._stands_for(scope, text_of(name, self.source), chain_of(value, self.source))
            elif parameter.type == "identifier" and (plain := text_of(parameter, self.source)) not in SELVES:
                self.bindings.append(Binding(scope, plain, "", "?"))  # it may be anything of the project

    def assignment(self, given: _Given) -> None:
        _, left, right, declared = given
        if left is None:
            return
        if left.type in ("pattern_list", "tuple_pattern"):
            self._hidden(left)
            return
        self.bind(left, right, type_text(text_of(declared, self.source)) if declared is not None else "")

    def bind(self, left: Node | None, right: Node | None, type_: str = "") -> None:
        if left is None:
            return
        scope = self.outline.scope_at(left.start_byte)
        if left.type == "identifier":
            if type_:
                self.bindings.append(Binding(scope, text_of(left, self.source), type_))
            else:
                self._stands_for(scope, text_of(left, self.source), chain_of(right, self.source))
        elif left.type == "attribute" and scope != TOP:
            self._field(left, right, type_, scope)

    def _field(self, left: Node, right: Node | None, type_: str, scope: int) -> None:
        """`self.store = store`: a field of the class that the method is in."""
        owner, name = left.child_by_field_name("object"), left.child_by_field_name("attribute")
        if owner is None or name is None or text_of(owner, self.source) not in SELVES:
            return
        above = scope
        while above != TOP and self.kinds[above] != "class":
            above = self.parents[above]
        value = "" if type_ else chain_of(right, self.source)
        if above != TOP and (type_ or value):
            self.bindings.append(Binding(above, text_of(name, self.source), type_, value, scope))

    def loop(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None:
            return
        chain = chain_of(right, self.source)
        scope = self.outline.scope_at(left.start_byte)
        if left.type == "identifier":
            self._stands_for(scope, text_of(left, self.source), f"{chain}[]" if chain else "")
        elif left.type == "pattern_list" and left.named_child_count == 2:
            second = left.named_child(1)
            over = _second(right, chain, self.source)
            if second is not None and second.type == "identifier" and over:
                self.bindings.append(Binding(scope, text_of(second, self.source), "", over))
            else:
                self._hidden(left)
        else:
            self._hidden(left)

    def _hidden(self, pattern: Node) -> None:
        """Names that are given something that cannot be said: they hide what has their name further out."""
        scope = self.outline.scope_at(pattern.start_byte)
        for child in pattern.named_children:
            if child.type == "identifier":
                self._stands_for(scope, text_of(child, self.source), "")

    def entered(self, node: Node) -> None:
        value, target = node.named_child(0), node.named_child(1)
        name = target.named_child(0) if target is not None and target.type == "as_pattern_target" else target
        if name is None or name.type != "identifier":
            return
        chain = chain_of(value, self.source)
        scope = self.outline.scope_at(name.start_byte)
        self._stands_for(scope, text_of(name, self.source), f"{chain}.__enter__()" if chain else "")

    def caught(self, node: Node) -> None:
        value, target = node.named_child(0), node.named_child(1)
        name = target.named_child(0) if target is not None and target.type == "as_pattern_target" else target
        if value is None or name is None or name.type != "identifier":
            return
        several = value.named_children if value.type in ("tuple", "parenthesized_expression") else [value]
        types = [text for one in several if (text := type_text(text_of(one, self.source)))]
        scope = self.outline.scope_at(name.start_byte)
        self.bindings.append(Binding(scope, text_of(name, self.source), "|".join(types)))

    def returns(self, nodes: Iterable[Node]) -> None:
        counts: dict[int, int] = {}
        for node in nodes:
            scope = self.outline.scope_at(node.start_byte)
            if scope == TOP or counts.get(scope, 0) >= RETURNS_MAX:
                continue
            chain = chain_of(node, self.source)
            if chain and not chain.startswith("<"):
                counts[scope] = counts.get(scope, 0) + 1
                self.bindings.append(Binding(scope, "return", "", chain))


def _second(right: Node | None, chain: str, source: bytes) -> str:
    """What the second of two loop variables stands for."""
    if chain.endswith(".items()"):
        return f"{chain.removesuffix('.items()')}[]"
    if chain == "enumerate()" and right is not None:
        arguments = right.child_by_field_name("arguments")
        over = chain_of(arguments.named_child(0), source) if arguments is not None else ""
        return f"{over}[]" if over else ""
    return ""


def _imports(found: dict[str, list[Node]], source: bytes, outline: Outline) -> Iterator[Import]:
    for node in found.get("import", ()):
        scope, line = outline.scope_at(node.start_byte), node.start_point.row + 1
        for child in node.named_children:
            module, local = _renamed(child, source)
            if local:
                yield Import(local, module, "", line, scope == TOP, scope)
            else:  # `import a.b` binds `a`
                yield Import(module.partition(".")[0], module.partition(".")[0], "", line, scope == TOP, scope)
    for node in found.get("from", ()):
        scope, line = outline.scope_at(node.start_byte), node.start_point.row + 1
        source_module = node.child_by_field_name("module_name")
        if source_module is None:
            continue
        module = "".join(text_of(source_module, source).split())
        if any(child.type == "wildcard_import" for child in node.named_children):
            yield Import("*", module, "*", line, scope == TOP, scope)
        for child in node.children_by_field_name("name"):
            name, local = _renamed(child, source)
            yield Import(local or name, module, name, line, scope == TOP, scope)


def _renamed(node: Node, source: bytes) -> tuple[str, str]:
    """(name, what it is called here or "")."""
    if node.type == "aliased_import":
        name, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
        return (text_of(name, source) if name else "", text_of(alias, source) if alias else "")
    return "".join(text_of(node, source).split()), ""


SELVES = frozenset(("self", "cls", "mcs"))
COMMON = frozenset(
    "add append clear close copy count decode discard encode endswith extend find format get group index insert "
    "isdigit items join keys lower lstrip match partition pop popitem read readline remove replace reverse rstrip "
    "run search send set setdefault sort split start startswith stop strip sub title update upper values write".split()
)


def _grammar() -> object:
    import tree_sitter_python

    return tree_sitter_python.language()


LANGUAGES = {
    "python": Language(
        "python",
        (".py", ".pyi", ".pyw"),
        _grammar,
        read,
        Rules(
            selves=SELVES,
            supers=frozenset(("super",)),
            made_by_call=True,
            wrappers=frozenset("Optional Annotated ClassVar Final Required NotRequired Awaitable Coroutine".split()),
            common=COMMON,
            finder=finder,
        ),
    )
}
