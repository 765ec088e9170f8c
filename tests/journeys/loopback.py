"""A scripted model on loopback: the part that both services have. What a test wrote down is said turn by turn, and what
the host sent is kept.

A request that the service would refuse is refused, with its status and in its words' shape. When the script is at its
end, so is the model: a host that asks once more gets an error, and the test sees it.
"""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar

BODY_BYTES_MAX = 32 * 1024 * 1024


@dataclass(frozen=True)
class Says:
    """The model answers with a text, and the turn ends."""

    text: str


@dataclass(frozen=True)
class Calls:
    """The model calls a tool, which must have been offered."""

    tool: str
    input: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Fails:
    """The service has a bad moment, such as 529 (overloaded). The host may ask again."""

    status: int
    kind: str = "overloaded_error"
    headers: Mapping[str, str] = field(default_factory=dict)


Turn = Says | Calls | Fails


class Refused(Exception):
    """What the service answers in place of a turn."""

    def __init__(self, status: int, kind: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.kind, self.message, self.headers = status, kind, message, dict(headers or {})


@dataclass(frozen=True)
class Asked:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]

    @property
    def text(self) -> str:
        return json.dumps(self.body, ensure_ascii=False)


class ScriptedModel(ABC):
    """What is scripted, what was asked, and what was refused. One of these serves one test."""

    def __init__(self) -> None:
        self.script: list[Turn] = []
        self.asked: list[Asked] = []
        self.refused: list[str] = []
        self.url = ""
        self._lock = threading.Lock()

    def expects(self, *turns: Turn) -> None:
        """Begin a conversation: these are the model's turns, and what was asked before is forgotten."""
        assert not self.script, f"the last conversation ended early: {self.script}"
        self.script[:] = turns
        self.asked.clear()

    def answer(
        self, method: str, path: str, headers: Mapping[str, str], raw: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body for a request."""
        try:
            return self._served(method, path.partition("?")[0], headers, raw)
        except Refused as refusal:
            with self._lock:
                self.refused.append(f"{refusal.status} {refusal.message}")
            return refusal.status, {"content-type": "application/json", **refusal.headers}, self._error(refusal)

    def next_turn(self, offered: Iterable[str]) -> tuple[int, Says | Calls]:
        """The number of the turn, and the turn."""
        with self._lock:
            if not self.script:
                raise Refused(400, "invalid_request_error", "The script has no further turn.")
            turn = self.script.pop(0)
            number = len(self.asked)
        if isinstance(turn, Fails):
            raise Refused(turn.status, turn.kind, "As scripted.", turn.headers)
        if isinstance(turn, Calls) and turn.tool not in (names := sorted(offered)):
            raise Refused(400, "invalid_request_error", f"{turn.tool} is not offered; there are {', '.join(names)}.")
        return number, turn

    def keep(self, path: str, headers: Mapping[str, str], body: Mapping[str, Any]) -> None:
        with self._lock:
            self.asked.append(Asked(path, dict(headers), body))

    @abstractmethod
    def _served(
        self, method: str, path: str, headers: Mapping[str, str], raw: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        """The answer of this service. Raises Refused."""

    @abstractmethod
    def _error(self, refusal: Refused) -> bytes:
        """A refusal in the shape of this service."""


def parsed(raw: bytes) -> dict[str, Any]:
    """The body of a request. Raises Refused where it is none."""
    if len(raw) > BODY_BYTES_MAX:
        raise Refused(413, "request_too_large", "Request exceeds the maximum size")
    try:
        body = json.loads(raw)
    except ValueError as error:
        raise Refused(400, "invalid_request_error", f"The request body is not valid JSON: {error}") from None
    if not isinstance(body, dict):
        raise Refused(400, "invalid_request_error", "The request body is no object.")
    return body


def as_json(value: object) -> tuple[int, dict[str, str], bytes]:
    return 200, {"content-type": "application/json"}, json.dumps(value).encode()


def as_events(events: Iterable[Mapping[str, Any]]) -> tuple[int, dict[str, str], bytes]:
    """A stream of server-sent events, each named by its type."""
    text = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    return 200, {"content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache"}, text.encode()


Model = TypeVar("Model", bound=ScriptedModel)


@contextmanager
def serving(model: Model) -> Iterator[Model]:
    """The model behind a port of this machine."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _answer(self) -> None:
            raw = self.rfile.read(int(self.headers.get("content-length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, more, body = model.answer(self.command, self.path, headers, raw)
            self.send_response(status)
            for name, value in {**more, "content-length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_POST = do_HEAD = _answer  # noqa: N815 the library's names

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 the library's name
            """Nothing on the terminal."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    model.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
