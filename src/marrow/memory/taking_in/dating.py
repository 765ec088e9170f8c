"""From when something is that was read."""

from __future__ import annotations

from dataclasses import replace

from ...ingest.item import Item
from ...model.draft import Draft
from ...model.moments import moment, parse
from ..attribution import DATED, UNDATED

NANOS_PER_MICRO = 1_000


def dated(item: Item, now: int) -> Draft:
    """What an item says, with its time, never a later one than now. Where nobody knows when it was written, that of its
    file will do; but a decision, an incident or a meeting is not told to be of that day."""
    draft = item.draft
    if draft.at is not None:
        return replace(draft, at=moment(min(parse(draft.at, now, future=True), now)))
    guess = min(max(item.mtime_ns // NANOS_PER_MICRO, 0), now) if item.mtime_ns else now
    mark = {UNDATED: True} if item.path and draft.kind in DATED else {}
    return replace(draft, at=moment(guess), metadata={**draft.metadata, **mark})
