"""What comments say about types in PHP, where the code does not: `@param Foo[] $x`, `@return static`, `@var Foo`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .reading import Reading

TYPE_MAX = 200
TEXT_MAX = 8000

_TAG = re.compile(r"@(?:phpstan-|psalm-)?(param|return|var)\s+(?=[\\?\w$(])")
_NAME = re.compile(r"\s+(?:&|\.\.\.)*\$(\w+)")
_TEMPLATE = re.compile(rb"@(?:phpstan-|psalm-)?template(?:-covariant|-contravariant)?\s+(\w+)")
_WORDS = re.compile(r"\w+")
# What these hold is only said in comments.
HOLDERS = frozenset(("", "array", "iterable", "Traversable", "Iterator", "Generator", "IteratorAggregate"))


class Said(NamedTuple):
    parameters: dict[str, str]
    returns: str = ""
    type: str = ""  # of a property, or of the variable `name`
    name: str = ""


NOTHING = Said({})


class Docs:
    """The comments of a file. Names of templates stand for any type, and are none."""

    def __init__(self, reading: Reading, spelt: Callable[[str], str]) -> None:
        self._source, self._spelt = reading.source, spelt
        self._begins = {end: begin for begin, end in reading.comments}
        self._templates = {found[1].decode() for found in _TEMPLATE.finditer(reading.source)}

    def before(self, first: int) -> Said:
        """What is said right before a place."""
        space = self._source[max(0, first - TYPE_MAX) : first]
        end = first - len(space) + len(space.rstrip())
        begin = self._begins.get(end)
        return self.said(begin, end) if begin is not None else NOTHING

    def said(self, begin: int, end: int) -> Said:
        if self._source[begin : begin + 3] != b"/**" or b"@" not in self._source[begin:end]:
            return NOTHING
        text = self._source[begin : min(end, begin + TEXT_MAX)].decode("utf-8", "replace").removesuffix("*/")
        parameters: dict[str, str] = {}
        returns = type_ = name = ""
        for found in _TAG.finditer(text):
            stop = _end_of_type(text, found.end())
            spelt = self._type(text[found.end() : stop])
            named = _NAME.match(text, stop)
            if not spelt:
                continue
            if found[1] == "param" and named is not None:
                parameters.setdefault(named[1], spelt)
            elif found[1] == "return":
                returns = returns or spelt
            elif found[1] == "var":
                type_, name = spelt, named[1] if named is not None else ""
        return Said(parameters, returns, type_, name)

    def _type(self, written: str) -> str:
        if "(" in written or "{" in written:
            return ""
        spelt = self._spelt(written.replace("<", "[").replace(">", "]"))
        return "" if self._templates and self._templates.intersection(_WORDS.findall(spelt)) else spelt


def _end_of_type(text: str, begin: int) -> int:
    depth = 0
    for at in range(begin, min(len(text), begin + TYPE_MAX)):
        letter = text[at]
        depth += (letter in "<({[") - (letter in ">)}]")
        if letter.isspace() and not depth:
            return at
    return min(len(text), begin + TYPE_MAX)
