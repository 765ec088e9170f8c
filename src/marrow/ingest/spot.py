"""The spot in a recording or an image that a hit is about: the moment, or the place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .design import KIND as DESIGN
from .design import place_at
from .meeting import KIND as MEETING
from .spoken import moment_at


def spot_at(kind: str, content: str, offset: int, fields: Mapping[str, Any]) -> str:
    """As it is cited: `at 00:01:23`, or `at x 38, y 203, 274 × 29`; "" where it has none. `fields` is the metadata."""
    if kind == MEETING:
        found = moment_at(content, offset)
        return f"at {found}" if found else ""
    boxes = fields.get("boxes")
    if kind != DESIGN or not isinstance(boxes, list):
        return ""
    box = place_at(content, offset, boxes)
    if box is None:
        return ""
    page = f"page {box.page}" if box.page else ""
    place = f"at x {box.x}, y {box.y}, {box.w} × {box.h}" if any(box[:4]) else ""
    return ", ".join(part for part in (page, place) if part)
