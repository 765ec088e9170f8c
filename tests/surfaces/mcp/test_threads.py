"""Calls run beside each other, tell how far they are, and survive that nobody waits for them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from mcp import Client

from marrow.app import Memory
from marrow.operations import table
from marrow.operations.catalogue import NAMES, TABLE
from marrow.operations.table import Call
from marrow.surfaces.mcp.access import THREADS, Access

from .launch import ERAS

PATIENCE_SECONDS = 30


class Said(NamedTuple):
    content: str

    def text(self) -> str:
        return self.content


@pytest.fixture
def enter(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Call], Said]], str]:
    """Enter an operation into the table for this test."""

    def entered(function: Callable[[Call], Said]) -> str:
        entry = table.Operation(function.__name__, "core", function)
        monkeypatch.setitem(TABLE, entry.name, entry)
        monkeypatch.setitem(NAMES, entry.name, entry.name)
        return entry.name

    return entered


@pytest.mark.parametrize("era", ERAS)
def test_a_slow_call_does_not_hold_up_the_others(era: str, talk: Any, enter: Any) -> None:
    may_go = threading.Event()

    def memory_slow(call: Call) -> Said:
        """Waits until another call was answered."""
        return Said("went on" if may_go.wait(PATIENCE_SECONDS) else "waited in vain")

    name = enter(memory_slow)

    async def conversation(client: Client) -> str:
        slow = asyncio.create_task(client.call_tool(name, {}))
        await client.call_tool("memory_help", {})
        may_go.set()
        return str((await slow).structured_content["content"])

    assert talk(conversation, era=era) == "went on"


def test_a_cancelled_call_ends_whole_and_the_server_goes_on(talk: Any, enter: Any, memory: Memory) -> None:
    has_begun, may_go = threading.Event(), threading.Event()

    def memory_slow_save(call: Call) -> Said:
        """Saves after a wait."""
        has_begun.set()
        may_go.wait(PATIENCE_SECONDS)
        memory.save("Said although nobody waited.")
        return Said("done")

    name = enter(memory_slow_save)

    async def conversation(client: Client) -> None:
        slow = asyncio.create_task(client.call_tool(name, {}))
        await asyncio.to_thread(has_begun.wait, PATIENCE_SECONDS)
        slow.cancel()
        with pytest.raises(asyncio.CancelledError):
            await slow
        assert not (await client.call_tool("memory_help", {})).is_error
        may_go.set()

    talk(conversation, era="legacy")
    assert [item.content for item in memory.search("nobody waited").items] == ["Said although nobody waited."]


def test_a_cancelled_call_that_reports_stops_at_its_next_report(talk: Any, enter: Any) -> None:
    has_begun, may_go, reached = threading.Event(), threading.Event(), []

    def memory_long(call: Call) -> Said:
        """Reports as it goes."""
        assert call.progress is not None
        has_begun.set()
        may_go.wait(PATIENCE_SECONDS)
        call.progress(1, 2)
        reached.append("the end")
        return Said("done")

    name = enter(memory_long)

    async def conversation(client: Client) -> None:
        long = asyncio.create_task(client.call_tool(name, {}))
        await asyncio.to_thread(has_begun.wait, PATIENCE_SECONDS)
        long.cancel()
        with pytest.raises(asyncio.CancelledError):
            await long
        # A later answer proves that the notice of the cancellation was read before.
        await client.call_tool("memory_help", {})
        may_go.set()

    talk(conversation, era="legacy")
    assert reached == []


@pytest.mark.parametrize("era", ERAS)
def test_a_caller_who_asks_hears_how_far_a_call_is(era: str, talk: Any, enter: Any) -> None:
    def memory_counting(call: Call) -> Said:
        """Reports twice."""
        assert call.progress is not None
        call.progress(1, 2)
        call.progress(2, 2)
        return Said("done")

    name = enter(memory_counting)
    heard: list[tuple[float, float | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total))

    async def conversation(client: Client) -> None:
        await client.call_tool(name, {}, progress_callback=hear)
        await client.call_tool(name, {})

    talk(conversation, era=era)
    assert heard
    assert set(heard) <= {(1, 2), (2, 2)}


def test_the_threads_are_few_and_stay(memory: Memory) -> None:
    """Each has its own connection to the store, so new threads all the time would be new connections all the time."""

    async def many() -> set[int]:
        access = Access(lambda: memory)
        seen: set[int] = set()
        for _ in range(5):
            seen.update(await asyncio.gather(*(access.run(lambda _: threading.get_ident()) for _ in range(20))))
        return seen

    assert len(asyncio.run(many())) <= THREADS


def test_a_memory_is_opened_once_however_many_ask_at_first(memory: Memory) -> None:
    opened = []

    def make() -> Memory:
        opened.append(threading.get_ident())
        return memory

    async def many() -> None:
        access = Access(make)
        await asyncio.gather(*(access.run(lambda found: found.project) for _ in range(20)))

    asyncio.run(many())
    assert len(opened) == 1


def test_the_host_is_the_actor_of_what_it_changes(talk: Any, memory: Memory) -> None:
    async def conversation(client: Client) -> None:
        await client.call_tool("memory_save", {"content": "Said by a host."})

    talk(conversation, client="some\x00-host")
    assert memory.perform("memory_log", {"topic": "host"}).result.items[0]["actor"] == "some-host"
