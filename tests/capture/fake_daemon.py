"""A stand-in for the daemon, on the real socket: answers as it is told to, and remembers what it was asked."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from marrow.capture import where

Answer = Callable[[dict[str, Any]], bytes | None]


def telling(context: str) -> Answer:
    """Tells everyone the same."""
    return lambda request: _line({"jsonrpc": "2.0", "id": request.get("id"), "result": {"context": context}})


def refusing(code: int, message: str) -> Answer:
    return lambda request: _line(
        {"jsonrpc": "2.0", "id": request.get("id"), "error": {"code": code, "message": message}}
    )


def _line(value: object) -> bytes:
    return json.dumps(value).encode() + b"\n"


def hanging(_request: dict[str, Any]) -> bytes | None:
    """Takes the question and never answers."""
    return None


@contextmanager
def daemon(home: str, answer: Answer, environ: dict[str, str] | None = None) -> Iterator[list[dict[str, Any]]]:
    """Listens while the block runs; yields the requests that it was sent."""
    path = where.socket(home)
    where.make(os.path.dirname(path))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(path)
        listener.listen(64)
        with _serving(listener, answer) as asked:
            yield asked
    os.unlink(path)


@contextmanager
def _serving(listener: socket.socket, answer: Answer) -> Iterator[list[dict[str, Any]]]:
    asked: list[dict[str, Any]] = []
    lines: list[socket.socket] = []

    def serve() -> None:
        while True:
            try:
                line, _ = listener.accept()
            except OSError:
                return
            lines.append(line)
            request = line.makefile("rb").readline()
            if request:
                asked.append(json.loads(request))
                given = answer(asked[-1])
                if given is None:
                    continue  # the line stays open
                line.sendall(given)
            line.close()

    server = threading.Thread(target=serve)
    server.start()
    try:
        yield asked
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        server.join()
        for line in lines:
            line.close()
