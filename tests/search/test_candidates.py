"""Candidates: found by words, by meaning, beside others; put in order before any is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.search.candidates import Candidates
from marrow.search.evidence import Evidence
from marrow.search.weights import LEARNED

SHARES = st.dictionaries(st.integers(1, 40), st.floats(0.01, 1.0))


def filled(words: dict[int, float], meaning: dict[int, float], lent: dict[int, float]) -> Candidates:
    found = Candidates(surely=0.5)
    found.add_words([(entry, 2.0 * share) for entry, share in words.items()], 2.0, 1.0)
    found.meaning.update(meaning)
    for entry, share in lent.items():
        found.more(entry).reply = share
    return found


@given(SHARES, SHARES, SHARES)
def test_each_is_ranked_once_by_all_that_speaks_for_it(
    words: dict[int, float], meaning: dict[int, float], lent: dict[int, float]
) -> None:
    found = filled(words, meaning, lent)
    ranked = found.ranked(LEARNED)
    assert sorted(ranked) == sorted({*words, *meaning, *lent})

    def look(entry: int) -> float:
        one = found.evidence(entry)
        return LEARNED.words * one.words + LEARNED.meaning * one.meaning + LEARNED.reply * one.reply

    looks = [look(entry) for entry in ranked]
    assert looks == sorted(looks, reverse=True)


def test_words_keep_the_best_share_that_any_name_gave() -> None:
    found = filled({1: 0.4, 2: 0.9}, {}, {})
    found.add_words([(1, 1.2), (2, 0.2)], 2.0, 0.5)
    assert found.words == pytest.approx({1: 0.5, 2: 0.9})


def test_evidence_says_how_surely_and_what_is_not_said_is_nothing() -> None:
    found = filled({1: 0.4}, {2: 0.7}, {3: 0.2})
    assert found.evidence(1) == Evidence(words=0.4)
    assert found.evidence(2) == Evidence(meaning=0.7, sure=pytest.approx(0.2))
    assert found.evidence(3) == Evidence(reply=0.2)
    assert found.without_meaning(10) == [1]
    assert found.nearest([1, 2, 3], 2) == [2, 1]


def test_of_what_is_not_near_in_meaning_those_with_most_of_the_words_are_asked_about() -> None:
    found = filled({1: 0.4, 2: 0.7, 3: 0.9, 4: 0.7}, {3: 0.7}, {})
    assert found.without_meaning(2) == [2, 4]
    assert sorted(found.without_meaning(3)) == [1, 2, 4]


def test_what_was_said_in_the_time_or_is_called_by_its_name_is_meant() -> None:
    found = filled({1: 0.4, 2: 0.4, 3: 0.4, 5: 0.4}, {}, {})
    found.more(2).in_time = 1.0
    found.more(4).in_time = 1.0
    found.more(5).named = 1.0
    assert found.meant([1, 2, 3, 5]) == [2, 5]
