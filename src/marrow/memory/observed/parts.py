"""A text parted at its headings."""

from __future__ import annotations

import re
from collections.abc import Iterator

PART_MAX = 40_000


def parts(text: str, heading: re.Pattern[str]) -> Iterator[tuple[re.Match[str], str]]:
    """Each heading with what stands under it, up to the next one."""
    hits = [*heading.finditer(text)]
    for at, hit in enumerate(hits):
        end = hits[at + 1].start() if at + 1 < len(hits) else len(text)
        yield hit, text[hit.end() : min(end, hit.end() + PART_MAX)]
