"""Recall: what matters for this message now, and nothing when nothing matters."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ..model.errors import Invalid
from ..model.record import CURRENT, Filter, Record
from ..model.scope import READ
from ..search.cut import Kept, cut
from ..search.evidence import Evidence
from ..search.find import Hit, find
from ..search.question import Question
from ..search.replaced import ANNOUNCED, announced_in
from ..store.protocol import Reader
from ..store.terms import query_terms, terms_of
from .amendments import Amendment, amendments
from .as_here import as_here
from .attribution import TAKEN_IN, Origin, origins_of
from .engine import Asker, Engine
from .feedback import catch_up
from .rivals import rivals_of

if TYPE_CHECKING:
    from ..store.protocol import Vector

PINNED_MAX = 5
# What comes after so many characters of a message does not change what it is about.
MESSAGE_MAX = 8_000
QUESTIONS_MAX = 3
QUESTION_KINDS = ("question", "gap")
DEPTHS = ((0, 0), (2, 3), (5, 5), (10, 8))
DEPTH_MAX = 12
# How many are found for the cut to choose from.
FOUND = 12
# The tag of what tells of a session as a whole. A new session is told it at its start; recall is about what is known,
# and a question that a session asked must not come back as its own answer. Where some are in the way, they are left out
# and it is asked again, for so many more: others may be behind them.
ACCOUNT, ACCOUNTS = "session-account", 6
# For how many of the best later ones are looked for, and how many of those like it are looked at.
RENEWED, LIKE_IT = 1, 6
# What scores less is hardly ever told.
WORTH_RENEWING = 0.4


# An agent has the code before it and can search it: told unasked, it is noise. Search and ask find it.
NOT_RECALLED = frozenset(("code", "log", "view"))


class Recalled(NamedTuple):
    """In tiers. `depth` is how many the message was worth; `left` says why others that were found are not told, and
    `rivals`, by entry, what took the place of the same as one that is told; `amended` what amended it."""

    pinned: tuple[Record, ...]
    relevant: tuple[Kept, ...]
    questions: tuple[Record, ...]
    depth: int
    left: Mapping[int, str]
    degraded: str = ""
    origins: Mapping[int, Origin] = {}
    rivals: Mapping[int, tuple[str, ...]] = {}
    amended: Mapping[int, tuple[Amendment, ...]] = {}


def recall(
    engine: Engine,
    asker: Asker,
    message: str,
    *,
    wanted: Filter | None = None,
    files: Sequence[str] = (),
    symbols: Sequence[str] = (),
    limit: int | None = None,
) -> Recalled:
    """What the memory has to say about a message. Counts what it gave, so that what is never used can sink."""
    if limit is not None and not 1 <= limit <= 100:
        raise Invalid("limit is a number from 1 to 100.", field="limit")
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    now = engine.clock()
    wanted = wanted or Filter(projects=asker.places())
    wanted = replace(wanted, projects=asker.principal.readable(wanted.projects))
    text = " ".join([message, *symbols])[:MESSAGE_MAX]
    depth = _depth(text)
    with engine.store.reading() as reader:
        if not depth:
            return Recalled((), (), (), 0, {})
        pinned = _pinned(reader, asker, wanted, now)
        taken = frozenset(record.entry for record in pinned)
        question = Question(
            text,
            asker.namespace,
            wanted,
            now,
            limit=FOUND,
            without=taken,
            at_hand=(*files, *symbols),
            without_kinds=frozenset() if wanted.kinds else NOT_RECALLED,
        )
        embedder = engine.asking(reader, asker.namespace, wanted.projects)
        hits, asked, degraded, _ = find(reader, embedder, question, engine.rerank)
        if accounts := [hit for hit in hits if ACCOUNT in hit.record.standing.tags]:
            taken |= {hit.record.entry for hit in accounts}
            question = replace(question, limit=FOUND + ACCOUNTS, without=taken)
            hits, asked, degraded, _ = find(reader, embedder, question, engine.rerank)
        vectors = dict(reader.vectors_of([hit.record.entry for hit in hits]))
        if renewed := _later(reader, question, hits, vectors):
            hits += renewed
            vectors |= reader.vectors_of([hit.record.entry for hit in renewed])
    # Each tier by itself: a question that is still open must not hide what is known.
    asking = [hit for hit in hits if hit.record.node.kind in QUESTION_KINDS]
    open_ones = cut(question, asking, asked, vectors)
    knowing = [h for h in hits if h.record.node.kind not in QUESTION_KINDS and ACCOUNT not in h.record.standing.tags]
    relevant = cut(question, knowing, asked, vectors)
    chosen = relevant.told[: min(depth, limit) if limit else depth]
    catch_up(engine)
    engine.gave(asker, [kept.record for kept in chosen], text)
    questions = tuple(kept.record for kept in open_ones.told[:QUESTIONS_MAX])
    left = {**open_ones.left, **relevant.left}
    told = [kept.record for kept in chosen]
    here = {one.entry: one for one in as_here(engine, asker, [*pinned, *told, *questions])}
    pinned, questions = [here[one.entry] for one in pinned], tuple(here[one.entry] for one in questions)
    chosen = [replace(kept, hit=replace(kept.hit, record=here[kept.record.entry])) for kept in chosen]
    ingested = [record for record in told if record.node.kind in TAKEN_IN]
    origins: Mapping[int, Origin] = {}
    rivals: Mapping[int, tuple[str, ...]] = {}
    amended: Mapping[int, tuple[Amendment, ...]] = {}
    if told:
        with engine.store.reading() as reader:
            rivals = rivals_of(reader, asker.namespace, told, wanted.projects, CURRENT, now)
            origins = origins_of(reader, asker, ingested) if ingested else {}
            amended = amendments(reader, asker, told, CURRENT, origins)
    return Recalled(tuple(pinned), tuple(chosen), questions, depth, left, degraded, origins, rivals, amended)


def _later(reader: Reader, question: Question, hits: Sequence[Hit], vectors: Mapping[int, Vector]) -> list[Hit]:
    """What was said later and is like one of the best, though the question's words do not find it: a change is often
    told in other words than what it changes. The cut decides whether it replaces anything."""
    known = {hit.record.entry for hit in hits}
    best = [hit for hit in hits[:RENEWED] if hit.record.standing.semantic and hit.score >= WORTH_RENEWING]
    found: dict[int, Hit] = {}
    for hit in best:
        vector = vectors.get(hit.record.entry)
        if vector is None:
            continue
        near = reader.nearest(question.namespace, vector, question.wanted.projects, None, LIKE_IT, ANNOUNCED[0])
        entries = [entry for entry, _ in near if entry not in known and entry not in question.without]
        telling = [entry for entry, _, text in reader.texts_of(entries) if announced_in(text)]
        for record in reader.records_of(telling, question.seq):
            if record.last_at > hit.record.last_at:
                found[record.entry] = Hit(record, 0.0, (), Evidence())
    return list(found.values())


def _depth(message: str) -> int:
    """How much a message is worth: a greeting nothing, a long question more."""
    words = [term for term in query_terms(message) if len(term) > 1]
    asks = "?" in message and _ASKS.search(message) is not None
    if all(term in (GREETINGS if asks else CHATTER) for term in words):
        return 0
    for least, depth in DEPTHS:
        if len(words) <= least:
            return depth
    return DEPTH_MAX


_ASKS = re.compile(
    r"\b(?:what|when|where|which|who|whose|why|how|do|does|did|is|are|was|were|can|could|should|has)\b", re.I
)
# What people say to be polite, or to go on. A message of nothing else asks for nothing.
GREETINGS = frozenset(
    terms_of(
        "hi hello hey thanks thank ok okay yes no sure great good morning afternoon evening bye please continue cheers"
    )
)
CHATTER = GREETINGS | frozenset(
    terms_of(
        "go going get nice hope weekend holiday holidays coffee back first let's lets next one look looks looking fine "
        "cool perfect awesome alright well done start started today day work lunch later see welcome cheers everybody "
        "everyone all team right carry ahead proceed step ready sense makes tomorrow"
    )
)


def _pinned(reader: Reader, asker: Asker, wanted: Filter, now: int) -> list[Record]:
    entries = reader.select(asker.namespace, replace(wanted, pinned=True), CURRENT, now)
    records = reader.records_of(entries, CURRENT)
    return sorted(records, key=lambda r: (-r.standing.priority, -r.last_at))[:PINNED_MAX]
