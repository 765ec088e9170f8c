"""Taking out a service, or what is old: looked at first, retracted in batches, undone by a restore, erased by erase."""

from __future__ import annotations

from typing import Any

import pytest

from marrow.memory import removal
from marrow.memory.audit import audit
from marrow.memory.engine import Asker, Engine
from marrow.memory.erase import erase
from marrow.memory.removal import delete_service_data, prune
from marrow.memory.snapshot import snapshot_restore
from marrow.model.errors import Forbidden, Invalid, NotFound
from marrow.model.moments import MICROS_PER_DAY
from marrow.model.record import Filter
from marrow.model.source import CURSOR, NO_ADDRESS, Source

from .conftest import Hand
from .test_reading import say

SPACE, PROJECT = "local", "orchard"


def paths(engine: Engine) -> list[tuple[str, str]]:
    with engine.store.reading() as reader:
        return [(one.service, one.path) for one in reader.sources(SPACE, None)]


@pytest.fixture
def filled(engine: Engine, hand: Hand) -> dict[str, str]:
    found = {
        "bill": say(hand, "Invoices are numbered", service="billing", kind="document"),
        "code": say(hand, "def invoice(): ...", service="billing", kind="document"),
        "both": say(hand, "Money has two digits", service="billing"),
        "pay": say(hand, "Salaries are paid on the first", service="payroll"),
        "free": say(hand, "The gate opens at seven"),
        "far": say(hand, "Ships are billed by weight", service="billing", project="harbour"),
    }
    say(hand, "Money has two digits", service="payroll")
    rows = [Source(PROJECT, "billing", f"{name}.md", "document", found[name]) for name in ("bill", "code", "both")]
    rows += [
        Source(PROJECT, "billing", "#codebase", CURSOR, NO_ADDRESS),
        Source(PROJECT, "payroll", "p.md", "document", found["pay"]),
    ]
    rows += [Source("harbour", "billing", "far.md", "document", found["far"])]
    with engine.store.writing() as writer:
        writer.keep_sources(SPACE, rows)
    return found


def test_a_service_is_looked_at_before_it_is_deleted(
    engine: Engine, asker: Asker, hand: Hand, filled: dict[str, str]
) -> None:
    before = hand.head()
    for found in (
        delete_service_data(engine, asker, "billing"),
        delete_service_data(engine, asker, "billing", dry_run=True, confirm=True),
    ):
        assert (found.dry_run, found.nodes, found.kept_shared, found.sources) == (True, 2, 1, 4)
        assert found.kinds == (("document", 2),)
        assert {record.node.address for record in found.first} == {filled["bill"], filled["code"]}
    with pytest.raises(Invalid) as caught:
        delete_service_data(engine, asker, "billing", dry_run=False)
    assert caught.value.field == "confirm"
    assert hand.head() == before


def test_what_was_deleted_with_a_service_is_not_told_as_deleted_again(
    engine: Engine, asker: Asker, hand: Hand, filled: dict[str, str]
) -> None:
    delete_service_data(engine, asker, "billing", dry_run=False, confirm=True)
    before = hand.head()
    for dry_run in (True, False):
        again = delete_service_data(engine, asker, "billing", dry_run=dry_run, confirm=True)
        assert (again.nodes, again.kinds, again.first, again.undo) == (0, (), (), None)
    assert hand.head() == before


