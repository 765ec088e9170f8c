"""The moment at which a read stands: what has expired and how old things are is reckoned from it."""

from __future__ import annotations

from ..model.moments import beginning, end
from ..model.record import CURRENT
from ..store.protocol import Reader
from .engine import Asker


def moment(reader: Reader, asker: Asker, seq: int, now: int, as_of: object = None) -> int:
    """`now` for a read of the present; the time that was asked for; else that of the event with this number, which is
    no later than now: where the clock was once ahead, the log still is."""
    if seq == CURRENT:
        return now
    if (
        isinstance(as_of, str)
        and not as_of.isdigit()
        and all(s.name != as_of for s in reader.snapshots(asker.namespace))
    ):
        return min(end(as_of, now), max(now, beginning(as_of, now, field="as_of")))  # today is not over yet
    return next((min(event.at, now) for event in reader.events(asker.namespace, after=seq - 1, until=seq)), 0)
