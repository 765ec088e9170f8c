"""What was not read, or was read in part, as a report tells it: the rarest reasons first, what another reader is for in
one line with a count, and always how many more there are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from ..ingest.file_kinds import BINARY, LEFT_BEHIND, LOG, OTHER, PICTURE, RECORDING, SUBMODULE, TALK, reader_for
from ..ingest.item import Skipped

TOLD = 20
_READ_BY = re.compile(r"(?:conversation:)?file:(?=[/\w.~])|(?:meeting|design):(?=[/\w.~])")
_MANY = {
    PICTURE: "they are pictures",
    RECORDING: "they are recordings or their transcripts",
    TALK: "they are conversations",
    LOG: "they are logs",
    BINARY: "they are binary",
    LEFT_BEHIND: "they are test data, or what programs leave behind",
    OTHER: "their endings are none of those that are read",
    SUBMODULE: "they are submodules, repositories of their own",
}
_READERS = {many: reader_for(one) for one, many in _MANY.items()}


def told_problems(problems: Sequence[Skipped], limit: int = TOLD) -> tuple[tuple[dict[str, str], ...], int]:
    """At most so many lines, and how many problems they leave out. Hundreds of empty files must not hide the one that
    is broken, and a folder of pictures is one line."""
    common = Counter(problem.reason for problem in problems)
    ordered = sorted(problems, key=lambda one: (common[one.reason], one.reason, one.path))
    lines: list[tuple[dict[str, str], int]] = []
    grouped: set[str] = set()
    for one in ordered:
        count = common[one.reason]
        if count > 1 and one.reason in _MANY:
            if one.reason not in grouped:
                lines.append(({"path": f"{count:,} files such as {one.path}", "reason": _MANY[one.reason]}, count))
            grouped.add(one.reason)
        else:
            lines.append(({"path": one.path, "reason": one.reason}, 1))
    # What another reader takes is no fault of the file's: it comes last, and is never what is left out.
    others = [line for line in lines if line[0]["reason"] in _READERS or reader_for(line[0]["reason"])]
    told = [*[line for line in lines if line not in others][: limit - len(others)], *others]
    return tuple(line for line, _ in told), len(problems) - sum(count for _, count in told)


def plain_path(path: str) -> str:
    """A path as people write it, without the word by which it is known what read it."""
    found = _READ_BY.match(path)
    return path[found.end() :] if found else path


def problem_lines(problems: Sequence[Mapping[str, str]], left_out: int) -> list[str]:
    """The lines of a report. The reader of what was left out is named here and not in the data, so that each surface
    names it as it is called there."""
    lines = []
    for one in problems:
        reason = one["reason"]
        reader = _READERS.get(reason, "")
        named = f"; {reader} reads them" if reader else f"; {own} reads it" if (own := reader_for(reason)) else ""
        lines.append(f"  {plain_path(one['path']) or '(no path)'}: {reason}{named}")
    return [*lines, f"  and {left_out:,} more"] if left_out else lines
