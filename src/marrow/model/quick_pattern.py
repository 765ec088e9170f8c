"""Whether regular expressions end in time, whatever the text. Those of a repository run on its own texts, in the
process that serves everyone: one that goes back and forth over a line of its README would stop all, for hours.

What is counted is how many steps a pattern may take from one place of a text. Repeats that have an end multiply them.
One without an end is as long as the text; only as the last part it cannot fail, and never goes back.
"""

from __future__ import annotations

from importlib import import_module

from marrow.model.errors import Invalid

TYPE_CHECKING = False  # the settings are read at every start
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

STEPS_MAX = 2_000
_HINT = "In a repository's file every repeat has an end, as {1,40} has; only the last one of a pattern may be open."


def check_quick(patterns: Sequence[object], name: str, where: str) -> None:
    """Raise Invalid for the first pattern with which all of them together take too many steps."""
    steps = 0
    for pattern in patterns:
        steps += _steps(import_module("re._parser").parse(str(pattern)), is_last=True)
        if steps > STEPS_MAX:
            message = f"{name} in {where} has a pattern that a text could keep busy for ever: {str(pattern)[:60]!r}."
            raise Invalid(message, hint=_HINT, field=name)


def _steps(parts: Sequence[Any], *, is_last: bool) -> int:
    steps = 1
    for at, (kind, given) in enumerate(parts):
        steps *= _steps_of(str(kind), given, is_last=is_last and at == len(parts) - 1)
        if steps > STEPS_MAX:
            break
    return steps


def _steps_of(kind: str, given: Any, *, is_last: bool) -> int:
    if kind.endswith("_REPEAT"):
        least, most, inner = int(given[0]), int(given[1]), _steps(given[2], is_last=False)
        if most > STEPS_MAX and is_last and inner == 1:  # it has no end
            most = max(1, least)
        if most > STEPS_MAX or inner == 1:
            return most + (least != most)
        return min(int(inner ** min(most, 20)), STEPS_MAX + 1)
    if kind == "BRANCH":
        return sum(_steps(branch, is_last=is_last) for branch in given[1])
    if kind == "GROUPREF_EXISTS":
        return sum(_steps(branch, is_last=is_last) for branch in given[1:] if branch is not None)
    if kind in ("SUBPATTERN", "ASSERT", "ASSERT_NOT"):
        return _steps(given[-1], is_last=is_last and kind == "SUBPATTERN")
    return _steps(given, is_last=is_last) if kind == "ATOMIC_GROUP" else 1
