"""What a reader gives: items to be taken in, and what could not be read, with the reason."""

from __future__ import annotations

from dataclasses import dataclass

from ..model.draft import Draft


@dataclass(frozen=True, slots=True)
class Item:
    """A document as it was read. `path` names it within its service: a changed document takes the place of the one that
    was read there before; one without a path is always said. `digest` is the sha256 of the bytes that it was read from.
    `problem` says what was wrong with one that was read all the same."""

    draft: Draft
    path: str = ""
    digest: str = ""
    problem: str = ""
    size: int = 0
    mtime_ns: int = 0


@dataclass(frozen=True, slots=True)
class Skipped:
    """A document that was not read, and why: a line of the report. With a digest, it is not looked at again until it
    changes."""

    path: str
    reason: str
    digest: str = ""
    size: int = 0
    mtime_ns: int = 0
