"""Provenance and lineage: to the leaves, and forward."""

from __future__ import annotations

import pytest

from marrow.memory.compress import compress
from marrow.memory.engine import Asker, Engine
from marrow.memory.lineage import lineage
from marrow.memory.provenance import DEPTH_MAX, NODES_MAX, provenance
from marrow.model.change import TakeSnapshot
from marrow.model.errors import Forbidden, NotFound
from marrow.model.node import Node
from marrow.store.receive import erase

from .conftest import PROJECT, Clock, Hand, asker_of


def test_a_node_that_was_simply_said_is_its_own_leaf(engine: Engine, asker: Asker, hand: Hand, clock: Clock) -> None:
    at = clock.now
    address = hand.say("one", thread="monday")
    found = provenance(engine, asker, address[:8])
    assert (found.node.address, found.origins, found.leaves, found.cut) == (address, (), (address,), False)
    assert [(s.project, s.occurrence.at, s.occurrence.thread) for s in found.node.said] == [(PROJECT, at, "monday")]


def test_a_summary_goes_back_to_every_leaf(engine: Engine, asker: Asker, hand: Hand) -> None:
    leaves = [hand.say(text) for text in ("one", "two", "three")]
    lower = compress(engine, asker, addresses=leaves[:2]).address
    upper = compress(engine, asker, addresses=[lower, leaves[2]]).address
    found = provenance(engine, asker, upper)
    assert set(found.leaves) == set(leaves)
    assert {origin.address: (origin.distance, origin.via, origin.of) for origin in found.origins} == {
        lower: (1, "input", upper),
        leaves[2]: (1, "input", upper),
        leaves[0]: (2, "input", lower),
        leaves[1]: (2, "input", lower),
    }


def test_what_it_took_the_place_of_is_shown_back_to_the_first(engine: Engine, asker: Asker, hand: Hand) -> None:
    first = hand.say("Port 5432")
    second = hand.supersede(first, "Port 5433", "moved")
    third = hand.supersede(second, "Port 5434", "moved again")
    found = provenance(engine, asker, third)
    assert found.superseded == (second, first)
    assert found.leaves == (first,)
    held = next(origin for origin in found.origins if origin.address == first).held
    assert [(h.standing.state, h.reason) for h in held] == [("active", ""), ("superseded", "moved")]


def test_a_node_that_came_back_has_no_circle_in_its_history(engine: Engine, asker: Asker, hand: Hand) -> None:
    first = hand.say("Port 5432")
    second = hand.supersede(first, "Port 5433")
    hand.supersede(second, "Port 5432")
    assert provenance(engine, asker, first).superseded == (second,)
    assert provenance(engine, asker, second).superseded == ()


def test_an_updated_summary_still_goes_back_to_its_inputs(engine: Engine, asker: Asker, hand: Hand) -> None:
    leaves = [hand.say("one"), hand.say("two")]
    summary = compress(engine, asker, addresses=leaves).address
    better = hand.supersede(summary, "One and two.")
    assert set(provenance(engine, asker, better).leaves) == set(leaves)


