"""What two people who exchange memories find afterwards: nothing that either of them meant to keep has gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.memory.compress import compress
from marrow.memory.erase import erase
from marrow.memory.forget import forget
from marrow.memory.get import get
from marrow.memory.import_bundle import import_bundle
from marrow.memory.recall import recall
from marrow.memory.search import search
from marrow.model.change import Reinforce
from marrow.model.record import Filter

from . import fixtures_store
from .fixtures_store import SECOND, World, knowledge
from .test_exchange import bundle, take

pair = fixtures_store.pair


def exchange(one: World, other: World, folder: Path) -> None:
    """Both write a bundle, both take the other's, and know the same."""
    paths = bundle(one, folder, "one.bundle"), bundle(other, folder, "other.bundle")
    take(other, paths[0])
    take(one, paths[1])
    assert knowledge(one) == knowledge(other)


@pytest.mark.parametrize("how", ["forget", "erase"])
def test_what_a_summary_that_went_set_free_holds_after_the_next_exchange(
    pair: tuple[World, World], tmp_path: Path, how: str
) -> None:
    ana, ben = pair
    inputs = [ana.say("The export takes the write lock."), ana.say("The export runs at 02:15.")]
    exchange(ana, ben, tmp_path)
    made = compress(ana.engine, ana.asker, addresses=inputs, summary="The export takes the write lock at 02:15.")
    summary = made.address
    exchange(ana, ben, tmp_path)
    if how == "forget":
        forget(ben.engine, ben.asker, summary)
    else:
        erase(ben.engine, ben.asker, address=summary, dry_run=False, confirm=True)
    assert [ben.state(address) for address in inputs] == ["active", "active"]
    take(ana, bundle(ben, tmp_path, "b.bundle"))
    take(ben, bundle(ana, tmp_path, "a.bundle"))
    assert [world.state(address) for world in pair for address in inputs] == ["active"] * 4


def test_stricter_classification_survives_a_later_change_of_something_else(
    pair: tuple[World, World], tmp_path: Path
) -> None:
    ana, ben = pair
    vault = ana.say("The vault is in room 7.")
    exchange(ana, ben, tmp_path)
    ana.restate(vault, classification="secret")
    ben.clock.now = ana.clock.now
    ben.restate(vault, tags=("room",))
    exchange(ana, ben, tmp_path)
    for world in pair:
        record = world.record(vault)
        assert record is not None
        assert (record.standing.classification, record.standing.tags) == ("secret", ("room",))


@pytest.mark.parametrize("way", ["reinforce", "said again", "set aside and taken back"])
def test_no_way_of_meeting_a_memory_again_opens_what_another_closed(
    pair: tuple[World, World], tmp_path: Path, way: str
) -> None:
    ana, ben = pair
    vault = ana.say("The vault is in room 7.")
    exchange(ana, ben, tmp_path)
    ana.restate(vault, classification="secret", pinned=True, approved=True, tags=("room",))
    ben.clock.now = ana.clock.now + 10
    if way == "reinforce":
        ben.do(Reinforce(vault))
    elif way == "said again":
        ben.say("The vault is in room 7.")
    else:
        ben.forget(vault)
        ben.say("The vault is in room 7.")
    exchange(ana, ben, tmp_path)
    record = ben.record(vault)
    assert record is not None
    assert record.standing.classification == "secret"
    if way in ("reinforce", "said again"):
        standing = record.standing
        assert (standing.pinned, standing.approved, standing.tags) == (True, True, ("room",))
        assert standing.reinforced == 1


CENTURY = 100 * 365 * 86_400 * SECOND


def test_change_by_somebody_who_has_seen_that_of_a_clock_far_ahead_wins_over_it(
    pair: tuple[World, World], tmp_path: Path
) -> None:
    ana, ben = pair
    port = ana.say("The port is 8080.")
    exchange(ana, ben, tmp_path)
    ben.clock.now += CENTURY
    ben.restate(port, tags=("ben",))
    old = bundle(ben, tmp_path, "old.bundle")
    exchange(ana, ben, tmp_path)
    ana.restate(port, tags=("ana",))
    exchange(ana, ben, tmp_path)
    take(ana, old)
    for world in pair:
        record = world.record(port)
        assert record is not None
        assert record.standing.tags == ("ana",)


def test_link_that_a_clock_far_ahead_made_or_ended_can_be_ended_and_made_again(
    pair: tuple[World, World], tmp_path: Path
) -> None:
    ana, ben = pair
    one, other = ana.say("The gate is green."), ana.say("Plums are ripe.")
    exchange(ana, ben, tmp_path)
    ben.clock.now += CENTURY
    ben.relate(one, "enables", other)
    for closed in (True, False):
        exchange(ana, ben, tmp_path)
        ana.relate(one, "enables", other, closed=closed)
        exchange(ana, ben, tmp_path)
        assert [link.closed for link in ben.read(lambda r: list(r.all_links("local", None)))] == [closed]
        ben.relate(one, "enables", other, closed=not closed)


def test_opposite_conclusions_are_named_by_the_import_and_what_is_saved_again_holds_on_both_sides(
    pair: tuple[World, World], tmp_path: Path
) -> None:
    ana, ben = pair
    redis, postgres = ana.say("Sessions live in Redis."), ana.say("Sessions live in Postgres.")
    exchange(ana, ben, tmp_path)
    ana.relate(redis, "supersedes", postgres)
    ben.relate(postgres, "supersedes", redis)
    told = import_bundle(ana.engine, ana.asker, bundle(ben, tmp_path, "b.bundle")).told
    assert {one.address for one in told if one.what == "opposed"} == {redis, postgres}
    exchange(ana, ben, tmp_path)
    again = import_bundle(ana.engine, ana.asker, bundle(ben, tmp_path, "c.bundle"))
    assert (again.told, again.events) == ((), ())
    ana.say("Sessions live in Postgres.")
    exchange(ana, ben, tmp_path)
    for world in pair:
        assert [world.state(redis), world.state(postgres)] == ["superseded", "active"]


