"""VS Code and the Copilot CLI, which read each other's hook files.

VS Code sends Claude Code's form, with the session and the event in either spelling, and takes context inside of
`hookSpecificOutput`. Copilot sends its own form for names in camelCase and VS Code's for the others, and takes context
at the top level only. On a prompt neither of them takes any. Copilot denies a tool when a hook before it fails; ours
ends with 0 and says nothing there.
"""

from __future__ import annotations

from marrow.capture import event as events
from marrow.capture.json_text import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HOST, COPILOT = "vscode", "copilot"
INJECTS = frozenset(("SessionStart", "PreToolUse", "PostToolUse"))
COPILOT_INJECTS = frozenset(("sessionStart", "SessionStart", "postToolUse", "PostToolUse"))
COPILOT_BYTES_MAX = 10_000
COPILOT_EVENTS = {
    "sessionStart": events.SESSION_START,
    "userPromptSubmitted": events.PROMPT,
    "preToolUse": events.PRE_TOOL,
    "postToolUse": events.POST_TOOL,
    "postToolUseFailure": events.TOOL_FAILED,
    "agentStop": events.STOP,
    "subagentStop": events.SUBAGENT_STOP,
    "preCompact": events.PRE_COMPACT,
    "sessionEnd": events.SESSION_END,
}
# Copilot's own spelling, in the form of the other.
_SPELLINGS = {
    "sessionId": "session_id",
    "toolName": "tool_name",
    "toolArgs": "tool_input",
    "toolResult": "tool_response",
    "transcriptPath": "transcript_path",
    "initialPrompt": "initial_prompt",
    "agentId": "agent_id",
    "response": "last_assistant_message",
}


def trace(event: str, payload: Mapping[str, object], environ: Mapping[str, str]) -> dict[str, object] | None:
    name = events.fired(event, payload)
    copilot = is_copilot(name, environ)
    spelt = {_SPELLINGS.get(field, field): value for field, value in payload.items()}
    if spelt.get("source") == "new":
        spelt["source"] = "startup"
    error = spelt.get("error")
    if isinstance(error, dict):
        spelt["error"] = error.get("message")
    return events.claude_like(COPILOT if copilot else HOST, COPILOT_EVENTS.get(name, name), spelt)


def is_copilot(name: str, environ: Mapping[str, str]) -> bool:
    return name in COPILOT_EVENTS or bool(environ.get("COPILOT_CLI"))


def answer(event: str, context: str, environ: Mapping[str, str]) -> str:
    if not context:
        return ""
    if is_copilot(event, environ):
        name = events.own_name(event, events.CLAUDE_EVENTS) or event
        return render({"additionalContext": _within_bytes(context)}) if name in COPILOT_INJECTS else ""
    name = events.own_name(event, events.CLAUDE_EVENTS)
    return events.in_hook_output(name, context) if name in INJECTS else ""


def _within_bytes(context: str) -> str:
    limit = COPILOT_BYTES_MAX - 100  # for the braces and the name around it
    while len(context.encode("utf-8", "replace")) > COPILOT_BYTES_MAX - 20:
        context = events.shortened(context, limit)
        limit = limit * 4 // 5
    return context
