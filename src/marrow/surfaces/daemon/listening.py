"""Where the daemon listens: a Unix socket that only its user can open, or a loopback port with a token where there are
none. Nothing listens beyond this machine."""

from __future__ import annotations

import os
import secrets
import socket
import sys
from contextlib import suppress
from dataclasses import dataclass

from ...capture import where
from ...model.errors import Unavailable

BACKLOG = 128


@dataclass(frozen=True, slots=True)
class Listening:
    """An open socket. `token` is asked of everyone where the system does not tell users apart; empty elsewhere."""

    socket: socket.socket
    token: str
    path: str

    def forget(self) -> None:
        """Take away what leads here: whoever comes now finds nobody."""
        with suppress(OSError):
            os.unlink(self.path)


def listen(home: str) -> Listening:
    """Only the holder of the lock may call this: what is left of an earlier daemon is taken away."""
    if hasattr(socket, "AF_UNIX") and sys.platform != "win32":
        return _on_a_path(where.socket(home))
    return _on_loopback(where.port(home))


def _on_a_path(path: str) -> Listening:
    folder = os.path.dirname(path)
    where.make(folder)
    if not where.is_ours(folder):
        hint = "Remove it, or set MARROW_HOME to a folder of yours."
        raise Unavailable(f"{folder} is open to others; the daemon does not listen there.", hint=hint)
    with suppress(FileNotFoundError):
        os.unlink(path)
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        made.bind(path)
        os.chmod(path, 0o600)
        made.listen(BACKLOG)
    except OSError as problem:
        made.close()
        hint = "Set MARROW_HOME to a folder of yours with a shorter path, on a disk that has room."
        raise Unavailable(f"The daemon cannot listen on {path}: {problem.strerror}.", hint=hint) from problem
    made.setblocking(False)
    return Listening(made, "", path)


def _on_loopback(path: str) -> Listening:
    made = socket.create_server(("127.0.0.1", 0), backlog=BACKLOG)
    made.setblocking(False)
    token = secrets.token_urlsafe(32)
    beside = f"{path}.new"
    with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(f"{made.getsockname()[1]} {token}")
    os.replace(beside, path)
    return Listening(made, token, path)
