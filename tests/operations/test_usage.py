"""usage: what language models cost by day and purpose, what is left of the caps, and what sessions were told."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from marrow.app import Memory, open_memory
from marrow.memory.usage import ask
from marrow.model.errors import Invalid, RateLimited
from marrow.model.moments import MICROS_PER_DAY, micros
from marrow.model.session import Injection, Session
from marrow.providers.llm import Completion

from .conftest import PROJECT, Do

NOON = micros(datetime(2026, 3, 1, 12))


class Model:
    name = "test/plain"

    def __init__(self, problem: Exception | None = None) -> None:
        self.problem = problem

    def usd(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in + tokens_out) / 1_000_000

    def complete(self, system: str, prompt: str, max_tokens: int, timeout: float) -> Completion:
        if self.problem is not None:
            raise self.problem
        return Completion("well", 100, 20, self.usd(100, 20))


class Clock:
    def __init__(self) -> None:
        self.now = NOON

    def __call__(self) -> int:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(tmp_path: Path, clock: Clock) -> Iterator[Memory]:
    about: dict[str, Any] = {"llm": "anthropic", "llm_daily_tokens": 10_000, "llm_daily_usd": 0.5}
    store = str(tmp_path / "marrow.db")
    with open_memory(tmp_path, store=store, project=PROJECT, embedder="fake", clock=clock, **about) as opened:
        yield opened


def spend(memory: Memory, purpose: str, problem: Exception | None = None, *, heed: bool = True) -> None:
    engine = memory.engine
    ask(engine.store, engine.clock, engine.allowance, Model(problem), purpose, "", "x", 50, heed=heed)


def test_what_was_spent_is_told_by_day_and_purpose_with_what_is_left(
    memory: Memory, clock: Clock, do: Do, said: Do
) -> None:
    spend(memory, "summary")
    clock.now += MICROS_PER_DAY
    for purpose in ("summary", "observation", "observation"):
        spend(memory, purpose)
    found = do("usage")
    rows = [(i["day"], i["purpose"], i["calls"], i["tokens_in"], i["tokens_out"], i["usd"]) for i in found.items]
    assert rows == [
        ("2026-03-02", "summary", 1, 100, 20, 0.00012),
        ("2026-03-02", "observation", 2, 200, 40, 0.00024),
        ("2026-03-01", "summary", 1, 100, 20, 0.00012),
    ]
    assert found.today == {"tokens": 360, "usd": 0.00036}
    assert found.cap == {"tokens": 10_000, "usd": 0.5}
    assert found.left == {"tokens": 9_640, "usd": 0.49964}
    text = said("usage")
    assert "anthropic; today 360 of 10,000 tokens, $0.0004 of $0.50; left 9,640 tokens" in text
    assert "2 calls, 200 + 40 tokens, $0.0002" in text


def test_since_leaves_out_what_was_before(memory: Memory, clock: Clock, do: Do) -> None:
    spend(memory, "summary")
    clock.now += 3 * MICROS_PER_DAY
    spend(memory, "observation")
    assert [item["purpose"] for item in do("usage", since="1 day ago").items] == ["observation"]
    clock.now += 6 * MICROS_PER_DAY
    assert [item["purpose"] for item in do("usage").items] == ["observation"]
    with pytest.raises(Invalid):
        do("usage", since="the day after never")


def test_a_model_that_is_left_alone_after_a_failure_is_said_to_be(memory: Memory, do: Do, said: Do) -> None:
    with pytest.raises(RateLimited):
        spend(memory, "summary", RateLimited("busy"))
    found = do("usage")
    assert found.waits_until == "2026-03-01T12:01:00Z"
    assert found.today == {"tokens": 0, "usd": 0.0}
    assert "until 2026-03-01T12:01:00Z" in said("usage")


def test_caps_at_zero_are_said_to_mean_never(tmp_path: Path) -> None:
    with open_memory(tmp_path, store="memory:", project=PROJECT, embedder="fake", llm="anthropic") as opened:
        text = opened.perform("usage", {}).text
    assert "anthropic, never asked: the daily cap is 0 tokens" in text
    with open_memory(tmp_path, store="memory:", project=PROJECT, embedder="fake") as opened:
        assert "language model: none" in opened.perform("usage", {}).text


def test_what_sessions_were_told_and_what_was_called_is_counted(memory: Memory, do: Do, said: Do) -> None:
    told = [Injection(session, "t1", NOON, "prompt", "a" * 64, 40) for session in ("s1", "s1", "s2")]
    with memory.engine.store.writing() as writer:
        for name in ("s1", "s2"):
            writer.keep_session("local", Session(name, "codex", PROJECT, last_at=NOON))
        writer.note_injections("local", PROJECT, told)
    do("memory_save", content="Apples are red.")
    do("memory_recall", message="apples")
    found = do("usage")
    assert found.told == {"sessions": 2, "memories": 3, "tokens": 120}
    assert {done["operation"]: done["calls"] for done in found.operations} == {"memory_save": 1, "memory_recall": 1}
    assert "told to 2 sessions: 3 memories, 120 tokens" in said("usage")


def test_it_is_a_verb_of_the_memory_and_changes_nothing(memory: Memory) -> None:
    assert memory.usage().llm == "anthropic"
    with memory.engine.store.reading() as reader:
        assert reader.head("local").seq == 0


def test_an_address_is_shown_without_its_user(tmp_path: Path) -> None:
    about: dict[str, Any] = {"llm": "http://me:pw@localhost/v1#small"}
    with open_memory(tmp_path, store="memory:", project=PROJECT, embedder="fake", **about) as opened:
        assert opened.usage().llm == "http://localhost/v1#small"
