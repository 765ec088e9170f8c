"""The bridge: a host sees one server, whatever becomes of the daemon behind it. Nothing is left of it afterwards."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from marrow.capture import where
from marrow.capture.line import REQUEST_BYTES_MAX
from marrow.surfaces.bridge import TOO_LARGE, Bridge

from .conftest import House, eventually

ERA = "2025-11-25"
STATELESS = "2026-07-28"


class Host:
    """What a host does with a stdio server: writes a line, reads a line."""

    def __init__(self, house: House, *words: str) -> None:
        self.process = house.started("mcp", *words, stderr=subprocess.PIPE)
        self._last = 0

    def send(self, method: str, params: dict[str, Any] | None = None, *, is_note: bool = False) -> int:
        assert self.process.stdin is not None
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params or {}}
        if not is_note:
            self._last += 1
            message["id"] = self._last
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return self._last

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        found: dict[str, Any] = json.loads(self.process.stdout.readline())
        return found

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self.send(method, params)
        return self.answer()

    def introduce(self) -> dict[str, Any]:
        about = {"protocolVersion": ERA, "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}}
        answer = self.ask("initialize", about)
        self.send("notifications/initialized", is_note=True)
        return answer

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.ask("tools/call", {"name": tool, "arguments": arguments})

    def leave(self) -> int:
        assert self.process.stdin is not None
        self.process.stdin.close()
        code = self.process.wait(30)
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        return code


def test_a_host_is_served_by_a_daemon_that_the_bridge_starts(house: House) -> None:
    host = Host(house)
    assert host.introduce()["result"]["serverInfo"]["name"] == "marrow"
    assert not host.call("memory_save", content="Releases are cut on Tuesdays.")["result"].get("isError")
    assert "Tuesdays" in json.dumps(host.call("memory_search", query="releases")["result"])
    assert house.daemons() == [house.pid()]
    assert host.leave() == 0


def test_the_stateless_era_is_served_too(house: House) -> None:
    host = Host(house)
    keys = {"protocolVersion": STATELESS, "clientInfo": {"name": "host", "version": "1"}, "clientCapabilities": {}}
    meta = {f"io.modelcontextprotocol/{name}": value for name, value in keys.items()}
    assert "2026-07-28" in json.dumps(host.ask("server/discover", {"_meta": meta})["result"])
    host.leave()


def test_a_daemon_killed_between_calls_is_not_noticed_by_who_only_reads(house: House) -> None:
    host = Host(house)
    host.introduce()
    host.call("memory_save", content="Releases are cut on Tuesdays.")
    os.kill(house.pid(), signal.SIGKILL)
    assert "Tuesdays" in json.dumps(host.call("memory_search", query="releases")["result"])
    host.leave()


def test_a_call_that_only_reads_is_answered_by_the_next_daemon_when_one_is_killed_during_it(house: House) -> None:
    host = Host(house)
    host.introduce()
    host.call("memory_save", content="Releases are cut on Tuesdays.")
    os.kill(house.pid(), signal.SIGSTOP)  # it takes the call, and never answers
    asked = host.send("tools/call", {"name": "search_context", "arguments": {"query": "releases"}})
    os.kill(house.pid(), signal.SIGKILL)
    answer = host.answer()
    assert answer["id"] == asked
    assert "Tuesdays" in json.dumps(answer["result"])
    host.leave()


def test_a_call_that_writes_gets_an_error_when_the_daemon_is_killed_during_it_and_the_next_is_served(
    house: House,
) -> None:
    host = Host(house)
    host.introduce()
    os.kill(house.pid(), signal.SIGSTOP)
    asked = host.send("tools/call", {"name": "memory_save", "arguments": {"content": "Releases are cut on Tuesdays."}})
    os.kill(house.pid(), signal.SIGKILL)
    answer = host.answer()
    assert answer["id"] == asked
    assert "daemon ended" in answer["error"]["message"]
    assert "error" not in host.call("memory_status")
    host.leave()


@pytest.mark.parametrize(("tool", "times"), [("memory_status", 2), ("memory_save", 1), ("of_tomorrow", 1)])
def test_a_call_that_ends_every_daemon_is_sent_twice_if_it_only_reads_and_else_once(
    house: House, tool: str, times: int
) -> None:
    taken = []
    where.make(where.run(str(house.home)))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(where.socket(str(house.home)))
        listener.listen()

        def take_calls_and_die() -> None:
            for _ in range(times + 1):
                connection, _ = listener.accept()
                with connection, connection.makefile("rb") as lines:
                    for message in map(json.loads, lines):
                        if message["method"] == "tools/call":
                            taken.append(message)
                            break
                        if "id" in message:
                            said = {"jsonrpc": "2.0", "id": message["id"], "result": {"reads": ["memory_status"]}}
                            connection.sendall(json.dumps(said).encode() + b"\n")

        daemon = threading.Thread(target=take_calls_and_die, daemon=True)
        daemon.start()
        host = Host(house)
        host.introduce()
        assert "daemon ended" in host.call(tool)["error"]["message"]
        assert "result" in host.ask("ping")
        assert len(taken) == times
        host.leave()
        daemon.join()


def test_a_call_that_writes_does_not_wait_for_the_next_daemon_to_learn_that_the_last_one_ended(house: House) -> None:
    where.make(where.run(str(house.home)))
    told = threading.Event()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(where.socket(str(house.home)))
        listener.listen()

        def end_after_two_calls_and_start_late() -> None:
            for is_next in (False, True):
                connection, _ = listener.accept()
                assert not is_next or told.wait(20)
                with connection, connection.makefile("rb") as lines:
                    calls = 0
                    for message in map(json.loads, lines):
                        calls += message["method"] == "tools/call"
                        if calls == 2:
                            break
                        if "id" in message and (is_next or not calls):
                            said = {"jsonrpc": "2.0", "id": message["id"], "result": {"reads": ["memory_status"]}}
                            connection.sendall(json.dumps(said).encode() + b"\n")

        daemon = threading.Thread(target=end_after_two_calls_and_start_late, daemon=True)
        daemon.start()
        host = Host(house)
        host.introduce()
        read = host.send("tools/call", {"name": "memory_status", "arguments": {}})
        written = host.send("tools/call", {"name": "memory_save", "arguments": {"content": "Oak."}})
        first = host.answer()
        told.set()
        assert (first["id"], "error" in first) == (written, True)
        answer = host.answer()
        assert (answer["id"], "result" in answer) == (read, True)
        host.leave()
        daemon.join()


class Slow(Bridge):
    """One whose host is told of a failure late, as when this thread has to wait for its turn."""

    def _fail(self, number: Any, code: int, message: str) -> None:
        time.sleep(0.1)
        super()._fail(number, code, message)


def test_a_call_that_could_not_be_sent_is_answered_once(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARROW_HOME", str(house.home))
    where.make(where.run(str(house.home)))
    told, read_whole = io.BytesIO(), threading.Event()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(where.socket(str(house.home)))
        listener.listen()

        def hang_up_twice_in_the_middle_of_a_line() -> None:
            for is_last in (False, False, True):
                connection, _ = listener.accept()
                with connection, connection.makefile("rb") as lines:
                    while (given := lines.readline(-1 if is_last else 100_000)).endswith(b"\n"):
                        said = {"jsonrpc": "2.0", "id": json.loads(given)["id"], "result": {"reads": ["memory_search"]}}
                        if is_last and said["id"] == 7:
                            read_whole.set()
                            time.sleep(0.5)
                        connection.sendall(json.dumps(said).encode() + b"\n")

        daemon = threading.Thread(target=hang_up_twice_in_the_middle_of_a_line, daemon=True)
        daemon.start()
        asked = {"name": "memory_search", "arguments": {"query": "x" * 3_000_000}}
        call = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": asked}
        hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize"}
        Slow({}, told).pump(iter([json.dumps(one).encode() for one in (hello, call)]))
        assert not read_whole.wait(0.5)
        # It still waits for a third caller: it must not wait on a descriptor that a later test is given.
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as third:
            third.connect(where.socket(str(house.home)))
        daemon.join()
    assert [json.loads(one)["id"] for one in told.getvalue().splitlines()] == [1, 7]


def test_a_host_that_speaks_before_the_next_daemon_is_up_is_not_asked_to_introduce_itself_again(house: House) -> None:
    host = Host(house)
    host.introduce()
    house.end()
    assert "result" in host.call("memory_status")
    host.leave()


def test_the_bridge_ends_with_its_parent_though_its_input_stays_open(house: House, tmp_path: Path) -> None:
    kept_open, other_end = os.pipe()
    about = {"protocolVersion": ERA, "capabilities": {}, "clientInfo": {"name": "host", "version": "1"}}
    os.write(
        other_end, json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": about}).encode() + b"\n"
    )
    program = (
        "import subprocess, sys\n"
        "command = [sys.executable, '-m', 'marrow', 'mcp']\n"
        "made = subprocess.Popen(command, stdin=int(sys.argv[1]), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)\n"
        "made.stdout.readline()\n"
        "print(made.pid, flush=True)\n"
    )
    parent = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, str(kept_open)],
        env=house.environ,
        cwd=house.project,
        pass_fds=[kept_open],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    pid = int(parent.stdout)
    eventually(lambda: not _is_running(pid), "the bridge has ended")
    os.close(kept_open)
    os.close(other_end)


def _is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_every_request_before_the_end_of_input_is_answered(house: House) -> None:
    host = Host(house)
    host.introduce()
    for _ in range(5):
        host.send("tools/call", {"name": "memory_status", "arguments": {}})
    assert host.process.stdin is not None
    host.process.stdin.close()
    assert host.process.stdout is not None
    lines = host.process.stdout.read().splitlines()
    assert sorted(json.loads(text)["id"] for text in lines) == [2, 3, 4, 5, 6]
    host.process.wait(30)
    host.process.stdout.close()
    assert host.process.stderr is not None
    host.process.stderr.close()


def test_hosts_of_two_projects_each_see_their_own(house: House) -> None:
    other = house.folder / "other"
    subprocess.run(["git", "init", "-q", str(other)], check=True)
    first = Host(house)
    first.introduce()
    first.call("memory_save", content="The blue service listens on port 7000.")
    house.project = other
    second = Host(house)
    second.introduce()
    assert "7000" not in json.dumps(second.call("memory_search", query="port of the blue service"))
    assert len(house.daemons()) == 1
    first.leave()
    second.leave()


def test_the_bridge_loads_nothing_heavy(house: House) -> None:
    program = (
        "import sys, marrow.__main__, marrow.surfaces.bridge\n"
        "heavy = set('asyncio dataclasses typing socket ssl subprocess logging tomllib pathlib mcp apsw'.split())\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    command = [
        sys.executable,
        "-I",
        "-c",
        f"import sys; sys.path.insert(0, {house.environ['PYTHONPATH']!r})\n{program}",
    ]
    done = subprocess.run(command, env=house.environ, capture_output=True, text=True, check=True, timeout=30)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("line", [b"no json\n", b'{"jsonrpc":"2.0"}\n', b"[1,2]\n", b"\xff\xfe\n"])
def test_what_is_no_message_ends_nothing(house: House, line: bytes) -> None:
    host = Host(house)
    assert host.process.stdin is not None
    host.introduce()
    host.process.stdin.write(line)
    host.process.stdin.flush()
    host.send("tools/call", {"name": "memory_status", "arguments": {}})
    answers: list[dict[str, Any]] = []
    assert host.process.stdout is not None
    lines = iter(host.process.stdout.readline, b"")
    reading = threading.Thread(target=lambda: answers.extend(json.loads(text) for text in lines), daemon=True)
    reading.start()
    eventually(lambda: any(answer.get("id") == 2 for answer in answers), "the next call is answered")
    host.process.stdin.close()
    host.process.wait(30)
    reading.join(10)
    for stream in (host.process.stdout, host.process.stderr):
        assert stream is not None
        stream.close()


def test_a_daemon_that_dies_while_it_is_told_who_asks_costs_one_error_and_no_core(house: House) -> None:
    """The host had introduced itself to a daemon that is gone; the next one takes the greeting and hangs up."""
    host = Host(house)
    host.introduce()
    house.end()
    path = where.socket(str(house.home))
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(path)
        listener.listen()

        def greet_and_die() -> None:
            connection, _ = listener.accept()
            with connection, connection.makefile("rb") as lines:
                lines.readline()
                connection.sendall(b'{"jsonrpc":"2.0","id":"marrow-hello","result":{"version":"0.1.0","pid":1}}\n')
                lines.readline()

        dying = threading.Thread(target=greet_and_die)
        dying.start()
        assert "error" in host.call("memory_status")
        dying.join(10)
    os.unlink(path)
    assert "result" in host.call("memory_status")
    host.leave()


def test_a_message_that_is_too_long_is_refused_by_its_id_and_costs_no_other(house: House) -> None:
    host = Host(house)
    host.introduce()
    answer = host.call("memory_save", content="word " * (REQUEST_BYTES_MAX // 5 + 1))
    assert (answer["id"], answer["error"]["code"]) == (2, TOO_LARGE)
    assert "too long" in answer["error"]["message"]
    assert "result" in host.call("memory_status")
    host.leave()


@pytest.mark.parametrize(
    "said",
    [
        [{"id": 5, "method": "tools/call"}, {"method": "notifications/cancelled", "params": {"requestId": 5}}],
        [{"id": 1.5, "method": "ping"}, {"id": True, "method": "ping"}, {"id": {"a": 1}, "method": "tools/list"}],
    ],
    ids=["cancelled", "no id of a request"],
)
def test_the_bridge_does_not_wait_at_the_end_for_what_nobody_will_answer(
    house: House, said: list[dict[str, Any]]
) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:  # a daemon that answers nothing but hello
        where.make(str(house.home / "run"))
        listener.bind(where.socket(str(house.home)))
        listener.listen()
        host = Host(house)
        assert host.process.stdin is not None
        for message in said:
            host.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        host.process.stdin.flush()
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as lines:
            lines.readline()
            connection.sendall(b'{"jsonrpc":"2.0","id":"marrow-hello","result":{"version":"0.1.0","pid":1}}\n')
            for _ in said:
                lines.readline()
            began = time.monotonic()
            assert host.leave() == 0
            assert time.monotonic() - began < 25  # it waits for half a minute where an answer may come
    os.unlink(where.socket(str(house.home)))
