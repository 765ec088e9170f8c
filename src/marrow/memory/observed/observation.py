"""An observation: what a tool call did, in three depths."""

from __future__ import annotations

import re
from dataclasses import dataclass

from .lines import fit, one_line, plain

TITLE_MAX, SUMMARY_MAX, DETAIL_MAX = 80, 300, 1_200
TITLE_TOKENS, SUMMARY_TOKENS, DETAIL_TOKENS = 24, 70, 190
# What was undone was done and taken back.
OK, FAILED, UNDONE = "ok", "failed", "undone"

_BLANK_LINES = re.compile(r"\n\s*\n+")


@dataclass(frozen=True, slots=True)
class Observation:
    """`failure` is the signature of what failed, `fixed` that of a failure that this resolved; both may be empty.
    `before` and `after` are sizes in characters: of what the tool was given and gave, and of what is kept of it."""

    title: str
    summary: str
    detail: str
    tool: str
    does: str
    files: tuple[str, ...]
    names: tuple[str, ...]
    outcome: str
    turn: str
    at: int
    before: int
    after: int
    failure: str
    fixed: str
    trace_ids: tuple[str, ...]


def content(observation: Observation) -> str:
    """The three depths as the text of a node."""
    if observation.summary == observation.title and not observation.detail:
        return observation.title
    return "\n\n".join(part for part in (observation.title, observation.summary, observation.detail) if part)


def as_title(text: str) -> str:
    return fit(one_line(plain(text)), TITLE_MAX, TITLE_TOKENS)


def as_summary(text: str) -> str:
    return fit(one_line(plain(text)), SUMMARY_MAX, SUMMARY_TOKENS)


def as_detail(text: str) -> str:
    """Keeps its lines, and has no blank ones: those part the depths."""
    return fit(_BLANK_LINES.sub("\n", plain(text)).strip(), DETAIL_MAX, DETAIL_TOKENS).strip()
