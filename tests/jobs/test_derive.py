"""The background derives what is due, and lets a language model tell summaries better where it may be asked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import marrow
from marrow.app import Memory
from marrow.jobs.chores import Chores
from marrow.jobs.derive import Deriver
from marrow.jobs.place import Place
from marrow.model.address import address_of
from marrow.model.derivation import DONE, Derived
from marrow.model.errors import Unavailable
from marrow.settings import load
from marrow.store.sqlite.writer import SqliteWriter
from tests.providers.llm_service import FakeModel, status

LONG = "# Presses\n\n" + "The press is cleaned each Monday, by whoever comes first to the barn. " * 20
TOLD = "Whoever comes first on Monday cleans the press."


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MARROW_HOME", str(tmp_path / ".marrow"))
    folder = tmp_path / "orchard"
    folder.mkdir()
    with marrow.open(folder, store=str(tmp_path / "marrow.db"), project="orchard") as opened:
        yield opened


@pytest.fixture
def model() -> Iterator[FakeModel]:
    with FakeModel(TOLD, key=None) as running:
        yield running


def place(memory: Memory, model: FakeModel, **chosen: Any) -> Place:
    given = {"llm": f"{model.url}/v1", "summary.model": "large", "llm.daily_tokens": 10**6, **chosen}
    return memory.place._replace(settings=load(given, cwd=memory.settings.get("home", str)))


def derived(memory: Memory) -> Deriver:
    """Everything local is done; the one who did it."""
    deriver = Deriver()
    while deriver.own(memory.place).more:
        pass
    return deriver


def summary(memory: Memory, text: str = LONG) -> Derived:
    with memory.store.reading() as reader:
        (row,) = reader.derived("local", [address_of("document", text.strip())], names=["summary"])
    return row


def test_model_tells_a_summary_better_once_and_its_cost_is_on_record(memory: Memory, model: FakeModel) -> None:
    memory.save(LONG, kind="document")
    memory.save("# Short\n\nA short one.", kind="document")
    deriver = derived(memory)
    assert (summary(memory).model, summary(memory).provider) == ("", "local")
    assert deriver.summarise(place(memory, model), 5) == 1
    row = summary(memory)
    assert (row.result, row.state) == (TOLD, DONE)
    assert row.model.endswith("large")
    assert row.tokens > 0
    assert len(model.requests) == 1
    assert deriver.summarise(place(memory, model), 5) == 0
    assert derived(memory).summarise(place(memory, model), 5) == 0
    assert len(model.requests) == 1
    assert summary(memory).result == TOLD


@pytest.mark.parametrize("chosen", [{"llm": "none"}, {"llm.daily_tokens": 0}, {"capture.enabled": False}])
def test_nothing_is_sent_that_may_not_be(memory: Memory, model: FakeModel, chosen: dict[str, Any]) -> None:
    memory.save(LONG, kind="document")
    assert derived(memory).summarise(place(memory, model, **chosen), 5) == 0
    assert model.requests == []


def test_confidential_document_is_not_sent(memory: Memory, model: FakeModel) -> None:
    memory.save(LONG, kind="document", classification="confidential")
    assert derived(memory).summarise(place(memory, model), 5) == 0
    assert model.requests == []


def test_local_summary_stays_when_the_model_fails_or_says_nonsense(memory: Memory, model: FakeModel) -> None:
    memory.save(LONG, kind="document")
    deriver = derived(memory)
    before = summary(memory)
    model.troubles.append(status(500))
    assert deriver.summarise(place(memory, model), 5) == 0
    assert summary(memory) == before
    model.answer = "long " * 200
    later = memory.place.engine.clock() + 3_600_000_000 * 2
    for _ in range(4):
        there = place(memory, model)
        there = there._replace(engine=replace(there.engine, clock=lambda: later))
        assert deriver.summarise(there, 5) == 0
    assert summary(memory).value == before.value
    asked = len(model.requests)
    assert deriver.summarise(place(memory, model), 5) == 0
    assert len(model.requests) == asked


def test_turn_of_the_daemon_derives_and_then_rests(memory: Memory, tmp_path: Path) -> None:
    memory.save(LONG, kind="document")
    here = memory.place
    chores = Chores(str(tmp_path), lambda *_: here, lambda: here, lambda: [here], lambda: None, lambda: [here])
    for _ in range(50):
        if not chores.turn(lambda: False):
            break
    else:
        raise AssertionError("the background never comes to rest")
    chores.stop()
    assert summary(memory).state == DONE
    assert chores.state()["since_start"]["derived"] > 0


def test_turn_of_the_daemon_renews_words_from_before_terms_were_made_otherwise(memory: Memory, tmp_path: Path) -> None:
    memory.save("Die Straße ist lang.")
    here = memory.place
    with here.engine.store.writing() as writer:
        assert isinstance(writer, SqliteWriter)
        writer.note_terms("1")
    assert here.engine.store.has_old_words()
    chores = Chores(str(tmp_path), lambda *_: here, lambda: here, lambda: [here], lambda: None, lambda: [here])
    chores.turn(lambda: False)
    chores.stop()
    assert not here.engine.store.has_old_words()


def test_words_of_a_broken_store_are_not_looked_at_with_each_turn(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.save("Die Straße ist lang.")
    here = memory.place
    with here.engine.store.writing() as writer:
        assert isinstance(writer, SqliteWriter)
        writer.note_terms("1")
    looks: list[object] = []

    def is_broken(store: object) -> bool:
        looks.append(store)
        return True

    monkeypatch.setattr(type(here.engine.store), "is_broken", is_broken)
    chores = Chores(str(tmp_path), lambda *_: here, lambda: here, lambda: [here], lambda: None, lambda: [here])
    for _ in range(5):
        chores.turn(lambda: False)
    assert (len(looks), here.engine.store.has_old_words()) == (1, True)
    monkeypatch.setattr("marrow.jobs.chores.PUT_OFF_SECONDS", -1.0)
    chores._words_at.clear()
    chores.turn(lambda: False)
    chores.turn(lambda: False)
    chores.stop()
    assert len(looks) == 3


def test_turn_of_the_daemon_looks_for_entries_without_a_vector_once_in_a_while(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[object] = []

    def fill(engine: object) -> int:
        looks.append(engine)
        raise Unavailable("the service does not answer")

    monkeypatch.setattr("marrow.jobs.chores.fill_vectors", fill)
    here = memory.place
    chores = Chores(str(tmp_path), lambda *_: here, lambda: here, lambda: [here], lambda: None, lambda: [here])
    for _ in range(3):
        chores.turn(lambda: False)
    chores.stop()
    assert len(looks) == 1
