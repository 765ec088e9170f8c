"""The process that decodes recordings and images for another one, which can kill it. It is asked one thing, as a line
of JSON on standard input, and answers in lines of JSON on standard output."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Mapping
from typing import IO, Any

from ..model.errors import MarrowError, Unavailable
from .aside import DONE, PROBLEM, PROGRESS
from .decoding_images import recognised, recognised_pdf
from .decoding_sound import transcribed

try:
    import resource
except ImportError:  # where there are no such limits
    resource = None  # type: ignore[assignment]

Report = Callable[[int, "int | None"], None]
TASKS: Mapping[str, Callable[[Mapping[str, Any], Report], dict[str, Any]]] = {
    "transcribe": transcribed,
    "recognise": recognised,
    "recognise_pdf": recognised_pdf,
}
_NICE = 5


def main() -> None:
    answers = _answers()
    asked = json.loads(sys.stdin.buffer.readline() or b"{}")
    _limit(int(asked["memory_bytes"]))
    # Who asked keeps our input open for as long as it waits.
    threading.Thread(target=_end_with, args=(sys.stdin.buffer,), daemon=True).start()

    def send(message: Mapping[str, object]) -> None:
        answers.write(json.dumps(message).encode() + b"\n")
        answers.flush()

    def report(done: int, total: int | None) -> None:
        send({PROGRESS: [done, total]})

    try:
        send({DONE: TASKS[asked["task"]](asked["request"], report)})
    except MarrowError as problem:
        send({PROBLEM: _told(problem)})
    except MemoryError:
        what = "It needs more memory than it may have."
        send({PROBLEM: _told(Unavailable(what, hint="Give a smaller or shorter file."))})
    except Exception as problem:  # noqa: BLE001 the outermost edge: whatever a decoder raises is one error of ours
        what = f"The program that reads it broke down ({type(problem).__name__}: {str(problem)[:200]})."
        send({PROBLEM: _told(Unavailable(what, hint="The file may be damaged; convert it and try again."))})
    answers.flush()
    # Libraries leave threads behind that must not keep it alive.
    os._exit(0)


def _answers() -> IO[bytes]:
    """Where answers go. What a library prints goes nowhere, so that it cannot be taken for one."""
    own = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return own


def _limit(memory_bytes: int) -> None:
    if hasattr(os, "nice"):
        os.nice(_NICE)
    if resource is not None:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        wanted = memory_bytes if hard == resource.RLIM_INFINITY else min(memory_bytes, hard)
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end_with(stream: IO[bytes]) -> None:
    stream.read()
    os._exit(3)


def _told(problem: MarrowError) -> dict[str, object]:
    kind = type(problem).__name__
    return {"kind": kind, "message": problem.message, "hint": problem.hint, "field": problem.field}


if __name__ == "__main__":
    main()
