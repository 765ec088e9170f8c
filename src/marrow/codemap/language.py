"""What the map needs to know about a language: how its text is read, and how its names are found."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ..model.code import FileMap

if TYPE_CHECKING:
    from tree_sitter import Node


class Project(Protocol):
    """The files of a project, for finding what an import means. Paths are from its root, with forward slashes."""

    def has(self, path: str) -> bool: ...

    def in_folder(self, folder: str) -> Collection[str]:
        """The mapped files that lie in a folder itself; "" is the root."""

    def in_package(self, language: str, package: str) -> Collection[str]:
        """The mapped files that say that they belong to a package."""

    def named(self, file_name: str) -> Collection[str]:
        """The files of this name, mapped or not (manifests: go.mod, package.json, tsconfig.json, Cargo.toml…)."""

    def text(self, path: str) -> str:
        """What stands in a file; "" for one that cannot be read. Slow: for manifests, once."""

    def package(self, path: str) -> str:
        """The package that a mapped file says it belongs to."""


# From the path of a file and a module as it is spelt there, to the files that may be meant, the likeliest first.
Finder = Callable[[str, str], Collection[str]]


def finds_nothing(path: str, module: str) -> Collection[str]:
    return ()


class Rules(NamedTuple):
    """How names are found. `selves` and `supers` are words for the object at hand and for it as one of its bases.
    `made_by_call`: `Foo()` makes a Foo. `implicit_self`: a bare name may be a member of the type around it.
    `methods_apart`: methods have names of their own (`classes.py`).
    `wrappers` are generic types that stand for what they hold (`Optional[Foo]`,
    `Promise[Foo]`, `Box[Foo]`). `common` are names of methods that so many types have that being the only one in a
    project says nothing. `members_beside` is where members stand that are declared outside of their types: anywhere
    in the `project`, in the same `folder`, or nowhere (""). `paths`: names are paths (`paths.py`). With either,
    `passing` are methods that give back what they are called on, for containers and locks of the language itself,
    and `giving` those that give what it holds. `reopened`: a type may be declared in several places; `everywhere`:
    top-level names are seen in all files; `bare_calls`: a method is called without brackets too (`open_types.py`).
    `by_arity`: types that differ in how many arguments they take are others (`Task` and `Task<T>`).
    `finder` makes, for a project, what finds the files of an import;
    `shares` what finds the files whose top-level names a file sees without importing them."""

    selves: frozenset[str] = frozenset()
    supers: frozenset[str] = frozenset()
    made_by_call: bool = False
    implicit_self: bool = False
    methods_apart: bool = False
    wrappers: frozenset[str] = frozenset()
    common: frozenset[str] = frozenset()
    members_beside: str = "project"
    paths: bool = False
    passing: frozenset[str] = frozenset()
    giving: frozenset[str] = frozenset()
    globals: frozenset[str] = frozenset()
    reopened: bool = False
    everywhere: bool = False
    bare_calls: bool = False
    by_arity: bool = False
    finder: Callable[[Project], Finder] = lambda project: finds_nothing
    shares: Callable[[Project, str], Collection[str]] = lambda project, path: ()


class Language(NamedTuple):
    """`grammar` gives tree-sitter's grammar for it, loaded when asked. `read` turns a parsed text into a map; it gets
    the root, the bytes and the path. `meant` may name another language that a file is in by what stands in it."""

    name: str
    suffixes: tuple[str, ...]
    grammar: Callable[[], object]
    read: Callable[[Node, bytes, str], FileMap]
    rules: Rules = Rules()
    meant: Callable[[str, bytes], str] = lambda path, source: ""
