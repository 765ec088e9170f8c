"""A trace: what a host's hook reported, raw and short-lived. Observations are made from it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

# Waiting to be worked off; worked off; given up.
RAW, DONE, FAILED = "raw", "done", "failed"
STATES = (RAW, DONE, FAILED)
BODY_LENGTH_MAX = 32_000
# What stands in the place of a prompt that said so.
NOT_KEPT = "[not to be remembered]"


@dataclass(frozen=True, slots=True)
class Trace:
    """`body` is the whole line of the inbox as JSON; the fields before it are those that are asked for. What follows
    it is the store's: `number` in order of arrival, never given twice, and the project that it was kept for."""

    id: str
    at: int
    host: str
    session: str
    event: str
    turn: str = ""
    tool: str = ""
    does: str = ""
    body: str = "{}"
    number: int = 0
    state: str = RAW
    attempts: int = 0
    error: str = ""
    project: str = ""

    @property
    def fields(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body)
        return found
