"""The canonical events, and what the adapters share: reading payloads whose shape nobody promised, making lines."""

from __future__ import annotations

import os

from marrow.capture import left_out, tools
from marrow.capture.json_text import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    Payload = Mapping[str, object]
    Trace = dict[str, object]

SESSION_START, PROMPT, PRE_TOOL, POST_TOOL, TOOL_FAILED = "session-start prompt pre-tool post-tool tool-failed".split()
STOP, SUBAGENT_STOP, PRE_COMPACT, POST_COMPACT = "stop subagent-stop pre-compact post-compact".split()
SESSION_END = "session-end"
EVENTS = frozenset(
    (
        SESSION_START,
        PROMPT,
        PRE_TOOL,
        POST_TOOL,
        TOOL_FAILED,
        STOP,
        SUBAGENT_STOP,
        PRE_COMPACT,
        POST_COMPACT,
        SESSION_END,
    )
)
TOOL_EVENTS = (PRE_TOOL, POST_TOOL, TOOL_FAILED)
CONTEXT_MAX = 10_000  # characters; hosts put what is longer into a file and show its name

# The events of Claude Code. Codex, VS Code and Copilot took over most of their names.
CLAUDE_EVENTS = {
    "SessionStart": SESSION_START,
    "UserPromptSubmit": PROMPT,
    "PreToolUse": PRE_TOOL,
    "PostToolUse": POST_TOOL,
    "PostToolUseFailure": TOOL_FAILED,
    "Stop": STOP,
    "StopFailure": STOP,
    "SubagentStop": SUBAGENT_STOP,
    "PreCompact": PRE_COMPACT,
    "PostCompact": POST_COMPACT,
    "SessionEnd": SESSION_END,
}


def fired(event: str, payload: Payload) -> str:
    """The host's own name of the event: what the payload says, else what the command line says."""
    return text(payload, "hook_event_name", "hookEventName") or event


def canonical(event: str, names: Mapping[str, str]) -> str:
    """The canonical event of a host's name or of a canonical one; "" for those that are not captured."""
    return names.get(event) or (event if event in EVENTS else "")


def own_name(event: str, names: Mapping[str, str]) -> str:
    """The host's name of a canonical event; the first, where there are several."""
    return event if event in names else next((name for name, known in names.items() if known == event), "")


def text(payload: Payload, *names: str) -> str:
    """The first of these that is a text and not empty."""
    for name in names:
        value = payload.get(name)
        if isinstance(value, str) and value:
            return value
    return ""


def whole_number(payload: Payload, *names: str) -> int:
    for name in names:
        value = payload.get(name)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 1e12:
            return int(value)
    return 0


def first_text(value: object) -> str:
    """The first text of a list."""
    return next((item for item in value if isinstance(item, str) and item), "") if isinstance(value, list) else ""


def made(host: str, event: str, session: str, cwd: str, fields: Trace) -> Trace | None:
    """A trace line of what is not empty. Without a session there is nothing that it could belong to. Its id names what
    is kept of it, and such a name is one line."""
    session = session if session.isprintable() else "".join(filter(str.isprintable, session))
    if not session or not event:
        return None
    trace: Trace = {"host": host, "event": event, "session": session[:200], "cwd": cwd or _here()}
    trace.update({name: value for name, value in fields.items() if value not in ("", None, 0, {}, [])})
    return trace


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:  # the folder was removed
        return ""


def tool_fields(event: str, tool: str, given: object, answer: object, error: str, server: str = "") -> Trace | None:
    """The fields of a tool event, its event among them; None where it is not captured."""
    kind = tools.does(tool)
    if kind != tools.MCP and server:
        kind = tools.MCP
    tool_input = tools.read_input(kind, given)
    command = tool_input.get("command")
    if left_out.is_own_tool(tool, server) or left_out.is_host_memory(tool, tool_input):
        return None
    if kind == tools.SHELL and isinstance(command, str) and left_out.is_own_command(command):
        return None
    output = tools.read_output(kind, answer)
    if event == POST_TOOL:
        error = error or tools.failure(output)
        event = TOOL_FAILED if error else event
    if event == PRE_TOOL:
        output = ""
    return {"event": event, "tool": tool[:200], "does": kind, "input": tool_input, "output": output, "error": error}


def claude_like(host: str, name: str, payload: Payload) -> Trace | None:
    """The trace of a payload in the form of Claude Code, which Codex, VS Code and Copilot also send."""
    event = canonical(name, CLAUDE_EVENTS)
    if not event:
        return None
    mode = text(payload, "permission_mode")
    fields: Trace = {
        "turn": text(payload, "prompt_id", "turn_id"),
        "agent": text(payload, "agent_id"),
        "mode": mode,
        "transcript": text(payload, "transcript_path", "transcriptPath"),
        "ms": whole_number(payload, "duration_ms"),
    }
    if event in TOOL_EVENTS:
        if mode == "plan":  # what is looked at to make a plan; the plan itself comes in the conversation
            return None
        server = payload.get("mcp_server")
        found = tool_fields(
            event,
            text(payload, "tool_name"),
            payload.get("tool_input"),
            payload.get("tool_response", payload.get("tool_result")),
            text(payload, "error"),
            text(server, "name") if isinstance(server, dict) else "",
        )
        if found is None or not found["tool"]:
            return None
        fields.update(found)
        event = str(fields.pop("event"))
    elif event == SESSION_START:
        fields["source"] = text(payload, "source")
        fields["prompt"] = text(payload, "initial_prompt")
    elif event == PROMPT:
        fields["prompt"] = text(payload, "prompt")
    else:
        fields["message"] = text(payload, "last_assistant_message", "compact_summary")
        fields["trigger"] = text(payload, "trigger")
        fields["reason"] = text(payload, "reason")
        fields["error"] = text(payload, "error")
    session = text(payload, "session_id", "sessionId")
    return made(host, event, session, text(payload, "cwd"), fields)


def shortened(context: str, limit: int = CONTEXT_MAX) -> str:
    """The beginning of a context that is too long for a host, up to a whole line where that is near."""
    if len(context) <= limit:
        return context
    cut = context[: limit - 2]
    line = cut.rfind("\n")
    return (cut[:line] if line > limit // 2 else cut) + "\n…"


def in_hook_output(name: str, context: str, limit: int = CONTEXT_MAX) -> str:
    """The answer of Claude Code's form: `hookEventName` has to be the event that fired."""
    inner = {"hookEventName": name, "additionalContext": shortened(context, limit)}
    return render({"hookSpecificOutput": inner})
