"""Finding records for a text: candidates, what speaks for each of them, the signals, and what replaced what.

Scores are calibrated, not ranks: an equal-weight fusion of ranks measured worse than words alone. Each is the sum of
parts that can be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from ..model.errors import MarrowError
from ..model.link import CAUSAL_RELS, HISTORY_RELS
from ..model.record import CURRENT, Record
from ..providers.embedder import Embedder
from ..store.protocol import Reader, Use
from ..store.terms import terms_of
from .best_passage import Sought
from .evidence import Evidence, is_placed, read, words_in_place
from .gather import gather
from .intent import intent_of
from .later import LOOKED_AT, amends, later_first
from .question import Asked, Question
from .signals import usual_use, weigh
from .weights import COMMIT, LEARNED, is_taken_in

if TYPE_CHECKING:
    from ..store.protocol import Vector
    from .second_look import SecondLook

# How many more than asked for are read and weighed, which may change their order.
RESERVE = 12
# From how many of the best links are followed, how far, and what is left of a score one step on.
SOURCES = 5
CAUSAL_STEPS = 2
CAUSAL_DECAY, LOOSE_DECAY = 0.6, 0.3
# How many of the best a reranker is asked about, and what its full approval adds.
RERANKED = 20
LINKED_BY, RERANKER = "linked by ", "reranker"
# A signal that moves less than this says nothing.
NOTHING = 1e-4
NEVER = Use()
PATHS_KEPT = 4_096
RERANK_WEIGHT = 0.5

Rerank = Callable[[str, Sequence[str]], list[float] | None]
# By entry, what reads a long text and gives its hit.
Unread = Mapping[int, Callable[[], "Hit"]]


@dataclass(frozen=True, slots=True)
class Hit:
    """A record found, its score, and what each part contributed: the parts add up to the score."""

    record: Record
    score: float
    why: tuple[tuple[str, float], ...] = ()
    evidence: Evidence | None = None
    cause: tuple[str, str] = ("", "")  # a causal link to one of the best, and the address of that one

    def part(self, name: str) -> float:
        return next((value for known, value in self.why if known == name), 0.0)


class Found(NamedTuple):
    """The best, best first, what is known of the asked terms where it was searched, and the question's vector, where
    there are vectors to ask."""

    hits: list[Hit]
    asked: Asked
    degraded: str = ""
    vector: Vector | None = None


def find(
    reader: Reader,
    embedder: Embedder,
    question: Question,
    rerank: Rerank | None = None,
    look: SecondLook | None = None,
) -> Found:
    """The best records for a text; complete under any filter."""
    within = _within(reader, question)
    allowed = None if within is None else set(within)
    found, known, asked, interval, degraded, vector = gather(reader, embedder, question, within)
    first = found.ranked(LEARNED)
    chosen = [e for e in first if (allowed is None or e in allowed) and e not in question.without]
    if question.without_kinds:
        chosen = _of_other_kinds(reader, question, chosen)
    read_first = chosen[: question.limit + RESERVE]
    # What is near in meaning is read too: of some kinds it says more than words do.
    rest = chosen[len(read_first) :]
    if question.by_meaning:
        read_first += found.nearest(rest, question.by_meaning)
    later = frozenset(read_first)
    # What was said in the time that is asked about, or is called by its name, is read whatever it says.
    read_first += [entry for entry in found.meant(rest) if entry not in later]
    evidence = {entry: found.evidence(entry) for entry in read_first}
    enough = max(question.limit, SOURCES, RERANKED if rerank else 0, look.first if look else 0)
    hits, unread = _weighed(reader, question, asked, evidence, read_first, known, interval, enough)
    best: dict[int, Hit] = {}
    # What is linked first: of two that score the same, it says more.
    for hit in sorted(_linked(reader, question, hits, unread, allowed) + hits, key=_order):
        best.setdefault(hit.record.entry, hit)
    if look is not None:
        seen = look.again(reader, embedder, question, list(best.values()))
        best = {hit.record.entry: hit for hit in sorted(seen, key=_order)}
    if rerank is not None:
        best = _reranked(question, best, rerank)
    return Found(later_first(list(best.values()))[: question.limit], asked, degraded, vector)


def _reranked(question: Question, hits: dict[int, Hit], rerank: Rerank) -> dict[int, Hit]:
    """With what a reranker says of the best; as they were when it had not the time."""
    first = list(hits.values())[:RERANKED]
    try:
        scores = rerank(question.subject, [hit.record.node.content for hit in first]) if first else None
    except MarrowError:
        return hits  # one that cannot run must not silence what was found without it
    if scores is None:
        return hits
    for hit, score in zip(first, scores, strict=True):
        gained = RERANK_WEIGHT * score
        hits[hit.record.entry] = replace(hit, score=hit.score + gained, why=(*hit.why, (RERANKER, gained)))
    return {hit.record.entry: hit for hit in sorted(hits.values(), key=_order)}


def _order(hit: Hit) -> tuple[float, int, str]:
    return (-hit.score, -hit.record.last_at, hit.record.node.address)


def _within(reader: Reader, question: Question) -> list[int] | None:
    """The entries that a filter leaves; None when it leaves whatever is active now, which the indexes know."""
    if question.among:
        return sorted(question.among)
    if question.seq == CURRENT and question.wanted.is_plain():
        return None
    return reader.select(question.namespace, question.wanted, question.seq, question.now)


def _of_other_kinds(reader: Reader, question: Question, chosen: list[int]) -> list[int]:
    """These, in their order, without those of the kinds that are not wanted as far as is looked at first."""
    enough, found, looked_at = question.limit + RESERVE, list[int](), 0
    while len(found) < enough and looked_at < len(chosen):
        some = chosen[looked_at : looked_at + enough]
        looked_at += len(some)
        kinds = reader.kinds_of(some)
        found += [entry for entry in some if entry in kinds and kinds[entry] not in question.without_kinds]
    return found + chosen[looked_at:]


def _weighed(
    reader: Reader,
    question: Question,
    asked: Asked,
    evidence: Mapping[int, Evidence],
    entries: list[int],
    known: Mapping[int, Record],
    interval: tuple[int, int] | None,
    enough: int,
) -> tuple[list[Hit], Unread]:
    """The hits; and of long texts those that cannot be among the best `enough`, to be read when they are needed."""
    missing = [entry for entry in entries if entry not in known]
    records = {record.entry: record for record in reader.records_of(missing, question.seq)} | dict(known)
    wanted = [records[entry] for entry in entries if entry in records and _is_wanted(question, records[entry])]
    for record in wanted:
        read(question, record, evidence[record.entry], interval)
    if interval and not any(evidence[record.entry].in_time > 0 for record in wanted):
        for record in wanted:  # nothing was said then: that says nothing about any of them
            evidence[record.entry].in_time = 0.0
    _name_files(reader, question, asked, wanted, evidence)
    uses, after = reader.uses([record.entry for record in wanted]), intent_of(question.text)
    usual = usual_use(uses.values())

    def hit(record: Record) -> Hit:
        use = uses.get(record.entry, NEVER)
        return _hit(record, evidence[record.entry], weigh(record, use, question.now, after, usual), question)

    placed = [record for record in wanted if is_placed(question, record)]
    hits = [hit(record) for record in wanted if not is_placed(question, record)]
    sought = Sought.of(asked.rarities, asked.most)
    terms, where = [term for term, _ in sought.heads], question.wanted.projects
    holding = reader.holding(question.namespace, terms, where, [record.entry for record in placed]) if placed else {}
    soughts = [sought.held_by(record.entry, holding) for record in placed]
    return _placed(list(zip(placed, soughts, strict=True)), evidence, hit, hits, enough)


def _name_files(
    reader: Reader, question: Question, asked: Asked, records: Sequence[Record], evidence: Mapping[int, Evidence]
) -> None:
    """What the names of the files say that these were read from. Many a question about code has no other word of it."""
    read = [record for record in records if is_taken_in(record) and record.node.kind != COMMIT]
    if not read or question.is_pattern or question.seq != CURRENT:
        return
    entries = {(record.project, record.node.address): record.entry for record in read}
    covered = asked.covering(question.terms)
    addresses = [record.node.address for record in read]
    for source in reader.sources_of(question.namespace, addresses, question.wanted.projects):
        if (entry := entries.get((source.project, source.address))) is not None:
            in_name, in_path = _terms_of_path(source.path)
            said = (covered(in_name) + covered(in_path)) / 2
            evidence[entry].filed = max(evidence[entry].filed, said)


@lru_cache(maxsize=PATHS_KEPT)
def _terms_of_path(path: str) -> tuple[frozenset[str], frozenset[str]]:
    """Those of the name of a file, and with those of its folders."""
    folder, _, name = path.rpartition("/")
    in_name = frozenset(terms_of(name.partition(".")[0]))
    return in_name, in_name.union(terms_of(folder))


def _placed(
    records: Sequence[tuple[Record, Sought]],
    evidence: Mapping[int, Evidence],
    hit: Callable[[Record], Hit],
    others: list[Hit],
    enough: int,
) -> tuple[list[Hit], Unread]:
    """The others and the hits of long texts, as far as they can be among the best `enough`. To find the best passage of
    a text takes long; what no passage of it can exceed is known at once. So those that could score most are looked at
    first, until no other could reach what was found; and what amends others, which may be put before them."""
    waiting: list[tuple[float, Record, Callable[[], Hit]]] = []
    for record, sought in records:
        found = evidence[record.entry]
        words, found.words = found.words, words_in_place(record, found.words, sought.share_at_most())
        waiting.append((hit(record).score, record, partial(_read, sought, record, found, words, hit)))
    waiting.sort(key=lambda one: (-one[0], one[1].entry))
    hits, unread = list(others), dict[int, Callable[[], Hit]]()
    scores = sorted((other.score for other in others), reverse=True)[:enough]
    for place, (at_most, record, look) in enumerate(waiting):
        is_behind = len(scores) == enough and at_most < scores[-1]
        if is_behind and not (place < LOOKED_AT and amends(record)):
            unread[record.entry] = look
            continue
        hits.append(look())
        scores = sorted((*scores, hits[-1].score), reverse=True)[:enough]
    return hits, unread


def _read(sought: Sought, record: Record, found: Evidence, words: float, hit: Callable[[Record], Hit]) -> Hit:
    """The hit of a long text, which had so many of the words, by its best passage."""
    names = terms_of(" ".join(record.standing.aliases)) if record.standing.aliases else ()
    found.place = sought.best_passage(record.node.content, names)
    found.words = words_in_place(record, words, found.place.share if found.place else 0.0)
    return hit(record)


def _is_wanted(question: Question, record: Record) -> bool:
    if record.node.kind in question.without_kinds:
        return False
    return question.wanted.include_superseded or record.standing.is_active(question.now)


def _hit(record: Record, found: Evidence, signals: Sequence[tuple[str, float]], question: Question) -> Hit:
    parts = found.parts(record, len(question.terms))
    text = score = sum([value for _, value in parts])
    for name, factor in signals:
        if abs(factor - 1.0) >= NOTHING:
            gained = max(0.0, text) * (factor - 1.0)
            parts.append((name, gained))
            score += gained
    return Hit(record, score, tuple(parts), found)


def _linked(reader: Reader, question: Question, hits: list[Hit], unread: Unread, allowed: set[int] | None) -> list[Hit]:
    """What the best are linked to, with what is left of their score; causes are followed further than relations."""
    reached: dict[str, tuple[float, str, str]] = {}
    frontier = {hit.record.node.address: hit.score for hit in sorted(hits, key=_order)[:SOURCES]}
    for step in range(CAUSAL_STEPS):
        links = (
            reader.links(question.namespace, list(frontier), question.wanted.projects, question.seq) if frontier else ()
        )
        onward: dict[str, float] = {}
        for link in links:
            is_causal = link.rel in CAUSAL_RELS
            if link.rel in HISTORY_RELS or (step and not is_causal):
                continue
            for source, target in ((link.source, link.target), (link.target, link.source)):
                score = frontier.get(source, 0.0) * (CAUSAL_DECAY if is_causal else LOOSE_DECAY)
                if score > reached.get(target, (0.0,))[0]:
                    reached[target] = (score, link.rel, reached[source][2] if step else source)
                    if is_causal:
                        onward[target] = score
        frontier = onward
    if not reached:
        return []
    found = []
    known = {hit.record.entry: hit for hit in hits}
    for record in reader.records(question.namespace, list(reached), question.wanted.projects, question.seq):
        if (allowed is not None and record.entry not in allowed) or record.entry in question.without:
            continue
        score, rel, source = reached[record.node.address]
        before = unread[record.entry]() if record.entry in unread else known.get(record.entry)
        if not _is_wanted(question, record):
            continue
        cause = (rel, source) if rel in CAUSAL_RELS and source != record.node.address else ("", "")
        if before and before.score >= score:  # it was found by itself, and better: the link is still worth knowing
            found.append(replace(before, cause=cause))
            continue
        own = before.why if before else ()
        why = (*own, (f"{LINKED_BY}{rel}", score - (before.score if before else 0.0)))
        found.append(Hit(record, score, why, before.evidence if before else Evidence(), cause))
    return found
