"""What of many statements still holds: without those that a later one changed, and each thing once.

A question tells which of two texts about one thing is meant; at the start of a session there is none. So the two must
be more alike here than where something was asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import NamedTuple

from ...model.record import Record
from ...search.compare import CONTRADICTS, NEAR, compare
from ...search.cut import NO_HEIRS, cosines
from ...search.negation import negates
from ...search.replaced import announced_in, changed_value, is_parallel, replaces, subject, values
from ...store.protocol import Reader
from ...store.terms import terms_of
from .handed_over import letters

ALIKE = 0.58
# The tag of what a user said against what was said or done before.
CORRECTION = "correction"
# What is longer than a few sentences says more than one thing.
STATEMENT_MAX = 400
# A thing that has a number: Safari 15. Of what there is only one, another number is another value.
_NUMBERED = re.compile(r"\b([A-Z][\w+#-]*) (?:v(?=\d)|version )?(\d[\d.]*\d|\d)\b")
_ONLY_ONE = re.compile(r"\b(?:required?|needed|minimum|maximum|default|latest|current|target|used?|uses)\b", re.I)
# What a sentence may begin with that says nothing of what it is about.
_LEADS = frozenset(terms_of("remember note decided decision always also please important must should"))
MARKS = ".,;:!?()[]{}\"'`"


class Current(NamedTuple):
    """Entries: those that give way, and those that something gave way to because they changed it. `changed` names to
    each that was changed the latest that did."""

    gone: frozenset[int] = frozenset()
    changing: frozenset[int] = frozenset()
    changed: Mapping[int, int] = MappingProxyType({})


def current(reader: Reader, records: Sequence[Record]) -> Current:
    said = [one for one in records if len(one.node.content) <= STATEMENT_MAX and one.standing.semantic]
    said.sort(key=lambda one: (one.last_at, one.entry))
    bare = {one.entry: letters(one.node.content) for one in said}
    alike = cosines([one.entry for one in said], reader.vectors_of([one.entry for one in said]))
    gone: set[int] = set()
    changed: dict[int, int] = {}
    for earlier, later in combinations(said, 2):
        cosine = alike.get((earlier.entry, later.entry), 0.0)
        is_same = bare[earlier.entry] == bare[later.entry]
        if not is_same and (cosine < ALIKE or earlier.last_at == later.last_at):
            continue
        if earlier.project != later.project or earlier.standing.pinned:
            continue
        texts = later.node.content, earlier.node.content
        is_heir = not is_same and later.node.kind not in NO_HEIRS
        if is_heir and (_changes(*texts, cosine) or (CORRECTION in later.standing.tags and _denies(*texts, cosine))):
            gone.add(earlier.entry)
            changed[earlier.entry] = later.entry
        elif is_same or _says_the_same(*texts, cosine):
            # What was changed in between, and is now said again, holds again.
            gone.add(earlier.entry if earlier.entry in gone else _weaker(earlier, later))
    return Current(frozenset(gone), frozenset(set(changed.values()) - gone), changed)


def _says_the_same(later: str, earlier: str, cosine: float) -> bool:
    likeness = compare(later, earlier, cosine)
    return (
        likeness is not None
        and likeness.what == NEAR
        and _names(later) == _names(earlier)
        and not _is_part(later, earlier)
    )


def _changes(later: str, earlier: str, cosine: float) -> bool:
    """Whether it surely changes what was said before: to tell two things that both hold is better than to hide one."""
    if replaces(later, earlier, cosine) is None or _is_of_another(later, earlier):
        return False
    ours, theirs = subject(later), subject(earlier)
    if negates(later) != negates(earlier):  # it takes something back
        return True
    # Else it is about the very same, and gives it another value; what names more may be about a part of it.
    may_be_part = (ours > theirs or _is_part(later, earlier)) and not changed_value(later, earlier)
    return not may_be_part and (ours <= theirs or theirs <= ours)


def _denies(later: str, earlier: str, cosine: float) -> bool:
    """Whether it is at odds with what was said before. Of two such texts nobody knows which holds, unless the later one
    was said to correct."""
    likeness = compare(later, earlier, cosine)
    if likeness is None or likeness.what != CONTRADICTS or _is_of_another(later, earlier):
        return False
    ours, theirs = subject(later), subject(earlier)
    return ours <= theirs or theirs <= ours


def _is_part(later: str, earlier: str) -> bool:
    """Whether one of the two names a part of what the other is about: the admin frontend, and the frontend."""
    ours, theirs = subject(later), subject(earlier)
    if not (ours < theirs or theirs < ours):
        return False
    longer, more, fewer = (later, ours, theirs) if theirs < ours else (earlier, theirs, ours)
    return (first := _first(longer, more)) not in fewer and first not in _LEADS


def _is_numbered_apart(later: str, earlier: str) -> bool:
    """The same said of Safari 15 and of Safari 16: where it is denied of both, or where it is what they begin with."""
    new, old = _NUMBERED.search(later), _NUMBERED.search(earlier)
    if new is None or old is None or new[1] != old[1] or new[2] == old[2]:
        return False
    if negates(later) and negates(earlier):
        return True
    is_about = new.start() == old.start() == 0 and not announced_in(later)
    return is_about and not _ONLY_ONE.search(later) and not _ONLY_ONE.search(earlier)


def _is_of_another(later: str, earlier: str) -> bool:
    """The same said of two things, as of the gateway's timeout and now of the database's. What a sentence is about, it
    names first; or it has a name for it; or it numbers it, and then more than one number differs."""
    if _is_numbered_apart(later, earlier):
        return True
    new, old = values(later), values(earlier)
    if sum(new[unit] != old[unit] for unit in new.keys() & old.keys()) > 1:
        return True
    if (named := _names(later)) - (before := _names(earlier)) and before - named:
        return True
    ours, theirs = subject(later), subject(earlier)
    if not is_parallel(ours, theirs) or negates(later) != negates(earlier):
        return False
    return _first(later, ours) not in theirs or _first(earlier, theirs) not in ours


def _names(text: str) -> frozenset[str]:
    """Words with a capital that do not owe it to the beginning of a sentence."""
    found, begins = set(), True
    for word in text.split():
        bare = word.strip(MARKS)
        if bare[:1].isupper() and (not begins or (bare.isupper() and bare not in ("I", "A"))):
            found.add(bare)
        begins = word.endswith((".", "!", "?", ":"))
    return frozenset(found)


def _first(text: str, about: frozenset[str]) -> str:
    return next(term for term in terms_of(text) if term in about)


def _weaker(earlier: Record, later: Record) -> int:
    """Of two that say the same, the one that was said with less weight; else the earlier one."""
    return later.entry if later.standing.priority < earlier.standing.priority else earlier.entry
