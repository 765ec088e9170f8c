"""The power goes at a random write: what was acknowledged is there, and nothing is half.

MARROW_TEST_POWER_CUTS asks for more. That the harness can see a loss is shown by running it without synchronisation.
"""

from __future__ import annotations

import itertools
import os
from pathlib import Path
from random import Random

import apsw
import pytest

from marrow.model.change import Say
from marrow.model.errors import MarrowError
from marrow.model.node import Occurrence
from marrow.model.record import CURRENT, Filter
from marrow.store.sqlite import SqliteStore

from .door import START, Door, verify
from .losing_disk import LosingDisk, LosingFile

CUTS = int(os.environ.get("MARROW_TEST_POWER_CUTS", "200"))
BATCH = 5
_names = itertools.count()


class Loss(AssertionError):
    """Something that was acknowledged is not there, or something is half."""


def write_until_the_cut(
    folder: Path, images: dict[str, bytes], seed: int, synchronous: str = ""
) -> tuple[dict[str, bytes], list[str]]:
    """Write to a disk that loses power; what survived of it, and the addresses that were acknowledged."""
    chance = Random(seed)
    disk = LosingDisk(f"losing-{next(_names)}", chance)
    path = str(folder / "marrow.db")
    disk.files = {path + suffix: LosingFile(image, named=True) for suffix, image in images.items()}
    # Opening and making the tables are some 200 operations; a fresh file is cut there as well.
    disk.cut_after = chance.randrange(5, 300 if images else 500)
    told: list[str] = []
    store = None
    try:
        store = SqliteStore(path, vfs=disk.name)
        connection = store._connection()
        connection.pragma("wal_autocheckpoint", chance.choice((2, 10, 4000)))
        if synchronous:
            connection.pragma("synchronous", synchronous)
        _write(Door(store, seed=seed), disk, seed, chance, told)
    except (MarrowError, apsw.IOError):
        pass
    assert disk.is_off, "the power must go while something is written"
    if store is not None:
        store.close()
    survived = {name.removeprefix(path): image for name, image in disk.survived.items() if name.startswith(path)}
    disk.unregister()
    return survived, told


def _write(door: Door, disk: LosingDisk, seed: int, chance: Random, told: list[str]) -> None:
    """The write during which the power goes may still be acknowledged: when it was only tidying up after its commit."""
    last = ""
    for number in itertools.count():
        if disk.is_off:
            return
        move = chance.randrange(6)
        if move == 0:
            says = [Say("claim", f"Batch {seed}-{number} item {n}.", Occurrence(START)) for n in range(BATCH)]
            told += [outcome.address for outcome in door.do(*says).outcomes]
        elif move == 1 and last:
            last = door.supersede(last, f"Version {seed}-{number}.")
            told.append(last)
        elif move == 2 and last and chance.random() < 0.3:
            told.remove(last)  # Until it is acknowledged, it may be there or not.
            door.erase(last)
            last = ""
        elif move == 2:
            connection = door.store._connection()  # type: ignore[attr-defined]
            mode = chance.choice(("PASSIVE", "FULL", "TRUNCATE"))
            connection.execute(f"PRAGMA wal_checkpoint({mode})").fetchall()
        else:
            last = door.say(f"Fact {seed}-{number}: " + "padding " * chance.randrange(600))
            told.append(last)


def check_survivors(folder: Path, survived: dict[str, bytes], told: set[str]) -> dict[str, bytes]:
    """Open what survived in the ordinary way: every address told of is there, and all is whole. The files then."""
    for old in folder.glob("found.db*"):
        old.unlink()
    path = folder / "found.db"
    for suffix, image in survived.items():
        Path(f"{path}{suffix}").write_bytes(image)
    try:
        store = SqliteStore(str(path))
        if store.problems():
            store.sweep()  # An erasure whose sweeping was cut short says so, and is swept.
        if store.problems():
            raise Loss(store.problems())
        verify(store)
        door = Door(store)
        _check_content(door, told)
        door.say("And the store can be written again.", thread=str(len(told)))
        verify(store)
        store.close()
    except (MarrowError, apsw.Error) as problem:
        raise Loss(str(problem)) from problem
    return {"": path.read_bytes()}


def _check_content(door: Door, told: set[str]) -> None:
    with door.store.reading() as reader:
        entries = reader.select("local", Filter(include_superseded=True), CURRENT, 0)
        records = reader.records_of(entries, CURRENT)
        sizes = reader.sizes()
    missing = told - {record.node.address for record in records}
    if missing:
        raise Loss(f"{len(missing)} acknowledged nodes are gone")
    batches: dict[str, int] = {}
    for record in records:
        if not record.node.is_true_to_address():
            raise Loss("a node is not what its address says")
        if record.node.content.startswith("Batch "):
            name = record.node.content.split()[1]
            batches[name] = batches.get(name, 0) + 1
    if not set(batches.values()) <= {BATCH}:
        raise Loss("a batch is half")
    if not sizes["entries"] == sizes["words"] == sizes["vectors"]:
        raise Loss("an index is half")


def test_acknowledged_writes_survive_the_loss_of_power(tmp_path: Path) -> None:
    images: dict[str, bytes] = {}
    told: set[str] = set()
    total = kept = 0
    for number in range(CUTS):
        if number % 10 == 0:
            images, told = {}, set()
        survived, acknowledged = write_until_the_cut(tmp_path, images, seed=number)
        told |= set(acknowledged)
        total += len(acknowledged)
        kept += sum(map(len, survived.values())) > 0
        images = check_survivors(tmp_path, survived, told)
    assert total > 3 * CUTS, "the power must go late enough for something to be acknowledged"
    assert kept > CUTS // 2


@pytest.mark.parametrize("synchronous", ["OFF", "NORMAL"])
def test_harness_sees_the_loss_when_writes_are_not_synchronised(tmp_path: Path, synchronous: str) -> None:
    losses = 0
    for seed in range(60):
        survived, acknowledged = write_until_the_cut(tmp_path, {}, seed, synchronous)
        try:
            check_survivors(tmp_path, survived, set(acknowledged))
        except Loss:
            losses += 1
    assert losses >= 3


def test_commit_synchronises_before_it_is_acknowledged(tmp_path: Path) -> None:
    """After every acknowledged write nothing of the log waits to be synchronised."""
    disk = LosingDisk("watched", Random(0))
    path = str(tmp_path / "marrow.db")
    store = SqliteStore(path, vfs=disk.name)
    door = Door(store)
    # The journal that a new file begins with would undo everything if it came back.
    assert [name for name in disk.gone if name.endswith("-journal")] == []
    for number in range(10):
        door.say(f"Fact {number}.")
        assert disk.files[path + "-wal"].writes == []
        assert disk.files[path + "-wal"].named
    store.close()
    disk.unregister()
