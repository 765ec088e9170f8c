"""Candidates: what could be meant, from words, vectors, neighbours in a thread, and the files at hand."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from ..model.errors import MarrowError
from ..model.record import FOREVER, Record
from ..providers.embedder import Embedder, elsewhere, sure_from
from ..store.bm25 import rarity
from ..store.protocol import Reader
from ..store.terms import is_pair, terms_of
from .aliases import Names, names_of, other_names
from .candidates import Candidates
from .evidence import LONG
from .question import TERMS_COUNTED, Asked, Question
from .spoken_time import event_date_terms

if TYPE_CHECKING:
    from ..store.protocol import Vector

CANDIDATES = 200
# Of so many that have most of the words, and are not near in meaning, it is asked how near they are.
MEANT = 80
# A thing has several names: a text that has them all has no more than what was asked.
NAMED_MOST = 1.0
ALIASED_MAX, NAMES_MAX = 50, 16
LENDERS = 60
REACH = 2
TARGETS_MAX = 20
AT_HAND_MAX = 500
IN_TIME_MAX = 50
COMMITS_MAX, CALLED_MAX = 3, 10
# How many memories are read to date an event.
DATING = 5


class Gathered(NamedTuple):
    """The candidates, the records that had to be read on the way, what is known of the asked terms, the time that the
    question speaks of, and its vector, where there are vectors to ask."""

    found: Candidates
    known: dict[int, Record]
    asked: Asked
    interval: tuple[int, int] | None
    degraded: str = ""
    vector: Vector | None = None


def gather(reader: Reader, embedder: Embedder, question: Question, within: list[int] | None) -> Gathered:
    found = Candidates(1.0 if question.is_elsewhere else sure_from(embedder))
    known: dict[int, Record] = {}
    texts, holders = reader.frequencies(question.namespace, question.terms, question.wanted.projects)
    between = _between_words(question.terms, holders)
    rarities = {term: 0.0 if term in between else rarity(texts, count) for term, count in holders.items()}
    # What nobody ever said here cannot be held against a text, nor that it has not every word of a long message.
    said_here = sorted((rarities[term] for term, count in holders.items() if count), reverse=True)
    most = sum(said_here[:TERMS_COUNTED])
    vector, degraded = (None, "") if question.is_pattern else _by_meaning(reader, embedder, question, within, found)
    asked = Asked(rarities, {}, most, vector is not None and not vector.any())
    if most:
        # What is near in meaning may have the words too, and others more of them.
        also = tuple(found.meaning) if question.by_meaning else ()
        _by_words(reader, question, within, found, question.terms, most, also=also)
        asked = asked._replace(others=_other_names(reader, question, found))
        more = sorted({term for others in asked.others.values() for name in others for term in name})[:NAMES_MAX]
        if more:  # by its other names instead: a text that has both is not found twice
            rest = (term for term in question.terms if term not in asked.others)
            _by_words(reader, question, within, found, (*rest, *more), most, NAMED_MOST)
    if vector is not None and (missing := found.without_meaning(MEANT)):
        # What is found by its words means something too.
        near = reader.similarities(missing, vector)
        found.add_meaning({entry: cosine for entry, cosine in near.items() if cosine > 0.0})
    if not question.is_pattern:
        known = _lend(reader, question, found)
    _at_hand(reader, question, found)
    _called(reader, question, within, found)
    interval = interval_of(reader, question)
    if interval:
        _in_time(reader, question, found, interval)
    return Gathered(found, known, asked, interval, degraded, vector)


def _between_words(terms: Sequence[str], holders: Mapping[str, int]) -> frozenset[str]:
    """Of text without spaces the pairs that are the end of one word and the beginning of the next: nobody said them,
    and they overlap with what somebody did."""
    found = set()
    for before, after in pairwise(terms):
        if (
            before[-1] == after[0]
            and is_pair(before)
            and is_pair(after)
            and bool(holders[before]) != bool(holders[after])
        ):
            found.add(after if holders[before] else before)
    return frozenset(found)


def _other_names(reader: Reader, question: Question, found: Candidates) -> Mapping[str, tuple[Names, ...]]:
    """The other names of what was asked about, by the memories that were found and have aliases."""
    # Those that share a word with it: of what is only near in meaning there may be many, and none explains the name.
    named = reader.aliased(question.namespace, question.wanted.projects)
    aliased = [entry for entry in named if found.words.get(entry)]
    if not aliased:
        return {}
    records = reader.records_of(aliased[:ALIASED_MAX], question.seq)
    # A long document has a number, and does not explain a name.
    records = [record for record in records if len(record.node.content) <= LONG]
    return other_names(question.terms, (names_of(r.node.content, r.standing.aliases) for r in records))


def _depth(question: Question) -> int:
    return max(CANDIDATES, 2 * question.limit)


def _by_words(
    reader: Reader,
    question: Question,
    within: list[int] | None,
    found: Candidates,
    terms: Sequence[str],
    most: float,
    share_most: float = math.inf,
    also: Sequence[int] = (),
) -> None:
    projects, depth = question.wanted.projects, _depth(question)
    found.add_words(reader.match(question.namespace, terms, projects, within, depth, also=also), most, share_most)


def _by_meaning(
    reader: Reader, embedder: Embedder, question: Question, within: list[int] | None, found: Candidates
) -> tuple[Vector | None, str]:
    """The question's vector, as `vector_of` gives it, after what is near to it was added."""
    vector, degraded = vector_of(reader, embedder, question)
    if vector is not None:
        near = reader.nearest(question.namespace, vector, question.wanted.projects, within, _depth(question))
        found.add_meaning(near)
    return vector, degraded


