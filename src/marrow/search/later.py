"""Later beats earlier: of two hits about the same thing, the one that amends the other comes first.

Nobody has to have linked them. A text says itself that it amends ("amendment to", "no longer", "instead of", "we now"),
and what it amends is the earlier hit that it shares its subject with.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..model.record import Record
from ..store.terms import STOP_WORDS, terms_of
from .cue import Cue

if TYPE_CHECKING:
    from .find import Hit

# How many hits from the top are looked at, and how close behind a later one must stand to be put first.
LOOKED_AT = 20
SCORE_SHARE_MIN = 0.5
# How much of the smaller text's subject the two must share, and in how many words.
SUBJECT_SHARE_MIN = 0.35
SUBJECT_TERMS_MIN = 3
# An amendment says so at its beginning; further down the words are about something else.
OPENING = 300
# What a long text is about, its beginning says.
SUBJECT = 4_000

AMENDS = Cue(
    r"\b(?:amend(?:ment|ed|s|ing)|supersed(?:es|ed|ing)|no longer|instead of|revers(?:al of|ed|es)|"
    r"revis(?:ed|es|ion|ing)|correction to|overrul(?:es|ed|ing)|replaces|we now|from now on|going forward|"
    r"changed (?:our|the) (?:mind|decision|policy|rule|default))\b",
    beginnings="amendment amended amends amending supersedes superseded superseding no instead reversal reversed "
    "reverses revised revises revision revising correction overrules overruled overruling replaces we from going "
    "changed",
    needs="amendment amended amends amending supersedes superseded superseding longer instead reversal reversed "
    "reverses revised revises revision revising correction overrules overruled overruling replaces now forward changed",
)


def later_first(hits: Sequence[Hit]) -> list[Hit]:
    """The hits with every amendment moved above what it amends."""
    ordered = list(hits)
    head = ordered[:LOOKED_AT]
    amending = [hit for hit in head if amends(hit.record)]
    for hit in amending:
        at = ordered.index(hit)
        subject = _subject(hit)
        for place in range(at):
            if _is_amended(ordered[place], hit, subject):
                ordered.insert(place, ordered.pop(at))
                break
    return ordered


def amends(record: Record) -> bool:
    return bool(AMENDS.first(record.node.content[:OPENING]))


def _is_amended(earlier: Hit, later: Hit, subject: set[str]) -> bool:
    if earlier.record.last_at >= later.record.last_at or later.score < SCORE_SHARE_MIN * earlier.score:
        return False
    known = _subject(earlier)
    shared = len(subject & known)
    return shared >= SUBJECT_TERMS_MIN and shared >= SUBJECT_SHARE_MIN * min(len(subject), len(known))


def _subject(hit: Hit) -> set[str]:
    return {term for term in terms_of(hit.record.node.content[:SUBJECT]) if len(term) > 3 and term not in STOP_WORDS}
