"""What was said in a meeting, line by line: who, when, and the words. The form `[00:01:23] Ann: …` is written and read
here and nowhere else, so that a hit in a transcript can tell the moment in the recording."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from .lazy_pattern import LazyPattern

SPEAKER_MAX = 60
# Subtitles come in halves of sentences. Those of one speaker are joined up to this long, in characters and seconds.
LINE_MAX, LINE_SECONDS_MAX, PAUSE_SECONDS = 240, 30.0, 4.0
SENTENCE_MIN = 25
# So much of a line is looked at for names, times and marks; what follows is words.
LOOKED_AT_MAX = 2_000

_STAMP = LazyPattern(r"\[(\d{2,}:[0-5]\d:[0-5]\d)\][ \t]*")
# A name is a few words that begin with a capital, or a handle or label such as "speaker_1".
_CAPITAL = r"[A-Z\u00c0-\u00de\u0391-\u03a9\u0410-\u042f\u4e00-\u9fff]"
_FIRST = rf"{_CAPITAL}[\w.'’-]{{0,59}}"
_PARTICLE = r"von|van|de|der|da|di|la|le|bin|al"
NAME = rf"(?:{_FIRST}(?:[ ](?:{_FIRST}|{_PARTICLE})){{0,3}}(?:[ ]\d{{1,9}})?|[a-z]{{1,40}}[._]?\d{{1,9}})"
_SPEAKER = LazyPattern(rf"(?P<speaker>{NAME}(?:[ ]?\([^()\n]{{1,40}}\))?):[ \t]{{1,8}}(?=\S)")
_LAST_FIRST = LazyPattern(
    rf"(?P<last>{_FIRST}(?:[ ](?:{_FIRST}|{_PARTICLE})){{0,2}}),[ ]{{1,2}}(?P<first>{_FIRST}(?:[ ]{_FIRST}){{0,2}})"
    r"(?P<about>[ ]\([^()\n]{1,40}\))?"
)
# Behind a time a handle is a name too.
_HANDLE = LazyPattern(r"(?P<speaker>@?[^\W\d_][\w.-]{0,39}):[ \t]{1,8}(?=\S)")
SENTENCE_END = LazyPattern(r"[.!?…][\"'”’)]*\Z")
# Words before a colon that are no speaker.
NO_SPEAKERS = frozenset(
    "action actions decision decisions note notes todo date time attendees participants present agenda subject title "
    "topic topics summary http https warning error info debug example result results question answer q a status next "
    "owner due deadline when where who what why how location apologies absent regrets chair minutes recording link "
    "ps fyi tl;dr tldr agreed decided outcome follow-up risk risks goal goals context background purpose duration "
    "facilitator scribe host invited invitees organizer organiser today yesterday tomorrow blockers update updates "
    "important however also and but so for step steps option options pros cons fixme".split()
)


@dataclass(frozen=True, slots=True)
class Utterance:
    """Something that was said. Times are seconds from the beginning; None where they are not known."""

    text: str
    speaker: str = ""
    start: float | None = None
    end: float | None = None


@dataclass(frozen=True, slots=True)
class SpokenLine:
    """A line of a transcript in its parts: the moment `00:01:23`, the speaker, and what was said."""

    moment: str
    speaker: str
    text: str


def first_name_first(name: str) -> str:
    """`Lovelace, Ada (External)`, as a directory has it, is called Ada Lovelace (External)."""
    found = _LAST_FIRST.fullmatch(name.strip())
    return f"{found['first']} {found['last']}{found['about'] or ''}" if found else name.strip()


def clock(seconds: float) -> str:
    whole = max(0, int(seconds))
    return f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"


def seconds_of(moment: str) -> float:
    """The seconds of `1:23`, `00:01:23` or `00:01:23.456`."""
    total = 0.0
    for part in moment.replace(",", ".").split(":"):
        total = total * 60 + float(part)
    return total


def written(said: Utterance) -> str:
    """An utterance as a line of the transcript."""
    stamp = f"[{clock(said.start)}] " if said.start is not None else ""
    return f"{stamp}{said.speaker + ': ' if said.speaker else ''}{said.text}"


def spoken_line(line: str) -> SpokenLine:
    """A line in its parts; one that is no line of a transcript is all text."""
    rest = line.strip()
    stamp = _STAMP.match(rest)
    if stamp:
        rest = rest[stamp.end() :]
    speaker, rest = speaker_of(rest, is_timed=bool(stamp))
    return SpokenLine(stamp[1] if stamp else "", speaker, rest.strip())


def speaker_of(text: str, *, is_timed: bool = False) -> tuple[str, str]:
    """Who says a text that begins with a name and a colon, and the rest of it; "" where it does not. Behind a time a
    handle will do: `10:04 bob: …`."""
    found = _SPEAKER.match(text) or (_HANDLE.match(text) if is_timed else None)
    if found is None or len(found["speaker"]) > SPEAKER_MAX or _is_label(found["speaker"]):
        return "", text
    return found["speaker"], text[found.end() :]


def _is_label(name: str) -> bool:
    """Whether the words before a colon are the label of a field, and not a name."""
    return name.partition(" ")[0].partition("(")[0].lower() in NO_SPEAKERS


def moment_at(content: str, offset: int) -> str | None:
    """The time of the line that a place in a transcript lies in, or of the last one before it: `00:01:23`."""
    if not 0 <= offset <= len(content):
        return None
    end = content.find("\n", offset)
    last = None
    # Backwards line by line: a transcript is long, and the time stands close by.
    at = len(content) if end < 0 else end
    while at > 0 and last is None:
        start = content.rfind("\n", 0, at) + 1
        last = _STAMP.match(content, start)
        at = start - 1
    return last[1] if last else None


def joined(said: Iterable[Utterance]) -> list[Utterance]:
    """The same words in readable lines: halves of sentences by one speaker are put together."""
    lines: list[Utterance] = []
    for one in said:
        text = " ".join(one.text.split())
        if not text:
            continue
        last = lines[-1] if lines else None
        if last is not None and last.text == text and last.speaker == one.speaker and _overlaps(last, one):
            continue  # subtitles that roll repeat the line before
        if last is not None and _goes_on(last, one, text):
            lines[-1] = replace(last, text=f"{last.text} {text}", end=one.end)
        else:
            lines.append(replace(one, text=text))
    return lines


def _overlaps(last: Utterance, one: Utterance) -> bool:
    return last.end is not None and one.start is not None and one.start <= last.end + 1


def _goes_on(last: Utterance, one: Utterance, text: str) -> bool:
    if last.speaker != one.speaker or last.start is None or one.start is None or last.end is None:
        return False
    # A sentence ends with its mark, or, where there are none, before a capital.
    is_new = bool(SENTENCE_END.search(last.text)) or text[:1].isupper()
    if is_new and len(last.text) >= SENTENCE_MIN:
        return False
    until = one.end if one.end is not None else one.start
    return (
        one.start - last.end <= PAUSE_SECONDS
        and until - last.start <= LINE_SECONDS_MAX
        and len(last.text) + len(text) <= LINE_MAX
    )


def speakers(said: Sequence[Utterance]) -> tuple[str, ...]:
    """Who spoke, in the order in which they first did."""
    return tuple(dict.fromkeys(one.speaker for one in said if one.speaker))
