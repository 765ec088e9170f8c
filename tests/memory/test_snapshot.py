"""Snapshots: named moments that can be compared and gone back to."""

from __future__ import annotations

import pytest

from marrow.memory.engine import sequence
from marrow.memory.snapshot import snapshot_create, snapshot_diff, snapshot_list, snapshot_restore
from marrow.memory.status import status
from marrow.model.errors import Ambiguous, Conflict, Forbidden, Invalid, NotFound
from marrow.model.event import Head
from marrow.model.link import Anchor
from marrow.model.merkle import EMPTY_ROOT
from marrow.model.moments import moment
from marrow.model.scope import Scope

from . import fixtures_store
from .fixtures_store import NO_ADMIN, World

world = fixtures_store.world


def test_snapshot_names_the_root_of_its_moment_and_is_listed(world: World) -> None:
    world.say("The orchard has forty trees.")
    root = world.root()
    made = snapshot_create(world.engine, world.asker, "before pruning", ["release"], "a note")
    world.say("The orchard has thirty trees.")
    assert (made.root, made.tags, made.note) == (root, ("release",), "a note")
    listed = snapshot_list(world.engine, world.asker)
    assert listed.items == (made,)
    assert listed.head.seq == 3


def test_status_then_is_the_chain_root_and_snapshots_of_then(world: World) -> None:
    world.say("The orchard has forty trees.")
    snapshot_create(world.engine, world.asker, "one")
    root = world.root()
    world.say("The orchard has thirty trees.")
    snapshot_create(world.engine, world.asker, "two")
    then = status(world.engine, world.asker, as_of="one")
    assert (then.head.seq, then.root, then.snapshots, then.active) == (2, root, 1, 1)
    first = status(world.engine, world.asker, as_of="0")
    assert (first.head, first.root, first.snapshots, first.active) == (Head(root=EMPTY_ROOT), EMPTY_ROOT, 0, 0)
    now = status(world.engine, world.asker)
    assert (now.head.seq, now.root, now.snapshots) == (4, world.root(), 2)


def test_what_expires_later_is_there_in_a_snapshot_although_the_clock_was_once_ahead(world: World) -> None:
    start = world.clock.now
    world.clock.now += 10**15
    world.say("The clock is wrong.", at=start)
    world.clock.now = start
    world.say("The orchard has forty trees.", expires_at=start + 10**12)
    snapshot_create(world.engine, world.asker, "one")
    assert status(world.engine, world.asker, as_of="one").active == 2


def test_snapshot_name_is_taken_once(world: World) -> None:
    snapshot_create(world.engine, world.asker, "one")
    before = world.seq()
    with pytest.raises(Conflict, match="already"):
        snapshot_create(world.engine, world.asker, "one")
    assert world.seq() == before


@pytest.mark.parametrize("name", ["", "  ", "17", "two\nlines", "x" * 201])
def test_snapshot_name_that_cannot_be_one_is_refused(world: World, name: str) -> None:
    with pytest.raises(Invalid) as problem:
        snapshot_create(world.engine, world.asker, name)
    assert problem.value.field == "name"
    assert world.seq() == 0


@pytest.mark.parametrize(
    "name",
    [
        *(
            "2026-03-01",
            "2026-03-01T14:00:00Z",
            "2026-03-01 14",
            "2026-03-01-14:00",
            "2024-05-06 14:30:05.5",
            "now",
            "Yesterday",
            "3 days ago",
        ),
        *("7d", "1:56 pm on 8 May, 2023"),
    ],
)
def test_snapshot_name_that_reads_as_a_time_is_refused_with_a_hint(world: World, name: str) -> None:
    with pytest.raises(Invalid, match="time") as problem:
        snapshot_create(world.engine, world.asker, name)
    assert problem.value.field == "name"
    assert "before" in problem.value.hint
    assert world.seq() == 0


@pytest.mark.parametrize(
    "name",
    [
        "release 2026-03-01",
        "2026-03",
        "v2",
        "May 2023",
        "before 8 May 2023",
        "2024-05-06-1",
        "2024-05-06-10",
        "2024-05-06.2",
    ],
)
def test_snapshot_name_with_a_time_in_it_is_a_name(world: World, name: str) -> None:
    assert snapshot_create(world.engine, world.asker, name).name == name


