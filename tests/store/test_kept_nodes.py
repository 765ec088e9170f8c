"""The nodes that a SQLite store keeps between reads: the latest, within a bound, and never what is gone."""

from __future__ import annotations

import ctypes
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

import marrow
from marrow.model.node import Node
from marrow.model.record import CURRENT, Filter
from marrow.store.sqlite import kept_nodes
from marrow.store.sqlite.kept_nodes import AT_ONCE_MAX, KeptNodes
from marrow.store.sqlite.reader import SqliteReader
from marrow.store.sqlite.store import SqliteStore
from marrow.store.sqlite.writer import SqliteWriter


@pytest.fixture
def memory(tmp_path: Path) -> marrow.Memory:
    return marrow.open(store=str(tmp_path / "m.db"), project="p", embedder="none")


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many nodes each reading of nodes asked the file for."""
    counts: list[int] = []
    run = SqliteReader._run

    def counted(self: SqliteReader, name: str, bindings: object = ()) -> object:
        if name == "nodes_of_entries":
            assert isinstance(bindings, tuple)
            counts.append(bindings[0].count(",") + 1)
        return run(self, name, bindings)  # type: ignore[arg-type]

    monkeypatch.setattr(SqliteReader, "_run", counted)
    return counts


def contents(memory: marrow.Memory, query: str) -> set[str]:
    return {item.content for item in memory.search(query, limit=50).items}


def node(number: int) -> Node:
    return Node.make("claim", f"{number:0200d}")


def test_those_that_were_read_longest_ago_make_room_for_others() -> None:
    kept = KeptNodes(bytes_max=10 * (kept_nodes.NODE_BYTES + 300))
    for number in range(10):
        kept.keep({number: node(number)})
    assert set(kept.of([0, 1])) == {0, 1}
    for number in range(10, 18):
        kept.keep({number: node(number)})
    left = kept.of(list(range(18)))
    assert {0, 1, 17} <= set(left) <= {0, 1, *range(8, 18)}
    assert all(left[number] == node(number) for number in left)


def test_what_is_kept_twice_takes_room_once_and_what_is_too_large_leaves_none() -> None:
    kept = KeptNodes(bytes_max=5_000)
    for _ in range(100):
        kept.keep({1: node(1)})
    assert set(kept.of([1])) == {1}
    kept.keep({2: Node.make("claim", "x" * 6_000)})
    assert kept.of([1, 2]) == {}
    kept.keep({3: node(3)})
    assert set(kept.of([3])) == {3}


def test_what_python_keeps_beside_a_text_is_reckoned_with(tmp_path: Path) -> None:
    kept = KeptNodes(bytes_max=100_000)
    for number in range(300):
        one = Node.make("claim", f"{number} цапля " * 100)
        one.content.encode()
        kept.keep({number: one})
        ctypes.pythonapi.PyUnicode_AsUTF8(ctypes.py_object(one.content))  # as SQLite's binding and others do
    nodes = [one for one, _ in kept._nodes.values()]
    assert sum(sys.getsizeof(one.content) for one in nodes) <= 100_000
    many = tuple(f"{number:064x}" for number in range(300))
    for number in range(300, 600):
        kept.keep({number: Node.make("claim", f"{number}", many)})
    assert sum(len(one.inputs) for one, _ in kept._nodes.values()) * sys.getsizeof(many[0]) <= 100_000


def test_a_second_question_reads_no_text_again(memory: marrow.Memory, read: list[int]) -> None:
    for number in range(5):
        memory.save(f"the heron of pond {number}")
    first = contents(memory, "heron")
    read.clear()
    assert contents(memory, "heron") == first
    assert read == []
    memory.save("the heron of another pond")
    assert len(contents(memory, "heron")) == 6
    assert sum(read) == 1


def test_how_an_entry_stands_is_read_every_time(memory: marrow.Memory, tmp_path: Path) -> None:
    saved = memory.save("the heron stands in the reeds").items[0].address
    assert memory.search("heron").items[0].tags == ()
    with marrow.open(store=str(tmp_path / "m.db"), project="p", embedder="none") as other:
        other.update(saved, tags=["bird"])
    assert memory.search("heron").items[0].tags == ("bird",)


def test_an_erased_node_is_not_kept_by_another_process_either(memory: marrow.Memory, tmp_path: Path) -> None:
    memory.save("the heron stands in the reeds")
    saved = memory.save("the heron has a secret").items[0].address
    assert len(contents(memory, "heron")) == 2
    with marrow.open(store=str(tmp_path / "m.db"), project="p", embedder="none") as other:
        other.erase(address=saved, dry_run=False, confirm=True)
    assert contents(memory, "heron") == {"the heron stands in the reeds"}
    with memory.store.reading() as reader:
        assert isinstance(reader, SqliteReader)
        kept = reader._cache.nodes(reader)
        assert [one.content for one, _ in kept._nodes.values()] == ["the heron stands in the reeds"]


def test_after_a_restore_nothing_of_what_was_there_is_seen_though_it_was_killed_on_the_way(
    memory: marrow.Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.save("the heron has a secret")
    with marrow.open(store=str(tmp_path / "x.db"), project="p", embedder="none") as other:
        other.save("the heron stands in the reeds")
        other.store.backup(str(tmp_path / "x.backup"))
    stays = SqliteStore(str(tmp_path / "m.db"))  # as another process has it open

    def texts() -> list[str]:
        with stays.reading() as reader:
            return [
                one.node.content for one in reader.records_of(reader.select("local", Filter(), CURRENT, 0), CURRENT)
            ]

    assert texts() == ["the heron has a secret"]
    with monkeypatch.context() as killed:
        killed.setattr(SqliteWriter, "new_epoch", _killed)
        with pytest.raises(KeyboardInterrupt):
            memory.store.restore(str(tmp_path / "x.backup"))
    assert texts() == ["the heron stands in the reeds"]


def _killed(_: SqliteWriter) -> None:
    raise KeyboardInterrupt


def test_a_node_that_is_missing_in_a_damaged_file_takes_no_other_along(memory: marrow.Memory, tmp_path: Path) -> None:
    for number in range(3):
        memory.save(f"the heron of pond {number}")
    memory.close()
    with closing(sqlite3.connect(tmp_path / "m.db")) as file, file:
        file.execute("DELETE FROM nodes WHERE content = 'the heron of pond 1'")
    store = SqliteStore(str(tmp_path / "m.db"))
    with store.reading() as reader:
        entries = reader.select("local", Filter(), CURRENT, 0)
        kept = [one.node.content for one in reader.records_of([*entries, *range(1 << 32, (1 << 32) + 4)], CURRENT)]
    assert set(kept) == {"the heron of pond 0", "the heron of pond 2"}


def test_what_a_write_has_not_committed_is_kept_for_nobody(memory: marrow.Memory) -> None:
    memory.save("the heron stands in the reeds")
    with memory.store.writing(), memory.store.reading() as reader:
        assert isinstance(reader, SqliteReader)
        assert not reader.keeps


def test_who_reads_everything_drives_out_nothing(memory: marrow.Memory, read: list[int]) -> None:
    memory.save("the heron stands in the reeds")
    for number in range(AT_ONCE_MAX + 1):
        memory.save(f"pond {number}")
    assert contents(memory, "heron")
    with memory.store.reading() as reader:
        assert isinstance(reader, SqliteReader)
        entries = reader.select("local", Filter(), CURRENT, 0)
        read.clear()
        assert len(reader.records_of(entries, CURRENT)) == AT_ONCE_MAX + 2
        assert read == [AT_ONCE_MAX + 2]
    read.clear()
    assert contents(memory, "heron")
    assert read == []
