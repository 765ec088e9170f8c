"""Search: ranked, without a cut. By text, by filters, or both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..model.errors import Invalid
from ..model.event import Head
from ..model.record import CURRENT, Filter
from ..model.standing import SUPERSEDED
from ..providers.embedder import Embedder
from ..search.find import Found as FoundBest
from ..search.find import Hit, find
from ..search.nearest_place import nearest_places
from ..search.question import Asked, Question
from ..store.protocol import Reader
from .amendments import Amendment, amendments
from .as_here import as_here
from .attribution import Origin, held_now, origins_of
from .engine import Asker, Engine, sequence
from .looking_again import quick_look_of
from .moment import moment
from .rivals import rivals_of

LIMIT_MAX = 1000
# How many are read for their meaning alone, and how many the quick embedder looks at where the better one did.
BY_MEANING, LOOKED_AGAIN = 10, 24
# Of these the place is shown that answers, with so many characters.
ANSWERED_IN_PLACE, ROOM = frozenset(("document", "code", "decision", "incident")), 560
# So many decisions that were replaced are found beside the rest, and so much of their score is left.
DECISION, REPLACED_MAX, REPLACED_SHARE = "decision", 4, 0.85
REPLACED, SUPERSEDES = "replaced", "supersedes"
KNOWN_MAX, EVENTS_LOOKED_AT = 64, 8
# What is kept as a node and says nothing of the project.
NOT_SEARCHED = frozenset(("view",))
# Said where nothing was found: what was asked for may have another form there.
OLD_WORDS = "an index of words that an older Marrow made: `marrow reindex words` makes it anew"


class Found(NamedTuple):
    """The hits, the moment that ages are reckoned from, how it was searched when something was missing, where they are
    from, by entry, what is known of the asked words, and by entry what took the place of the same, and what amended
    it."""

    hits: tuple[Hit, ...]
    now: int
    degraded: str = ""
    origins: Mapping[int, Origin] = {}
    asked: Asked = Asked({}, {})
    rivals: Mapping[int, tuple[str, ...]] = {}
    amended: Mapping[int, tuple[Amendment, ...]] = {}


def search(
    engine: Engine,
    asker: Asker,
    query: str,
    wanted: Filter,
    *,
    limit: int = 10,
    min_score: float = 0.0,
    as_of: object = None,
) -> Found:
    """The best records for a query under a filter; without a query, the latest that the filter leaves."""
    if not 1 <= limit <= LIMIT_MAX:
        raise Invalid(f"limit is a number from 1 to {LIMIT_MAX}.", field="limit")
    now = engine.clock()
    with engine.store.reading() as reader:
        seq = sequence(reader, asker, as_of, now)
        now = moment(reader, asker, seq, now, as_of)
        wanted = replace(wanted, projects=asker.principal.readable(wanted.projects))
        if not query.strip():
            entries = reader.select(asker.namespace, wanted, seq, now, limit)
            records = reader.records_of(entries, seq)
            records = as_here(engine, asker, records) if seq == CURRENT else records
            origins = origins_of(reader, asker, records, seq)
            amended = amendments(reader, asker, records, seq, origins)
            return Found(tuple(Hit(r, 0.0) for r in records), now, origins=origins, amended=amended)
        hidden = frozenset() if wanted.kinds else NOT_SEARCHED
        question = Question(
            query, asker.namespace, wanted, now, seq, limit, without_kinds=hidden, by_meaning=BY_MEANING
        )
        embedder = engine.searching(reader, asker.namespace, question.wanted.projects)
        found = find(reader, embedder, question, engine.rerank, quick_look_of(engine, embedder, LOOKED_AGAIN))
        replaced = _replaced(engine, reader, embedder, asker, question)
        every = _beside(reader, asker, found.hits, replaced, seq)[:limit] if replaced else found.hits
        shown = _where_it_answers(reader, question, found, every)
        hits = tuple(hit for hit in shown if not min_score or hit.score >= min_score)
        records = [hit.record for hit in hits]
        if seq == CURRENT:
            records = as_here(engine, asker, records)
            hits = tuple(replace(hit, record=record) for hit, record in zip(hits, records, strict=True))
        origins = origins_of(reader, asker, records, seq)
        rivals = rivals_of(reader, asker.namespace, records, wanted.projects, seq, now)
        degraded = found.degraded or (OLD_WORDS if not hits and engine.store.has_old_words() else "")
        amended = amendments(reader, asker, records, seq, origins)
        return Found(hits, now, degraded, origins, found.asked, rivals, amended)


def _where_it_answers(reader: Reader, question: Question, found: FoundBest, hits: Sequence[Hit]) -> Sequence[Hit]:
    """These, each long text with the place that means what was asked, where that is another than the one where the
    words stand closest together: there a thing is often only mentioned. What was spoken or drawn is shown where it was
    said."""
    worded = {
        hit.record.entry: (hit.record, found.asked, hit.evidence.place)
        for hit in hits
        if hit.record.node.kind in ANSWERED_IN_PLACE and hit.evidence is not None and hit.evidence.place is not None
    }
    places = nearest_places(reader, found.vector, question, list(worded.values()), ROOM)
    others = {entry: one for entry, one in places.items() if not one.start <= worded[entry][2].start < one.end}
    return [
        replace(hit, evidence=replace(hit.evidence, place=others[hit.record.entry]))
        if hit.evidence is not None and hit.record.entry in others
        else hit
        for hit in hits
    ]


def _replaced(engine: Engine, reader: Reader, embedder: Embedder, asker: Asker, question: Question) -> Sequence[Hit]:
    """Decision records that another took the place of, and whose files are still there: they say why it is so now, and
    what was left. They are found a little behind what holds."""
    wanted = question.wanted
    is_left_out = wanted.include_superseded or question.is_pattern or question.seq != CURRENT
    if is_left_out or (wanted.kinds and DECISION not in wanted.kinds):
        return ()
    within = replace(wanted, kinds=(DECISION,), include_superseded=True)
    among = _still_there(engine, reader, asker, within, question.now)
    if not among:
        return ()
    asked = replace(question, wanted=within, limit=REPLACED_MAX, among=among)
    hits = [hit for hit in find(reader, embedder, asked, engine.rerank).hits if hit.record.entry in among]
    # That a file is gone which said what was replaced already changes nothing else.
    there = held_now(reader, asker, [hit.record for hit in hits])
    return [_lowered(hit, hit.score * REPLACED_SHARE) for hit in hits if hit.record.entry in there]


def _beside(reader: Reader, asker: Asker, hits: Sequence[Hit], replaced: Sequence[Hit], seq: int) -> list[Hit]:
    """All of them: the others in their order, and among them by its score what was replaced, but behind what took its
    place, where that is found too."""
    addresses = [hit.record.node.address for hit in replaced]
    heirs: dict[str, set[str]] = {}
    for link in reader.links(asker.namespace, addresses, asker.principal.readable(None), seq):
        if link.rel == SUPERSEDES:
            heirs.setdefault(link.target, set()).add(link.source)
    found = list(hits)
    for hit in replaced:
        after = heirs.get(hit.record.node.address, ())
        heir = max((at for at, one in enumerate(found) if one.record.node.address in after), default=-1)
        lower = next((at for at, one in enumerate(found) if one.score < hit.score), len(found))
        kept = hit if heir < lower else _lowered(hit, found[heir].score)
        found.insert(max(lower, heir + 1), kept)
    return found


def _still_there(engine: Engine, reader: Reader, asker: Asker, within: Filter, now: int) -> frozenset[int]:
    """The records that were replaced and whose files still say them: none, nearly everywhere. Looked up again when
    something changed that may be a decision, or for somebody who is held to a view."""
    key, head = (asker.principal, within), reader.head(asker.namespace)
    known = engine.replaced.get(key)
    if known is not None and known[0].hash == head.hash:
        return known[1]
    if known is not None and not asker.principal.held_to and _is_of_others(reader, asker, known[0], head):
        found = known[1]
    else:
        every = reader.select(asker.namespace, within, CURRENT, now)
        active = reader.select(asker.namespace, replace(within, include_superseded=False), CURRENT, now)
        records = reader.records_of(sorted({*every}.difference(active)), CURRENT)
        gone = [record for record in records if record.standing.state == SUPERSEDED]
        found = held_now(reader, asker, gone)
    if len(engine.replaced) >= KNOWN_MAX:
        engine.replaced.clear()
    engine.replaced[key] = (head, found)
    return found


def _is_of_others(reader: Reader, asker: Asker, before: Head, now: Head) -> bool:
    """Whether what happened since surely was about no decision."""
    if not before.seq < now.seq <= before.seq + EVENTS_LOOKED_AT:
        return False
    events = list(reader.events(asker.namespace, before.seq, now.seq))
    touched = [one.address for event in events for one in event.touched]
    if not events or events[0].previous != before.hash or None in touched:  # of another chain, or erased
        return False
    placed = reader.placed(asker.namespace, [address for address in touched if address])
    kinds = reader.kinds_of([entry for entries in placed.values() for entry in entries])
    return DECISION not in kinds.values()


def _lowered(hit: Hit, score: float) -> Hit:
    why = [part for part in hit.why if part[0] != REPLACED]
    return replace(hit, score=score, why=(*why, (REPLACED, score - sum(value for _, value in why))))
