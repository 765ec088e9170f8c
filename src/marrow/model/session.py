"""A host's conversation as the memory knows it, and what was told to it. Statistics: outside the chain and the root."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .errors import Invalid, TooLarge

DETAIL_BYTES_MAX = 64 * 1024


@dataclass(frozen=True, slots=True)
class Session:
    """`detail` is a small JSON object: whatever is to be known at the session's next turn."""

    session: str
    host: str
    project: str
    cwd: str = ""
    started_at: int = 0
    last_at: int = 0
    ended_at: int | None = None
    turns: int = 0
    title: str = ""
    detail: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def is_open(self) -> bool:
        return self.ended_at is None


@dataclass(frozen=True, slots=True)
class Injection:
    """One memory that was told to a session: in which turn, at which event, what it cost, and for which file."""

    session: str
    turn: str
    at: int
    event: str
    address: str
    tokens: int
    file: str = ""


def detail_text(detail: Mapping[str, Any]) -> str:
    """A session's detail in its one stored form: sorted, compact, bounded JSON."""
    if not detail:
        return "{}"
    if not isinstance(detail, Mapping) or not all(isinstance(key, str) for key in detail):
        raise Invalid("The detail of a session is an object with text keys.", field="detail")
    try:
        text = json.dumps(dict(detail), sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        size = len(text.encode())
    except (TypeError, ValueError, RecursionError) as problem:
        raise Invalid(f"The detail of a session must be plain JSON: {problem}", field="detail") from problem
    if size > DETAIL_BYTES_MAX:
        raise TooLarge(
            f"The detail of a session has {size:,} bytes; at most {DETAIL_BYTES_MAX:,} are kept.",
            hint="Keep less of it.",
            field="detail",
        )
    return text
