"""Why a memory would or would not be recalled for a message."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from marrow.memory.explain import Explained, explain
from marrow.providers.static import StaticEmbedder

from ..search.notes import BY_NAME, Lantern, lantern

ASKED = "Why did we choose Postgres over MongoDB?"


@pytest.fixture
def filled() -> Iterator[Lantern]:
    with lantern(StaticEmbedder()) as made:
        yield made


def address_of(memory: Lantern, name: str) -> str:
    return memory.by_text(BY_NAME[name].content)[BY_NAME[name].content].record.node.address


def explained(memory: Lantern, address: str, message: str = ASKED) -> Explained:
    return explain(memory.engine, memory.asker, address, message)


def test_what_is_recalled_is_said_to_be_with_its_rank_and_parts(filled: Lantern) -> None:
    found = explained(filled, address_of(filled, "postgres"))
    assert (found.recalled, found.rank) == (True, 1)
    assert found.score == pytest.approx(sum(value for _, value in found.why))
    assert {"postgr", "mongodb"} <= set(found.shared)
    assert any("It shares" in reason for reason in found.reasons)
    assert not any("not told" in reason for reason in found.reasons)


def test_what_is_not_recalled_is_told_why(filled: Lantern) -> None:
    found = explained(filled, address_of(filled, "tests"))  # Postgres is named there, and that is all
    assert not found.recalled
    assert found.rank > 1
    assert any(f"number {found.rank}" in reason and "not told" in reason for reason in found.reasons)


def test_what_was_not_even_a_candidate_has_no_rank(filled: Lantern) -> None:
    found = explained(filled, address_of(filled, "money"), "webhook*")
    assert (found.recalled, found.rank, found.score, found.why) == (False, 0, 0.0, ())
    assert any("no word" in reason for reason in found.reasons)


def test_what_was_replaced_is_told_by_what(filled: Lantern) -> None:
    old = filled.say("Access tokens of the kiosk expire after 30 minutes.", day=50)
    new = filled.say("Access tokens of the kiosk expire after 15 minutes.", day=90)
    question = "When do access tokens of the kiosk expire?"
    assert explained(filled, new, question).recalled
    found = explained(filled, old, question)
    assert not found.recalled
    assert any(new[:12] in reason and "replaced" in reason for reason in found.reasons)


def test_what_says_the_same_as_another_is_told_which(filled: Lantern) -> None:
    texts = ("The kiosk was rebooted by Nina in the night.", "In the night Nina rebooted the kiosk.")
    addresses = [filled.say(text, kind="observation", day=60) for text in texts]
    both = {address: explained(filled, address, "Who rebooted the kiosk?") for address in addresses}
    assert sorted(found.recalled for found in both.values()) == [False, True]
    told = next(address for address, found in both.items() if found.recalled)
    left = next(found for found in both.values() if not found.recalled)
    assert any(told[:12] in reason and "same" in reason for reason in left.reasons)


def test_what_is_over_says_so(filled: Lantern) -> None:
    address = address_of(filled, "postgres")
    filled.restate(address, state="retracted")
    found = explained(filled, address)
    assert not found.recalled
    assert any("retracted" in reason for reason in found.reasons)


def test_a_greeting_asks_for_nothing(filled: Lantern) -> None:
    found = explained(filled, address_of(filled, "postgres"), "Thanks, looks good!")
    assert not found.recalled
    assert any("asks for nothing" in reason for reason in found.reasons)


def test_what_is_pinned_is_recalled_because_of_that(filled: Lantern) -> None:
    address = filled.say("Every migration has a test.", pinned=True)
    found = explained(filled, address)
    assert found.recalled
    assert any("pinned" in reason for reason in found.reasons)


def test_what_drifted_is_said_to_sink(filled: Lantern) -> None:
    address = address_of(filled, "postgres")
    filled.restate(address, drift="gone")
    assert any("gone" in reason for reason in explained(filled, address).reasons)


def test_an_explanation_is_not_counted_as_a_recall(filled: Lantern) -> None:
    explained(filled, address_of(filled, "postgres"))
    assert filled.engine.recalled == []
