"""Languages whose names are paths and whose types get their members in many places (Rust, C++): modules and namespaces
inside of a file, members that are declared elsewhere, enums that are imported like modules, and what a container
holds. Only for languages whose rules say so (`paths`)."""

from __future__ import annotations

from ..model.code import CALLABLES, TOP, TYPES, FileMap, Import, Symbol
from .evaluate import DEPTH_MAX, Evaluator
from .facts import Facts, Ref
from .language import Rules
from .names import Names
from .values import OUTSIDE, Value, instance

WALKS_MAX = 12
INCLUDES_MAX = 400


class Paths(Evaluator):
    """Follows paths, besides what `Evaluator` follows."""

    def __init__(self, facts: Facts) -> None:
        super().__init__(facts)
        self._walks = 0
        self._includes: dict[str, dict[str, int]] = {}
        self._besides: dict[tuple[Ref, str], Ref | None] = {}

    def _in_paths(self, value: Value) -> bool:
        names = self.names(value.path) if value.path else None
        return names is not None and names.rules.paths

    def _name(self, names: Names, scope: int, name: str, depth: int) -> Value | None:
        value = self._settled(super()._name(names, scope, name, depth), depth)
        if value is not OUTSIDE or not names.rules.paths or _is_known(names, scope, name):
            return value
        if names.rules.globals:
            return self._global(names, scope, name, depth) or value
        files = tuple(self._finder(names)(names.path, name))
        return Value("module", "import", names.path, files=files, name=name) if files else value

    def _settled(self, value: Value | None, depth: int) -> Value | None:
        """A constructor has the name of its type, which is what is meant; what is only declared is meant where it is
        defined."""
        if value is None or value.kind != "symbol" or depth > DEPTH_MAX:
            return value
        symbol, names = self._symbol(value.ref), self.names(value.path)
        if symbol.kind not in CALLABLES or names is None or not names.rules.globals:
            return value
        if symbol.kind == "constructor":
            owner = self._self(names, value.at, value.reason)
            return owner._replace(kind="symbol") if owner is not None and owner.kind == "instance" else value
        if symbol.parent == TOP or not symbol.signature.endswith(";"):
            return value
        found = self._method((value.path, symbol.parent), symbol.name)
        return Value("symbol", value.reason, *found) if found is not None else value

    def _global(self, names: Names, scope: int, name: str, depth: int) -> Value | None:
        """What a name means in a language with one space of names for all files: something in the namespaces around,
        in what the file includes, or, where only one file has it, in any other."""
        while scope != TOP:
            symbol = names.map.symbols[scope]
            if symbol.kind == "namespace":
                found = self._child(Value("symbol", "package", names.path, scope), name, depth + 1)
                if found is not None and found.kind != "outside":
                    return found
            scope = symbol.parent
        languages = names.rules.globals
        candidates: list[Ref] = []
        for path, at in self._facts.defined(name):
            other = self._facts.file(path)
            if other is None or other.language not in languages:
                continue
            symbol = other.symbols[at]
            if _is_seen(other, symbol):
                candidates.append((path, at))
        included = self._included(names)
        seen = [ref for ref in candidates if ref[0] in included]
        if seen:
            return Value("symbol", "import", *min(seen, key=lambda ref: included[ref[0]]))
        open_ = [ref for ref in candidates if not self._symbol(ref).signature.startswith("static ")]
        if len(open_) > 1:
            folder = names.path.rpartition("/")[0]
            open_ = [ref for ref in open_ if ref[0].rpartition("/")[0] == folder]
        return Value("symbol", "package", *open_[0]) if len(open_) == 1 else None

    def _included(self, names: Names) -> dict[str, int]:
        """The files that a file includes, and those that they include, with their distances."""
        known = self._includes.get(names.path)
        if known is not None:
            return known
        found: dict[str, int] = {}
        waiting = [(names, 0)]
        while waiting and len(found) < INCLUDES_MAX:
            here, distance = waiting.pop(0)
            find = self._finder(here)
            for one in here.map.imports:
                for path in find(here.path, one.module) if one.local != "*" else ():
                    if path not in found and path != names.path:
                        found[path] = distance + 1
                        other = self.names(path)
                        if other is not None and _is_header(path):
                            waiting.append((other, distance + 1))
        self._includes[names.path] = found
        return found

    def _type_name(self, names: Names, scope: int, name: str, depth: int) -> Value | None:
        if names.rules.paths:
            return self._name(names, scope, name, depth + 1)
        return super()._type_name(names, scope, name, depth)

    def _module(self, names: Names, one: Import) -> Value:
        """What is imported from may be no file but a module inside of one, or an enum."""
        found = super()._module(names, one)
        rules = names.rules
        if found.files or self._walks >= WALKS_MAX or not rules.paths or (rules.globals and one.local != one.name):
            return found
        self._walks += 1
        try:
            value = self._value(names, one.scope, one.module, 0)
        finally:
            self._walks -= 1
        return value if value is not None and value.kind in ("symbol", "module") else found

    def _of_module(self, module: Value, name: str, depth: int) -> Value | None:
        if module.kind != "module":
            return self._member(module, name, depth + 1)
        return super()._of_module(module, name, depth)

    def _child(self, value: Value, name: str, depth: int) -> Value | None:
        """What a module inside of a file has: also what it imports."""
        names = self.names(value.path)
        if names is None or not names.rules.paths:
            return super()._child(value, name, depth)
        indexes = names.children.get((value.at, name))
        if indexes:
            return Value("symbol", value.reason, value.path, names.chosen(indexes))
        key = (value.ref, name, "child")
        if key in self._busy or depth > DEPTH_MAX:
            return OUTSIDE
        self._busy.add(key)
        try:
            imports = names.imports.get((value.at, name))
            found = self._imported(names, imports, depth + 1) if imports else None
            for star in names.stars if found is None else ():
                if star.scope == value.at:
                    found = self._of_module(self._module(names, star), name, depth + 1)
                    if found is not None and found.kind != "outside":
                        break
        finally:
            self._busy.discard(key)
        if found is not None and found.kind != "outside":
            return found
        if not names.rules.globals:
            return OUTSIDE
        return self._in_namespace(names, self._symbol(value.ref), name, value.reason)

    def _in_namespace(self, names: Names, namespace: Symbol, name: str, reason: str) -> Value:
        """What a namespace has in any file, those that are included first."""
        found: list[Ref] = []
        for path, at in self._facts.defined(name, namespace.name):
            other = self._facts.file(path)
            symbol = other.symbols[at] if other is not None else None
            if other is None or symbol is None or other.language not in names.rules.globals:
                continue
            inside = other.symbols[symbol.parent].qualified if symbol.parent != TOP else ""
            if symbol.receiver:
                inside = f"{inside}.{symbol.receiver}" if inside else symbol.receiver
            if inside == namespace.qualified:
                found.append((path, at))
        if not found:
            return OUTSIDE
        included = self._included(names)
        return Value("symbol", reason, *min(found, key=lambda ref: included.get(ref[0], INCLUDES_MAX)))

    def _step(self, value: Value, part: str, suffixes: str, rules: Rules, depth: int) -> tuple[Value | None, str]:
        if not rules.paths:
            return super()._step(value, part, suffixes, rules, depth)
        if part == "?":
            return self._held(value, depth), suffixes
        called = suffixes.startswith("()")
        found = self._callee(value, part, rules, depth) if called else self._member(value, part, depth)
        if called and (found is None or found.kind == "outside"):
            if part in rules.passing:
                return value, suffixes[2:]
            if part in rules.giving:
                return self._held(value, depth), suffixes[2:]
        return found, suffixes

    def _element(self, value: Value, depth: int) -> Value | None:
        """A field or a variable is read before it is looked into."""
        read = self._read(value, depth + 1) if value.kind == "symbol" else None
        return super()._element(read if read is not None and read.kind != "symbol" else value, depth)

    def _held(self, value: Value, depth: int) -> Value | None:
        """What an Option, a list or a lock holds. What is known by its own type is what was held."""
        if value.kind == "outside" and value.arguments:
            return self._element(value, depth + 1)
        return value if value.kind == "instance" else OUTSIDE

    def _entered(self, value: Value, name: str) -> Value:
        """Parts of a tuple have numbers for their names."""
        if name.isdigit() and int(name) < len(value.arguments):
            names = self.names(value.name or value.path)
            if names is not None and names.rules.paths:
                return self._type(names, value.scope, value.arguments[int(name)], 1) or OUTSIDE
        return super()._entered(value, name)

    def _meant(self, value: Value, depth: int) -> Value:
        """The type that another name of it stands for."""
        symbol = self._symbol(value.ref)
        names = self.names(value.path)
        if symbol.kind != "type" or not symbol.returns or names is None or depth > DEPTH_MAX:
            return value
        found = self._type(names, symbol.parent, symbol.returns, depth + 1)
        return found._replace(kind=value.kind) if found is not None and found.kind == "instance" else value

    def _callee(self, owner: Value, name: str, rules: Rules, depth: int) -> Value | None:
        """What is called as a member of a value: rather a method than a field of the same name."""
        if rules.paths and owner.kind == "symbol":
            owner = self._meant(owner, depth)
        if rules.paths and owner.kind in ("instance", "symbol") and self._symbol(owner.ref).kind in TYPES:
            for ref in self._line(owner.ref):
                found = self._method(ref, name)
                if found is not None:
                    reason = "inherited" if ref != owner.ref else _reason(owner)
                    return Value("symbol", reason, *found)
        return self._member(owner, name, depth)

    def _method(self, ref: Ref, name: str) -> Ref | None:
        path, index = ref
        names = self.names(path)
        if names is None:
            return None
        symbols = names.map.symbols
        own = [at for at in names.children.get((index, name), ()) if symbols[at].kind in CALLABLES]
        if any(not symbols[at].signature.endswith(";") for at in own):
            return path, names.chosen(own)
        found = self._beside(names, symbols[index], name)
        if found is not None and self._symbol(found).kind in CALLABLES:
            return found
        return (path, names.chosen(own)) if own else None

    def _member(self, value: Value | None, name: str, depth: int) -> Value | None:
        found = super()._member(value, name, depth)
        if found is not None and found.kind != "outside":
            return self._settled(found, depth)
        if value is None or value.kind != "instance" or depth > DEPTH_MAX or name == "Target":
            return found
        if not self._in_paths(value) or self._symbol(value.ref).kind not in TYPES:
            return found
        return self._through(value, name, depth) or found

    def _through(self, value: Value, name: str, depth: int) -> Value | None:
        """A member of what a type can be used as: Rust's `Deref`."""
        names = self.names(value.path)
        target = self._beside(names, self._symbol(value.ref), "Target") if names is not None else None
        if target is None:
            return None
        there, symbol = self.names(target[0]), self._symbol(target)
        if there is None or symbol.kind != "type" or not symbol.returns:
            return None
        inner = self._type(there, symbol.parent, symbol.returns, depth + 1)
        if inner is None or inner.kind != "instance" or inner.ref == value.ref:
            return None
        found = self._callee(inner, name, there.rules, depth + 2)
        return found if found is not None and found.kind != "outside" else None

    def _result(self, value: Value, rules: Rules | None, depth: int) -> Value | None:
        if value.kind == "symbol":
            symbol = self._symbol(value.ref)
            if symbol.kind == "constant" and self._is_variant(value.path, symbol):
                return instance(value._replace(at=symbol.parent))
        return super()._result(value, rules, depth)

    def _is_variant(self, path: str, symbol: Symbol) -> bool:
        """Whether a constant is one of the forms of an enum, which may be made with a call."""
        return symbol.parent != TOP and self._symbol((path, symbol.parent)).kind == "enum"

    def _wraps(self, names: Names, scope: int, head: str, rules: Rules, depth: int) -> bool:
        """A type of the project is not the well-known one of its name."""
        if not super()._wraps(names, scope, head, rules, depth):
            return False
        if not rules.paths:
            return True
        value = self._type_named(names, scope, head, depth + 1)
        return value is None or value.kind == "outside"

    def _beside(self, names: Names, owner: Symbol, name: str) -> Ref | None:
        if not names.rules.paths:
            return super()._beside(names, owner, name)
        index = self._index_of(names, owner)
        key = ((names.path, index), name)
        if key not in self._besides:
            self._besides[key] = None  # while it is looked for
            self._besides[key] = self._declared(names, owner, index, name)
        return self._besides[key]

    def _index_of(self, names: Names, owner: Symbol) -> int:
        for at in names.children.get((owner.parent, owner.name), ()):
            if names.map.symbols[at] is owner:
                return at
        return TOP

    def _declared(self, names: Names, owner: Symbol, index: int, name: str) -> Ref | None:
        """A member that is declared outside of its type, anywhere in the project: rather one of its own than one that
        a trait asks for. Of several traits' none can be said to be meant."""
        own: list[Ref] = []
        asked: list[Ref] = []
        several = None
        for path, at in self._facts.defined(name, owner.name):
            other = self.names(path)
            if other is None or other.map.language not in (names.map.language, *names.rules.globals):
                continue
            symbol = other.map.symbols[at]
            if not symbol.receiver or symbol.receiver.rpartition(".")[2] != owner.name:
                continue
            if several is None:
                several = self._is_one_of_several(owner)
            if several:
                receiver = self._type(other, symbol.parent, symbol.receiver, 1)
                if receiver is None or receiver.ref != (names.path, index):
                    continue
            (asked if symbol.bases else own).append((path, at))
        if own:
            return next((one for one in own if one[0] == names.path), own[0])
        return asked[0] if len(asked) == 1 else None

    def _is_one_of_several(self, owner: Symbol) -> bool:
        """Whether other types of the project have the same name."""
        count = 0
        for ref in self._facts.defined(owner.name):
            count += self._symbol(ref).kind in TYPES
        return count > 1


def _is_seen(found: FileMap, symbol: Symbol) -> bool:
    """Whether a symbol is seen outside of its file by its bare name: macros, and what an enum of C lists, wherever they
    stand."""
    if symbol.parent == TOP:
        return not symbol.receiver
    return symbol.kind == "macro" or (symbol.kind == "constant" and found.symbols[symbol.parent].kind == "enum")


def _is_header(path: str) -> bool:
    return path.rpartition(".")[2].startswith(("h", "i"))


def _is_known(names: Names, scope: int, name: str) -> bool:
    """Whether a name is bound or imported around a scope."""
    while (scope, name) not in names.bindings and (scope, name) not in names.imports:
        if scope == TOP:
            return False
        scope = names.map.symbols[scope].parent
    return True


def _reason(owner: Value) -> str:
    if owner.reason in ("local", "import", "package", "constructor"):
        return "self" if owner.kind == "symbol" else "inferred"
    return owner.reason
