"""Arcs: goals over several sessions."""

from __future__ import annotations

import pytest

from marrow.memory.arc import COMPLETE, PAUSED, arc_create, arc_detect, arc_find, arc_list, arc_update
from marrow.memory.engine import Asker, Engine
from marrow.model.errors import Conflict, Invalid, NotFound
from marrow.model.session import Session

from .conftest import Clock, Hand

GOAL = "Everything is in one store."


def begin_session(engine: Engine, asker: Asker, name: str, at: int) -> None:
    with engine.store.writing() as writer:
        writer.keep_session(asker.namespace, Session(name, "codex", asker.scope.project, started_at=at, last_at=at))


def test_an_arc_moves_on_as_one_line_of_versions(engine: Engine, asker: Asker, hand: Hand, clock: Clock) -> None:
    first = arc_create(engine, asker, "The move", GOAL, "the tables")
    assert first.content == f"Arc: The move (1 session, active)\nGoal: {GOAL}\nNext: the tables"
    clock.forward(seconds=1)
    second = arc_update(engine, asker, "the MOVE", progress="The tables are over.", next_step="the rows")
    assert second.content.split("\n") == [
        "Arc: The move (1 session, active)",
        f"Goal: {GOAL}",
        "Trajectory:",
        "- The tables are over.",
        "Next: the rows",
    ]
    assert hand.state(first.address) == "superseded"
    clock.forward(seconds=1)
    paused = arc_update(engine, asker, second.address[:12], status=PAUSED, reason="the harvest comes first")
    assert "paused" in paused.content
    assert "Paused: the harvest comes first" in paused.content
    clock.forward(seconds=1)
    going_on = arc_update(engine, asker, "The move", progress="The rows are over.")
    assert "harvest" not in going_on.content
    clock.forward(seconds=1)
    done = arc_update(engine, asker, "The move", status=COMPLETE, outcome="One store, and it is fast.")
    assert done.content.endswith("Outcome: One store, and it is fast.")
    assert "Next:" not in done.content
    (known,) = arc_list(engine, asker)
    assert (known.arc.status, known.arc.trajectory) == (COMPLETE, ("The tables are over.", "The rows are over."))
    record = hand.record(done.address)
    assert (record.node.kind, record.standing.domain, record.standing.state) == ("arc", "tasks", "active")


def test_every_session_that_moves_an_arc_counts_once(engine: Engine, asker: Asker, clock: Clock) -> None:
    begin_session(engine, asker, "one", clock.now)
    arc_create(engine, asker, "The move", GOAL)
    clock.forward(seconds=1)
    assert arc_update(engine, asker, "The move", progress="a").arc.sessions == 1
    begin_session(engine, asker, "two", clock.forward(days=1))
    assert arc_update(engine, asker, "The move", progress="b").arc.sessions == 2
    clock.forward(seconds=1)
    assert arc_update(engine, asker, "The move", progress="c").arc.sessions == 2


def test_without_sessions_the_days_are_counted(engine: Engine, asker: Asker, clock: Clock) -> None:
    arc_create(engine, asker, "The move", GOAL)
    clock.forward(days=2)
    assert arc_update(engine, asker, "The move", progress="a").arc.sessions == 2


def test_what_a_person_changed_about_an_arc_stays(engine: Engine, asker: Asker, hand: Hand, clock: Clock) -> None:
    made = arc_create(engine, asker, "The move", GOAL)
    hand.restate(made.address, pinned=True)
    clock.forward(seconds=1)
    assert hand.record(arc_update(engine, asker, "The move", progress="a").address).standing.pinned


def test_a_name_is_taken_until_its_arc_is_complete(engine: Engine, asker: Asker, clock: Clock) -> None:
    arc_create(engine, asker, "The move", GOAL)
    with pytest.raises(Conflict):
        arc_create(engine, asker, "the move", "Another goal.")
    clock.forward(seconds=1)
    arc_update(engine, asker, "The move", status=COMPLETE, outcome="Done.")
    with pytest.raises(Conflict):
        arc_update(engine, asker, "The move", progress="more")
    clock.forward(seconds=1)
    arc_create(engine, asker, "The move", GOAL)
    assert [known.arc.status for known in arc_list(engine, asker)] == ["active", "complete"]
    assert arc_find(engine, asker, "The move").arc.status == "active"


def test_an_arc_that_was_saved_by_hand_is_one_too(engine: Engine, asker: Asker, hand: Hand, clock: Clock) -> None:
    hand.say("Leave the old API", kind="arc", domain="tasks")
    (known,) = arc_list(engine, asker)
    assert (known.arc.name, known.arc.status) == ("Leave the old API", "active")
    assert arc_update(engine, asker, "leave the old api", progress="Half of it.").arc.trajectory == ("Half of it.",)


def test_bad_input_is_refused(engine: Engine, asker: Asker, hand: Hand) -> None:
    for name, goal, field in (("", GOAL, "name"), ("two\nlines", GOAL, "name"), ("x", " ", "goal")):
        with pytest.raises(Invalid) as wrong:
            arc_create(engine, asker, name, goal)
        assert wrong.value.field == field
    arc_create(engine, asker, "The move", GOAL)
    before = hand.head()
    with pytest.raises(NotFound) as unknown:
        arc_update(engine, asker, "The mole", progress="x")
    assert "The move" in unknown.value.hint
    with pytest.raises(NotFound):
        arc_update(engine, asker, hand.say("Apples are red."), progress="x")
    with pytest.raises(Invalid):
        arc_update(engine, asker, "The move")
    assert hand.head() == before + 1


def test_work_that_goes_on_is_detected_until_an_arc_covers_it(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    texts = (
        "Worked on:\n- billing export writes parquet files",
        "Worked on:\n- billing export parquet schema versioned",
        "Worked on:\n- pruned pear trees in orchard seven",
    )
    addresses = []
    for text in texts:
        clock.forward(days=1)
        addresses.append(hand.say(text, kind="handoff", domain="tasks"))
    before = hand.head()
    (found,) = arc_detect(engine, asker)
    assert [record.node.address for record in found.handoffs] == addresses[:2]
    assert set(found.words) >= {"bill", "export", "parquet"} or set(found.words) >= {"billing", "export", "parquet"}
    assert hand.head() == before
    arc_create(engine, asker, "billing export", "parquet files, schema versioned")
    assert arc_detect(engine, asker) == []
