"""Until which day something is said to hold."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

_DAYS = ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")
_UNTIL = re.compile(
    rf"[\s,]*\b(?:until|till?)\s+(?:(?:next |this )?(?P<day>{'|'.join(_DAYS)})day|(?P<date>\d{{4}}-\d\d-\d\d)|"
    r"(?:the )?end of (?:the |this )?(?P<span>week|month))\b[\s,:]*",
    re.I,
)


def without_day(text: str) -> str | None:
    """The sentence without the day until which it holds; None where it names none."""
    return _UNTIL.sub(" ", text).strip() if _UNTIL.search(text) else None


def days_left(text: str, at: int) -> int | None:
    """The days from a moment until the named day is over, none or fewer when it is past; None where none is named."""
    found = _UNTIL.search(text)
    today = datetime.fromtimestamp(at / 1_000_000, UTC).date()
    last = _last_day(found, today) if found else None
    return None if last is None else (last - today).days + 1


def _last_day(found: re.Match[str], today: date) -> date | None:
    if found["date"]:
        try:
            return date.fromisoformat(found["date"])
        except ValueError:
            return None
    if (found["span"] or "").lower() == "month":
        following = (today.replace(day=1) + timedelta(days=32)).replace(day=1)
        return following - timedelta(days=1)
    weekday = _DAYS.index(found["day"].lower()) if found["day"] else len(_DAYS) - 1
    # On a Friday "until Friday" is the next one; the week may end today.
    ahead = (weekday - today.weekday()) % 7
    return today + timedelta(days=ahead or (7 if found["day"] else 0))
