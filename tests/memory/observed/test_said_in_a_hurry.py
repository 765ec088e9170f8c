"""What is written in a hurry: short words, no apostrophes, no question marks; and what holds until a day."""

from __future__ import annotations

import pytest

from marrow.memory.observed.said import Said, said

from .traces import prompt

DAY = 86_400 * 1_000_000
# Tuesday, 6 October 2026, at ten in the morning.
TUESDAY = 1_791_280_800 * 1_000_000


def of(text: str) -> list[Said]:
    return said([prompt(text, at=TUESDAY)])


@pytest.mark.parametrize(
    "text",
    [
        "whats in this repo and how to run tests",
        "hey. whats the name of our staging server again",
        "hows the release done by the team",
        "wheres the config of the runner kept",
        "parseMoney shld take german style too, '1.234,56' -> 123456 cents",
        "the parser cld use src/lex.py for that",
        "now rename amount to cents in Charge",
        "next is due dates, need to handle weekends.",
        "pls add src/a.py to the list",
        "r u sure it is in src/a.py",
    ],
)
def test_a_question_or_a_task_in_a_hurry_is_not_kept(text: str) -> None:
    assert of(text) == []


def test_the_refund_needs_a_key_or_else_is_a_rule_with_its_reason() -> None:
    (found,) = of("the refund needs an idempotency key header, otherwise the bank books it twice.")
    assert (found.kind, found.domain) == ("claim", "context")
    assert found.text == "The refund needs an idempotency key header, otherwise the bank books it twice."


@pytest.mark.parametrize(
    "text",
    [
        "fix the test, otherwise the build breaks",
        "i need to leave, otherwise i miss the train",
        "it needs a retry, otherwise it fails",
        "does it need a lock, otherwise what?",
    ],
)
def test_a_task_with_a_reason_is_no_rule(text: str) -> None:
    assert of(text) == []


def test_who_changed_their_mind_decided_what_was_said_just_before() -> None:
    for said_so in ("changed my mind again sorry", "I changed my mind.", "we changed our minds"):
        (found,) = of(f"no date lib at all, plain Date in UTC is enough. {said_so}")
        assert (found.text, found.kind) == ("No date lib at all, plain Date in UTC is enough.", "decision")
    assert of("can you revert it? changed my mind") == []


UNTIL = {
    "btw until friday use the key name PAY_KEY_2 instead of PAY_KEY": 4,
    "don't deploy to production until Thursday.": 3,
    "Until next monday always ask Kim before you merge": 7,
    "use the old bucket until 2026-10-20": 15,
    "never push to main until the end of the week": 6,
}


@pytest.mark.parametrize("text", UNTIL)
def test_a_rule_that_holds_until_a_day_is_kept_until_that_day_is_over(text: str) -> None:
    (found,) = of(text)
    assert found.kind == "preference"
    assert found.days == UNTIL[text]
    assert "ntil" in found.text


def test_a_fact_that_holds_until_a_day_is_kept_until_then() -> None:
    (found,) = of("Production is frozen until friday.")
    assert (found.kind, found.days) == ("claim", 4)


@pytest.mark.parametrize(
    "text",
    [
        "wait until friday",
        "use it until friday",
        "i'm away until friday",
        "use the old bucket until 2026-01-20",
        "run it until it fails",
    ],
)
def test_what_is_no_rule_is_not_kept_until_any_day(text: str) -> None:
    assert of(text) == []
