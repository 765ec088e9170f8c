"""The names of a file, by where they stand: made once from its map, asked for each call in it."""

from __future__ import annotations

from ..model.code import TOP, TYPES, Binding, FileMap, Import
from .language import Rules

Place = tuple[int, str]

_MEMBERS = frozenset(("method", "constructor", "field", "property"))
# What declares nothing that is there when the program runs, and so gives way to what does.
_MERE = {"interface": 1, "type": 1, "namespace": 2, "module": 2}
_HOLDERS = TYPES | frozenset(("namespace", "module"))


class Names:
    """`children` are the symbols in a scope, `bindings` what its names stand for, `imports` what it imports, each by
    scope and name; `stars` are what is imported without a name. `rules` are those of its language."""

    __slots__ = ("bindings", "children", "imports", "map", "members", "path", "rules", "stars")

    def __init__(self, path: str, found: FileMap, rules: Rules) -> None:
        self.path, self.map, self.rules = path, found, rules
        self.children: dict[Place, list[int]] = {}
        self.members: dict[str, list[int]] = {}  # declared outside of their types, by the type's name
        children, symbols = self.children, found.symbols
        for at, symbol in enumerate(symbols):
            kind, name, _, parent, *_, receiver = symbol
            if receiver:
                self.members.setdefault(receiver.rpartition(".")[2], []).append(at)
                if kind != "function":
                    continue
            elif kind in _MEMBERS and parent != TOP and symbols[parent].kind not in _HOLDERS:
                continue  # a member of something that has no name itself: an object that is written where it is used
            key = (parent, name)
            if key in children:
                children[key].append(at)
            else:
                children[key] = [at]
        self.bindings: dict[Place, list[Binding]] = {}
        bindings = self.bindings
        for binding in found.bindings:
            key = binding[:2]
            if key in bindings:
                bindings[key].append(binding)
            else:
                bindings[key] = [binding]
        self.imports: dict[Place, list[Import]] = {}
        self.stars: list[Import] = []
        for one in found.imports:
            if one.name == "*" and one.local in ("*", ""):
                self.stars.append(one)
            else:
                self.imports.setdefault((one.scope, one.local), []).append(one)

    def type_around(self, scope: int) -> int:
        """The innermost type that a scope is in or is; `TOP` for none."""
        symbols = self.map.symbols
        while scope != TOP and symbols[scope].kind not in TYPES:
            scope = symbols[scope].parent
        return scope

    def stars_at(self, scope: int) -> list[Import]:
        """What is imported without a name and seen in a scope, the innermost first."""
        if len(self.stars) == 1 and self.stars[0].scope == TOP:
            return self.stars
        around = [scope]
        while scope != TOP:
            scope = self.map.symbols[scope].parent
            around.append(scope)
        seen = [star for star in self.stars if star.scope in around]
        return sorted(seen, key=lambda star: around.index(star.scope)) if len(seen) > 1 else seen

    def chosen(self, indexes: list[int]) -> int:
        """Of several definitions of one name, the one that counts: the last that is no mere overload, and rather a
        thing than a type or namespace that only shares its name."""
        if len(indexes) == 1:
            return indexes[0]
        symbols = self.map.symbols
        best, rank = indexes[-1], 3
        for at in reversed(indexes):
            symbol = symbols[at]
            if any(d.rpartition(".")[2] == "overload" for d in symbol.decorators):
                continue
            mere = _MERE.get(symbol.kind, 0)
            if mere < rank:
                best, rank = at, mere
        return best
