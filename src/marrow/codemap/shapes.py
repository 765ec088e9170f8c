"""Whether one method can stand where another is demanded, by their heads: for languages in which a type has an
interface's methods without naming the interface."""

from __future__ import annotations

import re
from typing import NamedTuple

from .languages.go_types import declared, pieces

CUT_OFF = "…"
_RECEIVER = re.compile(r"\Afunc\s*\([^)]*\)\s*")
_QUALIFIER = re.compile(r"\b\w+\.(?=\w)")
# The name of a type parameter: it may be anything.
_PARAMETER = re.compile(r"[A-Z]\d?\Z")
_ANYTHING = re.compile(r"\binterface\b")  # older code says so for `any`
_DEFAULT = re.compile(r"(?<![=!<>])=(?!=)")

# What makes another type of one, and is no part of its name: pointers, `...`, arrays, the ways of channels.
_MARKS = re.compile(r"\.\.\.|\*|<-\s*chan|chan\s*<-|\[\]|(?<![\w\]])\[\w+\]")
_HAS_OWN = re.compile(r"\b(?:func|struct|interface)\b")

# The types of what a method takes, and of what it gives: each with its marks.
Type = tuple[str, str]
Shape = tuple[tuple[Type, ...], tuple[Type, ...]]


def fits(language: str, demanded: str, given: str) -> bool:
    """By the heads of both. What was cut off counts as fitting: it is not known."""
    if CUT_OFF in (demanded[-1:], given[-1:]):
        return True
    return _accepts(demanded, given) if language == "python" else _same(_shape(demanded), _shape(given))


def _same(one: Shape, other: Shape) -> bool:
    """Package names are not compared: a file may import a package by any name, and names its own types without one."""
    if (len(one[0]), len(one[1])) != (len(other[0]), len(other[1])):
        return False
    return all(_is_same(a, b) for a, b in zip((*one[0], *one[1]), (*other[0], *other[1]), strict=True))


def _is_same(one: Type, other: Type) -> bool:
    if not one[0] or not other[0] or _PARAMETER.match(one[0]) is not None:
        return True
    return one == other


def _shape(head: str) -> Shape:
    """The types of what a method of Go takes and gives."""
    text = _RECEIVER.sub("", head, count=1)
    begin = text.find("(")
    if begin < 0:
        return (), ()
    end = _closing(text, begin)
    results = text[end + 1 :].strip()
    if results.startswith("("):
        results = results[1 : _closing(results, 0)]
    return _types(text[begin + 1 : end]), _types(results)


def _types(listed: str) -> tuple[Type, ...]:
    """`a, b int` are two of a type, `int, string` are two types."""
    parts = [(part.strip(), *declared(part)) for part in pieces(listed) if part.strip()]
    named = any(names for _, names, _ in parts)
    found: list[Type] = []
    last = ("", "")
    for part, names, type_ in reversed(parts):
        if names or not named:
            last = _ANYTHING.sub("any", _QUALIFIER.sub("", type_)), _marks(part[len(names[-1]) :] if names else part)
        found.append(last)
    return tuple(reversed(found))


def _marks(type_: str) -> str:
    """Of what a function takes or a struct has nothing: that is not compared."""
    marks = _MARKS.findall(_HAS_OWN.split(type_)[0])
    return "".join("[n]" if mark[0] == "[" and mark != "[]" else "".join(mark.split()) for mark in marks)


def _closing(text: str, at: int) -> int:
    depth = 0
    for here in range(at, len(text)):
        depth += (text[here] in "([{") - (text[here] in ")]}")
        if not depth:
            return here
    return len(text)


class _Taken(NamedTuple):
    """What a method of Python takes after the object itself: by place and by name alone, each with whether it has a
    default; and whether it takes any more of either."""

    placed: dict[str, bool]
    named: dict[str, bool]
    any_placed: bool
    any_named: bool


def _accepts(demanded: str, given: str) -> bool:
    """A method of Python takes what is demanded, by place or by name as it is given, and needs nothing else. One that
    demands `*args, **kwargs` leaves it to each what it takes, as type checkers read that."""
    wanted, own = _taken(demanded), _taken(given)
    if wanted.any_placed and wanted.any_named:
        return True
    if len(own.placed) < len(wanted.placed) and not own.any_placed:
        return False
    further = {**dict(list(own.placed.items())[len(wanted.placed) :]), **own.named}
    if any(not has_default and name not in wanted.named for name, has_default in further.items()):
        return False
    return own.any_named or wanted.named.keys() <= further.keys()


def _taken(head: str) -> _Taken:
    begin = head.find("(")
    placed, named = dict[str, bool](), dict[str, bool]()
    any_placed = any_named = only_named = False
    for part in list(pieces(head[begin + 1 : _closing(head, begin)]))[1:] if begin >= 0 else ():
        name = part.partition(":")[0].partition("=")[0].strip()
        if name.startswith("**"):
            any_named = True
        elif name.startswith("*"):
            only_named, any_placed = True, any_placed or name != "*"
        elif name not in ("", "/"):
            (named if only_named else placed)[name] = _DEFAULT.search(part) is not None
    return _Taken(placed, named, any_placed, any_named)
