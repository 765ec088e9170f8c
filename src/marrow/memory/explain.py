"""Explain: why a memory would or would not be recalled for a message."""

from __future__ import annotations

from typing import NamedTuple

from ..model.record import CURRENT, Filter, Record
from ..search.find import find
from ..search.question import Question
from ..store.terms import query_terms, terms_of
from .engine import Asker, Engine, resolve
from .recall import Recalled, recall


class Explained(NamedTuple):
    """`rank` is its place among all that was searched, 0 when it was not even a candidate."""

    record: Record
    recalled: bool
    rank: int
    score: float
    why: tuple[tuple[str, float], ...]
    shared: tuple[str, ...]
    reasons: tuple[str, ...]


def explain(engine: Engine, asker: Asker, address: object, message: str) -> Explained:
    now = engine.clock()
    with engine.store.reading() as reader:
        record = resolve(reader, asker, address)
        wanted = Filter(projects=asker.places(), include_superseded=True)
        hits = find(
            reader,
            engine.asking(reader, asker.namespace, wanted.projects),
            Question(message, asker.namespace, wanted, now, CURRENT, 1000),
            engine.rerank,
        ).hits
    given = recall(engine.uncounted(), asker, message)
    recalled = {r.entry for r in given.pinned + given.questions} | {kept.record.entry for kept in given.relevant}
    rank = next((i for i, hit in enumerate(hits, 1) if hit.record.entry == record.entry), 0)
    hit = hits[rank - 1] if rank else None
    shared = tuple(sorted(set(query_terms(message)).intersection(terms_of(record.node.content))))
    reasons = _reasons(record, given, rank, shared, record.entry in recalled, now)
    return Explained(
        record, record.entry in recalled, rank, hit.score if hit else 0.0, hit.why if hit else (), shared, reasons
    )


def _reasons(
    record: Record, given: Recalled, rank: int, shared: tuple[str, ...], recalled: bool, now: int
) -> tuple[str, ...]:
    found = []
    if not record.standing.is_active(now):
        state = record.standing.state if record.standing.state != "active" else "expired"
        found.append(f"It is {state}: only what is active is recalled.")
    if not given.depth:
        found.append("The message asks for nothing: it has no word that could be looked for.")
    if record.standing.pinned:
        found.append("It is pinned.")
    if shared:
        found.append(f"It shares {', '.join(shared[:8])} with the message.")
    elif rank:
        found.append("It shares no word with the message; it came by its meaning or its thread.")
    else:
        found.append("It shares no word with the message and is not close to it in meaning.")
    if rank and not recalled and record.standing.is_active(now) and given.depth:
        why_not = given.left.get(record.entry, "others are more relevant")
        found.append(f"It is number {rank} in the ranking, and is not told: {why_not}.")
    if record.standing.drift:
        sinks = "" if record.standing.drift == "moved" else ": it sinks"
        found.append(f"The code it is anchored to has {record.standing.drift}{sinks}.")
    return tuple(found)
