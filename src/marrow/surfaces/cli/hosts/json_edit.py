"""JSON as text: puts an entry into it, or takes one out, while every other character stays.

What is put in stands last in its object or list, in the indentation that is used there. Taking it out again gives the
text that was there before. Only JSON is read: a file with comments or trailing commas is refused by `read`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

Place = tuple[str | int, ...]

_DECODER = json.JSONDecoder()
_BLANK = " \t\r\n"
INDENT = "  "


def read(text: str) -> dict[str, Any]:
    """The text as an object. Raises ValueError that says what is wrong and where."""

    def refuse(word: str) -> Any:
        raise ValueError(f"{word} is not JSON")

    try:
        value = json.loads(text, parse_constant=refuse)
    except RecursionError:
        raise ValueError("it nests too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("it is not an object")  # noqa: TRY004 one kind of error for everything that is not readable
    return value


def value_at(text: str, place: Place) -> Any:
    """What stands there, or None."""
    value: Any = read(text)
    for key in place:
        if isinstance(key, str):
            value = value.get(key) if isinstance(value, dict) else None
        else:
            value = value[key] if isinstance(value, list) and key < len(value) else None
    return value


def with_member(text: str, place: tuple[str, ...], value: object) -> str:
    """`text` with a member that was not there. Objects above it that are missing are made."""
    above = _deepest(text, place[:-1])
    key, rest = place[len(above)], place[len(above) + 1 :]
    for name in reversed(rest):
        value = {name: value}
    return _inserted(text, above, key, value)


def with_item(text: str, place: tuple[str, ...], value: object) -> str:
    """`text` with one more item in a list, which is made if it is missing."""
    if value_at(text, place) is None:
        return with_member(text, place, [value])
    return _inserted(text, place, None, value)


def without(text: str, place: Place) -> str:
    """`text` without what stands there."""
    start, end = _span(text, place[:-1])
    parts = _parts(text, start)
    at = next(i for i in reversed(range(len(parts))) if parts[i].name == place[-1])
    if len(parts) == 1:
        return text[: start + 1] + text[end - 1 :]
    if at == 0:
        return text[: parts[0].start] + text[parts[1].start :]
    return text[: parts[at - 1].end] + text[parts[at].end :]


@dataclass(frozen=True, slots=True)
class _Part:
    """A member or an item: its key or number, where it begins (a member with its key), where its value is."""

    name: str | int
    start: int
    value: int
    end: int


def _parts(text: str, start: int) -> list[_Part]:
    """The members or items of what begins at `start`. The text is known to be JSON."""
    closing = "}" if text[start] == "{" else "]"
    found: list[_Part] = []
    at = _skipped(text, start + 1)
    while text[at] != closing:
        begin = at
        key: str | int = len(found)
        if closing == "}":
            key, at = _DECODER.raw_decode(text, at)
            at = _skipped(text, _skipped(text, at) + 1)
        _, end = _DECODER.raw_decode(text, at)
        found.append(_Part(key, begin, at, end))
        at = _skipped(text, end)
        if text[at] == ",":
            at = _skipped(text, at + 1)
    return found


def _skipped(text: str, at: int) -> int:
    while text[at] in _BLANK:
        at += 1
    return at


def _span(text: str, place: Place) -> tuple[int, int]:
    """Where the value at a place begins and ends. A key that is there twice means its last value, as for readers."""
    start = _skipped(text, 0)
    end = _DECODER.raw_decode(text, start)[1]
    for key in place:
        part = [part for part in _parts(text, start) if part.name == key][-1]
        start, end = part.value, part.end
    return start, end


def _deepest(text: str, place: tuple[str, ...]) -> tuple[str, ...]:
    """As much of a place as is there."""
    for length in range(len(place), 0, -1):
        if value_at(text, place[:length]) is not None:
            return place[:length]
    return ()


def _inserted(text: str, place: tuple[str, ...], key: str | None, value: object) -> str:
    start, end = _span(text, place)
    parts = _parts(text, start)
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    newline = "\r\n" if "\r\n" in text else "\n"
    if parts and "\n" not in text[start:end]:  # all of it stands on one line
        return text[: parts[-1].end] + f", {name}{json.dumps(value, ensure_ascii=False)}" + text[parts[-1].end :]
    unit = _unit(text)
    here = _margin(text, parts[-1].start) if parts else _margin(text, start) + unit
    written = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", newline + here)
    if parts:
        return text[: parts[-1].end] + f",{newline}{here}{name}{written}" + text[parts[-1].end :]
    return text[: start + 1] + f"{newline}{here}{name}{written}{newline}{_margin(text, start)}" + text[end - 1 :]


def _margin(text: str, at: int) -> str:
    """The white space that the line of this character begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _unit(text: str) -> str:
    """One step of indentation, as the first member has it."""
    parts = _parts(text, _skipped(text, 0))
    return (_margin(text, parts[0].start) if parts and "\n" in text[: parts[0].start] else "") or INDENT
