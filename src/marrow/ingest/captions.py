"""Subtitles: WebVTT and SubRip, as recorders of meetings write them. Broken ones are read as far as they go."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from .lazy_pattern import LazyPattern
from .spoken import NAME, Utterance, first_name_first, seconds_of, speaker_of

_MOMENT = r"(?:\d{1,4}:)?[0-5]?\d:[0-5]?\d(?:[.,]\d{1,3})?"
_TIMES = LazyPattern(rf"[ \t]*(?P<start>{_MOMENT})[ \t]*-->[ \t]*(?P<end>{_MOMENT})(?:[ \t]+\S.*)?[ \t]*")
_VOICE = LazyPattern(r"<v(?:\.[^ \t>]*)?[ \t]{1,8}(?P<name>[^<>\n]{1,100})>", re.I)
_TAG = LazyPattern(r"</?[a-zA-Z][^<>\n]{0,200}>|<\d[\d:.]*>|\{\\[^{}\n]{1,40}\}")
_SHOUTED = LazyPattern(r"(?:>>|»|[-–])[ \t]*")
_BRACKETED = LazyPattern(r"[\[(](?P<name>[A-Z][\w .'’-]{1,40})[\])][ \t]{0,8}:?[ \t]{1,8}(?=\w)")
_VTT = LazyPattern(r"\ufeff?WEBVTT(?:[ \t].*)?$", re.M)
# Behind the mark of the form stands what it is about: `WEBVTT - Weekly sync`.
_TITLED = LazyPattern(r"\ufeff?WEBVTT[ \t]{1,4}(?:[-–—:][ \t]{1,4})?(?P<title>[^\s:=][^:=\n]{2,120})\Z")
_NAME_ALONE = LazyPattern(rf"{NAME}(?:[ ]?\([^()\n]{{1,40}}\))?")
REPEATED_WORDS_MAX = 100
# When a cue begins and ends, and its lines.
_Cue = tuple[float, float, list[str]]
# Blocks of a VTT file that are no subtitles.
_OTHER_BLOCKS = ("NOTE", "STYLE", "REGION", "WEBVTT", "X-TIMESTAMP-MAP", "Kind:", "Language:")


def is_captions(text: str) -> bool:
    """Whether a text is subtitles, whatever its file is called."""
    if _VTT.match(text):
        return True
    begin = [line for line in text[:4000].split("\n") if line.strip()][:6]
    return any(_TIMES.fullmatch(line.rstrip("\r")) for line in begin)


def captions(text: str) -> list[Utterance]:
    """What is said in subtitles, cue by cue."""
    found: list[Utterance] = []
    before = ""
    for start, end, lines in _named(list(_cues(text))):
        for speaker, said in _voices(lines):
            fresh = _without_repeated(before, said)
            if fresh:
                found.append(Utterance(fresh, speaker, start, max(start, end)))
        before = " ".join(said for _, said in _voices(lines))
    return found


def _named(cues: list[_Cue]) -> list[_Cue]:
    """Where the first line of every cue is a name, as Teams writes them, it is who speaks."""
    if len(cues) < 2 or not all(len(lines) > 1 and _NAME_ALONE.fullmatch(lines[0]) for _, _, lines in cues):
        return cues
    return [(start, end, [f"{lines[0]}: {lines[1]}", *lines[2:]]) for start, end, lines in cues]


def caption_notes(text: str) -> list[str]:
    """The lines of NOTE blocks: recorders write the title and the people there. What stands behind the mark of the form
    goes before them."""
    titled = _TITLED.match(text.lstrip().partition("\n")[0].rstrip())
    notes = [titled["title"].strip()] if titled else []
    for block in re.split(r"\n[ \t]*\n", text[:20_000].replace("\r\n", "\n")):
        if block.lstrip().startswith("NOTE"):
            notes += [line.strip() for line in block.strip()[4:].split("\n") if line.strip()]
    return notes


def _cues(text: str) -> Iterator[_Cue]:
    """The times and lines of each cue. A line with times begins one; an empty line or the next one ends it."""
    times: tuple[float, float] | None = None
    lines: list[str] = []
    for raw in (*text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"), ""):
        found = _TIMES.fullmatch(raw)
        if found:
            if times is not None and lines:
                # Without an empty line between them, the last line is the number of this cue.
                yield *times, lines[:-1] if lines[-1].strip().isdigit() and len(lines) > 1 else lines
            times, lines = (seconds_of(found["start"]), seconds_of(found["end"])), []
        elif not raw.strip():
            if times is not None and lines:
                yield *times, lines
                times, lines = None, []
        elif times is not None and not raw.startswith(_OTHER_BLOCKS):
            lines.append(raw.strip())


def _voices(lines: list[str]) -> list[tuple[str, str]]:
    """Who says what in a cue: several may speak in it."""
    found: list[tuple[str, list[str]]] = []
    for line in lines:
        parts = _VOICE.split(line)
        pieces = [("", parts[0]), *zip(parts[1::2], parts[2::2], strict=True)] if len(parts) > 1 else [("", line)]
        for name, raw in pieces:
            said = html.unescape(_TAG.sub("", raw)).strip()
            shouted = _SHOUTED.match(said)
            said = said[shouted.end() :] if shouted else said
            speaker = first_name_first(html.unescape(name))
            if not speaker:
                speaker, said = speaker_of(said)
            if not speaker and (bracketed := _BRACKETED.match(said)):
                speaker, said = bracketed["name"], said[bracketed.end() :]
            if not said.strip():
                continue
            if found and (not speaker or speaker == found[-1][0]) and not shouted:
                found[-1][1].append(said.strip())
            else:
                found.append((speaker, [said.strip()]))
    return [(speaker, " ".join(said)) for speaker, said in found]


def _without_repeated(before: str, said: str) -> str:
    """Subtitles that roll show the last words again: what is new in this cue."""
    if not before or len(before) < 8:
        return said
    if said.startswith(before):
        return said[len(before) :].strip()
    words, last = said.split(), before.split()
    for count in range(min(len(words), len(last), REPEATED_WORDS_MAX), 2, -1):
        if last[-count:] == words[:count]:
            return " ".join(words[count:])
    return said
