"""Anthropic's Messages API, as far as Claude Code asks it: streams, tokens counted, and what is wrong refused."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .loopback import Asked, Calls, Refused, Says, ScriptedModel, as_events, as_json, parsed

KEY = "sk-ant-of-the-journey"  # pragma: allowlist secret
VERSIONS = ("2023-01-01", "2023-06-01")
MESSAGES, COUNT = "/v1/messages", "/v1/messages/count_tokens"
PIECE = 24


class MessagesModel(ScriptedModel):
    """Turns are taken by requests that offer tools: those of the conversation. What a host asks on the side, such as a
    title, gets a word."""

    def _served(
        self, method: str, path: str, headers: Mapping[str, str], raw: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        if method == "HEAD":
            return 200, {}, b""
        if path not in (MESSAGES, COUNT):
            raise Refused(404, "not_found_error", f"Not found: {path}")
        if method != "POST":
            raise Refused(405, "invalid_request_error", "Method Not Allowed")
        _authenticate(headers)
        body = parsed(raw)
        _check(body, counting=path == COUNT)
        if path == COUNT:
            return as_json({"input_tokens": len(raw) // 4})
        offered = [str(tool.get("name", "")) for tool in body.get("tools", [])]
        if offered:
            self.keep(path, headers, body)
        number, turn = self.next_turn(offered) if offered else (0, Says("Noted."))
        message = _message(body, turn, number, len(raw) // 4)
        return as_events(_stream(message)) if body.get("stream") else as_json(message)

    def _error(self, refusal: Refused) -> bytes:
        error = {"type": refusal.kind, "message": refusal.message}
        return json.dumps({"type": "error", "error": error, "request_id": "req_journey"}).encode()


def _authenticate(headers: Mapping[str, str]) -> None:
    given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
    if not given:
        raise Refused(401, "authentication_error", "x-api-key header is required")
    if given != KEY:
        raise Refused(401, "authentication_error", "invalid x-api-key")
    if headers.get("anthropic-version") not in VERSIONS:
        raise Refused(400, "invalid_request_error", "anthropic-version: header is required")


def _check(body: Mapping[str, Any], *, counting: bool) -> None:
    """What the service insists on."""
    wanted = ("model", "messages") if counting else ("model", "messages", "max_tokens")
    for name in wanted:
        if name not in body:
            raise Refused(400, "invalid_request_error", f"{name}: Field required")
    most = body.get("max_tokens", 1)
    if not isinstance(most, int) or most < 1:
        raise Refused(400, "invalid_request_error", "max_tokens: Input should be greater than or equal to 1")
    messages = body["messages"]
    if not isinstance(messages, list) or not messages:
        raise Refused(400, "invalid_request_error", "messages: at least one message is required")
    for at, message in enumerate(messages):
        # In the middle of a conversation Claude Code puts in what hooks said, as `system`.
        if message.get("role") not in ("user", "assistant", "system"):
            raise Refused(400, "invalid_request_error", f"messages.{at}.role: Input should be 'user' or 'assistant'")
    if messages[0]["role"] != "user":
        raise Refused(400, "invalid_request_error", 'messages: first message must use the "user" role')
    names = [tool.get("name") for tool in body.get("tools", [])]
    if len(names) != len(set(names)):
        raise Refused(400, "invalid_request_error", "tools: Tool names must be unique.")
    _check_results(messages)


def _check_results(messages: Sequence[Mapping[str, Any]]) -> None:
    """Every call is followed by its result, and no result is of nothing."""
    owed: list[str] = []
    spoken = [message for message in messages if message["role"] != "system"]
    for at, message in enumerate(spoken):
        blocks = blocks_of(message)
        given = [str(block.get("tool_use_id")) for block in blocks if block.get("type") == "tool_result"]
        if missing := [name for name in owed if name not in given]:
            said = "`tool_use` ids were found without `tool_result` blocks immediately after"
            raise Refused(400, "invalid_request_error", f"messages.{at}: {said}: {', '.join(missing)}")
        if strange := [name for name in given if name not in owed]:
            said = "unexpected `tool_use_id` found in `tool_result` blocks"
            raise Refused(400, "invalid_request_error", f"messages.{at}: {said}: {', '.join(strange)}")
        owed = [str(block.get("id")) for block in blocks if block.get("type") == "tool_use"]


def _message(body: Mapping[str, Any], turn: Says | Calls, number: int, tokens: int) -> dict[str, Any]:
    """The whole answer; a stream brings it in pieces."""
    block: dict[str, Any] = {"type": "text", "text": turn.text} if isinstance(turn, Says) else {"type": "tool_use"}
    if isinstance(turn, Calls):
        block |= {"id": f"toolu_journey{number:04}", "name": turn.tool, "input": dict(turn.input)}
    return {
        "id": f"msg_journey{number:04}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [block],
        "stop_reason": "end_turn" if isinstance(turn, Says) else "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": tokens, "output_tokens": len(json.dumps(block)) // 4 + 1}
        | {"cache_read_input_tokens": 0, "cache_creation_input_tokens": 0},
    }


def _stream(message: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    begun = {**message, "content": [], "stop_reason": None, "usage": {**message["usage"], "output_tokens": 1}}
    yield {"type": "message_start", "message": begun}
    yield {"type": "ping"}
    for index, block in enumerate(message["content"]):
        is_text = block["type"] == "text"
        whole = block["text"] if is_text else json.dumps(block["input"])
        kind, name = ("text_delta", "text") if is_text else ("input_json_delta", "partial_json")
        empty = {**block, "text": ""} if is_text else {**block, "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        for start in range(0, len(whole), PIECE):
            delta = {"type": kind, name: whole[start : start + PIECE]}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ended = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ended, "usage": {"output_tokens": message["usage"]["output_tokens"]}}
    yield {"type": "message_stop"}


# --- what was sent ----------------------------------------------------------------------------------------------------


def blocks_of(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    content = message.get("content", "")
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def told_by(asked: Asked, hook: str) -> list[str]:
    """What a hook of ours has put into the conversation, as the model sees it, each time that it did.

    Claude Code 2.1.325 names the event, and for a tool also the tool ("PreToolUse:Read"). It joins what several hooks
    and it itself have to say into one text, so each ends with our own closing mark.
    """
    texts = [str(block.get("text", "")) for message in asked.body["messages"] for block in blocks_of(message)]
    found = re.compile(rf"{re.escape(hook)} hook additional context: (<marrow-memory>.*?</marrow-memory>)", re.S)
    return [told for text in texts for told in found.findall(text)]


def results(asked: Asked) -> list[str]:
    """What tools gave back to the model, in order."""
    blocks = [block for message in asked.body["messages"] for block in blocks_of(message)]
    return [
        "\n".join(str(part.get("text", "")) for part in blocks_of(block))
        for block in blocks
        if block.get("type") == "tool_result"
    ]
