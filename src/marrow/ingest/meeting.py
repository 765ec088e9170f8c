"""Meetings: minutes, transcripts and subtitles in, one readable text out, with who was there, when it was and what it
was about. What is spoken becomes lines `[00:01:23] Ann: …`; minutes stay as they were written."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath

from ..model.draft import Draft
from ..model.moments import moment
from ..model.text import CONTENT_BYTES_MAX
from .captions import caption_notes, captions, is_captions
from .chat_days import day_line
from .chat_lines import chat
from .dates import dates_in, read_date
from .item import Item
from .lazy_pattern import LazyPattern
from .meeting_topics import BULLET, HEADING, TOPIC_MAX, heading_text, topics_in
from .spoken import (
    LOOKED_AT_MAX,
    NAME,
    NO_SPEAKERS,
    SENTENCE_END,
    Utterance,
    clock,
    first_name_first,
    joined,
    moment_at,
    seconds_of,
    speaker_of,
    speakers,
    written,
)

KIND, DOMAIN, SOURCE = "meeting", "history", "meeting"
TITLE_MAX, ATTENDEES_MAX = 200, 100
ALIAS_MAX = 80
CAPTIONS, TRANSCRIPT, NOTES, RECORDING = "captions", "transcript", "notes", "recording"
CAPTION_SUFFIXES = (".vtt", ".srt")
RECORDING_SUFFIXES = tuple(
    ".wav .mp3 .m4a .aac .ogg .oga .opus .flac .wma .aiff .aif .mp4 .m4v .mkv .webm .mov .avi .mpg .mpeg .3gp "
    ".amr".split()
)

_STAMP = r"(?:\d{1,3}:)?[0-5]?\d:[0-5]\d(?:[.,]\d{1,3})?"
_STAMPED = LazyPattern(rf"[\[(]?(?P<at>{_STAMP})[\])]?[ \t]{{0,8}}[-–—:|]?[ \t]{{0,8}}(?P<rest>\S.*)")
_NAME_STAMPED = LazyPattern(
    rf"(?P<name>{NAME})[ \t]{{0,8}}[\[(]?(?P<at>{_STAMP})[\])]?[ \t]{{0,8}}:[ \t]{{1,8}}(?P<rest>\S.*)"
)
_HEAD_ALONE = LazyPattern(
    rf"(?:[*_]{{0,3}})(?:(?P<name>{NAME})[*_]{{0,3}}[ \t]{{0,8}}[-–—,|]?[ \t]{{0,8}}[\[(]?(?P<at>{_STAMP})[\])]?"
    rf"|[\[(]?(?P<at2>{_STAMP})[\])]?[ \t]{{1,8}}(?P<name2>{NAME}))[ \t]{{0,8}}:?"
)
_BOLD_NAME = LazyPattern(
    rf"[*_]{{2,3}}(?P<name>{NAME})[ \t]{{0,8}}:?[*_]{{2,3}}[ \t]{{0,8}}:?[ \t]{{1,8}}(?P<rest>\S.*)"
)
# A time alone is that of what follows, up to the next one.
_STAMP_ALONE = LazyPattern(rf"[\[(]?(?P<at>{_STAMP})[\])]?")
_FROM = LazyPattern(
    rf"(?P<at>{_STAMP})[ \t]{{1,8}}From[ \t]{{1,8}}(?P<name>\S[^:\n]{{0,60}}?)"
    r"(?:[ \t]{1,8}to[ \t]{1,8}[^:\n]{1,60}?)?[ \t]{0,8}:[ \t]{0,8}(?P<rest>.*)"
)
_ABOUT_ITSELF = LazyPattern(
    r"(?:transcription|meeting) (?:started|ended|stopped)\b.*|this (?:editable )?transcript was computer generated\b.*"
    r"|\S.{0,60} (?:started|stopped) transcription|transcribed by \S+"
    r"|(?:meeting )?transcript",
    re.I,
)
_TITLE_END = LazyPattern(
    r"[ \t]{0,3}(?:\([^()]{0,60}\d[^()]{0,60}\)[ \t]{0,3})?[-–—][ \t]{0,3}(?:transcript|notes by gemini|meeting"
    r" (?:recording|notes|transcript))[ \t]{0,3}\Z",
    re.I,
)
_WEEKDAY_LENGTH_MAX = 12
_DATE_LINES = 8
# From this hour on, the first time of a chat is that of the day. No recording begins with its sixth minute.
_DAY_BEGINS, _DAY_HOURS = 6, 24
_OWN_LINE = LazyPattern(r"(?:#{1,6}[ \t]|[-*+•][ \t]|\d{1,2}[.)][ \t]|[|>])")
_FIELD = LazyPattern(r"[\s*_#>•-]*(?P<key>[A-Za-z][A-Za-z /]{2,24}?)[*_ \t]{0,8}:(?P<value>.*)\Z")
_TITLE_KEYS = frozenset(("title", "subject", "meeting", "meeting title", "topic", "event"))
_DATE_KEYS = frozenset(("date", "when", "held on", "meeting date", "date and time", "recorded", "start time"))
_PEOPLE_KEYS = frozenset(
    ("attendees", "participants", "present", "people", "in attendance", "attending", "who", "attendance", "invitees")
)
_HEADER_LINES = 40
_PERSON_SPLIT = LazyPattern(r"[,;\n]|\s{1,8}(?:and|&)\s{1,8}")
_PATH_DATE = LazyPattern(
    r"(?<!\d)(?P<year>(?:19"
    r"|20)\d\d)[-_.]?(?P<month>\d\d)[-_.]?(?P<day>\d\d)(?:[T _-]?\d\d[-_.:h]?\d\d(?:[-_.:m]?\d\d)?)?(?!\d)"
)
_PERSON = LazyPattern(r"[\w][\w .'’()/@+-]{0,80}\Z")


@dataclass(frozen=True, slots=True)
class Meeting:
    """A meeting as it was read. `at` is microseconds, None where nothing says when it was; `seconds` is how long the
    recording is as far as it is known."""

    content: str
    title: str = ""
    at: int | None = None
    attendees: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    seconds: float = 0.0
    form: str = NOTES
    problem: str = ""
    metadata: Mapping[str, object] = field(default_factory=dict)


def is_recording(path: str) -> bool:
    return path.lower().endswith(RECORDING_SUFFIXES)


def read_meeting(text: str, *, path: str = "") -> Meeting:
    """A meeting from a text, whichever form it has: subtitles, a transcript, or minutes."""
    plain = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if path.lower().endswith(CAPTION_SUFFIXES) or is_captions(plain):
        said = captions(plain)
        if said:
            found = spoken_meeting(said, form=CAPTIONS, path=path)
            notes = _header("\n".join(caption_notes(plain)), path)
            return replace(
                found,
                title=notes.title or found.title,
                at=found.at if notes.at is None else notes.at,
                attendees=_people(notes.attendees, found.attendees),
            )
    written_down = chat(plain, name=path)
    header = _header(plain if written_down is None else written_down.preface, path)
    parts = _dialogue(plain, header.attendees) if written_down is None else written_down.parts()
    if parts is None:
        return _bounded(replace(header, content=plain.strip(), form=NOTES, topics=topics_in(plain)))
    if written_down is not None:
        at = header.at if written_down.at is None else written_down.at
        header = replace(header, at=at, problem=written_down.note)
    said = [part for part in parts if isinstance(part, Utterance)]
    content = "\n".join(written(part) if isinstance(part, Utterance) else part for part in parts).strip()
    return _bounded(
        replace(
            header,
            content=content,
            attendees=_people(header.attendees, speakers(said)),
            topics=topics_in(content),
            seconds=_length(said) if written_down is None else written_down.seconds,
            form=TRANSCRIPT,
        )
    )


def spoken_meeting(said: Sequence[Utterance], *, form: str = RECORDING, path: str = "") -> Meeting:
    """A meeting from what was said in it, with the times."""
    lines = joined(said)
    content = "\n".join(map(written, lines))
    return _bounded(
        Meeting(
            content=content,
            title=_title_of_path(path),
            at=_date_of_path(path),
            attendees=_people(speakers(lines)),
            topics=topics_in(content),
            seconds=max((one.end or one.start or 0.0 for one in lines), default=0.0),
            form=form,
        )
    )


def meeting_item(
    found: Meeting,
    *,
    path: str = "",
    title: str = "",
    at: int | None = None,
    attendees: Sequence[str] = (),
    service: str = "",
    digest: str = "",
    size: int = 0,
    mtime_ns: int = 0,
) -> Item:
    """The item of a meeting. What the caller says about it goes before what was read."""
    named = " ".join((title or found.title).split())[:TITLE_MAX]
    when = found.at if at is None else at
    people = _people(attendees) or found.attendees
    metadata: dict[str, object] = {"form": found.form, **found.metadata}
    known: dict[str, object] = {
        "title": named,
        "path": path,
        "date": moment(when).strftime("%Y-%m-%d") if when is not None else "",
        "attendees": list(people),
        "topics": list(found.topics),
        "length": clock(found.seconds) if found.seconds else "",
        "problem": found.problem,
    }
    metadata |= {key: value for key, value in known.items() if value}
    draft = Draft(
        content=found.content,
        kind=KIND,
        domain=DOMAIN,
        aliases=(named[:ALIAS_MAX].strip(),) if named else (),
        at=moment(when) if when is not None else None,
        source=SOURCE,
        service=service,
        metadata=metadata,
    )
    return Item(draft, path, digest, found.problem, size, mtime_ns)


def _bounded(found: Meeting) -> Meeting:
    """At most as much as one node holds, cut at the end of a line."""
    data = found.content.encode()
    if len(data) <= CONTENT_BYTES_MAX:
        return found
    kept = data[:CONTENT_BYTES_MAX].decode(errors="ignore").rpartition("\n")[0]
    told = f"cut after {len(kept):,} of {len(found.content):,} characters"
    return replace(found, content=kept, problem="; ".join(filter(None, (found.problem, told))))


def _people(*lists: Sequence[str]) -> tuple[str, ...]:
    """Each person once, by the longest form of a name: "Ann" and "Ann Lee" are one."""
    names = [" ".join(name.split()) for names in lists for name in names if name.strip()]
    found: list[str] = []
    for name in dict.fromkeys(names):
        same = next((at for at, known in enumerate(found) if _is_same_person(known, name)), None)
        if same is None:
            if len(found) < ATTENDEES_MAX:
                found.append(name)
        elif len(name) > len(found[same]):
            found[same] = name
    return tuple(found)


def _is_same_person(one: str, other: str) -> bool:
    a, b = one.lower(), other.lower()
    return a == b or a.startswith(b + " ") or b.startswith(a + " ")


def _header(text: str, path: str) -> Meeting:
    """Title, date and people, from the first lines and the file's name."""
    title = heading = ""
    at: int | None = None
    people: list[str] = []
    lines = text.split("\n")[:_HEADER_LINES]
    takes_people = False
    for line in lines:
        found = _FIELD.match(line)
        key = " ".join(found["key"].lower().split()) if found else ""
        value = found["value"].strip("*_ \t") if found else ""
        if key in _TITLE_KEYS and not title:
            title = value
        elif key in _DATE_KEYS and at is None:
            at = _date_in(value[:LOOKED_AT_MAX]) if value else None
        elif key in _PEOPLE_KEYS or line.strip(" #*_:").lower() in _PEOPLE_KEYS:
            people += _persons(value)
            takes_people = not value
            continue
        elif takes_people and (bullet := BULLET.match(line)):
            people += _persons(bullet["text"])
            continue
        elif takes_people and "," in line and not found and _are_names(line):
            people += _persons(line)
            takes_people = False
            continue
        elif (head := HEADING.match(line[:LOOKED_AT_MAX].strip())) and not heading:
            heading = heading_text(head)
        takes_people = takes_people and not line.strip()
    named = title.strip() or heading or _first_title(lines) or _title_of_path(path)
    if at is None:
        at = _date_in(named)
    if at is None:
        at = _date_of_path(path)
    return Meeting("", named[:TITLE_MAX], _date_at_top(lines) if at is None else at, tuple(people))