def test_diff_tells_what_was_added_removed_and_changed_and_in_which_fields(world: World) -> None:
    stays = world.say("Apples are picked in September.")
    goes = world.say("Pears are picked in May.")
    changes = world.say("Plums are sold at the gate.", tags=("shop",))
    snapshot_create(world.engine, world.asker, "a")
    world.forget(goes)
    world.restate(changes, priority=0.9, tags=("shop", "plum"))
    comes = world.say("Cherries need netting.", domain="patterns")
    world.relate(stays, "relates_to", changes)
    snapshot_create(world.engine, world.asker, "b")
    found = snapshot_diff(world.engine, world.asker, "a", "b")
    told = {item.address: (item.what, item.fields) for item in found.items}
    assert told == {
        comes: ("added", ()),
        goes: ("removed", ("state",)),
        changes: ("changed", ("priority", "tags", "links")),
        stays: ("changed", ("links",)),
    }
    cherry = next(item for item in found.items if item.address == comes)
    assert (cherry.project, cherry.kind, cherry.domain, cherry.line) == (
        "orchard",
        "claim",
        "patterns",
        "Cherries need netting.",
    )


def test_diff_backwards_turns_added_and_removed_round(world: World) -> None:
    gone = world.say("one")
    world.forget(gone)
    new = world.say("two")
    forwards = snapshot_diff(world.engine, world.asker, 1, 3)
    backwards = snapshot_diff(world.engine, world.asker, 3, 1)
    assert {(i.address, i.what) for i in forwards.items} == {(gone, "removed"), (new, "added")}
    assert {(i.address, i.what) for i in backwards.items} == {(gone, "added"), (new, "removed")}


def test_what_came_and_went_between_the_two_is_no_difference(world: World) -> None:
    world.say("stays")
    brief = world.say("does not stay")
    world.forget(brief)
    assert snapshot_diff(world.engine, world.asker, 1, 3).items == ()


def test_diff_sees_anchors(world: World) -> None:
    address = world.say("The gate is in gate.py.")
    world.say("The gate is in gate.py.", anchors=[Anchor("file", "gate.py")])
    (item,) = snapshot_diff(world.engine, world.asker, 1, 2).items
    assert item.address == address
    assert "anchors" in item.fields


def test_diff_up_to_now_and_by_time(world: World) -> None:
    world.say("one")
    two = world.say("two")
    between = moment(world.read(lambda r: next(e.at for e in r.events("local")))).isoformat()
    assert [item.address for item in snapshot_diff(world.engine, world.asker, 1).items] == [two]
    assert [item.address for item in snapshot_diff(world.engine, world.asker, between).items] == [two]
    assert len(snapshot_diff(world.engine, world.asker, "2020-01-01").items) == 2


def test_diff_shows_only_what_the_caller_may_read(world: World) -> None:
    mine = world.say("mine")
    world.say("theirs", project="meadow")
    limited = world.as_(projects=frozenset({"orchard"}))
    assert [item.address for item in snapshot_diff(world.engine, limited, 0).items] == [mine]


def test_unknown_snapshot_is_not_found_and_the_nearest_is_named(world: World) -> None:
    snapshot_create(world.engine, world.asker, "harvest")
    with pytest.raises(NotFound) as problem:
        snapshot_diff(world.engine, world.asker, "harvets")
    assert problem.value.field == "a"
    assert "harvest" in problem.value.hint
    with pytest.raises(NotFound):
        snapshot_restore(world.engine, world.asker, 99)


def test_dry_run_of_a_restore_changes_nothing_and_tells_what_would_change(world: World) -> None:
    kept = world.say("kept")
    snapshot_create(world.engine, world.asker, "then")
    world.forget(kept)
    new = world.say("new")
    before = world.seq()
    told = snapshot_restore(world.engine, world.asker, "then")
    assert told.dry_run
    assert {(item.address, item.what) for item in told.changes.items} == {(kept, "added"), (new, "removed")}
    assert world.seq() == before


def test_restore_needs_confirmation(world: World) -> None:
    world.say("one")
    snapshot_create(world.engine, world.asker, "then")
    world.say("two")
    before = world.seq()
    with pytest.raises(Invalid) as problem:
        snapshot_restore(world.engine, world.asker, "then", dry_run=False)
    assert problem.value.field == "confirm"
    assert "confirm=true" in problem.value.hint
    assert world.seq() == before


