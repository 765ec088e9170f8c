"""What JavaScript and TypeScript define: functions, classes, members and constants, as definitions for the outline."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ...model.code import CALLABLES
from ..outline import SIGNATURE_MAX, Definition
from .typescript_chains import chain_of, text_of
from .typescript_comments import Comments
from .typescript_decorators import BETWEEN, decorated
from .typescript_heads import FUNCTIONS, MEMBERS_MAX, apart, bare, bases_of, holds_functions, name_of, passed_on
from .typescript_jsdoc import said_in
from .typescript_types import annotated, type_of

if TYPE_CHECKING:
    from tree_sitter import Node

DEFAULT = "default"

_PROPERTY = re.compile(rb"\b(?:public|private|protected|readonly|override)\s")
_IDENTIFIER = re.compile(r"[\w$.#]+\Z")
Captures = dict[str, list[Any]]


class Definitions:
    """The definitions of one file, in `list`. `named` are the places of functions that have a name of their own, or one
    by what they are assigned to; `objects` are objects that hold names; `exports` the names under which the file gives
    what it has under others; `properties` are fields that a constructor declares (where, name, type); `documented` what
    comments say of parameters (where the function begins, name → type)."""

    def __init__(self, found: Captures, source: bytes, comments: Comments, is_typed: bool) -> None:
        self._found, self._source, self._comments = found, source, comments
        self._first: dict[int, int] = {}  # where a declaration begins → where the statement around it does
        self.list: list[Definition] = []
        self.named: set[int] = set()
        self.objects: dict[int, Node] = {}
        self.exports: list[tuple[str, str]] = []
        self.properties: list[tuple[int, str, str]] = []
        self.documented: list[tuple[int, dict[str, str]]] = []
        self._taken: set[int] = set()  # classes that got their name from outside
        self._members: set[int] = set()
        self._overloads: set[int] = set()  # where signatures without a body end
        self._wide()
        self._exported_values()
        for top in found.get("top", ()):
            self._constants(top)
        for node in found.get("value", ()):
            self._local_function(node)
        for node in found.get("function", ()):
            self.named.add(node.start_byte)
            self._declared("function", node)
        for kind in ("class", "interface", "enum"):
            for node in found.get(kind, ()):
                self._type(kind, node)
        known = {one.name for one in self.list}
        for node in found.get("assign", ()):
            self._assigned(node, known)
        for node in found.get("pair", ()):
            self._pair(node)
        for node in found.get("alias", ()):
            self._alias(node)
        for node in found.get("namespace", ()):
            self._declared("namespace", node)
        for node in found.get("method", ()):
            self.named.add(node.start_byte)
            self._method(node)
        for node in found.get("field", ()):
            self._field(node)
        for node in found.get("property", ()):
            self._field(node, "property")
        for node in found.get("enumerator", ()):
            self._enumerator(node)
        self._signatures()
        if "decorator" in found:
            self.list = decorated(self.list, found["decorator"], source, self._comments)
        if not is_typed and (b"@param" in source or b"@return" in source):
            self.list = [self._documented(one) if one.kind in CALLABLES else one for one in self.list]

    # What stands around.

    def _wide(self) -> None:
        for node in self._found.get("export", ()):
            declared = node.child_by_field_name("declaration")
            if declared is not None:
                self._first[declared.start_byte] = node.start_byte
                name = declared.child_by_field_name("name")
                if name is not None and b"default" in self._source[node.start_byte : declared.start_byte]:
                    self.exports.append((DEFAULT, text_of(name, self._source)))
        for node in self._found.get("ambient", ()):
            if node.named_child_count and (inner := node.named_child(0)) is not None:
                self._first[inner.start_byte] = self._first.get(node.start_byte, node.start_byte)

    def _exported_values(self) -> None:
        """`export default …` of an expression, and `export = …`."""
        for node in self._found.get("export", ()):
            value = node.child_by_field_name("value")
            if value is None:
                only = node.named_child(0) if node.named_child_count == 1 else None
                if only is not None and only.type in ("identifier", "member_expression"):
                    self.exports.append((DEFAULT, chain_of(only, self._source)))
                continue
            self._by_default(value, node)

    def _by_default(self, value: Node, statement: Node) -> None:
        value = bare(value)
        kind = value.type
        if kind in FUNCTIONS or kind == "class":
            own = value.child_by_field_name("name")
            name = text_of(own, self._source) if own is not None else DEFAULT
            (self._taken if kind == "class" else self.named).add(value.start_byte)
            self._add("class" if kind == "class" else "function", name, value, statement)
            if own is not None:
                self.exports.append((DEFAULT, name))
        elif kind == "object":
            if holds_functions(value):
                self._add("object", DEFAULT, value, statement)
                self.objects[value.start_byte] = value
        else:
            chain = chain_of(value, self._source)
            if chain[0] not in "?<":
                self.exports.append((DEFAULT, chain))

    # Constants and what is assigned.

    def _constants(self, statement: Node) -> None:
        """Every declarator of a statement outside of functions is a symbol."""
        source = self._source
        first = self._first.get(statement.start_byte, statement.start_byte)
        count = statement.named_child_count
        keyword = source[statement.start_byte : statement.start_byte + 5]
        kind = "constant" if keyword == b"const" else "variable"
        declarators = [one for one in map(statement.named_child, range(count)) if one and one.type != "comment"]
        for at, node in enumerate(declarators):
            name = node.child_by_field_name("name")
            if name is None or name.type not in ("identifier", "type_identifier"):
                continue
            here = first if at == 0 else node.start_byte
            last = statement.end_byte if at == len(declarators) - 1 else node.end_byte
            self._members.add(node.start_byte)
            self._variable(kind, text_of(name, source), node, here, last, statement)

    def _variable(self, kind: str, name: str, node: Node, first: int, last: int, statement: Node) -> None:
        value = node.child_by_field_name("value")
        if value is not None and self._source.startswith(b"require(", value.start_byte):
            return  # that is an import
        value = bare(value) if value is not None else None
        what = passed_on(value, self._source, name) if value is not None else None
        body = None
        returns = ""
        if what is not None:
            kind, value = "function", what
            self.named.add(what.start_byte)
            body = what.child_by_field_name("body")
            returns = self._result(what)
        elif value is not None and value.type == "class":
            kind = "class"
            self._taken.add(value.start_byte)
            body = value.child_by_field_name("body")
        elif value is not None and value.type == "object" and holds_functions(value):
            kind = "object"
            self.objects[value.start_byte] = value
            body = value
        if kind in ("constant", "variable"):
            written = node.child_by_field_name("type")
            returns = annotated(self._source[written.start_byte : written.end_byte]) if written is not None else ""
        self.list.append(
            Definition(
                kind,
                name,
                first,
                last,
                statement.start_point.row + 1 if first <= statement.start_byte else node.start_point.row + 1,
                statement.end_point.row + 1 if last == statement.end_byte else node.end_point.row + 1,
                self._head(first, body.start_byte if body is not None else last),
                self._comments.before(first),
                bases=bases_of(value, self._source) if kind == "class" and value is not None else (),
                returns=returns,
            )
        )

    def _local_function(self, node: Node) -> None:
        """`const f = () => …` inside of a function or block."""
        if node.start_byte in self._members:
            return
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None or value is None or name.type != "identifier":
            return
        value = bare(value)
        if value.type != "class" and passed_on(value, self._source) is None:
            return
        statement = node.parent
        if statement is None or statement.named_child_count != 1:
            statement = node
        first = statement.start_byte
        self._variable("function", text_of(name, self._source), node, first, statement.end_byte, statement)

    def _assigned(self, node: Node, known: set[str]) -> None:
        """`exports.f = function…`, `Foo.prototype.f = …` of something that the file defines, `module.exports = …`."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None or left.type != "member_expression":
            return
        right = bare(right)
        kind = right.type
        target = text_of(left, self._source)
        holder, _, name = target.rpartition(".")
        exported = target == "module.exports" or holder in ("exports", "module.exports")
        if exported and kind not in FUNCTIONS and kind != "class":
            self._common_js(target, name, right)
            return
        if (kind not in FUNCTIONS and kind != "class") or not _IDENTIFIER.match(target) or not name:
            return
        receiver = ""
        what = "class" if kind == "class" else "function"
        if target == "module.exports":
            own = right.child_by_field_name("name")
            name = text_of(own, self._source) if own is not None else DEFAULT
            if own is not None:
                self.exports.append((DEFAULT, name))
        elif not exported:
            receiver = holder.removesuffix(".prototype")
            what = "class" if kind == "class" else "method"
            if receiver not in known:
                return
        if kind == "class":
            self.list = [one for one in self.list if one.kind != "class" or one.first != right.start_byte]
        else:
            self.named.add(right.start_byte)
        statement = node.parent if node.parent is not None and node.parent.type == "expression_statement" else node
        self._add(what, name, right, statement, receiver=receiver)

    def _common_js(self, target: str, name: str, right: Node) -> None:
        if target != "module.exports":
            chain = chain_of(right, self._source)
            if chain[0] not in "?<" and chain != name:
                self.exports.append((name, chain))
        elif right.type == "object":
            self.objects[right.start_byte] = right
            self._given_on(right)
        else:
            chain = chain_of(right, self._source)
            if chain[0] not in "?<":
                self.exports.append((DEFAULT, chain))

    def _given_on(self, value: Node) -> None:
        """`module.exports = {a, b: c}` hands on what the file has or has loaded."""
        for part in map(value.named_child, range(min(value.named_child_count, MEMBERS_MAX))):
            if part is not None and part.type == "shorthand_property_identifier":
                name = text_of(part, self._source)
                self.exports.append((name, name))
            elif part is not None and part.type == "pair":
                key, held = part.child_by_field_name("key"), part.child_by_field_name("value")
                if key is not None and held is not None and held.type in ("identifier", "member_expression"):
                    self.exports.append((name_of(key, self._source), chain_of(held, self._source)))

    def _pair(self, node: Node) -> None:
        """`f: () => …` in an object that is a constant or what the file exports."""
        value, key, around = node.child_by_field_name("value"), node.child_by_field_name("key"), node.parent
        if value is None or key is None or around is None or around.start_byte not in self.objects:
            return
        self.named.add(value.start_byte)
        self._add("method", name_of(key, self._source), value, node)

    # Declarations.

    def _declared(self, kind: str, node: Node) -> None:
        name = node.child_by_field_name("name")
        if name is not None and (written := name_of(name, self._source)):
            if node.type == "module":
                kind = "module"
            self._add(kind, written, node)

    def _type(self, kind: str, node: Node) -> None:
        if node.start_byte in self._taken:
            return
        name = node.child_by_field_name("name")
        if name is None:
            if node.type == "class" and node.child_by_field_name("body") is not None:
                self._add(kind, "class", node)
            return
        self._add(kind, text_of(name, self._source), node)

    def _alias(self, node: Node) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None:
            return
        spelt = type_of(text_of(value, self._source)) if value is not None else ""
        bases: tuple[str, ...] = ()
        if value is not None and value.type == "intersection_type":  # it may have members of its own
            bases, spelt = tuple(apart(spelt)) if spelt and spelt[0] != "=" else (), ""
            self._own_members(value)
        self._add("type", text_of(name, self._source), node, bases=bases, returns=spelt)

    def _own_members(self, value: Node) -> None:
        """Those of `{…} & Other`, however many there are."""
        waiting = [value]
        for _ in range(MEMBERS_MAX):
            if not waiting:
                return
            node = waiting.pop()
            for part in map(node.named_child, range(min(node.named_child_count, MEMBERS_MAX))):
                if part is None:
                    continue
                if part.type in ("intersection_type", "object_type"):
                    waiting.append(part)
                elif node.type == "object_type" and part.type == "property_signature":
                    self._field(part, "property")
                elif node.type == "object_type" and part.type == "method_signature":
                    self._found.setdefault("signature", []).append(part)

    def _method(self, node: Node) -> None:
        if (name := node.child_by_field_name("name")) is None:
            return
        written = name_of(name, self._source)
        self._add("constructor" if written == "constructor" else "method", written, node)
        if written == "constructor":
            self._parameter_properties(node)
        if b"get " in self._source[node.start_byte : name.start_byte]:
            self.list[-1] = self.list[-1]._replace(decorators=("get",))

    def _parameter_properties(self, constructor: Node) -> None:
        """`constructor(private readonly store: Store)` also declares a field."""
        listed, body = constructor.child_by_field_name("parameters"), constructor.parent
        owner = body.parent if body is not None else None
        name = owner.child_by_field_name("name") if owner is not None else None
        if listed is None or name is None or not _PROPERTY.search(self._source, listed.start_byte, listed.end_byte):
            return
        receiver = text_of(name, self._source)
        for node in map(listed.named_child, range(min(listed.named_child_count, MEMBERS_MAX))):
            pattern = node.child_by_field_name("pattern") if node is not None else None
            if node is None or pattern is None or pattern.type != "identifier":
                continue
            if not _PROPERTY.search(self._source, node.start_byte, pattern.start_byte):
                continue
            written = node.child_by_field_name("type")
            returns = annotated(self._source[written.start_byte : written.end_byte]) if written is not None else ""
            self.properties.append((node.start_byte, text_of(pattern, self._source), returns))
            self._member("field", text_of(pattern, self._source), node, node.end_byte, returns, receiver)

    def _field(self, node: Node, kind: str = "field") -> None:
        name = node.child_by_field_name("name") or node.child_by_field_name("property")
        if name is None:
            return
        source = self._source
        last = node.end_byte
        written = node.child_by_field_name("type")
        value = node.child_by_field_name("value") if kind == "field" else None
        what = passed_on(bare(value), source) if value is not None else None
        end, returns = last, ""
        if what is not None:
            kind = "method"
            self.named.add(what.start_byte)
            body = what.child_by_field_name("body")
            end, returns = body.start_byte if body is not None else last, self._result(what)
        elif written is not None:
            text = source[written.start_byte : written.end_byte]
            inner = written.named_child(0) if b"=>" in text else None
            if inner is not None and inner.type == "function_type":
                kind, returns = "method", self._result(inner)
            else:
                returns = annotated(text)
        self._member(kind, name_of(name, source), node, end, returns)

    def _enumerator(self, node: Node) -> None:
        name = node.child_by_field_name("name") or node
        self._member("constant", name_of(name, self._source), node, node.end_byte)

    def _member(self, kind: str, name: str, node: Node, head: int, returns: str = "", receiver: str = "") -> None:
        first = node.start_byte
        self.list.append(
            Definition(
                kind,
                name,
                first,
                node.end_byte,
                node.start_point.row + 1,
                node.end_point.row + 1,
                self._head(first, head),
                self._comments.before(first),
                (),
                (),
                returns,
                receiver,
            )
        )

    def _signatures(self) -> None:
        """Overloads are one symbol with what they are for; alone they are a declaration."""
        for node in self._found.get("signature", ()):
            if (name := node.child_by_field_name("name")) is None:
                continue
            written = name_of(name, self._source)
            kind = "function" if node.type == "function_signature" else "method"
            self._add("constructor" if kind == "method" and written == "constructor" else kind, written, node)
            self._overloads.add(self.list[-1].last)
        if self._overloads:
            self._merge()

    def _merge(self) -> None:
        kept: list[Definition] = []
        waiting: Definition | None = None
        for one in sorted(self.list, key=lambda d: (d.first, -d.last)):
            if waiting is not None:
                if self._overloads_of(waiting, one):
                    one = one._replace(
                        first=waiting.first,
                        start=waiting.start,
                        doc=waiting.doc or one.doc,
                        returns=waiting.returns or one.returns,
                    )
                else:
                    kept.append(waiting)
                waiting = None
            if one.last in self._overloads:
                waiting = one
            else:
                kept.append(one)
        if waiting is not None:
            kept.append(waiting)
        self.list = kept

    def _overloads_of(self, one: Definition, next_: Definition) -> bool:
        return (
            one.name == next_.name
            and one.kind == next_.kind
            and next_.first >= one.last
            and BETWEEN.match(self._source, one.last, next_.first) is not None
        )

    def _documented(self, one: Definition) -> Definition:
        """With what its comment says about types."""
        comment = self._comments.whole_before(one.first)
        if "@" not in comment:
            return one
        said = said_in(comment)
        if said.parameters:
            self.documented.append((one.first, said.parameters))
        return one._replace(returns=one.returns or said.returns)

    # Shared.

    def _add(
        self,
        kind: str,
        name: str,
        node: Node,
        around: Node | None = None,
        *,
        receiver: str = "",
        bases: tuple[str, ...] = (),
        returns: str = "",
    ) -> None:
        outer = around if around is not None else node
        first = self._first.get(outer.start_byte, outer.start_byte)
        body = node.child_by_field_name("body")
        if kind in ("class", "interface"):
            bases = bases_of(node, self._source)
        elif kind in ("function", "method"):
            returns = self._result(node)
        start = outer.start_point.row
        if first != outer.start_byte:
            start -= self._source.count(b"\n", first, outer.start_byte)
        self.list.append(
            Definition(
                kind,
                name,
                first,
                outer.end_byte,
                start + 1,
                outer.end_point.row + 1,
                self._head(first, body.start_byte if body is not None else outer.end_byte),
                self._comments.before(first),
                bases=bases,
                returns=returns,
                receiver=receiver,
            )
        )

    def _result(self, node: Node) -> str:
        written = node.child_by_field_name("return_type")
        return annotated(self._source[written.start_byte : written.end_byte]) if written is not None else ""

    def _head(self, first: int, last: int) -> str:
        return (
            self._source[first : min(last, first + SIGNATURE_MAX + 100)].decode("utf-8", "replace").rstrip(" \n\r{=;")
        )
