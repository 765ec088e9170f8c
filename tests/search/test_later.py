"""An amendment comes before what it amends; nothing else changes places."""

from __future__ import annotations

import pytest

from marrow.model.node import Node
from marrow.model.record import Record
from marrow.model.standing import Standing
from marrow.search.find import Hit
from marrow.search.later import LOOKED_AT, later_first

RULE = "Deploys to the production cluster go out on Fridays after review."


def hit(content: str, at: int, score: float) -> Hit:
    return Hit(Record(at, "orchard", Node.make("claim", content), Standing(), 1, at, at), score)


def contents(*hits: Hit) -> list[str]:
    return [one.record.node.content for one in later_first(hits)]


@pytest.mark.parametrize(
    "amendment",
    [
        "Deploys to the production cluster no longer go out on Fridays.",
        "Amendment to the rule on deploys: the production cluster gets them on Mondays.",
        "We now send deploys to the production cluster on Mondays.",
        "Deploys to the production cluster go out on Mondays instead of Fridays.",
        "From now on, deploys to the production cluster wait for Monday.",
        "This supersedes the rule on deploys to the production cluster.",
    ],
)
def test_an_amendment_comes_before_what_it_amends(amendment: str) -> None:
    assert contents(hit(RULE, 1, 1.0), hit(amendment, 2, 0.6)) == [amendment, RULE]


@pytest.mark.parametrize(
    "later",
    [
        "Deploys to the production cluster are announced in the channel.",  # amends nothing
        "We now bake bread in the canteen on Mondays.",  # about something else
        "x " * 200 + "Deploys to the production cluster no longer go out on Fridays.",  # says so too late
    ],
)
def test_an_unrelated_later_note_stays_where_it_is(later: str) -> None:
    assert contents(hit(RULE, 1, 1.0), hit(later, 2, 0.9)) == [RULE, later]


def test_an_amendment_of_something_still_older_does_not_overtake_what_came_after_it() -> None:
    earlier = "Deploys to the production cluster no longer go out on Thursdays."
    assert contents(hit(RULE, 2, 1.0), hit(earlier, 1, 0.9)) == [RULE, earlier]


def test_an_amendment_far_behind_what_it_amends_stays_there() -> None:
    amendment = "Deploys to the production cluster no longer go out on Fridays."
    assert contents(hit(RULE, 1, 1.0), hit(amendment, 2, 0.49)) == [RULE, amendment]


def test_an_amendment_is_put_just_above_what_it_amends() -> None:
    amendment = "Deploys to the production cluster no longer go out on Fridays."
    first, last = "Apples are counted by weight.", "Pears are green."
    ordered = contents(hit(first, 1, 1.0), hit(RULE, 2, 0.9), hit(last, 3, 0.8), hit(amendment, 4, 0.7))
    assert ordered == [first, amendment, RULE, last]


def test_only_the_hits_at_the_top_are_looked_at() -> None:
    amendment = "Deploys to the production cluster no longer go out on Fridays."
    between = [hit(f"Row {n} has apples.", 2, 0.9) for n in range(LOOKED_AT - 1)]
    assert contents(hit(RULE, 1, 1.0), *between, hit(amendment, 3, 0.8))[-1] == amendment
    assert contents(hit(RULE, 1, 1.0), *between[1:], hit(amendment, 3, 0.8))[0] == amendment


def test_two_words_in_common_are_no_subject() -> None:
    assert contents(hit("Deploys wait.", 1, 1.0), hit("Deploys no longer wait.", 2, 0.9))[0] == "Deploys wait."


def test_nothing_stays_nothing() -> None:
    assert later_first(()) == []
