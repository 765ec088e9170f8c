"""What the code map knows of a file: its symbols, what it imports, what its names stand for, and what it calls.

Every language is read into this one form, so that resolving, drawing and comparing are written once. Tuples with names,
because a large repository has millions of them.

**Chains** say what is called or what a name stands for, without the language's own spelling: parts with dots between
them. A part may be followed by `()` (it is called), `{}` (one of it is made: `new Foo()`, `Foo{…}`) and `[]` (an
element of it: indexed, iterated over). The first part may be `<T>`: some value of the type T. Arguments are left out,
and so is `await`. `self.store.reading().records`, `Foo{}.bar`, `rows[].save`, `<Foo>.bar`, `crate.store.open`. What
cannot be said so begins with `?`.

**Types** are names with dots, with arguments in square brackets: `Foo`, `store.Reader`, `list[Foo]`, `dict[str,Foo]`,
`A|B`. Nothing, null and pointers are left out: `Foo | None`, `*Foo`, `Foo?` are all `Foo`. An array is `list[Foo]`.
"""

from __future__ import annotations

from typing import NamedTuple

# Kinds of symbols.
TYPES = frozenset("class interface struct enum trait protocol record object union type".split())
CALLABLES = frozenset("function method constructor macro".split())
KINDS = (
    TYPES
    | CALLABLES
    | frozenset("module namespace property field constant variable heading table view index trigger".split())
)
TOP = -1  # the scope of a file itself


class Symbol(NamedTuple):
    """A thing that has a name. `parent` is the index of the symbol it stands in, in its file's list, where parents come
    first; `qualified` is its name with those of its parents (`Store.close`), without the file or package. Lines count
    from 1, and `start` is that of the first decorator. `signature` is the head on one line, without the body; `doc` the
    first line of its comment. `hash` is of the body, and does not see comments, the doc comment, or formatting.
    `bases` are the types that it extends or implements, `returns` is the type that calling or reading it gives, as far
    as it is written down. `receiver` is for what is declared outside its type (Go's methods, Rust's impl, C++'s
    `Foo::bar`, extension functions): the type it belongs to."""

    kind: str
    name: str
    qualified: str
    parent: int
    start: int
    end: int
    signature: str = ""
    doc: str = ""
    decorators: tuple[str, ...] = ()
    hash: str = ""
    bases: tuple[str, ...] = ()
    returns: str = ""
    receiver: str = ""


class Import(NamedTuple):
    """`local` stands for `name` of `module`, as the file spells it; without `name` for the module itself; with `*` for
    everything in it (then `local` is `*` too). `exported`: who imports this file can have it from here. `scope` is the
    symbol it stands in."""

    local: str
    module: str
    name: str = ""
    line: int = 0
    exported: bool = False
    scope: int = TOP


class Binding(NamedTuple):
    """What a name stands for in a scope: a parameter or variable in a function, a field in a type, `return` for what a
    function gives back. By its declared type, else by the chain of what it was given. `within` is the scope whose names
    the chain or type uses, where that is another (`self.store = store` binds in the class and speaks of a parameter of
    the method)."""

    scope: int
    name: str
    type: str = ""
    value: str = ""
    within: int | None = None


class Call(NamedTuple):
    """A place where something is called, in `scope` (`TOP` for the file itself). `chain` ends in what is called,
    without its own brackets, except for what is made (`Foo{}`). Line and column (from 0, in bytes) are those of the
    last name. `kind` is `call`, or `type` for the mention of a type."""

    scope: int
    line: int
    column: int
    chain: str
    kind: str = "call"


class FileMap(NamedTuple):
    """A file as the map has it. `package` is what the file says that it belongs to (Java's package, Go's, PHP's and
    C#'s namespace). `errors` counts the places that could not be parsed. A file that is no code has no symbols."""

    language: str
    package: str = ""
    symbols: tuple[Symbol, ...] = ()
    imports: tuple[Import, ...] = ()
    bindings: tuple[Binding, ...] = ()
    calls: tuple[Call, ...] = ()
    errors: int = 0


class Edge(NamedTuple):
    """A call that was resolved: which call of its file (by position in `calls`), to which symbol of which file.
    `reason` is one of `REASONS`, and gives the confidence."""

    call: int
    path: str
    symbol: int
    reason: str
    confidence: float


# How sure a resolution is, by how it was found.
REASONS = {
    "local": 0.99,  # defined in a scope around the call, or in the same file
    "self": 0.98,  # a method of the object at hand
    "super": 0.97,
    "import": 0.98,
    "constructor": 0.98,
    "inherited": 0.95,  # found in a type above
    "typed": 0.95,  # by the declared type of a variable, parameter, field or result
    "inferred": 0.9,  # by what was assigned, returned or iterated over
    "package": 0.95,  # in the same package or namespace, without an import
    "seen": 0.99,  # observed at run time
    "unique": 0.6,  # only one thing in the project has that name
}
