"""What a SQLite store keeps in memory of its words must never be seen in an answer."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import marrow
from marrow.model.node import Node
from marrow.store.sqlite import words
from marrow.store.sqlite.postings import EMPTY, Postings
from marrow.store.sqlite.vectors import WORDS


@pytest.fixture
def memory(tmp_path: Path) -> marrow.Memory:
    return marrow.open(store=str(tmp_path / "m.db"), project="p", embedder="none")


def found(memory: marrow.Memory, query: str) -> set[str]:
    return {item.content for item in memory.search(query, limit=50).items}


@pytest.fixture(params=["exact", "guessing"])
def _path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "guessing":
        monkeypatch.setattr(words, "POSTINGS_MAX", 4)


@pytest.mark.usefixtures("_path")
def test_what_is_said_after_a_search_is_found_by_the_next(memory: marrow.Memory) -> None:
    memory.save("the heron stands in the reeds")
    assert len(found(memory, "heron")) == 1
    for number in range(8):
        memory.save(f"heron number {number} was counted")
        assert len(found(memory, "heron")) == number + 2


@pytest.mark.usefixtures("_path")
def test_tags_that_change_are_found_and_those_that_are_gone_are_not(memory: marrow.Memory) -> None:
    saved = memory.save("the pump runs at night", tags=["quagga"])
    memory.save("another text")
    assert found(memory, "quagga") == {"the pump runs at night"}
    memory.update(saved.items[0].address, tags=["okapi"])
    assert found(memory, "okapi") == {"the pump runs at night"}
    assert found(memory, "quagga") == set()


@pytest.mark.usefixtures("_path")
def test_another_process_that_writes_is_seen(memory: marrow.Memory, tmp_path: Path) -> None:
    memory.save("the heron stands in the reeds")
    assert len(found(memory, "heron")) == 1
    with marrow.open(store=str(tmp_path / "m.db"), project="p") as other:
        other.save("a second heron")
    assert len(found(memory, "heron")) == 2


@pytest.mark.usefixtures("_path")
def test_what_was_erased_is_gone(memory: marrow.Memory) -> None:
    saved = memory.save("the heron stands in the reeds")
    memory.save("a second heron")
    assert len(found(memory, "heron")) == 2
    memory.erase(address=saved.items[0].address, dry_run=False, confirm=True)
    assert found(memory, "heron") == {"a second heron"}


def test_what_was_read_before_the_words_changed_is_not_kept() -> None:
    kept = Postings()
    kept.renew(1, "before")
    kept.renew(1, "after")
    kept.hold((1, "heron"), EMPTY, "before")
    kept.hold_count((1, "heron"), 3, 7, "before")
    assert kept.held((1, "heron"), "after") is None
    assert kept.count((1, "heron"), "after") == (0, 0)


@pytest.mark.usefixtures("_path")
def test_a_view_sees_the_words_as_they_were_though_another_thread_changes_them(memory: marrow.Memory) -> None:
    saved = memory.save("the pump runs at night", tags=["quagga"]).items[0].address
    memory.save("another text of the pump")

    def change() -> None:
        memory.update(saved, tags=["okapi"])
        assert len(found(memory, "okapi")) == 1

    def entries(term: str) -> int:
        return len(view.match("local", [term], ("p",), None, 10))

    with memory.engine.store.reading() as view:
        assert entries("quagga") == 1
        other = threading.Thread(target=change)
        other.start()
        other.join()
        assert (entries("quagga"), entries("okapi")) == (1, 0)
        assert view.frequencies("local", ["okapi", "quagga"], ("p",))[1] == {"okapi": 0, "quagga": 1}


def test_a_write_finds_what_it_has_just_placed(memory: marrow.Memory) -> None:
    memory.save("the heron stands")
    with memory.engine.store.writing() as writer:
        assert len(writer.match("local", ["heron"], ("p",), None, 10)) == 1
        entry, _ = writer.place("local", "p", Node.make("insight", "a second heron"), 1)
        writer.index_words(entry, "second heron", "")
        assert writer.frequencies("local", ["heron"], ("p",))[1] == {"heron": 2}


def test_the_terms_asked_for_longest_ago_go_first() -> None:
    kept = Postings(bytes_max=3 * EMPTY.size)
    kept.renew(1, "")
    for term in ("a", "b", "c"):
        kept.hold((1, term), EMPTY, "")
    assert kept.held((1, "a"), "") is not None
    kept.hold((1, "d"), EMPTY, "")
    assert kept.held((1, "b"), "") is None
    assert kept.held((1, "a"), "") is not None


def test_what_is_said_again_of_the_same_file_leaves_what_is_kept_of_the_words(memory: marrow.Memory) -> None:
    def say(number: int, *paths: str) -> None:
        anchors = [{"type": "file", "target": path} for path in paths]
        memory.save("the pump was mended", anchors=anchors, thread=f"t{number}")

    def state() -> list[str | None]:
        with memory.store.reading() as reader:
            return [reader.fact(f"{WORDS}{number}") for number in range(4)]  # type: ignore[attr-defined]

    say(1, "src/pump.py")
    before = state()
    say(2, "src/pump.py")
    assert state() == before
    say(3, "src/pump.py", "src/quagga.py")
    assert state() != before
    assert found(memory, "quagga") == {"the pump was mended"}
    assert found(memory, "pump.py") == {"the pump was mended"}


def test_what_another_process_puts_away_and_takes_out_again_is_followed(memory: marrow.Memory, tmp_path: Path) -> None:
    said = {f"the heron counted at pond {number}" for number in range(2)}
    for text in said:
        memory.save(text, chain="ponds")
    memory.save("the heron of another day")
    with marrow.open(store=str(tmp_path / "m.db"), project="p", embedder="none") as other:
        for _ in range(3):
            other.stash("ponds")
            assert found(memory, "heron") == {"the heron of another day"}
            other.stash_pop("ponds")
            assert len(found(memory, "heron")) == 3
