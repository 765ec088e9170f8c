"""Serving one client over a byte stream: what the daemon does with a bridge's connection, once it is known as one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

from mcp.server.stdio import stdio_server

from ...app import Memory
from ...model.groups import chosen_groups
from .access import Access
from .courtesy import every_request_answered
from .server import build_server


class _LinesIn:
    """A stream's lines as the SDK reads those of a file."""

    def __init__(self, reader: asyncio.StreamReader, heard: Callable[[], None]) -> None:
        self._reader = reader
        self._heard = heard

    async def __aiter__(self) -> AsyncIterator[str]:
        while True:
            try:
                line = await self._reader.readline()
            except (ConnectionError, ValueError):  # it broke off, or a line is longer than the stream's limit
                return
            if not line:
                return
            self._heard()
            yield line.decode("utf-8", "replace")


class _LinesOut:
    """A stream as the SDK writes to a file. A client that is gone is noticed by the reader, not here."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer

    async def write(self, text: str) -> None:
        if not self._writer.is_closing():
            self._writer.write(text.encode())

    async def flush(self) -> None:
        try:
            await self._writer.drain()
        except ConnectionError:
            self._writer.close()


async def serve_stream(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    make_memory: Callable[[], Memory],
    tools: str | None,
    pool: ThreadPoolExecutor,
    heard: Callable[[], None],
) -> None:
    """Serve until the client is gone. `heard` is called for each line that comes in."""
    server = build_server(Access(make_memory, pool=pool), chosen_groups(tools or None))
    files = cast("Any", _LinesIn(reader, heard)), cast("Any", _LinesOut(writer))
    async with (
        stdio_server(*files) as (lines_in, lines_out),
        every_request_answered(lines_in, lines_out) as (requests, answers),
    ):
        await server.run(requests, answers, server.create_initialization_options())
