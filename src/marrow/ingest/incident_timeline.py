"""The timeline of an incident: lines or rows of a table that begin with a time. A clock without a day goes on from the
line before it, past midnight too."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from ..model.moments import moment
from .dates import When, dates_in, read_date
from .lazy_pattern import LazyPattern
from .sections import plain

ENTRIES_MAX = 500
_CLOCK = LazyPattern(
    r"\W{0,6}(?P<clock>\d{1,2}:\d\d(?::\d\d)?(?:\s?[ap]\.?m\b\.?)?(?:\s?\(?(?:UTC|GMT|Z|[PMCE][SD]T|CES?T|BST|JST)\b\)?)?)"
    r"(?:\s?[-–—]{1,2}\s?\d{1,2}:\d\d)?(?P<rest>.*)$",
    re.I,
)
_MIDNIGHT_PASSED = 12 * 3_600_000_000
_DAY = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Entry:
    """What happened, and when; None where the day is not known."""

    at: When | None
    text: str


def timeline_of(text: str, date: When | None) -> list[Entry]:
    """The entries of a timeline on or after `date`, in the order in which they are written."""
    return list(_entries(text, date))[:ENTRIES_MAX]


def _entries(text: str, date: When | None) -> Iterator[Entry]:
    today, before = date, None
    for line in text.split("\n")[: 4 * ENTRIES_MAX]:
        said = line[:1_000]
        dated = next(dates_in(said[:80]), None)
        if dated and not said[: dated.start].strip(" \t-*+|#[(>_:"):
            today = dated
            rest = plain(said[dated.end :].strip(" \t|-–—:*])"))
            if dated.exact == "second" and rest:
                before = dated
                yield Entry(dated, rest)
                continue
            if not _CLOCK.match(rest):
                continue  # A heading: the day of what follows.
            said = rest
        clock = _CLOCK.match(said)
        if not clock or not (rest := plain(clock["rest"].strip(" \t|-–—:*])"))):
            continue
        at = _at(clock["clock"], today, before)
        before = at or before
        yield Entry(at, rest)


def _at(clock: str, today: When | None, before: When | None) -> When | None:
    if today is None:
        return None
    found = read_date(f"{moment(today.at):%Y-%m-%d} {clock}")
    if found and before and found.at < before.at - _MIDNIGHT_PASSED:
        days = (before.at - found.at) // _DAY + 1
        return read_date(f"{moment(today.at) + timedelta(days=days):%Y-%m-%d} {clock}")
    return found
