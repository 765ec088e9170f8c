"""Java."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from ...model.code import Call, FileMap, Import
from ..language import Language, Rules
from ..outline import Definition, Outline
from ..parse import captures, child_at
from .block_names import BlockNames
from .doc_comments import DocComments
from .java_names import bound
from .java_packages import finder, shares
from .java_types import PLAIN, Known, chain_of, respelt, text_of, type_text

if TYPE_CHECKING:
    from tree_sitter import Node

QUERY = """
(package_declaration [(identifier) (scoped_identifier)] @package)
(import_declaration) @import
(class_declaration) @class
(interface_declaration) @interface
(annotation_type_declaration) @interface
(enum_declaration) @enum
(record_declaration) @record
(record_declaration parameters: (formal_parameters (formal_parameter) @component))
(object_creation_expression (class_body) @nameless)
(enum_constant (class_body) @nameless)
(method_declaration) @method
(annotation_type_element_declaration) @method
(constructor_declaration) @constructor
(compact_constructor_declaration) @constructor
(field_declaration) @field
(constant_declaration) @field
(enum_constant) @constant
(type_parameter (type_bound)) @bounded
(method_declaration parameters: (formal_parameters [(formal_parameter) (spread_parameter)] @parameter))
(constructor_declaration parameters: (formal_parameters [(formal_parameter) (spread_parameter)] @parameter))
(lambda_expression parameters: (formal_parameters [(formal_parameter) (spread_parameter)] @parameter))
(lambda_expression parameters: (inferred_parameters (identifier) @inferred))
(lambda_expression parameters: (identifier) @inferred)
(local_variable_declaration) @local
(enhanced_for_statement) @each
(catch_formal_parameter) @caught
(resource name: (_)) @resource
(instanceof_expression name: (identifier)) @instance
(type_pattern) @pattern
(record_pattern_component) @pattern
(method_invocation name: (identifier) @name) @invocation
(method_reference) @reference
(explicit_constructor_invocation) @delegation
(object_creation_expression type: (_) @made)
[(line_comment) (block_comment)] @comment
[(string_literal) (character_literal)] @string
"""
SIGNATURE_TEXT_MAX = 400
NAMES_MAX = 50

_ANNOTATION = re.compile(rb"@(?!interface\b)([\w.]+(?:\([^()@\"']*\))?)(?:\s+|(?=@))(?!\()")


def read(root: Node, source: bytes, path: str) -> FileMap:
    found = captures("java", QUERY)(root)
    comments = [(n.start_byte, n.end_byte) for n in found.get("comment", ())]
    strings = [(n.start_byte, n.end_byte) for n in found.get("string", ())]
    reading = _Reading(found, source, DocComments(source, comments))
    outline = Outline(source, reading.definitions(), comments, strings)
    known: Known = {}
    calls = _Calls(source, known)
    calls.collect(found)
    names = bound(found, source, outline, known, reading.type_of)
    bindings = names.settled()
    package = found.get("package")
    return FileMap(
        "java",
        "".join(text_of(package[0], source).split()) if package else "",
        outline.symbols(),
        tuple(_imports(found.get("import", ()), source)),
        tuple(bindings),
        tuple(calls.placed(outline, names)),
        1 if root.has_error else 0,
    )


class _Reading:
    """The declarations of a file."""

    def __init__(self, found: dict[str, list[Node]], source: bytes, docs: DocComments) -> None:
        self.found, self.source, self.docs = found, source, docs
        self._bounds: dict[str, list[tuple[int, int, str]]] = {}
        for node in found.get("bounded", ()):
            self._bound(node)

    def _bound(self, node: Node) -> None:
        """`T extends Foo`: where T stands, it is some Foo."""
        whole = node.parent.parent if node.parent is not None else None
        name, _, bound = text_of(node, self.source).partition(" extends ")
        name = name.rpartition(" ")[2].strip()
        type_ = type_text(bound.encode())
        if whole is not None and type_ and type_ != name:
            self._bounds.setdefault(name, []).append((whole.start_byte, whole.end_byte, type_))

    def type_of(self, node: Node | None) -> str:
        """The type that a node spells."""
        if node is None:
            return ""
        type_ = type_text(self.source[node.start_byte : node.end_byte])
        if type_ in self._bounds:
            at = node.start_byte
            for first, last, bound in reversed(self._bounds[type_]):
                if first <= at < last:
                    return bound
        return type_

    def definitions(self) -> Iterator[Definition]:
        for kind in ("class", "interface", "enum", "record"):
            for node in self.found.get(kind, ()):
                yield self._definition(kind, node, bases=tuple(self._bases(node)))
        for body in self.found.get("nameless", ()):
            made = body.parent
            if made is not None:
                is_constant = made.type == "enum_constant"
                base = self._enum_of(made) if is_constant else self.type_of(made.child_by_field_name("type"))
                yield self._nameless(body, made, base)
        for kind in ("method", "constructor"):
            for node in self.found.get(kind, ()):
                yield self._definition(kind, node, returns=self._returns(node) if kind == "method" else "")
        for node in self.found.get("field", ()):
            yield from self._fields(node)
        for node in self.found.get("component", ()):
            yield self._definition("field", node, returns=self.type_of(node.child_by_field_name("type")))
        for node in self.found.get("constant", ()):
            yield self._constant(node)

    def _returns(self, node: Node) -> str:
        type_ = self.type_of(node.child_by_field_name("type"))
        listed = node.child_by_field_name("parameters") if type_ else None
        is_list = listed is not None and self.source.startswith(b"[", listed.end_byte)  # `Foo rows()[]`
        return f"list[{type_}]" if is_list else type_

    def _bases(self, node: Node) -> Iterator[str]:
        above = node.child_by_field_name("superclass")
        if above is not None:
            yield self.type_of(child_at(above, 0))
        for child in (node.child_by_field_name("interfaces"), *node.children[1:6]):
            if child is None or child.type not in ("super_interfaces", "extends_interfaces"):
                continue
            listed = child_at(child, 0)
            for one in listed.named_children if listed is not None else ():
                yield self.type_of(one)
            return

    def _constant(self, node: Node) -> Definition:
        return self._definition("constant", node, returns=self._enum_of(node))

    def _enum_of(self, constant: Node) -> str:
        body = constant.parent
        holder = body.parent if body is not None else None
        name = holder.child_by_field_name("name") if holder is not None else None
        return text_of(name, self.source) if name is not None else ""

    def _nameless(self, body: Node, made: Node, base: str) -> Definition:
        head = self.source[made.start_byte : min(body.start_byte, made.start_byte + SIGNATURE_TEXT_MAX)]
        return Definition(
            "class",
            f"${base.partition('[')[0].rpartition('.')[2]}",
            body.start_byte,
            body.end_byte,
            body.start_point.row + 1,
            body.end_point.row + 1,
            head.decode("utf-8", "replace").rstrip(),
            "",
            (),
            (base,) if base else (),
        )

    def _fields(self, node: Node) -> Iterator[Definition]:
        type_ = self.type_of(node.child_by_field_name("type"))
        listed = node.children_by_field_name("declarator")
        for one in listed[:NAMES_MAX]:
            name = one.child_by_field_name("name")
            is_list = type_ and name is not None and self.source.startswith(b"[", name.end_byte)
            whole = node if len(listed) == 1 else one
            yield self._definition("field", whole, name=name, returns=f"list[{type_}]" if is_list else type_)

    def _definition(
        self, kind: str, node: Node, *, name: Node | None = None, bases: tuple[str, ...] = (), returns: str = ""
    ) -> Definition:
        name = name or node.child_by_field_name("name")
        first, last = node.start_byte, node.end_byte
        body = node.child_by_field_name("body") if kind not in ("field", "constant") else None
        end = min(body.start_byte if body is not None else last, first + 3 * SIGNATURE_TEXT_MAX)
        decorators: tuple[str, ...] = ()
        begin = first
        while (found := _ANNOTATION.match(self.source, begin, end)) is not None:  # the plain ones, without the tree
            decorators += (found[1].decode("utf-8", "replace"),)
            begin = found.end()
        to = name.start_byte if name is not None else end
        if b"@" in self.source[begin:to] and kind != "constant":
            decorators, head = self._annotated(node, first, end)
        else:
            head = self.source[begin:end].decode("utf-8", "replace")
        return Definition(
            kind,
            text_of(name, self.source) if name is not None else "",
            first,
            last,
            node.start_point.row + 1,
            node.end_point.row + 1,
            head.rstrip(" \t\r\n;{"),
            self.docs.before(first),
            decorators,
            bases,
            returns,
        )

    def _annotated(self, node: Node, first: int, end: int) -> tuple[tuple[str, ...], str]:
        """The annotations of a declaration, and its head without them."""
        texts: list[str] = []
        kept: list[str] = []
        modifiers = child_at(node, 0)
        for child in modifiers.named_children if modifiers is not None and modifiers.type == "modifiers" else ():
            if child.type in ("annotation", "marker_annotation"):
                texts.append(" ".join(text_of(child, self.source)[1:].split())[:200])
                kept.append(self.source[first : child.start_byte].decode("utf-8", "replace"))
                first = child.end_byte
        kept.append(self.source[first : max(first, end)].decode("utf-8", "replace"))
        return tuple(texts), "".join(kept).strip()


def _imports(nodes: Iterable[Node], source: bytes) -> Iterator[Import]:
    for node in nodes:
        words = text_of(node, source).rstrip(";").split()[1:]
        if words and words[0] == "static":
            del words[0]
        module, _, name = "".join(words).rpartition(".")
        if module and (name == "*" or name.isidentifier()):
            yield Import(name, module, name, node.start_point.row + 1)


class _Calls:
    """The calls of a file: chains first, so that what their results are given to can be said."""

    def __init__(self, source: bytes, known: Known) -> None:
        self.source, self.known = source, known
        self.found: list[tuple[int, int, int, str]] = []  # where it begins, line, column, chain

    def collect(self, found: dict[str, list[Node]]) -> None:
        source, known = self.source, self.known
        pairs = zip(found.get("invocation", ()), found.get("name", ()), strict=True)
        # What stands before a call ends before it does: it is known then.
        for last, node, name in sorted(((node.end_byte, node, name) for node, name in pairs), key=lambda one: one[0]):
            first, end = node.start_byte, name.end_byte
            text = source[first:end]
            if text.isascii() and PLAIN.match(text):
                chain = respelt(text.decode("ascii")) if b"." in text else text.decode("ascii")
                known[first, last] = chain
            else:
                word = text_of(name, source)
                before = self._before(node)
                known[first, last] = f"{before}.{word}" if before else ""
                chain = f"{before or '?'}.{word}"
            point = name.start_point
            self.found.append((first, point.row + 1, point.column, chain))
        for node in found.get("made", ()):
            self._made(node)
        for node in found.get("reference", ()):
            self._reference(node)
        for node in found.get("delegation", ()):
            self._delegation(node)

    def _before(self, node: Node) -> str:
        """What a method is called of."""
        before = node.child_by_field_name("object")
        if before is None:
            return ""
        after = before.next_named_sibling
        if after is not None and after.type == "super":  # `Outer.super.foo()`
            return f"<{text_of(before, self.source)}>"
        return chain_of(before, self.source, self.known)

    def _made(self, node: Node) -> None:
        type_ = type_text(self.source[node.start_byte : node.end_byte]).partition("[")[0]
        if not type_:
            return
        name = type_.rpartition(".")[2].encode()
        at = self._place(node, name)
        self.found.append((node.start_byte, *at, f"{type_}{{}}"))

    def _place(self, node: Node, name: bytes) -> tuple[int, int]:
        """The line and column of the name in a node, before its arguments."""
        first, point = node.start_byte, node.start_point
        text = self.source[first : node.end_byte]
        bracket = text.find(b"<")
        at = max(0, text.rfind(name, 0, bracket if bracket > 0 else len(text)))
        line_start = text.rfind(b"\n", 0, at)
        if line_start < 0:
            return point.row + 1, point.column + at
        return point.row + 1 + text.count(b"\n", 0, at), at - line_start - 1

    def _reference(self, node: Node) -> None:
        """`Foo::bar` will call bar; `Foo::new` makes a Foo."""
        owner = child_at(node, 0)
        if owner is None:
            return
        last = node.children[-1]
        if last.type == "identifier" and node.named_child_count > 1:
            before = chain_of(owner, self.source, self.known)
            end = last.start_point
            chain = f"{before or '?'}.{text_of(last, self.source)}"
            self.found.append((node.start_byte, end.row + 1, end.column, chain))
        elif last.type == "new" and owner.type != "array_type":
            self._made(owner)

    def _delegation(self, node: Node) -> None:
        """`this(…)` and `super(…)` in a constructor make one of the class and of its superclass."""
        word = node.child_by_field_name("constructor")
        holder: Node | None = node.parent
        while holder is not None and holder.type not in ("class_declaration", "enum_declaration", "record_declaration"):
            holder = holder.parent
        if word is None or holder is None:
            return
        if word.type == "this":
            named = holder.child_by_field_name("name")
        else:
            above = holder.child_by_field_name("superclass")
            named = child_at(above, 0) if above is not None else None
        written = self.source[named.start_byte : named.end_byte] if named is not None else b""
        type_ = type_text(written).partition("[")[0]
        if type_:
            at = word.start_point
            self.found.append((node.start_byte, at.row + 1, at.column, f"{type_}{{}}"))

    def placed(self, outline: Outline, names: BlockNames) -> Iterator[Call]:
        self.found.sort()
        for first, line, column, chain in self.found:
            said = names.chain(chain, first) if "." in chain else chain
            yield Call(outline.scope_at(first), line, column, said)


COMMON = frozenset(
    "accept add addAll all append apply asList build builder call charAt clear clone close compare compareTo contains "
    "containsKey copy count create delete entrySet equals execute exists filter find first flush forEach format get "
    "getBytes getClass getKey getMessage getName getType getValue hasNext hashCode index indexOf init insert isEmpty "
    "iterator join key keySet last length map match matches name next of open or parse peek poll pop print printf "
    "println push put putAll read remove replace reset run set setValue size skip sort split start stop stream "
    "submit substring test toArray toString trim type update value valueOf values wait write".split()
)
# Of containers, streams and the like: methods that give one of the same, and that give what is in it.
PASSING = frozenset(
    "clone descendingIterator distinct entrySet filter iterator keySet limit listIterator parallelStream peek reversed "
    "skip sorted stream subList values".split()
)
GIVING = frozenset(
    "computeIfAbsent element elementAt findAny findFirst first firstElement floor get getAndSet getFirst getLast "
    "getOrDefault getValue higher join last lastElement lower newInstance next orElse orElseGet orElseThrow poll "
    "pollFirst pollLast pop previous put putIfAbsent remove removeFirst removeLast take".split()
)


def _grammar() -> object:
    import tree_sitter_java

    return tree_sitter_java.language()


LANGUAGES = {
    "java": Language(
        "java",
        (".java",),
        _grammar,
        read,
        Rules(
            selves=frozenset(("this",)),
            supers=frozenset(("super",)),
            implicit_self=True,
            methods_apart=True,
            wrappers=frozenset(("Optional", "Supplier", "Provider", "AtomicReference", "ThreadLocal", "WeakReference")),
            common=COMMON,
            members_beside="",
            passing=PASSING,
            giving=GIVING,
            finder=finder,
            shares=shares,
        ),
    )
}
