"""Traces under stress: every one is kept once, and what is made of it and that it is done are one, whatever happens."""

from __future__ import annotations

import itertools
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random

import apsw
import apsw.ext
import pytest

from marrow.model.errors import MarrowError
from marrow.model.record import CURRENT, Filter
from marrow.model.session import Injection
from marrow.model.trace import DONE, RAW
from marrow.store.protocol import Reader
from marrow.store.receive_traces import keep_traces
from marrow.store.sqlite import SqliteStore
from marrow.store.sqlite.statements import queries

from .door import START, Door, picture, verify
from .losing_disk import LosingDisk
from .test_crash import WRITER, write_until_killed
from .writer_process import BATCH, trace, work_off

ROUNDS = int(os.environ.get("MARROW_TEST_CRASH_ROUNDS", "12"))
CUTS = int(os.environ.get("MARROW_TEST_POWER_CUTS", "60"))
_names = itertools.count()


def check_one(reader: Reader, name: str) -> tuple[int, set[str]]:
    """What one writer left is of a piece; how many traces it kept, and which of them it worked off."""
    kept = reader.traces("local", session=name, limit=CURRENT)
    assert [one.id for one in kept] == [f"{name}-{n}" for n in range(len(kept))]
    assert len(kept) % BATCH == 0
    assert reader.inbox_position(name) == len(kept)
    done = [one for one in kept if one.state == DONE]
    assert all((one.attempts, one.state) in ((0, RAW), (1, DONE)) for one in kept)
    entries = reader.select("local", Filter(thread=name), CURRENT, 0)
    made = {record.node.content for record in reader.records_of(entries, CURRENT)}
    assert made == {f"Made from {one.id}." for one in done}
    session = reader.session("local", name)
    assert (session.turns if session else 0) == (done[-1].fields["number"] + 1 if done else 0)
    return len(kept), {one.id for one in done}


def check_told(reader: Reader, name: str, told: list[list[str]]) -> None:
    """What was acknowledged is there; at most one thing more can be."""
    kept, done = check_one(reader, name)
    told_kept = max((int(words[0]) for what, *words in told if what == "kept"), default=0)
    assert kept in (told_kept, told_kept + BATCH)
    told_made = {words[0] for what, *words in told if what == "made"}
    assert told_made <= done
    assert len(done - told_made) <= 1


def test_writer_that_is_killed_leaves_traces_whole_and_nodes_with_theirs(
    tmp_path: Path, child_environment: dict[str, str]
) -> None:
    path = tmp_path / "marrow.db"
    chance = random.Random(5)
    stories: dict[str, list[list[str]]] = {}
    for number in range(ROUNDS):
        name = f"writer{number}"
        stories[name] = write_until_killed(path, name, chance, child_environment, mode="traces")
        store = SqliteStore(str(path))
        verify(store)
        assert store.problems() == []
        with store.reading() as reader:
            for one, told in stories.items():
                check_told(reader, one, told)
        store.close()
    assert {line[0] for told in stories.values() for line in told} == {"open", "kept", "made"}


def test_power_that_goes_leaves_traces_whole_and_nodes_with_theirs(tmp_path: Path) -> None:
    total = 0
    for seed in range(CUTS):
        chance = Random(seed)
        disk = LosingDisk(f"losing-traces-{next(_names)}", chance)
        path = str(tmp_path / "marrow.db")
        disk.cut_after = chance.randrange(300, 700)
        told: list[list[str]] = []
        store = None
        try:
            store = SqliteStore(path, vfs=disk.name)
            store._connection().pragma("wal_autocheckpoint", chance.choice((2, 10, 4000)))
            work(Door(store, seed=seed), disk, told)
        except (MarrowError, apsw.IOError):
            pass
        assert disk.is_off, "the power must go while something is written"
        if store is not None:
            store.close()
        found = tmp_path / f"found{seed}.db"
        for name, image in disk.survived.items():
            Path(str(found) + name.removeprefix(path)).write_bytes(image)
        disk.unregister()
        survivor = SqliteStore(str(found))
        assert survivor.problems() == []
        verify(survivor)
        with survivor.reading() as reader:
            check_told(reader, "w", told)
        survivor.close()
        total += len(told)
    assert total > 2 * CUTS, "the power must go late enough for something to be acknowledged"


