"""What of many statements still holds: without those that a later one changed, and each thing once.

A question tells which of two texts about one thing is meant; at the start of a session there is none. So the two must
be more alike here than where something was asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

from ...model.record import Record
from ...search.compare import NEAR, NEGATION, compare
from ...search.cut import NO_HEIRS
from ...search.replaced import is_parallel, replaces, subject, values
from ...store.protocol import Reader
from ...store.terms import terms_of
from .handed_over import letters

ALIKE = 0.58
# What is longer than a few sentences says more than one thing.
STATEMENT_MAX = 400


class Current(NamedTuple):
    """Entries: those that give way, and those that something gave way to because they changed it."""

    gone: frozenset[int] = frozenset()
    changing: frozenset[int] = frozenset()


def current(reader: Reader, records: Sequence[Record]) -> Current:
    said = [one for one in records if len(one.node.content) <= STATEMENT_MAX and one.standing.semantic]
    if len(said) < 2:
        return Current()
    import numpy as np

    vectors = reader.vectors_of([one.entry for one in said])
    gone: set[int] = set()
    changing: set[int] = set()
    for earlier, later in combinations(sorted(said, key=lambda one: (one.last_at, one.entry)), 2):
        if earlier.project != later.project or earlier.standing.pinned:
            continue
        if letters(earlier.node.content) == letters(later.node.content):
            gone.add(_weaker(earlier, later))
            continue
        ours, theirs = vectors.get(earlier.entry), vectors.get(later.entry)
        cosine = float(np.vdot(ours, theirs)) if ours is not None and theirs is not None else 0.0
        if cosine < ALIKE or earlier.last_at == later.last_at:
            continue
        texts = later.node.content, earlier.node.content
        if later.node.kind not in NO_HEIRS and replaces(*texts, cosine) and not _is_of_another(*texts):
            gone.add(earlier.entry)
            changing.add(later.entry)
        elif (likeness := compare(*texts, cosine)) and likeness.what == NEAR:
            gone.add(_weaker(earlier, later))
    return Current(frozenset(gone), frozenset(changing - gone))


def _is_of_another(later: str, earlier: str) -> bool:
    """The same said of two things, as of the gateway's timeout and now of the database's. What a sentence is about, it
    names first; or it numbers it, and then more than one number differs."""
    new, old = values(later), values(earlier)
    if sum(new[unit] != old[unit] for unit in new.keys() & old.keys()) > 1:
        return True
    ours, theirs = subject(later), subject(earlier)
    if not is_parallel(ours, theirs) or bool(NEGATION.search(later)) != bool(NEGATION.search(earlier)):
        return False
    return _first(later, ours) not in theirs or _first(earlier, theirs) not in ours


def _first(text: str, about: frozenset[str]) -> str:
    return next(term for term in terms_of(text) if term in about)


def _weaker(earlier: Record, later: Record) -> int:
    """Of two that say the same, the one that was said with less weight; else the earlier one."""
    return later.entry if later.standing.priority < earlier.standing.priority else earlier.entry
