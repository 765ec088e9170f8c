"""Chains: named lines of nodes, settled, set aside and taken back."""

from __future__ import annotations

from typing import Any

import pytest

from marrow.memory.chains import chain_named, chains, promote
from marrow.memory.engine import Asker, Engine
from marrow.memory.forget import forget
from marrow.memory.remember import remember
from marrow.memory.search import search
from marrow.memory.stash import stash, stash_pop
from marrow.model.draft import Draft
from marrow.model.errors import Conflict, Forbidden, Invalid, NotFound
from marrow.model.record import Filter

from .conftest import Clock, Hand, asker_of

PLACE = ("orchard",)


@pytest.fixture
def add(engine: Engine, asker: Asker, clock: Clock) -> Any:
    def call(content: str, chain: str, **about: Any) -> str:
        clock.forward(seconds=1)
        return remember(engine, asker, [Draft(content, chain=chain, **about)]).saved[0].address

    return call


def names(engine: Engine, asker: Asker, **asked: Any) -> list[str]:
    return [chain.name for chain in chains(engine, asker, PLACE, **asked)]


def found(engine: Engine, asker: Asker, query: str) -> list[str]:
    return [hit.record.node.address for hit in search(engine, asker, query, Filter(projects=PLACE)).hits]


def test_a_chain_has_its_members_in_the_order_in_which_they_were_said(
    engine: Engine, asker: Asker, hand: Hand, add: Any
) -> None:
    plan = [add("First the tables.", "plan"), add("Then the rows.", "plan")]
    add("Ladders first.", "harvest", domain="tasks")
    hand.say("In no chain.")
    assert [r.node.address for r in chain_named(engine, asker, "plan").members] == plan
    assert names(engine, asker) == ["harvest", "plan"]
    assert names(engine, asker, domain="tasks") == ["harvest"]
    assert names(engine, asker, limit=1) == ["harvest"]
    add("First the tables.", "harvest")
    assert len(chain_named(engine, asker, "harvest").members) == 2


def test_what_no_longer_holds_is_in_no_chain(engine: Engine, asker: Asker, add: Any) -> None:
    forget(engine, asker, add("First the tables.", "plan"))
    assert names(engine, asker) == []
    with pytest.raises(NotFound) as unknown:
        chain_named(engine, asker, "plan")
    assert unknown.value.field == "chain"


def test_a_name_that_is_nearly_right_is_hinted_at(engine: Engine, asker: Asker, add: Any) -> None:
    add("First the tables.", "release-plan")
    with pytest.raises(NotFound) as unknown:
        chain_named(engine, asker, "relase-plan")
    assert "release-plan" in unknown.value.hint


def test_promoting_settles_a_chain_or_everything(engine: Engine, asker: Asker, hand: Hand, add: Any) -> None:
    one, two = add("One.", "plan", preliminary=True), add("Two.", "plan")
    three = add("Three.", "harvest", preliminary=True)
    assert names(engine, asker, preliminary=True) == ["harvest", "plan"]
    done = promote(engine, asker, "plan")
    assert [record.node.address for record in done.records] == [one]
    assert not hand.record(one).standing.preliminary
    assert not hand.record(two).standing.preliminary
    assert hand.record(three).standing.preliminary
    loose = add("Four.", "", preliminary=True)
    promote(engine, asker, all_preliminary=True)
    assert not hand.record(three).standing.preliminary
    assert not hand.record(loose).standing.preliminary
    before = hand.head()
    assert promote(engine, asker, "plan").receipt is None
    assert hand.head() == before
    for arguments in ({}, {"chain": "plan", "all_preliminary": True}):
        with pytest.raises(Invalid):
            promote(engine, asker, **arguments)


def test_a_chain_that_is_set_aside_comes_back_as_it_was(engine: Engine, asker: Asker, hand: Hand, add: Any) -> None:
    one = add("The tables move before the rows.", "plan", tags=("db",), pinned=True)
    two = add("The rows move by night.", "plan")
    stash(engine, asker, "plan", "after the harvest")
    assert found(engine, asker, "rows tables move") == []
    assert hand.record(one).standing.reason == "after the harvest"
    assert names(engine, asker, stashed=True) == ["plan"]
    assert names(engine, asker, stashed=False) == []
    assert [r.node.address for r in chain_named(engine, asker, "plan").stashed] == [one, two]
    with pytest.raises(Conflict):
        stash(engine, asker, "plan")
    done = stash_pop(engine, asker)
    assert {record.node.address for record in done.records} == {one, two}
    assert set(found(engine, asker, "rows tables move")) == {one, two}
    standing = hand.record(one).standing
    assert (standing.tags, standing.pinned, standing.state) == (("db",), True, "active")
    assert names(engine, asker, stashed=True) == []


def test_without_a_name_the_chain_comes_back_that_was_set_aside_last(
    engine: Engine, asker: Asker, clock: Clock, add: Any
) -> None:
    add("One.", "plan"), add("Two.", "harvest")
    for chain in ("harvest", "plan"):
        clock.forward(seconds=1)
        stash(engine, asker, chain)
    assert stash_pop(engine, asker).chain.name == "plan"
    assert stash_pop(engine, asker, "harvest").chain.name == "harvest"
    with pytest.raises(NotFound):
        stash_pop(engine, asker)
    with pytest.raises(Conflict):
        stash_pop(engine, asker, "plan")


def test_what_was_forgotten_does_not_come_back_from_the_stash(
    engine: Engine, asker: Asker, hand: Hand, add: Any
) -> None:
    gone, kept = add("One.", "plan"), add("Two.", "plan")
    forget(engine, asker, gone)
    stash(engine, asker, "plan")
    stash_pop(engine, asker, "plan")
    assert (hand.state(gone), hand.state(kept)) == ("retracted", "active")


def test_a_reader_moves_nothing(engine: Engine, add: Any) -> None:
    add("One.", "plan", preliminary=True)
    reader = asker_of("orchard", rights=("read",))
    assert names(engine, reader) == ["plan"]
    for verb in (stash, stash_pop, promote):
        with pytest.raises(Forbidden):
            verb(engine, reader, "plan")  # type: ignore[operator]


def test_chains_of_projects_that_may_not_be_read_are_not_shown(engine: Engine, add: Any) -> None:
    add("One.", "plan")
    stranger = asker_of("pears", projects=["pears"])
    assert chains(engine, stranger, None) == []
