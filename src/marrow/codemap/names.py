"""The names of a file, by where they stand: made once from its map, asked for each call in it."""

from __future__ import annotations

from ..model.code import TOP, TYPES, Binding, FileMap, Import

Place = tuple[int, str]


class Names:
    """`children` are the symbols in a scope, `bindings` what its names stand for, `imports` what it imports, each by
    scope and name; `stars` are what is imported without a name."""

    __slots__ = ("bindings", "children", "imports", "map", "members", "path", "stars")

    def __init__(self, path: str, found: FileMap) -> None:
        self.path, self.map = path, found
        self.children: dict[Place, list[int]] = {}
        self.members: dict[str, list[int]] = {}  # declared outside of their types, by the type's name
        for at, symbol in enumerate(found.symbols):
            self.children.setdefault((symbol.parent, symbol.name), []).append(at)
            if symbol.receiver:
                self.members.setdefault(symbol.receiver.rpartition(".")[2], []).append(at)
        self.bindings: dict[Place, list[Binding]] = {}
        for binding in found.bindings:
            self.bindings.setdefault((binding.scope, binding.name), []).append(binding)
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

    def chosen(self, indexes: list[int]) -> int:
        """Of several definitions of one name, the one that counts: the last that is no mere overload."""
        for at in reversed(indexes):
            if not any(d.rpartition(".")[2] == "overload" for d in self.map.symbols[at].decorators):
                return at
        return indexes[-1]
