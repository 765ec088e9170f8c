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
_UNIT = r"(?P<{}>second|sec|minute|min|hour|hr|day|week|month|year)"
_AGO = re.compile(
    rf"(?P<count>\d+)\s*{_UNIT.format('unit')}s?(?:\s+ago)?\Z"
    rf"|(?:an?\s+{_UNIT.format('one')}\s+ago|last\s+{_UNIT.format('last')})\Z|(?P<short>\d+[mhdwy])\Z",
    re.I,
)
_UNIT_DAYS = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.0, "year": 365.0}
_UNIT_DAYS |= {"second": 1 / 86_400, "sec": 1 / 86_400, "min": 1 / 1440, "hr": 1 / 24}
_SHORT_UNITS = {"m": "minute", "h": "hour", "d": "day", "w": "week", "y": "year"}
# How long what is named by so many digits of a clock lasts: nothing is a day, then the hour, the minute, the second.
_LASTING = {0: MICROS_PER_DAY, 2: 3_600_000_000, 4: 60_000_000, 6: 1_000_000}
_ZONE = re.compile(r"(?:z|[+-]\d{2}(?::?\d{2}(?::?\d{2})?)?)\Z", re.I)


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
    found, _ = _parse(given, now, field)
    if not future and found > now + MICROS_PER_DAY:
        raise Invalid(
            f"{iso(found)} lies in the future.", hint="Give the time at which it was said or happened.", field=field
        )
    return found


def beginning(given: object, now: int, *, field: str = "since") -> int:
    """The first microsecond of what is named: a day's begins at midnight, and so does today."""
    found, _ = _parse(given, now, field)
    return found - found % MICROS_PER_DAY if _is_spoken_day(given) else found


def end(given: object, now: int, *, field: str = "as_of") -> int:
    """The last microsecond of what is named: of a day, of a minute, or of a second as `iso` writes it, for which what
    happened within it has happened."""
    found, lasting = _parse(given, now, field)
    return (found - found % MICROS_PER_DAY if _is_spoken_day(given) else found) + lasting - 1


def _is_spoken_day(given: object) -> bool:
    """These name a day, and are taken for the time of it that it is now where a point is needed."""
    return isinstance(given, str) and given.strip().lower() in ("today", "yesterday")


def _parse(given: object, now: int, field: str) -> tuple[int, int]:
    """When it begins, and how long it lasts: a point is one microsecond."""
    try:
        if isinstance(given, datetime):
            return micros(given), 1
        if isinstance(given, int | float) and not isinstance(given, bool):
            return micros(datetime.fromtimestamp(given, UTC)), 1
        if isinstance(given, str):
            found = _parse_text(given.strip(), now)
            if found is not None:
                moment(sum(found) - 1)  # Refuses what no calendar has: "99999999 years ago".
                return found
    except (ValueError, OverflowError, OSError):
        pass
    raise Invalid(
        f"{str(given)[:80]!r} is not a time.",
        hint='Give it as 2026-03-01, 2026-03-01T14:00:00Z, "8 May 2023", "3 days ago" or "last week".',
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


def _parse_text(text: str, now: int) -> tuple[int, int] | None:
    if text[:4].isdigit():
        try:
            return micros(datetime.fromisoformat(text)), _lasting(text)
        except ValueError:
            pass
    lower = text.lower()
    if lower in ("now", "today", "yesterday"):
        return now - (MICROS_PER_DAY if lower == "yesterday" else 0), 1 if lower == "now" else MICROS_PER_DAY
    if ago := _AGO.match(lower):
        unit = ago["unit"] or ago["one"] or ago["last"] or _SHORT_UNITS[ago["short"][-1]]
        count = int(ago["count"] or (ago["short"] or "1 ")[:-1])
        return now - int(count * _UNIT_DAYS[unit] * MICROS_PER_DAY), 1
    for form in (_DAY_FIRST, _MONTH_FIRST, _YEAR_FIRST):
        if day := form.search(lower):
            return _on_day(day, lower[: day.start()] + " " + lower[day.end() :])
    return None


def _lasting(text: str) -> int:
    """How long what is written as in ISO 8601 lasts, by how much of the clock it has."""
    _, is_clock, clock = text.replace(" ", "T", 1).upper().partition("T")
    digits = sum(letter.isdigit() for letter in _ZONE.sub("", clock)) if is_clock else 0
    return _LASTING.get(digits, 1)


def _on_day(day: re.Match[str], rest: str) -> tuple[int, int]:
    named = day["month"]
    month = int(named) if named.isdigit() else _MONTHS[named[:3]]
    clock = next((c for c in _CLOCK.finditer(rest) if c["minute"] or c["half"]), None)
    hour = minute = second = 0
    lasting = MICROS_PER_DAY
    if clock:
        lasting = _LASTING[6 if clock["second"] else 4 if clock["minute"] else 2]
        hour, minute, second = int(clock["hour"]), int(clock["minute"] or 0), int(clock["second"] or 0)
        if clock["half"]:
            hour = hour % 12 + (12 if clock["half"].lower() == "pm" else 0)
    return micros(datetime(int(day["year"]), month, int(day["day"]), hour, minute, second, tzinfo=UTC)), lasting


def age(then: int, now: int) -> str:
    """How long ago, in one short word pair: "3 days", "2 months"."""
    seconds = max(0, now - then) // 1_000_000
    for size, unit in ((31_536_000, "year"), (2_592_000, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = seconds // size
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return "just now"
