"""Cursor. The conversation is the session, a generation is a turn, and the first workspace root is the folder.

Context goes to `additional_context`: at the session's start, after a tool, and (reported to work, not documented) with
a prompt, where `continue` has to be said as well. Before a tool and after a failure it takes none.
"""

from __future__ import annotations

from marrow.capture import event as events
from marrow.capture.json_text import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HOST = "cursor"
EVENTS = {
    "sessionStart": events.SESSION_START,
    "beforeSubmitPrompt": events.PROMPT,
    "preToolUse": events.PRE_TOOL,
    "postToolUse": events.POST_TOOL,
    "postToolUseFailure": events.TOOL_FAILED,
    "afterShellExecution": events.POST_TOOL,
    "afterFileEdit": events.POST_TOOL,
    "afterMCPExecution": events.POST_TOOL,
    "stop": events.STOP,
    "afterAgentResponse": events.STOP,
    "subagentStop": events.SUBAGENT_STOP,
    "preCompact": events.PRE_COMPACT,
    "sessionEnd": events.SESSION_END,
}


def trace(event: str, payload: Mapping[str, object], environ: Mapping[str, str]) -> dict[str, object] | None:
    name = events.fired(event, payload)
    known = events.canonical(name, EVENTS)
    if not known:
        return None
    fields: dict[str, object] = {
        "turn": events.text(payload, "generation_id"),
        "mode": events.text(payload, "composer_mode", "permission_mode"),
        "transcript": events.text(payload, "transcript_path"),
        "ms": events.whole_number(payload, "duration", "duration_ms"),
    }
    if known in events.TOOL_EVENTS:
        found = None if fields["mode"] == "plan" else _tool(name, known, payload)
        if found is None or not found["tool"]:
            return None
        fields.update(found)
        known = str(fields.pop("event"))
    elif known == events.PROMPT:
        fields["prompt"] = events.text(payload, "prompt")
    elif known == events.SESSION_START:
        fields["source"] = events.text(payload, "source") or "startup"
    else:
        fields["message"] = events.text(payload, "text", "summary", "result")
        fields["trigger"] = events.text(payload, "trigger")
        fields["reason"] = events.text(payload, "reason", "status")
        fields["error"] = events.text(payload, "error_message")
    session = events.text(payload, "conversation_id", "session_id")
    cwd = events.text(payload, "cwd") or events.first_text(payload.get("workspace_roots"))
    return events.made(HOST, known, session, cwd or environ.get("CURSOR_PROJECT_DIR", ""), fields)


def _tool(name: str, event: str, payload: Mapping[str, object]) -> dict[str, object] | None:
    """A tool's call. Three older events have their own fields for what one tool did."""
    tool, given, answered = events.text(payload, "tool_name"), payload.get("tool_input"), payload.get("tool_output")
    server = ""
    if name == "afterShellExecution":
        tool, given, answered = "Shell", {"command": payload.get("command")}, payload.get("output")
    elif name == "afterFileEdit":
        tool, given = "Edit", {"file_path": payload.get("file_path"), "edits": payload.get("edits")}
    elif name == "afterMCPExecution":
        answered = payload.get("result_json", answered)
        words = f"{events.text(payload, 'command')} {events.text(payload, 'url')}".replace("/", " ").split()
        server = "marrow" if "marrow" in words else "other"
    error = events.text(payload, "error_message", "error")
    return events.tool_fields(event, tool, given, answered, error, server)


def answer(event: str, context: str, environ: Mapping[str, str]) -> str:
    name = events.own_name(event, EVENTS)
    if not context or name not in ("sessionStart", "postToolUse", "beforeSubmitPrompt"):
        return ""
    fields: dict[str, object] = {"additional_context": events.shortened(context)}
    return render({"continue": True, **fields} if name == "beforeSubmitPrompt" else fields)
