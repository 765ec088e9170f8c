"""What changed between two versions of a piece of code, in one short line: `TIMEOUT = 30 -> 60`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from textwrap import dedent
from typing import NamedTuple

from ...codemap.tokens import tokens_of

SHOWN_MAX = 90
COMPARED_MAX = 4_000
PAIRED_MAX = 60
# Lines with so many tokens in common are the same line, changed.
ALIKE = 0.5
ARROW = " -> "
# The tokens of a line, and the line as it is written.
_Row = tuple[tuple[bytes, ...], str]
_PIECES = re.compile(r"\d[\w.]*|\w+|\s+|[<>=!+*/%&|^~-]+|[^\s\w]")


class _Change(NamedTuple):
    """A line and what became of it; "" where there is none. `size` is how much of it is another."""

    before: str
    after: str
    size: float


def difference(path: str, was: str, now: str, *, is_cut: bool = False) -> str:
    """What differs in what they mean, the smallest change first: the rest is told by a number. "" when nothing is to be
    seen. `is_cut`: only the beginning of what was there is known, up to somewhere in its last line."""
    old, new = dedent(was)[:COMPARED_MAX].splitlines(), dedent(now)[:COMPARED_MAX].splitlines()
    old = old[:-1] if is_cut else old
    changes = _changes(_rows(path, old), _rows(path, new), is_cut=is_cut)
    if not changes:
        return "" if is_cut else _by_lines(old, new)
    first = min(changes, key=lambda change: change.size)
    more = f" (and {len(changes) - 1} more)" if len(changes) > 1 else ""
    return shown(first.before, first.after) + more


def _rows(path: str, lines: Sequence[str]) -> list[_Row]:
    tokens = tokens_of(path, "\n".join(lines).encode())
    found: dict[int, list[bytes]] = {}
    for row, token in zip(tokens.first, tokens.bare, strict=True):
        if token.strip():
            found.setdefault(row, []).append(token)
    return [(tuple(texts), lines[row - 1].strip()) for row, texts in found.items() if row <= len(lines)]


def _changes(ours: Sequence[_Row], theirs: Sequence[_Row], *, is_cut: bool) -> list[_Change]:
    """Line by line: within a stretch that differs, those that are most alike belong together. What stands behind the
    end of what was cut may always have stood there."""
    matcher = SequenceMatcher(None, [row[0] for row in ours], [row[0] for row in theirs], autojunk=False)
    found: list[_Change] = []
    for what, a, b, c, d in matcher.get_opcodes():
        old, new = ours[a:b], theirs[c : c + b - a] if is_cut and b == len(ours) else theirs[c:d]
        is_layout = [one for row in old for one in row[0]] == [one for row in new for one in row[0]]
        if what != "equal" and not is_layout:
            found += _paired(old[:PAIRED_MAX], new[:PAIRED_MAX])
    return found


def _paired(old: Sequence[_Row], new: Sequence[_Row]) -> list[_Change]:
    likes = [
        (SequenceMatcher(None, mine[0], yours[0], autojunk=False).ratio(), -at, -to)
        for at, mine in enumerate(old)
        for to, yours in enumerate(new)
    ]
    pairs: dict[int, tuple[int, float]] = {}
    for like, at, to in sorted(likes, reverse=True):
        if like >= ALIKE and -at not in pairs and -to not in {other for other, _ in pairs.values()}:
            pairs[-at] = (-to, like)
    taken = {to for to, _ in pairs.values()}
    left, right = [at for at in range(len(old)) if at not in pairs], [to for to in range(len(new)) if to not in taken]
    found = [_Change(old[at][1], new[to][1], 1 - like) for at, (to, like) in pairs.items()]
    if len(left) == len(right):  # one in the place of the other
        return found + [_Change(old[at][1], new[to][1], 1.0) for at, to in zip(left, right, strict=True)]
    found += [_Change(old[at][1], "", 2.0) for at in left]
    return found + [_Change("", new[to][1], 2.0) for to in right]


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
