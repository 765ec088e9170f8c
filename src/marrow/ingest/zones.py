"""The zone in which a text tells its times, by the short names that people use: CET, PST, ET, UTC+2."""

from __future__ import annotations

import re
from datetime import date, timedelta

from .lazy_pattern import LazyPattern

_HOURS = {"UTC": 0.0, "GMT": 0, "Z": 0, "WET": 0, "BST": 1, "WEST": 1, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3}
_HOURS |= {"MSK": 3, "IST": 5.5, "SGT": 8, "HKT": 8, "JST": 9, "KST": 9, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13}
_HOURS |= {"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7}
# Without saying whether it is summer there; the day does.
_AMERICAN = {"ET": -5, "CT": -6, "MT": -7, "PT": -8}
TWO_LETTERS = "|".join(_AMERICAN)
NAME = rf"(?:(?:UTC|GMT)[ ]?[+-]\d{{1,2}}(?::?\d\d)?|{'|'.join(sorted((*_HOURS, *_AMERICAN), key=len, reverse=True))})"
# What follows a zone and no longer name, as of PST-app or IST's pager; an end may follow: 09:00 PST-09:30.
ENDS = r"(?![\w'’]|[.-](?!\d{1,2}:)\w)"
# In capitals: "met" and "est" are words.
_ALONE = LazyPattern(rf"[(\[,|][ ]{{0,2}}(?:in[ ]|times?[ ])?(?P<zone>{NAME})[ ]{{0,2}}[)\],|]")
_ALL_TIMES = LazyPattern(
    rf"\b(?i:times?(?: are| is| zone)?(?: all)?(?: in| given in)?)[ :=*_]{{0,4}}(?P<zone>{NAME})(?!\w)"
)
_OFFSET = re.compile(r"(?:UTC|GMT)[ ]?(?P<sign>[+-])(?P<hours>\d{1,2}):?(?P<minutes>\d\d)?\Z")
READ = 400


def zone_said(text: str) -> str:
    """The zone that a heading, or what stands before a list of times, says they are in; "" where it says none."""
    looked_at = text[:READ]
    found = _ALL_TIMES.search(looked_at) or _ALONE.search(looked_at)
    return found["zone"] if found else ""


def minutes_ahead(zone: str, day: date) -> int:
    """How far a zone is ahead of UTC on a day; 0 for one that nobody knows."""
    name = zone.strip().upper()
    if offset := _OFFSET.match(name):
        minutes = int(offset["hours"]) * 60 + int(offset["minutes"] or 0)
        return -minutes if offset["sign"] == "-" else minutes
    if name in _AMERICAN:
        return 60 * (_AMERICAN[name] + _is_american_summer(day))
    return int(60 * _HOURS.get(name, 0))


def _is_american_summer(day: date) -> bool:
    """From the second Sunday of March to the first of November."""
    return _sunday(day.year, 3, 2) <= day < _sunday(day.year, 11, 1)


def _sunday(year: int, month: int, count: int) -> date:
    first = date(year, month, 1)
    return first + timedelta(days=(6 - first.weekday()) % 7 + 7 * (count - 1))
