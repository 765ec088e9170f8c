"""History: what commit messages say, and when. A subject alone tells what; the body often tells why."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from ..model.draft import Draft
from ..model.link import make_anchor
from ..repository.history import Commit, commits

KIND = "commit"
SOURCE = "git"
COMMITS_MAX = 2000
MESSAGE_LENGTH_MAX = 8000

_TRAILER = re.compile(r"(?:[A-Z][A-Za-z]*(?:-[A-Za-z]+)+|Fixes|Closes|Refs?|Bug|Link|Cc): \S.*$")
_MERGE = re.compile(r"Merge (?:branch|pull request|remote-tracking branch|tag|commit)\b")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")


def history(root: str | os.PathLike[str], limit: int = COMMITS_MAX) -> Iterator[Draft]:
    """A draft for each commit of the current branch that says something, newest first."""
    for commit in commits(root, limit, files=False):
        message = message_of(commit)
        if message:
            yield Draft(
                content=message,
                kind=KIND,
                domain="history",
                at=commit.at,
                source=SOURCE,
                anchors=(make_anchor({"type": "commit", "target": commit.hash}),),
                metadata={"commit": commit.hash, "author": commit.author},
            )


def message_of(commit: Commit) -> str:
    """What a commit says, without signatures and other trailers. Nothing for a merge that only says so."""
    body = _CONTROLS.sub("", _without_trailers(commit.body))
    subject = _CONTROLS.sub("", commit.subject).strip()
    if not body and _MERGE.match(subject):
        return ""
    return f"{subject}\n\n{body}".strip()[:MESSAGE_LENGTH_MAX].rstrip()


def _without_trailers(body: str) -> str:
    lines = body.strip().split("\n")
    while lines and (not lines[-1].strip() or _TRAILER.match(lines[-1].strip())):
        lines.pop()
    return "\n".join(lines).strip()
