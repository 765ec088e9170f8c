"""How tests start the server and talk to it: the one place that knows the command."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from mcp import Client, StdioServerParameters
from mcp_types import Implementation

import marrow

T = TypeVar("T")

MODERN = "2026-07-28"
ERAS = ["legacy", "auto"]
END_SECONDS = 60


@dataclass(frozen=True)
class Started:
    """A server for one folder and store."""

    folder: Path
    store: str
    project: str = "demo"
    tools: str = ""

    @property
    def command(self) -> list[str]:
        chosen = ["--tools", self.tools] if self.tools else []
        return [sys.executable, "-m", "marrow", *self.words, *chosen]

    @property
    def words(self) -> list[str]:
        return ["mcp", "--standalone", "--store", self.store, "--project", self.project]

    @property
    def environment(self) -> dict[str, str]:
        """The same Marrow as this process, and a home that is nobody's."""
        sources = str(Path(marrow.__file__).parents[1])
        return {**os.environ, "PYTHONPATH": sources, "MARROW_HOME": str(self.folder / "home")}

    def talk(self, conversation: Callable[[Client], Awaitable[T]], *, era: str, client: str = "a-test") -> T:
        """A conversation by the SDK's own client, over the stdio of a real process."""

        async def whole() -> T:
            first, *rest = self.command
            start = StdioServerParameters(command=first, args=rest, env=self.environment, cwd=self.folder)
            info = Implementation(name=client, version="1")
            async with Client(start, mode=era, client_info=info) as connected:
                return await conversation(connected)

        return asyncio.run(whole())

    def open(self, **more: Any) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env=self.environment,
            cwd=self.folder,
            **more,
        )

    def pipe(self, *lines: str | dict[str, Any]) -> Piped:
        """Everything at once, and the end of input."""
        given = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
        with self.open() as process:
            out, err = process.communicate(given, timeout=END_SECONDS)
        return Piped(process.returncode, out.splitlines(), err)


@dataclass(frozen=True)
class Piped:
    code: int
    lines: list[str]
    err: str

    @property
    def messages(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.lines]

    def answer(self, request_id: int | None) -> dict[str, Any]:
        return next(message for message in self.messages if message.get("id") == request_id)


def request(request_id: int, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params or {}}


def handshake(version: str = "2025-11-25", client: str = "a-test") -> list[dict[str, Any]]:
    """Request 1 and the notification after it."""
    said = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": client, "version": "1"}}
    return [request(1, "initialize", said), {"jsonrpc": "2.0", "method": "notifications/initialized"}]


def stateless(request_id: int, method: str, params: dict[str, Any] | None = None, client: str = "a-test") -> Any:
    """A request of the era without handshakes: it says itself who asks."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": client, "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    return request(request_id, method, {**(params or {}), "_meta": meta})


def call(request_id: int, name: str, **arguments: Any) -> dict[str, Any]:
    return request(request_id, "tools/call", {"name": name, "arguments": arguments})
