"""Secrets in lines that keep their numbers: one over several lines leaves a mark on each of them.

Lines are redacted together, since a line of a private key does not show by itself what it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from .redact import redact

REST = "[redacted]"
# A key has fewer lines than this. Whoever shows some lines of a text gives so many around them too.
AROUND = 400
_MARK = "[redacted:"
_OF_A_KEY = re.compile(r"[A-Za-z0-9+/=]{16}")


def redact_lines(lines: Sequence[str], extra: Sequence[str] = ()) -> list[str]:
    """As many lines as were given. Each is one of the redacted text, or a mark: never one that was not looked at."""
    found = redact("\n".join(lines), extra)
    if not found.counts:
        return list(lines)
    clean = found.text.split("\n")
    if len(clean) == len(lines):
        return clean
    told: list[str] = []
    at = 0
    while len(told) < len(lines):
        here = len(told)
        if at >= len(clean):
            told.append(REST)
        elif clean[at] == lines[here]:
            told.append(clean[at])
            at += 1
        else:
            told += [clean[at], *[REST] * (_end(lines, here, clean[at + 1] if at + 1 < len(clean) else None) - here)]
            at += 1
    return told


def redact_window(lines: Sequence[str], first: int, last: int, extra: Sequence[str] = ()) -> list[str]:
    """The lines from index `first` to before `last`, redacted with what is around them."""
    low = max(0, first - AROUND)
    return redact_lines(lines[low : last + AROUND], extra)[first - low : last - low]


def redact_piece(lines: Sequence[str], first: int, last: int, extra: Sequence[str] = ()) -> list[str]:
    """The same, and quicker: what is around them is looked at only where they may be of a key."""
    told = redact_lines(lines[first:last], extra)
    return redact_window(lines, first, last, extra) if any(map(may_be_of_a_key, told)) else told


def may_be_of_a_key(line: str) -> bool:
    return _OF_A_KEY.search(line) is not None


def marks(before: Sequence[str], after: Sequence[str]) -> int:
    """How many secrets were taken out of these lines."""
    changed = [(old, new) for old, new in zip(before, after, strict=True) if old != new]
    count = sum(max(1, new.count(_MARK) - old.count(_MARK)) for old, new in changed if new != REST)
    return max(count, 1) if changed else 0


def _end(lines: Sequence[str], start: int, following: str | None) -> int:
    """The last line of what was taken out: the one before that which comes next."""
    if following is None:
        return len(lines) - 1
    nearby = range(start, min(len(lines) - 1, start + AROUND))
    return next((at for at in nearby if lines[at + 1] == following), start)
