"""The task context: one for each user in a project."""

from __future__ import annotations

from dataclasses import replace

import pytest

from marrow.memory.engine import Asker, Engine
from marrow.memory.forget import forget
from marrow.memory.task_context import get_task_context, set_task_context
from marrow.model.errors import Forbidden, Invalid

from .conftest import Clock, Hand, asker_of


def other_user(asker: Asker, name: str) -> Asker:
    return replace(asker, scope=replace(asker.scope, user=name))


def task_of(engine: Engine, asker: Asker) -> str:
    found = get_task_context(engine, asker)
    return found.task if found else ""


def test_nothing_is_set_at_first(engine: Engine, asker: Asker) -> None:
    assert get_task_context(engine, asker) is None


def test_what_is_set_is_given_back_as_it_was(engine: Engine, asker: Asker, clock: Clock, hand: Hand) -> None:
    details = {"branch": "main", "files": ["a.py", "b.py"], "blocked": False}
    done = set_task_context(engine, asker, "Move the rows", details)
    found = get_task_context(engine, asker)
    assert found is not None
    assert (found.task, found.details, found.set_at) == ("Move the rows", details, clock.now)
    record = hand.record(done.address)
    assert (record.node.kind, record.standing.domain, record.standing.tags) == ("task", "tasks", ("task-context",))
    assert 'files: ["a.py", "b.py"]' in record.node.content


def test_the_next_task_supersedes_the_last_and_may_be_an_earlier_one(
    engine: Engine, asker: Asker, clock: Clock, hand: Hand
) -> None:
    addresses = []
    for task in ("Move the rows", "Prune the trees", "Pick the pears", "Move the rows", "Prune the trees"):
        clock.forward(seconds=1)
        addresses.append(set_task_context(engine, asker, task).address)
        assert task_of(engine, asker) == task
        others = {one for one in addresses if one != addresses[-1]}
        assert {hand.state(one) for one in others} <= {"superseded"}


def test_the_same_task_again_keeps_it_with_the_new_details(engine: Engine, asker: Asker, clock: Clock) -> None:
    set_task_context(engine, asker, "Move the rows", "on main")
    clock.forward(seconds=5)
    assert set_task_context(engine, asker, "Move the rows", "on main").what == "reinforced"
    found = get_task_context(engine, asker)
    assert found is not None
    assert (found.details, found.set_at) == ("on main", clock.now)


def test_each_user_and_each_project_has_its_own(engine: Engine, asker: Asker, clock: Clock) -> None:
    joe, elsewhere = other_user(asker, "joe"), asker_of("pears")
    set_task_context(engine, asker, "Move the rows")
    set_task_context(engine, joe, "Move the rows")
    set_task_context(engine, elsewhere, "Pick the pears")
    clock.forward(seconds=1)
    set_task_context(engine, asker, "Prune the trees")
    assert [task_of(engine, one) for one in (asker, joe, elsewhere)] == [
        "Prune the trees",
        "Move the rows",
        "Pick the pears",
    ]
    clock.forward(seconds=1)
    set_task_context(engine, asker, "Move the rows")
    clock.forward(seconds=1)
    set_task_context(engine, joe, "Paint the fence")
    assert [task_of(engine, one) for one in (asker, joe)] == ["Move the rows", "Paint the fence"]


def test_a_task_that_is_forgotten_is_no_longer_set(engine: Engine, asker: Asker) -> None:
    forget(engine, asker, set_task_context(engine, asker, "Move the rows").address)
    assert get_task_context(engine, asker) is None


def test_secrets_do_not_come_back_with_the_details(engine: Engine, asker: Asker) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6e7F8"
    set_task_context(engine, asker, "Rotate the token", {"token": secret})
    assert secret not in str(get_task_context(engine, asker))


@pytest.mark.parametrize(("task", "details", "field"), [("", "", "task"), (" \n", "", "task"), ("x", 3, "details")])
def test_bad_input_is_refused(engine: Engine, asker: Asker, task: str, details: object, field: str) -> None:
    with pytest.raises(Invalid) as wrong:
        set_task_context(engine, asker, task, details)  # type: ignore[arg-type]
    assert wrong.value.field == field


def test_a_reader_reads_and_does_not_set(engine: Engine, asker: Asker) -> None:
    reader = asker_of("orchard", rights=("read",))
    set_task_context(engine, asker, "Move the rows")
    assert task_of(engine, reader) == "Move the rows"
    with pytest.raises(Forbidden):
        set_task_context(engine, reader, "Prune the trees")
