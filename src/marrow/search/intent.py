"""What a message is after, in which domains that is usually kept, and which kinds answer it or do not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple


class Intent(NamedTuple):
    """How much more each domain counts, and how much the score of a kind."""

    domains: Mapping[str, float]
    kinds: Mapping[str, float]


# (what it sounds like, the domains it is after, how much more they count). The strongest that fits each domain holds.
_SOUNDS: tuple[tuple[str, tuple[str, ...], float], ...] = (
    (r"why|what made|how come|reason(?:s|ed)?|rationale", ("decisions", "history", "architecture"), 0.15),
    (r"decid\w*|decision\w*|chose|choose|chosen|agreed?|adr", ("decisions", "history"), 0.08),
    (
        r"errors?|bugs?|fail\w*|broke|broken|crash\w*|exception\w*|traceback|debug\w*|outage|incident\w*|regression|flaky",
        ("issues",),
        0.10,
    ),
    (r"convention\w*|style|pattern\w*|standard|naming|how (?:do|should) (?:we|i)|usually|always", ("patterns",), 0.08),
    (r"architectur\w*|design\w*|component\w*|structure\w*|layers?|modules?|how does", ("architecture",), 0.08),
    (r"dependenc\w*|upgrad\w*|librar\w*|packages?|versions?|pinned", ("dependencies",), 0.08),
    (r"todo|tasks?|next steps?|remaining|left to do|unfinished|blocked", ("tasks",), 0.07),
    (r"when|history|previously|earlier|used to|changed", ("history",), 0.05),
    (r"prefer\w*|feedback|likes?|wants?", ("feedback",), 0.07),
)


@cache
def _compiled() -> tuple[tuple[re.Pattern[str], tuple[str, ...], float], ...]:
    return tuple((re.compile(rf"\b(?:{sound})\b", re.I), domains, more) for sound, domains, more in _SOUNDS)


# What comes later in a long message does not change what it is after.
READ = 2_000


def intent_of(message: str) -> Intent:
    return Intent(domains_wanted(message), kinds_weighed(message))


def domains_wanted(message: str) -> dict[str, float]:
    """How much more each domain counts for this message; what is not named counts as usual."""
    found: dict[str, float] = {}
    for sound, domains, more in _compiled():
        if sound.search(message, 0, READ):
            for domain in domains:
                found[domain] = max(more, found.get(domain, 0.0))
    return found


# A place in the code, or how something works there, is asked for.
ASKS_WHERE = re.compile(
    r"\A\s*(?:and |so |but |hey,? )?(?:where(?:'s| (?:is|are|do|does|can|should|in|exactly))|"
    r"(?:in )?which (?:files?|functions?|class(?:es)?|methods?|modules?|scripts?|packages?))\b",
    re.I,
)
# How something works, or what it is at present: "is it", "what are they".
_ASKS_HOW = re.compile(r"\A\s*(?:and |so |but |hey,? )?how(?:'s| (?:do|does|is|are|can|should))\b", re.I)
_ASKS_WHAT_IS = re.compile(
    r"\A\s*(?:and |so |but |hey,? )?(?:what(?:'s| (?:do|does|is|are|can|should))|is|are|does|do|can|should|must)\b",
    re.I,
)
_CHANGES = re.compile(
    r"\b(?:chang\w+|fix(?:e[ds]|ing)?|introduced|added|removed|broken?|regress\w+|revert\w*|commit\w*|merged|new|"
    r"latest|recent(?:ly)?|lately|since|behind|history)\b",
    re.I,
)
# The code itself is asked for, or the change that did something: these are named as such.
_ASKS_CODE = re.compile(
    r"\b(?:in|inside|within|of) (?:the|our|its|your|which|this) (?:source |actual )?(?:code|codebase|source|sources|"
    r"scripts?|implementation)\b|\bwhich (?:functions?|class(?:es)?|methods?|scripts?|source files?)\b",
    re.I,
)
_ASKS_CHANGE = re.compile(
    r"\bwhich (?:changes?|commits?|pull requests?|prs?|merge requests?)\b|"
    r"\bwhat (?:change(?! (?:do|does|is|are|would|should)\b)|commits?|pull requests?|prs?|merge requests?)\b",
    re.I,
)
# How much the score of a commit counts where something is, or is now, asked for: it says what was changed, and not
# what is there. How much where the change is asked for, and how much what is written about code where the code is.
COMMIT_FOR_WHERE, COMMIT_FOR_NOW, COMMIT_FOR_CHANGE, WRITING_FOR_CODE = 0.7, 0.8, 1.15, 0.8


def kinds_weighed(message: str) -> dict[str, float]:
    """How much more or less the score of a kind counts for this message; what is not named counts as usual."""
    found: dict[str, float] = {}
    if _ASKS_CHANGE.search(message, 0, READ):
        return {"commit": COMMIT_FOR_CHANGE}
    if _ASKS_CODE.search(message, 0, READ):
        found = {"decision": WRITING_FOR_CODE, "document": WRITING_FOR_CODE}
    if ASKS_WHERE.match(message):
        return {**found, "commit": COMMIT_FOR_WHERE}
    is_now = _ASKS_WHAT_IS.match(message) and not _CHANGES.search(message, 0, READ)
    return {**found, "commit": COMMIT_FOR_NOW} if is_now or _ASKS_HOW.match(message) else found
