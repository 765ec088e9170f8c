"""Interfaces: which methods a method may be called through though its type names no base that has them. Go's
interfaces and Python's protocols are fulfilled by having the methods, and Rust says it where they are implemented.
Looked for when it is asked for, and only among the project's own interfaces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...codemap.languages.table import language as language_named
from ...codemap.shapes import fits
from ...model.code import CALLABLES, TYPES, Symbol
from ...store.code import Known, MapReader
from ...store.code.states import KEPT, MAPPED
from .type_relations import implementors, members

GO, PYTHON, RUST = "go", "python", "rust"
PROTOCOL = "Protocol"
CONSTRUCTOR = "constructor"
# An interface of none but common methods (Close, String) says something only where few types have them.
COMMON_MAX = 8
# So many methods of a name are looked through for those that fulfil an interface.
BELOW_MAX = 300

Methods = Mapping[str, Known]


class Interfaces:
    """Of one view of a map. Keeps what it has found."""

    def __init__(self, reader: MapReader) -> None:
        self.reader = reader
        self._above: dict[int, list[Known]] = {}
        self._demands: dict[int, Methods] = {}
        self._methods: dict[int, Methods] = {}
        self._of_folder: dict[str, dict[str, dict[str, Known]]] = {}
        self._symbols: dict[int, tuple[Symbol, ...]] = {}
        self._bare: dict[int, tuple[Symbol, ...]] = {}
        self._languages: dict[int, str] = {}
        self._telling: dict[int, bool] = {}

    def above(self, method: Known) -> list[Known]:
        """The methods of interfaces through which a method may be called."""
        if method.id not in self._above:
            self._above[method.id] = list(self._found_above(method))
        return self._above[method.id]

    def below(self, demanded: Known) -> list[Known]:
        """The methods that may be called where an interface's method is."""
        if not self._is_demanded(demanded, self._language(demanded)):
            return []
        same = self.reader.symbols_named(demanded.name, BELOW_MAX)
        return [one for one in same if one.id != demanded.id and demanded in self.above(one)]

    def files(self, method: Known) -> set[int]:
        """The files that have to be resolved so that it is known what a method's type and the interfaces with a method
        of its name consist of."""
        language = self._language(method)
        if language not in (GO, PYTHON) or method.kind not in CALLABLES:
            return set()
        found = {one.id >> 20 for one in self._demanded(method, language)}
        if found and language == GO:
            found |= set(self._files_beside(method.path))
        return found

    def _found_above(self, method: Known) -> Iterator[Known]:
        language = self._language(method)
        if method.kind not in CALLABLES or method.kind == CONSTRUCTOR or not method.within:
            return
        if language == RUST:
            yield from self._of_traits(method)
        elif language in (GO, PYTHON):
            demanded = self._demanded(method, language)
            types = self._types_with(method, language) if demanded else []
            for one in demanded:
                if any(self._fulfils(type_, one, language) for type_ in types):
                    yield one

    def _demanded(self, method: Known, language: str) -> list[Known]:
        """The interfaces' methods of a method's name."""
        if self._is_demanded(method, language):
            return []
        return [one for one in self.reader.symbols_named(method.name) if self._is_demanded(one, language)]

    def _is_demanded(self, method: Known, language: str) -> bool:
        if method.parent is None or method.kind not in CALLABLES or self._language(method) != language:
            return False
        owner = self.reader.symbol(method.parent)
        if owner is None:
            return False
        if language == PYTHON:
            return PROTOCOL in self._bases(owner)
        return owner.kind == ("trait" if language == RUST else "interface")

    def _of_traits(self, method: Known) -> list[Known]:
        """Those of the trait that the block around a method implements; of several of that name the nearest."""
        traits = self._bases(method)
        if not traits:
            return []
        found = [
            one
            for one in self.reader.symbols_named(method.name)
            if one.within.rpartition(".")[2] in traits and self._is_demanded(one, RUST)
        ]
        nearest = max((_together(one.path, method.path) for one in found), default=0)
        return [one for one in found if _together(one.path, method.path) == nearest]

    def _types_with(self, method: Known, language: str) -> list[Known]:
        """The types that have a method: its own, and those that embed or extend that one and have no other."""
        if language == PYTHON:
            owner = self.reader.symbol(method.parent) if method.parent is not None else None
            own = [owner] if owner is not None else []
        else:
            folder = _folder(method.path)
            named = self.reader.symbols_named(method.within)
            own = [one for one in named if one.kind in TYPES and not one.within and _folder(one.path) == folder]
        types = [one for owner in own for one in (owner, *implementors(self.reader, owner)) if one.kind in TYPES]
        return [one for one in types if self._methods_of(one, language).get(method.name, method).id == method.id]

    def _fulfils(self, type_: Known, demanded: Known, language: str) -> bool:
        assert demanded.parent is not None
        if demanded.parent == type_.id or type_.kind == "interface":
            return False
        wanted = self._demands_of(demanded.parent)
        has = self._methods_of(type_, language)
        if not wanted.keys() <= has.keys() or not self._says_something(demanded.parent, wanted, language):
            return False
        for name, one in wanted.items():
            if language == GO and not name[:1].isupper() and _folder(one.path) != _folder(type_.path):
                return False  # what is not exported is only had within the package
            if not fits(language, self._symbol(one).signature, self._symbol(has[name]).signature):
                return False
        return True

    def _says_something(self, interface: int, wanted: Methods, language: str) -> bool:
        """Whether having these methods tells a type from most others."""
        if interface not in self._telling:
            common = language_named(language).rules.common
            plain = [name for name in wanted if name in common or name.startswith("__")]
            self._telling[interface] = len(plain) < len(wanted) or any(
                len(self.reader.symbols_named(name, 10 * COMMON_MAX)) <= COMMON_MAX for name in plain
            )
        return self._telling[interface]

    def _demands_of(self, interface: int) -> Methods:
        """What an interface demands, with what it has from others."""
        if interface not in self._demands:
            found: dict[str, Known] = {}
            self._demands[interface] = found
            known = self.reader.symbol(interface)
            for one in members(self.reader, known) if known is not None else ():
                if one.kind in CALLABLES and one.kind != CONSTRUCTOR:
                    found[one.name] = one
            for up in self.reader.above(interface):
                for name, one in self._demands_of(up).items():
                    found.setdefault(name, one)
        return self._demands[interface]

    def _methods_of(self, type_: Known, language: str) -> Methods:
        """What a type has, with what it has from those that it embeds or extends."""
        if type_.id not in self._methods:
            found: dict[str, Known] = {}
            self._methods[type_.id] = found
            if language == GO and type_.kind != "interface":
                found.update(self._in_folder(_folder(type_.path)).get(type_.name, {}))
            else:
                found.update({one.name: one for one in members(self.reader, type_) if one.kind in CALLABLES})
            for up in self.reader.above(type_.id):
                known = self.reader.symbol(up)
                for name, one in self._methods_of(known, language).items() if known is not None else ():
                    found.setdefault(name, one)
        return self._methods[type_.id]

    def _in_folder(self, folder: str) -> dict[str, dict[str, Known]]:
        """The methods of Go's types in a package, by the type's name."""
        if folder not in self._of_folder:
            found: dict[str, dict[str, Known]] = {}
            for file in self._files_beside(f"{folder}/" if folder else ""):
                for one in self.reader.symbols_of(file):
                    if one.kind == "method" and one.parent is None and one.within:
                        found.setdefault(one.within, {})[one.name] = one
            self._of_folder[folder] = found
        return self._of_folder[folder]

    def _files_beside(self, path: str) -> list[int]:
        folder = _folder(path)
        rows = self.reader.files_below(folder)
        return [
            row.id for row in rows if row.language == GO and row.state in (MAPPED, KEPT) and _folder(row.path) == folder
        ]

    def _bases(self, known: Known) -> set[str]:
        """The last names of what a type extends or a block implements. (Read without heads, which is quicker.)"""
        file = known.id >> 20
        if file not in self._bare:
            outline = self.reader.outline(file, bare=True)
            self._bare[file] = outline[0].symbols if outline is not None else ()
        return {base.partition("[")[0].rpartition(".")[2] for base in self._bare[file][known.at].bases}

    def _symbol(self, known: Known) -> Symbol:
        file = known.id >> 20
        if file not in self._symbols:
            outline = self.reader.outline(file)
            assert outline is not None
            self._symbols[file] = outline[0].symbols
        return self._symbols[file][known.at]

    def _language(self, known: Known) -> str:
        file = known.id >> 20
        if file not in self._languages:
            row = self.reader.file(file)
            self._languages[file] = row.language if row is not None else ""
        return self._languages[file]


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _together(one: str, other: str) -> int:
    """How many folders two paths share; a file with itself one more."""
    a, b = one.split("/"), other.split("/")
    return next((at for at, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