def work(door: Door, disk: LosingDisk, told: list[list[str]]) -> None:
    for kept in itertools.count(BATCH, BATCH):
        batch = [trace("w", kept - BATCH + n) for n in range(BATCH)]
        if disk.is_off:
            return
        keep_traces(door.store, "local", "p", batch, redact_extra=(), position=("w", kept))
        told.append(["kept", str(kept)])
        for raw in door.ask(lambda r: r.traces("local", state=RAW, limit=BATCH // 2)):
            if disk.is_off:
                return
            work_off(door, "w", raw)
            told.append(["made", raw.id])


def test_processes_that_keep_the_same_traces_keep_each_once(tmp_path: Path, child_environment: dict[str, str]) -> None:
    """They also make the file: none of them is there first."""
    path, count, processes = tmp_path / "marrow.db", 40 * BATCH, 3
    commands = [[sys.executable, WRITER, "same", str(path), f"process{n}", str(count)] for n in range(processes)]
    pipe = subprocess.PIPE
    writers = [subprocess.Popen(c, stdout=pipe, stderr=pipe, env=child_environment) for c in commands]
    with ThreadPoolExecutor(processes) as pool:
        outputs = list(pool.map(lambda writer: writer.communicate(timeout=120), writers))
    assert [errors for _, errors in outputs] == [b""] * processes
    new = [int(line.split()[1]) for told, _ in outputs for line in told.decode().splitlines() if " " in line]
    assert sum(new) == count
    store = SqliteStore(str(path))
    with store.reading() as reader:
        found = reader.traces("local", limit=CURRENT)
    assert sorted(one.id for one in found) == sorted(f"all-{n}" for n in range(count))
    numbers = [one.number for one in found]
    assert numbers == sorted(set(numbers))
    store.close()


def test_threads_that_keep_the_same_traces_keep_each_once(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "marrow.db"))
    every = [trace("all", number) for number in range(10 * BATCH)]

    def keep(_: int) -> int:
        batches = [every[at : at + BATCH] for at in range(0, len(every), BATCH)]
        return sum(keep_traces(store, "local", "p", some, redact_extra=(), position=None) for some in batches)

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(keep, range(4))) == len(every)
    store.close()


def test_reports_are_in_a_backup_and_come_back_with_it(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "marrow.db"))
    door = Door(store)
    keep_traces(store, "local", "p", [trace("w", n) for n in range(3)], redact_extra=(), position=("w", 3))
    work_off(door, "w", door.ask(lambda r: r.traces("local"))[0])
    with store.writing() as writer:
        writer.note_injections("local", "p", [Injection("w", "t1", START, "prompt", "a" * 64, 40)])
    before = picture(store, apart=True)
    store.backup(str(tmp_path / "copy.backup"))
    with store.writing() as writer:
        assert writer.erase_sessions("local", "", None) == 5
        writer.drop_inbox("w")
    store.restore(str(tmp_path / "copy.backup"))
    assert picture(store, apart=True) == before
    assert door.ask(lambda r: r.inbox_position("w")) == 3
    store.close()


@pytest.mark.parametrize(
    ("name", "index"),
    [
        ("traces_raw", "traces_raw"),
        ("traces_failed", "traces_failed"),
        ("traces_of_session", "traces_by_session"),
        ("sessions_of_project", "sessions_by_project"),
        ("injections_of_session", "injections_by_session"),
        ("injections_of_address", "injections_by_address"),
        ("prune_traces", "traces_by_at"),
        ("erase_entry_traces", "traces_by_session"),
    ],
)
def test_what_is_asked_often_is_found_by_an_index_in_its_order(tmp_path: Path, name: str, index: str) -> None:
    store = SqliteStore(str(tmp_path / "marrow.db"))
    connection, sql = store._connection(), queries()[name]
    count = apsw.ext.query_info(connection, sql).bindings_count
    plan = " | ".join(row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", (None,) * count))
    store.close()
    assert index in plan
    assert "TEMP B-TREE" not in plan
