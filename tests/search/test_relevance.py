"""Relevance: how much of what was asked a text speaks about, and in which passage."""

from __future__ import annotations

from typing import Any

import pytest

from marrow.model.node import Node
from marrow.model.record import Filter, Record
from marrow.model.standing import Standing
from marrow.search.evidence import Evidence
from marrow.search.question import Asked, Question
from marrow.search.relevance import AT_HAND, COVERED, IN_TIME, MEANING, TOGETHER, Relevance, is_asked_for, relevance

from .notes import NOW

DULL = "The shelves of the warehouse are cleaned by the crew of the day, as they always were. " * 20
TELLING = "The zirconium kiln is restarted with the green lever."


def judged(
    text: str, content: str, *, kind: str = "claim", found: Evidence | None = None, **standing: object
) -> Relevance:
    question = Question(text, "local", Filter(), NOW)
    record = Record(1, "yard", Node.make(kind, content), Standing(**standing), 1, NOW, NOW)  # type: ignore[arg-type]
    return relevance(question, Asked(dict.fromkeys(question.terms, 1.0), {}), record, found or Evidence())


def test_a_text_with_every_word_together_that_means_the_same_has_a_relevance_of_one() -> None:
    found = judged("restart zirconium kiln", "restart zirconium kiln", found=Evidence(meaning=1.0))
    assert found.score == pytest.approx(COVERED + MEANING + TOGETHER) == pytest.approx(1.0)
    assert found.covered == 1.0


def test_the_parts_add_up_and_name_what_counted() -> None:
    evidence = Evidence(meaning=0.5, in_time=1.0, at_hand=1.0)
    found = judged("zirconium kiln outage", TELLING, found=evidence, kind="incident")
    parts = dict(found.parts)
    assert found.score == pytest.approx(sum(parts.values()))
    assert parts["meaning"] == pytest.approx(0.5 * MEANING)
    assert parts["words"] == pytest.approx(COVERED * 2 / 3)
    assert parts["phrases"] == pytest.approx(TOGETHER / 2)
    assert parts["in time"] == pytest.approx(IN_TIME)
    assert parts["file"] == pytest.approx(AT_HAND)


def test_a_text_about_something_else_has_none() -> None:
    found = judged("capital of Mongolia", TELLING)
    assert (found.score, found.covered, found.passage) == (0.0, 0.0, "")


def test_a_rare_word_covers_more_than_a_common_one() -> None:
    question = Question("kiln lever", "local", Filter(), NOW)
    known = Asked({"kiln": 5.0, "lever": 1.0}, {})
    both = [
        relevance(question, known, Record(1, "yard", Node.make("claim", text), Standing(), 1, NOW, NOW), Evidence())
        for text in ("The kiln is old.", "The lever is old.")
    ]
    assert [one.covered for one in both] == pytest.approx([5 / 6, 1 / 6])


@pytest.mark.parametrize("standing", [{"tags": ("kiln",)}, {"aliases": ("kiln",)}])
def test_tags_and_aliases_are_words_of_a_text(standing: dict[str, Any]) -> None:
    assert judged("kiln", "The oven is old.").covered == 0.0
    assert judged("kiln", "The oven is old.", **standing).covered == 1.0


def test_a_long_text_is_judged_by_its_best_passage_and_that_is_given() -> None:
    long = judged("How is the zirconium kiln restarted?", f"{DULL}{TELLING} {DULL}")
    assert long.score == pytest.approx(judged("How is the zirconium kiln restarted?", TELLING).score)
    assert TELLING in long.passage
    assert len(long.passage) < 600


def test_words_that_are_spread_over_a_long_text_are_not_together_in_one() -> None:
    spread = f"The zirconium is dear. {DULL} The kiln is hot. {DULL} It was restarted. {DULL} Levers are green."
    assert judged("restarted zirconium kiln levers", spread).covered < 0.6


def test_a_short_text_gives_no_passage() -> None:
    assert judged("zirconium kiln", TELLING).passage == ""


@pytest.mark.parametrize(
    ("text", "kind", "is_asked"),
    [
        ("Which incidents did we have?", "incident", True),
        ("Which outages did we have?", "incident", True),
        ("What did we decide?", "decision", True),
        ("open questions", "question", True),
        ("Which incidents did we have?", "claim", False),
        ("What is the kiln?", "incident", False),
    ],
)
def test_a_kind_is_asked_for_by_its_words(text: str, kind: str, is_asked: bool) -> None:
    record = Record(1, "yard", Node.make(kind, TELLING), Standing(), 1, NOW, NOW)
    assert is_asked_for(Question(text, "local", Filter(), NOW), record) == is_asked
