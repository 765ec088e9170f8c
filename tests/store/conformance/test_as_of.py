"""Every read that takes a number sees what held then, and nothing that came later."""

from __future__ import annotations

import pytest

from marrow.model.change import NameProject, Reinforce, TakeSnapshot
from marrow.model.errors import NotFound
from marrow.model.event import SYSTEM
from marrow.model.link import Anchor
from marrow.model.merkle import root_of
from marrow.model.record import CURRENT
from marrow.store.receive import rebuild_tree

from ..door import SECOND, START, Door, picture, verify

A, B, C = "The port is 5432.", "The port is 5433.", "Backups run at night."


def history(door: Door) -> tuple[str, str, str]:
    """1 say A, 2 say C, 3 relate, 4 say A again with an anchor, 5 supersede A by B, 6 forget C, 7 end the link."""
    a = door.say(A, thread="first")
    c = door.say(C)
    door.relate(a, "blocks", c)
    door.say(A, thread="second", anchors=(Anchor("file", "db.toml"),))
    b = door.supersede(a, B)
    door.forget(c)
    door.relate(b, "blocks", c, closed=True)
    return a, b, c


def test_records_at_each_number(door: Door) -> None:
    a, b, c = history(door)
    states = {
        seq: {r.node.content: r.standing.state for r in door.records(a, b, c, seq=seq)}
        for seq in (0, 1, 2, 5, 6, CURRENT)
    }
    assert states[0] == {}
    assert states[1] == {A: "active"}
    assert states[2] == {A: "active", C: "active"}
    assert states[5] == {A: "superseded", B: "active", C: "active"}
    assert states[6] == states[CURRENT] == {A: "superseded", B: "active", C: "retracted"}
    assert door.record(a, 1).since_seq == door.record(a, 3).since_seq == 1
    assert door.record(a, 4).since_seq == 4
    assert door.standing(a, 3).reinforced == 0
    assert door.standing(a, 4).reinforced == 1


def test_records_by_handle_keep_their_order_and_leave_out_what_was_not_there_yet(door: Door) -> None:
    a, b, c = history(door)
    entries = [door.record(x).entry for x in (b, c, a)]
    assert [r.node.content for r in door.ask(lambda r: r.records_of(entries, CURRENT))] == [B, C, A]
    assert [r.node.content for r in door.ask(lambda r: r.records_of(entries, 2))] == [C, A]
    assert door.ask(lambda r: r.records_of([*entries, 123_456_789], 0)) == []
    assert door.ask(lambda r: r.records_of([], CURRENT)) == []


def test_selection_at_each_number(door: Door) -> None:
    history(door)
    assert [sorted(door.select(seq=seq)) for seq in range(8)] == [
        [],
        [A],
        sorted([A, C]),
        sorted([A, C]),
        sorted([A, C]),
        sorted([B, C]),
        [B],
        [B],
    ]
    assert door.select(seq=3, path="db.toml") == []
    assert door.select(seq=4, path="db.toml") == [A]
    assert door.select(seq=5, path="db.toml") == [B]
    assert door.select(seq=3, thread="second") == []
    assert door.select(seq=4, thread="second") == [A]


def test_occurrences_links_and_anchors_at_each_number(door: Door) -> None:
    a, b, c = history(door)
    entry = door.record(a).entry
    threads = lambda seq: [o.thread for o in door.ask(lambda r: r.occurrences([entry], seq)).get(entry, [])]  # noqa: E731
    assert [threads(seq) for seq in (0, 1, 3, 4, CURRENT)] == [
        [],
        ["first"],
        ["first"],
        ["first", "second"],
        ["first", "second"],
    ]
    assert door.lines(a, b, c, seq=2) == set()
    assert door.lines(a, b, c, seq=3) == {(a, "blocks", c)}
    assert door.lines(a, b, c, seq=6) == {(a, "blocks", c), (b, "blocks", c), (b, "supersedes", a)}
    assert door.lines(a, b, c) == {(a, "blocks", c), (b, "supersedes", a)}
    assert door.anchors(a, 3) == []
    assert door.anchors(a, 4) == ["db.toml"]


def test_link_seen_in_the_past_is_open_with_the_time_it_was_opened(door: Door) -> None:
    a, c = door.say(A), door.say(C)
    door.relate(a, "blocks", c)
    opened = door.now
    (open_link,) = door.links(a)
    door.relate(a, "blocks", c, closed=True)
    (then,) = door.links(a, seq=3)
    assert then == open_link
    assert (then.at, then.closed) == (opened, False)
    (now,) = door.ask(lambda r: list(r.all_links("local", None)))
    assert (now.at, now.closed) == (door.now, True)


