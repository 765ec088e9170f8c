"""Languages in which a type may be declared in several places (Ruby, partial classes, Scala's companions), in which
top-level names are seen everywhere (Ruby, Swift, SQL), or in which a method may be called without brackets (Ruby,
Scala). Only for languages whose rules say so (`reopened`, `everywhere`, `bare_calls`)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..model.code import CALLABLES, TOP, TYPES, FileMap, Symbol
from .classes import Classes
from .evaluate import BASES_MAX
from .facts import Facts, Ref
from .language import Rules
from .names import Names
from .values import Value

NAMESPACES = ("namespace", "module")


class OpenTypes(Classes):
    """Follows names through types of several parts, besides what `Classes` follows."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        self._parts_of: dict[Ref, list[Ref]] = {}

    def _line(self, ref: Ref) -> Iterator[Ref]:
        names = self.names(ref[0])
        if names is None or not names.rules.reopened:
            yield from super()._line(ref)
            return
        waiting, seen = [ref], set[Ref]()
        while waiting and len(seen) < BASES_MAX:
            here = waiting.pop(0)
            if here not in seen:
                seen.add(here)
                yield here
                same, others = self._by_arity(here)
                waiting += [*same, *self.bases_of(*here), *others]

    def _of_arity(self, value: Value, count: int) -> Value:
        found = next((one for one in (value.ref, *self._parts(value.ref)) if self._arity(one) == count), value.ref)
        return value._replace(path=found[0], at=found[1])

    def _by_arity(self, ref: Ref) -> tuple[list[Ref], list[Ref]]:
        """The parts of a type, and what only shares its name: chains do not say of which of them a member is taken."""
        parts, names = self._parts(ref), self.names(ref[0])
        if names is None or not names.rules.by_arity:
            return parts, []
        count = self._arity(ref)
        return [one for one in parts if self._arity(one) == count], [one for one in parts if self._arity(one) != count]

    def _arity(self, ref: Ref) -> int:
        symbol = self._symbol(ref)
        return _arguments(symbol.name, symbol.signature)

    def _beside(self, names: Names, owner: Symbol, name: str) -> Ref | None:
        found = (self._extending(names, owner, name) if names.rules.by_arity else None) or super()._beside(
            names, owner, name
        )
        there = self.names(found[0]) if found is not None and names.rules.by_arity else None
        if found is None or there is None:
            return found
        count = _arguments(owner.name, owner.signature)
        extended = re.compile(rf"\bthis\b[^,)]*?\b{re.escape(owner.name)}\b")
        fitting = [
            at
            for at in there.members.get(owner.name, ())
            if (one := there.map.symbols[at]).name == name
            and (begin := extended.search(one.signature)) is not None
            and _arguments(owner.name, one.signature[begin.start() :]) == count
        ]
        return (found[0], fitting[-1]) if fitting else found

    def _extending(self, names: Names, owner: Symbol, name: str) -> Ref | None:
        """Where several files extend a type by a member of this name, the only one that is seen where it is called."""
        asking = self.names(self._asking)
        found: list[Ref] = []
        for path, at in self._facts.defined(name, owner.name):
            other = self._facts.file(path)
            if other is not None and other.language == names.map.language:
                receiver = other.symbols[at].receiver
                if receiver and receiver.rpartition(".")[2] == owner.name:
                    found.append((path, at))
        if asking is None or len({path for path, _ in found}) < 2:
            return None
        seen = [ref for ref in found if self._sees(asking, ref)]
        return seen[-1] if len({path for path, _ in seen}) == 1 else None

    def _sees(self, asking: Names, ref: Ref) -> bool:
        """Whether a file opens the namespace that an extension stands in, or the class, or is in it."""
        path, at = ref
        other = self._facts.file(path)
        if other is None:
            return False
        space, within = _space(other, at)
        if path == asking.path or (space == other.package and path in self._shares(asking)):
            return True
        return any(
            one.module == space
            if one.name == "*"
            else (one.module, one.name) == (space, within) and one.local == within
            for one in asking.map.imports
        )

    def _parts(self, ref: Ref) -> list[Ref]:
        """The other places in which a type is declared."""
        parts = self._parts_of
        if ref not in parts:
            parts[ref] = []
            symbol, here = self._symbol(ref), self._facts.file(ref[0])
            for path, at in self._facts.defined(symbol.name):
                other = self._facts.file(path)
                if (path, at) == ref or other is None or here is None or other.language != here.language:
                    continue
                one = other.symbols[at]
                is_same = one.qualified == symbol.qualified and other.package == here.package
                if is_same and (one.kind in TYPES or one.kind == "module"):
                    parts[ref].append((path, at))
        return parts[ref]

    def _shared_symbol(self, names: Names, name: str) -> Ref | None:
        found = super()._shared_symbol(names, name)
        if found is not None or not names.rules.everywhere:
            return found
        best, nearest = None, -1
        for path, at in self._facts.defined(name):
            other = self._facts.file(path)
            if other is None or path == names.path or other.language != names.map.language:
                continue
            symbol = other.symbols[at]
            if symbol.parent == TOP and not (symbol.receiver and symbol.kind in CALLABLES):
                near = _together(path, names.path)
                if near > nearest:
                    best, nearest = (path, at), near
        return best

    def _name(self, names: Names, scope: int, name: str, depth: int) -> Value | None:
        value = super()._name(names, scope, name, depth)
        return self._in_modules(names, scope, name, value, depth)

    def _type_name(self, names: Names, scope: int, name: str, depth: int) -> Value | None:
        value = super()._type_name(names, scope, name, depth)
        return self._in_modules(names, scope, name, value, depth)

    def _in_modules(self, names: Names, scope: int, name: str, value: Value | None, depth: int) -> Value | None:
        """What a module around a name has in other places comes before what is seen everywhere."""
        if value is None or (value.kind != "outside" and value.reason != "package") or not names.rules.reopened:
            return value
        symbols, here = names.map.symbols, scope
        while here != TOP:
            if symbols[here].kind in NAMESPACES:
                found = self._child(Value("symbol", "package", names.path, here), name, depth + 1)
                if found is not None and found.kind != "outside":
                    return found
            here = symbols[here].parent
        return value

    def _child(self, value: Value, name: str, depth: int) -> Value | None:
        found = super()._child(value, name, depth)
        if found is not None and found.kind != "outside":
            return found
        symbol = self._symbol(value.ref)
        for path, at in self._facts.defined(name, symbol.name):  # `class Outer::Inner`
            other = self._facts.file(path)
            if other is not None and other.symbols[at].receiver == symbol.qualified:
                return Value("symbol", value.reason, path, at)
        return found

    def _self(self, names: Names, scope: int, reason: str) -> Value | None:
        found = super()._self(names, scope, reason)
        if found is not None or not names.rules.reopened:
            return found
        while scope != TOP and names.map.symbols[scope].kind != "module":
            scope = names.map.symbols[scope].parent
        return Value("instance", reason, names.path, scope) if scope != TOP else None

    def _first(self, names: Names, scope: int, name: str, suffixes: str, depth: int) -> Value | None:
        value = super()._first(names, scope, name, suffixes, depth)
        return self._given_back(value, suffixes, names.rules, depth)

    def _step(self, value: Value, part: str, suffixes: str, rules: Rules, depth: int) -> tuple[Value | None, str]:
        found, rest = super()._step(value, part, suffixes, rules, depth)
        return self._given_back(found, rest, rules, depth), rest

    def _given_back(self, value: Value | None, suffixes: str, rules: Rules, depth: int) -> Value | None:
        """A method that is named without brackets is called."""
        if not rules.bare_calls or value is None or value.kind != "symbol" or suffixes.startswith(("()", "{}")):
            return value
        return self._result(value, rules, depth + 1) if self._symbol(value.ref).kind in CALLABLES else value


def _space(file: FileMap, at: int) -> tuple[str, str]:
    """The namespace that a symbol stands in, and the name of the type right around it."""
    parent = file.symbols[at].parent
    within = file.symbols[parent].name if parent != TOP else ""
    spaces = []
    while parent != TOP:
        if file.symbols[parent].kind in NAMESPACES:
            spaces.append(file.symbols[parent].name)
        parent = file.symbols[parent].parent
    return (".".join(reversed(spaces)) if spaces else file.package), within


def _arguments(name: str, head: str) -> int:
    """How many arguments a type takes, where its name first stands in a head."""
    found = re.search(rf"\b{re.escape(name)}\b\s*(?:<([^>]*)>)?", head)
    return found[1].count(",") + 1 if found and found[1] else 0


def _together(one: str, other: str) -> int:
    """How many folders two paths share."""
    count = 0
    for a, b in zip(one.split("/")[:-1], other.split("/")[:-1], strict=False):
        if a != b:
            break
        count += 1
    return count
