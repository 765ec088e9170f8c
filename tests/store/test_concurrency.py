"""Many writers and readers at once: nothing lost, nothing doubled, every view consistent, nobody blocked for long."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from marrow.model.address import address_of
from marrow.model.errors import Internal, StoreLocked, Unavailable
from marrow.model.merkle import root_of
from marrow.model.node import Node
from marrow.model.record import CURRENT
from marrow.store.chains import broken_at
from marrow.store.protocol import Reader, Store, Writer
from marrow.store.sqlite import SqliteStore

from .door import START, Door, picture, vector_of, verify
from .writer_process import SHARED

PROCESSES, SAVES = 8, int(os.environ.get("MARROW_TEST_CONCURRENT_SAVES", "20"))
WRITER = str(Path(__file__).parent / "writer_process.py")


def check_view(reader: Reader) -> int:
    """One view: its head is the end of its chain, and its root that of its standings."""
    head = reader.head("local")
    events = list(reader.events("local", latest=True, limit=20))
    assert [e.seq for e in events] == list(range(head.seq, max(0, head.seq - 20), -1))
    if events:
        assert (events[0].hash, events[0].root) == (head.hash, head.root)
        assert broken_at(reversed(events)) is None
        assert root_of(reader.leaves("local", CURRENT)) == head.root
    sizes = reader.sizes()
    assert sizes["entries"] == sizes["words"] == sizes["vectors"]
    assert reader.head("local") == head
    return head.seq


def test_what_is_acknowledged_while_a_backup_is_restored_is_in_the_store_or_in_a_copy_that_is_kept(
    tmp_path: Path, child_environment: dict[str, str]
) -> None:
    path, copy = tmp_path / "marrow.db", tmp_path / "base.backup"
    store = SqliteStore(str(path), busy_timeout_ms=60_000)
    Door(store).say("Everything begins here.")
    store.backup(str(copy))
    commands = [[sys.executable, WRITER, "saves", str(path), f"process{n}", str(4 * SAVES)] for n in range(2)]
    writers = [subprocess.Popen(c, stdout=subprocess.PIPE, env=child_environment) for c in commands]
    kept: list[Path] = []
    with ThreadPoolExecutor(len(writers)) as pool:
        outputs = [pool.submit(writer.communicate) for writer in writers]
        while any(not output.done() for output in outputs):
            kept.append(tmp_path / f"kept-{len(kept)}.backup")
            store.restore(str(copy), str(kept[-1]))
    told = b"".join(output.result()[0] for output in outputs).decode().splitlines()
    acknowledged = {line.split()[1] for line in told if line.startswith("own ")}
    assert [writer.returncode for writer in writers] == [0, 0]
    assert len(acknowledged) == 2 * 4 * SAVES
    store.close()
    found: set[str] = set()
    for file in (path, *kept):
        copied = SqliteStore(str(file), read_only=True)
        verify(copied)
        with copied.reading() as reader:
            found.update(reader.addresses("local", "", None, CURRENT))
        copied.close()
    assert acknowledged <= found


def test_eight_processes_write_to_one_file(tmp_path: Path, child_environment: dict[str, str]) -> None:
    """They also make the file: none of them is there first."""
    path = tmp_path / "marrow.db"
    commands = [[sys.executable, WRITER, "saves", str(path), f"process{n}", str(SAVES)] for n in range(PROCESSES)]
    writers = [
        subprocess.Popen(c, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=child_environment) for c in commands
    ]
    with ThreadPoolExecutor(PROCESSES) as pool:
        outputs = [pool.submit(writer.communicate) for writer in writers]
        views = []
        while not path.exists() and any(writer.poll() is None for writer in writers):
            pass
        store = SqliteStore(str(path), busy_timeout_ms=60_000)
        while any(not output.done() for output in outputs):
            with store.reading() as reader:
                views.append(check_view(reader))
    for writer, output in zip(writers, outputs, strict=True):
        told, errors = output.result()
        assert (writer.returncode, errors) == (0, b"")
        assert told.endswith(b"done\n")
    assert views == sorted(views)
    verify(store)
    assert store.problems() == []
    door = Door(store)
    with store.reading() as reader:
        assert reader.head("local").seq == 2 * PROCESSES * SAVES
        entries = {
            r.node.content: r.entry
            for r in reader.records("local", reader.addresses("local", "", None, 10**6), None, CURRENT)
        }
        said = reader.occurrences(list(entries.values()), CURRENT)
    assert len(entries) == PROCESSES * SAVES + len(SHARED)
    for content, entry in entries.items():
        by = sorted(o.thread for o in said[entry])
        if content in SHARED:
            assert len(by) == PROCESSES * len(range(SHARED.index(content), SAVES, len(SHARED)))
            assert door.standing(address_of("claim", content)).reinforced == len(by) - 1
        else:
            assert len(by) == 1
    acknowledged = {
        line.split()[1] for output in outputs for line in output.result()[0].decode().splitlines() if " " in line
    }
    assert acknowledged == {address_of("claim", content) for content in entries}
    store.close()


def test_threads_of_one_process_write_and_read_at_once(store: Store) -> None:
    first = Door(store)
    first.say("apple begins")
    threads, saves = 6, 15
    stop = threading.Event()
    problems: list[BaseException] = []

    def read() -> None:
        try:
            while not stop.is_set():
                with store.reading() as reader:
                    check_view(reader)
                    for entry, score in reader.nearest("local", vector_of("apple banana"), None, None, 50):
                        assert entry > 0
                        assert 0 < score <= 1.001
                    reader.match("local", ["appl"], None, None, 50)
        except BaseException as problem:  # noqa: BLE001
            problems.append(problem)

    def write(number: int) -> None:
        door = Door(store, seed=number)
        for n in range(saves):
            door.say(f"apple {number} {n}", thread=str(number))
            door.say("apple for all", thread=str(number), at=START + n)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(write, n) for n in range(threads)]:
            done.result()
    stop.set()
    for reader in readers:
        reader.join()
    assert problems == []
    verify(store)
    assert len(first.select()) == threads * saves + 2
    shared = first.record(address_of("claim", "apple for all"))
    with store.reading() as view:
        assert len(view.occurrences([shared.entry], CURRENT)[shared.entry]) == threads * saves
        assert view.head("local").seq == 1 + 2 * threads * saves
    assert len(first.near("apple", limit=1000)) == threads * saves + 2


@pytest.fixture
def file_store(tmp_path: Path) -> SqliteStore:
    return SqliteStore(str(tmp_path / "marrow.db"), busy_timeout_ms=30)


def test_writer_that_waits_too_long_gets_an_error_that_says_try_again(file_store: SqliteStore) -> None:
    door = Door(file_store)
    door.say("Known.")
    before = picture(file_store)
    other = apsw.Connection(file_store.path)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreLocked) as caught:
        door.say("Too late.")
    assert caught.value.retryable
    assert caught.value.exit_code == 75
    assert caught.value.hint
    assert picture(file_store) == before
    other.execute("ROLLBACK")
    other.close()
    door.say("Now.")
    assert sorted(door.select()) == ["Known.", "Now."]
    file_store.close()


def test_writer_waits_for_another_and_then_writes(tmp_path: Path) -> None:
    store = SqliteStore(str(tmp_path / "marrow.db"), busy_timeout_ms=30_000)
    door = Door(store)
    other = apsw.Connection(store.path)
    other.execute("BEGIN IMMEDIATE")
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(door.say, "Patience.")
        with pytest.raises(TimeoutError):
            waiting.result(timeout=0.05)
        assert door.select() == []
        other.execute("ROLLBACK")
        other.close()
        waiting.result(timeout=30)
    assert door.select() == ["Patience."]
    store.close()


def test_reader_is_not_blocked_by_an_open_write_and_sees_nothing_of_it(file_store: SqliteStore) -> None:
    door = Door(file_store)
    address = door.say("Known.")
    before = picture(file_store)
    with ThreadPoolExecutor(1) as pool, file_store.writing() as writer:
        entry = writer.records("local", [address], None, CURRENT)[0].entry
        writer.index_words(entry, "other", "")
        writer.count_use([entry], False, START)
        assert pool.submit(picture, file_store).result(timeout=30) == before
        assert pool.submit(door.find, "known").result(timeout=30) == ["Known."]
        assert door.find("other") == ["Known."]  # The thread that writes sees what it wrote.
    assert door.find("known") == []
    file_store.close()


def test_open_view_stays_as_it_was_while_others_write(file_store: SqliteStore) -> None:
    door = Door(file_store)
    door.say("First.")
    with ThreadPoolExecutor(1) as pool, file_store.reading() as reader:
        head = reader.head("local")
        for n in range(5):
            pool.submit(door.say, f"Later {n}.").result(timeout=30)
        assert reader.head("local") == head
        assert check_view(reader) == 1
        assert len(reader.match("local", ["later"], None, None, 10)) == 0
    assert door.seq() == 6
    file_store.close()


def test_writer_that_holds_the_store_does_not_keep_it_from_being_opened(file_store: SqliteStore) -> None:
    Door(file_store).say("Known.")
    with file_store.writing():
        other = SqliteStore(file_store.path, busy_timeout_ms=30)
        with other.reading() as reader:
            assert reader.head("local").seq == 1
        with pytest.raises(StoreLocked):
            Door(other)
        other.close()
    file_store.close()


def test_store_that_came_through_a_fork_is_refused_and_nothing_is_lost(
    file_store: SqliteStore, child_environment: dict[str, str]
) -> None:
    """In a process of its own: forking a test run with threads in it is asking for trouble."""
    file_store.close()
    program = (
        "import os, sys\n"
        "from marrow.model.errors import Unavailable\n"
        "from marrow.store.sqlite import SqliteStore\n"
        "from tests.store.door import Door, verify\n"
        "store = SqliteStore(sys.argv[1]); door = Door(store); door.say('Parent.')\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    try:\n"
        "        door.say('Child.')\n"
        "    except Unavailable:\n"
        "        store.close(); os._exit(0)\n"
        "    os._exit(1)\n"
        "assert os.waitpid(pid, 0)[1] == 0\n"
        "door.say('Parent again.'); verify(store)\n"
        "assert sorted(door.select()) == ['Parent again.', 'Parent.']\n"
    )
    command = [sys.executable, "-c", program, file_store.path]
    assert subprocess.run(command, env=child_environment, capture_output=True, timeout=60).stderr == b""


def test_closed_store_says_that_it_is_closed(file_store: SqliteStore) -> None:
    file_store.close()
    with pytest.raises(Unavailable, match="closed"), file_store.reading():
        pass


def test_threads_that_have_ended_leave_no_connection_behind(file_store: SqliteStore) -> None:
    door = Door(file_store)
    for number in range(30):
        thread = threading.Thread(target=door.say, args=(f"Fact {number}.",))
        thread.start()
        thread.join()
    assert len(file_store._opened) <= 3
    assert len(door.select()) == 30
    file_store.close()


@pytest.mark.parametrize("outer", ["reading", "writing"])
def test_write_inside_an_open_view_of_the_same_thread_is_a_fault_that_says_so(
    file_store: SqliteStore, outer: str
) -> None:
    door = Door(file_store)
    door.say("Known.")
    before = picture(file_store)
    with pytest.raises(Internal), getattr(file_store, outer)():
        door.say("Inside.")
    assert picture(file_store) == before
    door.say("After.")
    file_store.close()


def test_stores_that_take_turns_go_on_where_the_other_ended(tmp_path: Path) -> None:
    """What one knows from its last write no longer holds when another has written, erased or failed since."""
    path = str(tmp_path / "marrow.db")
    one, other = Door(SqliteStore(path), seed=1), Door(SqliteStore(path), seed=2, project="q")
    addresses = []
    for number in range(6):
        for door, times in ((one, 2), (other, 1 + number % 2)):
            addresses += [door.say(f"note {number} {door.project} {time}", now=START) for time in range(times)]
    gone = one.say("to be erased")
    other.say("in between")
    one.erase(gone)

    def fail(writer: Writer) -> None:
        writer.place("local", "q", Node.make("claim", "never said"), START)
        raise Internal("on purpose", hint="none")

    with pytest.raises(Internal):
        other.do(also=fail)
    other.say("after all")
    one.say("after all")
    for door in (one, other):
        with door.store.reading() as reader:
            check_view(reader)
            assert len(reader.placed("local", addresses)) == len(addresses)
        verify(door.store)


def test_another_embedder_is_noticed_by_a_store_that_has_written(tmp_path: Path) -> None:
    path = str(tmp_path / "marrow.db")
    one, other = Door(SqliteStore(path)), Door(SqliteStore(path), project="q")
    one.say("first")
    with other.store.writing() as writer:
        writer.clear_vectors("another", 8)
    with one.store.writing() as writer:
        assert writer.vector_model() == ("another", 8)
        writer.clear_vectors("a third", 4)
        assert writer.vector_model() == ("a third", 4)
    with one.store.writing() as writer:
        assert writer.vector_model() == ("a third", 4)
