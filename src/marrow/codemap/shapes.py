"""Whether one method can stand where another is demanded, by their heads: for languages in which a type has an
interface's methods without naming the interface."""

from __future__ import annotations

import re

from .languages.go_types import declared, pieces

CUT_OFF = "…"
_RECEIVER = re.compile(r"\Afunc\s*\([^)]*\)\s*")
_QUALIFIER = re.compile(r"\b\w+\.(?=\w)")
# The name of a type parameter: it may be anything.
_PARAMETER = re.compile(r"[A-Z]\d?\Z")
_ANYTHING = frozenset(("any", "interface"))
_DEFAULT = re.compile(r"(?<![=!<>])=(?!=)")

Shape = tuple[tuple[str, ...], tuple[str, ...]]


def fits(language: str, demanded: str, given: str) -> bool:
    """By the heads of both. What was cut off counts as fitting: it is not known."""
    if CUT_OFF in (demanded[-1:], given[-1:]):
        return True
    return _accepts(demanded, given) if language == "python" else _same(_shape(demanded), _shape(given))


def _same(one: Shape, other: Shape) -> bool:
    """Package names are not compared: a file may import a package by any name, and names its own types without one."""
    if (len(one[0]), len(one[1])) != (len(other[0]), len(other[1])):
        return False
    return all(
        a == b or not a or not b or (a in _ANYTHING and b in _ANYTHING) or _PARAMETER.match(a) is not None
        for a, b in zip((*one[0], *one[1]), (*other[0], *other[1]), strict=True)
    )


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


def _types(listed: str) -> tuple[str, ...]:
    """`a, b int` are two of a type, `int, string` are two types."""
    parts = [declared(part) for part in pieces(listed) if part.strip()]
    named = any(names for names, _ in parts)
    found: list[str] = []
    last = ""
    for names, type_ in reversed(parts):
        last = type_ if names or not named else last
        found.append(_QUALIFIER.sub("", last))
    return tuple(reversed(found))


def _closing(text: str, at: int) -> int:
    depth = 0
    for here in range(at, len(text)):
        depth += (text[here] in "([{") - (text[here] in ")]}")
        if not depth:
            return here
    return len(text)


def _accepts(demanded: str, given: str) -> bool:
    """A method of Python takes what is demanded: as many, or all by their names, and needs nothing else."""
    wanted, own = _parameters(demanded), _parameters(given)
    needed = [name for name, has_default in own.items() if not has_default and not name.startswith("*")]
    plain = [name for name in wanted if not name.startswith("*")]
    if any(name.startswith("*") for name in own):
        return len(needed) <= len(plain)
    return len(own) == len(wanted) or (set(plain) <= own.keys() and set(needed) <= set(plain))


def _parameters(head: str) -> dict[str, bool]:
    """The names of the parameters after the first (the object itself), and whether each has a default."""
    begin = head.find("(")
    if begin < 0:
        return {}
    listed = [part.strip() for part in pieces(head[begin + 1 : _closing(head, begin)])]
    found = {part.partition(":")[0].partition("=")[0].strip(): bool(_DEFAULT.search(part)) for part in listed[1:]}
    return {name: has_default for name, has_default in found.items() if name not in ("", "*", "/")}
