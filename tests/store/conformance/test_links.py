"""Links, anchors, neighbours and places."""

from __future__ import annotations

from itertools import pairwise

import pytest

from marrow.model.change import NameProject, Pin, Relate
from marrow.model.errors import Invalid, NotFound
from marrow.model.link import Anchor
from marrow.model.record import CURRENT, Project

from ..door import NOBODY, START, Door, picture, verify

A, B, C = "The port is 5432.", "The port is 5433.", "Backups run at night."


def test_link_is_found_from_both_ends_and_once(door: Door) -> None:
    a, b, c = door.say(A), door.say(B), door.say(C)
    assert door.relate(a, "implements", b).what == "new"
    assert door.lines(a) == door.lines(b) == door.lines(a, b) == {(a, "implements", b)}
    assert len(door.links(a, b)) == 1
    assert door.links(c) == door.links() == []


def test_same_link_again_changes_nothing(door: Door) -> None:
    a, b = door.say(A), door.say(B)
    door.relate(a, "blocks", b)
    before = picture(door.store)
    assert door.relate(a, "blocks", b).what == "unchanged"
    assert picture(door.store) == before


def test_links_given_with_a_text_are_made_with_it(door: Door) -> None:
    a = door.say(A)
    b = door.say(B, links=(("caused_by", a), ("relates_to", a)))
    assert door.lines(b) == {(b, "caused_by", a), (b, "relates_to", a)}
    assert door.seq() == 2


def test_links_are_said_in_a_project(door: Door) -> None:
    a, b = door.say(A, project=""), door.say(B, project="")
    door.do(Relate(a, b, "blocks"))
    assert [link.project for link in door.links(a)] == ["p"]
    assert [project.name for project in door.ask(lambda r: r.projects("local"))] == ["", "p"]
    assert door.ask(lambda r: r.links("local", [a], ("q",), CURRENT)) == []
    assert door.ask(lambda r: r.links("local", [a], (), CURRENT)) == []
    assert len(door.ask(lambda r: r.links("local", [a], ("p", "q"), CURRENT))) == 1
    assert len(door.ask(lambda r: list(r.all_links("local", ("p",))))) == 1
    assert door.ask(lambda r: list(r.all_links("local", ("",)))) == []


@pytest.mark.parametrize("rel", ["caused_by", "depends_on", "blocks", "enables", "derived_from"])
def test_circle_of_an_ordered_relation_is_refused(door: Door, rel: str) -> None:
    names = [door.say(f"Node {n}.") for n in range(4)]
    for one, two in pairwise(names):
        door.relate(one, rel, two)
    before = picture(door.store)
    for target in names[:3]:
        with pytest.raises(Invalid) as caught:
            door.relate(names[3], rel, target)
        assert caught.value.field == "target"
        assert caught.value.hint
    assert picture(door.store) == before
    door.relate(names[3], "relates_to", names[0])
    door.relate(names[1], rel, names[2], closed=True)
    door.relate(names[3], rel, names[0])


def test_circle_through_links_of_a_batch_is_refused_as_a_whole(door: Door) -> None:
    a, b = door.say(A), door.say(B)
    before = picture(door.store)
    with pytest.raises(Invalid):
        door.do(Relate(a, b, "blocks"), Relate(b, a, "blocks"))
    assert picture(door.store) == before


@pytest.mark.parametrize("which", ["itself", "unknown source", "unknown target", "bad rel", "not there"])
def test_link_that_cannot_be_says_why_and_changes_nothing(door: Door, which: str) -> None:
    a, b = door.say(A), door.say(B)
    steps = {
        "itself": (Relate(a, a, "relates_to"), Invalid, "target"),
        "unknown source": (Relate(NOBODY, a, "blocks"), NotFound, "source"),
        "unknown target": (Relate(a, NOBODY, "blocks"), NotFound, "target"),
        "bad rel": (Relate(a, b, "Not A Rel"), Invalid, "rel"),
        "not there": (Relate(a, b, "blocks", closed=True), NotFound, "rel"),
    }
    step, error, field = steps[which]
    before = picture(door.store)
    with pytest.raises(error) as caught:
        door.do(step)
    assert caught.value.field == field
    assert picture(door.store) == before


def test_anchors_are_added_and_never_doubled(door: Door) -> None:
    one, two = Anchor("file", "a.py"), Anchor("lines", "a.py", '{"end":2,"start":1}')
    a = door.say(A, anchors=(one, one))
    door.say(A, anchors=(one, two))
    assert door.anchors(a) == ["a.py", "a.py"]
    entry = door.record(a).entry
    assert door.ask(lambda r: r.anchors([entry], CURRENT))[entry] == [one, two]
    assert door.ask(lambda r: r.sizes())["anchors"] == 2


def test_a_pin_moves_an_anchor_and_what_it_was_can_be_asked(door: Door) -> None:
    old, kept, new = Anchor("file", "old.py"), Anchor("symbol", "A.b"), Anchor("file", "new.py")
    a = door.say(A, anchors=(old, kept))
    before, root = door.seq(), door.root()
    assert door.one(Pin(a, (new,), (old,)), layer="system").what == "changed"
    assert sorted(door.anchors(a)) == ["A.b", "new.py"]
    assert sorted(door.anchors(a, seq=before)) == ["A.b", "old.py"]
    entry = door.record(a).entry
    assert door.ask(lambda r: r.anchored("local", ["new.py"], None, CURRENT)) == [entry]
    assert door.ask(lambda r: r.anchored("local", ["old.py"], None, CURRENT)) == []
    assert (door.find("new"), door.find("old")) == ([A], [])
    assert door.root() == root, "an anchor is no part of the standing"
    verify(door.store)


