"""Taking in through a view: what was read before and is hidden is not replaced, and not left behind."""

from __future__ import annotations

from typing import Any

import pytest

from marrow.ingest.item import Item, Skipped
from marrow.memory.engine import Asker, Engine
from marrow.memory.snapshot import snapshot_restore
from marrow.memory.taking_in.documents import ingest_document
from marrow.memory.taking_in.take_in import HIDDEN, TakenIn, take_in
from marrow.model.change import Restate
from marrow.model.draft import Draft
from marrow.model.errors import Forbidden
from marrow.model.record import CURRENT, Filter
from marrow.model.source import CURSOR, NO_ADDRESS, SKIPPED, Source

from .conftest import Hand

SPACE, PROJECT, SERVICE = "local", "orchard", "kiln"


def took(engine: Engine, asker: Asker, *items: Item | Skipped, service: str = SERVICE, **more: Any) -> TakenIn:
    return take_in(engine, asker, items, operation="test", service=service, **more)


def item(path: str, content: str, **more: Any) -> Item:
    return Item(Draft(content, kind="document", metadata={"path": path}, **more), path, digest=f"d{content}")


def rows(engine: Engine) -> list[Source]:
    with engine.store.reading() as reader:
        return reader.sources(SPACE, None)


def active(engine: Engine) -> set[str]:
    with engine.store.reading() as reader:
        entries = reader.select(SPACE, Filter(kinds=("document",)), CURRENT, 0)
        return {record.node.content for record in reader.records_of(entries, CURRENT)}


@pytest.fixture
def pay(engine: Engine, asker: Asker, hand: Hand) -> str:
    """The address of a document that was read, and made secret since."""
    (address,) = took(engine, asker, item("pay.md", "Salaries are 100")).addresses
    hand.do(Restate(address, (("classification", "secret"),)))
    return address


@pytest.mark.parametrize(
    "read",
    [
        item("pay.md", "Salaries are 200"),
        item("pay.md", "Salaries are 100"),
        Skipped("pay.md", "it is cut", "dx", 1, 1),
    ],
)
def test_a_path_that_holds_what_is_hidden_is_passed_over_and_nothing_of_it_is_changed(
    engine: Engine, asker: Asker, hand: Hand, through: Any, pay: str, read: Item | Skipped
) -> None:
    held = through()
    before, head = rows(engine), hand.head()
    done = took(held, asker, read)
    reason = read.reason if isinstance(read, Skipped) else HIDDEN
    assert [(one.path, one.reason) for one in done.problems] == [("pay.md", reason)]
    assert (done.total, done.addresses) == (0, ())
    assert (rows(engine), hand.head(), active(engine)) == (before, head, {"Salaries are 100"})
    assert took(engine, asker, item("pay.md", "Salaries are 200")).changed == 1
    assert active(engine) == {"Salaries are 200"}


def test_one_hidden_path_does_not_keep_the_others_from_being_taken_in(
    engine: Engine, asker: Asker, through: Any, pay: str
) -> None:
    others = [item(f"{n}.md", f"Number {n}") for n in range(3)]
    done = took(through(), asker, others[0], item("pay.md", "Salaries are 200"), *others[1:])
    assert (done.added, [one.path for one in done.problems]) == (3, ["pay.md"])
    assert active(engine) == {"Salaries are 100", "Number 0", "Number 1", "Number 2"}


def test_the_one_document_that_is_given_and_cannot_be_written_is_refused(
    engine: Engine, asker: Asker, hand: Hand, through: Any
) -> None:
    (address,) = ingest_document(engine, asker, text="Salaries are 100", title="Pay").addresses
    hand.do(Restate(address, (("classification", "secret"),)))
    with pytest.raises(Forbidden) as caught:
        ingest_document(through(), asker, text="Salaries are 200", title="Pay")
    assert caught.value.field == "view"
    assert "ithout the setting `view`" in (caught.value.hint or "")


