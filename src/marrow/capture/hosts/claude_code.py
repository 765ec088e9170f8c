"""Claude Code.

Its hooks also fire elsewhere: Cursor, VS Code and Copilot load `~/.claude/settings.json` and the repository's
`.claude/settings.json`, and Codex loads its plugins. There a line would carry the wrong host, and a person who has
installed Marrow for both would have every event twice. So a payload of another host is left alone: its own adapter is
installed there, or nobody asked for it.
"""

from __future__ import annotations

from marrow.capture import event as events

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HOST = "claude-code"
INJECTS = frozenset(("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"))
# What only other hosts send: Cursor, VS Code and Copilot (both with a time), Codex.
_FOREIGN_FIELDS = (
    "cursor_version", "conversation_id", "generation_id", "workspace_roots", "timestamp", "sessionId", "hookEventName",
    "turn_id",
)  # fmt: skip
_FOREIGN_VARIABLES = ("CURSOR_VERSION", "COPILOT_CLI", "GEMINI_SESSION_ID")
# Prompts that no person wrote.
_MACHINES = frozenset(("system", "loop_wakeup", "schedule_wakeup", "poll_event"))


def trace(event: str, payload: Mapping[str, object], environ: Mapping[str, str]) -> dict[str, object] | None:
    if is_foreign(payload, environ):
        return None
    name = events.fired(event, payload)
    if events.canonical(name, events.CLAUDE_EVENTS) == events.PROMPT and events.text(payload, "source") in _MACHINES:
        return None
    return events.claude_like(HOST, name, payload)


def is_foreign(payload: Mapping[str, object], environ: Mapping[str, str]) -> bool:
    """Whether another host fired this. A terminal inside of another host hands its variables on, so they only count
    where Claude Code has not set its own."""
    if any(field in payload for field in _FOREIGN_FIELDS):
        return True
    own = environ.get("CLAUDE_CODE_SESSION_ID") or environ.get("CLAUDE_PID")
    return not own and any(environ.get(variable) for variable in _FOREIGN_VARIABLES)


def answer(event: str, context: str, environ: Mapping[str, str]) -> str:
    name = events.own_name(event, events.CLAUDE_EVENTS)
    return events.in_hook_output(name, context) if context and name in INJECTS else ""
