"""The line to the daemon, client side: one JSON-RPC request, one answer, within a deadline.

`_socket` is what `socket` wraps; the wrapper costs a hook more than the whole conversation. On a Unix socket the daemon
knows us by the folder that it is in. Where there are none it listens on a loopback port, and the first line of every
connection is the token that stands in `run/daemon.port` behind the port.
"""

from __future__ import annotations

import _socket
import os
import time

from marrow.capture import where
from marrow.capture.json_text import parse, render

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

REQUEST_BYTES_MAX, ANSWER_BYTES_MAX = 16 * 1024 * 1024, 16 * 1024 * 1024  # the daemon hangs up on a longer one
REPLACED = -32001  # the daemon gives way to a newer one
_PAUSE = 0.005


def ask(
    method: str,
    params: Mapping[str, object],
    timeout_s: float,
    *,
    version: str = "",
    home: str = "",
    environ: Mapping[str, str] = os.environ,
) -> dict[str, object]:
    """The daemon's answer (its `result`). All of it, connecting included, takes `timeout_s` at most.

    Raises OSError where no daemon answers in time (none is there, it hangs, it gives way to a newer one: then start
    it), and Unavailable where it answers with an error. `version` is the client's; a daemon that is older gives way.
    """
    request: dict[str, object] = {"jsonrpc": "2.0", "id": 1, "method": method, "params": dict(params)}
    if version:
        request["client"] = version
    deadline = time.monotonic() + timeout_s
    line = connect(deadline, home=home, environ=environ)
    try:
        _send(line, render(request).encode("utf-8", "replace") + b"\n", deadline)
        answer = parse(_receive(line, deadline).decode("utf-8", "replace"))
    except ValueError as error:
        raise ConnectionAbortedError(f"The daemon's answer is no JSON: {error}") from None
    finally:
        line.close()
    if not isinstance(answer, dict):
        raise ConnectionAbortedError("The daemon's answer is no object.")
    refusal = answer.get("error")
    if isinstance(refusal, dict):
        if refusal.get("code") == REPLACED:
            raise ConnectionResetError("The daemon gives way to a newer one.")
        from marrow.model.errors import Unavailable

        raise Unavailable(f"The daemon says: {refusal.get('message')}", hint="`marrow daemon status` says more.")
    result = answer.get("result")
    return result if isinstance(result, dict) else {}


def is_there(timeout_s: float = 0.2, *, home: str = "", environ: Mapping[str, str] = os.environ) -> bool:
    """Whether something listens on the daemon's line."""
    try:
        connect(time.monotonic() + timeout_s, home=home, environ=environ).close()
    except OSError:
        return False
    return True


def connect(deadline: float, *, home: str = "", environ: Mapping[str, str] = os.environ) -> _socket.socket:
    """A connection to the daemon, ready for its first line. Raises OSError where there is none by the deadline."""
    place = home or where.home(environ)
    if not hasattr(_socket, "AF_UNIX"):
        return _connect_by_port(place, deadline)
    path = where.socket(place)
    folder = os.path.dirname(path)
    if folder != where.run(place) and not where.is_ours(folder):
        raise PermissionError(f"{folder} is not ours alone; nothing is sent there.")
    while True:
        line = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            line.settimeout(_left(deadline))
            line.connect(path)
        except BlockingIOError:  # its queue is full: many hooks at once
            line.close()
            _left(deadline + _PAUSE)
            time.sleep(_PAUSE)
        except OSError:
            line.close()
            raise
        else:
            return line


def _connect_by_port(home: str, deadline: float) -> _socket.socket:
    with open(where.port(home), encoding="ascii", errors="replace") as file:
        port, _, token = file.read(200).strip().partition(" ")
    if not port.isdigit() or not token:
        raise ConnectionRefusedError("run/daemon.port does not hold a port and a token.")
    line = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        line.settimeout(_left(deadline))
        line.connect(("127.0.0.1", int(port)))
        _send(line, token.encode("ascii", "replace") + b"\n", deadline)
    except OSError:
        line.close()
        raise
    return line


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError("The daemon did not answer in time.")
    return left


def _send(line: _socket.socket, data: bytes, deadline: float) -> None:
    line.settimeout(_left(deadline))
    line.sendall(data)


def _receive(line: _socket.socket, deadline: float) -> bytes:
    """Everything up to the first line end."""
    parts, length = [], 0
    while True:
        line.settimeout(_left(deadline))
        part = line.recv(65536)
        if not part:
            raise ConnectionAbortedError("The daemon hung up.")
        head, end, _ = part.partition(b"\n")
        parts.append(head)
        length += len(head)
        if end:
            return b"".join(parts)
        if length > ANSWER_BYTES_MAX:
            raise ConnectionAbortedError("The daemon's answer does not end.")
