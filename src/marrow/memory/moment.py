"""The moment at which a read stands: what has expired and how old things are is reckoned from it."""

from __future__ import annotations

from ..model.record import CURRENT
from ..store.protocol import Reader
from .engine import Asker


def moment(reader: Reader, asker: Asker, seq: int, now: int) -> int:
    """`now` for a read of the present; for an earlier sequence number, the time of that event."""
    if seq == CURRENT:
        return now
    return next((event.at for event in reader.events(asker.namespace, after=seq - 1, until=seq)), 0)