def test_a_pin_that_changes_nothing_is_no_event(door: Door) -> None:
    a = door.say(A, anchors=(Anchor("file", "a.py"),))
    before = picture(door.store)
    assert door.one(Pin(a, (Anchor("file", "a.py"),), (Anchor("file", "never.py"),))).what == "unchanged"
    assert picture(door.store) == before
    with pytest.raises(NotFound):
        door.do(Pin(NOBODY, (Anchor("file", "a.py"),)))
    with pytest.raises(Invalid):
        door.do(Pin(a, (Anchor("planet", "x"),)))


def test_neighbours_are_those_said_just_before_and_after_in_the_thread(door: Door) -> None:
    said = [door.say_so(f"Line {n}.", thread="t").entry for n in range(6)]
    other = door.say_so("Elsewhere.", thread="u").entry
    silent = door.say_so("No thread.").entry
    door.say("Line 0.", thread="t", project="q")
    found = door.ask(lambda r: r.neighbours([said[2], other, silent], 2))
    assert sorted(found[said[2]]) == sorted([(said[1], -1), (said[0], -2), (said[3], 1), (said[4], 2)])
    assert found.get(other, []) == []
    assert found.get(silent, []) == []
    assert sorted(door.ask(lambda r: r.neighbours([said[5]], 1))[said[5]]) == [(said[4], -1)]


def test_neighbour_said_often_in_a_thread_counts_once(door: Door) -> None:
    one, two, three = (door.say_so(f"Line {n}.", thread="t") for n in range(3))
    for at in range(5):
        door.say("Line 1.", thread="t", at=START - at)
    found = door.ask(lambda r: r.neighbours([one.entry, two.entry], 2))
    assert sorted(found[one.entry]) == [(two.entry, 1), (three.entry, 2)]
    assert sorted(found[two.entry]) == sorted([(one.entry, -1), (three.entry, 1)])


def test_thread_of_another_namespace_has_no_neighbours_here(door: Door) -> None:
    here = door.say_so(A, thread="t").entry
    Door(door.store, namespace="theirs").say(B, thread="t")
    assert door.ask(lambda r: r.neighbours([here], 3)).get(here, []) == []


def test_projects_are_listed_with_their_counts_and_aliases(door: Door) -> None:
    a = door.say(A)
    door.say(B, at=START + 7)
    door.forget(a)
    c = door.say(C, project="")
    door.do(NameProject("q", ("git.example/q", "q", "identity-1")))
    assert door.ask(lambda r: r.projects("local")) == [
        Project("", (), 1, 1, door.record(c, project="").last_at),
        Project("p", (), 1, 2, door.record(a).last_at),
        Project("q", ("git.example/q", "identity-1"), 0, 0, 0),
    ]
    assert door.ask(lambda r: r.projects("theirs")) == []


def test_project_goes_by_its_name_and_its_aliases(door: Door) -> None:
    named = lambda name, space="local": door.ask(lambda r: r.project_named(space, name))  # noqa: E731
    assert door.one(NameProject("q", ("one",))).what == "new"
    assert door.one(NameProject("q", ("two",))).what == "changed"
    assert named("q") == named("one") == named("two") == "q"
    assert named("three") is None
    assert named("one", "theirs") is None
    before = picture(door.store)
    assert door.one(NameProject("q", ("two", "one"))).what == "unchanged"
    assert picture(door.store) == before


def test_store_knows_a_project_by_the_first_name_that_any_goes_by(door: Door) -> None:
    door.do(NameProject("q", ("one",)))
    door.do(NameProject("r", ("two",)))
    known = door.store.known_as
    assert known("local", ["three", "two", "one"]) == known("local", ["r"]) == "r"
    assert known("local", ["three"]) is known("local", []) is known("theirs", ["one"]) is None
    with door.store.writing() as writer:
        writer.name_project("local", "s", ["three"])
        assert known("local", ["three"]) == "s"


def test_alias_stays_with_the_project_that_had_it_first(door: Door) -> None:
    door.do(NameProject("q", ("one",)))
    door.do(NameProject("r", ("one", "two")))
    assert door.ask(lambda r: r.project_named("local", "one")) == "q"
    assert door.ask(lambda r: r.project_named("local", "two")) == "r"
    before = picture(door.store)
    door.do(NameProject("r", ("one",)))
    assert picture(door.store) == before


def test_prefix_finds_addresses_in_order_and_only_where_asked(door: Door) -> None:
    names = sorted(door.say(f"Fact {n}.") for n in range(40))
    there = door.say("Only there.", project="q")
    found = lambda prefix, projects=None, limit=100: door.ask(lambda r: r.addresses("local", prefix, projects, limit))  # noqa: E731
    assert found("") == sorted([*names, there])
    assert found("", ("p",)) == names
    assert found("", ("q",)) == [there]
    assert found("", ()) == found("", ("nowhere",)) == []
    assert found("", None, 3) == sorted([*names, there])[:3]
    for address in names:
        assert found(address) == [address]
        assert found(address[:5], ("p",)) == [n for n in names if n.startswith(address[:5])]
