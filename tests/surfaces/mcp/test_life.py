"""How a server ends: with its input, with its parent, when told; always leaving everything in order."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from marrow.app import open_memory

from .launch import END_SECONDS, Started, call, handshake, request, stateless

# Programs: an operation that prints, and a parent that tells its child's id and waits for it.
NOISY = """
import os, sys
from marrow.__main__ import main
from marrow.operations import core
core.get = lambda *a, **k: (print("oops"), os.write(1, b"oops"))
sys.exit(main())
"""
PARENT = """
import subprocess, sys
child = subprocess.Popen(sys.argv[1:])
print(child.pid, file=sys.stderr, flush=True)
child.wait()
"""

needs_signals = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")


def say(process: subprocess.Popen[str], *lines: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write("".join(json.dumps(line) + "\n" for line in lines))
    process.stdin.flush()


def hear(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout is not None
    heard: dict[str, Any] = json.loads(process.stdout.readline())
    return heard


def measured(started: Started) -> list[str]:
    """What telemetry the store holds."""
    with (
        open_memory(started.folder, store=started.store, project="demo") as memory,
        memory.engine.store.reading() as reader,
    ):
        return [line.type for line in reader.measurements(0)]


def test_every_request_before_the_end_of_input_is_answered(started: Started) -> None:
    calls = [call(n, "memory_save", content=f"Fact number {n}.") for n in range(10, 30)]
    piped = started.pipe(*handshake(), *calls)
    assert piped.code == 0
    assert sorted(message["id"] for message in piped.messages) == [1, *range(10, 30)]
    assert not [message for message in piped.messages if "error" in message]
    modern = started.pipe(*(stateless(n, "tools/call", {"name": "memory_projects"}) for n in range(5)))
    assert sorted(message["id"] for message in modern.messages) == list(range(5))


def test_nothing_but_the_protocol_is_on_stdout_and_nothing_on_stderr(started: Started) -> None:
    piped = started.pipe(*handshake(), request(2, "tools/list"), call(3, "memory_save", content="A fact."))
    assert [message["jsonrpc"] for message in piped.messages] == ["2.0"] * 3
    assert piped.err == ""


def test_what_code_prints_does_not_reach_the_host(started: Started) -> None:
    command = [sys.executable, "-c", NOISY, *started.words]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=started.environment,
        cwd=started.folder,
    ) as process:
        lines = [*handshake(), call(2, "memory_get", address="abcdef")]
        out, err = process.communicate("".join(json.dumps(line) + "\n" for line in lines), timeout=END_SECONDS)
    assert "oops" not in out
    assert "oops" in err
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in out.splitlines())


def test_end_of_input_without_a_word_ends_the_server(started: Started) -> None:
    piped = started.pipe()
    assert (piped.code, piped.lines, piped.err) == (0, [], "")
    assert not Path(started.store).exists()  # Nothing was asked, so nothing was made.


def test_what_was_measured_is_written_down_at_the_end(started: Started) -> None:
    started.pipe(*handshake(), call(2, "memory_save", content="A fact."), call(3, "memory_recall", message="a fact?"))
    assert {"memory_save", "memory_recall"} <= set(measured(started))


@needs_signals
@pytest.mark.parametrize("told", ["SIGTERM", "SIGINT"])
def test_a_server_that_is_told_to_go_leaves_in_order(told: str, started: Started) -> None:
    with started.open() as process:
        say(process, *handshake(), call(2, "memory_save", content="A fact."))
        assert [hear(process)["id"], hear(process)["id"]] == [1, 2]
        process.send_signal(getattr(signal, told))
        assert process.wait(END_SECONDS) == 0
        assert process.stderr is not None
        assert process.stderr.read() == ""
    assert "memory_save" in measured(started)


@needs_signals
def test_a_server_dies_with_its_parent_although_its_input_stays_open(started: Started, tmp_path: Path) -> None:
    """The parent is killed. We hold the other ends of the pipes, so only its death can end the server."""
    said_in, heard_out = os.pipe(), os.pipe()
    parent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            PARENT,
            *started.command,
        ],
        stdin=said_in[0],
        stdout=heard_out[1],
        stderr=subprocess.PIPE,
        text=True,
        env=started.environment,
        cwd=started.folder,
    )
    os.close(said_in[0])
    os.close(heard_out[1])
    with parent, os.fdopen(said_in[1], "w") as writer, os.fdopen(heard_out[0]) as reader:
        assert parent.stderr is not None
        child = int(parent.stderr.readline())
        writer.writelines(json.dumps(line) + "\n" for line in [*handshake(), call(2, "memory_save", content="A fact.")])
        writer.flush()
        assert [json.loads(reader.readline())["id"] for _ in range(2)] == [1, 2]
        parent.kill()
        # The child's end of the pipe closes when it is gone; until then this waits.
        assert reader.read() == ""
    assert not is_running(child)
    assert "memory_save" in measured(started)


def is_running(pid: int) -> bool:
    """A child of a killed parent is reaped by init, which may take a moment: a zombie counts as gone."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@needs_signals
def test_a_host_that_stops_reading_ends_the_server(started: Started) -> None:
    with started.open() as process:
        say(process, *handshake())
        assert hear(process)["id"] == 1
        assert process.stdout is not None
        process.stdout.close()
        say(process, call(2, "memory_save", content="A fact."))
        assert process.wait(END_SECONDS) == 0
        assert process.stdin is not None
        process.stdin.close()
    assert "memory_save" in measured(started)


@needs_signals
def test_a_killed_server_loses_nothing_that_it_acknowledged(started: Started) -> None:
    with started.open() as process:
        say(process, *handshake(), *(call(n, "memory_save", content=f"Fact number {n}.") for n in range(10, 40)))
        acknowledged = [hear(process)["id"] for _ in range(12)][1:]
        process.kill()
    with open_memory(started.folder, store=started.store, project="demo") as memory:
        kept = {item.content for item in memory.perform("memory_active", {"limit": 100}).result.items}
    assert {f"Fact number {n}." for n in acknowledged} <= kept
