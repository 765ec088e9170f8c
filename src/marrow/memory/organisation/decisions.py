"""Decisions: by topic, service and status. The status is what the record's file says now."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ...model.errors import Invalid
from ...model.nearest import nearest
from ...model.record import Filter
from ...model.standing import SUPERSEDED
from ...search.central import is_central
from ...search.cut import LEAST
from ...search.evidence import Evidence
from ...search.find import Hit, find
from ...search.later import later_first
from ...search.question import Asked, Question
from ...search.relevance import relevance
from ...store.protocol import Reader
from ...store.terms import terms_of
from ..engine import Asker, Engine, sequence
from ..moment import moment
from ..telling.current import current
from .answering_place import answering
from .attributed import Attributed, attribute, attributed_here
from .services import check_service

KIND, DOMAIN = "decision", "decisions"
# What somebody saved in the domain of decisions is one, though it is of another kind. What was only seen there is not.
SAID_KINDS = ("claim", "learning", "preference")
STATUSES = ("proposed", "accepted", "rejected", "deprecated", "archived", SUPERSEDED)
ALL, NO_STATUS = "all", "none"
LIMIT_MAX, LOOKED_AT = 200, 1_000
# So many of the latest are held against those that are told, to see which of them were changed since.
HELD_AGAINST = 200
# None is about a topic that says far less of it than the best.
SHARE_OF_BEST = 0.5
# Where none is plainly about it: how near in meaning a decision is at least to be told as one of the nearest, also
# beside the nearest, and how many are. What has nothing to do with a topic of one or two words rarely comes so near.
NEAR_MEANING, NEAR_SHARE, NEAR_MAX = 0.15, 0.4, 3
# What says the topic once is not about it where another comes so many times nearer in meaning, and none says more.
NEARER = 1.5
# A text of a single word comes near to anything.
WORDS_LEAST = 2


class Decisions(NamedTuple):
    """Those that were asked for, and how many there are of them; `statuses` counts all that there are by status,
    `mentioned` those that only mention the topic. With `is_near` none is plainly about it, and `items` are those that
    come nearest to it."""

    items: tuple[Attributed, ...]
    total: int
    now: int
    statuses: tuple[tuple[str, int], ...] = ()
    degraded: str = ""
    mentioned: int = 0
    is_near: bool = False

    @property
    def every(self) -> int:
        return sum(count for _, count in self.statuses)


def decisions(
    engine: Engine,
    asker: Asker,
    wanted: Filter,
    *,
    topic: str = "",
    status: str = "",
    limit: int = 5,
    as_of: object = None,
) -> Decisions:
    """Those about a topic, the best first; or the latest. Those that another took the place of are told when they are
    asked for."""
    if not 1 <= limit <= LIMIT_MAX:
        raise Invalid(f"limit is a number from 1 to {LIMIT_MAX}.", field="limit")
    now = engine.clock()
    found = _Found({}, frozenset())
    with engine.store.reading() as reader:
        seq = sequence(reader, asker, as_of, now)
        now = moment(reader, asker, seq, now, as_of)
        projects = asker.principal.readable(wanted.projects)
        service = check_service(reader, asker, projects, wanted.service, seq, now) if wanted.service else ""
        chosen = replace(wanted, projects=projects, service=service, include_superseded=True)
        sorts = (replace(chosen, kinds=(KIND,)), replace(chosen, kinds=SAID_KINDS, domains=(DOMAIN,)))
        entries = [reader.select(asker.namespace, sort, seq, now, LOOKED_AT) for sort in sorts]
        hits = [Hit(record, 0.0) for some in entries for record in reader.records_of(some, seq)]
        if topic.strip():
            asked_of = [sort for sort, some in zip(sorts, entries, strict=True) if some]
            questions = [Question(topic, asker.namespace, sort, now, seq, LOOKED_AT) for sort in asked_of]
            found = _about(engine, reader, questions)
            hits = [found.hits.get(hit.record.entry, hit) for hit in hits]
        known = [one for one in attribute(reader, asker, hits, seq, service=service) if one.holds(now)]
    counts = Counter(map(_status, known))
    asked = _asked(status, counts)
    told = [one for one in known if _is_asked(one, asked)]
    statuses = tuple(sorted(counts.items()))
    if not topic.strip():
        told.sort(key=lambda one: (not one.is_dated, -one.at, one.record.node.address))
        items = _marked(engine, attributed_here(engine, asker, told[:limit], seq), known)
        return Decisions(items, len(told), now, statuses, found.degraded)
    mentioned = sum(one.record.entry in found.mentioned for one in told)
    about = _in_order(told, [entry for entry in found.hits if entry not in found.mentioned])
    shown = about or _in_order(told, found.nearest)[:NEAR_MAX]
    answers = [answering(one, topic, found.known) if one.place else one for one in shown[:limit]]
    items = _marked(engine, attributed_here(engine, asker, answers, seq), known)
    is_near = bool(items) and not about
    return Decisions(items, len(about), now, statuses, found.degraded, mentioned, is_near)


def _marked(engine: Engine, told: Sequence[Attributed], known: Sequence[Attributed]) -> tuple[Attributed, ...]:
    """These, and of each what changed it since, though nobody linked the two: as the start of a session knows it. Of
    one without a day nobody knows what came before it."""
    held = {one.record.entry: one.record for one in known if not one.is_superseded and one.is_dated}
    latest = sorted(held.values(), key=lambda record: -record.last_at)[:HELD_AGAINST]
    compared = {record.entry: record for record in (*(one.record for one in told if one.record.entry in held), *latest)}
    with engine.store.reading() as reader:
        changed = current(reader, list(compared.values())).changed
    by = {entry: compared[later] for entry, later in changed.items()}
    return tuple(replace(one, changed_by=by.get(one.record.entry)) for one in told)


def _in_order(told: Sequence[Attributed], entries: Sequence[int]) -> list[Attributed]:
    """Those of these entries, in their order."""
    order = {entry: place for place, entry in enumerate(entries)}
    return sorted((one for one in told if one.record.entry in order), key=lambda one: order[one.record.entry])


class _Found(NamedTuple):
    """What speaks of a topic, by entry and the best first; those of them that only mention it, and those that come
    nearest to it, whether they have its words or not."""

    hits: dict[int, Hit]
    mentioned: frozenset[int]
    degraded: str = ""
    nearest: tuple[int, ...] = ()
    known: Asked = Asked({}, {})


def _about(engine: Engine, reader: Reader, questions: Sequence[Question]) -> _Found:
    """What answers the same question about each of several sorts, by how well it does."""
    near: list[tuple[Hit, float, bool]] = []  # with how relevant it is, and whether it is about that
    plainly = False
    meant: list[tuple[float, int]] = []
    known, degraded = Asked({}, {}), ""
    for question in questions:
        embedder = engine.asking(reader, question.namespace, question.wanted.projects)
        hits, known, degraded, _ = find(reader, embedder, question, engine.rerank)
        for hit in hits:
            found = hit.evidence or Evidence()
            score = relevance(question, known, hit.record, found).score
            near += [(hit, score, is_central(question, known, hit))] if score >= LEAST else []
            plainly = plainly or (score >= LEAST and is_central(question, known, hit, plainly=True))
            if _says_enough(hit.record.node.content):
                meant.append((found.meaning, hit.record.entry))
    if len(questions) > 1:
        near.sort(key=lambda one: -one[0].score)
        order = {hit.record.entry: at for at, hit in enumerate(later_first([hit for hit, _, _ in near]))}
        near.sort(key=lambda one: order[one[0].record.entry])
    least = max(LEAST, SHARE_OF_BEST * max((score for _, score, _ in near), default=0.0))
    passing = [hit.record.entry for hit, score, is_about in near if score < least or not is_about]
    meant.sort(reverse=True)
    nearest = [entry for value, entry in meant if value >= max(NEAR_MEANING, NEAR_SHARE * meant[0][0])]
    if nearest and not plainly:
        once = {hit.record.entry: hit.evidence.meaning for hit, _, _ in near if hit.evidence}
        once = {entry: value for entry, value in once.items() if value * NEARER <= meant[0][0]}
        passing += once
        nearer = [entry for value, entry in meant if value >= NEARER * max(once.values(), default=0.0)]
        nearest = [*nearer, *once, *nearest] if once else nearest
    every = {hit.record.entry: hit for hit, _, _ in near}
    return _Found(every, frozenset(passing), degraded, tuple(dict.fromkeys((*nearest, *passing))), known)


def _says_enough(content: str) -> bool:
    return len(terms_of(content[:200])) >= WORDS_LEAST


def _status(one: Attributed) -> str:
    return SUPERSEDED if one.is_superseded else one.status or NO_STATUS


def _is_asked(one: Attributed, asked: str) -> bool:
    if asked == ALL:
        return True
    return _status(one) == asked if asked else _status(one) != SUPERSEDED


def _asked(status: str, counts: Counter[str]) -> str:
    given = status.strip().lower()
    known = tuple(dict.fromkeys((*STATUSES, *sorted(counts), ALL)))
    if not given or given in known:
        return given
    near = nearest(given, known)
    hint = f"One of {', '.join(known)}.{f' Did you mean {near}?' if near else ''}"
    raise Invalid(f"No decision has the status {status.strip()[:60]!r}.", hint=hint, field="status")
