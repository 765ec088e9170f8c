"""The mark of a derivation of one's own: `@marrow.derivation("word_count", kinds=["document"])` over a function.

It only notes on the function what was said; who reads the file finds it there. Errors come where the mark is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from .derivation import CONTENT, KEEP, USER, Derivation, check_derivation
from .errors import Invalid

MARK = "__marrow_derivation__"
F = TypeVar("F", bound=Callable[..., Any])


def derivation(
    name: str,
    *,
    kinds: Sequence[str] = (),
    of: Sequence[str] = (CONTENT,),
    version: str = "1",
    on_error: str = KEEP,
) -> Callable[[F], F]:
    """Have a function computed once for each node of these kinds (none: of every kind) and each version.

    It is called with what `of` names, in that order: the node's content, or the values of other derivations of the same
    node. What it returns is kept as JSON. `on_error` "keep" notes an error and goes on, "stop" ends the batch."""
    if callable(name) or isinstance(kinds, str) or isinstance(of, str):
        raise Invalid(
            "A derivation is marked with its name, and kinds and of are lists.",
            hint='@marrow.derivation("word_count", kinds=["document"], of=["content"], version="1")',
            field="name",
        )
    declared = check_derivation(Derivation(name, version, tuple(of), tuple(kinds), provider=USER, on_error=on_error))

    def mark(function: F) -> F:
        setattr(function, MARK, declared)
        return function

    return mark


def declared_by(function: object) -> Derivation | None:
    """What was said of a function; None of one that has no mark."""
    found = getattr(function, MARK, None)
    return found if isinstance(found, Derivation) else None
