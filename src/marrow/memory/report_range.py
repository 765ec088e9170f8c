"""What a report is about: a day, a length of time, a range, or a session."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..model.errors import Invalid, MarrowError
from ..model.moments import MICROS_PER_DAY, iso
from ..model.moments import parse as parse_moment
from ..model.session import Session
from .engine import Asker, Engine
from .sessions import session_show

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_LENGTH = re.compile(
    r"(?:last |past )?(?:\d+\s*(?:[mhdwy]|(?:minute|hour|day|week|month|year)s?)|day|week|month|year)\Z", re.I
)
_BETWEEN = re.compile(r"\s*(?:\.\.+|\bto\b|–|\buntil\b)\s*")
SESSION = "session"


class Range(NamedTuple):
    """From `start` up to `end`, in microseconds; `session` where it is that of one. `is_over`: nothing will come to
    it any more."""

    words: str
    start: int
    end: int
    session: Session | None = None
    is_over: bool = False


def range_of(engine: Engine, asker: Asker, given: str) -> Range:
    """Without anything: today. Days are whole, in UTC."""
    now, text = engine.clock(), " ".join(given.split())
    if text.lower() in ("", "today", "day"):
        return Range("today", now - now % MICROS_PER_DAY, now + 1)
    if text.lower() == "yesterday":
        start = now - now % MICROS_PER_DAY - MICROS_PER_DAY
        return Range("yesterday", start, start + MICROS_PER_DAY, is_over=True)
    if _DAY.match(text):
        start = parse_moment(text, now, field="range", future=True)
        return Range(text, start, start + MICROS_PER_DAY, is_over=start + MICROS_PER_DAY <= now)
    if _LENGTH.match(text):
        length = re.sub(r"\A(?:last|past) ", "", text, flags=re.I)
        return Range(f"the last {length}", parse_moment(_counted(length), now, field="range"), now + 1)
    ends = _BETWEEN.split(text)
    if len(ends) == 2 and all(ends):
        return _between(ends[0], ends[1], now)
    if text.lower() in (SESSION, "last session"):
        return _of_session(engine, asker, "")
    try:
        return _of_session(engine, asker, text.removeprefix("session "))
    except MarrowError as problem:
        if problem.code == "ambiguous":
            raise
        raise Invalid(
            f"{text[:80]!r} is no day, range or session.",
            hint="Give 2026-03-01, 3 days, 2026-03-01..2026-03-07, session, or a session's id.",
            field="range",
        ) from problem


def _counted(length: str) -> str:
    return length if length[:1].isdigit() else f"1 {length}"


def _between(first: str, last: str, now: int) -> Range:
    start = parse_moment(first, now, field="range", future=True)
    end = parse_moment(last, now, field="range", future=True)
    end += MICROS_PER_DAY if _DAY.match(last) else 0
    if end <= start:
        raise Invalid(f"{iso(end)} comes before {iso(start)}.", hint="Give the earlier one first.", field="range")
    return Range(f"{first} to {last}", start, end, is_over=end < now)


def _of_session(engine: Engine, asker: Asker, name: str) -> Range:
    session = session_show(engine, asker, name).session
    end = (session.ended_at or session.last_at or engine.clock()) + 1
    return Range(f"session {session.session}", session.started_at, end, session)
