"""A process that writes is killed at random points, many times on one file. MARROW_TEST_CRASH_ROUNDS: how often."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

import marrow
from marrow.model.record import CURRENT, Filter
from marrow.store.sqlite import SqliteStore

from .door import Door, verify
from .writer_process import BATCH

ROUNDS = int(os.environ.get("MARROW_TEST_CRASH_ROUNDS", "25"))
WRITER = str(Path(__file__).parent / "writer_process.py")


def write_until_killed(
    path: Path, name: str, chance: random.Random, environment: dict[str, str], mode: str = "endless"
) -> list[list[str]]:
    """What a writer acknowledged before SIGKILL hit it, after a random number of lines and a random moment more."""
    command = [sys.executable, WRITER, mode, str(path), name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as writer:
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(chance.choice((0, 1, 2, 5, 10, 20)))]
        until = time.perf_counter() + chance.uniform(0, 0.004)
        while time.perf_counter() < until:
            pass
        writer.kill()
        lines += writer.stdout.readlines()
        assert writer.wait() == -9
    return [line.decode().split() for line in lines if line.endswith(b"\n")]


def check_acknowledged(door: Door, told: list[list[str]]) -> None:
    for what, *words in told:
        if what == "said":
            assert len(door.records(words[0])) == 1
        if what == "superseded":
            old, new = words
            assert door.standing(old).state == "superseded"
            assert (new, "supersedes", old) in door.lines(new)
        if what == "batch":
            assert len(door.records(*words[1:])) == BATCH


def check_whole(door: Door) -> None:
    """Batches are there whole or not at all; nothing was said twice; every node has its words and its vector."""
    with door.store.reading() as reader:
        entries = reader.select("local", Filter(include_superseded=True), CURRENT, 0)
        said = reader.occurrences(entries, CURRENT)
        assert all(len(said[entry]) == 1 for entry in entries)
        contents = [record.node.content for record in reader.records_of(entries, CURRENT)]
    batches: dict[str, int] = {}
    for content in contents:
        if content.startswith("Batch "):
            name = content.split()[1]
            batches[name] = batches.get(name, 0) + 1
    assert set(batches.values()) <= {BATCH}
    sizes = door.ask(lambda r: r.sizes())
    assert sizes["words"] == sizes["vectors"] == sizes["entries"] == len(contents) == len(set(contents))


def test_nothing_acknowledged_is_lost_and_nothing_is_half(tmp_path: Path, child_environment: dict[str, str]) -> None:
    path = tmp_path / "marrow.db"
    chance = random.Random(20)
    told: list[list[str]] = []
    for number in range(ROUNDS):
        # Every third time somebody else has the file open while the writer dies.
        bystander = SqliteStore(str(path)) if number % 3 == 2 else None
        told += write_until_killed(path, f"writer{number}", chance, child_environment)
        if bystander is not None:
            with bystander.reading() as reader:
                assert reader.head("local").seq >= 0
            bystander.close()
        with marrow.open(tmp_path, store=str(path), embedder="none") as memory:
            assert memory.audit_verify().ok  # what `marrow audit verify` runs
        store = SqliteStore(str(path))
        verify(store)
        assert store.problems() == []
        door = Door(store, seed=number)
        check_acknowledged(door, told)
        check_whole(door)
        door.say(f"The test was here {number}.")
        assert f"The test was here {number}." in door.find("test", limit=10_000)
        verify(store)
        store.close()
    kinds = {line[0] for line in told}
    assert kinds >= {"open", "said"}
    if ROUNDS >= 25:
        assert kinds == {"open", "said", "superseded", "batch"}


def test_killed_while_the_file_is_made(tmp_path: Path, child_environment: dict[str, str]) -> None:
    """A file that was only begun is a store afterwards, whatever was on the disk at that moment."""
    chance = random.Random(4)
    for number in range(max(4, ROUNDS // 4)):
        path = tmp_path / f"{number}.db"
        command = [sys.executable, WRITER, "saves", str(path), "w", "1"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, env=child_environment) as writer:
            while not path.exists() and writer.poll() is None:
                pass
            until = time.perf_counter() + chance.uniform(0, 0.02)
            while time.perf_counter() < until:
                pass
            writer.kill()
        store = SqliteStore(str(path))
        Door(store).say("It works.")
        verify(store)
        assert store.problems() == []
        store.close()


@pytest.mark.parametrize("index", ["missing", "garbage"])
def test_shared_index_of_the_log_is_made_anew(tmp_path: Path, index: str, child_environment: dict[str, str]) -> None:
    path = tmp_path / "marrow.db"
    told = write_until_killed(path, "w", random.Random(3), child_environment)
    shared = Path(f"{path}-shm")
    shared.unlink(missing_ok=True)
    if index == "garbage":
        shared.write_bytes(b"\x5a" * 32768)
    store = SqliteStore(str(path))
    check_acknowledged(Door(store), told)
    verify(store)
    store.close()
