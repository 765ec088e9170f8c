"""Chats in which every message says when it was written and by whom, as messengers and IRC clients export them:
`[13/01/2025, 09:12:33] Ann: …`, `1/13/25, 9:12 AM - Ann: …`, `2025-01-13 09:12 Ann: …`, `[09:12] <ann> …`.

What a program says in between ("Ann added Bob") is said by nobody; what it puts in the place of what it left out
("<Media omitted>") says nothing. A time without a zone is read as UTC.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, timezone

from ..model.moments import micros
from .chat_days import day_in_name, day_line, day_order, written_day
from .lazy_pattern import LazyPattern
from .spoken import LOOKED_AT_MAX, NO_SPEAKERS, Utterance

# Blanks that exports put between a time and its AM; marks for the direction of writing.
_SPACE = r"[ \t\u00a0\u202f]"
_MARKS = "\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"
_NO_MARKS = dict.fromkeys(map(ord, _MARKS))
_DAY = (
    rf"(?:[^\W\d_]{{2,9}}\.?,?{_SPACE})?(?P<day>\d{{1,4}}(?P<mark>[-/.]){_SPACE}?\d{{1,2}}(?P=mark){_SPACE}?\d{{2,4}}\.?"
    r"|\d{1,2}\.?[ -][^\W\d_]{3,10}\.?,?[ -](?:\d\d)?\d\d|[^\W\d_]{3,10}\.?[ ]\d{1,2},?[ ]\d{4})"
    rf"(?:,?{_SPACE}{{1,3}}(?:(?:at|um|à|kl\.?){_SPACE})?|T|,)"
)
_CLOCK = (
    rf"(?P<hour>[01]?\d|2[0-3])[:.](?P<minute>[0-5]\d)(?:[:.](?P<second>[0-5]\d)(?:[.,]\d{{1,6}})?)?"
    rf"(?:{_SPACE}?(?P<half>[AaPp]\.?{_SPACE}?[Mm]\b\.?))?(?:{_SPACE}?(?P<zone>Z|UTC|[+-]\d\d:?\d\d)(?![\w:]))?"
    rf"(?:,{_SPACE}(?P<late>\d{{1,4}}(?P<sign>[-/.])\d{{1,2}}(?P=sign)\d{{2,4}}))?"
)
_HEAD = LazyPattern(
    rf"[\[(]?{_SPACE}?(?:{_DAY})?{_CLOCK}(?P<gap>{_SPACE}?[\])]?{_SPACE}{{0,4}}(?:[-–—:|](?={_SPACE}))?{_SPACE}{{0,4}})"
    r"(?P<body>(?![\w.,:]).*|(?<=[\s\]\)]).*)\Z"
)
# Who and when, and then what was written, or that below. An hour alone must say which half of the day it is of.
_NAME_FIRST = LazyPattern(
    rf"(?P<name>[^\s\[(][^:\[\](\n]{{0,59}}?)(?:,?{_SPACE}{{1,3}}[\[(]|{_SPACE}[—–-]{_SPACE}|{_SPACE}{{1,4}}(?=\d))(?:{_DAY})?"
    rf"{_CLOCK}(?:[\])]:{_SPACE}{{1,4}}(?P<text>\S.*)|[\])]?:?{_SPACE}{{0,4}})\Z"
)
_STAMPED = LazyPattern(r"(?:\d|[Mm]\.?)(?:[\])]:?(?:\s|\Z)|:?\s{0,4}\Z)")
_STAMPED_WITHIN = 130
_NICK = LazyPattern(r"<[@+%&~!. ]?(?P<name>[^<>\s]{1,40})>[ \t]{0,8}(?P<text>.*)\Z")
_DOES = LazyPattern(r"\*[ \t]{1,3}(?P<name>[^\s*:]{1,40})[ \t]{1,3}(?P<text>\S.*)\Z")
_TABBED = LazyPattern(r"[@+%&~]?(?P<name>[^\W_][^\t\n]{0,40})\t(?P<text>.*)\Z")
_NAMED = LazyPattern(rf"(?:~{_SPACE}?|@)?(?P<name>[^:\n]{{1,60}}?){_SPACE}?:(?:{_SPACE}{{1,8}}|\Z)(?P<text>.*)\Z")
_NO_NAME = LazyPattern(r"[\"“”«»\[\]{}<>=/\\|*]|[.!?,;]\Z|\bhttps?\Z|\A\W*\Z")
NAME_WORDS_MAX = 6
# What stands in the place of what was left out.
_SAYS_NOTHING = LazyPattern(
    r"<[^\W_][^<>=\"'/\n]{0,60}[ ][^<>=\"'/\n]{1,60}>"
    r"|(?:(?:image|video|video note|audio|voice message|sticker|gif|document|contact card|media|file)s? omitted"
    r"|(?:this message was|you|message) deleted(?: this message)?|missed (?:voice|video|group)\b.{0,30}"
    r"|waiting for this message\b.{0,60}|[^\s\\/]{1,100} \(file attached\))\W?",
    re.I,
)
_ENCRYPTED = LazyPattern(
    r"(?:your )?messages (?:and calls|to this (?:chat|group) and calls|you send to this (?:chat|group)) are (?:now )?"
    r"(?:secured with )?end-to-end encrypt",
    re.I,
)
# What a program tells of who comes and goes, and of itself.
_COMINGS = LazyPattern(
    r"-!-|-->|<--|\*\*\*|(?:joins|parts|quits): |.{1,120}\b(?:has (?:joined|left|quit)\b|is now known as\b"
    r"|security code\b.{0,20}\bchanged\b)",
    re.I,
)
_BY_PROGRAM = ("-!-", "-->", "<--", "***", "===", "* ")
_EDITED = LazyPattern(rf"{_SPACE}?<(?:this message was edited|attached: [^<>\n]{{1,200}})>\s{{0,4}}\Z", re.I)
# Behind this mark a messenger speaks itself, unless it labels what somebody sent: `POLL:`, `Location:`.
_ITSELF = LazyPattern(r"\u200e(?![^\W\d_]{2,12}:)")
_FENCE = "```"
_BACK_SECONDS, _DAY_SECONDS = 6 * 3600, 24 * 3600


@dataclass(frozen=True, slots=True)
class Message:
    """`at` is in microseconds, 0 where no day is known; `seconds` are those of its day. Without a `speaker` nobody said
    it."""

    speaker: str
    text: str
    seconds: int
    day: date | None = None
    at: int = 0

    @property
    def clock(self) -> str:
        return f"{self.seconds // 3600:02}:{self.seconds // 60 % 60:02}"


@dataclass(frozen=True, slots=True)
class Chat:
    """`preface` stands before the first message; `note` says how days were read that could be read in two ways."""

    messages: tuple[Message, ...]
    preface: str = ""
    note: str = ""

    @property
    def at(self) -> int | None:
        return next((one.at for one in self.messages if one.at), None)

    @property
    def seconds(self) -> float:
        """How long it took, where it is of one day."""
        first, last = self.messages[0], self.messages[-1]
        if first.day != last.day:
            return 0.0
        took = last.seconds - first.seconds
        # Of a day that nobody knows midnight may have passed; on one that is told the latest may stand first.
        return float(abs(took) if first.day else took % _DAY_SECONDS)

    def parts(self) -> list[Utterance | str]:
        """Its lines with the time of the day; where there are several days, each below a line that tells it."""
        several = len({one.day for one in self.messages}) > 1
        found: list[Utterance | str] = [self.preface] if self.preface else []
        day: date | None = None
        for one in self.messages:
            if several and one.day is not None and one.day != day:
                day = one.day
                found.append(day.isoformat())
            found.append(Utterance(" ".join(one.text.split()), one.speaker, float(one.seconds)))
        return found


@dataclass(frozen=True, slots=True)
class _Begun:
    """A message as it is written: `lines` begins with what stands behind its head. `is_set_apart`: nothing but that
    stands there, and it may be a name."""

    head: re.Match[str]
    speaker: str
    lines: list[str]
    is_set_apart: bool = False

    @property
    def day(self) -> str:
        return self.head["day"] or self.head["late"] or ""

    @property
    def seconds(self) -> int:
        hour = int(self.head["hour"])
        if half := self.head["half"]:
            hour = hour % 12 + (12 if half[0] in "pP" else 0)
        return hour * 3600 + int(self.head["minute"]) * 60 + int(self.head["second"] or 0)

    @property
    def zone(self) -> timezone:
        said = self.head["zone"] or ""
        if said[:1] not in ("+", "-"):
            return UTC
        ahead = timedelta(hours=int(said[1:3]), minutes=int(said[-2:]))
        return timezone(-ahead if said[0] == "-" else ahead) if ahead < timedelta(days=1) else UTC


def chat(text: str, *, name: str = "") -> Chat | None:
    """The chat that a text is; None where it is something else. `name` is that of its file, which may tell the day."""
    preface, begun = _begun(text)
    begun = _names_alone(begun)
    spoken = [one for one in begun if one.speaker]
    before = sum(1 for line in preface if line.strip())
    aside = sum(1 for one in begun if not one.speaker and _is_aside(one.lines[0]))
    if len(spoken) < 2 or before > len(spoken) or 2 * len(spoken) < len(begun) - aside:
        return None
    dated = [one.day for one in begun if one.day]
    if dated and 2 * len(dated) < len(begun):
        return None  # some lines of it were pasted from elsewhere
    is_day_first, note = day_order(dated, [one.head["half"] or "" for one in begun])
    day = day_in_name(name)
    if not dated:  # then lines of their own tell the days
        set_before = [found for line in preface if (found := day_line(line, is_day_first))]
        preface = [line for line in preface if not day_line(line, is_day_first)]
        day = set_before[-1] if set_before else day
    messages = tuple(_messages(begun, is_day_first, day, is_dated=bool(dated)))
    if not any(one.speaker for one in messages):
        return None
    return Chat(messages, "\n".join(preface).translate(_NO_MARKS).strip(), note)


def _begun(text: str) -> tuple[list[str], list[_Begun]]:
    """What stands before the first message, and the messages with all their lines."""
    preface: list[str] = []
    found: list[_Begun] = []
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    has_code = sum(line.lstrip().startswith(_FENCE) for line in lines) % 2 == 0
    is_code = False
    for raw in lines:
        one = None if is_code else _head(raw.lstrip(f"{_MARKS} \t"))
        is_code ^= has_code and raw.lstrip().startswith(_FENCE)
        if one is not None:
            found.append(one)
        elif found:
            found[-1].lines.append(raw)
        else:
            preface.append(raw)
    return preface, found


def _head(whole: str) -> _Begun | None:
    """The beginning of a message. Without a day it takes the marks of IRC: other times may be those of a recording."""
    line, rest = whole[:LOOKED_AT_MAX], whole[LOOKED_AT_MAX:]
    first = _NAME_FIRST.match(line) if _STAMPED.search(line[:_STAMPED_WITHIN]) else None
    if first and (first["day"] or first["late"] or first["half"]) and _is_name(first["name"]):
        return _Begun(first, _tidy_name(first["name"]), [f"{first['text'] or ''}{rest}"])
    head = _HEAD.match(line)
    if head is None:
        return None
    body = head["body"]
    bare = body.lstrip(_MARKS)
    found = _NICK.match(bare) or _DOES.match(bare) or _TABBED.match(bare)
    if not (head["day"] or head["late"]):
        if found is None and not bare.startswith(_BY_PROGRAM):
            return None
    elif found is None and (named := _NAMED.match(bare)) and _is_name(named["name"]):
        found = named
    if found is None:
        return _Begun(head, "", [f"{body}{rest}"], is_set_apart=True)
    return _Begun(head, _tidy_name(found["name"]), [f"{found['text']}{rest}"])


def _is_name(said: str) -> bool:
    name = _tidy_name(said)
    return (
        0 < len(name.split()) <= NAME_WORDS_MAX
        and not _NO_NAME.search(name)
        and name.partition(" ")[0].lower() not in NO_SPEAKERS
    )


def _tidy_name(said: str) -> str:
    return " ".join(said.translate(_NO_MARKS).split()).lstrip("~ ")


def _names_alone(begun: list[_Begun]) -> list[_Begun]:
    """Where a name stands alone behind each time, and what was written below it."""
    alone = {number for number, one in enumerate(begun) if one.is_set_apart and _may_be_name_alone(one)}
    if len(alone) < 2 or 2 * len(alone) < len(begun):
        return begun
    return [
        replace(one, speaker=_tidy_name(one.lines[0]), lines=one.lines[1:]) if number in alone else one
        for number, one in enumerate(begun)
    ]


def _may_be_name_alone(one: _Begun) -> bool:
    first, *more = one.lines
    return _is_name(first) and not _is_aside(first) and any(line.strip() for line in more)


def _is_aside(said: str) -> bool:
    bare = said.translate(_NO_MARKS).strip()
    return bool(_SAYS_NOTHING.fullmatch(bare) or _ENCRYPTED.match(bare) or _COMINGS.match(bare))


def _messages(begun: Sequence[_Begun], is_day_first: bool, day: date | None, *, is_dated: bool) -> Iterator[Message]:
    """`day` is that of the first, where it tells none itself."""
    before = -1
    for one in begun:
        told = written_day(one.day, is_day_first) if one.day else None
        seconds = one.seconds
        if told is None and day is not None and seconds < before - _BACK_SECONDS:
            day += timedelta(days=1)  # midnight has passed
        day, before = told or day, seconds
        lines = one.lines
        if not is_dated:
            days = [found for line in lines[1:] if (found := day_line(line, is_day_first))]
            lines = [lines[0], *(line for line in lines[1:] if not day_line(line, is_day_first))] if days else lines
        else:
            days = []
        speaker, text = _said(one.speaker, lines)
        if text:
            at = micros(datetime(day.year, day.month, day.day, tzinfo=one.zone)) + seconds * 1_000_000 if day else 0
            yield Message(speaker, text, seconds, day, at)
        if days:
            day, before = days[-1], -1


def _said(speaker: str, lines: Sequence[str]) -> tuple[str, str]:
    """Who says what, without what the program put there; "" where nothing is left."""
    first = lines[0] if lines else ""
    bare = [line.translate(_NO_MARKS).rstrip() for line in lines]
    if _ENCRYPTED.match(bare[0].lstrip()) if bare else False:
        return "", ""
    if bare and _SAYS_NOTHING.fullmatch(bare[0].strip()):
        bare = bare[1:]  # what is left was written below it
    elif speaker and _ITSELF.match(first):
        speaker = ""
    elif not speaker and bare and _COMINGS.match(bare[0].lstrip()):
        return "", ""
    return speaker, _EDITED.sub("", "\n".join(bare).strip())
