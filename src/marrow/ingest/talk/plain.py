"""Talk as people keep it: `Name: text` on lines of their own, chat exports, headings for speakers, or a list of
messages in JSON. A text without speakers is taken as it is."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..chat_lines import Chat, chat
from ..spoken import LOOKED_AT_MAX
from .json_lines import moment_in
from .tool_lines import texts_of
from .turns import NAME_LENGTH_MAX, TURNS_MAX, Conversation, Turn, merged, shortened, tidy

HOST = ""
_NAME = r"(?P<name>[^\W\d_][\w.'’ \-]{0,40}?)"
_DAY = r"\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,9})?(?:\s?[AaPp][Mm])?"
# Every repeat is bounded: a line of nothing but blanks would else be gone over again and again.
_WHEN = (
    rf"(?:[\[(]?(?P<day>{_DAY})?[,T ]{{0,4}}(?P<clock>{_CLOCK})?(?:Z|[+-]\d\d:?\d\d)?[\])]?\s{{0,4}}"
    r"(?:[-–]\s)?\s{0,4})?"
)
_SPOKEN = re.compile(
    rf"{_WHEN}(?:\*\*|__)?{_NAME}(?:\s{{0,8}}\((?P<aside>[^()\n]{{1,40}})\))?:?(?:\*\*|__)?:(?:\*\*|__)?(?:\s+(?P<text>.*))?\Z"
)
_BOLD = re.compile(rf"(?:\*\*|__){_NAME}:?(?:\*\*|__):?\s*(?P<text>.*)\Z")
_HEADED = re.compile(rf"#{{1,4}}\s{{1,8}}{_NAME}:?\s{{0,8}}(?:\([^()]{{0,80}}\))?\Z")
_ROLES = frozenset("user human assistant system ai agent claude chatgpt gpt gemini copilot codex me you bot".split())
# Words before a colon that name no one.
_NO_NAMES = frozenset(
    "note notes warning error todo fixme example summary title date time subject from to cc re fwd http https file "
    "path url usage output input result results answer question step steps attendees agenda topic topics "
    "decision decisions action actions status context consequences background why how what when where who tip hint "
    "ps nb update edit default returns args raises see also key value name type description version author".split()
)
_WORDS_MAX = 4
_NAMES_MAX = 40


def read(text: str, *, identity: str = "", title: str = "", name: str = "") -> Conversation:
    """The conversation in a text. `name` is that of its file."""
    known = identity or hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
    stamped = chat(text, name=name)
    if stamped is not None:
        turns = _stamped(stamped)
        problem = stamped.note if len(turns) <= TURNS_MAX else f"only the first {TURNS_MAX:,} turns"
        return Conversation(known, HOST, tuple(turns[:TURNS_MAX]), title, problem)
    turns = _messages(text) or _spoken(text)
    if not turns:
        whole = tidy(text)
        turns = [Turn("", whole)] if any(map(str.isalnum, whole)) and not _is_data(text) else []
    problem = f"only the first {TURNS_MAX:,} turns" if len(turns) > TURNS_MAX else ""
    return Conversation(known, HOST, merged(turns[:TURNS_MAX]), title, problem)


def _stamped(found: Chat) -> list[Turn]:
    """The turns of a chat with their times; of a later day than the one before, with the day. What one wrote within a
    minute is one turn."""
    turns = [Turn("", shortened(before))] if (before := tidy(found.preface)) else []
    day, minute = None, -1
    for one in found.messages:
        if not (said := tidy(one.text)):
            continue
        if turns and (one.speaker, one.day, one.seconds // 60) == (turns[-1].speaker, day, minute):
            turns[-1] = replace(turns[-1], text=shortened(f"{turns[-1].text}\n{said}"))
            continue
        shows = {"shows_time": True, "shows_day": one.day != day} if one.at else {}
        turns.append(Turn(one.speaker, shortened(said), one.at, **shows, clock="" if one.at else one.clock))
        day, minute = one.day, one.seconds // 60
    return turns


def _messages(text: str) -> list[Turn]:
    """A JSON list of messages, or an object or lines with one: role or author, and content or text."""
    stripped = text.lstrip()
    if stripped[:1] not in ("[", "{"):
        return []
    shapes: Any
    try:
        shapes = json.loads(text)
    except (ValueError, RecursionError):
        shapes = _line_by_line(text)
    if isinstance(shapes, dict):
        shapes = next((shapes[key] for key in ("messages", "conversation", "turns") if key in shapes), [shapes])
    found = [_message(shape) for shape in shapes] if isinstance(shapes, list) else []
    return [turn for turn in found if turn is not None]


def _is_data(text: str) -> bool:
    """Whether it is JSON, and so nothing that anybody says as it stands."""
    stripped = text.strip()
    if not (stripped.startswith("[") and stripped.endswith("]")) and not stripped.startswith("{"):
        return False
    try:
        return isinstance(json.loads(stripped), dict | list)
    except (ValueError, RecursionError):
        return bool(_line_by_line(stripped))


def _line_by_line(text: str) -> list[Any]:
    found = []
    for line in text.split("\n"):
        if line.strip():
            try:
                found.append(json.loads(line))
            except (ValueError, RecursionError):
                return []
    return found


def _message(shape: Any) -> Turn | None:
    if not isinstance(shape, dict):
        return None
    said = shape.get("content", shape.get("text", shape.get("message")))
    text = tidy("\n".join(texts_of(said, "text", "input_text", "output_text")))
    name = next((shape[key] for key in ("role", "author", "name", "speaker", "user", "from") if key in shape), "")
    if not text or not isinstance(name, str) or not name.strip() or name in ("system", "developer", "tool"):
        return None
    at = next(
        (moment_in(shape[key]) for key in ("timestamp", "created_at", "time", "date", "ts", "at") if key in shape), 0
    )
    shown = name.capitalize() if name.lower() in _ROLES else name
    return Turn(" ".join(shown.split())[:NAME_LENGTH_MAX], shortened(text), at)


def _spoken(text: str) -> list[Turn]:
    """The turns of a text whose lines begin with who speaks; nothing when it seems to be no talk."""
    found: list[tuple[str, int, list[str]]] = []
    preface: list[str] = []
    day = ""
    is_fenced = False
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        speaks = None if is_fenced else _speaker(line)
        if line.lstrip().startswith("```"):
            is_fenced = not is_fenced
        if speaks is not None:
            name, on, clock, rest = speaks
            day = on or day
            found.append((name, _moment(day, clock), [rest]))
        elif found:
            found[-1][2].append(line)
        else:
            preface.append(line)
    if not _is_talk([name for name, _, _ in found]):
        return []
    turns = [Turn(name, shortened(said), at) for name, at, lines in found if (said := tidy("\n".join(lines)))]
    before = tidy("\n".join(preface))
    return [*([Turn("", shortened(before))] if before else []), *turns]


def _speaker(line: str) -> tuple[str, str, str, str] | None:
    """(name, day, clock, text) of a line that begins with who speaks."""
    whole = line.lstrip()
    begin, rest = whole[:LOOKED_AT_MAX], whole[LOOKED_AT_MAX:]
    if not rest and (headed := _HEADED.match(line)):
        name = headed["name"].strip()
        return (name, "", "", "") if name.lower() in _ROLES else None
    spoken = _SPOKEN.match(begin)
    found = spoken or _BOLD.match(begin)
    if found is None:
        return None
    name = " ".join(found["name"].split())
    if name.lower() in _NO_NAMES or len(name.split()) > _WORDS_MAX:
        return None
    if not (name[:1].isupper() or name.lower() in _ROLES or (spoken and spoken["clock"])):
        return None
    return name, (spoken and spoken["day"]) or "", (spoken and spoken["clock"]) or "", f"{found['text'] or ''}{rest}"


def _is_talk(names: Sequence[str]) -> bool:
    """Several turns of few speakers, who speak more than once or answer each other."""
    different = set(names)
    if len(names) < 2 or len(different) > _NAMES_MAX:
        return False
    return len(different) < len(names) or (len(different) == 2 and len(names) == 2)


def _moment(day: str, clock: str) -> int:
    """A day that is not written year first may be meant either way: it is not guessed at."""
    return moment_in(f"{day} {clock.replace(',', '.')}".strip()) if re.match(r"\d{4}-", day) else 0
