"""Audit: who did what, when, to which nodes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from marrow.memory.audit import audit
from marrow.memory.erase import erase
from marrow.model.change import Say
from marrow.model.errors import Forbidden, Invalid, NotFound
from marrow.model.moments import moment
from marrow.model.node import Occurrence
from marrow.model.standing import Standing

from . import fixtures_store
from .fixtures_store import World

world = fixtures_store.world


def test_events_come_latest_first_and_say_what_they_touched(world: World) -> None:
    one = world.say("one")
    two = world.say("two", domain="patterns")
    world.relate(one, "enables", two)
    found = audit(world.engine, world.asker)
    assert [event.seq for event in found.items] == [3, 2, 1]
    assert set(found.items[0].addresses) == {one, two}
    assert (found.items[1].addresses, found.items[1].domain, found.items[1].actor) == ((two,), "patterns", "ada")
    assert found.items[0].root == world.root()
    assert not found.more


def test_limit_says_that_there_is_more(world: World) -> None:
    for number in range(5):
        world.say(f"claim {number}")
    found = audit(world.engine, world.asker, limit=2)
    assert [event.seq for event in found.items] == [5, 4]
    assert found.more
    rest = audit(world.engine, world.asker, until=found.items[-1].seq - 1, limit=3)
    assert [event.seq for event in rest.items] == [3, 2, 1]
    assert not rest.more


def test_filters_by_actor_operation_address_and_time(world: World) -> None:
    one = world.say("one")
    eve = replace(world.asker, actor="eve")
    others = replace(world, asker=eve)
    two = others.say("two")
    others.restate(one, priority=1.0)
    assert [e.seq for e in audit(world.engine, world.asker, actor="eve").items] == [3, 2]
    assert [e.seq for e in audit(world.engine, world.asker, operation="test").items] == [3, 2, 1]
    assert audit(world.engine, world.asker, operation="erase").items == ()
    assert [e.seq for e in audit(world.engine, world.asker, address=one[:12]).items] == [3, 1]
    assert [e.seq for e in audit(world.engine, world.asker, address=two, actor="ada").items] == []
    first = audit(world.engine, world.asker).items[-1]
    then, after = moment(first.at).isoformat(), moment(first.at + 1).isoformat()
    assert [e.seq for e in audit(world.engine, world.asker, since=then).items] == [3, 2, 1]
    assert [e.seq for e in audit(world.engine, world.asker, since=after).items] == [3, 2]
    assert [e.seq for e in audit(world.engine, world.asker, until=after).items] == [1]


def test_erased_nodes_are_counted_and_not_named(world: World) -> None:
    gone = world.say("gone")
    kept = world.say("kept")
    world.relate(gone, "enables", kept)
    erase(world.engine, world.asker, address=gone, dry_run=False, confirm=True)
    found = audit(world.engine, world.asker).items
    assert all(gone not in event.addresses for event in found)
    assert [event.erased for event in found] == [1, 1, 0, 1]
    assert found[1].addresses == (kept,)


def test_limited_principal_sees_events_and_nodes_of_its_projects_only(world: World) -> None:
    mine = world.say("mine")
    world.say("theirs", project="meadow")
    limited = world.as_(projects=frozenset({"orchard"}))
    found = audit(world.engine, limited)
    assert [(event.seq, event.addresses) for event in found.items] == [(1, (mine,))]


def test_unknown_address_is_not_found(world: World) -> None:
    world.say("one")
    with pytest.raises(NotFound):
        audit(world.engine, world.asker, address="ab" * 32)


def test_a_service_that_never_was_is_not_found_and_near_ones_are_named(world: World) -> None:
    said = Occurrence(world.clock(), service="billing")
    address = world.do(Say("document", "invoices", said, Standing())).outcomes[0].address
    assert [event.seq for event in audit(world.engine, world.asker, service="billing").items] == [1]
    assert [event.seq for event in audit(world.engine, world.asker, service="Billing").items] == [1]
    with pytest.raises(NotFound) as problem:
        audit(world.engine, world.asker, service="biling")
    assert (problem.value.field, "billing" in problem.value.hint) == ("service", True)
    world.forget(address)
    assert [event.seq for event in audit(world.engine, world.asker, service="billing").items] == [2, 1]


@pytest.mark.parametrize("limit", [0, -1, 1001, True, "3"])
def test_limit_out_of_bounds_is_refused(world: World, limit: object) -> None:
    with pytest.raises(Invalid) as problem:
        audit(world.engine, world.asker, limit=limit)  # type: ignore[arg-type]
    assert problem.value.field == "limit"


def test_audit_needs_the_right_to_read(world: World) -> None:
    with pytest.raises(Forbidden):
        audit(world.engine, world.as_(rights=frozenset({"write"})))
