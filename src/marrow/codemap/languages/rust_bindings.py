"""What the names of a file of Rust stand for: parameters, `let`, patterns, loops and closures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from ...model.code import TOP, Binding
from ..parse import child_at
from .rust_chains import Place, chain_of, path_of, text_of
from .rust_types import type_text

if TYPE_CHECKING:
    from tree_sitter import Node

PATTERN_DEPTH_MAX = 8
EVERYWHERE = 1 << 62
AGAIN_MAX = 50  # so many times one name is told apart in a scope
CHAIN_MAX = 300
HELD = frozenset(("Some", "Ok", "Ready", "Continue"))
# Methods that give each element of a row, or what an Option holds, to a closure.
EACH = frozenset(
    "map for_each filter any all position find inspect flat_map filter_map take_while skip_while and_then map_or "
    "is_some_and retain partition max_by_key min_by_key sort_by_key map_while find_map rposition map_or_else then "
    "is_ok_and retain_mut sort_by_cached_key group_by chunk_by count_if try_for_each".split()
)
SECOND = frozenset(("fold", "try_fold", "scan", "rfold"))
BOTH = frozenset(("sort_by", "sort_unstable_by", "max_by", "min_by", "reduce", "dedup_by"))
_FIRST = re.compile(r"[^\W\d]\w*")
_INNER = frozenset(("ref_pattern", "mut_pattern", "reference_pattern"))


class Seen(NamedTuple):
    """A name with what it stands for, where that was written (`at`), and from where to where it is seen."""

    binding: Binding
    at: int
    first: int
    last: int


class Bindings:
    """Collects what names stand for. `scope_at` gives the scope of a byte, `place_of` what names mean in a scope.

    Names are given again and again in Rust. Where a scope has several of one name, they are told apart by a number
    after it: `x#2` is the second. Chains are told which is meant by where they stand (`told`)."""

    def __init__(self, source: bytes, scope_at: Callable[[int], int], place_of: Callable[[int], Place]) -> None:
        self.source, self.scope_at, self.place_of = source, scope_at, place_of
        self._where = (0, 0, 0)  # of what is read now: where its value is written, from where to where it is seen
        self._table: dict[tuple[int, str], list[Seen]] = {}

    def _add(self, binding: Binding) -> None:
        some = self._table.setdefault((binding.scope, binding.name), [])
        if len(some) < AGAIN_MAX:
            some.append(Seen(binding, *self._where))

    def told(self, scope: int, chain: str, at: int) -> str:
        """A chain with the name that it begins with told apart from others of that name."""
        begin = _FIRST.match(chain)
        some = self._table.get((scope, begin[0])) if begin is not None else None
        if some is None or begin is None:
            return chain
        best = -1
        for number, one in enumerate(some):
            if one.first <= at < one.last and (best < 0 or one.first >= some[best].first):
                best = number
        if best < 0:  # a name further out
            return ".".join(("mod", *self.place_of(scope).inner, chain)) if begin[0] != "self" else chain
        best = self._same(some, best)
        return f"{begin[0]}#{best + 1}{chain[begin.end() :]}" if best else chain

    def _same(self, some: list[Seen], number: int) -> int:
        """The first of those that are declared with the same type, or that say the same of one value."""
        wanted = some[number]
        for at in range(number):
            one = some[at]
            if one.binding.type and one.binding.type == wanted.binding.type:
                return at
        return number

    def bindings(self) -> Iterator[Binding]:
        for (scope, name), some in self._table.items():
            for number, one in enumerate(some):
                if self._same(some, number) != number:
                    continue
                value = one.binding.value
                spelt = self.told(scope, value, one.at) if value and not value.startswith(("?", "<")) else value
                yield one.binding._replace(name=f"{name}#{number + 1}" if number else name, value=spelt)

    def parameter(self, node: Node) -> None:
        pattern, declared = node.child_by_field_name("pattern"), node.child_by_field_name("type")
        first = node.start_byte
        scope = self.scope_at(first)
        if pattern is None or scope == TOP:
            return
        self._where = (first, first, EVERYWHERE)
        type_ = type_text(text_of(declared, self.source), self.place_of(scope).known) if declared is not None else ""
        self._declared(pattern, type_, scope)

    def _declared(self, pattern: Node, type_: str, scope: int) -> None:
        if pattern.type == "identifier":
            self._add(Binding(scope, text_of(pattern, self.source), type_, "" if type_ else "?"))
        else:
            self.pattern(pattern, f"<{type_}>" if type_ else "", scope)

    def let(self, node: Node) -> None:
        pattern, declared = node.child_by_field_name("pattern"), node.child_by_field_name("type")
        if pattern is None:
            return
        first, around = node.start_byte, node.parent
        scope = self.scope_at(first)
        self._where = (first, node.end_byte, around.end_byte if around is not None else EVERYWHERE)
        place = self.place_of(scope)
        type_ = type_text(text_of(declared, self.source), place.known) if declared is not None else ""
        if type_ and "_" not in (type_, type_.partition("[")[2].removesuffix("]")):
            self._declared(pattern, type_, scope)
        else:
            self.given(pattern, node.child_by_field_name("value"), scope)

    def given(self, pattern: Node, value: Node | None, scope: int) -> None:
        """A pattern that is matched with a value."""
        place = self.place_of(scope)
        if value is not None and value.type == "tuple_expression" and pattern.type == "tuple_pattern":
            for part, one in zip(pattern.named_children, value.named_children, strict=False):
                self.pattern(part, chain_of(one, self.source, place), scope)
            return
        self.pattern(pattern, self.said(value, place), scope)

    def said(self, value: Node | None, place: Place) -> str:
        """What a value is; of a `match` that takes out what an Option holds, or of an `if`, what it takes out."""
        if value is not None and value.type == "match_expression":
            body = value.child_by_field_name("body")
            for arm in body.named_children[:3] if body is not None else ():
                pattern, result = arm.child_by_field_name("pattern"), arm.child_by_field_name("value")
                if pattern is None or result is None or result.type != "identifier":
                    continue
                text = text_of(pattern, self.source)
                if text.rpartition("(")[2].rstrip(") ") == text_of(result, self.source) and text.startswith(
                    ("Some(", "Ok(", "Poll::Ready(")
                ):
                    chain = chain_of(value.child_by_field_name("value"), self.source, place)
                    return f"{chain}.?" if chain else ""
            return ""
        return chain_of(value, self.source, place)

    def pattern(self, node: Node, chain: str, scope: int, depth: int = 0) -> None:
        kind = node.type
        if len(chain) > CHAIN_MAX:
            chain = ""
        if kind in ("identifier", "shorthand_field_identifier"):
            name = text_of(node, self.source)
            if not name[:1].isupper() or depth < 0:
                self._add(Binding(scope, name, "", chain or "?"))
            return
        if depth > PATTERN_DEPTH_MAX:
            return
        below = depth + 1
        if kind in _INNER:
            count = node.named_child_count
            inner = child_at(node, count - 1) if count else None
            if inner is not None:
                self.pattern(inner, chain, scope, below)
        elif kind == "captured_pattern":
            first, second = child_at(node, 0), child_at(node, 1)
            if first is not None:
                self.pattern(first, chain, scope, below)
            if second is not None:
                self.pattern(second, chain, scope, below)
        elif kind == "tuple_pattern":
            for at, part in enumerate(node.named_children):
                self.pattern(part, f"{chain}.{at}" if chain else "", scope, below)
        elif kind == "tuple_struct_pattern":
            self._made(node, chain, scope, below)
        elif kind == "struct_pattern":
            self._fields(node, scope, below)
        elif kind == "slice_pattern":
            for part in node.named_children:
                self.pattern(part, f"{chain}[]" if chain else "", scope, below)
        elif kind in ("or_pattern", "match_pattern"):
            for part in node.named_children[:4]:
                self.pattern(part, chain, scope, below)

    def _made(self, node: Node, chain: str, scope: int, depth: int) -> None:
        """`Some(x)`, `Foo(x)`, `Shape::Circle(x)`."""
        made = node.child_by_field_name("type")
        if made is None:
            return
        path = path_of(made, self.source, self.place_of(scope))
        last = path.rpartition(".")[2]
        for at, part in enumerate(node.named_children[1:]):
            if last in HELD:
                inner = f"{chain}.?" if chain else ""
            elif last == "Err":
                inner = ""
            else:
                inner = self._payload(path, str(at))
            self.pattern(part, inner, scope, depth)

    def _payload(self, path: str, name: str) -> str:
        """What a variant holds under a name is kept beside it, in its enum; what a struct holds is a field."""
        owner, _, last = path.rpartition(".")
        if not path or not last:
            return ""
        if owner and owner.rpartition(".")[2][:1].isupper():
            return f"{path}#{name}"
        return f"<{path}>.{name}"

    def _fields(self, node: Node, scope: int, depth: int) -> None:
        made = node.child_by_field_name("type")
        path = path_of(made, self.source, self.place_of(scope)) if made is not None else ""
        for part in node.named_children:
            if part.type != "field_pattern":
                continue
            name, inner = part.child_by_field_name("name"), part.child_by_field_name("pattern")
            if name is None:
                continue
            chain = self._payload(path, text_of(name, self.source))
            self.pattern(inner if inner is not None else name, chain, scope, depth)

    def condition(self, node: Node) -> None:
        """`if let` and `while let`."""
        pattern, around = node.child_by_field_name("pattern"), node.parent
        while around is not None and around.type == "let_chain":
            around = around.parent
        if pattern is not None:
            body = around.child_by_field_name("consequence") or around if around is not None else None
            self._where = (node.start_byte, node.end_byte, body.end_byte if body is not None else EVERYWHERE)
            self.given(pattern, node.child_by_field_name("value"), self.scope_at(node.start_byte))

    def matched(self, node: Node) -> None:
        body, value = node.child_by_field_name("body"), node.child_by_field_name("value")
        if body is None:
            return
        scope = self.scope_at(node.start_byte)
        place = self.place_of(scope)
        several = None
        chain = ""
        if value is not None and value.type == "tuple_expression":
            several = [chain_of(one, self.source, place) for one in value.named_children]
        else:
            chain = chain_of(value, self.source, place)
        for arm in body.named_children:
            whole = arm.child_by_field_name("pattern")
            pattern = child_at(whole, 0) if whole is not None and whole.named_child_count else None
            if pattern is None:
                continue
            self._where = (node.start_byte, pattern.start_byte, arm.end_byte)
            if several is not None and pattern.type == "tuple_pattern":
                for part, one in zip(pattern.named_children, several, strict=False):
                    self.pattern(part, one, scope)
            else:
                self.pattern(pattern, chain, scope)

    def loop(self, node: Node) -> None:
        pattern, value = node.child_by_field_name("pattern"), node.child_by_field_name("value")
        if pattern is None:
            return
        first, body = node.start_byte, node.child_by_field_name("body")
        scope = self.scope_at(first)
        self._where = (first, body.start_byte if body is not None else first, node.end_byte)
        self.each(pattern, chain_of(value, self.source, self.place_of(scope)), scope)

    def each(self, pattern: Node, chain: str, scope: int) -> None:
        """A pattern for each element of a row. Of a dictionary that is a key and a value."""
        parts = pattern.named_children if pattern.type == "tuple_pattern" else []
        if len(parts) == 2 and chain.endswith(".enumerate()"):
            self.pattern(parts[0], "", scope)
            self.pattern(parts[1], f"{chain.removesuffix('.enumerate()')}[]", scope)
        elif len(parts) == 2 and chain:
            self.pattern(parts[0], f"{chain}[].0", scope)
            self.pattern(parts[1], f"{chain}[].1", scope)
            if parts[1].type == "identifier":
                self.pattern(parts[1], f"{chain}[]", scope)
        else:
            self.pattern(pattern, f"{chain}[]" if chain else "", scope)

    def closure(self, parameters: Node) -> None:
        """The parameters of a closure. One that is given to a method of a row gets what is in the row; of any other
        they hide what has their names further out."""
        parts = [part for part in parameters.named_children if part.type != "parameter"]
        closure = parameters.parent
        if not parts or closure is None:
            return
        first = parameters.start_byte
        scope = self.scope_at(first)
        method, value = self._given_to(closure)
        self._where = (value.start_byte if value is not None else first, first, closure.end_byte)
        chain = chain_of(value, self.source, self.place_of(scope)) if value is not None else ""
        for at, part in enumerate(parts):
            if value is not None and ((method in EACH and not at) or (method in SECOND and at) or method in BOTH):
                self.each(part, chain, scope)
            else:
                self.pattern(part, "", scope)

    def _given_to(self, closure: Node) -> tuple[str, Node | None]:
        """The method that a closure is given to and what that is called on, if it hands on what is in there."""
        arguments = closure.parent
        call = arguments.parent if arguments is not None and arguments.type == "arguments" else None
        function = call.child_by_field_name("function") if call is not None else None
        if function is None or function.type != "field_expression":
            return "", None
        name = function.child_by_field_name("field")
        method = text_of(name, self.source) if name is not None else ""
        if method in EACH or method in SECOND or method in BOTH:
            return method, function.child_by_field_name("value")
        return "", None
