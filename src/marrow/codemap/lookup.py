"""What a resolver looks up for each file: its names, its language's rules, what its imports mean. Kept once found."""

from __future__ import annotations

from collections.abc import Callable, Collection

from ..model.code import Symbol
from .facts import Facts, Ref
from .language import Finder, Rules
from .languages.table import language
from .names import Names


class Lookup:
    """The maps of a project as a resolver sees them. Made anew when files have changed."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._names: dict[str, Names | None] = {}
        self._finders: dict[str, Finder] = {}
        self._shared: dict[str, tuple[str, ...]] = {}

    def names(self, path: str) -> Names | None:
        if path not in self._names:
            found = self._facts.file(path)
            self._names[path] = Names(path, found) if found is not None else None
        return self._names[path]

    def _symbol(self, ref: Ref) -> Symbol:
        names = self.names(ref[0])
        assert names is not None
        return names.map.symbols[ref[1]]

    def _rules(self, names: Names) -> Rules:
        return language(names.map.language).rules

    def _finder(self, names: Names) -> Finder:
        name = names.map.language
        if name not in self._finders:
            self._finders[name] = language(name).rules.finder(self._facts)
        return self._finders[name]

    def _shares(self, names: Names) -> tuple[str, ...]:
        if names.path not in self._shared:
            shares: Callable[..., Collection[str]] = self._rules(names).shares
            self._shared[names.path] = tuple(p for p in shares(self._facts, names.path) if p != names.path)
        return self._shared[names.path]
