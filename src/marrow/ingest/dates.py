"""Dates as people and programs write them in documents. What is not there is not made up: a day without a year is none.

A date without a zone is read as UTC. One that can be read in two ways (01/03/2026) is read day first, unless another
date of the same text shows the order, and `note` says how it was read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from functools import cache

from ..model.moments import micros
from .zones import ENDS as ZONE_ENDS

# Texts are looked through this far: a date that matters stands near the beginning.
READ = 40_000
_YEAR_MIN, _YEAR_MAX = 1970, 2199
_SECONDS_MIN, _SECONDS_MAX = 631_152_000, 7_258_118_400  # of Unix time: from 1990, up to 2200

# English first; then what German, French, Spanish, Italian, Portuguese, Dutch and Russian write otherwise.
_MONTH_NAMES = (
    "january jan januar jänner janvier enero ene gennaio janeiro januari января январь янв",
    "february feb februar février fevrier févr fév febrero febbraio fevereiro fev februari февраля февраль фев",
    "march mar märz maerz mär mrz mars marzo março marco maart mrt марта март мар",
    "april apr avril avr abril abr aprile апреля апрель апр",
    "may mai mayo maggio maio mei мая май",
    "june jun juni juin junio giugno giu junho июня июнь июн",
    "july jul juli juillet juil julio luglio lug julho июля июль июл",
    "august aug août aout agosto augustus августа август авг",
    "september sep sept septembre septiembre settembre setembro сентября сентябрь сен сент",
    "october oct oktober okt octobre octubre ottobre ott outubro октября октябрь окт",
    "november nov novembre noviembre novembro ноября ноябрь ноя",
    "december dec dezember dez décembre déc decembre diciembre dic dicembre dezembro декабря декабрь дек",
)
_MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES, 1) for name in names.split()}
_MONTH = rf"(?P<name>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
_YEAR = r"(?P<year>(?:19|20|21)\d\d)(?![\d])"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.|º|er)?"
# Spaces are counted everywhere, so that a page of them costs nothing.
_SPACE = r"[ \t]{1,3}"
_GAP = r"(?:[ \t]{0,3}[-/,. ][ \t]{0,3})"
_OF = rf"(?:{_SPACE}(?:of|de|di){_SPACE})"
_CLOCK = (
    r"(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<part>\d{1,9}))?)?"
    r"(?:[ \t]{0,3}(?P<half>[ap]\.?m\b\.?))?"
)
_NAMED_ZONES = {"z": 0, "utc": 0, "gmt": 0, "est": -5, "edt": -4, "cst": -6, "cdt": -5, "mst": -7, "mdt": -6}
_NAMED_ZONES |= {"pst": -8, "pdt": -7, "cet": 1, "cest": 2, "bst": 1, "eet": 2, "eest": 3, "jst": 9}
_ZONE = (
    r"(?:[ \t]{0,3}\(?(?:(?:utc|gmt)?(?P<offset>[+-]\d\d?(?::?\d\d)?)(?!\w)|"
    rf"(?P<zone>{'|'.join(_NAMED_ZONES)}){ZONE_ENDS})\)?)?"
)
_THEN = rf"(?:(?:[T,;@]|[ \t]|-|–|\bat\b|\bum\b|\bà\b){{1,6}}(?:{_CLOCK}){_ZONE})?"
_BEFORE = r"(?<![\w./:\\-])"
# What may not follow a date in numbers: it would be part of a longer number, a version or an address.
_ENDS = r"(?![\d]|[./-]\d)"

_FORMS = (
    rf"{_BEFORE}(?P<year>\d{{4}})(?P<mark>[-/.])(?P<month>\d{{1,2}})(?P=mark)(?P<day>\d{{1,2}})(?!\d|[.-]\d){_THEN}",
    rf"{_BEFORE}(?P<year>\d{{4}})(?P<month>\d\d)(?P<day>\d\d)(?:T(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d))?"
    rf"{_ZONE}(?![\w.-])",
    rf"{_BEFORE}{_YEAR}{_GAP}{_MONTH}{_GAP}{_DAY}(?!\d){_THEN}",
    rf"{_BEFORE}{_DAY}(?:{_GAP}|{_OF})?{_MONTH}(?:{_GAP}|{_OF}){_YEAR}{_THEN}",
    rf"{_BEFORE}{_MONTH},?{_GAP}{_DAY},?{_GAP}{_YEAR}{_THEN}",
    rf"{_BEFORE}{_MONTH}{_SPACE}{_DAY}{_SPACE}{_CLOCK}{_ZONE}{_SPACE}{_YEAR}(?:{_SPACE}(?P<late>[+-]\d{{4}}))?",
    rf"{_BEFORE}(?P<first>\d{{1,2}})(?P<mark>[-/.])(?P<other>\d{{1,2}})(?P=mark){_YEAR}{_ENDS}{_THEN}",
    r"(?P<year>\d{4})\s{0,2}[年년]\s{0,2}(?P<month>\d{1,2})\s{0,2}[月월]\s{0,2}(?P<day>\d{1,2})\s{0,2}[日일]",
    rf"{_BEFORE}(?P<year>\d{{4}})-W(?P<week>\d\d)(?:-(?P<weekday>[1-7]))?(?![\w-])",
    rf"{_BEFORE}(?:Q(?P<quarter>[1-4])|(?P<nth>first|second|third|fourth){_SPACE}quarter)(?:{_SPACE}of|,)?"
    rf"[ \t/-]{{0,3}}{_YEAR}",
    rf"{_BEFORE}{_YEAR}[ \t/-]{{0,3}}Q(?P<quarter>[1-4])\b",
    rf"{_BEFORE}H(?P<halfyear>[12])[ \t/-]{{0,3}}{_YEAR}",
    rf"{_BEFORE}{_MONTH}(?:,|{_SPACE}(?:of|de|di))?[ \t/-]{{1,3}}{_YEAR}",
    rf"{_BEFORE}(?P<year>(?:19|20|21)\d\d)[-/](?P<month>0[1-9]|1[0-2])(?![\w/-]|\.\d)",
)
_EARLIER_CLOCK = rf"{_CLOCK}{_ZONE}(?:[ \t]{{0,3}}(?:,|\bon\b|\bam\b)?[ \t]{{0,3}})\Z"
_EPOCH = re.compile(r"\d{9,19}(?:\.\d{1,9})?\Z")
_SHORT_YEAR = re.compile(r"(?P<first>\d{1,2})(?P<mark>[-/.])(?P<other>\d{1,2})(?P=mark)(?P<short>\d\d)\Z")
_NUMBERS = re.compile(r"(?<![\w./-])(\d{1,2})([-/.])(\d{1,2})\2(?:19|20|21)\d\d(?![\d])")
_DAY_MICROS = 86_400_000_000
_QUARTERS = {"first": 1, "second": 2, "third": 3, "fourth": 4}
# What somebody took for a day, whether a calendar has it or not.
_MEANT = (
    r"\d{1,4}[-./]\d{1,2}[-./]\d{2,4}|\d{1,2}\.?[ \t]{1,3}[^\W\d_]{3,12}\.?,?[ \t]{1,3}\d{4}"
    r"|[^\W\d_]{3,12}[ \t]{1,3}\d{1,2},?[ \t]{1,3}\d{4}"
)
_EDGES = " \t\r\n\"'`*_()[]<>"


@dataclass(frozen=True, slots=True)
class When:
    """A moment in microseconds, how exactly it was said (second, day, week, month, quarter, half, year), where it
    stands in the text, and a note where it could be read in two ways. `offset` are the minutes of its zone."""

    at: int
    exact: str = "day"
    note: str = ""
    start: int = 0
    end: int = 0
    offset: int = 0

    @property
    def on_its_day(self) -> int:
        """The moment, or where UTC has another day then the beginning of the day that was written."""
        there = self.at + self.offset * 60_000_000
        return self.at if there // _DAY_MICROS == self.at // _DAY_MICROS else there - there % _DAY_MICROS


@cache
def _form(pattern: str) -> re.Pattern[str]:
    """Made when first needed: together they cost more than a start may."""
    return re.compile(pattern, re.I)


def date_of(text: str) -> int | None:
    """The first date in a text, as microseconds; None where there is none."""
    found = read_date(text)
    return found.at if found else None


def read_date(text: object, *, day_first: bool | None = None) -> When | None:
    """What a field says that should hold a date: any form, Unix time and a year alone included."""
    if isinstance(text, bool) or text is None:
        return None
    said = str(text).strip(_EDGES)[:200]
    if _EPOCH.match(said):
        return _epoch(said) or next(dates_in(said, day_first=day_first), None)
    if re.fullmatch(r"(?:19|20|21)\d\d", said):
        return _made(int(said), 1, 1, exact="year", end=4) if int(said) >= _YEAR_MIN else None
    if short := _SHORT_YEAR.match(said):
        return _in_numbers(short, 2000 + int(short["short"]), day_first)
    return next(dates_in(said, day_first=day_first), None)


def no_date(said: object) -> str:
    """What to tell of a field that should hold a date, and holds one that no calendar has; "" for any other."""
    text = str(said or "").strip(_EDGES)[:60]
    is_meant = _form(_MEANT).search(text) is not None
    return f"{text!r} is no date, and was left out" if is_meant and read_date(text) is None else ""


def dates_in(text: str, *, day_first: bool | None = None) -> Iterator[When]:
    """Every date of a text, in the order in which they stand there."""
    looked_at = text[:READ]
    if not any(character.isdigit() for character in looked_at):
        return
    order = _order_in(looked_at) if day_first is None else day_first
    found = []
    for rank, form in enumerate(_FORMS):
        found += [(match.start(), rank, match) for match in _form(form).finditer(looked_at)]
    end = 0
    for start, _, match in sorted(found, key=lambda one: (one[0], one[1])):
        when = _when(match, order, looked_at) if start >= end else None
        if when:
            end = match.end()
            yield when


def _order_in(text: str) -> bool | None:
    """Whether dates in numbers are day first here, as those show that can be read in one way; None if none does."""
    pairs = [(int(first), int(other)) for first, mark, other in _NUMBERS.findall(text) if mark == "/"]
    day_first = any(first > 12 >= other for first, other in pairs)
    month_first = any(other > 12 >= first for first, other in pairs)
    return day_first if day_first != month_first else None


def _epoch(said: str) -> When | None:
    """Unix time in seconds, milliseconds, microseconds or nanoseconds, by its length."""
    whole = said.partition(".")[0]
    for power in (0, 3, 6, 9):
        seconds = int(whole) / 10**power
        if _SECONDS_MIN <= seconds < _SECONDS_MAX:
            exact = float(said) / 10**power if "." in said else seconds
            return When(int(exact * 1_000_000), "second", end=len(said))
    return None


def _when(match: re.Match[str], day_first: bool | None, text: str) -> When | None:
    part = match.groupdict()
    year = int(part["year"])
    if part.get("first"):
        return _in_numbers(match, year, day_first)
    if part.get("week"):
        try:
            day = datetime.fromisocalendar(year, int(part["week"]), int(part["weekday"] or 1))
        except ValueError:
            return None
        return _made(year, day.month, day.day, match, exact="day" if part["weekday"] else "week")
    if part.get("quarter") or part.get("nth"):
        quarter = int(part["quarter"]) if part.get("quarter") else _QUARTERS[part["nth"].lower()]
        return _made(year, 3 * quarter - 2, 1, match, exact="quarter")
    if part.get("halfyear"):
        return _made(year, 6 * int(part["halfyear"]) - 5, 1, match, exact="half")
    month = _MONTHS[part["name"].lower()] if part.get("name") else int(part["month"])
    if not part.get("day"):
        return _made(year, month, 1, match, exact="month")
    return _made(year, month, int(part["day"]), match, before=text[max(0, match.start() - 40) : match.start()])


def _in_numbers(match: re.Match[str], year: int, day_first: bool | None) -> When | None:
    """Two numbers and a year. Dots are always day first; of slashes and dashes nobody can be sure."""
    first, other = int(match["first"]), int(match["other"])
    is_day_first = first > 12 or (other <= 12 and day_first is not False)
    day, month = (first, other) if is_day_first else (other, first)
    note = ""
    if first <= 12 and other <= 12 and first != other and day_first is None and match["mark"] != ".":
        written = re.split(r"[\sT,;]", match[0], maxsplit=1)[0]
        note = f"{written} was read as {year:04d}-{month:02d}-{day:02d}, the day first"
    return _made(year, month, day, match, note=note)


def _made(
    year: int,
    month: int,
    day: int,
    match: re.Match[str] | None = None,
    *,
    exact: str = "day",
    note: str = "",
    before: str = "",
    end: int = 0,
) -> When | None:
    """The moment of that day, with the clock that stands after it, or before it: "14:00 on 1 March 2026"."""
    if not _YEAR_MIN <= year <= _YEAR_MAX:
        return None
    part = match.groupdict() if match else {}
    if not part.get("hour") and before and (earlier := _form(_EARLIER_CLOCK).search(before)):
        part = {**part, **earlier.groupdict()}
    hour = minute = second = fraction = 0
    if part.get("hour"):
        hour, minute, second = int(part["hour"]), int(part["minute"]), int(part["second"] or 0)
        fraction = int(((part.get("part") or "") + "000000")[:6])
        if half := part.get("half"):
            hour = hour % 12 + (12 if half[0] in "pP" else 0)
        exact = "second"
    try:
        moment = datetime(year, month, day, hour, minute, min(second, 59), fraction, tzinfo=_zone(part))
    except ValueError:
        return None  # No calendar has it.
    span = match.span() if match else (0, end)
    ahead = moment.utcoffset() or timedelta()
    return When(micros(moment), exact, note, *span, offset=int(ahead.total_seconds()) // 60)


def _zone(part: dict[str, str | None]) -> timezone:
    if named := part.get("zone"):
        return timezone(timedelta(hours=_NAMED_ZONES[named.lower()]))
    offset = part.get("offset") or part.get("late")
    if not offset:
        return UTC
    digits = offset[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:] or 0)
    return timezone(timedelta(minutes=-minutes if offset[0] == "-" else minutes))
