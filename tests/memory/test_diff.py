"""Diff: what changed here lately."""

from __future__ import annotations

import pytest

from marrow.memory.diff import diff
from marrow.memory.erase import erase
from marrow.memory.snapshot import snapshot_create
from marrow.model.errors import Forbidden
from marrow.model.moments import MICROS_PER_DAY

from . import fixtures_store
from .fixtures_store import World

world = fixtures_store.world


def test_diff_tells_what_changed_in_a_day_unless_asked_otherwise(world: World) -> None:
    old = world.say("said the day before yesterday")
    world.clock.now += 2 * MICROS_PER_DAY
    new = world.say("said today")
    assert [item.address for item in diff(world.engine, world.asker).items] == [new]
    assert {item.address for item in diff(world.engine, world.asker, "1 week").items} == {old, new}
    assert {item.address for item in diff(world.engine, world.asker, 0).items} == {old, new}


def test_diff_since_a_snapshot(world: World) -> None:
    world.say("before")
    snapshot_create(world.engine, world.asker, "then")
    new = world.say("after")
    assert [(item.address, item.what) for item in diff(world.engine, world.asker, "then").items] == [(new, "added")]


def test_diff_is_limited_to_the_callers_places(world: World) -> None:
    mine, everyones = world.say("mine"), world.say("everyone's", project="")
    world.say("elsewhere", project="meadow")
    assert {item.address for item in diff(world.engine, world.asker).items} == {mine, everyones}


def test_diff_counts_what_was_erased_without_naming_it(world: World) -> None:
    gone = world.say("to be erased")
    erase(world.engine, world.asker, address=gone, dry_run=False, confirm=True)
    found = diff(world.engine, world.asker)
    assert found.items == ()
    assert found.erased == 2  # in the event that said it and in the one that erased it


def test_diff_of_an_empty_memory_is_empty(world: World) -> None:
    assert diff(world.engine, world.asker).items == ()


def test_diff_needs_the_right_to_read(world: World) -> None:
    with pytest.raises(Forbidden):
        diff(world.engine, world.as_(rights=frozenset({"write"})))
