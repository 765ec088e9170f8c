"""Whether regular expressions end in time, whatever the text. Those of a repository run on its own texts, in the
process that serves everyone: one that goes back and forth over a line of its README would stop all, for hours.

What is counted is how many steps a pattern may take from one place of a text: those of each part, as often as there are
ways to match what stands before it. A repeat without an end is as long as the text, from each place anew, though it may
never go back (`a++b`); only as the last part it cannot fail, and takes what it has read.
"""

from __future__ import annotations

import re
from importlib import import_module

from marrow.model.errors import Invalid

TYPE_CHECKING = False  # the settings are read at every start
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

# A step takes up to twelve nanoseconds: some 0.6 seconds for the slowest pattern and 200 KB.
STEPS_MAX, ALL_STEPS_MAX = 250, 1_000
# Where a repeat has no end it gets the first of these with which its pattern is quick.
ENDS = (200, 100, 50, 25, 10)
_ENDLESS, _OPEN = 10**9, 10**6
_HINT = "In a repository's file every repeat has an end, as {1,40} has; only the last one of a pattern may be open."
# What stands for itself, beginnings of groups, repeats with an end; and repeats without one, with how they go on.
_KEPT = r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?#[^)]*\)|\(\?|(?:\?|\{\d*,?\d+\})[+?]?"
_REPEATS = rf"(?s)({_KEPT})|(?:([*+])|\{{(\d*),\}})([+?]?)"


def check_quick(patterns: Sequence[object], name: str, where: str) -> None:
    """Raise Invalid for the first pattern that takes too many steps, or with which all of them together do."""
    left = ALL_STEPS_MAX
    for pattern in patterns:
        steps = _steps(str(pattern))
        left -= steps
        if steps > STEPS_MAX or left < 0:
            message = f"{name} in {where} has a pattern that a text could keep busy for ever: {str(pattern)[:60]!r}."
            raise Invalid(message, hint=_HINT, field=name)


def made_quick(patterns: Sequence[str], name: str, left_out: list[str]) -> tuple[str, ...]:
    """The patterns, with an end for the repeats that have none. Those of which no quick one can be made are not among
    them: `left_out` gets a sentence about each."""
    quick, left = [], ALL_STEPS_MAX
    for pattern in patterns:
        for form in (pattern, *(_ended(pattern, end, but_last=last) for end in ENDS for last in (True, False))):
            if (steps := _steps(form)) <= min(STEPS_MAX, left):
                left -= steps
                quick.append(form)
                break
        else:
            left_out.append(f"{name} is without {pattern[:60]!r}: a text could keep it busy for ever.")
    return tuple(quick)


def _ended(pattern: str, end: int, *, but_last: bool) -> str:
    def with_end(found: re.Match[str]) -> str:
        kept, sign, least, how = found.groups()
        if kept is not None or (but_last and not pattern[found.end() :].strip(")")):
            return found[0]
        first = int(least or 0) if sign is None else int(sign == "+")
        return f"{{{first},{max(first, end)}}}{how}"

    return re.sub(_REPEATS, with_end, pattern)


def _steps(pattern: str) -> int:
    try:
        parts = import_module("re._parser").parse(pattern)
    except (re.error, OverflowError, RecursionError):  # of the form that was made
        return _ENDLESS
    return _work(parts, is_last=True)[1] // _apart(parts) + 1


def _apart(parts: Sequence[Any]) -> int:
    """How far from each other a text can have two beginnings of a match: the length of a word that they all begin with,
    if its first letter comes only once in it."""
    word: list[str] = []
    for kind, given in parts:
        if str(kind) == "LITERAL":
            word.append(chr(given).casefold())
        elif str(kind) != "AT" or word:
            break
    return len(word) if word and word[0] not in word[1:] else 1


def _work(parts: Sequence[Any], *, is_last: bool) -> tuple[int, int]:
    """In how many ways the parts may match from one place, and the steps for all of these."""
    ways, steps = 1, 0
    for at, (kind, given) in enumerate(parts):
        its_ways, its_steps = _work_of(str(kind), given, is_last=is_last and at == len(parts) - 1)
        steps += ways * its_steps
        ways *= its_ways
        if ways > _OPEN or steps > _OPEN:
            return _ENDLESS, _ENDLESS
    return ways, steps


def _work_of(kind: str, given: Any, *, is_last: bool) -> tuple[int, int]:
    if kind.endswith("_REPEAT"):
        ways, steps = _work_of_repeat(*given, is_last=is_last)
        return (1 if kind == "POSSESSIVE_REPEAT" else ways), steps
    if kind in ("BRANCH", "GROUPREF_EXISTS"):
        branches = [one for one in (given[1] if kind == "BRANCH" else given[1:]) if one is not None]
        works = [_work(one, is_last=is_last) for one in branches]
        first = {chr(one[0][1]).casefold() for one in branches if len(one) and str(one[0][0]) == "LITERAL"}
        every = [ways for ways, _ in works]
        ways = max(every) if len(first) == len(branches) else sum(every)  # else a text may go into several
        return ways + (len(branches) == 1), sum(steps for _, steps in works)
    if kind == "SUBPATTERN":
        ways, steps = _work(given[-1], is_last=is_last)
        return ways, steps + (given[0] is not None)
    if kind in ("ASSERT", "ASSERT_NOT", "ATOMIC_GROUP"):  # it is not gone back into
        inside = given if kind == "ATOMIC_GROUP" else given[-1]
        return 1, _work(inside, is_last=is_last and kind == "ATOMIC_GROUP")[1]
    return 1, 50 if kind == "GROUPREF" else 1  # a group may be long


def _work_of_repeat(least: int, most: int, inner: Sequence[Any], *, is_last: bool) -> tuple[int, int]:
    if is_last:  # once it has its least it cannot fail
        most = least = max(1, int(least))
    ways, steps = _work(inner, is_last=False)
    if most > _OPEN or steps > _OPEN:
        return _ENDLESS, _ENDLESS
    if ways == 1:
        is_one = len(inner) == 1 and str(inner[0][0]) in ("LITERAL", "NOT_LITERAL", "IN", "ANY")
        return most - least + 1, 1 + most // 8 if is_one else most * steps  # of single characters many at once
    all_ways, all_steps, now = int(least == 0), 0, 1
    for count in range(1, most + 1):
        all_steps += now * (steps + 1)
        now *= ways
        all_ways += now if count >= least else 0
        if all_steps > _OPEN:
            return _ENDLESS, _ENDLESS
    return all_ways, all_steps
