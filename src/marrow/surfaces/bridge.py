"""`marrow mcp`: what a host starts. It pumps lines between the host and the daemon, and knows as little as it can.

The daemon is started when there is none. When it ends, by itself or killed, the next line finds the next daemon: it is
told again how the host introduced itself, so that the host notices nothing. What the old one owed an answer is asked
once more if it only reads; a call that may have written gets one clear error. It ends with the host's input, or with
the host.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping

from ..capture import line, start
from ..model.errors import directory_gone
from ..version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    from typing import Any, BinaryIO

START_SECONDS, START_STEP_SECONDS = 15.0, 0.02
CONNECT_SECONDS, HANDSHAKE_SECONDS = 2.0, 30.0
# How long the last answers are waited for once the host's input has ended.
LAST_ANSWERS_SECONDS = 30.0
PARENT_LOOK_SECONDS = 1.0
CHUNK_BYTES = 65_536
# Ids of our own, which no host has given.
HELLO_ID, REPLAY_ID = "marrow-hello", "marrow-replay"
GONE, NOT_STARTED, TOO_LARGE = -32000, -32003, -32600


class Bridge:
    """One host's way to the daemon. Lines of the host come on the main thread; those of the daemon on another."""

    def __init__(self, params: Mapping[str, str], out: BinaryIO) -> None:
        self._hello = {**params}
        self._out = out
        self._writing, self._sending = threading.Lock(), threading.Lock()
        # The requests that are owed an answer: the id as text; the line, the connection that it went over, and whether
        # it went over another one before.
        self._waiting: dict[str, tuple[bytes, _socket.socket | None, bool]] = {}
        self._settled = threading.Condition()
        self._connection: _socket.socket | None = None
        self._reading_tools: frozenset[str] = frozenset()
        self._introduction = b""
        self._confirmation = b""

    def pump(self, lines: Iterator[bytes]) -> None:
        """Until the host's input ends; then for the last answers."""
        for given in lines:
            if given.strip():
                self._forward(given if given.endswith(b"\n") else given + b"\n")
        with self._settled:
            self._settled.wait_for(lambda: not self._waiting, LAST_ANSWERS_SECONDS)

    def _forward(self, given: bytes) -> None:
        message = _object(given)
        if len(given) > line.REQUEST_BYTES_MAX:
            self._refuse(message)
            return
        self._deliver(given, is_again=False)
        method = message.get("method")
        if method == "initialize":
            self._introduction = given
        elif method == "notifications/initialized":
            self._confirmation = given
        elif method == "notifications/cancelled" and isinstance(message.get("params"), dict):
            self._settle(message["params"].get("requestId"))  # nobody answers it any more

    def _refuse(self, message: Mapping[str, Any]) -> None:
        """The daemon would hang up on it, with all else that it owes this host."""
        told = f"This message is too long: at most {line.REQUEST_BYTES_MAX:,} bytes are read. Split what it says."
        if _is_request(message):
            self._write(_error(message["id"], TOO_LARGE, told))

    def _deliver(self, given: bytes, *, is_again: bool) -> None:
        message = _object(given)
        method, number = message.get("method"), message.get("id")
        is_request = _is_request(message)

        def owe(connection: _socket.socket | None) -> None:
            if is_request:
                with self._settled:
                    self._waiting[json.dumps(number)] = (given, connection, is_again)

        owe(None)
        with self._sending:  # until it has failed too: who listened to that connection would ask once more
            try:
                self._send(given, owe, is_introduction=method == "initialize")
            except OSError as problem:
                if is_request:
                    hint = "`marrow doctor` says what is wrong; `marrow mcp --standalone` needs no daemon."
                    self._fail(number, NOT_STARTED, f"Marrow's daemon cannot be reached ({problem}). {hint}")

    def _send(self, given: bytes, owe: Callable[[_socket.socket], None], *, is_introduction: bool) -> None:
        """Over the connection that is there; or, when it has broken meanwhile, over a new one."""
        connection = self._connection
        if connection is not None:
            try:
                owe(connection)
                connection.sendall(given)
            except OSError:
                self._connection = None
            else:
                return
        connection = self._connected(replay=not is_introduction)
        owe(connection)
        connection.sendall(given)
        self._connection = connection

    def _connected(self, *, replay: bool) -> _socket.socket:
        """A new connection, past hello and past what the host had said when it introduced itself."""
        until = time.monotonic() + START_SECONDS
        while True:
            connection = _reach(until)
            connection.settimeout(HANDSHAKE_SECONDS)
            buffer = _Lines(connection)
            hello = {"jsonrpc": "2.0", "id": HELLO_ID, "method": "marrow/hello", "params": self._hello}
            hello["client"] = __version__
            connection.sendall(json.dumps(hello).encode() + b"\n")
            welcome = _object(buffer.next())
            if "result" in welcome:
                self._reading_tools = frozenset(welcome["result"].get("reads", ()))
                break
            connection.close()  # an older daemon, which makes room for ours
            if time.monotonic() > until:
                raise ConnectionRefusedError(str(welcome.get("error", "it hung up"))[:80])
            time.sleep(START_STEP_SECONDS)
        if replay and self._introduction:
            connection.sendall(json.dumps({**_object(self._introduction), "id": REPLAY_ID}).encode() + b"\n")
            while _object(answer := buffer.next()).get("id") != REPLAY_ID:
                if not answer:
                    connection.close()
                    raise ConnectionResetError("it ended while it was told who asks")
            connection.sendall(self._confirmation)
        connection.settimeout(None)
        threading.Thread(target=self._listen, args=(connection, buffer), daemon=True).start()
        return connection

    def _listen(self, connection: _socket.socket, buffer: _Lines) -> None:
        while answer := buffer.next():
            self._answer(answer)
        connection.close()
        with self._sending:  # a line that could not be sent over this connection is sent over the next one
            if self._connection is connection:
                self._connection = None
            with self._settled:
                owed = [(given, is_again) for given, over, is_again in self._waiting.values() if over is connection]
        again = [given for given, is_again in owed if not is_again and self._only_reads(_object(given))]
        told = "Marrow's daemon ended during this call. Call again: the next one is answered."
        for given, _ in owed:
            if given not in again:
                self._fail(_object(given).get("id"), GONE, told)
        for given in again:  # last: the next daemon has to start first
            self._deliver(given, is_again=True)

    def _only_reads(self, message: Mapping[str, Any]) -> bool:
        """Of all that a host can ask, only tools write."""
        if message.get("method") != "tools/call":
            return True
        params = message.get("params")
        return isinstance(params, dict) and str(params.get("name")) in self._reading_tools

    def _answer(self, answer: bytes) -> None:
        self._write(answer)
        message = _object(answer)
        if "method" not in message:
            self._settle(message.get("id"))

    def _fail(self, number: Any, code: int, message: str) -> None:
        if not self._settle(number):
            return  # it was answered meanwhile
        self._write(_error(number, code, message))

    def _settle(self, number: Any) -> bool:
        """Whether it was owed an answer until now."""
        with self._settled:
            was_owed = self._waiting.pop(json.dumps(number), None) is not None
            self._settled.notify_all()
        return was_owed

    def _write(self, given: bytes) -> None:
        with self._writing:
            try:
                self._out.write(given)
                self._out.flush()
            except (OSError, ValueError):
                os._exit(0)  # the host reads no more: there is nobody left to tell


