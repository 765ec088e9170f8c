"""When something is due: "by Friday", "due 2026-03-01", "before the end of the month", reckoned from a day."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

from .lazy_pattern import LazyPattern
from .spoken import LOOKED_AT_MAX

_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_DAY = r"mon(?:day)?|tue(?:s|sday)?|wed(?:nesday)?|thu(?:rs|rsday)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?"
_MONTH = (
    r"jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?"
    r"|july?|aug(?:ust)?|sep(?:t|tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
_WHEN = (
    r"(?P<iso>\d{4}-\d{1,2}-\d{1,2})"
    rf"|(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? (?P<m1>{_MONTH})\b\.?(?:,? (?P<y1>\d{{4}}))?"
    rf"|(?P<m2>{_MONTH})\b\.? (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<y2>\d{{4}}))?"
    r"|(?P<slashed>\d{1,2}/\d{1,2}(?:/\d{4})?)(?![\d/])"
    r"|(?P<dotted>\d{1,2}\.\d{1,2}\.\d{4})"
    rf"|(?:(?P<which>this|next|coming) )?(?P<day>{_DAY})\b"
    r"|(?P<soon>today|tonight|tomorrow|eod|end of (?:the )?day|cob|end of business)\b"
    rf"|end of (?P<last>{_MONTH})\b\.?(?:,? (?P<y3>\d{{4}}))?"
    r"|(?P<ends>eow|end of (?:the |this )?week|end of next week|next week|this week"
    r"|eom|end of (?:the |this )?month|end of next month|next month|end of (?:the |this )?(?:quarter|year))\b"
    r"|in (?P<count>\d{1,3}|an?|one|two|three|four|five|six) (?P<unit>day|week|month)s?\b"
)
# A date belongs to a task when it is said so; "the outage on Friday" is no deadline.
_DUE = LazyPattern(
    r"[ \t]{0,8}[,;(\[—–-]{0,8}[ \t]{0,8}\b(?:due(?: date| by| on)?|by|until|till|before|deadline|no later than"
    r"|not later than|eta|for|on)"
    rf"[ \t]{{0,8}}[:=]?[ \t]{{0,8}}(?:the |latest )?(?:{_WHEN})[ \t]{{0,8}}[)\]]{{0,8}}",
    re.I,
)
_STRONG = LazyPattern(r"\b(?:due|by|until|till|before|deadline|no later|not later|eta)\b", re.I)
# Behind a comma only in brackets, as in "(Ada, 15/03)": in a sentence it parts what is spoken of.
_BARE = LazyPattern(
    rf"[ \t]{{0,8}}(?:[(\[—–-]|(?P<comma>,))[ \t]{{0,8}}(?:{_WHEN})[ \t]{{0,8}}(?(comma)[)\]]{{1,8}}|[)\]]{{0,8}})\Z"
    r"|[ \t]{1,8}(?:today|tomorrow|next week)[.!]?\Z",
    re.I,
)
_NAMED_DAY = LazyPattern(_WHEN, re.I)
_NUMBERS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


def due_in(text: str, today: date | None) -> tuple[str, str]:
    """When a task is due, and the task without that: an ISO date, or the words where the day is not known; or ""."""
    matches = list(_DUE.finditer(text[:LOOKED_AT_MAX]))
    found = next((one for one in matches if _STRONG.search(one[0])), None) or next(
        # "for" and "on" only count at the very end: "prepare the demo for Monday"
        (one for one in matches if not text[one.end() :].strip(" .!)]")),
        None,
    )
    found = found or _BARE.search(text.rstrip())
    if found is None:
        return "", text
    rest = f"{text[: found.start()].rstrip()} {text[found.end() :].lstrip()}".strip()
    return resolved(found[0], today), re.sub(r"(?<![ \t])[ \t]+([.,;])", r"\1", rest).strip(" ,;–—-")


def resolved(words: str, today: date | None) -> str:
    """Words for a day as an ISO date; as they are where it cannot be known which day they mean."""
    found = _NAMED_DAY.search(words)
    if found is None:
        return words.strip(" .,;()[]!")
    day = _fixed(found, today) or (_reckoned(found, today) if today is not None else None)
    return day.isoformat() if day is not None else found[0].strip()


def day_of(micros: int | None) -> date | None:
    return None if micros is None else datetime.fromtimestamp(micros / 1_000_000, UTC).date()


def _fixed(found: re.Match[str], today: date | None) -> date | None:
    """A day of the calendar; without a year it is the next one from today."""
    try:
        if found["iso"]:
            year, month, day = map(int, found["iso"].split("-"))
            return date(year, month, day)
        if found["dotted"]:
            day, month, year = map(int, found["dotted"].split("."))
            return date(year, month, day)
        if found["slashed"]:
            return _slashed(found["slashed"], today)
        if found["last"]:
            return _last_of(found["last"], found["y3"], today)
        named, number, said = found["m1"] or found["m2"], found["d1"] or found["d2"], found["y1"] or found["y2"]
        if not named:
            return None
        month = _MONTHS.index(named[:3].lower()) + 1
        if said:
            return date(int(said), month, int(number))
        if today is None:
            return None
        here = date(today.year, month, int(number))
        return here if here >= today - timedelta(days=30) else date(today.year + 1, month, int(number))
    except ValueError:
        return None


def _last_of(named: str, year: str | None, today: date | None) -> date | None:
    """The last day of a month; without a year of the next one, or of one that has just gone."""
    month = _MONTHS.index(named[:3].lower()) + 1
    if year or today is None:
        return _month_end(int(year), month) if year else None
    here = _month_end(today.year, month)
    return here if here >= today - timedelta(days=30) else _month_end(today.year + 1, month)


def _slashed(said: str, today: date | None) -> date | None:
    """15/03 and 3/15/2026; where either number could be the month, nobody can know."""
    first, other, *year = map(int, said.split("/"))
    if (first <= 12 and other <= 12 and first != other) or (not year and today is None):
        return None
    day, month = (first, other) if first > 12 else (other, first)
    if year or today is None:
        return date(year[0], month, day)
    here = date(today.year, month, day)
    return here if here >= today - timedelta(days=30) else date(today.year + 1, month, day)


def _reckoned(found: re.Match[str], today: date) -> date | None:
    if found["day"]:
        wanted = next(at for at, day in enumerate(_DAYS) if day.startswith(found["day"][:3].lower()))
        ahead = (wanted - today.weekday()) % 7 or 7
        # "Next Friday", said on a Monday, is not the one of this week.
        is_next = (found["which"] or "").lower() == "next" and ahead + today.weekday() < 7
        return today + timedelta(days=ahead + 7 * is_next)
    if found["soon"]:
        return today + timedelta(days=found["soon"].lower() == "tomorrow")
    if found["ends"]:
        return _end_of(found["ends"].lower(), today)
    if found["count"]:
        count = _NUMBERS.get(found["count"].lower()) or int(found["count"])
        return today + timedelta(days=count * {"day": 1, "week": 7, "month": 30}[found["unit"].lower()])
    return None


def _end_of(what: str, today: date) -> date:
    """The last working day of a week, or the last day of a month, quarter or year."""
    if "week" in what or what == "eow":
        friday = today + timedelta(days=(4 - today.weekday()) % 7)
        return friday + timedelta(days=7 * ("next" in what))
    if "quarter" in what:
        return _month_end(today.year, (today.month - 1) // 3 * 3 + 3)
    if "year" in what:
        return date(today.year, 12, 31)
    return _month_end(today.year, today.month + ("next" in what))


def _month_end(year: int, month: int) -> date:
    years, ahead = divmod(month, 12)
    return date(year + years, ahead + 1, 1) - timedelta(days=1)
