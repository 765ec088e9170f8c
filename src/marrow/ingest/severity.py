"""How bad an incident was, in the many ways in which teams say it, on one scale."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..model.errors import Invalid
from .lazy_pattern import LazyPattern

LEVELS = ("critical", "high", "medium", "low")
# SEV-0 and SEV-1, P0 and P1: where a team counts from 0, its 1 is bad enough to be found among the worst.
_BY_NUMBER = {0: "critical", 1: "critical", 2: "high", 3: "medium", 4: "low", 5: "low"}
_WORDS = {
    "critical": "critical crit blocker catastrophic emergency urgent disaster severe highest",
    "high": "high major serious significant",
    "medium": "medium moderate normal med",
    "low": "low minor trivial cosmetic informational info lowest",
}
_BY_WORD = {word: level for level, words in _WORDS.items() for word in words.split()}
# What is said where nobody said how bad it was.
_NONE = frozenset("yes no y n true false none n/a na tbd tba todo unknown ? -".split())
_NUMBERED = LazyPattern(
    r"\b(?:sev(?:erity)?(?:\s?level)?|prio(?:rity)?|level|tier)[\s:#_-]{0,3}([0-5])\b|\b([PS])-?([0-5])\b", re.I
)


@dataclass(frozen=True, slots=True)
class Severity:
    """One of LEVELS, and how it was said; a level that nobody knows stays as it was said."""

    level: str
    said: str = ""

    @property
    def told(self) -> str:
        return f"{self.level} ({self.said})" if self.said and self.said.lower() != self.level else self.level


def read_severity(said: str) -> Severity | None:
    """What a field says that should hold a severity."""
    text = " ".join(said.split()).strip("*`_ ")[:60]
    text = text.strip("[]()") if text.startswith(("[", "(")) else text
    if not text or text.lower() in _NONE:
        return None
    if found := severity_in(text):
        return Severity(found.level, text)
    if bare := re.match(r"([0-5])\b", text):
        return Severity(_BY_NUMBER[int(bare[1])], text)
    for word in re.findall(r"[a-z]+", text.lower()):
        if word in _BY_WORD:
            return Severity(_BY_WORD[word], text)
    return Severity(text.lower(), text)


def asked_severity(said: str) -> Severity | None:
    """What a caller says of one. What a document says may be a team's own word; from a form it is a slip."""
    found = read_severity(said)
    if said.strip() and (found is None or found.level not in LEVELS):
        raise Invalid(
            f"{said.strip()[:60]!r} is no severity.",
            hint=f"{', '.join(LEVELS)}; SEV0 to SEV5, P0 to P5, 0 to 5; or a word such as major or minor.",
            field="severity",
        )
    return found


def severity_in(text: str) -> Severity | None:
    """A severity with a number in a text: SEV1, sev-2, P0, "priority 3". Words alone may mean anything there."""
    found = _NUMBERED.search(text)
    return Severity(_BY_NUMBER[int(found[1] or found[3])], found[0]) if found else None
