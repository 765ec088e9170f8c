"""The timeline of an incident: lines or rows of a table that begin with a time. A clock without a day goes on from the
line before it, past midnight too; one without a zone is in that of the heading, or of the line before it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import takewhile

from ..model.moments import moment
from .dates import When, dates_in, read_date
from .lazy_pattern import LazyPattern
from .sections import plain
from .zones import ENDS, NAME, READ, TWO_LETTERS, minutes_ahead, zone_said

ENTRIES_MAX = 500
# Right behind a clock these are zones in small letters too; "est" is a word.
_SMALL = r"(?i:utc|gmt|[pmc][sd]t|edt|ces?t|bst|jst)"
_TIME = r"\W{0,6}(?P<clock>\d{1,2}:\d\d(?::\d\d)?(?:\s?(?i:[ap]\.?m)\b\.?)?)"
_IN_ZONE = rf"\s?\(?(?P<zone>{NAME}|{_SMALL}){ENDS}\)?"
_REST = r"(?:\s?[-–—]{1,2}\s?\d{1,2}:\d\d)?(?P<rest>.*)$"
_CLOCK = LazyPattern(rf"{_TIME}(?:{_IN_ZONE})?{_REST}")
# "10:00 CT scans fail" is about scans; before a sentence of its own ("10:00 CT the scans fail") it is a zone.
_WORD = rf"\s?(?:{TWO_LETTERS})\s(?!(?:the|an?|all|no|some|our|we|it|they|he|she)\b)[a-z]"
_CAREFUL = LazyPattern(rf"{_TIME}(?:(?!{_WORD}){_IN_ZONE})?{_REST}")
_ZONED = LazyPattern(r"(?:[A-Za-z]{2,4}|Z|[+-]\d\d?:?(?:\d\d)?)\)?\Z")
_MIDNIGHT_PASSED = 12 * 3_600_000_000
_DAY = 86_400_000_000
_MINUTE = 60_000_000


@dataclass(frozen=True, slots=True)
class Entry:
    """What happened, and when; None where the day is not known."""

    at: When | None
    text: str


def timeline_of(text: str, date: When | None, heading: str = "") -> list[Entry]:
    """The entries of a timeline on or after `date`, in the order in which they are written."""
    return list(_entries(text, date, zone_said(heading) or zone_said(_before_times(text))))[:ENTRIES_MAX]


def _before_times(text: str) -> str:
    """What stands before the first time: in an entry, "(PT)" or "(CT)" may be anything."""
    lines = text[: 2 * READ].split("\n")
    return "\n".join(takewhile(lambda line: not _is_timed(line), lines))


def _is_timed(line: str) -> bool:
    return bool(_CLOCK.match(line)) or any(one.exact == "second" for one in dates_in(line[:80]))


def _entries(text: str, date: When | None, said_of_all: str) -> Iterator[Entry]:
    """Days and clocks are reckoned as they are written; the zone is taken off last."""
    zone = said_of_all
    today, before = date and replace(date, at=date.on_its_day), None
    lines = text.split("\n")[: 4 * ENTRIES_MAX]
    clock_of = _CLOCK if _is_behind_every_clock(lines) else _CAREFUL
    for line in lines:
        said = line[:1_000]
        dated = next(dates_in(said[:80]), None)
        if dated and not said[: dated.start].strip(" \t-*+|#[(>_:"):
            today = dated
            rest = plain(said[dated.end :].strip(" \t|-–—:*])"))
            if dated.exact == "second" and rest:
                before = dated
                is_zoned = bool(_ZONED.search(said[dated.start : dated.end])) and not _ends_with_half(said, dated)
                yield Entry(dated if is_zoned else _in_utc(dated, zone), rest)
                continue
            if not clock_of.match(rest):
                continue  # A heading: the day of what follows.
            said = rest
        clock = clock_of.match(said)
        if not clock or not (rest := plain(clock["rest"].strip(" \t|-–—:*])"))):
            continue
        own = clock["zone"] or zone
        zone = said_of_all or own
        at = _at(clock["clock"], today, before)
        before = at or before
        yield Entry(at and _in_utc(at, own), rest)


def _is_behind_every_clock(lines: Sequence[str]) -> bool:
    """Whether one zone stands behind every time, and there are some: then it is no word."""
    clocks = [found for line in lines if (found := _CLOCK.match(line[:1_000]))]
    return len(clocks) > 1 and bool(clocks[0]["zone"]) and len({found["zone"] for found in clocks}) == 1


def _ends_with_half(said: str, dated: When) -> bool:
    return said[dated.start : dated.end].rstrip(".").lower().endswith(("am", "pm", ".m"))


def _in_utc(at: When, zone: str) -> When:
    ahead = minutes_ahead(zone, moment(at.at).date()) if zone else 0
    return replace(at, at=at.at - ahead * _MINUTE, offset=ahead)


def _at(clock: str, today: When | None, before: When | None) -> When | None:
    if today is None:
        return None
    found = read_date(f"{moment(today.at):%Y-%m-%d} {clock}")
    if found and before and found.at < before.at - _MIDNIGHT_PASSED:
        days = (before.at - found.at) // _DAY + 1
        return read_date(f"{moment(today.at) + timedelta(days=days):%Y-%m-%d} {clock}")
    return found
