"""Superseding: what is handed on, what stays behind, and what cannot be changed."""

from __future__ import annotations

import pytest

from marrow.model.change import Reinforce, Supersede
from marrow.model.errors import Conflict, Immutable, Invalid, NotFound
from marrow.model.link import Anchor
from marrow.model.node import Occurrence
from marrow.model.record import CURRENT

from ..door import NOBODY, START, Door, picture, vector_of

A, B, C = "The port is 5432.", "The port is 5433.", "The database listens on a socket."


def test_new_node_inherits_standing(door: Door) -> None:
    chosen = {
        "domain": "architecture",
        "priority": 0.9,
        "confidence": 0.7,
        "pinned": True,
        "classification": "secret",
        "approved": True,
        "tags": ("db",),
        "aliases": ("the port",),
        "drift": "moved",
    }
    a = door.say(A, kind="decision", standing=chosen)
    door.one(Reinforce(a))
    b = door.supersede(a, B, "moved")
    old, new = door.standing(a), door.standing(b)
    assert door.record(b).node.kind == "decision"
    assert {name: getattr(new, name) for name in chosen if name != "drift"} == {
        n: v for n, v in chosen.items() if n != "drift"
    }
    assert (new.drift, new.reason, new.generation, new.reinforced) == ("", "", 1, 1)
    assert (old.state, old.reason) == ("superseded", "moved")
    assert new.salt != old.salt


def test_changes_given_with_the_new_text_win_over_what_is_inherited(door: Door) -> None:
    a = door.say(A, standing={"priority": 0.9, "tags": ("db",)})
    b = door.supersede(a, B, "", priority=0.1, tags=("net",))
    assert (door.standing(b).priority, door.standing(b).tags) == (0.1, ("net",))


def test_links_follow_and_history_does_not(door: Door) -> None:
    a, b, c = door.say(A), door.say(B), door.say(C)
    door.relate(a, "depends_on", b)
    door.relate(c, "relates_to", a)
    door.relate(a, "derived_from", c)
    new = door.supersede(a, "The port is 5434.")
    assert (new, "depends_on", b) in door.lines(new)
    assert (c, "relates_to", new) in door.lines(new)
    assert (new, "supersedes", a) in door.lines(new)
    assert (new, "derived_from", c) not in door.lines(new)
    # What was said about the old one stays said.
    assert (a, "depends_on", b) in door.lines(a)
    assert (a, "derived_from", c) in door.lines(a)


def test_link_between_old_and_new_does_not_become_a_link_to_itself(door: Door) -> None:
    a, b = door.say(A), door.say(B)
    door.relate(a, "relates_to", b)
    assert door.supersede(a, B) == b
    assert door.lines(a, b) == {(a, "relates_to", b), (b, "supersedes", a)}


def test_anchors_follow(door: Door) -> None:
    a = door.say(A, anchors=(Anchor("file", "db.toml"), Anchor("symbol", "Database.port")))
    b = door.supersede(a, B)
    assert door.anchors(b) == door.anchors(a) == ["db.toml", "Database.port"]
    assert door.find("toml") == [B]


def test_old_node_stays_addressable_and_is_not_found(door: Door) -> None:
    a = door.say(A)
    b = door.supersede(a, B)
    assert door.record(a).node.content == A
    assert door.ask(lambda r: r.addresses("local", a[:12], None, 5)) == [a]
    assert door.select() == door.find("port") == door.near(A) == [B]
    assert door.select(include_superseded=True) == [B, A]
    entries = [door.record(a).entry, door.record(b).entry]
    assert sorted(door.find("port", within=entries)) == [A, B]
    assert sorted(door.near("port", within=entries)) == [A, B]


def test_superseding_with_a_text_that_is_known_meets_it_again(door: Door) -> None:
    a, b = door.say(A, standing={"tags": ("one",), "priority": 0.9}), door.say(B, standing={"tags": ("two",)})
    assert door.supersede(a, B) == b
    assert door.standing(b).tags == ("one", "two")
    assert door.standing(b).priority == 0.9
    assert door.standing(b).reinforced == 1
    assert door.select() == [B]


def test_supersession_in_the_global_scope_stays_there(door: Door) -> None:
    a = door.say(A, project="")
    b = door.supersede(a, B)
    assert [r.project for r in door.records(a, b)] == ["", ""]
    assert door.select(projects=("p",)) == []
    assert door.select(projects=("",)) == [B]


def test_own_record_is_changed_and_not_the_one_of_the_global_scope(door: Door) -> None:
    a = door.say(A, project="")
    door.say(A)
    door.supersede(a, B)
    assert door.standing(a, project="p").state == "superseded"
    assert door.standing(a, project="").state == "active"


def test_relation_supersedes_takes_the_target_out_of_the_active_set(door: Door) -> None:
    a, b = door.say(A), door.say(B)
    door.relate(b, "supersedes", a)
    assert door.standing(a).state == "superseded"
    assert door.select() == [B]


@pytest.mark.parametrize(
    ("prepare", "text", "error", "field"),
    [
        ("semantic", A, Invalid, "content"),
        ("episodic", B, Immutable, "content"),
        ("forgotten", B, Conflict, "address"),
        ("superseded", C, Conflict, "address"),
        ("unknown", B, NotFound, "address"),
        ("elsewhere", B, NotFound, "address"),
    ],
)
def test_what_cannot_be_superseded_says_why_and_changes_nothing(
    door: Door, prepare: str, text: str, error: type[Exception], field: str
) -> None:
    address = door.say(A, standing={"semantic": prepare != "episodic"}, project="q" if prepare == "elsewhere" else "p")
    if prepare == "forgotten":
        door.forget(address)
    if prepare == "superseded":
        door.supersede(address, B)
    before = picture(door.store)
    old = NOBODY if prepare == "unknown" else address
    with pytest.raises(error) as caught:
        door.do(Supersede(old, text, Occurrence(START)))
    assert caught.value.field == field  # type: ignore[attr-defined]
    assert picture(door.store) == before


def test_index_has_the_new_node_at_once(door: Door) -> None:
    a = door.say(A)
    new = door.supersede(a, C)
    assert door.find("socket") == [C]
    assert door.near("database socket")[0] == C
    entry = door.record(new).entry
    assert entry in door.ask(lambda r: r.similarities([entry], vector_of(C)))
    assert door.ask(lambda r: r.records_of([entry], CURRENT))[0].node.address == new