def test_each_standing_comes_with_the_event_that_made_it(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    first_at = clock.now
    address = hand.say("one")
    hand.restate(address, "it matters", priority=0.9)
    second_at = clock.now
    held = provenance(engine, asker, address).node.held
    assert [(h.seq, h.until, h.at, h.actor, h.operation, h.reason, h.standing.priority) for h in held] == [
        (1, 2, first_at, "ada", "test", "", 0.5),
        (2, None, second_at, "ada", "test", "it matters", 0.9),
    ]


def test_a_node_said_twice_has_both_occurrences(engine: Engine, asker: Asker, hand: Hand) -> None:
    address = hand.say("one", thread="monday")
    hand.say("one", thread="tuesday")
    hand.say("one", thread="wednesday", project="other")
    said = provenance(engine, asker, address).node.said
    assert [(s.project, s.occurrence.thread) for s in said] == [
        (PROJECT, "monday"),
        (PROJECT, "tuesday"),
        ("other", "wednesday"),
    ]


def test_an_erased_input_is_shown_as_missing(engine: Engine, asker: Asker, hand: Hand, clock: Clock) -> None:
    kept, gone = hand.say("one"), hand.say("two")
    summary = compress(engine, asker, addresses=[kept, gone]).address
    erase(engine.store, asker.principal, asker.namespace, [gone], actor="ada", now=clock.now)
    found = provenance(engine, asker, summary)
    assert (found.missing, found.leaves) == ((gone,), (kept,))
    assert next(origin for origin in found.origins if origin.address == gone).record is None


def test_an_input_that_the_caller_may_not_read_looks_like_an_erased_one(
    engine: Engine, hand: Hand, clock: Clock
) -> None:
    foreign = hand.say("a secret of the other project", project="other")
    address = hand.say("drawn from it", inputs=[foreign])
    outsider = asker_of(PROJECT, projects=[PROJECT])
    before = provenance(engine, outsider, address)
    assert before.missing == (foreign,)
    erase(engine.store, hand.asker.principal, "local", [foreign], actor="ada", now=clock.now)
    assert provenance(engine, outsider, address) == before


def test_a_derived_from_link_is_followed_like_an_input(engine: Engine, asker: Asker, hand: Hand) -> None:
    source = hand.say("one")
    address = hand.say("two", links=[("derived_from", source), ("relates_to", hand.say("three"))])
    assert [(o.address, o.via) for o in provenance(engine, asker, address).origins] == [(source, "derived_from")]


def test_provenance_as_of_an_earlier_moment_shows_what_was_known_then(engine: Engine, asker: Asker, hand: Hand) -> None:
    address = hand.say("one", thread="monday")
    hand.do(TakeSnapshot("then"))
    hand.say("one", thread="tuesday")
    then = provenance(engine, asker, address, as_of="then").node
    assert [s.occurrence.thread for s in then.said] == ["monday"]
    assert [h.until for h in then.held] == [None]
    later = hand.say("two")
    with pytest.raises(NotFound):
        provenance(engine, asker, later, as_of="then")


def test_a_very_long_history_is_cut_and_says_so(engine: Engine, asker: Asker, hand: Hand) -> None:
    address = hand.say("link 0")
    for number in range(1, DEPTH_MAX + 1):
        address = hand.supersede(address, f"link {number}")
    whole = provenance(engine, asker, address)
    assert (len(whole.origins), whole.cut) == (DEPTH_MAX, False)
    more = provenance(engine, asker, hand.supersede(address, "one more"))
    assert (len(more.origins), more.cut) == (DEPTH_MAX, True)


def test_a_very_broad_history_is_cut_and_says_so(engine: Engine, asker: Asker, hand: Hand) -> None:
    invented = [Node.make("claim", f"never said {number}").address for number in range(NODES_MAX + 1)]
    found = provenance(engine, asker, hand.say("drawn from many", inputs=invented))
    assert (len(found.origins), found.cut) == (NODES_MAX, True)


def test_who_may_not_read_here_learns_nothing(engine: Engine, hand: Hand) -> None:
    address = hand.say("one")
    with pytest.raises(Forbidden):
        provenance(engine, asker_of(PROJECT, rights=["write"]), address)
    with pytest.raises(NotFound):
        provenance(engine, asker_of("other", projects=["other"]), address)


def test_lineage_adds_what_was_made_from_a_node_and_what_took_its_place(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    first = hand.say("Port 5432")
    second = hand.supersede(first, "Port 5433")
    summary = compress(engine, asker, addresses=[second, hand.say("Pool 20")]).address
    better = hand.supersede(summary, "Port 5433, pool 20.")
    found = lineage(engine, asker, second)
    assert found.provenance == provenance(engine, asker, second)
    assert [(o.address, o.via, o.distance) for o in found.followed] == [
        (summary, "input", 1),
        (better, "supersedes", 2),
    ]
    assert found.superseded_by == ()
    assert lineage(engine, asker, first).superseded_by == (second,)
    assert lineage(engine, asker, better).followed == ()


def test_lineage_does_not_show_what_was_made_in_a_project_that_the_caller_may_not_read(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    source = hand.say("one")
    foreign = hand.say("made elsewhere", inputs=[source], project="other")
    assert [o.address for o in lineage(engine, asker, source).followed] == [foreign]
    assert lineage(engine, asker_of(PROJECT, projects=[PROJECT]), source).followed == ()


def test_lineage_as_of_an_earlier_moment_does_not_know_what_came_later(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    first = hand.say("Port 5432")
    then = hand.head()
    second = hand.supersede(first, "Port 5433")
    assert lineage(engine, asker, first, as_of=then).followed == ()
    assert lineage(engine, asker, first).superseded_by == (second,)
