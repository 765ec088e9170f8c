"""How much words count, by what a text is."""

from __future__ import annotations

import pytest

from marrow.model.node import Node
from marrow.model.record import Record
from marrow.model.standing import Standing
from marrow.search.evidence import Evidence
from marrow.search.weights import (
    BEYOND,
    BY_CHANCE,
    COMMITTED,
    HALF,
    LEARNED,
    LITTLE,
    MANY_TERMS,
    TAKEN_IN,
    TOLD,
    counted,
    weights_of,
)


def record(kind: str, content: str = "Apples are counted by weight.") -> Record:
    return Record(1, "orchard", Node.make(kind, content), Standing(), 1, 0, 0)


@pytest.mark.parametrize(
    ("kind", "content", "weights"),
    [
        ("claim", "short", LEARNED),
        ("decision", "short", LEARNED),
        ("decision", "long " * TOLD, TAKEN_IN),
        ("document", "short", TAKEN_IN),
        ("code", "short", TAKEN_IN),
        ("commit", "short", COMMITTED),
    ],
)
def test_what_a_reader_took_in_has_weights_of_its_own(kind: str, content: str, weights: object) -> None:
    assert weights_of(record(kind, content)) is weights


def test_the_words_of_a_commit_say_less_than_those_of_what_was_told() -> None:
    assert TAKEN_IN.words < COMMITTED.words < LEARNED.words
    assert LEARNED.meaning <= COMMITTED.meaning < TAKEN_IN.meaning


TAKEN = record("document")


def test_more_than_half_of_a_long_question_says_little_more_and_never_less() -> None:
    shares = [share / 10 for share in range(11)]
    values = [counted(TAKEN, share, MANY_TERMS) for share in shares]
    assert values == sorted(set(values))
    assert counted(TAKEN, HALF, MANY_TERMS) == HALF
    assert counted(TAKEN, 1.0, MANY_TERMS) == pytest.approx(HALF + BEYOND * HALF)


def test_of_a_few_words_each_counts() -> None:
    assert counted(TAKEN, 1.0, MANY_TERMS - 1) == 1.0


@pytest.mark.parametrize("terms", [1, MANY_TERMS])
def test_a_short_text_with_all_the_words_has_no_more_than_a_long_one_with_all(terms: int) -> None:
    assert counted(TAKEN, 1.6, terms) == counted(TAKEN, 1.0, terms)


def test_of_what_was_told_a_share_that_comes_by_chance_says_little_and_more_always_says_more() -> None:
    told = record("claim")
    shares = [share / 10 for share in range(17)]
    values = [counted(told, share, MANY_TERMS) for share in shares]
    assert values == sorted(set(values))
    assert values[0] == 0.0
    assert counted(told, BY_CHANCE, MANY_TERMS) == pytest.approx(LITTLE * BY_CHANCE)
    assert counted(told, 1.0, MANY_TERMS) == pytest.approx(1.0)


def test_what_was_told_counts_by_all_of_its_words() -> None:
    found = Evidence(words=1.0)
    told, taken = (dict(found.parts(record(kind), MANY_TERMS)) for kind in ("claim", "document"))
    assert told["words"] == pytest.approx(LEARNED.words)
    assert taken["words"] < TAKEN_IN.words
