"""The parent's side of a worker: started when it is needed, killed when it takes too long, and never trusted."""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from time import perf_counter
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from ..model.derivation import USER, VALUE_BYTES_MAX, Derivation, check_derivation
from ..model.errors import Invalid, Unavailable
from .table import Made, Task

if TYPE_CHECKING:
    import subprocess

SETUP_SECONDS, CALL_SECONDS = 30.0, 10.0
MEMORY_BYTES_MAX = 2 * 1024 * 1024 * 1024
# Escaped JSON in JSON.
LINE_BYTES_MAX = 8 * VALUE_BYTES_MAX
STARTS_MAX = 50
# After so many in a row that cost their process, the rest of a derivation is not run: each costs its time, and a start.
FATAL_MAX = 3
TOO_LONG, BROKEN = "it took longer than {seconds:g} seconds", "its process ended"
LEFT = f"It was not run: of {FATAL_MAX} before it in a row each took too long, or ended its process."
# What a user's function gets of our environment: enough to find its libraries, nothing that is secret.
_KEPT = frozenset(("PATH", "HOME", "LANG", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT", "VIRTUAL_ENV", "USERPROFILE"))


class File(NamedTuple):
    """A file of derivations: its path, and its text as it was looked at."""

    path: str
    text: str


class Process:
    """Runs functions of these files, and of installed packages, in a process of their own. Use it as a context."""

    def __init__(
        self,
        files: Sequence[File] = (),
        *,
        installed: bool = False,
        cwd: str = "",
        seconds: float = CALL_SECONDS,
        memory: int = MEMORY_BYTES_MAX,
    ) -> None:
        self._setup = {"files": [one._asdict() for one in files], "installed": installed}
        self._setup |= {"memory": memory, "seconds": seconds}
        self._cwd, self._seconds = cwd, seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._answers: queue.Queue[bytes | None] = queue.Queue()
        self._requests: queue.Queue[bytes | None] = queue.Queue()
        self._starts = 0
        self._fatal: dict[str, int] = {}
        self._is_closed = False
        self._using = threading.Lock()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def declared(self) -> tuple[list[tuple[Derivation, str]], dict[str, str]]:
        """What the files and packages declare, each with where; and what was wrong, by file."""
        with self._using:
            said = self._started()
        found, problems = [], {str(where): str(why) for where, why in dict(said.get("problems") or {}).items()}
        for shape in said.get("declared") or ():
            try:
                found.append((_derivation(shape), str(shape.get("source", ""))))
            except Invalid as problem:
                problems[str(shape)[:80]] = problem.message
        return found, problems

    def make(self, one: Derivation, tasks: Sequence[Task]) -> Iterator[Made]:
        """A `Maker`: each task is a call, and has its own time."""
        for task in tasks:
            started = perf_counter()
            said = self._call(one.name, task)
            ms = (perf_counter() - started) * 1000
            value, error = said.get("value"), said.get("error")
            if isinstance(value, str) and value:
                yield Made(value, ms=ms, provider=one.provider)
            else:
                yield Made(error=str(error or "It gave nothing."), ms=ms, provider=one.provider)

    def _call(self, name: str, task: Task) -> Mapping[str, Any]:
        asked = {"name": name, "values": task.values, "path": task.input.path}
        with self._using:
            if self._fatal.get(name, 0) >= FATAL_MAX:
                return {"error": LEFT}
            try:
                if self._process is None:
                    self._started()
                said = self._ask(asked, self._seconds)
            except Unavailable as problem:
                self._end()
                self._fatal[name] = self._fatal.get(name, 0) + 1
                return {"error": problem.message}
            self._fatal[name] = 0
            return said

    def _started(self) -> Mapping[str, Any]:
        import subprocess

        self._end()
        if self._is_closed:
            raise Unavailable("The process of derivations is closed.", hint="Open the table anew.")
        self._starts += 1
        if self._starts > STARTS_MAX:
            raise Unavailable("The process of derivations does not stay alive.", hint="See `marrow derivations`.")
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", f"{__package__}.worker"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self._cwd or None,
                env=_environment(),
                start_new_session=os.name == "posix",
            )
        except OSError as problem:
            raise Unavailable(f"No process can be started: {problem.strerror}.", hint="Try again later.") from problem
        self._answers, self._requests = queue.Queue(), queue.Queue()
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        for act, given in (
            (_listen, (self._process.stdout, self._answers)),
            (_speak, (self._process.stdin, self._requests, self._answers)),
        ):
            threading.Thread(target=act, args=given, daemon=True).start()
        return self._ask(self._setup, SETUP_SECONDS)

    def _ask(self, asked: Mapping[str, Any], seconds: float) -> Mapping[str, Any]:
        self._requests.put(json.dumps(asked).encode() + b"\n")
        try:
            line = self._answers.get(timeout=seconds)
        except queue.Empty:
            raise Unavailable(f"{TOO_LONG.format(seconds=seconds).capitalize()}.") from None
        try:
            said = json.loads(line) if line is not None else None
        except (ValueError, RecursionError):
            said = None
        if not isinstance(said, dict):
            raise Unavailable(f"{BROKEN.capitalize()}.")
        return said

    def close(self) -> None:
        """End it at once: a call that runs in another thread is told that its process ended."""
        self._is_closed = True
        process = self._process
        if process is not None:
            process.kill()
        with self._using:
            self._end()

    def _end(self) -> None:
        """With whatever it has started itself. What leads to it and from it is closed by who speaks and listens: they
        may be held up by somebody who left the group and has it open too."""
        process, self._process = self._process, None
        if process is None:
            return
        if os.name == "posix":
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        process.kill()
        self._requests.put(None)
        process.wait()


def _speak(stream: IO[bytes], requests: queue.Queue[bytes | None], answers: queue.Queue[bytes | None]) -> None:
    """Writing has no time limit: who does not read, such as a thread that never lets the others run, holds up nobody
    but this."""
    with stream:
        while line := requests.get():
            try:
                left = memoryview(line)
                while left:
                    left = left[os.write(stream.fileno(), left) :]
            except OSError:
                answers.put(None)
                return


def _listen(stream: IO[bytes], answers: queue.Queue[bytes | None]) -> None:
    with stream:
        while True:
            try:
                line = stream.readline(LINE_BYTES_MAX)
            except (OSError, ValueError):
                line = b""
            answers.put(line if line.endswith(b"\n") else None)
            if not line.endswith(b"\n"):
                return


def _derivation(shape: Mapping[str, Any]) -> Derivation:
    """What a process says that it declares is checked as if nobody had checked it."""
    return check_derivation(
        Derivation(
            shape.get("name", ""),
            shape.get("version", ""),
            tuple(shape.get("of") or ()),
            tuple(shape.get("kinds") or ()),
            provider=USER,
            on_error=shape.get("on_error", ""),
        )
    )


def _environment() -> dict[str, str]:
    """What is needed to start, and the place that this package was imported from."""
    own = {name: value for name, value in os.environ.items() if name in _KEPT or name.startswith("LC_")}
    package = os.path.abspath(os.path.join(os.path.dirname(__file__), os.pardir, os.pardir))
    if os.path.basename(package) not in ("site-packages", "dist-packages"):
        own["PYTHONPATH"] = package
    return own