def attendees_in(text: str) -> tuple[str, ...]:
    """Those who were there, as the beginning of a text names them."""
    return _header(text, "").attendees


def _date_in(said: str) -> int | None:
    found = read_date(said)
    return found.on_its_day if found else None


def _date_at_top(lines: Sequence[str]) -> int | None:
    """The day that the first line names, or one that stands in a line of its own: "Mon, Mar 02, 2026 10:03AM"."""
    for number, line in enumerate([line.strip() for line in lines if line.strip()][:_DATE_LINES]):
        said = line[:LOOKED_AT_MAX]
        if SENTENCE_END.search(said) or speaker_of(said)[0]:
            continue  # what somebody says, of whatever day
        found = next(dates_in(said), None)
        if found is not None and (
            not number or (found.start <= _WEEKDAY_LENGTH_MAX and len(said) <= 2 * TOPIC_MAX / 3)
        ):
            return found.on_its_day
        if not number and (at := _date_of_path(said)) is not None:
            return at
    return None


def _persons(text: str) -> list[str]:
    names = (re.sub(r"\s{0,8}[(<\[][^()<>\[\]]*[)>\]]", "", part).strip(" .*_-@") for part in _PERSON_SPLIT.split(text))
    return [name for name in names if name and _PERSON.match(name) and len(name.split()) <= 5]


