"""What changed between two versions of a piece of code, in one short line: `TIMEOUT = 30 -> 60`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from textwrap import dedent

from ...codemap.tokens import tokens_of

SHOWN_MAX = 90
COMPARED_MAX = 4_000
ARROW = " -> "
_PIECES = re.compile(r"\d[\w.]*|\w+|\s+|[<>=!+*/%&|^~-]+|[^\s\w]")


def difference(path: str, was: str, now: str) -> str:
    """The first thing that differs in what they mean; "" when nothing is to be seen."""
    old, new = dedent(was)[:COMPARED_MAX], dedent(now)[:COMPARED_MAX]
    ours, theirs = tokens_of(path, old.encode()), tokens_of(path, new.encode())
    matcher = SequenceMatcher(None, ours.bare, theirs.bare, autojunk=False)
    changes = [change for change in matcher.get_opcodes() if change[0] != "equal"]
    if not changes:
        return _by_lines(old.splitlines(), new.splitlines())
    _, a, b, c, d = changes[0]
    before = _line(old.splitlines(), ours.first, a, b)
    after = _line(new.splitlines(), theirs.first, c, d)
    more = f" (and {len(changes) - 1} more)" if len(changes) > 1 and not _same_lines(changes, ours.first, a) else ""
    return shown(before, after) + more


def shown(before: str, after: str) -> str:
    """Two lines as one: where only the end differs, the beginning is said once."""
    before, after = " ".join(before.split()), " ".join(after.split())
    if not before or not after:
        return f"{_short(before) or 'nothing'}{ARROW}{_short(after) or 'nothing'}"
    ours, theirs = _PIECES.findall(before), _PIECES.findall(after)
    same = 0
    while same < min(len(ours), len(theirs)) and ours[same] == theirs[same]:
        same += 1
    while same and not ours[same - 1].isspace():  # not in the middle of a name or a text
        same -= 1
    rest = "".join(theirs[same:]).strip()
    if same >= 2 and rest and len("".join(ours[same:])) <= 40 and len(rest) <= 40:
        return f"{_short(before)}{ARROW}{rest}"
    return f"{_short(before)}{ARROW}{_short(after)}"


def _line(lines: list[str], rows: list[int], start: int, end: int) -> str:
    """The line in which a change begins; of one where nothing is left, nothing."""
    if start == end and (start >= len(rows) or not rows):
        return ""
    row = rows[min(start, len(rows) - 1)]
    return lines[row - 1].strip() if row <= len(lines) else ""


def _same_lines(changes: Sequence[tuple[str, int, int, int, int]], rows: list[int], start: int) -> bool:
    first = rows[min(start, len(rows) - 1)] if rows else 0
    return all(rows[min(change[1], len(rows) - 1)] == first for change in changes) if rows else True


def _by_lines(old: list[str], new: list[str]) -> str:
    """Only how it hangs together differs: brackets, or how deep a line is."""
    for _, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        before = next((line for line in old[a:b] if line.strip()), "")
        after = next((line for line in new[c:d] if line.strip()), "")
        if old[a:b] != new[c:d] and (before or after):
            if before.split() == after.split():
                return f"{_short(before.strip())}: at another depth"
            return shown(before, after)
    return ""


def _short(text: str) -> str:
    return text if len(text) <= SHOWN_MAX else f"{text[: SHOWN_MAX - 1]}…"
