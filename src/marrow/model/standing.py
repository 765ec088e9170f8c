"""Standing: what may change about a node without changing the node.

A standing belongs to a node in one project. It is never edited: a change closes the interval of sequence numbers in
which it held and opens another. Two memories that disagree about a standing agree after an exchange, because
`united` gives the same whichever side asks.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from dataclasses import fields as fields_of
from typing import Any

from .address import fields
from .errors import Invalid

ACTIVE, SUPERSEDED, COMPRESSED, RETRACTED = "active", "superseded", "compressed", "retracted"
STATES = (ACTIVE, SUPERSEDED, COMPRESSED, RETRACTED)
DOMAINS = tuple("architecture decisions patterns tasks issues dependencies history context feedback".split())
DEFAULT_DOMAIN = "context"
CLASSIFICATIONS = ("public", "internal", "confidential", "secret")
# What may leave the machine for a language model or another outside service.
OPEN_TO_SEND = ("public", "internal")
DRIFTS = ("", "moved", "changed", "gone")
TAGS_MAX = 64
# The last moment that a calendar can show: the end of the year 9999.
MOMENT_MAX = 253_402_300_799_000_000


@dataclass(frozen=True, slots=True)
class Standing:
    """`generation` counts how often the node was said anew after it had left the active set. `salt` is random: it keeps
    the roots of the log from giving away what was erased."""

    state: str = ACTIVE
    domain: str = DEFAULT_DOMAIN
    semantic: bool = True
    priority: float = 0.5
    confidence: float = 0.8
    pinned: bool = False
    preliminary: bool = False
    classification: str = "internal"
    approved: bool | None = None
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    reinforced: int = 0
    reinforced_at: int = 0
    expires_at: int | None = None
    drift: str = ""
    generation: int = 1
    changed_at: int = 0
    reason: str = ""
    salt: str = ""

    def __post_init__(self) -> None:
        is_known = self.state in STATES and self.classification in CLASSIFICATIONS and self.drift in DRIFTS
        are_shares = type(self.priority) is type(self.confidence) is float
        if not (is_known and are_shares and 0.0 <= self.priority <= 1.0 and 0.0 <= self.confidence <= 1.0):
            self._check()

    def _check(self) -> None:
        for name in ("priority", "confidence"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
                raise Invalid(f"{name} is a number from 0 to 1, not {value!r}.", field=name)
        for name, allowed in (("state", STATES), ("classification", CLASSIFICATIONS), ("drift", DRIFTS)):
            if getattr(self, name) not in allowed:
                raise Invalid(
                    f"{getattr(self, name)!r} is no {name}.", hint=f"One of {', '.join(allowed)}.", field=name
                )

    def is_active(self, now: int) -> bool:
        return self.state == ACTIVE and (self.expires_at is None or self.expires_at > now)

    def state_at(self, now: int) -> str:
        """The state in a word for people: what has run out is not called active."""
        return "expired" if self.state == ACTIVE and not self.is_active(now) else self.state

    def held(self) -> bytes:
        """What holds, without the bookkeeping of when it came to hold: a restored standing equals the one restored."""
        return fields(
            self.state,
            self.domain,
            "semantic" if self.semantic else "episodic",
            repr(float(self.priority)),
            repr(float(self.confidence)),
            "pinned" if self.pinned else "",
            "preliminary" if self.preliminary else "",
            self.classification,
            _APPROVALS[self.approved],
            "\n".join(self.tags),
            "\n".join(self.aliases),
            str(self.reinforced),
            str(self.reinforced_at),
            "" if self.expires_at is None else str(self.expires_at),
            self.drift,
        )

    def leaf(self, address: str, project: str) -> bytes:
        """This standing's leaf in the Merkle tree over the active set."""
        return hashlib.sha256(b"marrow leaf 1 sha256\n" + fields(address, project, self.salt) + self.held()).digest()


_APPROVALS = {None: "", True: "approved", False: "rejected"}


_RANK = {ACTIVE: 0, COMPRESSED: 1, SUPERSEDED: 1, RETRACTED: 2}


def united(one: Standing, other: Standing) -> Standing:
    """How a node stands after a merge of two standings of it: the same whichever is asked first.

    A node said anew beats what came before it. Otherwise retracted beats superseded beats active, then the later
    change wins, and equal times are decided by the bytes. Three things are no matter of who wins: the stricter
    classification holds, and of one generation the greater count of reinforcements and the last of them.
    """
    chosen = max(one, other, key=_weight)
    if _weight(one) == _weight(other):
        chosen = max(one, other, key=_bytes)
    strictest = max(one.classification, other.classification, key=CLASSIFICATIONS.index)
    count, last = chosen.reinforced, chosen.reinforced_at
    if one.generation == other.generation:
        count, last = max(one.reinforced, other.reinforced), max(one.reinforced_at, other.reinforced_at)
    if (strictest, count, last) == (chosen.classification, chosen.reinforced, chosen.reinforced_at):
        return chosen
    return replace(chosen, classification=strictest, reinforced=count, reinforced_at=last)


def _weight(standing: Standing) -> tuple[int, int, int]:
    return standing.generation, _RANK[standing.state], standing.changed_at


def _bytes(standing: Standing) -> tuple[bytes, str, str]:
    """Without what is united by itself: it would decide about the rest, and another way the next time."""
    bare = replace(standing, classification=CLASSIFICATIONS[0], reinforced=0, reinforced_at=0)
    return bare.held(), standing.reason, standing.salt


def changed(standing: Standing, changes: Mapping[str, object]) -> Standing:
    """A standing with some of its fields as given; wrong names and values are refused."""
    for name in changes:
        if name not in _FIELDS:
            raise Invalid(f"{name!r} is no part of standing.", hint=f"One of {', '.join(_FIELDS)}.", field=name)
    given: dict[str, Any] = dict(changes)
    return replace(standing, **given)


_FIELDS = tuple(f.name for f in fields_of(Standing))


def kept_closed(then: Standing, now: Standing) -> Standing:
    """How a node stands that is restored to `then`: not more open than it is now."""
    stricter = max(then.classification, now.classification, key=CLASSIFICATIONS.index)
    return then if stricter == then.classification else replace(then, classification=stricter)


def placed(standing: Standing, salt: str, now: int, said_at: int) -> Standing:
    """The standing of a node that is new in its place."""
    # What `replace` would do in four times the time.
    return Standing(
        standing.state,
        standing.domain,
        standing.semantic,
        standing.priority,
        standing.confidence,
        standing.pinned,
        standing.preliminary,
        standing.classification,
        standing.approved,
        standing.tags,
        standing.aliases,
        standing.reinforced,
        standing.reinforced_at or said_at,
        standing.expires_at,
        standing.drift,
        standing.generation,
        now,
        standing.reason,
        salt,
    )


def reinforced(standing: Standing, now: int) -> Standing:
    """It is no change of the rest: after an exchange, it does not undo one that somebody else made before."""
    return replace(standing, reinforced=standing.reinforced + 1, reinforced_at=now)


def changed_after(known: Standing, now: int) -> int:
    """When a change happened that was made in knowledge of this standing: after it, whatever the clocks say. A memory
    whose clock is ahead would otherwise win every exchange until the others have come up to it."""
    return max(now, min(known.changed_at + 1, MOMENT_MAX))


def union(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({*one, *other}))