def _are_names(line: str) -> bool:
    """Whether a line lists people: where nobody is named, what follows is a sentence."""
    return all(part.strip(" *_@")[:1].isupper() for part in _PERSON_SPLIT.split(line) if part.strip())


def _first_title(lines: Sequence[str]) -> str:
    """A short first line that is no sentence, no field and nothing that somebody says."""
    told = (line.strip()[:LOOKED_AT_MAX] for line in lines if line.strip())
    first = next((line for line in told if day_line(line, True) is None), "")  # a day alone is none
    if len(first) <= TITLE_MAX and (end := _TITLE_END.search(first)) and end.start():
        return _PATH_DATE.sub("", first[: end.start()]).strip(" -_–—")
    is_plain = 3 <= len(first) <= 100 and not first.endswith((".", "!", "?", ":", ",")) and not _OWN_LINE.match(first)
    return (
        first
        if is_plain and ":" not in first and not _STAMPED.match(first) and not _HEAD_ALONE.fullmatch(first)
        else ""
    )


def _title_of_path(path: str) -> str:
    """`2026-03-01-platform-sync.vtt` is about "platform sync"."""
    stem = PurePath(path).stem.removesuffix(".transcript").removeprefix("GMT")
    return " ".join(re.sub(r"[_-]+", " ", _PATH_DATE.sub(" ", stem)).split()) or stem


