"""Roots: the Merkle root after each event, latest first."""

from __future__ import annotations

from ..model.event import Event
from ..model.scope import READ
from .engine import Asker, Engine


def roots(engine: Engine, asker: Asker, limit: int = 20) -> tuple[Event, ...]:
    """The events that changed the root."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    found: list[Event] = []
    with engine.store.reading() as reader:
        later: Event | None = None
        for event in reader.events(asker.namespace, latest=True):
            if later is not None and later.root != event.root:
                found.append(later)
            if len(found) >= limit:
                return tuple(found)
            later = event
    return (*found, later) if later is not None else tuple(found)
