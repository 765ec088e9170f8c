"""How the daemon settles down once everything is loaded."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from marrow.surfaces.daemon import server as server_module
from marrow.surfaces.daemon import serving
from marrow.surfaces.daemon.program import Program
from marrow.surfaces.daemon.server import HOOK, Server


@pytest.fixture
def collector() -> Iterator[None]:
    """As it was, whatever a test does to it."""
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)
    gc.enable()


@pytest.mark.usefixtures("collector")
@pytest.mark.parametrize("fails", [False, True])
def test_what_is_loaded_is_not_looked_through_again(fails: bool) -> None:
    async def preload(first: Callable[[], object]) -> None:
        assert not gc.isenabled()
        if fails:
            raise ImportError("it is not installed")

    gc.disable()
    frozen = gc.get_freeze_count()
    server, worker = SimpleNamespace(preload=preload), SimpleNamespace(warmed=SimpleNamespace(wait=None))
    try:
        asyncio.run(serving._load(cast("Any", server), cast("Any", worker)))
    except ImportError:
        assert fails
    assert gc.get_freeze_count() > frozen
    assert gc.isenabled()
    assert gc.get_threshold()[0] == serving.YOUNG


def test_what_a_hook_captured_is_looked_for_though_it_hung_up_before_its_answer() -> None:
    nudged: list[bool] = []

    class Gone:
        def write(self, _: bytes) -> None: ...

        async def drain(self) -> None:
            raise ConnectionResetError

    async def answer() -> None:
        background = SimpleNamespace(nudge=lambda: nudged.append(True))
        server = Server(cast("Any", None), cast("Any", background), cast("Any", None), 1.0)
        with pytest.raises(ConnectionResetError):
            await server._answer(cast("Any", Gone()), {"method": HOOK, "id": 1}, {"cwd": ""})

    asyncio.run(answer())
    assert nudged == [True]


def test_daemon_whose_program_was_replaced_ends_once_the_new_one_is_whole_and_nobody_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "part").mkdir()
    (tmp_path / "part" / "a.py").write_text("old")
    program = Program(str(tmp_path))
    assert not program.is_replaced()
    (tmp_path / "notes.txt").write_text("no part of it")
    assert not program.is_replaced()
    (tmp_path / "part" / "a.py").write_text("newer")
    assert not program.is_replaced()  # it may be half of it yet
    (tmp_path / "part" / "b.py").write_text("new")
    assert not program.is_replaced()
    assert program.is_replaced()

    stopped: list[bool] = []
    server = SimpleNamespace(is_quiet=False, stop=lambda: stopped.append(True))

    async def watch() -> None:
        watching = asyncio.create_task(serving._watch_program(cast("Any", server), program))
        await asyncio.sleep(0.1)
        assert not stopped
        server.is_quiet = True
        while not stopped:
            await asyncio.sleep(0.01)
        watching.cancel()

    monkeypatch.setattr(serving, "PROGRAM_LOOK_SECONDS", 0.01)
    asyncio.run(asyncio.wait_for(watch(), 10))


def test_program_that_was_taken_away_is_no_longer_served(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x")
    program = Program(str(tmp_path))
    (tmp_path / "a.py").unlink()
    assert [program.is_replaced(), program.is_replaced()] == [False, True]


def test_daemon_is_not_quiet_and_says_no_farewell_while_a_call_of_a_bridge_waits_or_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(server_module, "CALL_THREADS", 1)
    background = SimpleNamespace(answering=nullcontext)
    go, ended = threading.Event(), list[str]()

    def call(name: str) -> None:
        go.wait(10)
        ended.append(name)

    async def watch() -> None:
        server = Server(cast("Any", None), cast("Any", background), cast("Any", None), 1.0)
        assert [server.is_quiet] == [True]
        calls = [server._calls.submit(call, "runs"), server._calls.submit(call, "waits")]
        assert [server.is_quiet] == [False]
        farewell = asyncio.create_task(server._say_farewell())
        await asyncio.sleep(0.05)
        assert not farewell.done()
        go.set()
        await farewell
        assert [one.done() and not one.cancelled() for one in calls] == [True, True]
        assert [server.is_quiet] == [True]

    asyncio.run(asyncio.wait_for(watch(), 10))
    assert ended == ["runs", "waits"]


def test_call_that_does_not_end_keeps_the_daemon_for_a_moment_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_module, "FAREWELL_SECONDS", 0.05)
    background, go = SimpleNamespace(answering=nullcontext), threading.Event()

    async def leave() -> None:
        server = Server(cast("Any", None), cast("Any", background), cast("Any", None), 1.0)
        call = server._calls.submit(go.wait, 10)
        await server._say_farewell()
        assert not call.done()
        go.set()

    asyncio.run(asyncio.wait_for(leave(), 10))


def test_no_secret_is_in_the_log() -> None:
    token = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a"
    problem = ValueError(f"{token} is no number")
    found = logging.LogRecord("marrow", logging.ERROR, "x.py", 1, "no %s", (token,), (ValueError, problem, None))
    line = serving._Lines().format(found)
    assert token not in line
    assert json.loads(line)["message"] == "no [redacted:github-token]"
