"""Where a document lies, when it is from and what else is small about it, in the form in which an item says it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from ..model.link import Anchor
from ..model.moments import iso, moment
from .dates import When

TAGS_MAX, TAG_LENGTH_MAX = 20, 80
_DRIVE = re.compile(r"[A-Za-z]:/")


@dataclass(frozen=True, slots=True)
class Place:
    """The path by which a document is known, and the anchor on it where it lies inside the project."""

    path: str
    anchors: tuple[Anchor, ...] = ()


def place(path: str, root: str = "") -> Place:
    """`root` is the project's own; a path that is not absolute is taken from there. Without it nothing is anchored."""
    form = path.replace("\\", "/")
    while form.startswith("./"):
        form = form[2:]
    if not root:
        return Place(form)
    top = root.replace("\\", "/").rstrip("/") + "/"
    form = form.removeprefix(top)
    is_inside = not (form.startswith("/") or _DRIVE.match(form) or ".." in form.split("/"))
    return Place(form, (Anchor("file", form),) if is_inside and form else ())


def clock() -> int:
    return time.time_ns() // 1_000


def said_at(when: When | None, now: int | None) -> datetime | None:
    """When it was written, for the occurrence. A day that has not come yet is a plan or a mistake, and not that."""
    if when is None or when.at > (clock() if now is None else now):
        return None
    return moment(when.at)


def day(when: When | None) -> str:
    """As metadata has it: a day, or a moment where one was said."""
    if when is None:
        return ""
    return iso(when.at) if when.exact == "second" else moment(when.at).strftime("%Y-%m-%d")


def filled(**fields: object) -> dict[str, object]:
    """The fields that say something."""
    return {name: value for name, value in fields.items() if value not in ("", None, (), [], {}, 0, False)}


def first_line(text: str) -> dict[str, object]:
    """The line of the file that the content begins with, where that is not its first: blank lines around it go."""
    blank = len(text) - len(text.lstrip("\n"))
    return {"first_line": blank + 1} if blank else {}


def short_names(given: Iterable[object]) -> tuple[str, ...]:
    """Tags and aliases as the door takes them: single lines, not long, not many."""
    names = (" ".join(str(one).split()) for one in given)
    return tuple(dict.fromkeys(name for name in names if name and len(name) <= TAG_LENGTH_MAX and name.isprintable()))[
        :TAGS_MAX
    ]


def tags_in(fields: Mapping[str, object]) -> tuple[str, ...]:
    """The tags of a front matter, as a list or with commas between them."""
    given = fields.get("tags") or fields.get("keywords") or ()
    return short_names(given.split(",") if isinstance(given, str) else given if isinstance(given, list) else ())
