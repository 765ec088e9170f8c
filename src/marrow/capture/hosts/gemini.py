"""Gemini CLI, and Antigravity, which came after it.

Gemini: what a tool answered is `tool_response` with `llmContent` and, where it failed, `error`. A command that ended
with another code than 0 says so in words only. Nothing but JSON may be printed. Context is taken at the session's
start, with a prompt (BeforeAgent) and after a tool (AfterTool).

Antigravity: PreInvocation comes before every call of the model; the first of a turn (number 0) is the prompt, whose
text stands in the transcript only. Context goes to `injectSteps`; the end of a turn wants a decision.
"""

from __future__ import annotations

import os

from marrow.capture import event as events
from marrow.capture import tools
from marrow.capture.json_text import parse, render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HOST, ANTIGRAVITY = "gemini", "antigravity"
EVENTS = {
    "SessionStart": events.SESSION_START,
    "BeforeAgent": events.PROMPT,
    "BeforeTool": events.PRE_TOOL,
    "AfterTool": events.POST_TOOL,
    "AfterAgent": events.STOP,
    "PreCompress": events.PRE_COMPACT,
    "SessionEnd": events.SESSION_END,
}
INJECTS = frozenset(("SessionStart", "BeforeAgent", "AfterTool"))
ANTIGRAVITY_EVENTS = {
    "PreInvocation": events.PROMPT,
    "PostToolUse": events.POST_TOOL,
    "Stop": events.STOP,
}
_TRANSCRIPT_BYTES = 256 * 1024
_EXIT, _BELOW = "Exit Code: ", ("Signal: ", "Background PIDs: ", "Process Group PGID: ")
_CODE_DIGITS = 10  # Windows has some of this length
_OPENING, _CLOSING = "<USER_REQUEST>", "</USER_REQUEST>"


def trace(event: str, payload: Mapping[str, object], environ: Mapping[str, str]) -> dict[str, object] | None:
    if "conversationId" in payload:
        return _antigravity(event, payload)
    name = events.fired(event, payload)
    known = events.canonical(name, EVENTS)
    if not known:
        return None
    fields: dict[str, object] = {"transcript": events.text(payload, "transcript_path")}
    if known in events.TOOL_EVENTS:
        context = payload.get("mcp_context")
        found = events.tool_fields(
            known,
            events.text(payload, "tool_name"),
            payload.get("tool_input"),
            _answered(events.text(payload, "tool_name"), payload.get("tool_response")),
            events.text(payload, "error"),
            events.text(context, "server_name") if isinstance(context, dict) else "",
        )
        if found is None or not found["tool"]:
            return None
        fields.update(found)
        known = str(fields.pop("event"))
    elif known == events.PROMPT:
        fields["prompt"] = events.text(payload, "prompt")
    else:
        fields["source"] = events.text(payload, "source") if known == events.SESSION_START else ""
        fields["message"] = events.text(payload, "prompt_response")
        fields["trigger"] = events.text(payload, "trigger")
        fields["reason"] = events.text(payload, "reason")
    session = events.text(payload, "session_id") or environ.get("GEMINI_SESSION_ID", "")
    cwd = events.text(payload, "cwd") or environ.get("GEMINI_CWD", "")
    return events.made(HOST, known, session, cwd, fields)


def _answered(tool: str, response: object) -> object:
    """A tool's answer. Of a command that failed it says the exit code in words, below what was printed."""
    if tools.does(tool) != tools.SHELL or not isinstance(response, dict) or response.get("error"):
        return response
    lines = events.text(response, "llmContent").split("\n")
    while len(lines) > 1 and lines[-1].startswith(_BELOW):
        lines.pop()
    code = lines.pop().removeprefix(_EXIT) if lines[-1].startswith(_EXIT) else ""
    if not lines or not (code.isascii() and code.isdigit() and len(code) <= _CODE_DIGITS):
        return response
    return {"output": "\n".join(lines).removeprefix("Output: "), "exit": int(code)}


def _antigravity(event: str, payload: Mapping[str, object]) -> dict[str, object] | None:
    known = events.canonical(event, ANTIGRAVITY_EVENTS)
    path = events.text(payload, "transcriptPath")
    fields: dict[str, object] = {"transcript": path}
    if known == events.POST_TOOL:
        call = payload.get("toolCall")
        if not isinstance(call, dict):
            return None
        error = events.text(payload, "error")
        found = events.tool_fields(known, events.text(call, "name"), call.get("args"), call.get("result"), error)
        if found is None or not found["tool"]:
            return None
        fields.update(found)
        known = str(fields.pop("event"))
    elif known in (events.PROMPT, events.SESSION_START):
        if payload.get("invocationNum") not in (0, None):
            return None
        fields["prompt"], first = _last_request(path)
        if first:
            known, fields["source"] = events.SESSION_START, "startup"
    session = events.text(payload, "conversationId")
    return events.made(ANTIGRAVITY, known, session, events.first_text(payload.get("workspacePaths")), fields)


def _last_request(path: str) -> tuple[str, bool]:
    """What the person asked last, by the end of the transcript; and whether it is the first request in it."""
    try:
        with open(path, "rb") as file:
            length = os.fstat(file.fileno()).st_size
            file.seek(max(0, length - _TRANSCRIPT_BYTES))
            lines = file.read(_TRANSCRIPT_BYTES).decode("utf-8", "replace").split("\n")
    except (OSError, ValueError):  # a path may hold what no path can
        return "", True
    asked = [request for line in lines if "USER_INPUT" in line and (request := _request(line))]
    return (asked[-1] if asked else ""), len(asked) <= 1 and length <= _TRANSCRIPT_BYTES


def _request(line: str) -> str:
    try:
        step = parse(line)
    except ValueError:
        return ""
    if not isinstance(step, dict) or step.get("type") != "USER_INPUT":
        return ""
    content = events.text(step, "content")
    _, opened, rest = content.partition(_OPENING)
    return (rest.partition(_CLOSING)[0] if opened else content).strip()


def answer(event: str, context: str, environ: Mapping[str, str]) -> str:
    if event == "PreInvocation":
        return render({"injectSteps": [{"ephemeralMessage": events.shortened(context)}] if context else []})
    if event in ANTIGRAVITY_EVENTS:  # it is given JSON also where there is nothing to say
        return render({"decision": "allow"} if event == "Stop" else {})
    name = events.own_name("AfterTool" if event == events.TOOL_FAILED else event, EVENTS)
    return events.in_hook_output(name, context) if context and name in INJECTS else ""
