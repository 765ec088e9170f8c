"""What a chain or a type stands for: names, imports, members and bases are followed through the maps.

What cannot be known is None; what is known to be no part of the project is `OUTSIDE`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from ..model.code import CALLABLES, REASONS, TOP, TYPES, Binding, Import, Symbol
from .facts import Facts, Ref
from .language import Rules
from .lookup import Lookup
from .names import Names
from .values import NAMES_TYPE, OUTSIDE, SAYS_ITSELF, Value, generic, instance, split, weaker

DEPTH_MAX = 24
BASES_MAX = 64
PACKAGE_FILES = 4
PROPERTIES = frozenset("property cached_property get getter abstractproperty".split())

_PART = re.compile(r"(<[^>]*>|[^.()\[\]{}<>]+)((?:\(\)|\[\]|\{\})*)")
_SUFFIX = re.compile(r"\(\)|\[\]|\{\}")


class Evaluator(Lookup):
    """Follows chains and types through a project, from left to right."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        self._bases: dict[Ref, list[Ref]] = {}
        self._values: dict[tuple[str, int, str], Value | None] = {}
        self._results: dict[Ref, Value | None] = {}
        self._busy: set[object] = set()
        self._asking = ""  # the file that a chain stands in which is being followed

    def bases_of(self, path: str, index: int) -> list[Ref]:
        """The project's types that a type extends or implements, in order."""
        known = self._bases.get((path, index))
        if known is not None:
            return known
        self._bases[path, index] = found = []
        names = self.names(path)
        if names is not None:
            symbol = names.map.symbols[index]
            for base in symbol.bases:
                value = self._type(names, symbol.parent, base, 0)
                if value is not None and value.kind == "instance" and value.ref != (path, index):
                    found.append(value.ref)
        return found

    def _value(self, names: Names, scope: int, chain: str, depth: int) -> Value | None:
        key = (names.path, scope, chain)
        if key in self._values:
            return self._values[key]
        if depth > DEPTH_MAX or key in self._busy:
            return None
        self._busy.add(key)
        before, self._asking = self._asking, names.path
        try:
            value = self._evaluated(names, scope, chain, depth)
        finally:
            self._busy.discard(key)
            self._asking = before
        self._values[key] = value
        return value

    def _evaluated(self, names: Names, scope: int, chain: str, depth: int) -> Value | None:
        value: Value | None = None
        rules = names.rules
        for at, found in enumerate(_PART.finditer(chain)):
            part, suffixes = found[1], found[2]
            if at:
                if value is not None:
                    value, suffixes = self._step(value, part, suffixes, rules, depth + 1)
            elif part.startswith("<"):
                value = self._type(names, scope, part[1:-1], depth + 1) or OUTSIDE
            elif part.startswith("?"):
                return None
            elif part in rules.supers:
                value = self._self(names, scope, "super")
                suffixes = suffixes.removeprefix("()")
            else:
                value = self._first(names, scope, part, suffixes, depth + 1)
            value = self._read(value, depth + 1) if at and value is not None else value
            for suffix in _SUFFIX.findall(suffixes):
                if value is None:
                    return None
                if suffix == "()":
                    value = self._result(value, rules, depth + 1)
                elif suffix == "{}":
                    value = instance(value) if value.kind == "symbol" else value
                    value = self._of_arity(value, 0) if rules.by_arity and value.kind == "instance" else value
                else:
                    value = self._element(value, depth + 1)
            if value is None:
                return None
        return self._read(value, depth + 1) if value is not None else None

    def _first(self, names: Names, scope: int, name: str, suffixes: str, depth: int) -> Value | None:
        """What the name stands for that a chain begins with."""
        return self._name(names, scope, name, depth)

    def _step(self, value: Value, part: str, suffixes: str, rules: Rules, depth: int) -> tuple[Value | None, str]:
        """From a value to what it has under a name, with what is still to be done to that."""
        return self._member(value, part, depth), suffixes

    def _name(self, names: Names, scope: int, name: str, depth: int) -> Value | None:
        """What a bare name stands for, from the innermost scope outwards."""
        rules = names.rules
        symbols = names.map.symbols
        here = scope
        while True:
            is_type = here != TOP and symbols[here].kind in TYPES
            if not is_type or here == scope or rules.implicit_self:
                value = self._in_scope(names, here, name, depth, is_type)
                if not isinstance(value, bool):
                    return value
            if here == TOP:
                break
            if is_type and rules.implicit_self:
                inherited = self._member(Value("instance", "self", names.path, here), name, depth + 1)
                if inherited is not None and inherited.kind != "outside":
                    return inherited
            elif rules.implicit_self and symbols[here].receiver:
                owner = self._type(names, symbols[here].parent, symbols[here].receiver, depth + 1)
                inherited = self._member(owner, name, depth + 1) if owner is not None else None
                if inherited is not None and inherited.kind != "outside":
                    return inherited
            here = symbols[here].parent
        if name in rules.selves:
            return self._self(names, scope, "self")
        for star in names.stars_at(scope):
            value = self._of_module(self._module(names, star), name, depth + 1)
            if value is not None and value.kind != "outside" and (value.kind != "module" or value.files):
                return value
        shared = self._shared_symbol(names, name)
        return Value("symbol", "package", *shared) if shared is not None else OUTSIDE

    def _in_scope(self, names: Names, scope: int, name: str, depth: int, is_type: bool) -> Value | bool | None:
        """What a name stands for in one scope; False when that scope does not have it."""
        key = (scope, name)
        indexes = names.children.get(key)
        if indexes:
            at = names.chosen(indexes)
            if names.map.symbols[at].kind in SAYS_ITSELF or key not in names.bindings:
                return Value("symbol", "self" if is_type else "local", names.path, at)
        bindings = names.bindings.get(key)
        if bindings and not (is_type and not indexes):
            if (scope != TOP and not is_type) or not indexes:
                return self._bound(names, bindings, depth)
            return Value("symbol", "local", names.path, names.chosen(indexes))
        imports = names.imports.get(key)
        if imports:
            return self._imported(names, imports, depth)
        return False

    def _bound(self, names: Names, bindings: Collection[Binding], depth: int) -> Value | None:
        """What the first of several bindings that says something says."""
        outside: Value | None = None
        for binding in bindings:
            within = binding.scope if binding.within is None else binding.within
            if binding.type:
                value = self._type(names, within, binding.type, depth + 1)
                value = value._replace(reason="typed") if value is not None else OUTSIDE
            elif binding.value and not binding.value.startswith("?"):
                value = self._value(names, within, binding.value, depth + 1)
                if value is not None and value.kind == "instance":
                    value = value._replace(reason=weaker(value.reason, "inferred"))
            else:
                continue
            if value is not None and value.kind != "outside":
                return value
            outside = outside or value
        return outside

    def _imported(self, names: Names, imports: Collection[Import], depth: int) -> Value | None:
        for one in imports:
            if one.name and one.name != "*":
                found = self._of_module(self._module(names, one), one.name, depth + 1)
            else:
                found = self._module(names, one)
            if found is not None and found.kind != "outside":
                return found._replace(reason="import") if found.reason in ("local", "package") else found
        return OUTSIDE

    def _module(self, names: Names, one: Import) -> Value:
        files = tuple(self._finder(names)(names.path, one.module))
        return Value("module", "import", names.path, files=files, name=one.module)

    def _of_module(self, module: Value, name: str, depth: int) -> Value | None:
        """What a module has under a name: its own, what it hands on, or a module below it."""
        if depth > DEPTH_MAX:
            return None
        files: Collection[str] = module.files
        if len(files) > PACKAGE_FILES:  # of a package of many files, those that define it
            defining = {path for path, _ in self._facts.defined(name, "")}
            files = [path for path in files if path in defining]
        for path in files:
            names = self.names(path)
            if names is None:
                continue
            key = (path, name, "export")
            if key in self._busy:
                continue
            self._busy.add(key)
            try:
                found = self._exported(names, name, depth)
            finally:
                self._busy.discard(key)
            if found is not None and found.kind != "outside":
                return found
        below = self._below(module, name)
        return below if below is not None else OUTSIDE

    def _exported(self, names: Names, name: str, depth: int) -> Value | None:
        indexes = names.children.get((TOP, name))
        if indexes:
            at = names.chosen(indexes)
            if names.map.symbols[at].kind in SAYS_ITSELF or (TOP, name) not in names.bindings:
                return Value("symbol", "import", names.path, at)
            bound = self._bound(names, names.bindings[TOP, name], depth + 1)
            return bound if bound is not None else Value("symbol", "import", names.path, at)
        imports = [one for one in names.imports.get((TOP, name), ()) if one.exported]
        if imports:
            return self._imported(names, imports, depth + 1)
        if (TOP, name) in names.bindings:  # another name for something that the file has: `export {a as b}`
            return self._bound(names, names.bindings[TOP, name], depth + 1)
        for star in names.stars:
            if star.exported and star.scope == TOP:
                found = self._of_module(self._module(names, star), name, depth + 1)
                if found is not None and found.kind != "outside":
                    return found
        return None

    def _below(self, module: Value, name: str) -> Value | None:
        """A module inside of another, where imports are spelt with dots."""
        names = self.names(module.path)
        if names is None:
            return None
        separator = "" if module.name.endswith(".") else "."
        spelt = f"{module.name}{separator}{name}"
        files = tuple(self._finder(names)(module.path, spelt))
        if files or not module.files:
            return Value("module", "import", module.path, files=files, name=spelt)
        for path in module.files[:PACKAGE_FILES]:  # named by where it is, not by how it was imported
            files = tuple(self._finder(names)(path, f".{name}"))
            if files:
                return Value("module", "import", path, files=files, name=f".{name}")
        return None

    def _self(self, names: Names, scope: int, reason: str) -> Value | None:
        around = names.type_around(scope)
        if around != TOP:
            return Value("instance", reason, names.path, around)
        while scope != TOP and not names.map.symbols[scope].receiver:
            scope = names.map.symbols[scope].parent
        if scope == TOP:
            return None
        owner = self._type(names, names.map.symbols[scope].parent, names.map.symbols[scope].receiver, 0)
        return owner._replace(reason=reason) if owner is not None else None

    def _super_constructor(self, names: Names, scope: int) -> Value | None:
        owner = self._self(names, scope, "super")
        for base in self.bases_of(*owner.ref) if owner is not None else ():
            return Value("symbol", "super", *base)
        return None

    def _member(self, value: Value | None, name: str, depth: int) -> Value | None:
        """What a value has under a name."""
        if value is None or depth > DEPTH_MAX:
            return None
        if value.kind == "outside":
            return self._entered(value, name)
        if value.kind == "module":
            return self._of_module(value, name, depth + 1)
        symbol = self._symbol(value.ref)
        if symbol.kind in ("namespace", "module"):
            return self._child(value, name, depth)
        if symbol.kind not in TYPES:
            read = self._read(value, depth + 1)
            return self._member(read, name, depth + 1) if read is not None and read != value else None
        if value.reason == "super":
            lines = [found for base in self.bases_of(*value.ref) for found in self._line(base)]
        else:
            lines = list(self._line(value.ref))
        for ref in lines:
            found = self._own(ref, name, value, depth)
            if found is not None:
                if ref != value.ref and found.reason == "self":
                    return found._replace(reason="inherited")
                return found
        if name == "__enter__":
            return value
        return None if lines and self._is_open(lines) else OUTSIDE

    def _own(self, ref: Ref, name: str, value: Value, depth: int) -> Value | None:
        """A member that a type itself has: in its body, beside it, or as a field."""
        path, index = ref
        names = self.names(path)
        if names is None:
            return None
        reason = value.reason if value.reason in REASONS else "self"
        if reason in ("local", "import", "package", "constructor"):
            reason = "self" if value.kind == "symbol" else "inferred"
        indexes = names.children.get((index, name))
        if indexes:
            at = names.chosen(indexes)
            symbol = names.map.symbols[at]
            if symbol.kind in SAYS_ITSELF or symbol.returns or (index, name) not in names.bindings:
                return Value("symbol", reason, path, at, scope=index, name=path)
        bindings = names.bindings.get((index, name))
        if bindings:
            bound = self._bound(names, bindings, depth + 1)
            if bound is not None:
                return bound
        beside = self._beside(names, names.map.symbols[index], name)
        if beside is not None:
            return Value("symbol", reason, *beside)
        return Value("symbol", reason, path, names.chosen(indexes)) if indexes else None

    def _line(self, ref: Ref) -> Iterator[Ref]:
        """A type and those above it, nearest first, each once."""
        waiting, seen = [ref], set[Ref]()
        while waiting and len(seen) < BASES_MAX:
            here = waiting.pop(0)
            if here in seen:
                continue
            seen.add(here)
            yield here
            waiting += self.bases_of(*here)

    def _is_open(self, lines: Collection[Ref]) -> bool:
        """Whether a type has a base that is not in the project: what it lacks may be there."""
        return not any(len(self.bases_of(*ref)) < len(self._symbol(ref).bases) for ref in lines)

    def _read(self, value: Value, depth: int) -> Value | None:
        """What is there when a name is read: the value of a field, property or variable rather than itself."""
        if value.kind != "symbol" or depth > DEPTH_MAX:
            return value
        symbol = self._symbol(value.ref)
        if symbol.kind in TYPES or symbol.kind in ("namespace", "module"):
            return value
        if symbol.kind in CALLABLES:
            is_property = any(d.partition("(")[0].rpartition(".")[2] in PROPERTIES for d in symbol.decorators)
            return self._result(value, None, depth + 1) if is_property else value
        names = self.names(value.path)
        if names is None:
            return None
        if symbol.returns:
            typed = self._type(names, symbol.parent, symbol.returns, depth + 1)
            return typed._replace(reason="typed") if typed is not None else OUTSIDE
        bindings = names.bindings.get((symbol.parent, symbol.name))
        return self._bound(names, bindings, depth + 1) if bindings else None

    def _result(self, value: Value, rules: Rules | None, depth: int) -> Value | None:
        """What calling a value gives."""
        if value.kind in ("outside", "module") or depth > DEPTH_MAX:
            return None if value.files else OUTSIDE
        if value.kind == "instance":
            member = self._member(value, "__call__", depth + 1)
            return self._result(member, rules, depth + 1) if member is not None and member.kind == "symbol" else None
        symbol = self._symbol(value.ref)
        if symbol.kind in TYPES:
            return instance(value)
        if symbol.kind not in CALLABLES:
            read = self._read(value, depth + 1)
            return self._result(read, rules, depth + 1) if read is not None and read != value else None
        if symbol.returns in ("Self", "this", "typing.Self", "self") or symbol.kind == "constructor":
            owner = self._owner(value)
            return Value("instance", "typed", *owner) if owner is not None else None
        if value.ref in self._results:
            return self._results[value.ref]
        if value.ref in self._busy:
            return None
        self._busy.add(value.ref)
        try:
            found = self._returned(value, symbol, depth)
        finally:
            self._busy.discard(value.ref)
        self._results[value.ref] = found
        return found

    def _returned(self, value: Value, symbol: Symbol, depth: int) -> Value | None:
        names = self.names(value.path)
        if names is None:
            return None
        if symbol.returns:
            typed = self._type(names, value.at, symbol.returns, depth + 1)
            return typed._replace(reason="typed") if typed is not None else OUTSIDE
        bindings = names.bindings.get((value.at, "return"))
        return self._bound(names, bindings, depth + 1) if bindings else None

    def _owner(self, value: Value) -> Ref | None:
        """The type that a method is a member of."""
        names = self.names(value.path)
        if names is None:
            return None
        owner = self._self(names, value.at, "self")
        return owner.ref if owner is not None else None

    def _element(self, value: Value, depth: int) -> Value | None:
        """What is in a value that is indexed or iterated over."""
        if value.arguments and value.kind in ("outside", "instance"):
            names = self.names(value.path if not value.name else value.name)
            for argument in reversed(value.arguments) if names is not None else ():
                found = self._type(names, value.scope, argument, depth + 1) if names is not None else None
                if found is not None and found.kind != "outside":
                    return found._replace(reason="typed")
            return OUTSIDE
        if value.kind == "instance":
            for base in self._symbol(value.ref).bases:  # `class Rows(list[Row])`, `type Rows []Row`
                held, names = generic(base)[1], self.names(value.path)
                found = self._type(names, value.at, held[-1], depth + 1) if names is not None and held else None
                if found is not None and found.kind != "outside":
                    return found._replace(reason="typed")
            for method in ("__getitem__", "__iter__"):
                member = self._member(value, method, depth + 1)
                if member is not None and member.kind == "symbol":
                    result = self._result(member, None, depth + 1)
                    return self._element(result, depth + 1) if result and method == "__iter__" else result
            return None
        return value if value.kind == "outside" else None

    def _entered(self, value: Value, name: str) -> Value:
        """A member of something outside. `with` gives what a generic manager is of."""
        return value if name == "__enter__" and value.arguments else OUTSIDE

    def _type(self, names: Names, scope: int, text: str, depth: int) -> Value | None:
        """Some value of a type as it is written. None when it says nothing."""
        if not text or depth > DEPTH_MAX:
            return None
        found: Value | None = None
        for one in split(text, "|"):
            head, arguments = generic(one)
            rules = names.rules
            if arguments and self._wraps(names, scope, head, rules, depth):
                value = self._type(names, scope, arguments[0], depth + 1)
            elif arguments and head.rpartition(".")[2] in ("type", "Type"):
                inner = self._type(names, scope, arguments[0], depth + 1)
                value = inner._replace(kind="symbol") if inner is not None and inner.kind == "instance" else inner
            else:
                value = self._type_named(names, scope, head, depth)
                if value is not None and value.kind == "instance" and rules.by_arity:
                    value = self._of_arity(value, len(arguments))
                if value is not None and arguments:
                    value = value._replace(arguments=arguments, scope=scope, name=names.path)
                    value = value._replace(path=names.path) if value.kind == "outside" else value
            if value is not None and value.kind != "outside":
                return value
            found = found or value
        return found

    def _of_arity(self, value: Value, count: int) -> Value:
        """Of types of one name, the one that takes so many arguments."""
        return value

    def _wraps(self, names: Names, scope: int, head: str, rules: Rules, depth: int) -> bool:
        """Whether a generic type stands for what it holds."""
        return head.rpartition(".")[2] in rules.wrappers

    def _type_named(self, names: Names, scope: int, head: str, depth: int) -> Value | None:
        first, *others = head.split(".")
        if first in ("Self", "self") and not others:
            return self._self(names, scope, "self")
        value = self._type_name(names, scope, first, depth + 1)
        for other in others:
            value = self._member(value, other, depth + 1) if value is not None else None
        if value is None or value.kind != "symbol":
            return value if value is not None and value.kind in ("outside", "instance") else None
        symbol = self._symbol(value.ref)
        if symbol.kind == "type" and symbol.returns:  # another name for a type
            there = self.names(value.path)
            return self._type(there, symbol.parent, symbol.returns, depth + 1) if there is not None else None
        if symbol.kind in TYPES:
            return instance(value)
        read = self._read(value, depth + 1)
        return instance(read) if read is not None and read.kind == "symbol" else None

    def _type_name(self, names: Names, scope: int, name: str, depth: int) -> Value | None:
        """A bare name where a type stands: variables do not hide types."""
        symbols = names.map.symbols
        here = scope
        while True:
            indexes = [i for i in names.children.get((here, name), ()) if symbols[i].kind in NAMES_TYPE]
            if indexes:
                return Value("symbol", "local", names.path, names.chosen(indexes))
            if here == TOP:
                break
            here = symbols[here].parent
        return self._name(names, TOP, name, depth + 1)
