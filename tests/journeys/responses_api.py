"""OpenAI's Responses API, as far as Codex asks it: streams, tools in namespaces, and what is wrong refused."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from .loopback import Asked, Calls, Refused, Says, ScriptedModel, as_events, as_json, parsed

KEY = "sk-of-the-journey"  # pragma: allowlist secret
RESPONSES, MODELS = "/v1/responses", "/v1/models"
SEARCH, SEARCH_OUTPUT = "tool_search", "tool_search_output"
OUTPUT_OF = {
    "function_call": "function_call_output",
    "custom_tool_call": "custom_tool_call_output",
    "tool_search_call": SEARCH_OUTPUT,
}
FREEFORM = ("apply_patch",)  # tools that take a text, and no JSON
PIECE = 24


class ResponsesModel(ScriptedModel):
    """A tool is called by its name; one of a namespace, as Codex puts those of MCP servers, by `namespace.name`."""

    def _served(
        self, method: str, path: str, headers: Mapping[str, str], raw: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        if headers.get("authorization") != f"Bearer {KEY}":
            raise Refused(401, "invalid_request_error", "Incorrect API key provided.")
        if (method, path) == ("GET", MODELS):
            return as_json({"object": "list", "data": []})
        if (method, path) != ("POST", RESPONSES):
            raise Refused(404, "invalid_request_error", f"Invalid URL ({method} {path})")
        body = parsed(raw)
        _check(body)
        self.keep(path, headers, body)
        number, turn = self.next_turn(offered(body))
        response = {"id": f"resp_{number:04}", "object": "response", "model": body["model"], "status": "completed"}
        response |= {"output": [_item(turn, number)], "usage": _usage(len(raw) // 4)}
        return as_events(_stream(response)) if body.get("stream") else as_json(response)

    def _error(self, refusal: Refused) -> bytes:
        return json.dumps({"error": {"type": refusal.kind, "message": refusal.message, "code": None}}).encode()


def offered(body: Mapping[str, Any]) -> list[str]:
    """The names of the tools that the model may call: those that came with the request, and those it searched for."""
    found = [tool for item in body["input"] if item.get("type") == SEARCH_OUTPUT for tool in item.get("tools", [])]
    names = []
    for tool in [*body.get("tools", []), *found]:
        inner = tool.get("tools") if tool.get("type") == "namespace" else None
        names += [f"{tool['name']}.{one['name']}" for one in inner] if inner else [str(tool.get("name", tool["type"]))]
    return names


def _check(body: Mapping[str, Any]) -> None:
    for name in ("model", "input"):
        if name not in body:
            raise Refused(400, "invalid_request_error", f"Missing required parameter: '{name}'.")
    items = body["input"] if isinstance(body["input"], list) else []
    called = {item.get("call_id") for item in items if item.get("type") in OUTPUT_OF}
    given = {item.get("call_id") for item in items if item.get("type") in OUTPUT_OF.values()}
    if missing := called - given:
        raise Refused(400, "invalid_request_error", f"No tool output found for function call {', '.join(missing)}.")
    if strange := given - called:
        raise Refused(400, "invalid_request_error", f"No tool call found for output {', '.join(strange)}.")


def _item(turn: Says | Calls, number: int) -> dict[str, Any]:
    if isinstance(turn, Says):
        content = [{"type": "output_text", "text": turn.text, "annotations": []}]
        return {"type": "message", "id": f"msg_{number:04}", "role": "assistant", "content": content}
    if turn.tool == SEARCH:
        item = {"type": "tool_search_call", "id": f"ts_{number:04}", "call_id": f"call_{number:04}"}
        return {**item, "status": "completed", "execution": "client", "arguments": dict(turn.input)}
    if turn.tool in FREEFORM:
        item = {"type": "custom_tool_call", "id": f"ct_{number:04}", "call_id": f"call_{number:04}", "name": turn.tool}
        return {**item, "status": "completed", "input": turn.input["input"]}
    space, _, name = turn.tool.rpartition(".")
    item = {"type": "function_call", "id": f"fc_{number:04}", "call_id": f"call_{number:04}", "name": name}
    return {**item, **({"namespace": space} if space else {}), "arguments": json.dumps(dict(turn.input))}


def _usage(tokens: int) -> dict[str, Any]:
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    return {"input_tokens": tokens, "output_tokens": 5, "total_tokens": tokens + 5, **details}


def _stream(response: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"type": "response.created", "response": {**response, "status": "in_progress", "output": [], "usage": None}}
    for index, item in enumerate(response["output"]):
        if item["type"] == "message":
            yield {"type": "response.output_item.added", "output_index": index, "item": {**item, "content": []}}
            whole = item["content"][0]["text"]
            place = {"item_id": item["id"], "output_index": index, "content_index": 0}
            for start in range(0, len(whole), PIECE):
                yield {"type": "response.output_text.delta", **place, "delta": whole[start : start + PIECE]}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": dict(response)}


# --- what was sent ----------------------------------------------------------------------------------------------------


def messages_of(asked: Asked, role: str) -> list[str]:
    """What stands in the conversation in this role, in order."""
    items = [item for item in asked.body["input"] if item.get("type") == "message" and item.get("role") == role]
    return ["\n".join(str(part.get("text", "")) for part in item["content"]) for item in items]


def outputs(asked: Asked) -> list[str]:
    """What tools gave back to the model, in order."""
    found = [
        item["output"] for item in asked.body["input"] if item.get("type") in OUTPUT_OF.values() and "output" in item
    ]
    return [output if isinstance(output, str) else json.dumps(output) for output in found]
