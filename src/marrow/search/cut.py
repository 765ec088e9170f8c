"""The cut: of what was found, only what is about the question, each thing once, and as it stands now.

In this order: what was replaced gives way to what replaced it; what says the same is told once; what is not relevant,
or far behind the best, is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from ..model.address import shown
from ..model.record import Record
from .evidence import Evidence
from .find import LINKED_BY, RERANKER, Hit
from .negation import negates
from .question import Asked, Question
from .relevance import is_asked_for, is_in_passing, relevance
from .replaced import announced_in, changed_value, is_parallel, may_replace, only_amends, replaces, subject
from .weights import Weights, is_taken_in

if TYPE_CHECKING:
    from ..store.protocol import Vector

# Picked like the weights of relevance, on three of the six worlds of bench/precision.
LEAST = 0.18
SHARE_OF_BEST = 0.85
# For a message of so many telling words and more, and up to how many a message is short.
SHARE_OF_BEST_LONG, LONG, SHORT = 0.6, 40, 20
COVERED_MIN, MEANING_MIN = 0.20, 0.42
SAME_COSINE, SAME_SHARED = 0.74, 0.4
# Two of which one denies something are at odds where no more telling words than these are not in both: what tells the
# same in a sentence of its own ("hangs if it is not running", "must be running") has more.
OPPOSITE_APART = 4
# One that has all the asked words that the best has, and they are much of what was asked, may stand further behind it:
# only its meaning does, and a meaning is not that exact.
SIBLING_SHARE, SIBLING_COVERED = 0.9, 0.4
# How many are looked at, and how far behind what it replaces a replacement may stand.
LOOKED_AT = 12
HEIR_SHARE = 0.4
# So near in meaning to the question, beside what it may replace, it answers it too, in whatever words.
ANSWERS_TOO = 0.8
# Signals that say that a record is worth less or more whatever was asked. The others help to choose what is looked at.
QUALITY = ("drift", "usefulness", "priority")
# What tells again what others said, or was only seen, stands behind what says it.
ACCOUNTS, SECOND_HAND = frozenset(("summary", "handoff", "observation", "arc")), 0.25
# What was read out of the code's own comments, too.
READ_OUT = "scan"
# What readers tag the records of decisions with.
RECORD = "adr"
DECISION = "decision"
# What asks, is still to be done, or tells of what others did, does not replace what holds.
NO_HEIRS = frozenset(
    "question gap task incident summary handoff observation arc checkpoint conversation log commit document".split()
)


# The cosine of each two entries.
Cosines = Mapping[tuple[int, int], float]


@dataclass(frozen=True, slots=True)
class Kept:
    """A hit that is told: with what it replaced though nobody linked them, how many say the same, and the passage of a
    long text that answers."""

    hit: Hit
    replaced: tuple[tuple[Record, str], ...] = ()
    same: int = 0
    passage: str = ""
    by: str = ""  # the causal link by which it came

    @property
    def record(self) -> Record:
        return self.hit.record


@dataclass(slots=True)
class _Candidate:
    record: Record
    kept: Kept
    score: float
    relevance: float
    covered: float
    meaning: float
    # What drift takes from the score: what the code no longer bears out stands lower, and is told all the same.
    drifted: float = 0.0

    @property
    def in_time(self) -> float:
        return self.kept.hit.evidence.in_time if self.kept.hit.evidence else 0.0

    @property
    def named(self) -> float:
        return self.kept.hit.evidence.named if self.kept.hit.evidence else 0.0

    def replace(self, earlier: _Candidate, reason: str) -> None:
        """Take the place of an earlier one, and stand at least as high as it did."""
        hit = self.kept.hit
        gained = earlier.score - self.score
        if gained > 0:
            why = (*hit.why, ("in place of another", gained))
            hit, self.score = replace(hit, score=earlier.score, why=why), earlier.score
        self.relevance = max(self.relevance, earlier.relevance)
        self.covered = max(self.covered, earlier.covered)
        self.meaning = max(self.meaning, earlier.meaning)
        # What that one had replaced is replaced by this one too.
        replaced = (*earlier.kept.replaced, (earlier.record, reason))
        self.kept = replace(self.kept, hit=hit, replaced=(*self.kept.replaced, *replaced))


class Cut(NamedTuple):
    """What is told, best first; and for the others, by entry, why not."""

    told: list[Kept]
    left: Mapping[int, str]


def cut(question: Question, hits: Sequence[Hit], asked: Asked, vectors: Mapping[int, Vector]) -> Cut:
    judged = sorted((_judged(question, asked, hit) for hit in hits), key=_order)
    # What was brought because it is like one of the best, and not by the question, is looked at too.
    brought = [one for one in judged[LOOKED_AT:] if not one.kept.hit.why]
    rest = [one for one in judged[LOOKED_AT:] if one.kept.hit.why]
    left = {one.record.entry: f"{LOOKED_AT} others are more relevant" for one in rest}
    found = judged[:LOOKED_AT] + brought
    alike = cosines([one.record.entry for one in found], vectors)
    found = _current(question, found, alike, left)
    found = _once(question, found, alike, left)
    best = found[0] if found else None
    least = _share_of_best(len(question.terms)) * (best.score if best else 0.0)
    siblings = SIBLING_SHARE * least if best and best.covered >= SIBLING_COVERED else least
    told = []
    floors = {o.record.entry: siblings if best and o.covered >= best.covered else least for o in found}
    by_itself = [one for one in found if not _why_not(question, one, floors[one.record.entry])]
    is_timed = any(one.in_time > 0 for one in by_itself)
    known = frozenset(address for one in by_itself for address in _addresses(one.kept))
    for one in found:
        reason = _why_not(question, one, floors[one.record.entry], known)
        if is_timed and one.in_time < 0:
            reason = reason or "it was said at another time than is asked about"
        if reason:
            left[one.record.entry] = reason
        else:
            told.append(one.kept)
    return Cut(told, left)


def _addresses(kept: Kept) -> Iterator[str]:
    """Of what is told, and of what gave way to it."""
    yield kept.record.node.address
    yield from (record.node.address for record, _ in kept.replaced)


def _share_of_best(terms: int) -> float:
    """A long message is about several things, and no memory is about all of them."""
    beyond = min(1.0, max(0, terms - SHORT) / (LONG - SHORT))
    return SHARE_OF_BEST + beyond * (SHARE_OF_BEST_LONG - SHARE_OF_BEST)


def _order(one: _Candidate) -> tuple[float, float, int, str]:
    """What is called by its name first."""
    return (-one.named, -one.score, -one.record.last_at, one.record.node.address)


def _judged(question: Question, asked: Asked, hit: Hit) -> _Candidate:
    """The hit with the score and parts that relevance gives it."""
    found = relevance(question, asked, hit.record, hit.evidence or Evidence())
    text = sum([value for name, value in hit.why if name in Weights._fields]) or 1.0
    why = dict(reversed(hit.why))  # of two of a name the first
    quality = [(name, found.score * why[name] / text) for name in QUALITY if why.get(name)]
    reranked = [(name, value) for name, value in hit.why if name == RERANKER]
    retold = [("told from others", -SECOND_HAND * found.score)] if _is_second_hand(hit.record) else []
    parts = (*found.parts, *quality, *retold, *reranked)
    score = sum([value for _, value in parts])
    linked = next((name for name, _ in hit.why if name.startswith(LINKED_BY)), "")
    if linked and hit.score > score:
        parts, score = (*parts, (linked, hit.score - score)), hit.score
        found = found._replace(score=score)
    return _Candidate(
        hit.record,
        Kept(Hit(hit.record, score, parts, hit.evidence, hit.cause), passage=found.passage, by=hit.cause[0]),
        score,
        found.score,
        found.covered,
        hit.evidence.meaning if hit.evidence else 0.0,
        -dict(quality).get("drift", 0.0),
    )


def _why_not(question: Question, one: _Candidate, least: float, told: Set[str] = frozenset()) -> str:
    """Why it is not told; empty when it is. What is about a file at hand, is called by its name, or is of the kind and
    time that were asked for, needs no likeness, nor does a cause or an effect of what is told; anything else must speak
    of what was asked, and nearly as much as the best."""
    found = one.kept.hit.evidence
    if one.relevance < LEAST:
        return f"its relevance is {one.relevance:.2f}, and less than {LEAST:g} is about something else"
    is_at_hand = found is not None and found.at_hand and not is_in_passing(one.record)
    is_of_the_time = found is not None and found.in_time > 0
    if found is None or is_at_hand or found.named > 0 or (is_of_the_time and is_asked_for(question, one.record)):
        return ""
    if is_of_the_time and question.asks_for_whatever:
        return ""
    if one.kept.hit.cause[1] in told and found.in_time >= 0:
        return ""
    if one.score + one.drifted < least:
        return f"its relevance is {one.score:.2f}, too far behind the best for a message of this length ({least:.2f})"
    if one.covered < COVERED_MIN and one.meaning < MEANING_MIN:
        return f"it has {one.covered:.0%} of what was asked, and its meaning is not close ({one.meaning:.2f})"
    return ""


def _current(question: Question, found: list[_Candidate], alike: Cosines, left: dict[int, str]) -> list[_Candidate]:
    """Without what another of them replaced; that one stands at least as high as what it replaced did."""
    heirs: dict[int, tuple[float, _Candidate, str]] = {}
    asked = frozenset(question.terms)
    changing = [one for one in found if not _replaces_nothing(one.record) and may_replace(one.record.node.content)]
    for earlier in found:
        before = earlier.record
        if not before.standing.semantic or _is_read(before):
            continue  # it happened, whatever came later; and what was read from a file says what that file says
        for later in changing:
            after = later.record
            if after.last_at <= before.last_at or after.project != before.project:
                continue  # what one project decides changes nothing in another
            if later.score < HEIR_SHARE * earlier.score and not announced_in(after.node.content):
                continue
            if before.node.kind == DECISION and only_amends(after.node.content):
                continue  # both hold
            cosine = alike.get((before.entry, after.entry))
            answers = later.meaning >= max(MEANING_MIN, ANSWERS_TOO * earlier.meaning)
            change = replaces(after.node.content, before.node.content, cosine, asked, answers)
            if change and change.strength > heirs.get(before.entry, (0.0,))[0]:
                heirs[before.entry] = (change.strength, later, change.reason)
    for earlier in sorted(found, key=lambda one: one.record.last_at):
        if earlier.record.entry in heirs:
            _, later, reason = heirs[earlier.record.entry]
            later.replace(earlier, reason)
            left[earlier.record.entry] = f"{shown(later.record.node.address)} replaced it: {reason}"
    return sorted((one for one in found if one.record.entry not in heirs), key=_order)


def _once(question: Question, found: list[_Candidate], alike: Cosines, left: dict[int, str]) -> list[_Candidate]:
    """What says the same as a better one is only counted."""
    told: list[_Candidate] = []
    for one in found:
        same = next((better for better in told if _is_same(question, better, one, alike)), None)
        if same is None:
            told.append(one)
        else:
            same.kept = replace(same.kept, same=same.kept.same + 1)
            left[one.record.entry] = f"{shown(same.record.node.address)} says the same"
    return told


def _is_same(question: Question, better: _Candidate, one: _Candidate, alike: Cosines) -> bool:
    cosine = alike.get((better.record.entry, one.record.entry))
    texts = (better.record.node.content, one.record.node.content)
    if cosine is None or cosine < SAME_COSINE or better.record.project != one.record.project or changed_value(*texts):
        return False
    if one.record.node.kind == DECISION and only_amends(texts[0]) != only_amends(texts[1]):
        return False
    ours, theirs = subject(texts[0]), subject(texts[1])
    if len(ours ^ theirs) <= OPPOSITE_APART and negates(texts[0]) != negates(texts[1]):
        return False  # the same words, and the opposite
    shared = len(ours & theirs) / max(1, min(len(ours), len(theirs)))
    asked = frozenset(question.terms)
    return shared >= SAME_SHARED and asked & theirs <= ours and not is_parallel(ours, theirs, asked)


def _is_second_hand(record: Record) -> bool:
    return record.node.kind in ACCOUNTS or READ_OUT in record.standing.tags


def _replaces_nothing(record: Record) -> bool:
    """In a long text that was read from a file, some word of change always stands, about whatever it may be."""
    return record.node.kind in NO_HEIRS or READ_OUT in record.standing.tags or _is_read(record)


def _is_read(record: Record) -> bool:
    """Whether a reader took it from a file. A decision may also have been told at length."""
    return is_taken_in(record) and (record.node.kind != "decision" or RECORD in record.standing.tags)


def cosines(entries: Sequence[int], vectors: Mapping[int, Vector]) -> Cosines:
    """How alike each two of them are, where both have a vector."""
    known = [entry for entry in entries if entry in vectors]
    if not known:
        return {}
    import numpy as np

    rows = np.stack([vectors[entry] for entry in known])
    table = np.vecdot(rows[:, None], rows[None]).tolist()
    return {
        (one, other): value
        for one, row in zip(known, table, strict=True)
        for other, value in zip(known, row, strict=True)
    }
