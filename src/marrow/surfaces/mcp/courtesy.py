"""Courtesies that the SDK's loop lacks: what cannot be read is answered with an error instead of silence, half a
character in a text is no reason not to read it, and at the end of input every request that came before it is still
answered (the loop would cancel it, after the work is done).
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterable, AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Protocol

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

Inbound = SessionMessage | Exception

LAST_ANSWERS_SECONDS = 30.0
_HALF = re.compile("[\ud800-\udfff]")


class Lines(Protocol):
    """Where messages go out."""

    async def send(self, item: SessionMessage, /) -> None: ...

    async def aclose(self) -> None: ...


class _Unanswered:
    """The ids of requests that are still owed an answer."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._changed = anyio.Event()

    def came_in(self, message: JSONRPCMessage) -> None:
        if isinstance(message, JSONRPCRequest):
            self._ids.add(str(message.id))
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            self._settle((message.params or {}).get("requestId"))

    def went_out(self, message: JSONRPCMessage) -> None:
        if isinstance(message, JSONRPCResponse | JSONRPCError):
            self._settle(message.id)

    def _settle(self, given: object) -> None:
        self._ids.discard(str(given))
        self._changed.set()

    async def none_left(self) -> None:
        while self._ids:
            self._changed = anyio.Event()
            await self._changed.wait()


@asynccontextmanager
async def every_request_answered(
    lines_in: AsyncIterable[Inbound], lines_out: Lines
) -> AsyncIterator[tuple[MemoryObjectReceiveStream[Inbound], MemoryObjectSendStream[SessionMessage]]]:
    unanswered = _Unanswered()
    to_server, requests = anyio.create_memory_object_stream[Inbound]()
    answers, from_server = anyio.create_memory_object_stream[SessionMessage]()

    async def carry_in() -> None:
        async with to_server:
            async for given in lines_in:
                item = _mended(given) if isinstance(given, Exception) else given
                if isinstance(item, Exception):
                    await lines_out.send(SessionMessage(_unreadable(item)))
                    continue
                unanswered.came_in(item.message)
                await to_server.send(item)
            with anyio.move_on_after(LAST_ANSWERS_SECONDS):
                await unanswered.none_left()

    async def carry_out() -> None:
        async with aclosing(lines_out):
            async for item in from_server:
                await lines_out.send(item)
                unanswered.went_out(item.message)

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(carry_in)
        tasks.start_soon(carry_out)
        yield requests, answers


def _mended(problem: Exception) -> Inbound:
    """A message that is sound but for halves of characters: a host that cuts a text to a length leaves them, and its
    own JSON has no trouble with them. Each becomes the sign for what cannot be read."""
    line = next((given for given in _inputs(problem) if isinstance(given, str)), "")
    try:
        text = json.dumps(json.loads(line), ensure_ascii=False)
        return SessionMessage(jsonrpc_message_adapter.validate_json(_HALF.sub("\ufffd", text), by_name=False))
    except (ValueError, RecursionError) as still:
        return still if isinstance(still, ValidationError) else problem


def _unreadable(problem: Exception) -> JSONRPCError:
    """A line that is no JSON, or no message of the protocol. Its sender waits for an answer to its id, if it has
    one."""
    is_json = not (
        isinstance(problem, ValidationError) and any(error["type"] == "json_invalid" for error in problem.errors())
    )
    code, message = (INVALID_REQUEST, "No JSON-RPC message.") if is_json else (PARSE_ERROR, "No JSON.")
    found = (given["id"] for given in _inputs(problem) if isinstance(given, dict) and "id" in given)
    whose = next((one for one in found if isinstance(one, str | int) and not isinstance(one, bool)), None)
    return JSONRPCError(jsonrpc="2.0", id=whose, error=ErrorData(code=code, message=message))


def _inputs(problem: Exception) -> list[object]:
    """What was to be read: a line, or what is in it."""
    return [error["input"] for error in problem.errors()] if isinstance(problem, ValidationError) else []
