"""What an earlier turn of a session left to be done."""

from __future__ import annotations

from typing import Any

import pytest

from marrow.memory.observed.left import left_before

from .traces import edit, prompt, stop

REMAINING = "The bar takes a unit now. Remaining: docs/utils.md, tests, the changelog."
LEFT = ["docs/utils.md, tests, the changelog"]


def talk(*then: dict[str, Any]) -> list[dict[str, Any]]:
    return [prompt("add a unit to the progress bar"), work(), stop(REMAINING), *then]


def work() -> dict[str, Any]:
    return edit("src/bar.py", "a = 1", "a = 2")


def test_what_was_left_stands_where_the_next_turn_was_about_something_else() -> None:
    other = [prompt("rename humanize to format_size everywhere"), work(), stop("Renamed; the tests pass.")]
    assert left_before(talk(*other)) == LEFT


@pytest.mark.parametrize("said", ["thanks, that's it for today", "gotta go, see you"])
def test_what_was_left_stands_where_nothing_was_done_since(said: str) -> None:
    assert left_before(talk(prompt(said), stop("See you."))) == LEFT


@pytest.mark.parametrize("said", ["go on", "ok do the rest", "now write the docs and tests for the progress bar"])
def test_what_was_gone_on_with_is_no_longer_left(said: str) -> None:
    assert left_before(talk(prompt(said), work(), stop("Written."))) == []


def test_the_last_message_has_its_own_say() -> None:
    assert left_before(talk()) == []


def test_what_is_said_to_be_all_done_is_done() -> None:
    other = [prompt("rename humanize to format_size everywhere"), work(), stop("All done, nothing is left.")]
    assert left_before(talk(*other)) == []


def test_what_two_subjects_left_is_left_of_both() -> None:
    second = [prompt("rename humanize to format_size everywhere"), work(), stop("Renamed. Still open: the examples.")]
    third = [prompt("why does the pager ignore quotes in PAGER"), work(), stop("Because of posix=False.")]
    assert left_before(talk(*second, *third)) == [*LEFT, "the examples"]


def test_what_is_named_again_is_named_once() -> None:
    again = [
        prompt("gotta go. finish tmrw, the train leaves"),
        stop("OK. Remaining: the docs, tests, changelog."),
    ]
    assert left_before(talk(*again)) == []
    third = [prompt("why does the pager ignore quotes in PAGER"), work(), stop("Because of posix=False.")]
    assert left_before(talk(*again, *third)) == ["the docs, tests, changelog"]
