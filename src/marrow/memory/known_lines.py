"""Where what is known about a file stands in it now: lines move when the file is edited, and pins are put right only
when they are verified."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.link import Anchor
from .anchors.check import check
from .anchors.checkout import Checkout
from .anchors.finding import GONE, UNKNOWN
from .known_here import Known

# So many pins are looked at for one answer; the others are told without their lines.
LOOKED_AT = 60


def as_they_stand(checkout: Checkout, path: str, known: Sequence[Known], limit: int = LOOKED_AT) -> list[Known]:
    """The same with the lines that they are about now; without any where these are gone or were not looked for."""
    found: list[Known] = []
    for one in known:
        if one.start and one.anchor is not None:
            one = _standing(checkout, path, one, one.anchor) if limit > 0 else one._replace(start=0, end=0)
            limit -= 1
        found.append(one)
    return found


def _standing(checkout: Checkout, path: str, one: Known, anchor: Anchor) -> Known:
    if anchor.type == "symbol":
        named = [symbol for symbol in checkout.symbols(path) if symbol.qualified == anchor.target]
        if len(named) == 1:
            return one._replace(start=named[0].start, end=named[0].end)
    looked = check(checkout, anchor)
    if looked.verdict == UNKNOWN:
        return one
    now = looked.now or anchor
    start, end = now.fields.get("start"), now.fields.get("end")
    is_here = looked.verdict != GONE and path in (now.target, now.fields.get("path"), now.fields.get("file"))
    if not is_here or not isinstance(start, int) or not isinstance(end, int):
        return one._replace(start=0, end=0)
    return one._replace(start=start, end=end)
