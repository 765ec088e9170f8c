"""A rule: one kind of secret, where it is looked for, and how it is judged."""

from __future__ import annotations

import re

TYPE_CHECKING = False  # Importing `typing` would cost every hook a few milliseconds.
if TYPE_CHECKING:
    from collections.abc import Callable

    Span = tuple[int, int]
    Judge = Callable[[str, re.Match[str]], Span | None]


def whole(text: str, found: re.Match[str]) -> Span | None:
    """A secret by its form alone, unless it is a mask. It starts with the last group that took part."""
    start = found.start(found.lastindex or 0)
    masked = re.search(r"[xX*]{12}", text[start : min(found.end(), start + 64)])
    return None if masked else (start, found.end())


class Rule:
    """One kind of secret.

    `name` is shown in place of the secret. `literals`: the pattern is tried only where one of them starts. The pattern
    ends with the secret, which runs from the start of the last group that took part (of the match, where there is
    none) to the end of the match. `judge` gives the span to remove, or None when this is no secret after all.
    `folded` rules are found in any case (literals in lower case); the others only in words of 16 characters and more.
    `needs` is a rarer or shorter text without which none of the literals has to be looked for.
    """

    __slots__ = ("folded", "judge", "literals", "name", "needs", "pattern")

    def __init__(
        self,
        name: str,
        literals: tuple[str, ...],
        pattern: str,
        judge: Judge = whole,
        *,
        folded: bool = False,
        needs: str = "",
    ) -> None:
        self.name = name
        self.literals = literals
        self.pattern = pattern
        self.judge = judge
        self.folded = folded
        self.needs = needs

    def compiled(self) -> re.Pattern[str]:
        """The pattern, compiled once (the `re` module keeps it)."""
        return re.compile(self.pattern, re.VERBOSE | re.ASCII | (re.IGNORECASE if self.folded else 0))
