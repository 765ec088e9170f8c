"""Moments: times as people and programs write them, kept as whole microseconds since 1970 in UTC."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from .errors import Invalid

MICROS_PER_DAY = 86_400_000_000

_MONTHS = {m: i + 1 for i, m in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split())}
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY_FIRST = re.compile(rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH},?\s+(?P<year>\d{{4}})\b", re.I)
_MONTH_FIRST = re.compile(rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})\b", re.I)
_YEAR_FIRST = re.compile(r"\b(?P<year>\d{4})[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})\b")
_CLOCK = re.compile(r"\b(?P<hour>\d{1,2})(?::(?P<minute>\d{2}))?(?::(?P<second>\d{2}))?\s*(?P<half>am|pm)?\b", re.I)
_AGO = re.compile(
    r"(?P<count>\d+)\s*(?P<unit>minute|hour|day|week|month|year)s?(?:\s+ago)?\Z|(?P<short>\d+[mhdwy])\Z", re.I
)
_UNIT_DAYS = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.0, "year": 365.0}
_SHORT_UNITS = {"m": "minute", "h": "hour", "d": "day", "w": "week", "y": "year"}


def micros(moment: datetime) -> int:
    """A datetime as microseconds; one without a zone is taken as UTC."""
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (aware - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def moment(value: int) -> datetime:
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=value)


def iso(value: int) -> str:
    """As programs read it: seconds, in UTC."""
    return moment(value).strftime("%Y-%m-%dT%H:%M:%SZ")


def parse(given: object, now: int, *, field: str = "at", future: bool = False) -> int:
    """A moment from a datetime, seconds since 1970, or text: ISO 8601, "1:56 pm on 8 May, 2023", "3 days ago".

    A time after `now` is refused unless `future` is allowed: a clock that runs ahead must not outrank the present.
    """
    found = _parse(given, now, field)
    if not future and found > now + MICROS_PER_DAY:
        raise Invalid(
            f"{iso(found)} lies in the future.", hint="Give the time at which it was said or happened.", field=field
        )
    return found


def _parse(given: object, now: int, field: str) -> int:
    try:
        if isinstance(given, datetime):
            return micros(given)
        if isinstance(given, int | float) and not isinstance(given, bool):
            return micros(datetime.fromtimestamp(given, UTC))
        if isinstance(given, str):
            found = _parse_text(given.strip(), now)
            if found is not None:
                moment(found)  # Refuses what no calendar has: "99999999 years ago".
                return found
    except (ValueError, OverflowError, OSError):
        pass
    raise Invalid(
        f"{str(given)[:80]!r} is not a time.",
        hint='Give it as 2026-03-01, 2026-03-01T14:00:00Z, "8 May 2023" or "3 days ago".',
        field=field,
    )


def is_time(text: str) -> bool:
    """Whether all of a text is a time, and it does not only have one in it."""
    lower = text.strip().lower()
    try:
        if _parse_text(text.strip(), 0) is None:
            return False
    except (ValueError, OverflowError):
        return False
    for form in (_DAY_FIRST, _MONTH_FIRST, _YEAR_FIRST):
        if day := form.search(lower):
            around = _CLOCK.sub(_unless_counted, lower[: day.start()] + " " + lower[day.end() :])
            return set(re.findall(r"\w+", around)) <= {"on", "at", "utc"}
    return True


def _unless_counted(clock: re.Match[str]) -> str:
    """Nothing for a clock. What is joined to a day, and has neither minutes nor a half, counts: 2024-05-06-1."""
    is_joined = clock.string[: clock.start()].endswith((" -", " .", " /", " #"))  # the blank stands for the day
    return clock[0] if is_joined and not (clock["minute"] or clock["half"]) else " "


def _parse_text(text: str, now: int) -> int | None:
    if text[:4].isdigit():
        try:
            return micros(datetime.fromisoformat(text))
        except ValueError:
            pass
    lower = text.lower()
    if lower in ("now", "today", "yesterday"):
        return now - (MICROS_PER_DAY if lower == "yesterday" else 0)
    if ago := _AGO.match(lower):
        unit = ago["unit"] or _SHORT_UNITS[ago["short"][-1]]
        count = int(ago["count"] or ago["short"][:-1])
        return now - int(count * _UNIT_DAYS[unit] * MICROS_PER_DAY)
    for form in (_DAY_FIRST, _MONTH_FIRST, _YEAR_FIRST):
        if day := form.search(lower):
            return _on_day(day, lower[: day.start()] + " " + lower[day.end() :])
    return None


def _on_day(day: re.Match[str], rest: str) -> int:
    named = day["month"]
    month = int(named) if named.isdigit() else _MONTHS[named[:3]]
    clock = next((c for c in _CLOCK.finditer(rest) if c["minute"] or c["half"]), None)
    hour = minute = second = 0
    if clock:
        hour, minute, second = int(clock["hour"]), int(clock["minute"] or 0), int(clock["second"] or 0)
        if clock["half"]:
            hour = hour % 12 + (12 if clock["half"].lower() == "pm" else 0)
    return micros(datetime(int(day["year"]), month, int(day["day"]), hour, minute, second, tzinfo=UTC))


def age(then: int, now: int) -> str:
    """How long ago, in one short word pair: "3 days", "2 months"."""
    seconds = max(0, now - then) // 1_000_000
    for size, unit in ((31_536_000, "year"), (2_592_000, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return "just now"