def test_a_row_that_is_hidden_is_not_written_over_whoever_asks_for_it(engine: Engine, through: Any, pay: str) -> None:
    held = through()
    (row,) = rows(engine)
    with pytest.raises(Forbidden), held.store.writing() as writer:
        writer.keep_sources(SPACE, [row])
    assert rows(engine) == [row]


def test_what_is_seen_is_taken_in_and_changed_as_ever(engine: Engine, asker: Asker, through: Any, pay: str) -> None:
    held = through()
    assert took(held, asker, item("gate.md", "The gate opens at seven")).added == 1
    assert took(held, asker, item("gate.md", "The gate opens at eight")).changed == 1
    assert took(held, asker, item("gate.md", "The gate opens at eight")).unchanged == 1
    assert active(held) == {"The gate opens at eight"}
    assert took(held, asker, gone=["gate.md", "pay.md"]).gone == 1
    assert [row.path for row in rows(engine)] == ["pay.md"]
    assert active(engine) == {"Salaries are 100"}


def test_a_row_of_a_service_that_is_hidden_is_not_replaced_though_its_text_is_seen_elsewhere(
    engine: Engine, asker: Asker, through: Any
) -> None:
    for service in (SERVICE, "payroll"):
        took(engine, asker, item("both.md", "Money has two digits"), service=service)
    held = through({"not": {"service": ["payroll"]}})
    before = rows(engine)
    done = took(held, asker, item("both.md", "Money has three digits"), service="payroll")
    assert [one.reason for one in done.problems] == [HIDDEN]
    assert rows(engine) == before
    assert took(held, asker, item("both.md", "Money has three digits")).changed == 1


def test_a_text_that_is_hidden_in_one_project_and_seen_in_another_is_not_replaced_in_the_first(
    engine: Engine, asker: Asker, hand: Hand, through: Any, pay: str
) -> None:
    hand.say("Salaries are 100", kind="document", project="harbour", classification="public")
    held = through()
    with held.store.reading() as reader:
        assert reader.placed(SPACE, [pay])
    done = took(held, asker, item("pay.md", "Salaries are 200"))
    assert [one.reason for one in done.problems] == [HIDDEN]
    assert active(engine) == {"Salaries are 100"}


def test_rows_that_stand_for_no_document_are_replaced_by_whoever_reads(
    engine: Engine, asker: Asker, through: Any
) -> None:
    took(engine, asker, Skipped("odd.md", "it is no text", "d1", 1, 1))
    held = through()
    assert took(held, asker, item("odd.md", "It is one now")).added == 1
    assert [row.kind for row in rows(engine)] == ["document"]


@pytest.mark.parametrize("kind", ["document", SKIPPED, CURSOR])
def test_dropping_a_row_that_is_hidden_does_nothing_whatever_is_said_of_it(
    engine: Engine, through: Any, pay: str, kind: str
) -> None:
    held = through()
    (row,) = rows(engine)
    with held.store.writing() as writer:
        writer.drop_sources(SPACE, [row._replace(kind=kind, address=NO_ADDRESS), row])
    assert rows(engine) == [row]


def test_a_restore_is_never_settled_through_a_view(
    engine: Engine, asker: Asker, writer_only: Asker, hand: Hand, through: Any, pay: str
) -> None:
    seq = hand.head()
    took(engine, asker, item("pay.md", "Salaries are 200"), item("gate.md", "The gate opens at seven"))
    held, before = through(), rows(engine)
    head = hand.head()
    for everywhere in (False, True):
        for dry_run in (False, True):
            with pytest.raises(Forbidden):
                snapshot_restore(held, writer_only, seq, dry_run, confirm=True, everywhere=everywhere)
    assert (rows(engine), hand.head()) == (before, head)
    snapshot_restore(engine, asker, seq, dry_run=False, confirm=True)
    assert [(row.path, row.address) for row in rows(engine)] == [("pay.md", pay)]
