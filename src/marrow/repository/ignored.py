"""Patterns as in .gitignore: which paths they leave out. In Python, since they also hold where git is not asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

# Any number of folders, also none. A step of None in a rule.
_FOLDERS = "**"
_NEVER = "(?!)"
_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": " \\t",
    "digit": "0-9",
    "lower": "a-z",
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}
_CLASS = re.compile(r"\[:([a-z]*):\]")
_TRAILING_SPACES = re.compile(r"(?<!\\) +\Z")


class _Rule(NamedTuple):
    """What a path is to look like, step by step, and what is then said of it."""

    steps: tuple[re.Pattern[str] | None, ...]
    for_folders: bool
    is_ignored: bool

    def fits(self, path: Sequence[str]) -> bool:
        """Without going back and forth: which first steps of the path fit the rule so far."""
        fits = [True] + [False] * len(path)
        for step in self.steps:
            if step is None:
                reached = False
                for place, fit in enumerate(fits):
                    reached = fits[place] = reached or fit
            else:
                below = (fit and step.fullmatch(name) is not None for fit, name in zip(fits, path, strict=False))
                fits = [False, *below]
        return fits[-1]


def ignored(patterns: Sequence[str]) -> Callable[[str], bool]:
    """Whether a file, by its path from the root, is left out. The last pattern that fits decides; below a folder that
    is left out nothing comes back."""
    rules = [rule for pattern in reversed(patterns) if (rule := _rule(pattern)) is not None]
    folders = {"": False}

    def is_ignored(path: str) -> bool:
        if not rules:
            return False
        steps = path.split("/")
        if (above := path.rpartition("/")[0]) not in folders:
            at, is_out = "", False
            for count, step in enumerate(steps[:-1], start=1):
                at = f"{at}/{step}" if at else step
                if at not in folders:
                    folders[at] = is_out or _decided(rules, steps[:count], is_folder=True)
                is_out = folders[at]
        return folders[above] or _decided(rules, steps, is_folder=False)

    return is_ignored


def _decided(rules: Iterable[_Rule], steps: Sequence[str], *, is_folder: bool) -> bool:
    for rule in rules:
        if (is_folder or not rule.for_folders) and rule.fits(steps):
            return rule.is_ignored
    return False


def _rule(pattern: str) -> _Rule | None:
    """None for an empty line or a comment."""
    if pattern.startswith("#"):
        return None
    rest = _TRAILING_SPACES.sub("", pattern.removesuffix("\r"))
    is_ignored = not rest.startswith("!")
    rest = rest if is_ignored else rest[1:]
    for_folders = rest.endswith("/")
    rest = rest.removesuffix("/")
    if not rest:
        return None
    names = rest.removeprefix("/").split("/")
    if "/" not in rest:  # a name, anywhere
        return _Rule((None, _step(rest)), for_folders, is_ignored)
    steps = [None if name == _FOLDERS else _step(name) for name in names]
    if names[-1] == _FOLDERS:  # what is inside, and not the folder itself
        steps.append(_step("*"))
    return _Rule(tuple(steps), for_folders, is_ignored)


def _step(glob: str) -> re.Pattern[str]:
    """The expression of one step of a path. What a star takes is never given back, so none takes long."""
    pieces = [""]
    place = 0
    while place < len(glob):
        sign = glob[place]
        place += 1
        if sign == "*":
            pieces.append("")
        elif sign == "?":
            pieces[-1] += "."
        elif sign == "[":
            found, place = _any_of(glob, place)
            pieces[-1] += found
        elif sign == "\\":
            pieces[-1] += re.escape(glob[place]) if place < len(glob) else _NEVER
            place += 1
        else:
            pieces[-1] += re.escape(sign)
    first, *middle = pieces
    last = f".*{middle.pop()}" if middle else ""
    return re.compile(first + "".join(f"(?>.*?{one})" for one in middle if one) + last, re.DOTALL)


def _any_of(glob: str, place: int) -> tuple[str, int]:
    """One of some characters, from behind their bracket: as an expression, and the place behind it. A bracket that is
    not closed fits nothing."""
    is_other = glob[place : place + 1] in ("!", "^")
    place += is_other
    parts: list[str] = []
    is_first = True
    while is_first or glob[place : place + 1] != "]":
        is_first = False
        if place >= len(glob):
            return _NEVER, len(glob)
        if named := _CLASS.match(glob, place):
            if named[1] not in _CLASSES:
                return _NEVER, len(glob)
            parts.append(_CLASSES[named[1]])
            place = named.end()
            continue
        low, place = _sign(glob, place)
        if glob[place : place + 1] == "-" and glob[place + 1 : place + 2] not in ("", "]"):
            high, place = _sign(glob, place + 1)
            parts += [f"{re.escape(low)}-{re.escape(high)}"] if low <= high else []
        else:
            parts.append(re.escape(low))
    if not parts:
        return "." if is_other else _NEVER, place + 1
    return f"[{'^' if is_other else ''}{''.join(parts)}]", place + 1


def _sign(glob: str, place: int) -> tuple[str, int]:
    """A character that may stand behind a backslash, and the place behind it."""
    if glob[place] == "\\" and place + 1 < len(glob):
        place += 1
    return glob[place], place + 1
