"""Codex. Its payloads are Claude Code's with `turn_id`; its answers are checked against closed schemas.

So nothing but `hookSpecificOutput` with its two fields is printed, and only for events whose schema has it. A context
of more than 2,500 tokens would be put into a file; ours stays below. A failed command comes as PostToolUse.
"""

from __future__ import annotations

from marrow.capture import event as events

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HOST = "codex"
INJECTS = frozenset(("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"))
CONTEXT_MAX = 8_000
EVENTS = {
    name: known for name, known in events.CLAUDE_EVENTS.items() if name not in ("PostToolUseFailure", "StopFailure")
}


def trace(event: str, payload: Mapping[str, object], environ: Mapping[str, str]) -> dict[str, object] | None:
    name = events.fired(event, payload)
    return events.claude_like(HOST, name, payload) if name in EVENTS or name in events.EVENTS else None


def answer(event: str, context: str, environ: Mapping[str, str]) -> str:
    # What fixed a failure is told on PostToolUse, the event that brought it.
    name = events.own_name("PostToolUse" if event == events.TOOL_FAILED else event, EVENTS)
    return events.in_hook_output(name, context, CONTEXT_MAX) if context and name in INJECTS else ""