@pytest.mark.parametrize("batch", [1, 500])
def test_a_deleted_service_is_retracted_with_its_sources_and_nothing_else_is(
    engine: Engine,
    asker: Asker,
    hand: Hand,
    filled: dict[str, str],
    batch: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(removal, "BATCH", batch)
    before = hand.head()
    done = delete_service_data(engine, asker, "billing", dry_run=False, confirm=True)
    assert (done.dry_run, done.nodes, done.undo) == (False, 2, before)
    states = {name: hand.state(address, "harbour" if name == "far" else PROJECT) for name, address in filled.items()}
    gone = {name for name, state in states.items() if state == "retracted"}
    assert gone == {"bill", "code"}
    assert paths(engine) == [("billing", "far.md"), ("payroll", "p.md")]
    events = audit(engine, asker, operation="delete_service_data").items
    assert len(events) == (2 if batch == 1 else 1)
    with pytest.raises(NotFound):
        delete_service_data(engine, asker, "nothing")
    snapshot_restore(engine, asker, done.undo, dry_run=False, confirm=True)
    assert hand.state(filled["bill"]) == "active"


def test_what_was_retracted_can_still_be_erased_for_good(
    engine: Engine, asker: Asker, hand: Hand, filled: dict[str, str]
) -> None:
    delete_service_data(engine, asker, "billing", dry_run=False, confirm=True)
    wanted = Filter(projects=(PROJECT,), service="billing")
    gone = erase(engine, asker, filter=wanted, dry_run=False, confirm=True)
    assert len(gone.chosen) == 2
    with engine.store.reading() as reader:
        assert reader.placed(SPACE, [filled["bill"]]) == {}


def test_a_service_that_is_not_there_is_an_error_that_names_those_that_are(
    engine: Engine, asker: Asker, filled: dict[str, str]
) -> None:
    with pytest.raises(NotFound) as caught:
        delete_service_data(engine, asker, "biling", dry_run=False, confirm=True)
    assert caught.value.field == "service"
    assert "Did you mean billing?" in (caught.value.hint or "")
    assert "payroll" in (caught.value.hint or "")


def test_only_an_administrator_removes(engine: Engine, writer_only: Asker, filled: dict[str, str]) -> None:
    with pytest.raises(Forbidden):
        delete_service_data(engine, writer_only, "billing")
    with pytest.raises(Forbidden):
        prune(engine, writer_only, 1)


@pytest.fixture
def aged(engine: Engine, hand: Hand) -> dict[str, str]:
    found = {"old": hand.say("an old log", kind="log"), "pinned": hand.say("old and pinned", pinned=True)}
    found |= {"again": hand.say("said again"), "view": hand.say("a preference", kind="preference")}
    found |= {"claim": hand.say("an old claim")}
    hand.clock.forward(days=100)
    hand.say("said again")
    found["new"] = hand.say("a new log", kind="log")
    with engine.store.writing() as writer:
        writer.keep_sources(
            SPACE, [Source(PROJECT, "s", f"log:/no/such/{name}.log@0", "log", found[name]) for name in ("old", "new")]
        )
    return found


@pytest.mark.parametrize("older_than", [90, "90", "90 days", "90 days ago", "3 months"])
def test_what_was_last_said_before_then_is_pruned(
    engine: Engine, asker: Asker, hand: Hand, aged: dict[str, str], older_than: Any
) -> None:
    looked = prune(engine, asker, older_than)
    assert (looked.dry_run, looked.nodes) == (True, 2)
    done = prune(engine, asker, older_than, dry_run=False, confirm=True)
    assert (done.dry_run, done.nodes, done.sources) == (False, 2, 1)
    gone = {name for name, address in aged.items() if hand.state(address) == "retracted"}
    assert gone == {"old", "claim"}
    assert paths(engine) == [("s", "log:/no/such/new.log@0")]
    assert prune(engine, asker, older_than).nodes == 0


def test_a_moment_of_today_is_told_with_its_time(engine: Engine, asker: Asker, aged: dict[str, str]) -> None:
    assert prune(engine, asker, "2 hours").what.endswith("Z")
    assert not prune(engine, asker, "2 days").what.endswith("Z")


def test_only_the_named_kinds_are_pruned(engine: Engine, asker: Asker, hand: Hand, aged: dict[str, str]) -> None:
    prune(engine, asker, "90 days", ["log", "preference"], dry_run=False, confirm=True)
    assert {name for name, address in aged.items() if hand.state(address) == "retracted"} == {"old", "view"}


@pytest.mark.parametrize("given", ["", "soon", 0, -3, 10**7, "2030-01-01", True, None, "0 days"])
def test_an_age_that_is_none_is_refused_and_nothing_changes(
    engine: Engine, asker: Asker, hand: Hand, aged: dict[str, str], given: Any
) -> None:
    before = hand.head()
    with pytest.raises(Invalid) as caught:
        prune(engine, asker, given, dry_run=False, confirm=True)
    assert caught.value.field == "older_than"
    assert hand.head() == before


def test_a_date_prunes_what_is_older(engine: Engine, asker: Asker, hand: Hand, aged: dict[str, str]) -> None:
    assert prune(engine, asker, "2026-03-02").nodes == 2
    assert prune(engine, asker, "2026-02-20").nodes == 0
    assert hand.clock.now > 100 * MICROS_PER_DAY
