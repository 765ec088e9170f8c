"""Work that may hang, crash or eat all memory, such as decoding a stranger's recording: done in a process of its own,
which is killed when it takes too long, and which ends by itself when this one does."""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from ..model.errors import Invalid, MarrowError, NotFound, TooLarge, Unavailable

if TYPE_CHECKING:
    import subprocess

Progress = Callable[[int, "int | None"], None]
PROGRESS, DONE, PROBLEM = "progress", "done", "problem"
ANSWER_BYTES_MAX = 64 * 1024 * 1024
# The errors that a worker can name; any other is a breakdown.
_ERRORS: Mapping[str, type[MarrowError]] = {
    error.__name__: error for error in (Invalid, NotFound, TooLarge, Unavailable)
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How long it may take: between two signs of life, and in all; for each unit of progress it is given
    `seconds_each` more. And how much memory it may have."""

    stall_seconds: float = 120.0
    seconds: float = 600.0
    seconds_each: float = 0.0
    memory_bytes: int = 2 * 1024**3


def done_aside(task: str, request: Mapping[str, object], limits: Limits, progress: Progress | None = None) -> Any:
    """What a task of `media_worker` gives. Raises what it raises, or Unavailable when it does not come to an end."""
    process = _started(task, request, limits)
    answers: queue.Queue[dict[str, Any] | None] = queue.Queue()
    assert process.stdout is not None
    listener = threading.Thread(target=_listen, args=(process.stdout, answers), daemon=True)
    listener.start()
    try:
        return _awaited(answers, limits, progress)
    finally:
        process.kill()
        with suppress(OSError):
            process.stdin.close()  # type: ignore[union-attr]
        process.wait()
        listener.join(timeout=5)


def _started(task: str, request: Mapping[str, object], limits: Limits) -> subprocess.Popen[bytes]:
    import subprocess

    command = [sys.executable, "-P", "-m", f"{__package__}.media_worker"]
    asked = {"task": task, "request": dict(request), "memory_bytes": limits.memory_bytes}
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_environment(),
        )
        assert process.stdin is not None
        # It stays open: its end tells the worker that nobody waits any more.
        process.stdin.write(json.dumps(asked).encode() + b"\n")
        process.stdin.flush()
    except OSError as problem:
        raise Unavailable(
            f"No process can be started for this: {problem.strerror}.", hint="Try again later."
        ) from problem
    return process


def _listen(stream: IO[bytes], answers: queue.Queue[dict[str, Any] | None]) -> None:
    with stream, suppress(OSError, ValueError):
        while line := stream.readline(ANSWER_BYTES_MAX):
            answer = json.loads(line)
            answers.put(answer if isinstance(answer, dict) else None)
    answers.put(None)


def _awaited(answers: queue.Queue[dict[str, Any] | None], limits: Limits, progress: Progress | None) -> Any:
    started = time.monotonic()
    allowed = limits.seconds
    while True:
        left = min(limits.stall_seconds, started + allowed - time.monotonic())
        try:
            answer = answers.get(timeout=max(0.0, left))
        except queue.Empty:
            raise Unavailable(
                "It took too long and was stopped.", hint="Give a shorter or smaller file, or a faster model."
            ) from None
        if answer is None:
            raise Unavailable(
                "The program that reads it broke down, or needed more memory than it may have.",
                hint="The file may be damaged; convert it, or give a smaller one.",
            )
        if PROBLEM in answer:
            raise _error(answer[PROBLEM])
        if DONE in answer:
            return answer[DONE]
        if PROGRESS in answer:
            done, total = answer[PROGRESS]
            allowed = limits.seconds + limits.seconds_each * (total or done)
            if progress is not None:
                progress(done, total)


def _error(told: Mapping[str, Any]) -> MarrowError:
    kind = _ERRORS.get(str(told.get("kind")), Unavailable)
    return kind(str(told.get("message")), hint=str(told.get("hint") or ""), field=told.get("field"))


def _environment() -> dict[str, str]:
    """Ours, with the place that this package was imported from, and without a way to fetch anything."""
    package = os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, os.pardir))
    own = dict(os.environ)
    if os.path.basename(package) not in ("site-packages", "dist-packages"):
        own["PYTHONPATH"] = package
    return own | {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "PYTHONIOENCODING": "utf-8"}
