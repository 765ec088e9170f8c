"""Session status: where the session at hand stands, and what of its work is not settled yet."""

from __future__ import annotations

from typing import NamedTuple

from ..model.record import CURRENT, Filter
from ..model.scope import READ
from ..model.session import Session
from .chains import LIMIT_MAX, Chain, chains
from .engine import Asker, Engine
from .recall import QUESTION_KINDS

TOLD_LOOKED_AT = 5_000
SEEN = "observation"


class SessionStatus(NamedTuple):
    """`session` is the one that was heard of last; None when none was captured. `seen` are tool calls, `saved` what was
    kept beside them, `told` and `tokens` what the memory told it and what that cost."""

    session: Session | None
    seen: int
    saved: int
    told: int
    tokens: int
    waiting: int
    questions: int
    preliminary: tuple[Chain, ...]
    stashed: tuple[Chain, ...]


def session_status(engine: Engine, asker: Asker) -> SessionStatus:
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    place, now = (asker.scope.project,), engine.clock()
    with engine.store.reading() as reader:
        session = next(iter(reader.sessions(asker.namespace, place, limit=1)), None)
        seen = saved = waiting = 0
        told = []
        if session is not None:
            name = session.session
            wanted = Filter(projects=place, thread=name)
            kinds = [
                r.node.kind for r in reader.records_of(reader.select(asker.namespace, wanted, CURRENT, now), CURRENT)
            ]
            seen, saved = kinds.count(SEEN), len(kinds) - kinds.count(SEEN)
            told = reader.injections(asker.namespace, session=name, limit=TOLD_LOOKED_AT)
            waiting = len(reader.traces(asker.namespace, session=name, state="raw"))
        open_ones = Filter(projects=place, kinds=QUESTION_KINDS)
        questions = len(reader.select(asker.namespace, open_ones, CURRENT, now))
    return SessionStatus(
        session,
        seen,
        saved,
        len(told),
        sum(one.tokens for one in told),
        waiting,
        questions,
        tuple(chains(engine, asker, place, preliminary=True, limit=LIMIT_MAX)),
        tuple(chains(engine, asker, place, stashed=True, limit=LIMIT_MAX)),
    )
