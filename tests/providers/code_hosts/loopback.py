"""A server on this machine that behaves as code hosts do: tokens, tags, pages, limits of calls, and bad days.

What each of them answers is in `github_service.py` and `gitlab_service.py`. Whatever stands in `troubles` is done once,
by the number of the request or before all others.
"""

from __future__ import annotations

import hashlib
import json
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar
from urllib.parse import parse_qsl, unquote, urlsplit

from ..on_loopback import OnLoopback
from .world import TOKEN, Time, World, orchard


@dataclass(frozen=True)
class Reply:
    status: int = 200
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def raw(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


Trouble = Callable[["Handler"], "Reply | None"]


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hung up is no failure; anything else is, and is shown."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


@dataclass
class LoopbackHost(OnLoopback):
    """One server. `allowed` is how many calls there are until the limit is reset; None is without a limit."""

    world: World = field(default_factory=orchard)
    time: Time = field(default_factory=Time)
    token: str = TOKEN
    is_private: bool = False
    page_most: int = 100
    allowed: int | None = None
    window_s: int = 3600
    stops_at: int | None = None
    troubles: list[Trouble] = field(default_factory=list)
    by_path: dict[str, Trouble] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    charged: int = 0
    connections: int = 0
    used: int = 0
    reset: float = 0.0

    root: ClassVar[str] = ""
    server = _Server

    def handler(self) -> type[BaseHTTPRequestHandler]:
        return Handler

    @property
    def url(self) -> str:
        return f"http://{self.host}{self.root}"

    def answer(self, path: str, query: dict[str, str], headers: Mapping[str, str]) -> Reply:
        raise NotImplementedError

    def given_token(self, headers: Mapping[str, str]) -> str:
        raise NotImplementedError

    def limit_headers(self) -> dict[str, str]:
        raise NotImplementedError

    def limited(self) -> Reply:
        raise NotImplementedError

    def charge(self) -> bool:
        """Whether a call is allowed still."""
        if self.allowed is None:
            return True
        if self.time() >= self.reset:
            self.used, self.reset = 0, float(int(self.time()) + self.window_s)
        return self.used < self.allowed

    @property
    def remaining(self) -> int:
        return max(0, (self.allowed or 0) - self.used)

    def page(self, rows: list[Any], query: dict[str, str], path: str) -> Reply:
        """By the number of the page, with a `Link` to the next."""
        size = min(int(query.get("per_page", "30")), self.page_most)
        number = int(query.get("page", "1"))
        start = (number - 1) * size
        headers = {}
        if start + size < len(rows):
            following = {**query, "page": str(number + 1)}
            headers["Link"] = (
                self.link(path, following, "next") + ", " + self.link(path, {**query, "page": "9"}, "last")
            )
        return Reply(200, rows[start : start + size], headers)

    def link(self, path: str, query: dict[str, str], rel: str) -> str:
        text = "&".join(f"{name}={value}" for name, value in query.items())
        return f'<{self.url}{path}?{text}>; rel="{rel}"'


class Handler(BaseHTTPRequestHandler):
    state: LoopbackHost
    protocol_version = "HTTP/1.1"
    wbufsize = 1 << 16  # head and body in one piece: two would wait for each other

    def log_message(self, *_: object) -> None:
        """Tests are silent."""

    def setup(self) -> None:
        super().setup()
        self.state.connections += 1

    def do_GET(self) -> None:
        state = self.state
        state.asked.append(self.path)
        state.headers.append({name.lower(): value for name, value in self.headers.items()})
        if state.stops_at is not None and len(state.asked) >= state.stops_at:
            self.hang_up()
            return
        reply = self.reply()
        if reply is not None:
            self.send(reply)

    def reply(self) -> Reply | None:
        state, given = self.state, self.state.headers[-1]
        path = unquote(urlsplit(self.path).path.removeprefix(state.root))
        if state.troubles:
            return state.troubles.pop(0)(self)
        for part, trouble in state.by_path.items():
            if part in path:
                return trouble(self)
        token = state.given_token(given)
        if token and token != state.token:
            return Reply(401, {"message": "401 Unauthorized", "error": token})
        if state.is_private and not token:
            return Reply(404, {"message": "404 Project Not Found"})
        if not state.charge():
            return state.limited()
        query = dict(parse_qsl(urlsplit(self.path).query))
        reply = state.answer(urlsplit(self.path).path.removeprefix(state.root), query, given)
        tag = f'W/"{hashlib.sha1(reply.raw).hexdigest()}"'
        if reply.status == 200 and given.get("if-none-match") == tag:
            return Reply(304, b"", {"ETag": tag, **state.limit_headers()})
        state.used += 1
        state.charged += 1
        return Reply(reply.status, reply.body, {**reply.headers, "ETag": tag, **state.limit_headers()})

    def send(self, reply: Reply) -> None:
        self.send_response(reply.status)
        self.send_header("Content-Type", "application/json")
        if reply.status != 304:
            self.send_header("Content-Length", str(len(reply.raw)))
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if reply.status != 304:
            self.wfile.write(reply.raw)

    def hang_up(self) -> None:
        """No answer, and the line is closed."""
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)


def hangs_up(handler: Handler) -> None:
    handler.hang_up()


def says(status: int, message: str = "", **headers: str) -> Trouble:
    """A trouble that is an answer."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda handler: Reply(status, {"message": message}, named)
