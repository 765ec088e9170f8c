"""An answer is held against its sources, sentence by sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from marrow.memory.cited_answer import INVENTED, UNCITED, UNKNOWN_SOURCE, UNSUPPORTED, check

SOURCES = {
    1: "decision · Use a queue · docs/adr/0002.md · 2026-02-01\nPayments go through a queue, because the bank is slow. "
    "It retries 3 times within 1,500 ms.",
    2: 'incident · INC-42 · 2026-02-10\nThe "retry storm" of 10 February lasted 45 minutes; `max_retries` was 12.',
}


def weigh(terms: Sequence[str]) -> Mapping[str, float]:
    return dict.fromkeys(terms, 1.0)


@pytest.mark.parametrize(
    "sentence",
    [
        "Payments go through a queue because the bank is slow [1].",
        "It retries three times within 1500 ms. [1]",
        "On 2026-02-10 a retry storm lasted 45 minutes [2].",
        'They call it the "retry storm" and `max_retries` was 12 [2].',
        "The queue retries, and the retry storm lasted 45 minutes [1, 2].",
        "The sources do not say who owns it.",
        "In short:",
    ],
)
def test_what_its_sources_say_is_confirmed(sentence: str) -> None:
    found = check(sentence, SOURCES, weigh)
    assert found.doubtful == ()
    assert found.text == sentence


@pytest.mark.parametrize(
    ("sentence", "why", "missing"),
    [
        ("It lasted 90 minutes, the retry storm did [2].", INVENTED, ("90",)),
        ('The report says "the bank went down" [2].', INVENTED, ("the bank went down",)),
        ("The `timeout_ms` of the queue is the bank's [1].", INVENTED, ("timeout_ms",)),
        ("Kubernetes pods restart whenever memory pressure evicts workers [1].", UNSUPPORTED, ()),
        ("Payments go through a queue [7].", UNKNOWN_SOURCE, ("7",)),
        ("Payments are settled overnight by another service entirely.", UNCITED, ()),
        ("It failed 17 times.", UNCITED, ()),
    ],
)
def test_what_they_do_not_say_is_marked(sentence: str, why: str, missing: tuple[str, ...]) -> None:
    (found,) = check(sentence, SOURCES, weigh).sentences
    assert (found.why, found.missing) == (why, missing)
    assert f"[{why}" in check(sentence, SOURCES, weigh).text


def test_a_number_in_another_source_than_the_cited_one_does_not_count() -> None:
    (found,) = check("The queue's storm lasted 45 minutes [1].", SOURCES, weigh).sentences
    assert found.missing == ("45",)


def test_each_sentence_is_judged_by_itself_and_the_text_is_kept() -> None:
    answer = "Payments go through a queue [1]. It lasted 90 minutes [2].\n\n- The bank is slow. [1]\n- See below:"
    found = check(answer, SOURCES, weigh)
    assert [one.why for one in found.sentences] == ["", INVENTED, "", ""]
    assert found.cited == (1, 2)
    marked = (
        "Payments go through a queue [1]. It lasted 90 minutes [2]. [not in the source: 90]\n\n- The bank is slow. [1]"
    )
    assert found.text == f"{marked}\n- See below:"


def test_an_empty_answer_says_nothing() -> None:
    assert check("  ", SOURCES, weigh).sentences == ()