class _Lines:
    """The lines that come over a socket. An empty one is the end."""

    def __init__(self, connection: _socket.socket) -> None:
        self._connection = connection
        self._rest = b""

    def next(self) -> bytes:
        parts = [self._rest]
        while b"\n" not in parts[-1]:
            try:
                chunk = self._connection.recv(CHUNK_BYTES)
            except OSError:
                chunk = b""
            if not chunk:
                self._rest = b""
                return b""
            parts.append(chunk)
        found, _, self._rest = b"".join(parts).partition(b"\n")
        return found + b"\n"


def _reach(until: float) -> _socket.socket:
    """A connection to the daemon, which is started when there is none."""
    while True:
        try:
            return line.connect(time.monotonic() + CONNECT_SECONDS)
        except OSError:
            if time.monotonic() > until:
                raise
        start.ensure_started()
        time.sleep(START_STEP_SECONDS)


def _object(given: bytes) -> dict[str, Any]:
    try:
        found = json.loads(given) if given.strip() else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _is_request(message: Mapping[str, Any]) -> bool:
    """Whether it is owed an answer: what has an id of another kind is answered by nobody."""
    number = message.get("id")
    return message.get("method") is not None and isinstance(number, str | int) and not isinstance(number, bool)


def _error(number: Any, code: int, message: str) -> bytes:
    error = {"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message}}
    return json.dumps(error).encode() + b"\n"


def _leave_with_parent() -> None:
    """Input usually ends with the parent. Not when another process holds its end of the pipe."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(PARENT_LOOK_SECONDS)
    os._exit(0)


def _here() -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:
        raise directory_gone() from None


def run(store: str | None, project: str | None, tools: str | None) -> int:
    """Serve the host on standard input and output until it is gone."""
    asked = {"cwd": os.environ.get("CLAUDE_PROJECT_DIR") or _here(), "store": store, "project": project}
    for name in ("store", "project", "namespace", "view"):
        asked[name] = asked.get(name) or os.environ.get(f"MARROW_{name.upper()}")
    asked["tools"] = tools
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    bridge = Bridge({name: value for name, value in asked.items() if value}, sys.stdout.buffer)
    bridge.pump(iter(sys.stdin.buffer.readline, b""))
    # Not `return`: a thread may be blocked in reading from the daemon, and nothing is left to do.
    sys.stdout.flush()
    os._exit(0)
