"""The time a question speaks of: "what did we decide last week?", "what broke after the 2.0 release?".

A wrong restriction hides the right answer, so what can be read in two ways is not read at all: a time that is denied
or compared, two times that are not joined, a deadline, a habit, a duration that is a value, a quoted time, the time of
a thing (yesterday's release), a text too long to be a question. Periods are the calendar's, in UTC, weeks begin on
Monday, and a vague word makes an interval wider. A date alone may be part of a log line or the name of a version: it
needs a preposition, or the end of a question about the past.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cache

from ..model.moments import micros, moment

QUESTION_LENGTH_MAX = 200  # A longer text is a task: it tells when things went wrong, not when the answer was said.
RECENT = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a question says of time: an interval in microseconds, or an event that only the memory can date."""

    since: int | None  # inclusive
    until: int | None  # exclusive
    said: str
    rest: str
    event: str = ""
    relation: str = ""  # of what is asked for to the event: "before", "after", "since", or "" for during
    weak: bool = False  # "recently": a wish, not a limit


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


@cache
def _form(pattern: str) -> re.Pattern[str]:
    """A pattern of whole words, made when first needed: `Monday.com` and `2024-style` are other words."""
    return re.compile(rf"(?:{pattern})(?![\w-]|['’./:@]\w)".replace(" ", r"\s"))


_MONTHS = "january february march april may june july august september october november december".split()
_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_NUMBERS = "no one two three four five six seven eight nine ten eleven twelve".split()
_LOOSE = {"couple": (2, 1), "few": (4, 2), "several": (5, 3)}  # how many, give or take
_UNITS = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1, "week": 7, "month": 30, "quarter": 91, "year": 365}  # in days
_MONTHS_IN = {"month": 1, "quarter": 3, "year": 12}
# In days from midnight. A part of a day is the whole day, for the hours of whoever asks are not known.
_FIXED = {"before": (-2, -1), "yesterday": (-1, 0), "last": (-0.5, 0.5)}
_RELATIONS = _set("since before after until till by")
# What may follow each preposition beside "last week" and its like, which may follow every one.
_AT = {"in": _set("month year iso"), "on": _set("weekday date iso"), "during": _set("month year weekday")}
_AT |= dict.fromkeys(("from", "between"), _set("month year weekday date iso"))
_AT |= dict.fromkeys(("over", "within", "for"), _set(""))
_ANYWHERE = _set("relative rolling this today weak")
# The word before a time that makes it something else: a comparison, a denial, a habit, a deadline, a part.
_TURNED = _set("than not except or to of as every each half least most how over later next valid due expires expire")
_NAMED = _set("version api release tag build schema format style id is are at pin pinned use using")  # beside a name
_BE = _set("be is are am being get gets isn't aren't")
_PAST = _set("did didn't was wasn't were weren't had hadn't said made broke chose wrote went came took saw found met")
_NOT_PAST = _set("speed embed indeed exceed proceed succeed based supposed allowed required scheduled planned expected")
_FUTURE = _set("must should need needs shall will won't due plan plans planned deadline upcoming next tomorrow goals")
_VALUES = _set("keep keeps retain retains retention window average ttl timeout cache expire expires purge delete alert")
# What may follow a year or an event. Any other word may make it something else: 2000 requests, the release branch.
_FOLLOWING = _set("did do does we i you they it our the that who when where what how why and about for on in with at")
_EMPTY = _set("the our that a an of to from off into last latest version")
_QUOTED = re.compile(r"\"[^\"]*\"|`[^`]*`|“[^“”]*”|(?<!\w)'[^'\n]*'(?!\w)")
_WORD = re.compile(r"(?<![\w.@/:'’#-])\w+")
_NEXT = re.compile(r"\s([\w'’:#.-]*)")
_VAGUE = re.compile(r"(?:early|earlier|late|mid|the (?:end|start|beginning) of)\s")
_VERSION = r"v?[0-9]{1,4}(?:\.[0-9]{1,4}){1,2}(?:-?(?:rc|alpha|beta)\.?[0-9]{0,3})?|v[0-9]{1,4}"
_NOUN = "(?:outage|incident|release|launch|migration|rewrite|refactor|cutover|rollout|rollback|upgrade|redesign|breach)"
_NAME = r"(?!(?:the|our|that|an?|to|of|on|in|at|for|with|by|from|and|or|is|are|was|were|has|had)\b)\w[\w+#/-]{0,40}"
_NUMBERED = rf"(?:(?:version|release) )?(?:{_VERSION})(?: {_NOUN})?|(?:adr|rfc|inc|incident|pr)(?: |-)?#?[0-9]{{1,6}}"
_THING = rf"(?:(?:the|a) )?(?:(?:{_NAME} )?(?:{_VERSION})|{_NAME}(?: [0-9]{{1,4}})?)"
_TO = rf"(?:{_NOUN}|move|switch) (?:to|of|from|off|into) {_THING}"
_EVENT = rf"(?:the )?(?P<number>{_NUMBERED})|(?:the|our|that) (?:{_NAME} ){{0,3}}?(?:{_TO}|{_NOUN})"
_COUNT = rf"(?P<count>[0-9]{{1,4}}|{'|'.join(_NUMBERS[1:])}|(?:a )?(?:couple(?: of)?|few)|several|an?)"
_UNIT = rf"(?P<unit>{'|'.join(_UNITS)})"
_YEAR = r"(?P<year>(?:199|20[0-9])[0-9])"
_OF_YEAR = rf"(?:(?:,| of)? (?:{_YEAR}|(?P<near>this|last) year))?"
_DAY_NAME = rf"(?P<day>{'|'.join(_DAYS)}|mon|tues?|wed|thu|thurs|fri|sat|sun)"
_MONTH = rf"(?P<name>{'|'.join(_MONTHS)}|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?)"
_NTH = "(?P<{}>[0-3]?[0-9])(?:st|nd|rd|th)?"
_DATE = rf"(?:(?:the )?{_NTH.format('first')} (?:of )?)?{_MONTH}(?: {_NTH.format('second')})?"
_PART = "(?:morning|afternoon|evening|night)"
_LASTING = rf"{_COUNT} {_UNIT}s?"
# Without a digit or one of these words nothing is said of time.
_OF_TIME = _set("recently lately yesterday today last past previous this ago back during") | _RELATIONS
_OF_TIME |= _set("mon tue tues wed thu thurs fri sat sun jan feb mar apr jun jul aug sep sept oct nov dec")
_OF_TIME |= {*_MONTHS, *_DAYS}
_LETTERS, _DIGIT = re.compile(r"[a-z]+"), re.compile(r"[0-9]")


