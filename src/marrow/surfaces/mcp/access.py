"""The memory behind a server: opened at the first call, used on a fixed set of threads."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError, ThreadPoolExecutor
from typing import Any, TypeVar

import anyio

from ...app import Memory
from ...model.errors import Internal, MarrowError, of_system

T = TypeVar("T")

THREADS = 8
REPORT_EVERY_SECONDS = 0.1

log = logging.getLogger("marrow.mcp")


class Reports:
    """What a running call tells whoever waits for it. Once nobody does, the next report ends the call."""

    def __init__(self, send: Callable[[float, float | None], Coroutine[Any, Any, None]]) -> None:
        self._send = send
        self._loop = asyncio.get_running_loop()
        self._last = 0.0
        self._is_stopped = threading.Event()

    def stop(self) -> None:
        self._is_stopped.set()

    def __call__(self, done: int, total: int | None) -> None:
        if self._is_stopped.is_set():
            raise CancelledError
        now = time.monotonic()
        if now - self._last < REPORT_EVERY_SECONDS and done != total:
            return
        self._last = now
        asyncio.run_coroutine_threadsafe(self._send(done, total), self._loop)


class Access:
    """A memory that may not open. Then every call says why, and tries again: what was wrong may have been mended.

    The threads are fixed because each has a connection to the store of its own, which lives as long as the store.
    With a `pool` the memory and the threads are others' too: they are asked for at each call, and not closed here.
    """

    def __init__(
        self, make: Callable[[], Memory], threads: int = THREADS, pool: ThreadPoolExecutor | None = None
    ) -> None:
        self._make = make
        self._memory: Memory | None = None
        self._opening = threading.Lock()
        self._is_shared = pool is not None
        self._pool = pool or ThreadPoolExecutor(threads, thread_name_prefix="marrow")

    def memory(self) -> Memory:
        if self._is_shared:
            return self._make()
        with self._opening:
            if self._memory is None:
                self._memory = self._make()
            return self._memory

    async def run(self, work: Callable[[Memory], T], reports: Reports | None = None) -> T:
        """Do this on a thread. Whoever stops waiting does not stop the work halfway: it ends whole, unheard."""
        future = asyncio.wrap_future(self._pool.submit(self._attempt, work))
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            if reports is not None:
                reports.stop()
            with anyio.CancelScope(shield=True):
                await asyncio.wait([future])
            if not future.cancelled():
                future.exception()  # Seen, so that the loop does not complain about it.
            raise

    def _attempt(self, work: Callable[[Memory], T]) -> T:
        """The outermost catch: whatever was not foreseen becomes one error of ours, and a traceback in the log."""
        try:
            return work(self.memory())
        except (MarrowError, CancelledError):
            raise
        except Exception as fault:
            log.exception("A call failed in a way that was not foreseen.")
            raise of_system(fault) or Internal(
                f"Marrow met a fault of its own: {type(fault).__name__}.",
                hint="The server's log has the details; the memory is as it was before the call or after it.",
            ) from fault

    def close(self) -> None:
        """Let the running calls end, drop the waiting ones, write down what was measured, and let go of the store."""
        if self._is_shared:
            return
        self._pool.shutdown(wait=True, cancel_futures=True)
        with self._opening:
            if self._memory is not None:
                self._memory.close()
                self._memory = None
