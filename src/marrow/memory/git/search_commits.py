"""Search over commits, by the words of their messages and by what they mean."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ...model.errors import Invalid
from ...model.scope import READ
from ...repository.head import repository_at
from ...store.bm25 import rarity
from ...store.terms import query_terms, terms_of
from ..engine import Asker, Engine
from .commit_file import Row
from .commit_index import CommitIndex, Loaded, Progress, commit_index

if TYPE_CHECKING:
    from numpy.typing import NDArray

LIMIT_MAX = 200
QUERY_LENGTH_MAX = 2_000
# How many of the best by words, and of the best by meaning, are compared with each other.
CANDIDATES = 64
# Of a long history so many look near by the signs of their vectors, and are compared.
RESCORED = 2_048
# What the words of a message count, and what its meaning counts.
WORDS_SHARE, MEANING_SHARE = 0.6, 0.4
# A message that has none of the words must be at least so near in meaning.
MEANING_LEAST = 0.45
# And every message must have at least so much of all that could be had.
LEAST = 0.12
# That a message has a word counts so much, and how much of the message it is the rest: a long one that has them all
# says more than a short one that has some.
HAD_SHARE = 0.7
_HASH = re.compile(r"[0-9a-f]{6,64}\Z")
_PLAIN_WORD = re.compile(r"[a-z]+")


class FoundCommit(NamedTuple):
    """`words` is the share of what the question's words could give, `meaning` the cosine; both 0 to 1."""

    commit: Row
    score: float
    words: float
    meaning: float


class FoundCommits(NamedTuple):
    """`searched` is how many commits there are to be found; `degraded` says what was missing."""

    items: tuple[FoundCommit, ...]
    searched: int
    degraded: str = ""


def search_commits(
    engine: Engine,
    asker: Asker,
    root: str | os.PathLike[str],
    query: str,
    limit: int = 10,
    progress: Progress | None = None,
) -> FoundCommits:
    """The commits of the tree's history that say it best. The first time, the history is read: that takes a while."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    if not 1 <= limit <= LIMIT_MAX:
        raise Invalid(f"limit is a number from 1 to {LIMIT_MAX}.", field="limit")
    asked = query.strip()[:QUERY_LENGTH_MAX]
    if not asked:
        raise Invalid("It is not said what to look for.", hint="Give words, or a sentence.", field="query")
    place = repository_at(root)
    index = commit_index(engine, place)
    stand = index.update(place, progress)
    held = index.loaded()
    missing = stand.missing.union(range(stand.last + 1, held.last + 1))  # what others added meanwhile
    count = held.last - len(missing)
    if count <= 0:
        return FoundCommits((), 0)
    named = _named(index, asked.lower(), missing, limit)
    ranked = named or _ranked(index, held, asked, missing, limit)
    with index.reading() as reader:
        rows = {row.number: row for row in reader.rows([number for number, *_ in ranked])}
    degraded = "" if index.embedder.dimensions else "by words alone: there is no embedder"
    return FoundCommits(tuple(FoundCommit(rows[n], *rest) for n, *rest in ranked if n in rows), count, degraded)


def _named(
    index: CommitIndex, asked: str, missing: frozenset[int], limit: int
) -> list[tuple[int, float, float, float]]:
    """The commits whose hash begins so, where the question can be a hash."""
    if not _HASH.match(asked):
        return []
    with index.reading() as reader:
        found = reader.begins(asked, limit + len(missing))
    return [(number, 1.0, 1.0, 0.0) for number in found if number not in missing][:limit]


def _ranked(
    index: CommitIndex, held: Loaded, asked: str, missing: frozenset[int], limit: int
) -> list[tuple[int, float, float, float]]:
    import numpy as np

    from ...store.matrix import best_places

    words = _words(held, query_terms(asked), _as_written(asked))
    if missing:
        words[np.fromiter(missing, dtype=np.int64) - 1] = 0.0
    wanted = max(CANDIDATES, 2 * limit)
    some = np.flatnonzero(words)  # first, because choosing among very many zeros takes long
    candidates = {int(place) + 1 for place in some[best_places(words[some], wanted)]}
    meaning: dict[int, float] = {}
    if index.embedder.dimensions and held.matrix is not None:
        vector = index.embedder.query(asked)
        near = held.matrix.nearest(vector, wanted, None, missing, MEANING_LEAST, RESCORED)
        candidates |= {number for number, _ in near if number <= held.last}
        meaning = dict(held.matrix.cosines(candidates, vector))
    has_meaning = bool(meaning)
    scored = []
    for number in candidates:
        said, near_to = float(words[number - 1]), max(0.0, meaning.get(number, 0.0))
        score = WORDS_SHARE * said + MEANING_SHARE * near_to if has_meaning else said
        if score >= LEAST:
            scored.append((number, round(score, 4), round(said, 4), round(near_to, 4)))
    # Of two that say it equally well, the later one.
    scored.sort(key=lambda one: (-one[1], -one[0]))
    return scored[:limit]


def _as_written(asked: str) -> dict[str, str]:
    """By their stems the plain words that have another: an identifier is kept as a whole too, and that is not stemmed.
    `lazyfile` is to find `LazyFile`."""
    found = {}
    for word in _PLAIN_WORD.findall(asked.lower()):
        terms = terms_of(word)
        if terms and terms != [word]:
            found[terms[0]] = word
    return found


def _words(held: Loaded, terms: list[str], as_written: Mapping[str, str]) -> NDArray[Any]:
    """For each commit, by its number less one: the share that its words have of what the question's words can give."""
    import numpy as np

    scores = np.zeros(held.last, dtype=np.float32)
    most = 0.0
    segments = list(zip(held.segments, held.places, held.worths, strict=True))
    for term in (term for term in terms if "*" not in term):
        spellings = [term, *([as_written[term]] if term in as_written else [])]
        spans = [(segment.span(one), at) for at, (segment, _, _) in enumerate(segments) for one in spellings]
        holders = sum(end - start for (start, end), _ in spans)
        worth = rarity(held.last, holders)
        # A term that nothing has is no reason to find nothing: only half of what it could give is expected.
        most += worth if holders else 0.5 * worth
        for (start, end), at in spans:
            _, places, worths = segments[at]
            if start < end:
                had = HAD_SHARE + (1 - HAD_SHARE) * np.minimum(worths[start:end], 1.0)
                scores[places[start:end]] += np.float32(worth) * had
    return np.minimum(scores / np.float32(most), np.float32(1.0)) if most else scores