@dataclass(frozen=True, slots=True)
class _Span:
    """What some words say, up to `end`. A fuzzy time has no sharp edges: "the end of March"."""

    end: int
    kind: str
    since: datetime | None = None
    until: datetime | None = None
    fuzzy: bool = False
    start: int = 0
    event: str = ""
    relation: str = ""


_DOUBT = _Span(0, "doubt")  # Something was said of time, and it may mean more than one thing.


@dataclass(frozen=True, slots=True)
class _Sentence:
    """A question in lower case, what is quoted blotted out, and when it is asked."""

    question: str
    text: str
    now: datetime
    today: datetime
    month: int
    words: frozenset[str]
    is_past: bool

    def before(self, at: int) -> str:
        return " ".join(self.text[max(0, at - 40) : at].rstrip(" ([*_").split()[-1:])

    def after(self, at: int) -> str:
        found = _NEXT.match(self.text, at)
        return found[1].strip(".:") if found else ""

    def months(self, first: int, count: int = 1) -> tuple[datetime, datetime]:
        """So many months from that one on, counted from the year 0."""
        start, end = (self.today.replace(year=n // 12, month=n % 12 + 1, day=1) for n in (first, first + count))
        return start, end

    def back(self, count: int, unit: str) -> datetime:
        if unit in _MONTHS_IN:
            return self.months(self.month - count * _MONTHS_IN[unit])[0] + timedelta(min(self.now.day, 28) - 1)
        return (self.now if unit in ("minute", "hour") else self.today) - timedelta(count * _UNITS[unit])


def spoken_time(question: str, now: int) -> Spoken | None:
    """The time a question speaks of; None when it speaks of none, or not clearly of one."""
    if len(question) > QUESTION_LENGTH_MAX:
        return None
    if not _DIGIT.search(question) and _OF_TIME.isdisjoint(_LETTERS.findall(question.lower())):
        return None
    every: list[_Span] = []
    try:
        s = _sentence(question, moment(now))
        for word in _WORD.finditer(s.text):
            span = _expression(s, word.start(), word[0]) if word.start() >= (every[-1].end if every else 0) else None
            doubtful = span and (span.kind == "doubt" or s.before(word.start()) in _TURNED | _RELATIONS)
            every += [_DOUBT] if doubtful else [replace(span, start=word.start())] if span else []
    except (ValueError, OverflowError):
        return None  # No calendar has it: 30 February, 9999 years ago.
    chosen = [span for span in every if span.kind != "weak"] or every[:1]
    if _DOUBT in every or len({(span.since, span.until, span.event) for span in chosen}) != 1:
        return None
    span = chosen[0]
    if (span.since and span.since > s.now) or (not span.since and span.until and span.until > s.now):
        return None  # The memory has nothing of the future, and "until today" leaves nothing out.
    left, right = question[: span.start].rstrip(" ,;:"), question[span.end :].strip()
    rest = left + ("" if re.match(r"[?!.,;:)]+(?:\s|\Z)", right) else " ") + right if left else right.lstrip(" ,;:")
    since, until = (None if edge is None else micros(edge) for edge in (span.since, span.until))
    said = question[span.start : span.end]
    return Spoken(since, until, said, rest.rstrip(), span.event, span.relation, weak=span.kind == "weak")


def event_date_terms(spoken: Spoken) -> tuple[str, ...]:
    """What to search the memory for to date the event: its words without articles, versions without their "v"."""
    words = [word for word in spoken.event.lower().split() if word not in _EMPTY]
    return tuple(dict.fromkeys(word.removeprefix("v") if re.match(r"v[0-9]+\.", word) else word for word in words))


def _sentence(question: str, now: datetime) -> _Sentence:
    text = _QUOTED.sub(lambda quoted: "x" * len(quoted[0]), question)
    text = "".join(low if len(low := c.lower()) == 1 else c for c in text)  # every letter stays in its place
    words = re.findall(r"[a-z']+", text.replace("’", "'"))
    past = any(
        word in _PAST or (len(word) > 4 and word.endswith("ed") and word not in _NOT_PAST and before not in _BE)
        for before, word in zip(["", *words], words, strict=False)
    )
    today, month = now.replace(hour=0, minute=0, second=0, microsecond=0), now.year * 12 + now.month - 1
    return _Sentence(question, text, now, today, month, frozenset(words), past)


def _expression(s: _Sentence, at: int, word: str) -> _Span | None:
    """What is said of time from this word on."""
    then = at + len(word) + 1
    if word in _RELATIONS:
        return _related(s, at, then, "until" if word == "till" else word)
    if word == "during" and (event := _event(s, then, "")):
        return event
    span = _joined(s, then, word) if word in _AT else None
    if span and span.kind in _AT[word] | _ANYWHERE | {"doubt"}:
        if word == "from" and (after := s.after(span.end)) in ("on", "onward", "onwards"):
            return replace(span, until=None, end=span.end + 1 + len(after))
        return span if _is_meant(s, span, "") else _DOUBT
    span, before = _joined(s, at), s.before(at)
    is_last = s.is_past and span and not s.text[span.end :].strip(" .?!")
    is_free = is_last and before not in _NAMED | {"and"} and "version" not in before
    kinds = _ANYWHERE | _set("date iso" if is_free else "") | _set("" if before == "and" else "ago")
    if not span or span.kind not in kinds:
        return None  # "a log line of 2026-03-03 that says", "a year and a week ago"
    return span if _is_meant(s, span, "") else _DOUBT


def _is_meant(s: _Sentence, span: _Span, relation: str) -> bool:
    """Whether the question asks for what was said at that time, as far as its other words tell."""
    after = s.after(span.end)
    if after in ("of", "or") or ":" in after or (relation == "since" and after in _BE | {"was", "has", "had"}):
        return False  # "the last week of March", "2026-03-03 10:15", "since Monday is a holiday"
    if (span.kind == "iso" and after in _NAMED) or (span.kind == "year" and after not in _FOLLOWING | {""}):
        return False
    if relation not in ("", "since") and span.kind not in ("relative", "ago"):
        return not s.words & _FUTURE and (s.is_past or (relation in ("before", "after") and span.kind != "weekday"))
    if relation == "since" or s.is_past:
        return True
    if span.kind in ("today", "weekday") or (span.kind == "this" and s.words & _FUTURE):
        return False  # "how does it work today?", "can we deploy on Friday?", "what is due this week?"
    return span.kind not in ("rolling", "ago") or not s.words & _VALUES


def _related(s: _Sentence, at: int, then: int, relation: str) -> _Span | None:
    span, before = _joined(s, then), s.before(at)
    if not span and relation == "since" and (match := _form(_LASTING).match(s.text, then)):
        span = _Span(match.end(), "rolling", s.back(sum(_number(match)), match["unit"]))  # "since two weeks"
    if not span or (relation == "by" and span.kind == "year"):
        span = None if relation == "by" else _event(s, then, "before" if relation == "until" else relation)
    else:
        first, last = (span.since, span.until) if span.fuzzy else (span.until, span.since)
        since = {"since": span.since, "after": first}.get(relation)
        until = {"before": last, "until": span.until, "by": span.until}.get(relation)
        is_meant = (since or until) and _is_meant(s, span, relation)
        span = replace(span, since=since, until=until) if is_meant else _DOUBT
    # "two days before the outage", "last weekend before March", "before and after the outage"
    turned = before.removesuffix("s") in {*_UNITS, "weekend"} or s.text.endswith("before and ", 0, at)
    return _DOUBT if span and turned else span


def _event(s: _Sentence, at: int, relation: str) -> _Span | None:
    """Without a number, only the past tense tells an event from a step: "what runs after the migration?"."""
    named = _form(_EVENT).match(s.text, at)
    is_clear = relation == "since" or (relation and named and named["number"])
    if not named or not (s.is_past or (is_clear and not s.words & _FUTURE)):
        return None
    if s.after(named.end()) not in _FOLLOWING | {""}:
        return _DOUBT  # "before the release branch", "since the outage last week"
    return _Span(named.end(), "event", event=s.question[at : named.end()], relation=relation)


def _joined(s: _Sentence, at: int, preposition: str = "") -> _Span | None:
    """A time, or two that are joined: then all from the first to the last."""
    first = _time(s, at)
    link = s.after(first.end) if first else ""
    is_range = link in {"between": ("and",), "from": ("to", "until", "till", "through")}.get(preposition, ())
    if not first or not (is_range or link in ("and", "or")):
        return None if preposition == "between" else first
    then = first.end + len(link) + 2
    second = _time(s, then + 3 if s.text.startswith(("in ", "on "), then) else then)
    if not second or (is_range and second.since and first.since and second.since < first.since):
        return replace(first, kind="doubt") if is_range else first
    edges = [edge for edge in (first.since, first.until, second.since, second.until) if edge]
    return replace(second, since=min(edges), until=max(edges) if second.until else None, fuzzy=True)


def _time(s: _Sentence, at: int) -> _Span | None:
    vague = _VAGUE.match(s.text, at)
    for form, read in _FORMS:
        if (match := _form(form).match(s.text, vague.end() if vague else at)) and (span := read(s, match)):
            return replace(span, fuzzy=True) if vague else span
    return None


def _number(match: re.Match[str]) -> tuple[int, int]:
    word = (match["count"] or "a").removesuffix("of").split()[-1]
    return (int(word), 0) if word.isdigit() else _LOOSE.get(word, (_NUMBERS.index(word) if word in _NUMBERS else 1, 0))


def _fixed(s: _Sentence, match: re.Match[str]) -> _Span:
    name = next((name for name in _FIXED if name in match[0]), "today")
    since, until = (s.today + timedelta(days) for days in _FIXED.get(name, (0, 1)))
    return _Span(match.end(), "today" if match[0].startswith("today") else "relative", since, until)


def _ago(s: _Sentence, match: re.Match[str]) -> _Span:
    """Half a unit, or a fifth of the way, to either side: nobody counts the days of "two months ago"."""
    (count, loose), size = _number(match), _UNITS[match["unit"]]
    middle = s.back(count, match["unit"])
    slack = max(1 / 288, size / 2, size * count / 5, size * loose)
    before, after = (int(slack), int(slack) + 1) if size >= 1 else (slack, slack)
    return _Span(match.end(), "ago", middle - timedelta(before), middle + timedelta(after), fuzzy=True)


def _near(s: _Sentence, match: re.Match[str]) -> _Span | None:
    """This week and last week are the calendar's; the last week, the past week and the last two weeks end now."""
    which, unit, count = match["which"], match["unit"], match["count"]
    if count or (which != "this" and (match["the"] or which == "past")):
        is_time = which != "this" and (count or unit != "minute")  # not "the last minute"
        return _Span(match.end(), "rolling", s.back(sum(_number(match)), unit)) if is_time else None
    back, kind = (0, "this") if which == "this" else (1, "relative")
    if unit not in _MONTHS_IN:
        monday = s.today - timedelta(s.now.weekday() + 7 * back)
        return _Span(match.end(), kind, monday, monday + timedelta(7)) if unit == "week" else None
    size = _MONTHS_IN[unit]
    return _Span(match.end(), kind, *s.months((s.month // size - back) * size, size))


def _weekday(s: _Sentence, match: re.Match[str]) -> _Span | None:
    """The latest before today, or that of the week that is named."""
    day, which = match["day"], match["which"] or match["week"]
    if len(day) < 6 and not s.question[match.start("day")].isupper():
        return None
    ahead = next(n for n, name in enumerate(_DAYS) if name.startswith(day[:3])) - s.now.weekday()
    is_before = match["week"] == "last" or (which != "this" and ahead >= 0)
    since = s.today + timedelta(ahead - 7 * is_before)
    return _Span(match.end(), "relative" if which == "last" else "weekday", since, since + timedelta(1))


def _dated(s: _Sentence, match: re.Match[str]) -> _Span | None:
    """A day, month, quarter or year. Without a year the latest that has begun; "last March" is over."""
    said = {name: value for name, value in match.groupdict().items() if value}
    name, which = said.get("name", "").strip("."), said.get("which")
    is_word = s.before(match.start()) not in ("in", "since") if name in ("march", "may") else 0 < len(name) < 4
    if is_word and len(said) == 1 and not s.question[match.start("name")].isupper():
        return None  # march, may, dec
    year = int(said.get("year", 0)) or ("near" in said and s.now.year - (said["near"] == "last"))
    month = 3 * int(said["quarter"]) - 3 if "quarter" in said else int(said.get("month", 1)) - 1
    month = next((n for n, full in enumerate(_MONTHS) if name and full.startswith(name[:3])), month)
    size = 3 if "quarter" in said else 1 if name or "month" in said else 12
    day = int(said.get("day") or said.get("first") or said.get("second") or 0)
    first = (year or s.now.year) * 12 + month
    is_ahead = not year and which != "this" and s.months(first)[0] + timedelta(max(day, 1) - 1) > s.now
    is_ahead = is_ahead or (which == "last" and s.months(first)[1] > s.now)
    since, until = s.months(first - 12 * is_ahead, size)
    since, until = since.replace(day=day or 1), since.replace(day=day) + timedelta(1) if day else until
    kind = "iso" if "month" in said else "date" if day else "year" if size == 12 else "month"
    return _Span(match.end(), kind, since, until)


_FORMS: tuple[tuple[str, Callable[[_Sentence, re.Match[str]], _Span | None]], ...] = (
    (r"(?:recent|late)ly(?! (?:us|view|open|clos)ed\b)", lambda s, m: _Span(m.end(), "weak", s.today - RECENT)),
    (rf"(?:the )?day before yesterday|(?:yesterday|today)(?: {_PART})?|last night|this {_PART}", _fixed),
    (rf"(?:(?:about|around|almost) )?{_COUNT} {_UNIT}s? (?:ago|back)", _ago),
    (rf"(?P<the>(?:the|this) )?(?P<which>last|past|previous|this) (?:{_COUNT} )?{_UNIT}s?", _near),
    (rf"(?:(?P<which>last|this) )?{_DAY_NAME}(?: {_PART})?(?:(?: of)? (?P<week>last|this) week)?", _weekday),
    (rf"{_YEAR}-(?P<month>0[1-9]|1[0-2])(?:-(?P<day>[0-3][0-9]))?", _dated),
    (rf"(?:(?:(?P<which>last|this) )?{_DATE}|q(?P<quarter>[1-4])){_OF_YEAR}", _dated),
    (_YEAR, _dated),
)
