"""Whatever is wrong behind it, a hook ends normally, says nothing that a host does not expect, and loses no event."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from marrow.app import open_memory

from .conftest import HOOK, House, eventually

EVENTS = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd")
PAYLOADS = {
    "SessionStart": {"source": "startup"},
    "UserPromptSubmit": {"prompt": "How do we deploy the billing service?"},
    "PreToolUse": {"tool_name": "Edit", "tool_input": {"file_path": "a.py", "old_string": "a", "new_string": "b"}},
    "PostToolUse": {"tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": {"stdout": "done"}},
    "PostToolUseFailure": {"tool_name": "Bash", "tool_input": {"command": "make"}, "error": "Error: no rule"},
    "Stop": {"last_assistant_message": "Done."},
    "SessionEnd": {"reason": "other"},
}


@pytest.fixture
def in_a_hurry(house: House) -> House:
    house.environ["MARROW_RECALL_TIME_BUDGET_MS"] = "300"
    return house


def all_hooks(house: House) -> None:
    """Every event ends with 0, and with nothing on either stream but JSON for the host."""
    for event in EVENTS:
        done = house.hook(event, **PAYLOADS[event])
        assert done.returncode == 0, event
        assert done.stderr == b"", event
        assert not done.stdout or json.loads(done.stdout)["hookSpecificOutput"]["hookEventName"] == event


def captured(house: House) -> int:
    """How many events are in the inbox."""
    texts = [segment.read_text() for segment in (house.home / "inbox").iterdir()]
    return sum(1 for text in texts for line in text.splitlines() if line)


def test_a_daemon_that_hangs_costs_no_event_and_no_turn(in_a_hurry: House) -> None:
    in_a_hurry.start()
    os.kill(in_a_hurry.pid(), signal.SIGSTOP)
    all_hooks(in_a_hurry)
    os.kill(in_a_hurry.pid(), signal.SIGCONT)
    assert captured(in_a_hurry) == len(EVENTS) - 1  # what is asked before a tool is not kept


def test_a_store_that_another_program_holds_costs_no_turn(in_a_hurry: House) -> None:
    in_a_hurry.marrow("save", "The billing service is deployed by hand.")
    holder = apsw.Connection(str(in_a_hurry.home / "marrow.db"))
    holder.execute("BEGIN IMMEDIATE")
    all_hooks(in_a_hurry)
    holder.execute("ROLLBACK")
    holder.close()
    in_a_hurry.start()
    assert in_a_hurry.ask("marrow/drain")["drained"] >= 0
    eventually(lambda: in_a_hurry.ask("marrow/status")["queue"]["done"] == len(EVENTS) - 1, "all was worked off")


@pytest.mark.parametrize("damage", [b"this is no database " * 400, b""], ids=["garbage", "empty"])
def test_a_store_that_is_no_store_costs_no_turn_and_no_event(in_a_hurry: House, damage: bytes) -> None:
    in_a_hurry.home.mkdir(parents=True, mode=0o700)
    (in_a_hurry.home / "marrow.db").write_bytes(damage)
    all_hooks(in_a_hurry)
    assert captured(in_a_hurry) == len(EVENTS) - 1


def test_the_middle_of_a_store_overwritten_costs_no_turn(in_a_hurry: House) -> None:
    path = in_a_hurry.home / "marrow.db"
    with open_memory(in_a_hurry.project, store=str(path)) as memory:
        memory.save(batch=[{"content": f"Fact {n} about the billing service and its deployment."} for n in range(200)])
    content = bytearray(path.read_bytes())
    content[8192:40960] = os.urandom(32768)
    path.write_bytes(bytes(content))
    for suffix in ("-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    all_hooks(in_a_hurry)
    assert captured(in_a_hurry) == len(EVENTS) - 1


def test_a_huge_inbox_slows_no_hook_and_is_drained_in_parts(house: House) -> None:
    (house.home / "inbox").mkdir(parents=True, mode=0o700)
    line = {"v": 1, "at": 1_700_000_000_000_000, "host": "claude-code", "event": "post-tool", "session": "big"}
    line |= {
        "cwd": str(house.project),
        "tool": "Bash",
        "does": "shell",
        "input": {"command": "make x"},
        "output": "y" * 900,
    }
    with (house.home / "inbox" / "2023111422.jsonl").open("w") as file:
        for n in range(5_000):
            file.write("\n" + json.dumps({**line, "id": f"{n:016x}"}) + "\n")
    assert house.hook("PostToolUse", **PAYLOADS["PostToolUse"]).returncode == 0
    house.start()
    house.ask("marrow/drain")
    queue = house.ask("marrow/status")["queue"]
    assert queue["done"] + queue["failed"] + queue["raw"] == 5_001
    eventually(
        lambda: not (house.home / "inbox" / "2023111422.jsonl").exists(), "an old segment goes once it is drained"
    )


@pytest.mark.parametrize(
    "garbage", [b"", b"\x00\xff" * 50, b"{", b"[]", b'"text"', b"null", b'{"cwd": 7}', b"{" * 10_000], ids=range(8)
)
def test_garbage_from_the_host_is_answered_with_silence(house: House, garbage: bytes) -> None:
    command = [sys.executable, "-I", "-S", str(HOOK), "claude-code", "PostToolUse"]
    done = subprocess.run(command, input=garbage, env=house.environ, capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_a_home_that_cannot_be_written_costs_no_turn(in_a_hurry: House) -> None:
    in_a_hurry.home.parent.mkdir(exist_ok=True)
    in_a_hurry.home.write_text("a file where the folder should be")
    all_hooks(in_a_hurry)
