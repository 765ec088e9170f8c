"""What a look at an anchor found."""

from __future__ import annotations

from typing import NamedTuple

from ...model.link import Anchor

HOLDS, MOVED, CHANGED, GONE, UNKNOWN = "holds", "moved", "changed", "gone", "unknown"


class Finding(NamedTuple):
    """`said` tells what became of it. `now` is the anchor that takes its place: it moved, or got its evidence only
    now. Of what was changed it is the same evidence at another place."""

    anchor: Anchor
    verdict: str
    said: str = ""
    now: Anchor | None = None
