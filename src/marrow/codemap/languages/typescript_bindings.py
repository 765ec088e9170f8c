"""What names stand for in JavaScript and TypeScript: parameters, variables, fields and results.

A function without a name is no scope of the map, and a block is none. Where several of them in one function give
different meanings to a name, or hide one from outside, the chains that begin with it say what it stands for instead.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ...model.code import TOP, TYPES, Binding, Call, Import, Symbol
from ..outline import Outline
from .typescript_chains import UNKNOWN, chain_of, parts_of, text_of
from .typescript_comments import Comments
from .typescript_definitions import Definitions
from .typescript_imports import required_by, taken
from .typescript_jsdoc import said_in
from .typescript_types import annotated

if TYPE_CHECKING:
    from tree_sitter import Node

RETURNS_MAX = 3
_BRACKETS = frozenset(")]}")
_FIRST = re.compile(r"[^.(\[{<?]+")
_PARAMETERS_MAX, _MEMBERS_MAX, _FOLLOW_MAX = 200, 200, 6
_FUNCTIONS = frozenset(("arrow_function", "function_expression", "generator_function"))
_NO_VALUES = _FUNCTIONS | frozenset(("class",))
_LOADS = (b"require", b"import", b"await import", b"(await import", b"(await require")
# Methods that hand an element of what they are called on to a function, and as which of its parameters.
_HANDS_ELEMENT: dict[str, tuple[int, ...]] = {
    **dict.fromkeys("forEach map filter find some every flatMap findIndex findLast findLastIndex".split(), (0,)),
    "reduce": (1,),
    "reduceRight": (1,),
    "sort": (0, 1),
    "toSorted": (0, 1),
}
HANDS_ON = frozenset((*_HANDS_ELEMENT, "then"))
# Methods of lists and maps that give the same elements, and functions that give those of their argument.
_SAME_ELEMENTS = frozenset("values entries slice filter reverse sort concat toSorted toReversed splice".split())
_OF_ARGUMENT = frozenset(("Object.values", "Object.entries", "Array.from", "Object.freeze"))


class _Meaning(NamedTuple):
    """What a name stands for from `at` on, between `first` and `last`, by names of `scope`."""

    at: int
    first: int
    last: int
    scope: int
    type: str = ""
    value: str = ""


class _Functions:
    """Where the functions of a file begin and end, with and without names."""

    def __init__(self, spans: Iterable[tuple[int, int]], end: int) -> None:
        ordered = sorted(spans, key=lambda span: (span[0], -span[1]))
        self._spans = ordered
        self._starts = [span[0] for span in ordered]
        self._above: list[int] = []
        self._end = end
        open_: list[int] = []
        for at, (first, _) in enumerate(ordered):
            while open_ and ordered[open_[-1]][1] <= first:
                open_.pop()
            self._above.append(open_[-1] if open_ else -1)
            open_.append(at)

    def around(self, byte: int) -> tuple[int, int]:
        """The innermost function at a place; the file itself outside of all."""
        at = bisect_right(self._starts, byte) - 1
        while at >= 0 and self._spans[at][1] <= byte:
            at = self._above[at]
        return self._spans[at] if at >= 0 else (0, self._end)


class Bindings:
    """The bindings of one file: first told what calls hand to functions (`give`), then settled, then asked. `remarks`
    are comments that may say types."""

    def __init__(
        self, found: dict[str, list[Any]], source: bytes, definitions: Definitions, remarks: Comments | None
    ) -> None:
        self._remarks = remarks
        self._found, self._source, self._definitions = found, source, definitions
        self._nodes = [*found.get("function", ()), *found.get("anonymous", ()), *found.get("method", ())]
        spans = [(node.start_byte, node.end_byte) for node in self._nodes]
        self._functions = _Functions(spans, len(source))
        self._given: dict[int, dict[int, str]] = {}
        self._groups: dict[tuple[int, str], list[tuple[int, str, str]]] = {}
        self._plain: list[Binding] = []
        self._unclear: dict[tuple[int, str], list[_Meaning]] = {}
        self._unclear_names: set[str] = set()
        self._clear: set[tuple[int, str]] = set()
        self.imports: list[Import] = []

    def give(self, name: str, chain: str, callee: Node) -> None:
        """A call of `name`: when it hands something known to a function that it is given, remember that."""
        if callee.type != "member_expression":
            return
        places = _HANDS_ELEMENT.get(name)
        given = callee.next_named_sibling
        if given is not None and given.type == "type_arguments":
            given = given.next_named_sibling
        function = given.named_child(0) if given is not None and given.named_child_count else None
        owner = callee.child_by_field_name("object")
        if function is None or owner is None or function.type not in _FUNCTIONS:
            return
        if places is None:
            self._given[function.start_byte] = {0: chain.removesuffix(".then")}
        else:
            element = _elements(owner, self._source) + "[]"
            self._given[function.start_byte] = dict.fromkeys(places, element)

    def settle(self, outline: Outline, symbols: Sequence[Symbol], imports: Iterable[Import]) -> None:
        self._outline, self._symbols = outline, symbols
        for node in self._nodes:
            self._parameters(node)
        for first, types in self._definitions.documented:
            self._remarked(outline.scope_at(first), types)
        for node in self._found.get("declarator", ()):
            self._variable(node)
        for node in self._found.get("loop", ()):
            self._loop(node)
        for node in self._found.get("catch", ()):
            self._bind(node, node.start_byte, "", UNKNOWN)
        self._assignments()
        self._members()
        known = {symbol.name for symbol in symbols}
        known.update(one.local for one in imports)
        self._sort(known)
        self._returns()

    def made(self) -> list[Binding]:
        return self._plain

    def told(self, calls: Sequence[tuple[int, Call]]) -> list[Call]:
        """The calls, with what unclear names stand for where they stand."""
        if not self._unclear:
            return [call for _, call in calls]
        made = []
        unclear = self._unclear_names
        for at, call in calls:
            first = call.chain.partition(".")[0]
            if first in unclear or (first[-1:] in _BRACKETS and _root(first) in unclear):
                call = call._replace(chain=self._clearer(call.chain, call.scope, at))
            made.append(call)
        return made

    # What is bound where.

    def _bind(self, pattern: Node, at: int, type_: str, value: str) -> None:
        """The names of a pattern that is given a value, or a type."""
        if type_[:1] == "=":
            type_, value = "", type_[1:]
        scope = self._outline.scope_at(at)
        if pattern.type == "identifier":
            self._add(scope, text_of(pattern, self._source), at, type_, "" if type_ else value)
            return
        root = f"<{type_}>" if type_ else value
        unknown = not root or root[0] == UNKNOWN
        for name, way in parts_of(pattern, self._source):
            if way == "":
                self._add(scope, name, at, type_, "" if type_ else value)
            else:
                self._add(scope, name, at, "", UNKNOWN if way is None or unknown else root + way)

    def _add(self, scope: int, name: str, at: int, type_: str, value: str) -> None:
        key = scope, name
        if key in self._groups:
            self._groups[key].append((at, type_, value))
        else:
            self._groups[key] = [(at, type_, value)]

    def _parameters(self, function: Node) -> None:
        given = self._given.get(function.start_byte)
        listed = function.child_by_field_name("parameters")
        if listed is None:
            only = function.child_by_field_name("parameter")
            if only is not None:
                self._bind(only, only.start_byte, "", given.get(0, UNKNOWN) if given else UNKNOWN)
            return
        for at in range(min(listed.named_child_count, _PARAMETERS_MAX)):
            node = listed.named_child(at)
            if node is None:
                continue
            kind = node.type
            value = given.get(at, UNKNOWN) if given else UNKNOWN
            if kind in ("required_parameter", "optional_parameter"):
                self._typed_parameter(node, value)
            elif kind == "assignment_pattern":
                default = node.child_by_field_name("right")
                if value == UNKNOWN and default is not None:
                    value = chain_of(default, self._source)
                self._bind(node, node.start_byte, "", value)
            elif kind != "comment":
                self._bind(node, node.start_byte, "", value)

    def _remarked(self, scope: int, types: dict[str, str]) -> None:
        """Parameters of which a comment says what they are."""
        for name, type_ in types.items():
            group = self._groups.get((scope, name))
            if group is not None and not group[0][1]:
                group[0] = (group[0][0], type_, "")

    def _said_before(self, at: int) -> str:
        """The type that a comment before the statement at a place gives."""
        if self._remarks is None:
            return ""
        line = self._source.rfind(b"\n", 0, at) + 1
        comment = self._remarks.whole_before(line if line > 0 else at)
        return said_in(comment).type if "@type" in comment else ""

    def _typed_parameter(self, node: Node, value: str) -> None:
        pattern, written = node.child_by_field_name("pattern"), node.child_by_field_name("type")
        if pattern is None:
            return
        type_ = annotated(self._source[written.start_byte : written.end_byte]) if written is not None else ""
        if written is None and value == UNKNOWN and (default := node.child_by_field_name("value")) is not None:
            value = chain_of(default, self._source)
        kind = pattern.type
        if kind == "rest_pattern":
            inner = pattern.named_child(0) if pattern.named_child_count else None
            if inner is not None:
                self._bind(inner, node.start_byte, type_, UNKNOWN)
        elif written is not None and not type_ and kind == "object_pattern":
            self._spelt_out(pattern, written, node.start_byte)
        else:
            self._bind(pattern, node.start_byte, type_, value)

    def _spelt_out(self, pattern: Node, written: Node, at: int) -> None:
        """`({a, b}: {a: A; b: B})`: each name by the member of its type."""
        types: dict[str, str] = {}
        inner = written.named_child(0) if written.named_child_count else None
        if inner is not None and inner.type == "object_type":
            for place in range(min(inner.named_child_count, _MEMBERS_MAX)):
                member = inner.named_child(place)
                if member is not None and member.type == "property_signature":
                    name, said = member.child_by_field_name("name"), member.child_by_field_name("type")
                    if name is not None and said is not None:
                        types[text_of(name, self._source)] = annotated(self._source[said.start_byte : said.end_byte])
        scope = self._outline.scope_at(at)
        for bound, way in parts_of(pattern, self._source):
            type_ = types.get(way[1:], "") if way else ""
            if type_[:1] == "=":
                self._add(scope, bound, at, "", type_[1:])
            else:
                self._add(scope, bound, at, type_, "" if type_ else UNKNOWN)

    def _variable(self, node: Node) -> None:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None:
            return
        at = node.start_byte
        written = node.child_by_field_name("type")
        if written is not None:
            self._bind(name, at, annotated(self._source[written.start_byte : written.end_byte]), UNKNOWN)
            return
        if self._remarks is not None and (said := self._said_before(at)):
            self._bind(name, at, said, "")
            return
        if value is None:
            self._bind(name, at, "", "")
            return
        if value.type in _NO_VALUES:
            return
        if self._source.startswith(_LOADS, value.start_byte):
            module = required_by(value, self._source)
            if module is not None:
                scope = self._outline.scope_at(at)
                self.imports += taken(name, self._source, *module, node.start_point.row + 1, scope)
                return
        self._bind(name, at, "", chain_of(value, self._source).removesuffix(".bind()"))

    def _loop(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or left.type == "member_expression":
            return
        if operator is not None and operator.type == "in":
            self._bind(left, left.start_byte, "string", "")
            return
        element = _elements(right, self._source) + "[]"
        if left.type == "array_pattern":  # the keys and values of a map
            for at in range(min(left.named_child_count, 8)):
                part = left.named_child(at)
                if part is not None:
                    self._bind(part, left.start_byte, "", element if at == 1 else UNKNOWN)
            return
        self._bind(left, left.start_byte, "", element)

    def _assignments(self) -> None:
        """`this.x = …` binds a field, `x = …` a variable that was declared without a value."""
        fields: set[tuple[int, str]] = set()
        for node in self._found.get("assign", ()):
            left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
            if left is None or right is None:
                continue
            at = node.start_byte
            kind = left.type
            if kind == "identifier":
                scope, name = self._outline.scope_at(at), text_of(left, self._source)
                group = self._groups.get((scope, name))
                if group is not None and not group[0][1] and not group[0][2]:
                    group.append((at, "", chain_of(right, self._source)))
            elif kind == "member_expression" and self._source.startswith(b"this.", left.start_byte):
                self._field_assigned(text_of(left, self._source)[5:], right, at, fields)

    def _field_assigned(self, name: str, right: Node, at: int, fields: set[tuple[int, str]]) -> None:
        within = self._outline.scope_at(at)
        around = within
        while around != TOP and self._symbols[around].kind not in TYPES:
            around = self._symbols[around].parent
        if around == TOP or "." in name or (around, name) in fields:
            return
        if said := self._said_before(at):
            fields.add((around, name))
            self._plain.append(Binding(around, name, said, "", within))
            return
        value = chain_of(right, self._source)
        if value[0] != UNKNOWN and right.type not in _FUNCTIONS:
            fields.add((around, name))
            self._plain.append(Binding(around, name, "", value, within))

    def _members(self) -> None:
        """Fields by their types and values; what is named by a value of another name."""
        scope_at = self._outline.scope_at
        for node in self._found.get("field", ()):
            name = node.child_by_field_name("name") or node.child_by_field_name("property")
            value, written = node.child_by_field_name("value"), node.child_by_field_name("type")
            if name is None or (value is None and written is None):
                continue
            scope = scope_at(node.start_byte)
            type_ = annotated(self._source[written.start_byte : written.end_byte]) if written is not None else ""
            if type_ and type_[0] != "=":
                self._plain.append(Binding(scope, text_of(name, self._source), type_))
            elif value is not None and not type_ and value.type not in _FUNCTIONS:
                chain = chain_of(value, self._source)
                if chain[0] != UNKNOWN:
                    self._plain.append(Binding(scope, text_of(name, self._source), "", chain))
        for place, called, type_ in self._definitions.properties:
            within = scope_at(place)
            owner = self._symbols[within].parent if within != TOP else TOP
            if owner != TOP and type_ and type_[0] != "=":
                self._plain.append(Binding(owner, called, type_, "", within))
        for at, symbol in enumerate(self._symbols):
            if symbol.returns[:1] == "=":
                if symbol.kind in ("function", "method"):
                    self._plain.append(Binding(at, "return", "", symbol.returns[1:]))
                else:
                    self._plain.append(Binding(symbol.parent, symbol.name, "", symbol.returns[1:]))
        for node in self._definitions.objects.values():
            self._object(node)
        for node in self._found.get("import_alias", ()):  # import Short = some.long.Name
            called, _, chain = text_of(node, self._source).removesuffix(";").partition("=")
            self._plain.append(Binding(scope_at(node.start_byte), called.split()[-1], "", "".join(chain.split())))

    def _object(self, node: Node) -> None:
        """`{a, b: c}`: members of a constant that are other names."""
        scope = self._outline.scope_at(node.start_byte)
        if scope == TOP:  # what the file exports
            return
        above = self._symbols[scope].parent
        for at in range(min(node.named_child_count, _MEMBERS_MAX)):
            part = node.named_child(at)
            if part is None:
                continue
            if part.type == "shorthand_property_identifier":
                name = text_of(part, self._source)
                self._plain.append(Binding(scope, name, "", name, above))
            elif part.type == "pair":
                key, value = part.child_by_field_name("key"), part.child_by_field_name("value")
                if key is None or value is None or value.type in _FUNCTIONS:
                    continue
                chain = chain_of(value, self._source)
                name = text_of(key, self._source)
                if chain and chain[0] not in "?<":
                    self._plain.append(Binding(scope, name, "", chain, above))

    def _returns(self) -> None:
        """What functions give back that do not say so."""
        counts: dict[int, int] = {}
        named = self._definitions.named
        results = list(self._found.get("return", ()))
        for node in self._found.get("anonymous", ()):
            body = node.child_by_field_name("body") if node.start_byte in named else None
            if body is not None and body.type != "statement_block":
                results.append(body)
        for node in results:
            at = node.start_byte
            if self._functions.around(at)[0] not in named:
                continue
            scope = self._outline.scope_at(at)
            if scope == TOP or self._symbols[scope].returns or counts.get(scope, 0) >= RETURNS_MAX:
                continue
            chain = chain_of(node, self._source)
            if chain[0] != UNKNOWN:
                counts[scope] = counts.get(scope, 0) + 1
                self._plain.append(Binding(scope, "return", "", self._clearer(chain, scope, at)))

    # Names that stand for several things.

    def _sort(self, known: set[str]) -> None:
        """What has one meaning in its scope is bound; of the rest each use is told what it means."""
        for key, group in self._groups.items():
            scope, name = key
            hides = name in known
            said = {one[1:] for one in group if one[1] or one[2]} if len(group) > 1 else {group[0][1:]}
            if len(said) == 1 and not (hides and self._is_inner(group)):
                self._clear.add(key)
                type_, value = next(iter(said))
                if type_ or (value and (value[0] != UNKNOWN or (hides and scope != TOP))):
                    self._plain.append(Binding(scope, name, type_, value))
            elif said:
                around = self._functions.around
                self._unclear[key] = [_Meaning(at, *around(at), scope, *rest) for at, *rest in sorted(group)]
        if self._unclear:
            self._unclear_names = {name for _, name in self._unclear}
            self._plain = [self._clear_binding(one) for one in self._plain]

    def _is_inner(self, group: list[tuple[int, str, str]]) -> bool:
        """Whether it is a function without a name that gives a name a meaning."""
        named = self._definitions.named
        starts = (self._functions.around(one[0])[0] for one in group)
        return any(start > 0 and start not in named for start in starts)

    def _clear_binding(self, one: Binding) -> Binding:
        """A value that begins with an unclear name: as it is clear at the first place that says so."""
        if not one.value or one.value[0] in "?<":
            return one
        scope = one.scope if one.within is None else one.within
        return one._replace(value=self._clearer(one.value, scope, -1, one.name))

    def _clearer(self, chain: str, scope: int, at: int, not_: str = "") -> str:
        for _ in range(_FOLLOW_MAX):
            root = _root(chain)
            if root not in self._unclear_names or root == not_:
                return chain
            meaning = self._meaning(root, scope, at)
            if meaning is None:
                return chain
            rest = chain[len(root) :]
            if meaning.type:
                return f"<{meaning.type}>{rest}"
            if not meaning.value or meaning.value[0] == UNKNOWN:
                return UNKNOWN + rest
            if _root(meaning.value) == root and meaning.at >= at >= 0:
                return UNKNOWN + rest
            chain, scope, at = meaning.value + rest, meaning.scope, meaning.at
        return UNKNOWN

    def _meaning(self, name: str, scope: int, at: int) -> _Meaning | None:
        """Of several, the one whose function is the innermost around a place, and there the last before it."""
        while (scope, name) not in self._unclear:
            if scope == TOP or (scope, name) in self._clear:
                return None
            scope = self._symbols[scope].parent
        group = self._unclear[scope, name]
        if at < 0:
            return None
        best: _Meaning | None = None
        for one in group:
            if not one.first <= at < one.last:
                continue
            if best is None or one.first > best.first or (one.first == best.first and one.at < at):
                best = one
        return best


def _root(chain: str) -> str:
    found = _FIRST.match(chain)
    return found[0] if found else ""


def _elements(node: Node, source: bytes) -> str:
    """The chain of the list or map whose elements are those of an expression."""
    for _ in range(8):
        if node.type != "call_expression":
            break
        called, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
        if called is None or called.type != "member_expression":
            break
        inner: Node | None = None
        if text_of(called, source) in _OF_ARGUMENT:
            inner = given.named_child(0) if given is not None and given.named_child_count else None
        else:
            name = called.child_by_field_name("property")
            if name is not None and text_of(name, source) in _SAME_ELEMENTS:
                inner = called.child_by_field_name("object")
        if inner is None:
            break
        node = inner
    return chain_of(node, source)
