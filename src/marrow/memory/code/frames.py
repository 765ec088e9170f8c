"""How two processes of ours speak to each other: frames of marshalled plain values. Apart from what they speak about:
whoever starts a process must not pay for what that one imports."""

from __future__ import annotations

import marshal
import os
from typing import IO, Any

_LENGTH_BYTES = 4


def send(stream: IO[bytes], message: Any) -> None:
    data = marshal.dumps(message, 4)
    stream.write(len(data).to_bytes(_LENGTH_BYTES))
    stream.write(data)
    stream.flush()


def receive(stream: IO[bytes]) -> Any:
    """The next message; None at the end."""
    head = stream.read(_LENGTH_BYTES)
    if len(head) < _LENGTH_BYTES:
        return None
    length = int.from_bytes(head)
    data = stream.read(length)
    return marshal.loads(data) if len(data) == length else None


def environment() -> dict[str, str]:
    """Ours, with the place that this package was imported from."""
    package = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))
    own = dict(os.environ)
    if os.path.basename(package) not in ("site-packages", "dist-packages"):
        own["PYTHONPATH"] = package
    return own
