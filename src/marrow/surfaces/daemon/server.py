"""The daemon's conversations. The first line of a connection says what it is: a question of ours (a hook, the command
line), or a bridge that wants to speak MCP."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import os
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from typing import Any, ParamSpec, Protocol, TypeVar

from ...app import Memories, Memory
from ...capture import paused, where
from ...capture.line import REQUEST_BYTES_MAX
from ...model.errors import Invalid, MarrowError
from ...operations.listing import that_read
from ...version import __version__
from .listening import Listening
from .lock import is_newer

CONNECTIONS_MAX, ASKED_MAX = 512, 64
ASK_THREADS, CALL_THREADS = 4, 8
FAREWELL_SECONDS = 2.0
# So long what a call gave takes at most until it is written to its bridge.
ANSWER_SECONDS = 0.1
HELLO, HOOK = "marrow/hello", "marrow/hook"
# What a client says of itself: where it is, and what it has named there.
NAMED = ("cwd", "store", "project", "namespace", "view")
REPLACED, BUSY, PARSE_ERROR, NO_METHOD, REFUSED = -32001, -32002, -32700, -32601, -32000

log = logging.getLogger("marrow.daemon")

P = ParamSpec("P")
T = TypeVar("T")
ServeMcp = Callable[..., Awaitable[None]]
Ask = Callable[[Mapping[str, Any]], Mapping[str, Any]]


class Background(Protocol):
    """What works in the background, as the server sees it."""

    def nudge(self) -> None:
        """There may be something to do."""

    def heard(self) -> None:
        """Somebody asks something."""

    def answering(self) -> AbstractContextManager[None]:
        """While somebody waits for an answer."""

    def catch_up(self) -> None:
        """Do what waits, if that can be done at once."""

    def state(self) -> Mapping[str, Any]:
        """What is waiting, done and failed."""

    def drain(self) -> int:
        """Do all that waits now; how much it was."""


class _Calls(ThreadPoolExecutor):
    """Does what bridges ask for. While it does, the background stands aside."""

    def __init__(self, background: Background) -> None:
        super().__init__(CALL_THREADS, thread_name_prefix="call")
        self._background = background
        self._counting = threading.Lock()
        self._unanswered, self._answered_at = 0, -ANSWER_SECONDS

    @property
    def is_busy(self) -> bool:
        """Whether one waits or runs, or ended so lately that its answer may still be on its way."""
        with self._counting:
            return self._unanswered > 0 or time.monotonic() - self._answered_at < ANSWER_SECONDS

    def submit(self, work: Callable[P, T], /, *args: P.args, **named: P.kwargs) -> Future[T]:
        def answer() -> T:
            with self._background.answering():
                return work(*args, **named)

        found = super().submit(answer)
        with self._counting:
            self._unanswered += 1
        found.add_done_callback(self._ended)
        return found

    def _ended(self, _: Future[Any]) -> None:
        with self._counting:
            self._unanswered -= 1
            self._answered_at = time.monotonic()


class Server:
    """`load_mcp` gives what serves MCP on a stream; importing it costs a second, so it waits for a bridge."""

    def __init__(
        self, memories: Memories, background: Background, load_mcp: Callable[[], ServeMcp], idle_seconds: float
    ) -> None:
        self._memories = memories
        self._background = background
        self._load_mcp = load_mcp
        self._idle_seconds = idle_seconds
        self._started = self._heard_at = time.monotonic()
        self._connections: set[asyncio.StreamWriter] = set()
        self._asked = 0
        self._calls = _Calls(background)
        self._asks = ThreadPoolExecutor(ASK_THREADS, thread_name_prefix="ask")
        self._loading = asyncio.Lock()
        self._serve_mcp: ServeMcp | None = None
        self._stop = asyncio.Event()
        self._token = ""
        self._methods: dict[str, Ask] = {
            "marrow/ping": self._ping,
            "marrow/status": self._status,
            HOOK: self._hook,
            "marrow/drain": lambda _: {"drained": self._background.drain()},
        }

    async def run(self, listening: Listening) -> None:
        """Until it was told to stop, or nobody has said anything for a while."""
        self._token = listening.token
        start = asyncio.start_unix_server if not listening.token else asyncio.start_server
        server = await start(self._connected, sock=listening.socket, limit=REQUEST_BYTES_MAX)
        try:
            while not self._stop.is_set() and time.monotonic() - self._heard_at < self._idle_seconds:
                left = self._idle_seconds - (time.monotonic() - self._heard_at)
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._stop.wait(), max(0.05, left))
        finally:
            listening.forget()  # first, so that whoever comes now starts another daemon
            server.close()
            await self._say_farewell()

    def stop(self) -> None:
        self._stop.set()

    async def preload(self, first: Callable[[], object]) -> None:
        """Have MCP at hand before a bridge comes; but after `first`, which hooks need."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(None, first)
        await self._loaded()

    async def _loaded(self) -> ServeMcp:
        async with self._loading:
            if self._serve_mcp is None:
                self._serve_mcp = await asyncio.get_running_loop().run_in_executor(None, self._load_mcp)
            return self._serve_mcp

    @property
    def is_quiet(self) -> bool:
        return self._asked == 0 and not self._calls.is_busy

    async def _say_farewell(self) -> None:
        """Let what was asked be answered, for a moment; then go."""
        until = time.monotonic() + FAREWELL_SECONDS
        while not self.is_quiet and time.monotonic() < until:
            await asyncio.sleep(0.01)
        for writer in list(self._connections):
            writer.close()
        self._calls.shutdown(wait=False, cancel_futures=True)
        self._asks.shutdown(wait=False, cancel_futures=True)

    def _heard(self) -> None:
        self._heard_at = time.monotonic()
        self._background.heard()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._connections) >= CONNECTIONS_MAX:
            writer.close()
            return
        self._connections.add(writer)
        try:
            await self._converse(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, ValueError):
            log.debug("a connection broke off")
        except Exception:
            log.exception("a connection failed in a way that was not foreseen")
        finally:
            self._connections.discard(writer)
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._token and not hmac.compare_digest((await reader.readline()).strip(), self._token.encode()):
            return
        while line := await reader.readline():
            self._heard()
            message = _read(line)
            if message is None:
                await _send(writer, _error(None, PARSE_ERROR, "That is no JSON-RPC request."))
                return
            params = message.get("params")
            params = params if isinstance(params, dict) else {}
            if is_newer(str(message.get("client", "")), __version__):
                log.info("replaced by version %s", message.get("client"))
                await _send(writer, _error(message.get("id"), REPLACED, "replaced"))
                self.stop()
                return
            if message.get("method") == HELLO:
                await _send(writer, _result(message.get("id"), {**self._ping({}), "reads": that_read()}))
                await self._bridge(reader, writer, params)
                return
            await self._answer(writer, message, params)

    async def _answer(self, writer: asyncio.StreamWriter, message: Mapping[str, Any], params: dict[str, Any]) -> None:
        method, number = message.get("method"), message.get("id")
        if method == "marrow/stop":
            await _send(writer, _result(number, {}))
            self.stop()
            return
        asked = self._methods.get(str(method))
        if asked is None:
            await _send(writer, _error(number, NO_METHOD, f"There is no method {str(method)[:60]!r}."))
            return
        if self._asked >= ASKED_MAX:
            await _send(writer, _error(number, BUSY, "Too many are waiting."))
            return
        self._asked += 1
        try:
            loop = asyncio.get_running_loop()
            answer = _result(number, await loop.run_in_executor(self._asks, asked, params))
        except MarrowError as problem:
            answer = _error(number, REFUSED, problem.message, problem.as_dict())
        except Exception as fault:
            log.exception("%s failed in a way that was not foreseen", method)
            answer = _error(number, REFUSED, f"Marrow met a fault of its own: {type(fault).__name__}.")
        finally:
            self._asked -= 1
        try:
            await _send(writer, answer)
        finally:  # also when nobody waits for the answer any more
            if method == HOOK:
                self._background.nudge()  # not before: what the hook captured can wait, and it waits for its answer

    async def _bridge(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, params: Mapping[str, Any]
    ) -> None:
        serve_mcp = await self._loaded()
        at = [_text(params, name) for name in NAMED]

        def memory() -> Memory:
            return self._memories.at(*at)

        tools = _text(params, "tools") or None
        await serve_mcp(reader, writer, memory, tools, self._calls, self._heard)

    def _ping(self, _: Mapping[str, Any]) -> dict[str, Any]:
        return {"version": __version__, "pid": os.getpid()}

    def _status(self, _: Mapping[str, Any]) -> dict[str, Any]:
        found = self._ping({})
        found["uptime_s"] = round(time.monotonic() - self._started, 1)
        found["connections"] = len(self._connections)
        found["memory_mb"] = round(memory_used() / 1e6, 1)
        return {**found, **self._background.state()}

    def _hook(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """What a hook injects. It has captured the event already; this only answers."""
        cwd = _text(params, "cwd")
        if not os.path.isdir(cwd):
            raise Invalid("cwd is no folder.", field="cwd")
        memory = self._memories.at(*(_text(params, name) for name in NAMED))
        if paused.is_paused(where.home(), memory.project, cwd):
            return {"context": ""}
        if params.get("event") == "session-start":
            self._background.catch_up()  # the session before may have ended a moment ago
        with self._background.answering():  # not before: whoever waits for the background must not make it wait
            return {"context": memory.tell(params)}


def memory_used() -> int:
    """The bytes of this process that are in memory; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0


def _text(params: Mapping[str, Any], name: str) -> str:
    found = params.get(name)
    return found if isinstance(found, str) else ""


def _read(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _result(number: Any, result: Mapping[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "result": result}


def _error(number: Any, code: int, message: str, data: Mapping[str, Any] | None = None) -> dict[str, Any]:
    error: dict[str, Any] = {"code": code, "message": message}
    return {"jsonrpc": "2.0", "id": number, "error": {**error, "data": data} if data else error}


async def _send(writer: asyncio.StreamWriter, message: Mapping[str, Any]) -> None:
    writer.write(json.dumps(message).encode() + b"\n")
    await writer.drain()
