"""What parts of a chain stand for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..model.code import CALLABLES, REASONS, TOP, TYPES
from .facts import Ref

# Symbols that stand for themselves, whatever else is said about their names.
SAYS_ITSELF = CALLABLES | TYPES | frozenset(("namespace", "module"))
NAMES_TYPE = TYPES | frozenset(("namespace", "module"))


class Value(NamedTuple):
    """What a chain stands for. `kind`: `module` (its files, in `files`, or its name where it has none of its own),
    `symbol` (the thing itself), `instance` (some value of the type), `outside` (nothing of this project). `arguments`
    are those of a generic type, as written in the file `name` at `scope`. `reason` is how it was found."""

    kind: str
    reason: str
    path: str = ""
    at: int = TOP
    files: tuple[str, ...] = ()
    name: str = ""
    arguments: tuple[str, ...] = ()
    scope: int = TOP

    @property
    def ref(self) -> Ref:
        return self.path, self.at


OUTSIDE = Value("outside", "import")


def instance(value: Value) -> Value:
    reason = "inferred" if value.reason in ("local", "import", "package", "constructor", "self") else value.reason
    return value._replace(kind="instance", reason=reason)


def weaker(one: str, other: str) -> str:
    return one if REASONS.get(one, 1) <= REASONS.get(other, 1) else other


def generic(text: str) -> tuple[str, tuple[str, ...]]:
    """The name of a type and its arguments."""
    head, bracket, rest = text.partition("[")
    if not bracket:
        return text, ()
    return head, tuple(split(rest.removesuffix("]"), ","))


def split(text: str, mark: str) -> Iterator[str]:
    """What stands between marks outside of brackets."""
    if mark not in text:
        yield text
        return
    depth, begin = 0, 0
    for at, letter in enumerate(text):
        depth += (letter == "[") - (letter == "]")
        if letter == mark and not depth:
            yield text[begin:at]
            begin = at + 1
    yield text[begin:]
