"""A service on this machine that answers as Anthropic's Messages and OpenAI's chat completions do, bad days included.

It checks the key, answers in the service's own shapes, and does once whatever stands in `troubles` before it serves
again. What it answers is `answer`: a text, or what makes one from the prompt.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from .on_loopback import OnLoopback

KEY = "sk-test-0123456789abcdef"  # pragma: allowlist secret
Trouble = Callable[["Handler"], None]


@dataclass
class FakeModel(OnLoopback):
    """One server; it knows both manners by their paths. `stop` is why it stopped, in Anthropic's words."""

    answer: str | Callable[[str], str] = "Well said."
    key: str | None = KEY
    stop: str = "end_turn"
    thinks: bool = False
    says_usage: bool = True
    troubles: list[Trouble] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def handler(self) -> type[BaseHTTPRequestHandler]:
        return Handler

    def __exit__(self, *how: Any) -> None:
        self.released.set()
        super().__exit__(*how)

    @property
    def url(self) -> str:
        return f"http://{self.host}"

    @property
    def prompts(self) -> list[str]:
        """Everything that was sent as text, one for each request."""
        return [json.dumps(request, ensure_ascii=False) for request in self.requests]


PICTURE_TOKENS = 1_000


def tokens_of(content: str | list[dict[str, Any]]) -> int:
    """Of a text, or of blocks of text and images."""
    if isinstance(content, str):
        return len(content.encode()) // 4 + 1
    return sum(tokens_of(block["text"]) if block["type"] == "text" else PICTURE_TOKENS for block in content)


class Handler(BaseHTTPRequestHandler):
    state: FakeModel
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Tests are silent."""

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        self.state.requests.append(json.loads(raw))
        self.state.headers.append({name.lower(): value for name, value in self.headers.items()})
        if self.state.troubles:
            self.state.troubles.pop(0)(self)
        else:
            self.serve()

    def serve(self) -> None:
        state, given = self.state, self.state.headers[-1]
        is_anthropic = self.path == "/v1/messages"
        key = given.get("x-api-key") if is_anthropic else given.get("authorization", "").removeprefix("Bearer ")
        if self.path not in ("/v1/messages", "/v1/chat/completions"):
            self.fail(404, "not_found_error", "there is nothing here")
        elif state.key is not None and key != state.key:
            self.fail(401, "authentication_error", f"invalid x-api-key: {key}")
        elif is_anthropic and not given.get("anthropic-version"):
            self.fail(400, "invalid_request_error", "anthropic-version: header is required")
        else:
            self.send(200, self.messages() if is_anthropic else self.replies())

    def text(self) -> str:
        prompt = self.state.requests[-1]["messages"][-1]["content"]
        return self.state.answer if isinstance(self.state.answer, str) else self.state.answer(prompt)

    def messages(self) -> dict[str, Any]:
        request, text = self.state.requests[-1], self.text()
        blocks: list[dict[str, Any]] = [{"type": "thinking", "thinking": "", "signature": "x"}]
        whole = {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": request["model"],
            "content": [*(blocks if self.state.thinks else ()), {"type": "text", "text": text}],
            "stop_reason": self.state.stop,
        }
        asked = request["messages"][0]["content"]
        is_text = isinstance(asked, str)
        read = tokens_of(request["system"] + asked) if is_text else tokens_of(request["system"]) + tokens_of(asked)
        usage = {"input_tokens": read, "output_tokens": tokens_of(text), "cache_read_input_tokens": 0}
        return whole | ({"usage": usage} if self.state.says_usage else {})

    def replies(self) -> dict[str, Any]:
        request, text = self.state.requests[-1], self.text()
        reason = {"end_turn": "stop", "max_tokens": "length", "refusal": "content_filter"}[self.state.stop]
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
        read = sum(tokens_of(message["content"]) for message in request["messages"])
        usage = {"prompt_tokens": read, "completion_tokens": tokens_of(text), "total_tokens": read + tokens_of(text)}
        return {"object": "chat.completion", "choices": [choice]} | ({"usage": usage} if self.state.says_usage else {})

    def fail(self, status: int, kind: str, message: str, **headers: str) -> None:
        self.send(status, {"type": "error", "error": {"type": kind, "message": message}}, **headers)

    def send(self, status: int, body: object, **headers: str) -> None:
        self.send_raw(status, json.dumps(body).encode(), None, **headers)

    def send_raw(self, status: int, body: bytes, announced: int | None = None, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) if announced is None else announced))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = announced is not None


def status(code: int, kind: str = "api_error", message: str = "try again", **headers: str) -> Trouble:
    """Answers with a failure."""
    return lambda handler: handler.fail(code, kind, message, **headers)


def body(content: bytes) -> Trouble:
    """Answers well, with something else."""
    return lambda handler: handler.send_raw(200, content)


def truncated(handler: Handler) -> None:
    """Announces more than it sends."""
    whole = json.dumps(handler.messages()).encode()
    handler.send_raw(200, whole[: len(whole) // 2], announced=len(whole))


def hangs(handler: Handler) -> None:
    """Says nothing until the test lets it go."""
    handler.state.released.wait(30)
    handler.close_connection = True


def hangs_up(handler: Handler) -> None:
    handler.close_connection = True
    handler.connection.close()
