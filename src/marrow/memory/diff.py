"""Diff: what changed here since a moment, up to now."""

from __future__ import annotations

from ..model.moments import MICROS_PER_DAY
from .differences import Differences, differences
from .engine import Asker, Engine, sequence


def diff(engine: Engine, asker: Asker, since: object = None) -> Differences:
    """In the caller's project and the global scope, since a snapshot, a sequence number or a time; by default a day."""
    now = engine.clock()
    with engine.store.reading() as reader:
        start = sequence(reader, asker, since, now, before=True)
        if since is None or since == "":
            start = reader.sequence_at(asker.namespace, now - MICROS_PER_DAY)
        end = reader.head(asker.namespace).seq
        return differences(reader, asker.namespace, asker.places(), start, end)
