"""What a call calls. One resolver for all languages: it follows names, imports, types and bases through the maps.

Only where nothing can be known about what has a member, a name that nothing else in the project has is taken for what
is meant.
"""

from __future__ import annotations

from ..model.code import CALLABLES, REASONS, TOP, TYPES, Call, Edge
from .evaluate import DEPTH_MAX
from .facts import Ref
from .language import Rules
from .names import Names
from .open_types import OpenTypes
from .values import Value


class Resolver(OpenTypes):
    """Finds what calls call, in a project. Keeps what it has found: made anew when files have changed."""

    def edges(self, path: str) -> list[Edge]:
        """The calls of a file that lead to something in the project."""
        names = self.names(path)
        if names is None:
            return []
        self._asking = path
        found: list[Edge] = []
        done: dict[tuple[int, str], tuple[Ref, str] | None] = {}
        for at, call in enumerate(names.map.calls):
            key = (call.scope, call.chain)
            if key not in done:
                done[key] = self._target(names, call)
            target = done[key]
            if target is not None:
                (where, index), reason = target
                found.append(Edge(at, where, index, reason, REASONS[reason]))
        return found

    def _target(self, names: Names, call: Call) -> tuple[Ref, str] | None:
        chain = call.chain
        rules = names.rules
        makes = chain.endswith("{}")
        chain = chain.removesuffix("{}")
        before, _, name = chain.rpartition(".")
        if rules.paths and name.endswith("!"):
            return self._macro(names, before, name[:-1])
        if before:
            owner = self._value(names, call.scope, before, 0)
            if owner is None:
                return self._only(names, name, rules)
            value = self._callee(owner, name, rules, 0)
            if value is None or value.kind == "outside":
                value = self._of_another(names, call.scope, before, name, rules) or value
            if rules.paths and owner.kind == "instance" and (value is None or value.kind == "outside"):
                return self._of_a_trait(names, name, rules)
        elif name in rules.supers:  # in Python, only what gives the object as one of its bases
            value = None if rules.made_by_call else self._super_constructor(names, call.scope)
        else:
            value = self._first(names, call.scope, name, "{}" if makes else "()", 0)
            if makes and (value is None or value.kind != "symbol"):  # a variable may have the name of its type
                value = self._type_name(names, call.scope, name, 0) or value
        return self._called(value, makes or rules.made_by_call, 0)

    def _called(self, value: Value | None, makes: bool, depth: int) -> tuple[Ref, str] | None:
        """The symbol that is called when a value is."""
        if value is None or value.kind not in ("symbol", "instance") or depth > DEPTH_MAX:
            return None
        symbol = self._symbol(value.ref)
        if value.kind == "instance":  # an object that can be called
            member = self._member(value, "__call__", depth + 1)
            return self._called(member, makes, depth + 1) if member is not None and member.kind == "symbol" else None
        if symbol.kind in CALLABLES or symbol.kind in ("table", "view"):
            return value.ref, value.reason
        if symbol.kind in TYPES or (symbol.kind == "constant" and self._is_variant(value.path, symbol)):
            return value.ref, "constructor" if value.reason in ("local", "import", "package", "self") else value.reason
        return None

    def _only(self, names: Names, name: str, rules: Rules) -> tuple[Ref, str] | None:
        """The only member in the project of that name, where nothing is known about what has it."""
        if name in rules.common or name.startswith("__"):
            return None
        found: Ref | None = None
        for path, at in self._facts.defined(name):
            other = self._facts.file(path)
            if other is None or other.language != names.map.language:
                continue
            symbol = other.symbols[at]
            if symbol.kind not in CALLABLES:
                if symbol.kind in ("field", "property", "variable"):
                    return None
                continue
            if symbol.parent == TOP and not symbol.receiver:
                return None  # it may be meant as a function of a module
            if found is not None:
                return None
            found = path, at
        return (found, "unique") if found is not None else None

    def _of_a_trait(self, names: Names, name: str, rules: Rules) -> tuple[Ref, str] | None:
        """What a type does not have itself comes from a trait: the only one in the project that has it."""
        if name in rules.common:
            return None
        found: Ref | None = None
        for path, at in self._facts.defined(name):
            other = self._facts.file(path)
            if other is None or other.language != names.map.language:
                continue
            parent = other.symbols[at].parent
            if parent != TOP and other.symbols[parent].kind == "trait" and other.symbols[at].kind in CALLABLES:
                if found is not None:
                    return None
                found = path, at
        return (found, "unique") if found is not None else None

    def _macro(self, names: Names, before: str, name: str) -> tuple[Ref, str] | None:
        """A macro of the same file, else the only one of its name; none where its path or an import says that it is of
        a crate outside (`log::debug!`)."""
        find = self._finder(names)
        modules = [before] if before else [one.module for one in names.map.imports if one.name == name]
        if modules and not any(find(names.path, one.partition(".")[0]) for one in modules):
            return None
        found: list[Ref] = []
        for path, at in self._facts.defined(name):
            other = self._facts.file(path)
            if other is not None and other.language == names.map.language and other.symbols[at].kind == "macro":
                found.append((path, at))
        own = [ref for ref in found if ref[0] == names.path]
        if own:
            return own[-1], "local"
        return (found[-1], "package") if len({path for path, _ in found}) == 1 else None
