"""A conversation as a value: who said what and when, whichever form it was kept in; and the items that it becomes.

A conversation is one item. A long one is split between turns into parts of one thread, so that each can be read.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...model.draft import Draft
from ...model.moments import moment
from ...model.text import first_line
from ..item import Item

KIND = "conversation"
DOMAIN = "history"
PART_CHARACTERS = 24_000
TURN_CHARACTERS_MAX = 12_000
TURNS_MAX = 50_000
TITLE_LENGTH_MAX = 120
NAME_LENGTH_MAX = 80
PEOPLE_MAX = 20
# Of a turn that is too long, mostly the beginning is kept, and some of the end.
_HEAD_SHARE = 0.75
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_BLANKS = re.compile(r"\n{3,}")


@dataclass(frozen=True, slots=True)
class Turn:
    """What one said at once. `at` is in microseconds, 0 where it is not told. `shows_time`: the line tells the hour,
    with `shows_day` the day as well. `clock` is the hour where nobody knows of which day."""

    speaker: str
    text: str
    at: int = 0
    shows_time: bool = False
    shows_day: bool = False
    clock: str = ""

    def line(self) -> str:
        form = "%Y-%m-%d %H:%M" if self.shows_day else "%H:%M"
        clock = f"[{self.clock}] " if self.clock else ""
        clock = f"[{moment(self.at):{form}}] " if self.shows_time and self.at else clock
        return f"{clock}{self.speaker}: {self.text}" if self.speaker else f"{clock}{self.text}"


@dataclass(frozen=True, slots=True)
class Conversation:
    """`identity` is the conversation's own, by which it is known again; `host` is where it was held."""

    identity: str
    host: str
    turns: tuple[Turn, ...]
    title: str = ""
    problem: str = ""
    about: tuple[tuple[str, object], ...] = ()


def tidy(text: str) -> str:
    """Text as it is kept: no control characters, no runs of blank lines."""
    clean = _CONTROLS.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
    return _BLANKS.sub("\n\n", "\n".join(line.rstrip() for line in clean.split("\n"))).strip()


def shortened(text: str, most: int = TURN_CHARACTERS_MAX) -> str:
    """A text that is too long, with its middle left out: what was asked stands first or last."""
    if len(text) <= most:
        return text
    head = int(most * _HEAD_SHARE)
    tail = most - head
    return f"{text[:head].rstrip()}\n… ({len(text) - most:,} characters left out) …\n{text[-tail:].lstrip()}"


def merged(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Turns of one speaker that follow each other, as one."""
    found: list[list[Turn]] = []
    for turn in turns:
        if found and found[-1][0].speaker == turn.speaker:
            found[-1].append(turn)
        else:
            found.append([turn])
    return tuple(
        Turn(
            some[0].speaker,
            shortened("\n".join(turn.text for turn in some)),
            next((turn.at for turn in some if turn.at), 0),
            some[0].shows_time,
        )
        for some in found
    )


def items_of(
    conversation: Conversation,
    *,
    service: str = "",
    path: str = "",
    digest: str = "",
    size: int = 0,
    now: int = 0,
) -> list[Item]:
    """The items of a conversation; none when nothing was said in it. `now` is the time of what tells none.

    `path` names the conversation within its service; its own identity does where none is given.
    """
    named = path or f"{conversation.host or KIND}:{conversation.identity}"
    title = _title(conversation)
    people = list(dict.fromkeys(turn.speaker for turn in conversation.turns if turn.speaker))
    found = []
    first_at = next((turn.at for turn in conversation.turns if turn.at), 0) or now
    for number, part in enumerate(_parts(conversation.turns), 1):
        content = "\n\n".join(turn.line() for turn in part)
        at = min(next((turn.at for turn in part if turn.at), first_at), now or first_at)
        metadata: dict[str, object] = {
            "title": title,
            "host": conversation.host,
            "session": conversation.identity,
            "turns": len(part),
            "people": people[:PEOPLE_MAX],
            **({"part": number} if number > 1 else {}),
            **dict(conversation.about),
        }
        draft = Draft(
            content=content,
            kind=KIND,
            domain=DOMAIN,
            at=moment(at) if at else None,
            source=conversation.host or KIND,
            service=service,
            thread=_thread(conversation.identity),
            metadata=metadata,
        )
        whole = digest or hashlib.sha256(content.encode()).hexdigest()
        found.append(Item(draft, part_path(named, number), whole, conversation.problem, size or len(content)))
    return found


def part_path(whole: str, number: int) -> str:
    """The path of a part of a conversation; the first part has that of the whole."""
    return whole if number == 1 else f"{whole}#{number}"


def part_of(item: Item) -> tuple[str, int]:
    """The path of the conversation that an item is a part of, and which part it is."""
    number = item.draft.metadata.get("part", 1)
    return (item.path.removesuffix(f"#{number}"), number) if isinstance(number, int) else (item.path, 1)


def _thread(identity: str) -> str:
    """A thread's name is one short line; one that is longer is known by its digest."""
    return identity if len(identity) <= 200 else hashlib.sha256(identity.encode()).hexdigest()


def _title(conversation: Conversation) -> str:
    if conversation.title:
        return first_line(tidy(conversation.title), TITLE_LENGTH_MAX)
    return next((first_line(turn.text, TITLE_LENGTH_MAX) for turn in conversation.turns if turn.text), "")


def _parts(turns: Sequence[Turn]) -> Iterator[list[Turn]]:
    part: list[Turn] = []
    length = 0
    for turn in turns:
        size = len(turn.text) + len(turn.speaker) + 4
        if part and length + size > PART_CHARACTERS:
            yield part
            part, length = [], 0
        part.append(turn)
        length += size
    if part:
        yield part
