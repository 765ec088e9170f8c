"""Snapshots and restoring: the root of then, all that it meant, and the way back."""

from __future__ import annotations

import pytest

from marrow.model.change import Merge, RestoreTo, TakeSnapshot
from marrow.model.errors import Conflict, Invalid
from marrow.model.link import Anchor
from marrow.model.merkle import root_of
from marrow.model.record import CURRENT

from ..door import Door, picture
from .test_merging import bundle

A, B, C = "The port is 5432.", "The port is 5433.", "Backups run at night."


def test_snapshot_is_a_named_root(door: Door) -> None:
    a = door.say(A)
    door.do(TakeSnapshot("before", ("release",), "first"))
    root = door.root()
    door.supersede(a, B)
    (kept,) = door.ask(lambda r: r.snapshots("local"))
    assert (kept.name, kept.seq, kept.root, kept.tags, kept.note) == ("before", 2, root, ("release",), "first")
    assert kept.at == door.ask(lambda r: list(r.events("local", after=1, until=2)))[0].at
    assert root_of(door.ask(lambda r: list(r.leaves("local", kept.seq)))) == kept.root
    assert door.root() != root


def test_taking_a_snapshot_does_not_change_the_root(door: Door) -> None:
    door.say(A)
    root = door.root()
    door.do(TakeSnapshot("one"))
    door.do(TakeSnapshot("two"))
    assert door.root() == root
    assert [s.name for s in door.ask(lambda r: r.snapshots("local"))] == ["one", "two"]


def test_second_snapshot_of_a_name_is_refused(door: Door) -> None:
    door.do(TakeSnapshot("one"))
    before = picture(door.store)
    with pytest.raises(Conflict) as caught:
        door.do(TakeSnapshot("one"))
    assert caught.value.field == "name"
    assert picture(door.store) == before
    Door(door.store, namespace="theirs").do(TakeSnapshot("one"))


def history(door: Door) -> tuple[str, str, str]:
    a = door.say(A, standing={"tags": ("db",)}, anchors=(Anchor("file", "db.toml"),))
    c = door.say(C, standing={"pinned": True})
    door.relate(a, "enables", c)
    door.do(TakeSnapshot("then"))
    b = door.supersede(a, B)
    door.restate(c, pinned=False, tags=("scheduled",), confidence=0.3)
    door.relate(b, "enables", c, closed=True)
    door.say("Something else.", anchors=(Anchor("file", "else.py"),))
    door.say(C, anchors=(Anchor("file", "cron.d"),))
    return a, b, c


def test_restoring_gives_the_root_of_the_snapshot_and_everything_that_held(door: Door) -> None:
    a, b, c = history(door)
    (then,) = door.ask(lambda r: r.snapshots("local"))
    receipt = door.do(RestoreTo(then.seq))
    assert receipt.root == door.root() == then.root
    assert sorted(door.select()) == sorted([A, C])
    assert door.standing(c).held() == door.standing(c, seq=then.seq).held()
    assert door.lines(a, b, c) == door.lines(a, b, c, seq=then.seq) == {(a, "enables", c)}
    assert door.anchors(a) == ["db.toml"]
    assert door.anchors(c) == []


def test_restoring_can_be_undone(door: Door) -> None:
    history(door)
    before = picture(door.store, door.seq())
    number, root = door.seq(), door.root()
    door.do(RestoreTo(4))
    assert door.root() != root
    receipt = door.do(RestoreTo(number))
    assert receipt.root == root
    after = picture(door.store, door.seq())
    held = lambda shape: {name: r.standing.held() for name, r in shape["local"]["records"].items()}  # noqa: E731
    lines = lambda shape: {(x.source, x.rel, x.target) for x in shape["local"]["links"]}  # noqa: E731
    assert held(after) == held(before)
    assert lines(after) == lines(before)
    assert after["local"]["anchors"] == before["local"]["anchors"]
    assert after["local"]["root"] == before["local"]["root"]


def test_words_find_what_was_restored_and_not_what_was_not(door: Door) -> None:
    _, _, c = history(door)
    assert door.find("scheduled") == [C]
    assert door.find("cron") == [C]
    door.do(RestoreTo(4))
    assert door.find("scheduled") == door.find("cron") == door.find("something") == []
    assert door.find("db") == [A]
    assert sorted(door.near("port backups")) == sorted([A, C])
    assert c


def test_link_alone_is_restored_and_the_restoring_is_undone(door: Door) -> None:
    a, b = door.say(A), door.say(B)
    door.relate(a, "blocks", b)
    door.do(RestoreTo(2))
    assert door.lines(a) == set()
    door.do(RestoreTo(3))
    assert door.lines(a) == {(a, "blocks", b)}
    door.do(RestoreTo(4))
    assert door.lines(a) == set()


def test_anchor_alone_is_restored_as_an_event(door: Door) -> None:
    a = door.say(A)
    door.do(Merge(bundle(door, a, anchors=(Anchor("file", "new.py"),))))
    assert door.anchors(a) == ["new.py"]
    before = door.seq()
    door.do(RestoreTo(1))
    assert door.seq() == before + 1
    assert door.anchors(a) == []
    assert door.anchors(a, seq=before) == ["new.py"]
    door.do(RestoreTo(before))
    assert door.anchors(a) == ["new.py"]


def test_restoring_to_now_changes_nothing(door: Door) -> None:
    history(door)
    before = picture(door.store)
    receipt = door.do(RestoreTo(door.seq()))
    assert receipt.outcomes[0].what == "unchanged"
    assert picture(door.store) == before


def test_restoring_to_nothing_leaves_nothing_active(door: Door) -> None:
    history(door)
    receipt = door.do(RestoreTo(0))
    assert receipt.root == "0" * 64
    assert door.select() == []
    assert door.ask(lambda r: list(r.leaves("local", CURRENT))) == []


@pytest.mark.parametrize("seq", [-1, 99, "4", None, True, 2.0])
def test_number_that_never_was_is_refused(door: Door, seq: object) -> None:
    history(door)
    before = picture(door.store)
    with pytest.raises(Invalid) as caught:
        door.do(RestoreTo(seq))  # type: ignore[arg-type]
    assert caught.value.field == "seq"
    assert caught.value.hint
    assert picture(door.store) == before


def test_restored_node_that_is_erased_stays_erased(door: Door) -> None:
    a, _, c = history(door)
    door.erase(a)
    door.do(RestoreTo(4))
    assert door.records(a) == []
    assert door.select() == [C]
    assert door.lines(c) == set()


def test_other_namespaces_are_not_restored(door: Door) -> None:
    other = Door(door.store, namespace="theirs")
    other.say(A)
    door.say(A)
    root = other.root()
    door.do(RestoreTo(0))
    assert other.root() == root
    assert other.select() == [A]


def test_what_is_more_closed_now_than_then_stays_so_and_all_else_is_restored(door: Door) -> None:
    a, b = door.say(A), door.say(B, standing={"classification": "secret"})
    door.restate(a, classification="confidential", tags=("db",))
    door.restate(b, classification="internal")
    door.do(RestoreTo(2))
    assert (door.standing(a).classification, door.standing(a).tags) == ("confidential", ())
    assert door.standing(b).classification == "secret"
    assert door.do(RestoreTo(2)).outcomes[0].what == "unchanged"