def test_link_opened_closed_and_opened_again_is_one_line_each_time(door: Door) -> None:
    a, c = door.say(A), door.say(C)
    for closed in (False, True, False):
        door.relate(a, "blocks", c, closed=closed)
    assert [len(door.links(a, seq=seq)) for seq in (2, 3, 4, 5)] == [0, 1, 0, 1]
    (now,) = door.ask(lambda r: list(r.all_links("local", None)))
    assert not now.closed
    with pytest.raises(NotFound):
        door.relate(c, "blocks", a, closed=True)


def test_root_at_each_number_is_the_root_of_that_event(door: Door) -> None:
    history(door)
    for event in door.ask(lambda r: list(r.events("local"))):
        assert root_of(door.ask(lambda r, seq=event.seq: list(r.leaves("local", seq)))) == event.root


def test_events_can_be_read_in_parts_and_backwards(door: Door) -> None:
    history(door)
    numbers = lambda **asked: [e.seq for e in door.ask(lambda r: list(r.events("local", **asked)))]  # noqa: E731
    assert numbers() == [1, 2, 3, 4, 5, 6, 7]
    assert numbers(after=2, until=4) == [3, 4]
    assert numbers(limit=2) == [1, 2]
    assert numbers(after=2, limit=2, latest=True) == [7, 6]
    assert numbers(until=3, latest=True) == [3, 2, 1]
    assert numbers(after=7) == numbers(limit=0) == numbers(after=-1, until=0) == []
    assert numbers(until=99) == [1, 2, 3, 4, 5, 6, 7]
    assert door.ask(lambda r: list(r.events("theirs"))) == []


def test_number_of_a_moment_is_that_of_the_last_event_by_then(door: Door) -> None:
    history(door)
    at = lambda moment: door.ask(lambda r: r.sequence_at("local", moment))  # noqa: E731
    assert at(START) == 0
    assert at(START + SECOND) == 1
    assert at(START + 3 * SECOND - 1) == 2
    assert at(START + 100 * SECOND) == 7
    assert door.ask(lambda r: r.sequence_at("theirs", START + SECOND)) == 0


def test_time_of_events_never_goes_back_when_the_clock_does(door: Door) -> None:
    a = door.say(A)
    door.do(Reinforce(a), now=START - 1000 * SECOND)
    door.do(Reinforce(a), now=START + 5 * SECOND)
    door.do(TakeSnapshot("s"), now=0)
    times = [e.at for e in door.ask(lambda r: list(r.events("local")))]
    assert times == [START + SECOND, START + SECOND, START + 5 * SECOND, START + 5 * SECOND]
    assert door.ask(lambda r: r.snapshots("local"))[0].at == times[-1]
    assert door.standing(a).reinforced_at == START + 5 * SECOND
    assert door.ask(lambda r: r.head("local").at) == START + 5 * SECOND


def test_event_says_who_did_what_where_and_to_which(door: Door) -> None:
    receipt = door.do(
        NameProject("p", ("alias",)),
        TakeSnapshot("s"),
        operation="name",
        summary="naming ghp_" + "a1B2" * 9,
        layer=SYSTEM,
    )
    address = door.say(A, standing={"domain": "tasks"})
    first, second = door.ask(lambda r: list(r.events("local")))
    assert (first.seq, first.root, first.at) == (receipt.seq, receipt.root, receipt.at)
    assert (first.operation, first.actor, first.layer, first.project) == ("name", "tester", SYSTEM, "p")
    assert "ghp_" not in first.summary
    assert first.touched == ()
    assert [t.address for t in second.touched] == [address]
    assert second.domain == "tasks"
    assert A not in repr(second)


def test_equal_active_sets_have_equal_roots_whatever_came_before(door: Door) -> None:
    a = door.say(A, at=START)
    root = door.root()
    door.restate(a, priority=0.9)
    assert door.root() != root
    door.restate(a, priority=0.5)
    assert door.root() == root
    b = door.say(B)
    door.forget(b)
    assert door.root() == root


def test_rebuilt_tree_is_the_kept_tree(door: Door) -> None:
    history(door)
    before = picture(door.store)
    assert rebuild_tree(door.store, "local") == door.root()
    assert picture(door.store) == before
    with door.store.writing() as writer:
        writer.grow("local", {"": b"", "a1": b"7" + bytes(32)})
    assert rebuild_tree(door.store, "local") == door.root()
    verify(door.store)
    assert picture(door.store) == before


def test_every_step_keeps_the_root_that_the_standings_give(door: Door) -> None:
    a, b = door.say(A), door.say(B, project="q")
    steps = [
        lambda: door.say(C),
        lambda: door.say(A, thread="t"),
        lambda: door.restate(a, pinned=True),
        lambda: door.one(Reinforce(a)),
        lambda: door.do(TakeSnapshot("s")),
        lambda: door.forget(b, project="q"),
        lambda: door.supersede(a, "Something new."),
        lambda: door.erase(b),
    ]
    for step in steps:
        step()
        verify(door.store)
