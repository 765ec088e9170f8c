"""Languages of classes whose methods have names of their own (Java): a field or variable does not hide a method of the
same name, a bare name that is called is a method of a class around it, types in classes are inherited, imports reach
into classes, and containers of the language itself give what they hold. Only for languages whose rules say so
(`methods_apart`)."""

from __future__ import annotations

from ..model.code import CALLABLES, TOP, TYPES, Symbol
from .evaluate import DEPTH_MAX
from .facts import Ref
from .language import Rules
from .names import Names
from .paths import Paths
from .values import NAMES_TYPE, OUTSIDE, Value, instance


class Classes(Paths):
    """Follows names through classes, besides what `Paths` and `Evaluator` follow."""

    def _first(self, names: Names, scope: int, name: str, suffixes: str, depth: int) -> Value | None:
        if not names.rules.methods_apart:
            return super()._first(names, scope, name, suffixes, depth)
        if suffixes.startswith("()"):
            return self._method_named(names, scope, name, depth)
        if suffixes.startswith("{}"):
            return self._type_name(names, scope, name, depth)
        found = self._field_of(self._name(names, scope, name, depth))
        is_method = found is not None and found.kind == "symbol" and self._symbol(found.ref).kind in CALLABLES
        return self._field_named(names, scope, name, depth) if is_method else found

    def _field_named(self, names: Names, scope: int, name: str, depth: int) -> Value | None:
        """What a bare name stands for that is not called, where the nearest of that name is a method."""
        symbols, here = names.map.symbols, scope
        while here != TOP:
            for path, at in self._line((names.path, here)) if symbols[here].kind in TYPES else ():
                there = self.names(path)
                for one in there.children.get((at, name), ()) if there is not None else ():
                    if self._symbol((path, one)).kind not in CALLABLES:
                        return Value("symbol", "self", path, one)
            here = symbols[here].parent
        return self._type_name(names, scope, name, depth)

    def _method_named(self, names: Names, scope: int, name: str, depth: int) -> Value | None:
        """What a bare name stands for that is called: a method of a class around it, or one that is imported."""
        symbols, here = names.map.symbols, scope
        while here != TOP:
            if symbols[here].kind in TYPES:
                for ref in self._line((names.path, here)):
                    found = self._method(ref, name)
                    if found is not None:
                        return Value("symbol", "self" if ref == (names.path, here) else "inherited", *found)
            here = symbols[here].parent
        imports = names.imports.get((TOP, name))
        if imports:
            return self._imported(names, imports, depth + 1)
        for star in names.stars:
            value = self._of_module(self._module(names, star), name, depth + 1)
            if value is not None and value.kind == "symbol":
                return value
        return OUTSIDE

    def _field_of(self, value: Value | None) -> Value | None:
        """What is meant by a name that is not called: not a method, where something else has its name too."""
        if value is None or value.kind != "symbol":
            return value
        symbol = self._symbol(value.ref)
        names = self.names(value.path)
        if symbol.kind not in CALLABLES or names is None:
            return value
        symbols = names.map.symbols
        for at in names.children.get((symbol.parent, symbol.name), ()):
            if symbols[at].kind not in CALLABLES:
                return value._replace(at=at)
        return value

    def _step(self, value: Value, part: str, suffixes: str, rules: Rules, depth: int) -> tuple[Value | None, str]:
        if not rules.methods_apart:
            return super()._step(value, part, suffixes, rules, depth)
        if not suffixes.startswith("()"):
            return self._field_of(self._member(value, part, depth)), suffixes
        of = self._read(value, depth + 1)
        if of is None:
            return None, suffixes
        value = of
        found = self._callee(value, part, rules, depth)
        if found is not None and found.kind != "outside":
            return self._given(found, suffixes)
        if part in rules.passing:
            return value, suffixes[2:]
        if part in rules.giving and (value.arguments or value.kind == "instance"):
            return self._element(value, depth + 1), suffixes[2:]
        return found, suffixes

    def _given(self, found: Value, suffixes: str) -> tuple[Value | None, str]:
        """The parts of a record are called to be read."""
        is_part = found.kind == "symbol" and self._symbol(found.ref).kind == "field"
        return found, suffixes[2:] if is_part else suffixes

    def _callee(self, owner: Value, name: str, rules: Rules, depth: int) -> Value | None:
        if not rules.methods_apart or owner.kind not in ("instance", "symbol"):
            return super()._callee(owner, name, rules, depth)
        if self._symbol(owner.ref).kind not in TYPES:
            read = self._read(owner, depth + 1)
            return self._callee(read, name, rules, depth + 1) if read is not None and read != owner else None
        lines = [owner.ref]
        if owner.reason == "super":
            lines = self.bases_of(*owner.ref)
        for start in lines:
            for ref in self._line(start):
                found = self._method(ref, name)
                if found is not None:
                    reason = owner.reason if owner.reason in ("self", "super", "typed", "inherited") else "inferred"
                    reason = "self" if owner.kind == "symbol" and reason == "inferred" else reason
                    return Value("symbol", "inherited" if ref != owner.ref and reason == "self" else reason, *found)
        # What a type is known not to have comes from outside: from Object, or from a base that is not of the project.
        return self._member(owner, name, depth) or OUTSIDE

    def _method(self, ref: Ref, name: str) -> Ref | None:
        """Of several methods of one name, one that gives what most of them give: rather the shortest of them."""
        path, index = ref
        names = self.names(path)
        if names is None or not names.rules.methods_apart:
            return super()._method(ref, name)
        symbols = names.map.symbols
        own = [at for at in names.children.get((index, name), ()) if symbols[at].kind in CALLABLES]
        if len(own) < 2:
            return (path, own[0]) if own else None
        given = [symbols[at].returns for at in own]
        return path, min(own, key=lambda at: (-given.count(symbols[at].returns), len(symbols[at].signature)))

    def _of_another(self, names: Names, scope: int, before: str, name: str, rules: Rules) -> Value | None:
        """A method of what another method of the same name gives: `doc.settings()` and `doc.settings(given)` may give
        different things."""
        above, _, last = before.removesuffix("()").rpartition(".")
        if not rules.methods_apart or not before.endswith("()") or not above or last.endswith(("]", ")", "}")):
            return None
        owner = self._value(names, scope, above, 0)
        method = self._callee(owner, last, rules, 0) if owner is not None else None
        if method is None or method.kind != "symbol":
            return None
        there, known = self.names(method.path), self._symbol(method.ref)
        for at in there.children.get((known.parent, last), ()) if there is not None else ():
            if self._symbol((method.path, at)).returns != known.returns:
                result = self._result(method._replace(at=at), rules, 0)
                found = self._callee(result, name, rules, 0) if result is not None else None
                if found is not None and found.kind == "symbol":
                    return found._replace(reason="inferred")
        return None

    def _of_module(self, module: Value, name: str, depth: int) -> Value | None:
        """`import static a.b.Foo.bar`, `import a.b.Foo.Inner`: what is imported from may be a class."""
        names = self.names(module.path) if module.path else None
        if module.kind != "module" or module.files or names is None or not names.rules.methods_apart:
            return super()._of_module(module, name, depth)
        above, _, last = module.name.rpartition(".")
        if not above or depth > DEPTH_MAX:
            return OUTSIDE
        files = tuple(self._finder(names)(module.path, above))
        owner = self._of_module(module._replace(name=above, files=files), last, depth + 1)
        return self._member(owner, name, depth + 1) if owner is not None and owner.kind == "symbol" else OUTSIDE

    def _type_name(self, names: Names, scope: int, name: str, depth: int) -> Value | None:
        if not names.rules.methods_apart:
            return super()._type_name(names, scope, name, depth)
        symbols, here = names.map.symbols, scope
        while here != TOP:
            if symbols[here].kind in TYPES:
                if symbols[here].name == name:
                    return Value("symbol", "local", names.path, here)
                found = self._type_in((names.path, here), name)
                if found is not None:
                    return Value("symbol", "local" if found[0] == names.path else "inherited", *found)
            else:
                own = self._types(names, here, name)
                if own:
                    return Value("symbol", "local", names.path, own[-1])
            here = symbols[here].parent
        return self._name(names, TOP, name, depth + 1)

    def _type_named(self, names: Names, scope: int, head: str, depth: int) -> Value | None:
        """Types may be named with their package: `java.util.List`."""
        found = super()._type_named(names, scope, head, depth)
        if "." not in head or (found is not None and found.kind != "outside") or not names.rules.methods_apart:
            return found
        package, _, name = head.rpartition(".")
        files = tuple(self._finder(names)(names.path, package))
        value = self._of_module(Value("module", "import", names.path, files=files, name=package), name, depth + 1)
        return instance(value) if value is not None and value.kind == "symbol" else found

    def _type_in(self, ref: Ref, name: str) -> Ref | None:
        """A type that stands in a type, or in one that it extends or implements."""
        for path, at in self._line(ref):
            names = self.names(path)
            found = self._types(names, at, name) if names is not None else ()
            if found:
                return path, found[-1]
        return None

    def _types(self, names: Names, scope: int, name: str) -> list[int]:
        symbols = names.map.symbols
        return [at for at in names.children.get((scope, name), ()) if symbols[at].kind in NAMES_TYPE]

    def _beside(self, names: Names, owner: Symbol, name: str) -> Ref | None:
        return None if names.rules.methods_apart else super()._beside(names, owner, name)
