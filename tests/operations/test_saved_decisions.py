"""Decisions that somebody saved in their domain are listed with those that are of their kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from marrow.app import Memory
from marrow.memory.engine import submit
from marrow.model.address import address_of
from marrow.model.change import Restate

from .conftest import Do

CHOSEN = "We chose PostgreSQL because two writers must not wait."


@pytest.fixture(autouse=True)
def _saved(do: Do) -> None:
    do("memory_save", content=CHOSEN, domain="decisions")
    do("memory_save", content="Slugs are seven characters of base62.", kind="decision")
    do("memory_save", content="PostgreSQL runs on port 5433.", domain="dependencies")
    do("memory_save", content="Which PostgreSQL do we decide on?", domain="decisions", kind="question")


def titles(result: Any) -> set[str]:
    return {one.title for one in result.items}


def test_what_was_saved_in_the_domain_of_decisions_is_told_as_one(do: Do, said: Do) -> None:
    found = do("get_architectural_decisions")
    assert titles(found) == {CHOSEN, "Slugs are seven characters of base62."}
    assert (found.total, found.statuses) == (2, {"none": 2})
    assert said("get_architectural_decisions").endswith("all: 2 without a status")


def test_a_topic_finds_the_decisions_of_both_sorts(do: Do) -> None:
    assert titles(do("get_architectural_decisions", topic="PostgreSQL")) == {CHOSEN}
    assert titles(do("get_architectural_decisions", topic="slugs")) == {"Slugs are seven characters of base62."}
    assert do("get_architectural_decisions", topic="zebras").items == ()


def test_a_saved_decision_that_another_took_the_place_of_is_told_when_asked_for(do: Do) -> None:
    (old,) = do("get_architectural_decisions", topic="PostgreSQL").items
    do("memory_update", address=old.address, content="We chose SQLite because there is one writer.")
    assert CHOSEN not in titles(do("get_architectural_decisions"))
    (gone,) = do("get_architectural_decisions", status="superseded").items
    assert gone.title == CHOSEN


def test_a_decision_that_a_later_one_reversed_says_so(do: Do, said: Do, save: Callable[..., str]) -> None:
    save("We're switching the session store from memory to Redis.", kind="decision", at="2026-01-05")
    later = save("We're not switching the session store to Redis after all.", kind="decision", at="2026-02-05")
    marked = {one.title: one.changed_by for one in do("get_architectural_decisions", limit=10).items}
    assert marked.pop("We're switching the session store from memory to Redis.") == later
    assert set(marked.values()) == {""}
    assert f"from memory to Redis. (changed since by {later})" in said("get_architectural_decisions", limit=10)
    (reversed_one,) = [o for o in do("get_architectural_decisions", topic="session store").items if o.changed_by]
    assert reversed_one.changed_by == later


def test_a_decision_whose_ground_has_moved_says_so_in_the_list_and_where_it_is_cited(
    do: Do, said: Do, memory: Memory
) -> None:
    address = address_of("claim", CHOSEN)
    step = Restate(address, (("drift", "gone"),), "pg was taken out of package.json")
    submit(memory.engine, memory.call.asker, "test", [step])
    told = "code gone: pg was taken out of package.json"
    assert [one.drift for one in do("get_architectural_decisions", topic="PostgreSQL").items] == [told]
    assert said("get_architectural_decisions").count(told) == 1
    assert told in said("ask", question="Why did we choose PostgreSQL?", answer=False)


def test_an_amendment_stays_before_what_it_amends_beside_what_was_saved_in_the_domain(do: Do) -> None:
    old = "Session tokens of the portal live in Redis for the portal login, session tokens of the portal."
    new = "We no longer keep session tokens of the portal in Redis: the login writes them to cookies now."
    do("memory_save", content=old, kind="decision", at="2026-01-05")
    do("memory_save", content=new, kind="decision", at="2026-02-05")
    found = [one.title for one in do("get_architectural_decisions", topic="session tokens of the portal").items]
    assert found.index(new) < found.index(old)