def _date_of_path(path: str) -> int | None:
    """From the name of a file, or of its folder: recorders name that by the day."""
    place = PurePath(path)
    found = (_PATH_DATE.search(place.stem) or _PATH_DATE.search(place.parent.name)) if path else None
    return _date_in("-".join(found.group("year", "month", "day"))) if found else None


@dataclass
class _Saying:
    """What somebody says, line by line as it comes."""

    begin: Utterance
    lines: list[str]

    def whole(self) -> Utterance:
        return replace(self.begin, text=" ".join(self.lines))


def _dialogue(text: str, people: Sequence[str]) -> list[Utterance | str] | None:
    """The lines of a transcript, those that somebody says as such; None for a text that is no transcript."""
    parts: list[_Saying | str] = []
    known = frozenset(one.lower() for one in people)
    spoken = others = 0
    waiting: _Saying | None = None  # a name and a time alone on a line: what follows is said by them
    since: float | None = None
    for raw in text.split("\n"):
        line = raw.strip()
        if not line:
            waiting = None if waiting is not None and waiting.lines else waiting
            continue
        head = _head(line) if len(line) <= LOOKED_AT_MAX else None
        if head is not None:
            waiting = _Saying(head, [])
            continue
        if stamp := _STAMP_ALONE.fullmatch(line):
            waiting, since = None, seconds_of(stamp["at"])
            continue
        said = _said(line, known)
        is_own = bool(_OWN_LINE.match(line) or _ABOUT_ITSELF.fullmatch(line) or day_line(line, True))
        if said is not None:
            waiting = None
            spoken += 1
            parts.append(_Saying(replace(said, start=since) if said.start is None else said, [said.text]))
        elif waiting is not None and not is_own:
            if not waiting.lines:
                spoken += 1
                parts.append(waiting)
            waiting.lines.append(line)
        elif parts and isinstance(last := parts[-1], _Saying) and not is_own and not _FIELD.match(line):
            last.lines.append(line)
        else:
            others += 1
            parts.append(line if is_own else raw.rstrip())
    whole = [part if isinstance(part, str) else part.whole() for part in parts]
    return _by_day(whole, text) if _is_dialogue(whole, spoken, others) else None


