"""Two workers, fed from both ends of a list so that each stays in its part of the tree. One that hangs is killed, and
what it hung on is left out."""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import TracebackType
from typing import IO, Any

from ...model.errors import Unavailable
from .frames import environment, receive, send

WORKERS = 2
# How many batches a worker has been given at a time: one to work on, one to go on with.
AHEAD = 2
BATCH_SECONDS = 30.0
ALONE_SECONDS = 10.0
# A worker that dies before it has done anything is not started for ever.
STARTS_MAX = 200


@dataclass
class _Batch:
    message: tuple[Any, ...]
    jobs: Sequence[Any]


@dataclass
class _Process:
    process: subprocess.Popen[bytes]
    waiting: deque[_Batch] = field(default_factory=deque)
    alone: deque[Any] = field(default_factory=deque)  # jobs of a batch that failed, to be tried one at a time


class Pool:
    """`work` gives the answers to a list of jobs; those that could not be done are in `failed`, each with why."""

    def __init__(
        self, root: str, redact_extra: Sequence[str] = (), *, nice: int = 0, batch_seconds: float = BATCH_SECONDS
    ) -> None:
        self._given = (root, str(nice), *redact_extra)
        self._batch_seconds, self._alone_seconds = batch_seconds, min(batch_seconds, ALONE_SECONDS)
        self._answers: queue.Queue[tuple[int, int, Any]] = queue.Queue()
        self._processes: list[_Process] = []
        self._started = 0
        self.failed: list[tuple[Any, str]] = []

    def __enter__(self) -> Pool:
        self._processes = [self._start(at) for at in range(WORKERS)]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        for one in self._processes:
            _end(one.process)

    def _start(self, at: int) -> _Process:
        self._started += 1
        if self._started > STARTS_MAX:
            raise Unavailable("The workers that parse code do not stay alive.", hint="`marrow doctor` may say why.")
        command = [sys.executable, "-P", "-m", f"{__package__}.worker", *self._given]
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment()
            )
        except OSError as problem:
            raise Unavailable(f"No worker can be started: {problem.strerror}.", hint="Try again later.") from problem
        assert process.stdout is not None
        threading.Thread(target=self._listen, args=(at, process.pid, process.stdout), daemon=True).start()
        return _Process(process)

    def _listen(self, at: int, pid: int, stream: IO[bytes]) -> None:
        while True:
            try:
                answer = receive(stream)
            except (OSError, ValueError, EOFError):
                answer = None
            if answer is None:
                stream.close()
            self._answers.put((at, pid, answer))
            if answer is None:
                return

    def work(self, head: tuple[Any, ...], jobs: Sequence[Any], size: int) -> Iterator[Any]:
        """Answers as they come, one for each job that was done. `head` goes before each batch of jobs."""
        ends = _Ends(jobs, size)
        for at in range(WORKERS):
            self._feed(at, head, ends)
        while any(one.waiting for one in self._processes):
            seconds = self._alone_seconds if any(one.alone for one in self._processes) else self._batch_seconds
            try:
                at, pid, answer = self._answers.get(timeout=seconds)
            except queue.Empty:
                for at, one in enumerate(self._processes):
                    if one.waiting:
                        self._replace(at, head, ends, "it took too long")
                continue
            one = self._processes[at]
            if pid != one.process.pid:
                continue
            if answer is None:
                self._replace(at, head, ends, "the parser broke down")
                continue
            one.waiting.popleft()
            self._feed(at, head, ends)
            yield from answer

    def _feed(self, at: int, head: tuple[Any, ...], ends: _Ends) -> None:
        one = self._processes[at]
        while len(one.waiting) < (1 if one.alone else AHEAD):
            jobs = [one.alone.popleft()] if one.alone else ends.take(at)
            if not jobs:
                return
            one.waiting.append(_Batch((*head, jobs), jobs))
            assert one.process.stdin is not None
            try:
                send(one.process.stdin, (*head, jobs))
            except OSError:  # it is gone; its listener says so
                return

    def _replace(self, at: int, head: tuple[Any, ...], ends: _Ends, why: str) -> None:
        """Another worker for one that hangs or is gone. Its first batch is at fault: that is tried job by job."""
        one = self._processes[at]
        _end(one.process)
        new = self._processes[at] = self._start(at)
        new.alone.extend(one.alone)
        if one.waiting:
            guilty = one.waiting.popleft()
            if len(guilty.jobs) == 1:
                self.failed.append((guilty.jobs[0], why))
            else:
                new.alone.extendleft(reversed(guilty.jobs))
            for batch in one.waiting:
                new.alone.extend(batch.jobs)
        self._feed(at, head, ends)


class _Ends:
    """A list that is taken from at both ends, in batches."""

    def __init__(self, jobs: Sequence[Any], size: int) -> None:
        self._jobs, self._size = jobs, size
        self._low, self._high = 0, len(jobs)

    def take(self, end: int) -> list[Any]:
        count = max(1, min(self._size, (self._high - self._low) // 4))
        if self._low >= self._high:
            return []
        if end == 0:
            taken = list(self._jobs[self._low : self._low + count])
            self._low += count
        else:
            taken = list(reversed(self._jobs[self._high - count : self._high]))
            self._high -= count
        return taken


def _end(process: subprocess.Popen[bytes]) -> None:
    """Its output is closed by who listens to it."""
    process.kill()
    if process.stdin is not None:
        with suppress(OSError):
            process.stdin.close()
    process.wait()