def test_restore_brings_back_the_root_and_says_how_to_undo_it(world: World) -> None:
    old = world.say("The gate is green.", tags=("paint",), anchors=[Anchor("file", "gate.py")])
    other = world.say("The fence is white.")
    world.relate(old, "relates_to", other)
    made = snapshot_create(world.engine, world.asker, "then")
    new = world.supersede(old, "The gate is blue.")
    world.relate(old, "relates_to", other, closed=True)
    world.restate(other, tags=("wood",))
    changed = world.root()
    done = snapshot_restore(world.engine, world.asker, "then", dry_run=False, confirm=True)
    assert world.root() == made.root
    assert (world.state(old), world.state(new), world.state(other)) == ("active", "retracted", "active")
    links = world.read(lambda r: [(x.source, x.rel, x.target) for x in r.links("local", [old], None, 2**62 - 1)])
    assert links == [(old, "relates_to", other)]
    assert done.undo is not None
    undone = snapshot_restore(world.engine, world.asker, done.undo, dry_run=False, confirm=True)
    assert world.root() == changed
    assert (world.state(old), world.state(new)) == ("superseded", "active")
    links = world.read(lambda r: [(x.source, x.rel, x.target) for x in r.links("local", [old], None, 2**62 - 1)])
    assert links == [(new, "supersedes", old)]
    assert done.receipt is not None
    assert undone.undo == done.receipt.seq


def test_restore_of_links_alone_can_be_undone(world: World) -> None:
    a, b = world.say("a"), world.say("b")
    world.relate(a, "relates_to", b)
    done = snapshot_restore(world.engine, world.asker, 2, dry_run=False, confirm=True)
    assert world.read(lambda r: r.links("local", [a], None, 2**62 - 1)) == []
    assert done.undo == 3
    snapshot_restore(world.engine, world.asker, done.undo, dry_run=False, confirm=True)
    assert len(world.read(lambda r: r.links("local", [a], None, 2**62 - 1))) == 1


def test_restored_tags_are_found_again(world: World) -> None:
    address = world.say("The gate is green.", tags=("varnish",))
    snapshot_create(world.engine, world.asker, "then")
    world.restate(address, tags=("enamel",))
    assert world.words("varnish") == set()
    snapshot_restore(world.engine, world.asker, "then", dry_run=False, confirm=True)
    assert world.words("varnish") == {"The gate is green."}
    assert world.words("enamel") == set()


def test_restore_to_the_present_changes_nothing(world: World) -> None:
    world.say("one")
    before = world.seq()
    done = snapshot_restore(world.engine, world.asker, before, dry_run=False, confirm=True)
    assert done.undo is None
    assert world.seq() == before


def test_restore_needs_the_right_to_administer(world: World) -> None:
    world.say("one")
    for asker in (world.as_(rights=NO_ADMIN), world.as_(projects=frozenset({"orchard"}))):
        with pytest.raises(Forbidden):
            snapshot_restore(world.engine, asker, 0, dry_run=True)


def test_another_namespace_has_its_own_snapshots(world: World) -> None:
    snapshot_create(world.engine, world.asker, "ours")
    theirs = world.as_(namespace="theirs")
    there = type(theirs)(theirs.principal, Scope("theirs", "orchard"), "eve")
    assert snapshot_list(world.engine, there).items == ()
    snapshot_create(world.engine, there, "ours")
    assert snapshot_list(world.engine, there).items[0].seq == 1


def test_a_tag_names_the_one_snapshot_that_has_it(world: World) -> None:
    snapshot_create(world.engine, world.asker, "first", tags=("release", "v1"))
    world.say("one")
    snapshot_create(world.engine, world.asker, "second", tags=("release",))
    with world.engine.store.reading() as reader:
        assert sequence(reader, world.asker, "v1", world.clock.now) == sequence(
            reader, world.asker, "first", world.clock.now
        )
        with pytest.raises(Ambiguous, match="2 snapshots have the tag 'release': first, second"):
            sequence(reader, world.asker, "release", world.clock.now)
