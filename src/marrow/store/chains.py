"""A chain of events as lines of text, without the names of the nodes: it still verifies, and gives nothing away."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Sequence

from ..model.event import Event, Touched

GZIP = 31  # zlib's word for the gzip format with the largest window; the module `gzip` costs a start 2 ms.
_TEXTS = (
    "seq",
    "at",
    "actor",
    "operation",
    "layer",
    "summary",
    "project",
    "domain",
    "detail",
    "root",
    "previous",
    "hash",
)


def chain_lines(events: Iterable[Event]) -> Iterator[str]:
    for event in events:
        shape: dict[str, object] = {name: getattr(event, name) for name in _TEXTS}
        shape["commitments"] = [touched.commitment.hex() for touched in event.touched]
        yield json.dumps(shape, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def event_from(line: str) -> Event:
    """An event from its line. Raises KeyError, TypeError or ValueError when it is none."""
    shape = json.loads(line)
    touched = tuple(Touched(bytes.fromhex(c), None, None) for c in shape["commitments"])
    return Event(touched=touched, **{name: shape[name] for name in _TEXTS})


def packed(chain: Sequence[Event]) -> bytes:
    """A chain in the form in which a store keeps it."""
    return zlib.compress("\n".join(chain_lines(chain)).encode(), wbits=GZIP)


def unpacked(blob: bytes) -> tuple[Event, ...] | None:
    """The chain from its kept form, or None when that is damaged."""
    try:
        return tuple(event_from(line) for line in zlib.decompress(blob, wbits=GZIP).decode().split("\n"))
    except (zlib.error, KeyError, TypeError, ValueError):
        return None


def broken_at(events: Iterable[Event]) -> int | None:
    """The sequence number of the first event that does not verify, or None when all of them do."""
    before: Event | None = None
    for event in events:
        follows = before is None or (event.previous == before.hash and event.seq == before.seq + 1)
        if not follows or event.digest() != event.hash or not all(t.holds() for t in event.touched):
            return event.seq
        before = event
    return None
