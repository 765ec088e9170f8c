"""Meetings among the files of a repository: subtitles in which people speak, and minutes and transcripts by their path
and form."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import PurePosixPath

from .file_kinds import is_test_data
from .item import Item
from .lazy_pattern import LazyPattern
from .meeting import CAPTION_SUFFIXES, Meeting, meeting_item, read_meeting
from .placing import place

_FOLDERS = frozenset(
    "meetings meeting meeting-notes meeting_notes meetingnotes minutes standups stand-ups retros retrospectives "
    "transcripts".split()
)
_NAMED = LazyPattern(
    r"(?:\A|[-_. ])(?:meetings?|minutes|stand-?ups?|retros?|retrospectives?|transcripts?|all-?hands)(?:[-_. ]|\Z)", re.I
)
# What tells how minutes are kept, or lists them, names people and days as well.
_NO_MINUTES = LazyPattern(r"(?:readme|_?index|contributing|(?:.*[-_. ])?template(?:[-_. ].*)?)\Z", re.I)
# One person alone holds no meeting.
PEOPLE_LEAST = 2


def may_be_meeting(path: str) -> bool:
    """Whether it is worth to look, by the name and the folders alone."""
    file = PurePosixPath(path)
    if is_test_data(path) or _NO_MINUTES.match(file.stem):
        return False
    return path.lower().endswith(CAPTION_SUFFIXES) or _is_among_them(file) or bool(_NAMED.search(file.stem))


def meeting_of(path: str, text: str) -> Meeting | None:
    """The meeting that a text is; None where it is another text. Subtitles are one where several people speak in them,
    minutes where several were there; in a folder of them, one that names its day is enough."""
    if not may_be_meeting(path):
        return None
    found = read_meeting(text, path=path)
    if not found.content.strip():
        return None
    is_dated = (
        found.at is not None and _is_among_them(PurePosixPath(path)) and not path.lower().endswith(CAPTION_SUFFIXES)
    )
    return found if len(found.attendees) >= PEOPLE_LEAST or is_dated else None


def file_item(
    found: Meeting, path: str, *, root: str, title: str, service: str, digest: str, size: int, problem: str
) -> Item:
    lies = place(path, root)
    told = replace(found, problem="; ".join(filter(None, (problem, found.problem))))
    return meeting_item(told, path=lies.path, title=title, service=service, digest=digest, size=size)


def _is_among_them(file: PurePosixPath) -> bool:
    return any(folder.lower() in _FOLDERS for folder in file.parts[:-1])
