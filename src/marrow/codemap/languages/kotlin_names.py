"""Names of Kotlin that stand for something else than where they are first looked for: imports that reach into classes,
extensions of types that are not of the project, overloads, and functions that only old callers from Java still see."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from ...model.code import CALLABLES, TOP, Binding, Import, Symbol
from .reading import Reading

_CALLED = re.compile(r"\.(\w+)(\(\))?(?=[.\[]|$)")
_FORBIDDEN = re.compile(r"Deprecated\b.*\bERROR\b", re.S)
_CONVERTS = re.compile(r"(?:to|as)[A-Z]\w*\Z")
_TYPE = re.compile(r"(?:^|\.)(?:super|[A-Z]\w*[a-z]\w*)\Z")  # what belongs to a type is no extension
_OUTSIDE = ("java.", "javax.", "kotlin.", "kotlinx.", "android.")
_BUILT_IN = frozenset(
    "Any Array Boolean Byte ByteArray Char CharArray CharSequence Collection Double Float Int IntArray "
    "Iterable Iterator List Long Map MutableList MutableMap MutableSet Pair Sequence Set Short String "
    "StringBuilder Throwable".split()
)
_EXTENDS = re.compile(r"[^=]*?\bfun\s[^(=]*?[\w>?]\.\w")
_FIELDS = ("property", "constant")


def reached_into(module: str, name: str) -> tuple[str, str, tuple[str, ...]]:
    """Of `import a.b.Foo.Companion.bar`: the package, the class, and what may be meant in it. No class where a package
    is imported from: packages are written in small letters."""
    words = module.split(".")
    at = next((at for at, word in enumerate(words) if word[:1].isupper()), len(words))
    if at == len(words) or not at:
        return module, "", ()
    within = ".".join(words[at:])
    chains = dict.fromkeys(
        (f"{within.removesuffix('.Companion')}.{name}", f"{within}.{name}", f"{within}.Companion.{name}")
    )
    return ".".join(words[:at]), words[at], tuple(chains)


def known_extensions(symbols: Iterable[Symbol], imports: Iterable[Import], reached: Collection[str]) -> set[str]:
    """Names that mean what this file imports or declares, whatever they are called on: of what they extend it is known
    that it is not of the project, or they turn one thing into another (`toRow`)."""
    outside = {one.local for one in imports if one.module.startswith(_OUTSIDE)} | _BUILT_IN
    extended: dict[str, set[str]] = {}
    for one in symbols:
        if one.kind in CALLABLES:
            extended.setdefault(one.name, set()).add(one.receiver if one.parent == TOP else "")
    own = {name for name, of in extended.items() if of <= outside}
    imported = {one.local for one in imports if _CONVERTS.match(one.local)}
    return own | {name for name in (*imported, *reached) if name[:1].islower() and name not in extended}


def from_extension(chain: str, extensions: Collection[str], called: bool) -> str:
    """What an extension is called on says nothing where its name says all."""
    if "." not in chain:
        return chain
    for found in reversed(list(_CALLED.finditer(chain))):
        is_called = found[2] or (called and found.end() == len(chain))
        if is_called and found[1] in extensions and not _TYPE.search(chain[: found.start()]):
            return chain[found.start() + 1 :]
    return chain


def with_results_of_namesakes(reading: Reading, given: Iterable[tuple[int, str]]) -> None:
    """`fun url(text: String) = url(parse(text))` gives what its overloads say that they give."""
    found = list(reading.symbols)
    itself = {one.scope for one in reading.bindings if one.name == "return" and one.value == "this"}
    for at, chain in given:
        if at == TOP or chain.removeprefix("this.") != f"{found[at].name}()":
            continue
        one = found[at]
        alike = [
            (place, other)
            for place, other in enumerate(found)
            if other.name == one.name and (other.parent, other.receiver) == (one.parent, one.receiver)
        ]
        returns = next((other.returns for _, other in alike if other.kind in CALLABLES and other.returns), "")
        if returns:
            found[at] = one._replace(returns=returns)
        elif any(place in itself for place, _ in alike):
            reading.bindings.append(Binding(at, "return", "", "this"))
    reading.symbols = tuple(found)


def without_hiding(symbols: tuple[Symbol, ...], common: Collection[str]) -> tuple[Symbol, ...]:
    """A function that Kotlin must not call any more does not hide the property that took its place; an extension in an
    object is a name in it too; and one with a name that so many types have is a member, and no name of the package."""
    fields = {(one.parent, one.name) for one in symbols if one.kind in _FIELDS}
    found = list(symbols)
    for at, one in enumerate(symbols):
        if one.kind not in CALLABLES:
            continue
        if one.parent == TOP:
            if one.receiver and one.name in common:
                found[at] = one._replace(kind="method")
        elif symbols[one.parent].kind == "object" and one.receiver and _EXTENDS.match(one.signature):
            found[at] = one._replace(kind="function")
        elif (one.parent, one.name) in fields and any(_FORBIDDEN.match(text) for text in one.decorators):
            found[at] = one._replace(receiver=symbols[one.parent].name)
    return tuple(found)


def named_after(one: Binding, symbols: tuple[Symbol, ...]) -> Binding:
    """`val module = module()`: variables and functions have names of their own."""
    is_own = one.scope != TOP and one.within is None and one.value.startswith(f"{one.name}(")
    return one._replace(within=symbols[one.scope].parent) if is_own else one
