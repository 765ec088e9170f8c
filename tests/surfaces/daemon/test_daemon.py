"""One daemon a user: it starts once, ends by itself, loses nothing when it is killed, makes room for a newer one."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

from marrow.app import Memories, open_memory
from marrow.surfaces.daemon.listening import listen
from marrow.surfaces.daemon.lock import is_newer
from marrow.surfaces.daemon.server import Server

from .conftest import HOOK, House, eventually

COLD_STARTS = 50
EVENTS = 120


def test_fifty_cold_starts_at_once_give_one_daemon(house: House) -> None:
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    starts = [house.started("daemon", "run", **quiet) for _ in range(COLD_STARTS)]
    eventually(house.is_listening, "a daemon listens")
    eventually(lambda: sum(one.poll() is None for one in starts) == 1, "only one goes on")
    assert sorted(one.returncode for one in starts if one.poll() is not None) == [0] * (COLD_STARTS - 1)
    assert house.daemons() == [house.pid()]
    assert house.ask("marrow/ping")["pid"] == house.pid()
    house.ask("marrow/stop")
    assert [one.wait(30) for one in starts] == [0] * COLD_STARTS
    assert house.daemons() == []


def test_socket_and_folders_are_the_users_alone(house: House) -> None:
    house.start()
    for path, mode in ((house.home, 0o700), (house.home / "run", 0o700), (house.home / "run" / "daemon.sock", 0o600)):
        assert stat.S_IMODE(path.stat().st_mode) == mode, path
    assert stat.S_IMODE((house.home / "log" / "daemon.log").stat().st_mode) & 0o077 == 0


def test_a_stopped_daemon_leaves_no_socket_and_no_process(house: House) -> None:
    pid = house.start()
    assert house.marrow("daemon", "stop").returncode == 0
    eventually(lambda: not Path(f"/proc/{pid}").exists(), "the process is gone")
    assert not (house.home / "run" / "daemon.sock").exists()
    assert "does not run" in house.marrow("daemon", "status").stdout


def test_what_a_killed_daemon_left_behind_stops_nobody(house: House) -> None:
    first = house.start()
    os.kill(first, signal.SIGKILL)
    eventually(lambda: not house.is_listening(), "nobody listens")
    assert (house.home / "run" / "daemon.sock").exists()
    assert house.start() != first


def test_a_daemon_that_nobody_asks_ends_by_itself(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in house.environ.items():
        monkeypatch.setenv(name, value)

    class Nothing:
        def nudge(self) -> None: ...

        def heard(self) -> None: ...

        def answering(self) -> nullcontext[None]:
            return nullcontext()

        def catch_up(self) -> None: ...

        def state(self) -> dict[str, int]:
            return {}

        def drain(self) -> int:
            return 0

    async def serve() -> None:
        listening = listen(str(house.home))
        await asyncio.wait_for(Server(Memories(), Nothing(), _no_mcp, idle_seconds=0.2).run(listening), 20)

    asyncio.run(serve())
    assert not (house.home / "run" / "daemon.sock").exists()


def _no_mcp() -> object:
    raise AssertionError("nobody asked for it")


@pytest.mark.parametrize(
    ("theirs", "ours", "newer"),
    [
        ("0.2.0", "0.1.9", True),
        ("0.10.0", "0.9.0", True),
        ("0.1.0", "0.1.0", False),
        ("0.1.0", "0.2.0", False),
        ("", "1", False),
    ],
)
def test_only_a_later_version_replaces_a_daemon(theirs: str, ours: str, newer: bool) -> None:
    assert is_newer(theirs, ours) is newer


def test_a_newer_client_replaces_the_daemon_once_and_an_older_one_is_served(house: House) -> None:
    first = house.start()
    from marrow.capture import line

    about = {"home": str(house.home), "environ": house.environ}
    assert line.ask("marrow/ping", {}, 10, version="0.0.1", **about)["pid"] == first
    with pytest.raises(ConnectionResetError):
        line.ask("marrow/ping", {}, 10, version="999.0", **about)
    eventually(lambda: not Path(f"/proc/{first}").exists(), "the older one made room")


def test_each_event_that_a_hook_kept_is_drained_once_though_daemons_are_killed(house: House) -> None:
    house.start()
    payloads = [
        {"session_id": f"s{n % 5}", "cwd": str(house.project), "hook_event_name": "PostToolUse", "tool_name": "Bash"}
        | {
            "tool_input": {"command": f"make build-{n}"},
            "tool_response": {"stdout": f"built {n}"},
            "tool_use_id": f"t{n}",
        }
        for n in range(EVENTS)
    ]
    command = [sys.executable, "-I", "-S", str(HOOK), "claude-code", "PostToolUse"]
    for at, payload in enumerate(payloads):
        done = subprocess.run(command, input=json.dumps(payload).encode(), env=house.environ, check=False, timeout=60)
        assert done.returncode == 0
        if at % 30 == 29:
            os.kill(house.pid(), signal.SIGKILL)
            eventually(lambda: not house.is_listening(), "nobody listens")
            house.start()
    house.ask("marrow/drain")
    written = [
        json.loads(text)["id"]
        for segment in (house.home / "inbox").iterdir()
        for text in segment.read_text().splitlines()
        if text
    ]
    store = str(house.home / "marrow.db")
    with open_memory(house.project, store=store, read_only=True) as memory, memory.store.reading() as reader:
        kept = [trace.id for trace in reader.traces("local", limit=10_000)]
        raw = reader.trace_counts("local").get("raw", 0)
    assert len(written) == EVENTS
    assert sorted(kept) == sorted(written)
    assert raw == 0


def test_what_one_session_was_told_another_one_knows(house: House) -> None:
    house.hook("SessionStart", source="startup")
    house.hook("UserPromptSubmit", prompt="Remember that we deploy with `make ship` from the release branch.")
    house.hook("Stop", last_assistant_message="Noted.")
    house.hook("SessionEnd", reason="other")
    house.start()
    house.ask("marrow/drain")
    assert "make ship" in house.told("SessionStart", "s2", source="startup")
    assert "make ship" in house.told("UserPromptSubmit", "s3", prompt="How do we deploy?")


def test_a_memory_is_told_once_a_session(house: House) -> None:
    house.start()
    house.marrow("save", "The staging database is reset every Monday at 06:00.", "--domain", "context")
    first = house.told("UserPromptSubmit", prompt="When is the staging database reset?")
    again = house.told("UserPromptSubmit", prompt="Which day is the staging database reset again?")
    other = house.told("UserPromptSubmit", "another", prompt="When is the staging database reset?")
    assert "Monday" in first
    assert "Monday" not in again
    assert "Monday" in other


def test_a_daemon_that_cannot_end_is_ended_and_says_what_held_it(tmp_path: Path) -> None:
    program = (
        "import logging, sys, threading\n"
        "from marrow.surfaces.daemon import serving\n"
        "logging.basicConfig(stream=sys.stderr)\n"
        "def waits_for_ever(): threading.Event().wait()\n"
        "threading.Thread(target=waits_for_ever).start()\n"
        "serving._end_at_the_latest(0.1)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 1
    assert "waits_for_ever" in done.stderr
