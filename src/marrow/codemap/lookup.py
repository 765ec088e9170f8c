"""What a resolver looks up for each file: its names, its language's rules, what its imports mean. Kept once found."""

from __future__ import annotations

from collections.abc import Callable, Collection

from ..model.code import TOP, Symbol
from .facts import Facts, Ref
from .language import Finder
from .languages.table import language
from .names import Names
from .values import OUTSIDE, Value


class Lookup:
    """The maps of a project as a resolver sees them. Made anew when files have changed."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._names: dict[str, Names | None] = {}
        self._finders: dict[str, Finder] = {}
        self._shared: dict[str, dict[str, int]] = {}
        self._alike: dict[tuple[str, ...], dict[str, int]] = {}

    def names(self, path: str) -> Names | None:
        known = self._names.get(path)
        if known is None and path not in self._names:
            found = self._facts.file(path)
            known = Names(path, found, language(found.language).rules) if found is not None else None
            self._names[path] = known
        return known

    def _symbol(self, ref: Ref) -> Symbol:
        names = self.names(ref[0])
        assert names is not None
        return names.map.symbols[ref[1]]

    def _finder(self, names: Names) -> Finder:
        name = names.map.language
        if name not in self._finders:
            self._finders[name] = language(name).rules.finder(self._facts)
        return self._finders[name]

    def _shares(self, names: Names) -> dict[str, int]:
        """The files whose top-level names a file sees, with their places in the order of preference; itself may be
        among them. Kept once for all that see the same: where each of many sees all, that would be their square."""
        if names.path not in self._shared:
            shares: Callable[..., Collection[str]] = names.rules.shares
            found = tuple(dict.fromkeys(shares(self._facts, names.path)))
            if found not in self._alike:
                self._alike[found] = {path: at for at, path in enumerate(found)}
            self._shared[names.path] = self._alike[found]
        return self._shared[names.path]

    def _shared_symbol(self, names: Names, name: str) -> Ref | None:
        """A top-level name of the files that a file sees without importing them."""
        shares = self._shares(names)
        if not shares:
            return None
        paths = {path for path, _ in self._facts.defined(name, "") if path in shares and path != names.path}
        for path in sorted(paths, key=shares.__getitem__):
            other = self.names(path)
            indexes = other.children.get((TOP, name)) if other is not None else None
            if other is not None and indexes:
                return path, other.chosen(indexes)
        return None

    def _beside(self, names: Names, owner: Symbol, name: str) -> Ref | None:
        """A member that is declared outside of its type: in the same file, else in the same package or project."""
        for at in names.members.get(owner.name, ()):
            if names.map.symbols[at].name == name:
                return names.path, at
        reach = names.rules.members_beside
        folder = names.path.rpartition("/")[0]
        elsewhere: list[Ref] = []
        for path, at in self._facts.defined(name, owner.name) if reach else ():
            if reach == "folder" and path.rpartition("/")[0] != folder:
                continue
            other = self._facts.file(path)
            if other is None or other.language != names.map.language:
                continue
            receiver = other.symbols[at].receiver
            if receiver and receiver.rpartition(".")[2] == owner.name:
                if path.rpartition("/")[0] == folder:
                    return path, at
                elsewhere.append((path, at))
        # Several in one file are overloads.
        return elsewhere[-1] if len({path for path, _ in elsewhere}) == 1 else None

    def _child(self, value: Value, name: str, depth: int) -> Value | None:
        """What a namespace has: its own, and what the same namespace has in other places."""
        symbol = self._symbol(value.ref)
        names = self.names(value.path)
        indexes = names.children.get((value.at, name)) if names is not None else None
        if names is not None and indexes:
            return Value("symbol", value.reason, value.path, names.chosen(indexes))
        for path, at in self._facts.defined(name, symbol.name):
            other = self.names(path)
            if other is None:
                continue
            parent = other.map.symbols[at].parent
            if parent != TOP and other.map.symbols[parent].qualified == symbol.qualified:
                return Value("symbol", value.reason, path, at)
        return OUTSIDE