def _head(line: str) -> Utterance | None:
    """Who speaks and when, alone on a line: what is said follows."""
    if found := _HEAD_ALONE.fullmatch(line):
        return Utterance("", found["name"] or found["name2"], seconds_of(found["at"] or found["at2"]))
    if (found := _FROM.fullmatch(line)) and not found["rest"]:
        return Utterance("", first_name_first(found["name"]), seconds_of(found["at"]))
    return None


def _by_day(parts: list[Utterance | str], text: str) -> list[Utterance | str]:
    """Where the times are those of the day ("10:03 Ada: …"), they are hours and minutes."""
    stamps = [found["at"] for line in text.split("\n") if (found := _STAMPED.match(line.strip()[:LOOKED_AT_MAX]))]
    hours = [int(stamp.partition(":")[0]) for stamp in stamps]
    is_of_day = all(stamp.count(":") == 1 and "." not in stamp for stamp in stamps) and hours == sorted(hours)
    if not hours or not is_of_day or hours[0] < _DAY_BEGINS or hours[-1] >= _DAY_HOURS:
        return parts
    return [
        replace(one, start=one.start * 60) if isinstance(one, Utterance) and one.start is not None else one
        for one in parts
    ]


def _length(said: Sequence[Utterance]) -> float:
    """How long it took: from its beginning, or by the time of the day from the first one who speaks."""
    starts = [one.start for one in said if one.start is not None]
    begin = starts[0] if starts and starts[0] >= _DAY_BEGINS * 3600 else 0.0
    return max((one.end or one.start or 0.0 for one in said), default=begin) - begin


def _said(line: str, people: Collection[str]) -> Utterance | None:
    """What a line says that begins with who speaks or when. Only its beginning is looked at; all of it is said."""
    found = _said_at_first(line[:LOOKED_AT_MAX], people)
    return found and replace(found, text=f"{found.text}{line[LOOKED_AT_MAX:]}")


def _said_at_first(line: str, people: Collection[str]) -> Utterance | None:
    if (found := _FROM.fullmatch(line)) and found["rest"]:
        return Utterance(found["rest"], first_name_first(found["name"]), seconds_of(found["at"]))
    if found := _NAME_STAMPED.fullmatch(line):
        return Utterance(found["rest"], found["name"], seconds_of(found["at"]))
    if (found := _STAMPED.fullmatch(line)) and (":" in found["at"]) and line[0] in "[(0123456789":
        speaker, rest = speaker_of(found["rest"], is_timed=True)
        return Utterance(rest, speaker, seconds_of(found["at"]))
    if (found := _BOLD_NAME.fullmatch(line)) and found["name"].partition(" ")[0].lower() not in NO_SPEAKERS:
        return Utterance(found["rest"], found["name"])
    speaker, rest = speaker_of(line)
    if not speaker:
        handle, colon, after = line.partition(": ")
        if colon and handle.lower() in people:
            return Utterance(after.lstrip(), handle)
    return Utterance(rest, speaker) if speaker else None


def _is_dialogue(parts: Sequence[Utterance | str], spoken: int, others: int) -> bool:
    """Lines with times are spoken. Without them it takes speakers who come back, and little else."""
    said = [part for part in parts if isinstance(part, Utterance)]
    timed = sum(one.start is not None for one in said)
    if timed >= 2 and timed * 2 >= len(said):
        return True
    names = [one.speaker for one in said if one.speaker]
    return spoken >= 3 and len(set(names)) >= 2 and len(set(names)) < len(names) and spoken >= others


__all__ = [
    "CAPTIONS",
    "NOTES",
    "RECORDING",
    "TRANSCRIPT",
    "Meeting",
    "attendees_in",
    "is_recording",
    "meeting_item",
    "moment_at",
    "read_meeting",
    "spoken_meeting",
]
