"""Condensing: what waits for a language model, session by session, as far as the caps allow.

What was done, tried and given up stands in the store, in the sessions' own records, so that any process can go on after
any other. Nothing is sent for a project whose capture is switched off or paused.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from ..capture.paused import is_paused
from ..memory.condense import (
    Ask,
    condense_observation,
    condense_session,
    mark,
    mark_of,
    note_refusal,
    waiting_observations,
    waiting_summary,
)
from ..memory.usage import allowance_of, ask, check_open
from ..model.errors import Conflict, MarrowError, NotFound
from ..model.moments import MICROS_PER_DAY
from ..model.session import Session
from ..providers.llm import NONE, Completion, LanguageModel, language_model
from ..settings import Settings, load
from ..store.protocol import Store
from .place import Place, in_project

LIMIT = 1
SESSIONS_LOOKED_AT = 500
# A session that has not ended is summed up once it has been quiet for so long.
QUIET_MICROS = MICROS_PER_DAY // 144

log = logging.getLogger("marrow.background")


class Condensed(NamedTuple):
    """How many were told better, how many answers were not taken, whether more waits, and what stopped it."""

    done: int = 0
    dropped: int = 0
    more: bool = False
    why: MarrowError | None = None


class Models(NamedTuple):
    observations: LanguageModel | None
    summaries: LanguageModel | None


class Piece(NamedTuple):
    """Something that waits: the node, and what asks the model about it."""

    address: str
    tell: Callable[[], bool]


def condense_due(place: Place, limit: int = LIMIT, *, ledger: Store | None = None) -> int:
    """For the background: let a model tell up to so many things better; how many it did. 0 when nothing waits, nothing
    may be spent, or the service is not to be asked now. `ledger` is the store that spending is counted in."""
    if place.settings.get("llm", str) == NONE or place.engine.store.read_only:
        return 0
    found = condense(place, limit, ledger=ledger)
    if found.why is not None:
        log.debug("condensing stopped: %s", found.why)
    return found.done


def condense(place: Place, limit: int, *, ledger: Store | None = None, heed: bool = True) -> Condensed:
    """Make up to `limit` calls, and say what stopped it. `heed` False asks a service that failed a short while ago all
    the same."""
    allowance, engine = allowance_of(place.settings), place.engine
    book = engine.store if ledger is None else ledger
    try:
        models = models_of(place.settings)
        check_open(book, engine.clock(), allowance, heed=heed)
    except MarrowError as problem:
        return Condensed(why=problem)

    def asking(model: LanguageModel) -> Ask:
        def ask_it(purpose: str, system: str, prompt: str, most: int) -> Completion:
            return ask(book, engine.clock, allowance, model, purpose, system, prompt, most, heed=heed)

        return ask_it

    done = dropped = 0
    for there, session in _sessions(place):
        for piece in _waiting(there, session, models, asking):
            if done + dropped >= limit:
                return Condensed(done, dropped, more=True)
            try:
                taken = piece.tell()
            except Conflict:
                continue  # it is no longer what it was when it was looked for
            except MarrowError as problem:
                note_refusal(there.engine, there.asker, session.session, piece.address, problem)
                return Condensed(done, dropped, more=True, why=problem)
            done, dropped = done + taken, dropped + (not taken)
    return Condensed(done, dropped)


def models_of(settings: Settings) -> Models:
    """One for summaries as soon as a provider is chosen; one for observations, of which there are many, when it is
    named itself."""
    provider, usual = settings.get("llm", str), settings.maybe("llm.model", str)
    if provider == NONE:
        hint = "`marrow config set llm anthropic`, or an address of your own; and the daily caps."
        raise NotFound("No language model is chosen.", hint=hint, field="llm")
    for_observations = settings.maybe("compress.model", str)
    return Models(
        language_model(provider, for_observations) if for_observations else None,
        language_model(provider, settings.maybe("summary.model", str) or usual),
    )


def _sessions(place: Place) -> Iterator[tuple[Place, Session]]:
    """The sessions in which something may wait, the latest first, each with its place."""
    with place.engine.store.reading() as reader:
        found = reader.sessions(place.asker.namespace, None, limit=SESSIONS_LOOKED_AT)
    allowed: dict[tuple[str, str], Settings | None] = {}
    for session in found:
        if mark_of(session).get("at", 0) >= session.last_at:
            continue
        key = (session.cwd, session.project)
        if key not in allowed:
            allowed[key] = _settings_there(place, session)
        settings = allowed[key]
        if settings is not None:
            # What its project redacts holds, beside what is redacted here.
            extra = dict.fromkeys((*place.engine.redact_extra, *settings.get("redact.extra", tuple)))
            engine = replace(place.engine, redact_extra=tuple(extra))
            yield place._replace(engine=engine, asker=in_project(place.asker, session.project)), session


def _settings_there(place: Place, session: Session) -> Settings | None:
    """The settings of a session's project; None when nothing of it may be sent, or that cannot be known."""
    if is_paused(place.settings.get("home", str), session.project, session.cwd, place.engine.clock()):
        return None
    try:
        there = load(cwd=session.cwd) if session.cwd and os.path.isdir(session.cwd) else place.settings
    except MarrowError as problem:
        log.warning("nothing is sent for a project whose settings cannot be read: %s", problem)
        return None
    return there if there.get("capture.enabled", bool) else None


def _waiting(place: Place, session: Session, models: Models, asking: Callable[[LanguageModel], Ask]) -> Iterator[Piece]:
    """What waits in a session: its observations, and once it is over its summary. A session that is over, and in which
    nothing waits, is marked and not looked at again until it goes on."""
    engine, asker, now = place.engine, place.asker, place.engine.clock()
    is_over = session.ended_at is not None or now - session.last_at > QUIET_MICROS
    waits = False
    if (model := models.observations) is not None:
        with engine.store.reading() as reader:
            waiting = waiting_observations(reader, asker, session, now)
        for record, said in waiting:
            waits = True
            about = (engine, asker, session, record, said, asking(model), model.name)
            yield Piece(record.node.address, partial(condense_observation, *about))
    if is_over and (model := models.summaries) is not None:
        with engine.store.reading() as reader:
            summary = waiting_summary(reader, asker, session, now)
        if summary is not None:
            waits = True
            whole = (engine, asker, session, summary, asking(model), model.name)
            yield Piece(summary.node.address, partial(condense_session, *whole))
    if is_over and not waits:
        mark(engine, asker, session.session, {"at": session.last_at})