def test_two_that_took_the_place_of_one_are_named_until_one_takes_that_of_the_other(
    pair: tuple[World, World], tmp_path: Path
) -> None:
    ana, ben = pair
    redis = ana.say("Sessions live in Redis, by the gate.")
    exchange(ana, ben, tmp_path)
    valkey, postgres = ana.say("Sessions live in Valkey."), ben.say("Postgres has the sessions again.")
    ana.relate(valkey, "supersedes", redis)
    ben.relate(postgres, "supersedes", redis)
    path = bundle(ben, tmp_path, "b.bundle")
    told = {one.what: one for one in import_bundle(ana.engine, ana.asker, path).told}
    assert told["forked"].address == redis
    assert all(f"[{address[:12]}]" in told["forked"].note for address in (valkey, postgres))
    assert import_bundle(ana.engine, ana.asker, path).told == ()
    take(ben, bundle(ana, tmp_path, "a.bundle"))
    for world in pair:
        assert get(world.engine, world.asker, valkey).rivals == (postgres,)
        assert get(world.engine, world.asker, postgres).rivals == (valkey,)
        found = recall(world.engine, world.asker, "Where do the sessions live now?")
        entry = {kept.record.node.address: kept.record.entry for kept in found.relevant}[valkey]
        assert found.rivals[entry] == (postgres,)
        hits = search(world.engine, world.asker, "sessions", Filter())
        assert sorted(hits.rivals.values()) == sorted([(valkey,), (postgres,)])
    ben.relate(postgres, "supersedes", valkey)
    take(ana, bundle(ben, tmp_path, "c.bundle"))
    for world in pair:
        assert get(world.engine, world.asker, postgres).rivals == ()
        assert search(world.engine, world.asker, "sessions", Filter()).rivals == {}


def test_what_was_replaced_once_by_what_is_gone_and_once_by_what_holds_is_not_named(
    pair: tuple[World, World], tmp_path: Path
) -> None:
    ana, ben = pair
    redis = ana.say("Sessions live in Redis.")
    exchange(ana, ben, tmp_path)
    ana.relate(valkey := ana.say("Sessions live in Valkey."), "supersedes", redis)
    ben.relate(ben.say("Postgres has the sessions again."), "supersedes", redis)
    ana.forget(valkey)
    told = import_bundle(ana.engine, ana.asker, bundle(ben, tmp_path, "b.bundle")).told
    assert "forked" not in {one.what for one in told}


def test_what_was_forgotten_stays_so_whoever_let_it_be_superseded(tmp_path: Path, pair: tuple[World, World]) -> None:
    ana, ben = pair
    redis, postgres = ana.say("Sessions live in Redis."), ana.say("Sessions live in Postgres.")
    exchange(ana, ben, tmp_path)
    ana.relate(redis, "supersedes", postgres)
    ben.relate(postgres, "supersedes", redis)
    take(ben, bundle(ana, tmp_path, "a.bundle"))
    ana.forget(redis)
    exchange(ana, ben, tmp_path)
    assert [world.state(redis) for world in pair] == ["retracted", "retracted"]


def test_import_names_what_came_what_changed_and_what_was_taken_off(pair: tuple[World, World], tmp_path: Path) -> None:
    ana, ben = pair
    known = {name: ana.say(f"{name} is known.") for name in ("One", "Two", "Three", "Four", "Five")}
    exchange(ana, ben, tmp_path)
    ana.restate(known["One"], pinned=True, approved=True, tags=("room",))
    ana.forget(known["Two"])
    ben.clock.now = ana.clock.now + SECOND
    ben.restate(known["One"], classification="secret")
    ben.forget(known["Two"])
    ben.say("Two is known.")
    ben.forget(known["Three"])
    new = ben.say("Six is new.")
    ben.relate(new, "supersedes", known["Four"])
    ana.relate(known["Five"], "supersedes", known["One"])
    ben.clock.now = ana.clock.now + SECOND
    ben.relate(known["One"], "supersedes", known["Five"])
    path = bundle(ben, tmp_path, "b.bundle")
    tried = import_bundle(ana.engine, ana.asker, path, dry_run=True)
    done = import_bundle(ana.engine, ana.asker, path)
    assert tried.told == done.told
    told = {(one.what, one.address): one for one in done.told}
    assert told["new", new].title == "Six is new."
    assert told["back", known["Two"]].note == "it was forgotten here"
    assert told["ended", known["Three"]].note == "forgotten"
    assert ("superseded", known["Four"]) in told
    assert told["opposed", known["One"]].note.startswith(f"[{known['Five'][:12]}] takes its place")
    assert done.projects == ("orchard",)
    assert (done.links, done.links_ended) == (2, 0)
    last = ana.read(lambda r: next(iter(r.events("local", latest=True))))
    assert last.summary.startswith("import b.bundle: 1 new")


def test_import_names_what_it_took_off(pair: tuple[World, World], tmp_path: Path) -> None:
    ana, ben = pair
    vault = ana.say("The vault is in room 7.")
    exchange(ana, ben, tmp_path)
    ana.restate(vault, pinned=True, approved=True, tags=("vault",))
    ben.clock.now = ana.clock.now + SECOND
    ben.restate(vault, tags=("room",), classification="secret")
    (told,) = import_bundle(ana.engine, ana.asker, bundle(ben, tmp_path, "b.bundle")).told
    assert told.what == "changed"
    assert told.note == "no longer pinned, no longer approved, without the tags vault, now secret"
