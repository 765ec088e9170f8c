"""An answer fits the reader's budget: texts are shortened first, then the last items are left out, and it says so."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.app import Memory
from marrow.model.errors import Invalid
from marrow.model.text import token_estimate
from marrow.operations.code import CallersResult, CallView
from marrow.operations.core import Found, HelpResult, Recalled
from marrow.operations.run import BUDGET_DEFAULT, BUDGET_MAX, DATA_LEAST, DATA_SHARE, fit, plain
from marrow.operations.views import View

from .conftest import Do


def view(content: str) -> View:
    return View("0" * 12, "claim", "context", content, "just now", "2026-01-01T00:00:00Z", "orchard")


def found(*contents: str) -> Found:
    return Found(tuple(view(content) for content in contents))


def test_what_fits_is_left_as_it_is() -> None:
    result = found("short", "short too")
    assert fit(result, BUDGET_DEFAULT) == (result, result.text())


def test_long_texts_are_shortened_before_anything_is_left_out() -> None:
    fitted, text = fit(found("word " * 900, "the last one"), 600)
    assert token_estimate(text) <= 600
    assert len(fitted.items) == 2
    assert fitted.left_out == 0
    assert fitted.items[1].content == "the last one"
    assert len(fitted.items[0].content) < len("word " * 900)


def test_what_still_does_not_fit_is_left_out_from_the_end_and_counted() -> None:
    fitted, text = fit(found(*(f"item {n} " + "word " * 50 for n in range(40))), 300)
    assert token_estimate(text) <= 300
    assert 0 < len(fitted.items) < 40
    assert len(fitted.items) + fitted.left_out == 40
    assert f"({fitted.left_out} more" in text
    assert fitted.items[0].content.startswith("item 0 ")


def test_what_an_operation_left_out_itself_is_counted_with_what_does_not_fit() -> None:
    result = found(*(f"item {n} " + "word " * 50 for n in range(40)))._replace(left_out=250)
    fitted, _ = fit(result, 300)
    assert len(fitted.items) + fitted.left_out == 290


def test_lists_beside_the_items_stay_within_the_budget_too() -> None:
    call = CallView("folder/file.py", 7, "somebody.calling", 0.3, "name", "some.long.chain")
    result = CallersResult("called", "file.py:1", 40, (call,) * 40, (call,) * 20, 9)
    fitted, text = fit(result, 200)
    assert token_estimate(text) <= 200
    assert fitted.items  # what is known comes before what is not


def test_the_open_questions_of_a_recall_go_before_what_is_pinned() -> None:
    tiers = {"pinned": "Pinned", "relevant": "Relevant", "question": "Open questions"}
    items = (view(f"{name} " + "word " * 60)._replace(tier=tier) for name, tier in tiers.items())
    fitted, text = fit(Recalled(tuple(items)), 100)
    assert token_estimate(text) <= 100
    assert fitted.items[0].content.startswith("pinned")
    assert "Open questions" not in text


def test_one_long_text_is_cut_and_stays_the_same_in_result_and_rendering() -> None:
    fitted, text = fit(HelpResult("word " * 5000), 200)
    assert token_estimate(text) <= 200
    assert token_estimate(fitted.content) <= 200


class Report(NamedTuple):
    """A result without items and without a text of its own."""

    lines: tuple[str, ...]

    def text(self) -> str:
        return "\n".join(self.lines)


def test_a_result_without_items_is_shortened_in_its_rendering_and_in_its_data() -> None:
    result = Report(tuple(f"line {n}" for n in range(3000)))
    fitted, text = fit(result, 200)
    assert token_estimate(text) <= 200
    assert token_estimate(json.dumps(plain(fitted))) <= DATA_SHARE * 200 + DATA_LEAST
    assert fitted.lines == result.lines[: len(fitted.lines)]


@given(st.lists(st.text(max_size=400), max_size=12), st.integers(60, 2000))
def test_no_answer_is_longer_than_its_budget(contents: list[str], budget: int) -> None:
    fitted, text = fit(found(*contents), budget)
    assert token_estimate(text) <= budget
    assert len(fitted.items) + fitted.left_out == len(contents)


def test_a_call_gets_the_budget_that_it_asks_for(memory: Memory, do: Do) -> None:
    do("memory_save", batch=[f"Row {n} has apples. " + "They are red. " * 30 for n in range(30)])
    short = memory.perform("memory_search", {"query": "apples", "limit": 30, "budget_tokens": 200})
    assert token_estimate(short.text) <= 200
    long = memory.perform("memory_search", {"query": "apples", "limit": 30, "budget_tokens": BUDGET_MAX})
    assert long.result.left_out == 0
    assert len(long.result.items) == 30


@pytest.mark.parametrize("budget", [0, -1, BUDGET_MAX + 1, "many", 1.5, True])
def test_a_budget_that_is_none_is_refused(do: Do, budget: Any) -> None:
    for name in ("memory_search", "memory_recall"):
        with pytest.raises(Invalid) as raised:
            do(name, query="x", budget_tokens=budget)
        assert raised.value.field == "budget_tokens"


def test_json_leaves_out_what_is_empty_and_keeps_what_is_counted() -> None:
    assert plain(found()) == {"items": [], "left_out": 0}
    shape = plain(found("x"))["items"][0]
    assert shape["content"] == "x"
    assert shape["score"] == 0.0
    assert "tags" not in shape
    assert "why" not in shape


def test_json_holds_plain_values_only() -> None:
    result = view("x")._replace(why={"words": 1.0}, tags=("a",))
    assert plain(result)["why"] == {"words": 1.0}
    assert plain(result)["tags"] == ["a"]
