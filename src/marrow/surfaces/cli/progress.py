"""Progress of long work: a bar on standard error, only on a terminal, and only once it has taken a second."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

from .output import Output

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

PATIENCE_S = 1.0


class Progress:
    """Called with what is done and how much there is, or None where that is not known."""

    def __init__(self, output: Output, what: str) -> None:
        self._is_wanted = sys.stderr.isatty() and not output.quiet
        self._color = output.color
        self._what = what
        self._started = time.monotonic()
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __call__(self, done: int, total: int | None) -> None:
        if not self._is_wanted or (self._bar is None and time.monotonic() - self._started < PATIENCE_S):
            return
        if self._bar is None:
            self._bar = self._begin()
            self._task = self._bar.add_task(self._what, total=total)
        if self._task is not None:
            self._bar.update(self._task, completed=done, total=total)

    def _begin(self) -> Bar:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
        from rich.progress import Progress as Bar

        console = Console(stderr=True, color_system="auto" if self._color else None)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
        bar = Bar(*columns, console=console, transient=True)
        bar.start()
        return bar

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, at: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
