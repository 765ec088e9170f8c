"""Prune candidates: what may have gone stale, with the reasons in words. It only reads; forgetting is another verb.

Each reason alone gives a share from 0 to 1, and a weight says how far it can go alone. Together they leave the product
of what each leaves: two half reasons are more than one, and the sum never passes 1.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..model.errors import Invalid
from ..model.moments import MICROS_PER_DAY, age
from ..model.record import CURRENT, Filter, Record
from ..search.signals import USE_EXPECTED, usual_use
from ..store.protocol import Reader, Use
from .engine import Asker, Engine, sequence
from .taking_in.still_there import still_there

LIMIT_MAX = 500
BATCH = 500
IDLE_WEIGHT, IDLE_HALF_LIFE_DAYS, IDLE_SAID_DAYS = 0.6, 90.0, 30.0
DOUBT_WEIGHT, DOUBT_BELOW = 0.5, 0.6
DRIFT_WEIGHT = 0.6
DRIFT_SHARES = {"gone": 1.0, "changed": 0.75, "moved": 0.25}
UNUSED_WEIGHT, UNUSED_MIN, UNUSED_FULL = 0.5, 3, 10
# Where less than this is noticed of what is used, not to be used is no reason.
NOTICED_MIN = 0.25
EXPIRY_WEIGHT, EXPIRY_DAYS = 0.4, 7.0

_DRIFT_WORDS = {
    "gone": "the code that it is anchored to is gone",
    "changed": "the code that it is anchored to has changed",
    "moved": "the code that it is anchored to has moved",
}


class Candidate(NamedTuple):
    """A record that may be stale: how stale from 0 to 1, and why, the strongest reason first."""

    record: Record
    staleness: float
    reasons: tuple[str, ...]


class PruneCandidates(NamedTuple):
    """The worst first. `considered` is how many were looked at, `found` how many reached the threshold."""

    candidates: tuple[Candidate, ...]
    considered: int
    found: int


def prune_candidates(engine: Engine, asker: Asker, threshold: float = 0.5, limit: int = 50) -> PruneCandidates:
    """The active, unpinned nodes of the caller's project whose staleness is at least `threshold`. What was read from
    where it still stands, a commit or a file, is as old as that, and no candidate."""
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
        raise Invalid(f"threshold is a number from 0 to 1, not {threshold!r}.", field="threshold")
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= LIMIT_MAX:
        raise Invalid(f"limit is a whole number from 1 to {LIMIT_MAX}, not {limit!r}.", field="limit")
    now = engine.clock()
    considered = found = 0
    worst: list[tuple[float, int, int, Candidate]] = []
    with engine.store.reading() as reader:
        sequence(reader, asker, None, now)
        entries = reader.select(asker.namespace, Filter(projects=asker.places("project"), pinned=False), CURRENT, now)
        rows = [one for one in reader.sources(asker.namespace, asker.places("project")) if one.is_document]
        living = still_there(rows, asker.root)
        uses = reader.uses(entries)
        noticed = usual_use(uses.values()) / USE_EXPECTED
        for record in _read(reader, entries):
            if record.node.address in living:
                continue
            considered += 1
            candidate = _weighed(record, uses.get(record.entry, Use()), now, noticed)
            if candidate.staleness < threshold:
                continue
            found += 1
            # Entries differ, so candidates themselves are never compared.
            line = (candidate.staleness, -record.last_at, -record.entry, candidate)
            if len(worst) < limit:
                heapq.heappush(worst, line)
            else:
                heapq.heappushpop(worst, line)
    ordered = tuple(line[3] for line in sorted(worst, reverse=True))
    return PruneCandidates(ordered, considered, found)


def _read(reader: Reader, entries: Sequence[int]) -> Iterator[Record]:
    for at in range(0, len(entries), BATCH):
        yield from reader.records_of(entries[at : at + BATCH], CURRENT)


def _weighed(record: Record, use: Use, now: int, noticed: float) -> Candidate:
    parts = sorted(_parts(record, use, now, noticed), key=lambda part: -part[0])
    left = 1.0
    for part, _ in parts:
        left *= 1.0 - part
    return Candidate(record, round(1.0 - left, 4), tuple(reason for _, reason in parts if reason))


def _parts(record: Record, use: Use, now: int, noticed: float) -> Iterator[tuple[float, str]]:
    """(share times weight, reason in words) of each; a reason that is too weak to mention has no words. `noticed`: how
    much of what is used here is noticed, from 0 to 1."""
    standing = record.standing
    since = standing.reinforced_at or record.last_at
    idle = max(0, now - since) / MICROS_PER_DAY
    said = f"not reinforced for {age(since, now)}" if idle >= IDLE_SAID_DAYS else ""
    yield IDLE_WEIGHT * (1.0 - 0.5 ** (idle / IDLE_HALF_LIFE_DAYS)), said
    if standing.confidence < DOUBT_BELOW:
        yield DOUBT_WEIGHT * (1.0 - standing.confidence / DOUBT_BELOW), f"low confidence ({standing.confidence:g})"
    if standing.drift:
        yield DRIFT_WEIGHT * DRIFT_SHARES[standing.drift], _DRIFT_WORDS[standing.drift]
    if use.recalled >= UNUSED_MIN and not use.used and noticed >= NOTICED_MIN:
        share = noticed * min(1.0, use.recalled / UNUSED_FULL)
        yield UNUSED_WEIGHT * share, f"recalled {use.recalled} times and never used"
    if standing.expires_at is not None:
        days = max(0, standing.expires_at - now) / MICROS_PER_DAY
        if days < EXPIRY_DAYS:
            yield EXPIRY_WEIGHT * (1.0 - days / EXPIRY_DAYS), f"expires in {_until(standing.expires_at, now)}"


def _until(then: int, now: int) -> str:
    left = age(now, then)
    return "less than a minute" if left == "just now" else left
