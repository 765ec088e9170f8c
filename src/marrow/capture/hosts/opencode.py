"""OpenCode. It has no shell hooks: a small plugin of ours passes its events on, and reads `{"context": …}` back.

The plugin sends the event's fields as they are (`sessionID`, `tool`, `args`, `output`, `error`, `messageID`), and
`directory`, `prompt` and `message` where OpenCode keeps them elsewhere.
"""

from __future__ import annotations

from marrow.capture import event as events
from marrow.capture.json_text import render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

HOST = "opencode"
EVENTS = {
    "session.created": events.SESSION_START,
    "experimental.chat.system.transform": events.SESSION_START,
    "chat.message": events.PROMPT,
    "tool.execute.before": events.PRE_TOOL,
    "tool.execute.after": events.POST_TOOL,
    "session.idle": events.STOP,
    "experimental.session.compacting": events.PRE_COMPACT,
    "session.compacted": events.POST_COMPACT,
    "session.deleted": events.SESSION_END,
    "dispose": events.SESSION_END,
}
INJECTS = frozenset((events.SESSION_START, events.PROMPT, events.PRE_TOOL, events.TOOL_FAILED, events.POST_TOOL))


def trace(event: str, payload: Mapping[str, object], environ: Mapping[str, str]) -> dict[str, object] | None:
    known = events.canonical(events.fired(event, payload), EVENTS)
    if not known:
        return None
    fields: dict[str, object] = {
        "turn": events.text(payload, "messageID"),
        "mode": events.text(payload, "agent") if payload.get("agent") == "plan" else "",
        "ms": events.whole_number(payload, "duration"),
    }
    if known in events.TOOL_EVENTS:
        if fields["mode"] == "plan":
            return None
        error = events.text(payload, "error")
        found = events.tool_fields(
            known, events.text(payload, "tool"), payload.get("args"), _answered(payload.get("output")), error
        )
        if found is None or not found["tool"]:
            return None
        fields.update(found)
        known = str(fields.pop("event"))
    elif known == events.SESSION_START:
        fields["source"] = events.text(payload, "source") or "startup"
    else:
        fields["prompt"] = events.text(payload, "prompt")
        fields["message"] = events.text(payload, "message")
        fields["reason"] = events.text(payload, "reason")
    session = events.text(payload, "sessionID", "session_id")
    return events.made(HOST, known, session, events.text(payload, "directory", "cwd"), fields)


def _answered(output: object) -> object:
    """A tool's text, and its exit code, which stands apart from it."""
    if not isinstance(output, dict) or not isinstance(output.get("metadata"), dict):
        return output
    code = output["metadata"].get("exit")
    return {"output": output.get("output"), "exit": code} if isinstance(code, int) else output


def answer(event: str, context: str, environ: Mapping[str, str]) -> str:
    known = events.canonical(event, EVENTS)
    return render({"context": events.shortened(context)}) if context and known in INJECTS else ""
