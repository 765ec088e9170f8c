"""The daemon once it is the one: what it builds, how it watches itself, and how it ends."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import logging.handlers
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress

from ...app import Memories
from ...capture import start
from ...model.errors import MarrowError
from ...model.redact import redact
from .background import Worker
from .listening import listen
from .program import Program
from .server import ServeMcp, Server, memory_used

LOG_BYTES, LOGS_KEPT = 1_000_000, 3
MEMORY_LOOK_SECONDS, MEMORY_LEAST_SECONDS = 30.0, 3600.0
PROGRAM_LOOK_SECONDS = 30.0
SWITCH_SECONDS = 0.0002
# Looking for what is no longer needed stops everybody. The youngest are looked at when there are so many; what grew
# older, after so many looks at those.
YOUNG, LOOKS_AT_YOUNG, LOOKS_AT_OLDER = 5_000, 10, 50
# What is still busy then is left: all that was acknowledged is on the disk, and the next daemon waits for the lock.
END_SECONDS = 8.0

log = logging.getLogger("marrow.daemon")


def serve(home: str, log_path: str, load_mcp: Callable[[], ServeMcp], going: Callable[[], None]) -> None:
    """Until it is told to end, or nobody asks any more. `going` is called when that is decided."""
    _log_to(log_path)
    # A question waits for the interpreter each time that it comes back from the store or from numpy. It must not wait
    # as long as the background may compute at a stretch.
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.disable()  # until everything is loaded
    log.info("started")
    try:
        asyncio.run(_serve(home, load_mcp, going))
    except MarrowError as problem:
        log.critical("%s", problem)
    finally:
        log.info("ended")
        logging.shutdown()


async def _serve(home: str, load_mcp: Callable[[], ServeMcp], going: Callable[[], None]) -> None:
    program = Program()  # before more of it is loaded
    memories = Memories()
    values = memories.settings()  # what is wrong with them is said before anybody can ask
    listening = listen(home)
    start.listens(home)
    worker = Worker(memories, home)
    server = Server(memories, worker, load_mcp, values.get("daemon.idle_minutes", int) * 60)
    logging.getLogger("marrow").setLevel(values.get("log.level", str).upper())
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        with suppress(NotImplementedError):
            loop.add_signal_handler(number, server.stop)
    most = values.get("daemon.memory_mb", int) * 1_000_000
    watching = [asyncio.create_task(one) for one in (_watch_memory(server, most), _watch_program(server, program))]
    worker.start()
    loading = asyncio.create_task(_load(server, worker))
    try:
        await server.run(listening)
    finally:
        for task in (*watching, loading):
            task.cancel()
        going()
        _end_at_the_latest(END_SECONDS)
        await loop.run_in_executor(None, worker.stop)
        memories.close()


async def _load(server: Server, worker: Worker) -> None:
    """What is there once everything is loaded, half a million objects, stays till the end: to look through it again and
    again would stop everybody for a tenth of a second each time."""
    try:
        await server.preload(worker.warmed.wait)
    finally:
        gc.freeze()
        gc.set_threshold(YOUNG, LOOKS_AT_YOUNG, LOOKS_AT_OLDER)
        gc.enable()


def _end_at_the_latest(seconds: float) -> None:
    """Whatever does not come to its end, a thread in a library that waits for ever, must not keep the lock."""

    def end() -> None:
        for number, frame in sys._current_frames().items():
            log.critical("still busy at the end, thread %d: %s", number, "".join(traceback.format_stack(frame)[-6:]))
        logging.shutdown()
        os._exit(1)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()


async def _watch_memory(server: Server, most: int) -> None:
    """Too large and nobody waiting: end, and let the next call start a small one; but not again and again."""
    await asyncio.sleep(MEMORY_LEAST_SECONDS)
    while True:
        await asyncio.sleep(MEMORY_LOOK_SECONDS)
        if memory_used() > most and server.is_quiet:
            log.warning("ending: more memory in use than daemon.memory_mb allows")
            server.stop()


async def _watch_program(server: Server, program: Program) -> None:
    """Another program in its place and nobody waiting: end, and let the next call start that one."""
    loop = asyncio.get_running_loop()
    while True:
        await asyncio.sleep(PROGRAM_LOOK_SECONDS)
        if await loop.run_in_executor(None, program.is_replaced) and server.is_quiet:
            log.info("ending: the program was replaced")
            server.stop()


def _log_to(path: str) -> None:
    handler = logging.handlers.RotatingFileHandler(path, maxBytes=LOG_BYTES, backupCount=LOGS_KEPT, encoding="utf-8")
    handler.setFormatter(_Lines())
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger("marrow").setLevel(logging.INFO)
    logging.raiseExceptions = False


class _Lines(logging.Formatter):
    """One JSON object a line. What went wrong may quote what was said, and with it a secret."""

    def format(self, record: logging.LogRecord) -> str:
        line = {"at": self.formatTime(record), "level": record.levelname.lower(), "from": record.name}
        line["message"] = record.getMessage()
        if record.exc_info:
            line["problem"] = self.formatException(record.exc_info)
        return json.dumps({name: redact(text).text for name, text in line.items()}, ensure_ascii=False)
