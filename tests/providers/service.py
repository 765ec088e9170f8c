"""A service on this machine that behaves as Voyage's and OpenAI's embedding services do, bad days included.

It checks the key, counts texts and tokens against limits, answers in the services' own shapes and not in the order of
the texts, and does once whatever stands in `troubles` before it serves again.
"""

from __future__ import annotations

import json
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from marrow.providers.embedder import FakeEmbedder

from .on_loopback import OnLoopback

KEY = "sk-test-0123456789abcdef"  # pragma: allowlist secret
Trouble = Callable[["_Handler"], None]


@dataclass
class FakeService(OnLoopback):
    """One server. `style` is whose shapes it speaks; `length` the model's own length."""

    style: str = "openai"
    length: int = 64
    key: str | None = KEY
    texts_max: int = 2048
    tokens_max: int = 300_000
    text_tokens_max: int | None = None
    says_usage: bool = True
    troubles: list[Trouble] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    def handler(self) -> type[BaseHTTPRequestHandler]:
        return _Handler

    def __exit__(self, *how: Any) -> None:
        self.released.set()
        super().__exit__(*how)

    @property
    def url(self) -> str:
        return f"http://{self.host}/v1"

    def vectors(self, request: dict[str, Any]) -> list[list[float]]:
        """The words of a text in buckets; a question is a little off, and no text but a blank one is zero."""
        wanted = request.get("output_dimension") or request.get("dimensions") or self.length
        rows = FakeEmbedder(self.length).documents(request["input"])
        tilt = 0.25 if request.get("input_type") == "query" else 0.125
        found = []
        for row in rows.tolist():
            row[0] += tilt
            short = row[:wanted]
            size = math.sqrt(sum(number * number for number in short))
            found.append([number / size for number in short])
        return found


def tokens_of(text: str) -> int:
    return len(text.encode()) // 4 + 1


class _Handler(BaseHTTPRequestHandler):
    state: FakeService
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Tests are silent."""

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers["Content-Length"]))
        self.state.requests.append(json.loads(raw))
        self.state.headers.append(dict(self.headers.items()))
        if self.state.troubles:
            self.state.troubles.pop(0)(self)
            return
        self.serve()

    def serve(self) -> None:
        request, state = self.state.requests[-1], self.state
        if self.path != "/v1/embeddings":
            self.fail(404, "not found")
        elif state.key is not None and self.headers.get("Authorization") != f"Bearer {state.key}":
            self.fail(401, f"Incorrect API key provided: {self.headers.get('Authorization')}.", "invalid_api_key")
        elif (problem := self.problem(request)) is not None:
            self.fail(400, *problem)
        else:
            self.send(200, self.answer(request))

    def problem(self, request: dict[str, Any]) -> tuple[str, str | None] | None:
        texts, state = request["input"], self.state
        tokens = sum(map(tokens_of, texts))
        if not 1 <= len(texts) <= state.texts_max:
            return f"{len(texts)} inputs are not allowed", None
        if any(not text for text in texts):
            return "an input cannot be an empty string", None
        if tokens > state.tokens_max:
            return f"Requested {tokens} tokens, max {state.tokens_max} tokens per request", "max_tokens_per_request"
        if state.text_tokens_max and max(map(tokens_of, texts)) > state.text_tokens_max:
            return f"This model's maximum context length is {state.text_tokens_max} tokens", None
        return None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        data = [
            {"object": "embedding", "embedding": vector, "index": index}
            for index, vector in enumerate(self.state.vectors(request))
        ]
        total = sum(map(tokens_of, request["input"]))
        usage = {"total_tokens": total} | ({"prompt_tokens": total} if self.state.style == "openai" else {})
        whole = {"object": "list", "data": data[::-1], "model": request["model"]}
        return whole | ({"usage": usage} if self.state.says_usage else {})

    def fail(self, status: int, message: str, code: str | None = None, **headers: str) -> None:
        error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
        self.send(status, {"detail": message} if self.state.style == "voyage" else {"error": error}, **headers)

    def send(self, status: int, body: object, **headers: str) -> None:
        self.send_raw(status, json.dumps(body).encode(), **headers)

    def send_raw(self, status: int, body: bytes, announced: int | None = None, **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body) if announced is None else announced))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = announced is not None


def status(code: int, message: str = "try again", about: str | None = None, **headers: str) -> Trouble:
    """Answers with a failure."""
    return lambda handler: handler.fail(code, message, about, **headers)


def body(content: bytes) -> Trouble:
    """Answers well, with something else."""
    return lambda handler: handler.send_raw(200, content)


def truncated(handler: _Handler) -> None:
    """Announces more than it sends."""
    whole = json.dumps(handler.answer(handler.state.requests[-1])).encode()
    handler.send_raw(200, whole[: len(whole) // 2], announced=len(whole))


def hangs(handler: _Handler) -> None:
    """Says nothing until the test lets it go."""
    handler.state.released.wait(30)
    handler.close_connection = True


def hangs_up(handler: _Handler) -> None:
    handler.close_connection = True
    handler.connection.close()


def changed(change: Callable[[dict[str, Any]], object]) -> Trouble:
    """Answers with the right answer after `change` has been at it."""

    def trouble(handler: _Handler) -> None:
        answer = handler.answer(handler.state.requests[-1])
        change(answer)
        handler.send(200, answer)

    return trouble
