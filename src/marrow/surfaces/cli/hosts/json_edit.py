"""JSON as text: puts an entry into it, or takes one out, while every other character stays.

What is put in stands last in its object or list, in the indentation that is used there. Taking it out again gives the
text that was there before. Comments and commas before a closing bracket are read over, as hosts do, and stay.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

Place = tuple[str | int, ...]

_DECODER = json.JSONDecoder()
_BLANK = " \t\r\n"
INDENT = "  "
# What has no end goes to the end of the file, or it would be looked for again from every place in it.
_TEXT = r'"(?:[^"\\]|\\.)*(?:"|\\?\Z)'
_COMMENT = re.compile(rf"{_TEXT}|//[^\n]*|/\*(?:.*?\*/|.*)", re.S)
_LAST_COMMA = re.compile(rf"{_TEXT}|,(?=\s*[}}\]])", re.S)
_LETTER = re.compile(r"[^\r\n]")


@lru_cache(maxsize=2)
def _uncommented(text: str) -> str:
    """The text with blanks in the place of comments: everything else stays where it is."""

    def blanked(found: re.Match[str]) -> str:
        is_comment = found[0].startswith("//") or (found[0].startswith("/*") and found[0][2:].endswith("*/"))
        return _LETTER.sub(" ", found[0]) if is_comment else found[0]

    return _COMMENT.sub(blanked, text)


@lru_cache(maxsize=2)
def _plain(text: str) -> str:
    """The text as plain JSON of the same length: blanks in the place of comments and of commas that nothing follows."""
    return _LAST_COMMA.sub(lambda found: found[0] if found[0][0] == '"' else " ", _uncommented(text))


def read(text: str) -> dict[str, Any]:
    """The text as an object. Raises ValueError that says what is wrong and where."""

    def refuse(word: str) -> Any:
        raise ValueError(f"{word} is not JSON")

    try:
        value = json.loads(_plain(text), parse_constant=refuse)
    except RecursionError:
        raise ValueError("it nests too deeply") from None
    if not isinstance(value, dict):
        raise ValueError("it is not an object")  # noqa: TRY004 one kind of error for everything that is not readable
    return value


def is_plain(text: str) -> bool:
    """Whether it is JSON as it stands."""
    return _plain(text) == text


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
    """`text` without what stands there. Comments around it stay."""
    plain = _plain(text)
    start, end = _span(plain, place[:-1])
    parts = _parts(plain, start)
    at = next(i for i in reversed(range(len(parts))) if parts[i].name == place[-1])
    part = parts[at]
    if len(parts) == 1:
        kept = _comments(text, start + 1, part.start) + _comments(text, part.end, end - 1)
        return text[: start + 1] + (kept + _blank_line_end(text, end - 1) if kept else "") + text[end - 1 :]
    if at == 0:
        following = parts[1].start
        kept = _comments(text, part.end, following).lstrip()
        return text[: part.start] + (kept + _blank_line_end(text, following) if kept else "") + text[following:]
    kept = _comments(text, parts[at - 1].end, part.start)
    if kept and text[part.end :].lstrip(" \t")[:1] not in ("\r", "\n"):
        kept += "\n"  # what follows must not become a part of the comment
    return text[: parts[at - 1].end] + kept + text[part.end :]


def _comments(text: str, begin: int, end: int) -> str:
    """The comments between two places, with the white space before them; "" where there are none."""
    seen = _uncommented(text)
    kept = "".join(text[at] for at in range(begin, end) if seen[at] != ",").rstrip()
    return kept if kept.strip() else ""


def _blank_line_end(text: str, at: int) -> str:
    """The white space before a place. It ends the line, where a comment may be before it."""
    blank = text[len(text[:at].rstrip()) : at]
    return blank if "\n" in blank else "\n"


@dataclass(frozen=True, slots=True)
class _Part:
    """A member or an item: its key or number, where it begins (a member with its key), where its value is."""

    name: str | int
    start: int
    value: int
    end: int


def _parts(text: str, start: int) -> list[_Part]:
    """The members or items of what begins at `start`. The text is known to be plain JSON."""
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
    plain = _plain(text)
    start, end = _span(plain, place)
    parts = _parts(plain, start)
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    newline = "\r\n" if "\r\n" in text else "\n"
    if parts and "\n" not in text[start:end]:  # all of it stands on one line
        return text[: parts[-1].end] + f", {name}{json.dumps(value, ensure_ascii=False)}" + text[parts[-1].end :]
    unit = _unit(text)
    here = _margin(text, parts[-1].start) if parts else _margin(text, start) + unit
    written = newline + here + name + json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", newline + here)
    last = parts[-1].end if parts else start + 1
    comma = "," if parts else ""
    if kept := _comments(text, last, end - 1):  # a comment stays with what it is about
        return text[:last] + comma + kept + written + _blank_line_end(text, end - 1) + text[end - 1 :]
    if parts:
        return text[:last] + comma + written + text[last:]
    return text[:last] + f"{written}{newline}{_margin(text, start)}" + text[end - 1 :]


def _margin(text: str, at: int) -> str:
    """The white space that the line of this character begins with."""
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def _unit(text: str) -> str:
    """One step of indentation, as the first member has it."""
    plain = _plain(text)
    parts = _parts(plain, _skipped(plain, 0))
    return (_margin(text, parts[0].start) if parts and "\n" in text[: parts[0].start] else "") or INDENT
