"""The index of commits under concurrency, and what it holds of each message."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from marrow.memory.engine import Asker, Engine
from marrow.memory.git import commit_index as module
from marrow.memory.git.commit_file import CommitFile
from marrow.memory.git.commit_index import CommitIndex, index_folder
from marrow.memory.git.search_commits import search_commits
from marrow.memory.git.segment import Segment, joined, segment_from, segment_of
from marrow.model.errors import MarrowError
from marrow.repository.head import repository_at

from .conftest import Saying


def holders(segment: Segment, term: str) -> list[tuple[int, int]]:
    start, end = segment.span(term)
    return [(int(one) >> 8, int(one) & 255) for one in segment.postings[start:end]]


def test_a_segment_knows_which_message_has_a_term_how_often() -> None:
    made = segment_of(1, ["cache the cache", "nothing", "a cache"])
    assert holders(made, "cach") == [(0, 2), (2, 1)]
    assert holders(made, "absent") == []
    assert [int(length) for length in made.lengths] == [3, 1, 2]


def test_a_segment_reads_back_as_it_was_written() -> None:
    made = segment_of(5, ["cache the cache", "späß und freude", "a cache"])
    again = segment_from(5, *made.blobs())
    assert list(again.terms) == list(made.terms)
    assert holders(again, "cach") == holders(made, "cach")


def test_segments_that_follow_each_other_can_be_one() -> None:
    texts = ["cache the cache", "nothing here", "a cache", "the end of the cache", ""]
    parts = [segment_of(1, texts[:2]), segment_of(3, texts[2:3]), segment_of(4, texts[3:])]
    whole, together = segment_of(1, texts), joined(parts)
    assert list(together.terms) == list(whole.terms)
    assert all(holders(together, term) == holders(whole, term) for term in whole.terms)
    assert together.lengths.tolist() == whole.lengths.tolist()


def test_messages_without_a_word_are_held_too() -> None:
    made = segment_of(1, ["", "!!!"])
    assert list(made.terms) == []
    assert list(segment_from(1, *made.blobs()).terms) == []


def test_many_that_open_a_new_index_at_once_all_can(tmp_path: Path) -> None:
    """To turn on the log of a file is what SQLite does not wait for by itself."""
    problems: list[MarrowError] = []

    def first_look(path: Path, start: threading.Barrier) -> None:
        file = CommitFile(path)
        start.wait()
        try:
            with file.reading():
                pass
        except MarrowError as problem:
            problems.append(problem)
        finally:
            file.close()

    for number in range(60):
        start = threading.Barrier(6)
        given = (tmp_path / f"{number}.db", start)
        threads = [threading.Thread(target=first_look, args=given) for _ in range(start.parties)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert problems == []


def test_several_processes_that_read_at_once_keep_each_commit_once(
    engine: Engine, asker: Asker, say: Saying, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each of them has its own connection and its own idea of what is there, as processes have."""
    monkeypatch.setattr(module, "BATCH", 3)
    for number in range(20):
        say(f"Animal number {number} is a quokka")
    place = repository_at(asker.root)
    path = index_folder(engine) / "shared.commits.db"
    many = [CommitIndex(path, engine.embedder) for _ in range(4)]
    problems: list[BaseException] = []
    start = threading.Barrier(len(many))

    def read(index: CommitIndex) -> None:
        try:
            start.wait()
            index.update(place)
        except BaseException as problem:
            problems.append(problem)
            raise

    threads = [threading.Thread(target=read, args=(index,)) for index in many]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    with many[0].reading() as reader:
        assert reader.last() == 21
        sizes = reader.segment_sizes()
    assert sum(count for _, count in sizes) == 21
    covered = [number for first, count in sizes for number in range(first, first + count)]
    assert covered == list(range(1, 22))
    for index in many:
        assert index.update(place).missing == frozenset()


def test_threads_share_an_index_while_the_history_grows(engine: Engine, asker: Asker, say: Saying) -> None:
    say("Animal number 0 is a quokka")
    found: list[int] = []

    def look() -> None:
        found.extend(len(search_commits(engine, asker, asker.root, "quokka").items) for _ in range(5))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(1, 4):
        say(f"Animal number {number} is a quokka")
    for thread in threads:
        thread.join()
    assert len(found) == 20
    assert min(found) >= 1
    assert len(search_commits(engine, asker, asker.root, "quokka").items) == 4


def test_only_its_owner_can_read_the_index(engine: Engine, asker: Asker) -> None:
    search_commits(engine, asker, asker.root, "first")
    (path,) = Path(index_folder(engine)).glob("*.commits.db")
    assert path.stat().st_mode & 0o077 == 0
