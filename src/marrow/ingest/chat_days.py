"""The days of a chat as its lines tell them. Which of two numbers is the day is seen from all of them: by one that is
greater than 12, or because the days of a chat never go back."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import PurePath

from .dates import When, dates_in, read_date
from .lazy_pattern import LazyPattern

_NUMBERS = LazyPattern(r"(?P<first>\d{1,4})(?P<mark>[-/.])\s?(?P<other>\d{1,2})(?P=mark)\s?(?P<last>\d{2,4})\.?")
_IN_NAME = LazyPattern(r"(?<!\d)(?P<year>(?:19|20)\d\d)[-_.]?(?P<month>\d\d)[-_.]?(?P<day>\d\d)(?!\d)")
_SHORT_YEAR = LazyPattern(r"\A(\d{1,2}\W+[^\W\d_]+\W+)(\d\d)\Z")
# Set off as programs set off what they say themselves: `--- Day changed Tue Jan 14 2025`.
_SET_OFF = LazyPattern(r"[-*=#]{2,}|session |log ", re.I)
_WORD = LazyPattern(r"[^\W\d_]+|\d+")
# Those of a day and a year.
_LINE_MAX, _DIGITS_LEAST = 100, 5
_WEEKDAYS = frozenset(
    "mon monday tue tues tuesday wed wednesday thu thur thurs thursday fri friday sat saturday sun sunday".split()
)


def day_order(days: Sequence[str], halves: Iterable[str] = ()) -> tuple[bool, str]:
    """Whether days in numbers are day first, and how they were read where nothing shows it. `halves` are what their
    clocks end with: an unpadded `1/2/25, 9:12 AM` is how Americans have it."""
    found = [one for day in days if (one := _NUMBERS.fullmatch(day)) and len(one["first"]) < 3]
    pairs = [(int(one["first"]), int(one["other"])) for one in found]
    is_day, is_month = any(first > 12 for first, _ in pairs), any(other > 12 for _, other in pairs)
    if is_day or is_month:
        return is_day or not is_month, ""
    unsure = next((one for one in found if int(one["first"]) != int(one["other"])), None)
    if unsure is None or all(one["mark"] == "." for one in found):
        return True, ""
    rising = [_rises([_in_numbers(one, is_first) for one in found]) for is_first in (True, False)]
    if rising[0] != rising[1]:
        return rising[0], ""
    is_padded = any(one["first"].startswith("0") or one["other"].startswith("0") for one in found)
    is_day_first = is_padded or not any(half in ("AM", "PM") for half in halves)
    read, order = _in_numbers(unsure, is_day_first), "day" if is_day_first else "month"
    return is_day_first, f"{unsure[0]} was read as {read}, the {order} first"


def written_day(said: str, is_day_first: bool) -> date | None:
    """The day that is written before a message; None where no calendar has it."""
    if found := _NUMBERS.fullmatch(said):
        return _in_numbers(found, is_day_first) or _in_numbers(found, not is_day_first)
    return _day_of(read_date(_SHORT_YEAR.sub(r"\g<1>20\g<2>", said)))


def day_line(line: str, is_day_first: bool) -> date | None:
    """The day that a line between messages sets: it is nothing but that day, or is set off."""
    said = line.strip()
    if len(said) > _LINE_MAX or sum(map(str.isdigit, said)) < _DIGITS_LEAST:
        return None
    when = next(dates_in(said, day_first=is_day_first), None)
    if when is None:
        return None
    rest = _WORD.finditer(f"{said[: when.start]} {said[when.end :]}".lower())
    is_alone = all(one[0] in _WEEKDAYS for one in rest)
    return _day_of(when) if is_alone or _SET_OFF.match(said) else None


def day_in_name(name: str) -> date | None:
    """The day in the name of a file: `2025-01-13.log`."""
    found = _IN_NAME.search(PurePath(name).name)
    return _made(*map(int, found.group("year", "month", "day"))) if found else None


def _day_of(when: When | None) -> date | None:
    if when is None or when.exact not in ("day", "second"):
        return None
    return datetime.fromtimestamp(when.on_its_day // 1_000_000, UTC).date()


def _in_numbers(found: re.Match[str], is_day_first: bool) -> date | None:
    first, other, last = int(found["first"]), int(found["other"]), int(found["last"])
    if len(found["first"]) == 4:
        return _made(first, other, last)
    if len(found["first"]) == 3:
        return None
    day, month = (first, other) if is_day_first else (other, first)
    return _made(last + 2000 if len(found["last"]) == 2 else last, month, day)


def _made(year: int, month: int, day: int) -> date | None:
    if not 1970 <= year <= 2199:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _rises(days: Sequence[date | None]) -> bool:
    known = [day for day in days if day is not None]
    return len(known) == len(days) and all(one <= other for one, other in pairwise(known))
