"""A process that parses and resolves for another one, which can kill it. Asked on standard input, answers on standard
output: frames of marshalled plain values."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .frames import receive, send
from .parsing import parsed

if TYPE_CHECKING:
    from .resolving_worker import ResolvingWorker

# To parse, to parse what will be resolved by the same workers, to resolve, and to resolve what never was before.
PARSE, PARSE_FIRST, RESOLVE, RESOLVE_FIRST = "parse", "parse first", "resolve", "resolve first"


class Worker:
    def __init__(self, root: str, redact_extra: Sequence[str] = ()) -> None:
        self._root, self._redact_extra = root, redact_extra
        self._resolving: ResolvingWorker | None = None

    def parse(self, jobs: list[tuple[int, str]], *, is_resolved_next: bool) -> list[Any]:
        keep = self.resolving().keep if is_resolved_next else None
        return [tuple(parsed(self._root, id_, path, keep, self._redact_extra)) for id_, path in jobs]

    def resolving(self) -> ResolvingWorker:
        if self._resolving is None:
            from .resolving_worker import ResolvingWorker

            self._resolving = ResolvingWorker(self._root)
        return self._resolving


def main() -> None:
    root, level, *redact_extra = sys.argv[1:]
    nice = int(level)
    if nice and hasattr(os, "nice"):
        os.nice(nice)
    gc.disable()  # there is nothing but tuples here, and looking through them again and again takes a fifth of the time
    given, answers = sys.stdin.buffer, sys.stdout.buffer
    worker = Worker(root, redact_extra)
    while (message := receive(given)) is not None:
        what, *rest = message
        if what in (RESOLVE, RESOLVE_FIRST):
            send(answers, worker.resolving().resolve(*rest, is_first=what == RESOLVE_FIRST))
        else:
            send(answers, worker.parse(*rest, is_resolved_next=what == PARSE_FIRST))


if __name__ == "__main__":
    main()
