"""Making way: what works in the background stands aside while somebody waits for an answer.

Threads of one interpreter take turns, and a question lets go of it hundreds of times, with every row of the store. Each
time it would wait for whoever computes: ten milliseconds become fifty. So the background asks, between two traces,
whether anybody waits, and lets them finish first.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

# After a wait the background works on for this share of it, whoever asks: many who ask do not bring it to a stand.
WORKED_SHARE = 0.2
# Nobody is waited for longer than this: it asks for something large, or waits for the background itself. Then the
# background works on for a while.
WAIT_SECONDS_MAX, WORKED_SECONDS = 0.1, 1.0


class Way:
    """Shared by those who are asked and by what works in the background."""

    def __init__(self) -> None:
        self._asked = 0
        self._counting = threading.Lock()
        self._is_free = threading.Event()
        self._is_free.set()
        self._works_until = 0.0

    @contextmanager
    def answering(self) -> Iterator[None]:
        """While somebody waits."""
        with self._counting:
            self._asked += 1
            self._is_free.clear()
        try:
            yield
        finally:
            with self._counting:
                self._asked -= 1
                if not self._asked:
                    self._is_free.set()

    def make(self) -> None:
        """Let those who wait finish. Called by the background between its small steps: it costs nothing when nobody
        waits. Not to be called while something is held that an answer may need, such as the right to write."""
        if not self._asked:
            return
        begun = time.monotonic()
        if begun < self._works_until:
            return
        is_free = self._is_free.wait(WAIT_SECONDS_MAX)
        now = time.monotonic()
        self._works_until = now + (WORKED_SHARE * (now - begun) if is_free else WORKED_SECONDS)
