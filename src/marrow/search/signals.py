"""Signals: what else than the text makes a record matter. Each is a pure function with a factor around 1.

The factors do not multiply each other: each adds its share of what the text scored, so that what each contributed can
be shown and the parts add up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from ..model.moments import MICROS_PER_DAY
from ..model.record import Record
from ..store.protocol import Use
from .intent import Intent
from .weights import COMMIT

HALF_LIFE_DAYS = 90.0
RECENCY_WEIGHT = 0.05
USUAL_CONFIDENCE = 0.8
CONFIDENCE_WEIGHT = 0.5
CONFIDENCE_FLOOR = 0.3
FADING_WEIGHT = 0.05
CONFIDENCE_LOSS_PER_DAY = 0.002
PRIORITY_WEIGHT, NEUTRAL_PRIORITY = 0.3, 0.5
REINFORCED_WEIGHT = 0.03
REINFORCED_MAX = 5
DRIFTED = 0.6
USE_MIN, USE_WEIGHT, USE_EXPECTED = 3, 0.45, 0.4


def recency(record: Record, now: int) -> float:
    """A little more for what was said lately: half of it is gone after three months."""
    age_days = max(0, now - record.last_at) / MICROS_PER_DAY
    return 1.0 + RECENCY_WEIGHT * math.exp2(-age_days / HALF_LIFE_DAYS)


def confidence(record: Record, now: int) -> float:
    """Less for what was said with little confidence, and a little less for what nobody has confirmed for long: that a
    decision is old says little against it."""
    idle_days = max(0, now - record.standing.reinforced_at) / MICROS_PER_DAY
    faded = max(CONFIDENCE_FLOOR, 1.0 - CONFIDENCE_LOSS_PER_DAY * idle_days)
    return 1.0 + CONFIDENCE_WEIGHT * (record.standing.confidence - USUAL_CONFIDENCE) - FADING_WEIGHT * (1.0 - faded)


def priority(record: Record) -> float:
    return 1.0 + PRIORITY_WEIGHT * (record.standing.priority - NEUTRAL_PRIORITY)


def reinforcement(record: Record) -> float:
    return 1.0 + REINFORCED_WEIGHT * min(record.standing.reinforced, REINFORCED_MAX)


def drift(record: Record) -> float:
    """What the code no longer bears out sinks."""
    return DRIFTED if record.standing.drift in ("changed", "gone") else 1.0


def usual_use(uses: Iterable[Use]) -> float:
    """How often what is recalled is used here, up to what one may expect. Where nobody reports it, or people look
    things up by hand, it is next to nothing, and then not to be used says nothing against a memory."""
    known = list(uses)
    recalled = sum(use.recalled for use in known)
    return min(USE_EXPECTED, sum(use.used for use in known) / recalled) if recalled else 0.0


def usefulness(use: Use, usual: float = USE_EXPECTED) -> float:
    """Recalled often and used less than is usual: sinks. Used more than one may expect: rises, by no more where little
    is noticed. Says nothing before a few recalls."""
    if use.recalled < USE_MIN:
        return 1.0
    share = min(1.0, use.used / use.recalled)
    return 1.0 + USE_WEIGHT * (share - min(USE_EXPECTED, max(share, usual)))


def domain(record: Record, wanted: Mapping[str, float]) -> float:
    """A little more for what is kept in a domain that the message is after. Every commit is kept in the same one,
    whatever it is about."""
    return 1.0 + (wanted.get(record.standing.domain, 0.0) if record.node.kind != COMMIT else 0.0)


def weigh(
    record: Record, use: Use, now: int, after: Intent, usual: float = USE_EXPECTED
) -> Sequence[tuple[str, float]]:
    """The signals of a record that may say something, by name. Most are neutral for most records, and asked for every
    record that is read: those are seen at a glance."""
    standing = record.standing
    found = [("recency", recency(record, now)), ("confidence", confidence(record, now))]
    if standing.priority != NEUTRAL_PRIORITY:
        found.append(("priority", priority(record)))
    if standing.reinforced:
        found.append(("reinforcement", reinforcement(record)))
    if standing.drift:
        found.append(("drift", drift(record)))
    if use.recalled >= USE_MIN:
        found.append(("usefulness", usefulness(use, usual)))
    if standing.domain in after.domains:
        found.append(("domain", domain(record, after.domains)))
    if record.node.kind in after.kinds:
        found.append(("kind", after.kinds[record.node.kind]))
    return found
