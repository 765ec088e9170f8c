"""Roots: the Merkle root after each event, latest first."""

from __future__ import annotations

from ..model.errors import Invalid
from ..model.event import Event
from ..model.scope import READ
from .engine import Asker, Engine


def roots(engine: Engine, asker: Asker, limit: int = 20) -> tuple[Event, ...]:
    """The events that changed the root."""
    asker.principal.check(READ, asker.namespace, asker.scope.project)
    if limit < 1:
        raise Invalid("limit is a number from 1.", field="limit")
    readable = asker.everywhere()
    found: list[Event] = []
    with engine.store.reading() as reader:
        later: Event | None = None
        for event in reader.events(asker.namespace, latest=True):
            if later is not None and later.root != event.root and (readable is None or later.project in readable):
                found.append(later)
            if len(found) >= limit:
                return tuple(found)
            later = event
    is_seen = later is not None and (readable is None or later.project in readable)
    return (*found, later) if later is not None and is_seen else tuple(found)
