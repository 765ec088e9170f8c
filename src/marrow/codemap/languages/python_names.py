"""What names stand for in a file of Python."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from ...model.code import TOP, Binding
from ..outline import Outline
from ..parse import child_at
from .python_definitions import Given
from .python_expressions import Fields, chain_of, type_of

if TYPE_CHECKING:
    from tree_sitter import Node

RETURNS_MAX = 3
SELVES = frozenset(("self", "cls", "mcs"))
_SELVES = frozenset(name.encode() for name in SELVES)
_OWN_FIELD = re.compile(rb"(?:self|cls|mcs)\.([A-Za-z_]\w*)")
# Parameters of which only the names are said.
_BARE_NAMES = re.compile(rb"\(([A-Za-z_]\w*(?:, ?[A-Za-z_]\w*)*)\)")

# Name, type and chain of a parameter; where nothing is said of it, it may still hide what has its name further out.
_Parameter = tuple[str, str, str]
PARAMETERS_KEPT, PARAMETERS_BYTES_MAX = 4096, 300
_PARAMETERS: dict[bytes, tuple[_Parameter, ...]] = {}


class PythonNames:
    """Collects what names stand for."""

    def __init__(
        self,
        source: bytes,
        outline: Outline,
        kinds: Sequence[str],
        parents: Sequence[int],
        visible: Collection[str],
        known: Fields,
    ) -> None:
        self._source, self._outline, self._kinds, self._parents = source, outline, kinds, parents
        self._visible, self._known = visible, known
        self.bindings: list[Binding] = []

    def _text(self, node: Node) -> str:
        return self._source[node.start_byte : node.end_byte].decode("utf-8", "replace")

    def _chain(self, node: Node | None) -> str:
        return chain_of(node, self._source, self._known)

    def _stands_for(self, scope: int, name: str, chain: str) -> None:
        """What cannot be said only matters where it hides what has its name further out."""
        if chain or name in self._visible:
            self.bindings.append(tuple.__new__(Binding, (scope, name, "", chain or "?", None)))

    def parameters(self, lists: Iterable[Node | None]) -> None:
        source, scope_at, visible = self._source, self._outline.scope_at, self._visible
        bindings, new = self.bindings, tuple.__new__
        for node in lists:
            if node is None:
                continue
            begin, end = node.start_byte, node.end_byte
            text = source[begin:end]
            found = _PARAMETERS.get(text)
            if found is None:
                found = self._taken_apart(node, text)
            if found:
                scope = scope_at(begin)
                for name, type_, chain in found:
                    if type_ or chain:
                        bindings.append(new(Binding, (scope, name, type_, chain, None)))
                    elif name in visible:
                        bindings.append(new(Binding, (scope, name, "", "?", None)))

    def _taken_apart(self, node: Node, text: bytes) -> tuple[_Parameter, ...]:
        """The parameters that something can be said of. The same lists are met again and again."""
        bare = _BARE_NAMES.fullmatch(text)
        if bare is not None:
            names = bare[1].decode("ascii").replace(" ", "").split(",")
            found = tuple([(name, "", "?") for name in names if name not in SELVES])
        else:
            found = tuple([one for child in node.named_children if (one := self._parameter(child)) is not None])
        if len(text) <= PARAMETERS_BYTES_MAX and not node.has_error:
            if len(_PARAMETERS) >= PARAMETERS_KEPT:
                _PARAMETERS.clear()
            _PARAMETERS[text] = found
        return found

    def _parameter(self, parameter: Node) -> _Parameter | None:
        if parameter.type == "identifier":
            plain = self._text(parameter)
            return None if plain in SELVES else (plain, "", "?")  # it may be anything of the project
        field, known = parameter.child_by_field_id, self._known
        declared = field(known.type)
        if declared is not None:
            type_ = type_of(self._source[declared.start_byte : declared.end_byte])
            first = (field(known.name) or child_at(parameter, 0)) if type_ else None
            return (self._text(first), type_, "") if first is not None and first.type == "identifier" else None
        name = field(known.name) if parameter.type == "default_parameter" else None
        if name is None or name.type != "identifier":
            return None
        return self._text(name), "", self._chain(field(known.value))

    def assignments(self, given: Iterable[Given]) -> None:
        source, known, scopes = self._source, self._known, self._outline.borders()[1]
        bindings, visible = self.bindings, self._visible
        for _, between, left, kind, name, right, type_ in given:
            if left is None:
                continue
            if kind == "identifier":
                chain = "" if type_ else chain_of(right, source, known) or ("?" if name in visible else "")
                if type_ or chain:
                    bindings.append(tuple.__new__(Binding, (scopes[between], name, type_, chain, None)))
            elif kind == "attribute":
                self._field(left, scopes[between], right, type_)
            elif kind in ("pattern_list", "tuple_pattern"):
                self._hidden(left)

    def named(self, nodes: Iterable[Node]) -> None:
        """`(name := value)`."""
        for node in nodes:
            left, right = node.child_by_field_id(self._known.name), node.child_by_field_id(self._known.value)
            if left is not None and left.type == "identifier":
                scope = self._outline.scope_at(left.start_byte)
                self._stands_for(scope, self._text(left), self._chain(right))

    def _field(self, left: Node, scope: int, right: Node | None, type_: str) -> None:
        """`self.store = store`: a field of the class that the method is in."""
        plain = _OWN_FIELD.fullmatch(self._source, left.start_byte, left.end_byte)
        name = plain[1].decode("ascii") if plain is not None else self._own_field(left)
        if not name:
            return
        above = scope
        while above != TOP and self._kinds[above] != "class":
            above = self._parents[above]
        value = "" if type_ or above == TOP else self._chain(right)
        if above != TOP and (type_ or value):
            self.bindings.append(Binding(above, name, type_, value, scope))

    def _own_field(self, left: Node) -> str:
        owner, name = left.child_by_field_id(self._known.object), left.child_by_field_id(self._known.attribute)
        if owner is None or name is None or self._source[owner.start_byte : owner.end_byte] not in _SELVES:
            return ""
        return self._text(name)

    def loop(self, node: Node) -> None:
        left, right = node.child_by_field_id(self._known.left), node.child_by_field_id(self._known.right)
        if left is None:
            return
        chain = self._chain(right)
        scope = self._outline.scope_at(left.start_byte)
        if left.type == "identifier":
            self._stands_for(scope, self._text(left), f"{chain}[]" if chain else "")
        elif left.type == "pattern_list" and left.named_child_count == 2:
            second = left.named_child(1)
            over = self._second(right, chain)
            if second is not None and second.type == "identifier" and over:
                self.bindings.append(Binding(scope, self._text(second), "", over))
            else:
                self._hidden(left)
        else:
            self._hidden(left)

    def _second(self, right: Node | None, chain: str) -> str:
        """What the second of two loop variables stands for."""
        if chain.endswith(".items()"):
            return f"{chain.removesuffix('.items()')}[]"
        if chain == "enumerate()" and right is not None:
            arguments = right.child_by_field_id(self._known.arguments)
            over = self._chain(child_at(arguments, 0)) if arguments is not None else ""
            return f"{over}[]" if over else ""
        return ""

    def _hidden(self, pattern: Node) -> None:
        """Names that are given something that cannot be said: they hide what has their name further out."""
        scope = self._outline.scope_at(pattern.start_byte)
        for child in pattern.named_children:
            if child.type == "identifier":
                self._stands_for(scope, self._text(child), "")

    def entered(self, node: Node) -> None:
        value, target = child_at(node, 0), child_at(node, 1)
        name = child_at(target, 0) if target is not None and target.type == "as_pattern_target" else target
        if name is None or name.type != "identifier":
            return
        chain = self._chain(value)
        scope = self._outline.scope_at(name.start_byte)
        self._stands_for(scope, self._text(name), f"{chain}.__enter__()" if chain else "")

    def caught(self, node: Node) -> None:
        value, target = child_at(node, 0), child_at(node, 1)
        name = child_at(target, 0) if target is not None and target.type == "as_pattern_target" else target
        if value is None or name is None or name.type != "identifier":
            return
        several = value.named_children if value.type in ("tuple", "parenthesized_expression") else [value]
        types = [text for one in several if (text := type_of(self._source[one.start_byte : one.end_byte]))]
        scope = self._outline.scope_at(name.start_byte)
        self.bindings.append(Binding(scope, self._text(name), "|".join(types)))

    def returns(self, nodes: Iterable[Node]) -> None:
        counts: dict[int, int] = {}
        for node in nodes:
            scope = self._outline.scope_at(node.start_byte)
            if scope == TOP or counts.get(scope, 0) >= RETURNS_MAX:
                continue
            chain = self._chain(node)
            if chain and not chain.startswith("<"):
                counts[scope] = counts.get(scope, 0) + 1
                self.bindings.append(tuple.__new__(Binding, (scope, "return", "", chain, None)))
