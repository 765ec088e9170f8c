"""Serving one host over stdin and stdout, in this process. Nothing but the protocol goes to stdout.

It ends with the end of input, with its parent, or when told to; it leaves no process and no measurement behind.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import AsyncIterable, Callable
from functools import partial
from typing import Any, NoReturn

import anyio
from mcp.server import Server
from mcp.server.stdio import stdio_server

from ...app import Memory, open_memory
from ...model.errors import MarrowError
from ...model.groups import chosen_groups
from .access import Access
from .courtesy import Inbound, Lines, every_request_answered
from .server import ACTOR, build_server

PARENT_LOOK_SECONDS = 1.0
LEAVE_SECONDS = 2.0


def run_stdio(path: str | None, store: str | None, project: str | None, tools: str | None) -> int:
    """`marrow mcp --standalone`. The store is opened by the first call, so that no store can fail the handshake."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(name)s: %(message)s")
    try:
        groups = chosen_groups(tools)
    except MarrowError as problem:
        sys.stderr.write(f"{problem.code}: {problem}\n")
        return problem.exit_code
    if sys.stdin.isatty():
        sys.stderr.write("Waiting for an MCP host on standard input; Ctrl-C ends it.\n")
    return serve(partial(open_memory, path, store=store, project=project, actor=ACTOR), groups)


def serve(make_memory: Callable[[], Memory], groups: tuple[str, ...] | None) -> int:
    """Serve until the host is gone. `groups` None shows each host the tools that suit it."""
    access = Access(make_memory)
    try:
        anyio.run(_converse, build_server(access, groups), access)
    finally:
        access.close()
    return 0


async def _converse(server: Server[Any], access: Access) -> None:
    async with stdio_server() as (lines_in, lines_out):
        try:
            await _serve_lines(server, access, lines_in, lines_out)
        except anyio.get_cancelled_exc_class():
            # Only a failed write ends us so: the host stopped reading, and there is nobody left to tell.
            with anyio.CancelScope(shield=True):
                await _leave(access)


async def _serve_lines(server: Server[Any], access: Access, lines_in: AsyncIterable[Inbound], lines_out: Lines) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_leave_with_parent, access)
        if sys.platform != "win32":
            tasks.start_soon(_leave_when_told, access)
        async with every_request_answered(lines_in, lines_out) as (requests, answers):
            await server.run(requests, answers, server.create_initialization_options())
        tasks.cancel_scope.cancel()


async def _leave_with_parent(access: Access) -> None:
    """Input usually ends with the parent. Not when another process holds its end of the pipe."""
    parent = os.getppid()
    while os.getppid() == parent:
        await anyio.sleep(PARENT_LOOK_SECONDS)
    await _leave(access)


async def _leave_when_told(access: Access) -> None:
    with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        async for _ in signals:
            await _leave(access)


async def _leave(access: Access) -> NoReturn:
    """Go, without waiting for input: a thread is blocked in reading it, and cannot be called back."""
    with anyio.move_on_after(LEAVE_SECONDS):
        await anyio.to_thread.run_sync(access.close, abandon_on_cancel=True)
    logging.shutdown()
    os._exit(0)
