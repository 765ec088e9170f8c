"""Which of their events the hosts report to Marrow. Only what a host documents is here; capture knows each by name.

Hooks are quick by themselves; a timeout is for the day when a machine is not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .programs import Programs, shell_line

SECONDS, START_SECONDS = 5, 10
CODEX_END_SECONDS = 3  # it takes no more there
BEFORE_TOOL = "PreToolUse"


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a host. A matcher is the host's own list of tools; without one every call counts."""

    name: str
    matcher: str = ""
    seconds: int = SECONDS


CLAUDE_CODE = (
    Event("SessionStart", seconds=START_SECONDS),
    Event("UserPromptSubmit"),
    Event(BEFORE_TOOL, "Edit|Write|MultiEdit|NotebookEdit|Read"),
    Event("PostToolUse", "*"),
    Event("PostToolUseFailure", "*"),
    Event("Stop"),
    Event("SubagentStop"),
    Event("PreCompact"),
    Event("SessionEnd"),
)
CODEX = (
    Event("SessionStart", seconds=START_SECONDS),
    Event("UserPromptSubmit"),
    Event(BEFORE_TOOL, "Edit|Write"),  # its names for apply_patch
    Event("PostToolUse"),
    Event("Stop"),
    Event("SubagentStop"),
    Event("PreCompact"),
    Event("SessionEnd", seconds=CODEX_END_SECONDS),
)
CURSOR = (
    Event("sessionStart", seconds=START_SECONDS),
    Event("beforeSubmitPrompt"),
    Event("postToolUse"),
    Event("postToolUseFailure"),
    Event("afterAgentResponse"),
    Event("stop"),
    Event("subagentStop"),
    Event("preCompact"),
    Event("sessionEnd"),
)
# One file for VS Code and the Copilot CLI. Nothing before a tool: the Copilot CLI denies the tool when that hook cannot
# be started, and an interpreter that is gone must not stop anyone's work.
COPILOT = (
    Event("SessionStart"),
    Event("UserPromptSubmit"),
    Event("PostToolUse"),
    Event("PostToolUseFailure"),
    Event("Stop"),
    Event("SubagentStop"),
    Event("PreCompact"),
    Event("SessionEnd"),
)
GEMINI = (
    Event("SessionStart", seconds=START_SECONDS),
    Event("BeforeAgent"),
    Event("AfterTool", "*"),
    Event("AfterAgent"),
    Event("PreCompress"),
    Event("SessionEnd"),
)

Groups = Mapping[str, Sequence[dict[str, Any]]]


def claude_hooks(programs: Programs, *, shared: bool = False) -> Groups:
    """Claude Code starts words without a shell: `command` is the program and `args` are the rest.

    A repository's file is `shared`, with the Copilot CLI and with people who have no Marrow: so nothing before a tool.
    """
    chosen = [event for event in CLAUDE_CODE if not (shared and event.name == BEFORE_TOOL)]
    return {event.name: [_group(event, _exec(programs, event))] for event in chosen}


def _exec(programs: Programs, event: Event) -> dict[str, Any]:
    program, *rest = programs.on_event("claude-code", event.name)
    return {"type": "command", "command": program, "args": rest, "timeout": event.seconds}


def codex_hooks(programs: Programs) -> Groups:
    return {event.name: [_group(event, _line(programs, "codex", event, event.seconds))] for event in CODEX}


def gemini_hooks(programs: Programs) -> Groups:
    """Gemini counts in milliseconds, and shows the name of a hook."""
    return {
        event.name: [_group(event, {"name": "marrow", **_line(programs, "gemini", event, event.seconds * 1000)})]
        for event in GEMINI
    }


def cursor_hooks(programs: Programs) -> Groups:
    """Cursor has no groups, and every hook is a command."""
    return {
        event.name: [{"command": shell_line(programs.on_event("cursor", event.name)), "timeout": event.seconds}]
        for event in CURSOR
    }


def copilot_hooks(programs: Programs) -> Groups:
    """The two programs name the timeout differently; both wait for half a minute where none is given."""
    return {
        event.name: [{"type": "command", "command": shell_line(programs.on_event("copilot", event.name))}]
        for event in COPILOT
    }


def _line(programs: Programs, host: str, event: Event, timeout: int) -> dict[str, Any]:
    return {"type": "command", "command": shell_line(programs.on_event(host, event.name)), "timeout": timeout}


def _group(event: Event, handler: dict[str, Any]) -> dict[str, Any]:
    return {**({"matcher": event.matcher} if event.matcher else {}), "hooks": [handler]}