def vector_of(reader: Reader, embedder: Embedder, question: Question) -> tuple[Vector | None, str]:
    """The question's vector; None, and how it is searched then, when the vectors cannot be asked. A service that does
    not answer must not silence the words."""
    try:
        if not embedder.dimensions:
            return None, ""
        model = reader.vector_model()
        if model != (embedder.model, embedder.dimensions):
            return None, f"by words only: the vectors are of {model[0]}" if model else ""
        return (elsewhere(embedder) if question.is_elsewhere else embedder).query(question.subject), ""
    except MarrowError as problem:  # whatever a service refuses with
        return None, f"by words only: {problem.message}"


def _lend(reader: Reader, question: Question, found: Candidates) -> dict[int, Record]:
    """An answer often stands beside the words of the question: after the turn that asked, or a turn further on."""
    scores = found.best_owned(LENDERS)
    beside = reader.neighbours(list(scores), REACH) if scores else {}
    known = {record.entry: record for record in reader.records_of(list(beside), question.seq)}
    for lender, others in beside.items():
        asks = lender in known and "?" in known[lender].node.content
        for other, distance in others:
            evidence = found.more(other)
            if distance == 2:  # the lender stands two before it
                evidence.two_before = max(evidence.two_before, scores[lender])
            elif distance == 1 and asks:
                evidence.reply = max(evidence.reply, scores[lender])
    return known


def _at_hand(reader: Reader, question: Question, found: Candidates) -> None:
    """What is about the files and symbols at hand, whatever it says."""
    targets = [target.replace("\\", "/").removeprefix("./") for target in question.targets[:TARGETS_MAX]]
    if not targets:
        return
    entries = reader.anchored(question.namespace, targets, question.wanted.projects, question.seq)
    for entry in entries[:AT_HAND_MAX]:
        found.more(entry).at_hand = 1.0


def _called(reader: Reader, question: Question, within: list[int] | None, found: Candidates) -> None:
    """The commits that the question names, and what names them too, whatever else it says. Where many are named, it is
    a list that was pasted, and asks for none of them."""
    for digits in question.commits if len(question.commits) <= COMMITS_MAX else ():
        named = reader.match(question.namespace, [f"{digits}*"], question.wanted.projects, within, CALLED_MAX)
        for entry, _ in named:
            found.more(entry).named = 1.0


def _in_time(reader: Reader, question: Question, found: Candidates, interval: tuple[int, int]) -> None:
    """What was said in the time that is asked about, whatever it says: the latest of it."""
    wanted = replace(question.wanted, since=interval[0], until=interval[1] - 1)
    for entry in reader.select(question.namespace, wanted, question.seq, question.now, IN_TIME_MAX):
        found.more(entry).in_time = 1.0


def interval_of(reader: Reader, question: Question) -> tuple[int, int] | None:
    """The time that a question speaks of; an event in it is dated by the memory itself."""
    spoken = question.spoken
    if spoken is None or spoken.weak:
        return None
    if not spoken.event:
        return (spoken.since or 0, spoken.until or FOREVER)
    at = _date_of(reader, question, event_date_terms(spoken))
    if at is None:
        return None
    return {"before": (0, at), "": None}.get(spoken.relation, (at, FOREVER))


def _date_of(reader: Reader, question: Question, names: Sequence[str]) -> int | None:
    """When the memory that names an event was said first; None when none has its whole name."""
    terms = list(dict.fromkeys(term for name in names for term in terms_of(name)))
    matched = reader.match(question.namespace, terms, question.wanted.projects, None, DATING)
    for record in reader.records_of([entry for entry, _ in matched], question.seq):
        if frozenset(terms) <= frozenset(terms_of(record.node.content)):
            return record.first_at
    return None
