"""The adapters by host, and what was recorded of each host's events in their documented shape."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from marrow.capture.hosts import claude_code, codex, cursor, gemini, opencode, vscode

PAYLOADS = Path(__file__).parent / "payloads"
ADAPTERS: dict[str, ModuleType] = {
    "claude-code": claude_code,
    "codex": codex,
    "cursor": cursor,
    "vscode": vscode,
    "copilot": vscode,
    "gemini": gemini,
    "antigravity": gemini,
    "opencode": opencode,
}


@dataclass(frozen=True)
class Recorded:
    """One event: what the host sends, what is kept of it (a part of the line), and what it is told."""

    host: str
    number: int
    event: str
    payload: dict[str, Any]
    expect: dict[str, Any] | None
    environ: dict[str, str] = field(default_factory=dict)
    tells: Any = None  # the answer for a context, as JSON; "" for none; None where it is not looked at
    why: str = ""

    def __str__(self) -> str:
        return f"{self.host}-{self.number}-{self.event}"


def recorded() -> list[Recorded]:
    return [
        Recorded(path.stem, number, **row)
        for path in sorted(PAYLOADS.glob("*.json"))
        for number, row in enumerate(json.loads(path.read_text(encoding="utf-8")))
    ]
