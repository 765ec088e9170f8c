"""What is to be done is told as it was computed, and a service that there is not is told as such."""

from __future__ import annotations

import pytest

from marrow.ingest.action_items import ActionItem
from marrow.memory import meetings
from marrow.memory.engine import Asker, Engine
from marrow.memory.meetings import known_items, search_meetings
from marrow.memory.taking_in.media import ingest_meeting
from marrow.model.errors import NotFound
from marrow.model.record import Filter

TALK = (
    "[00:00:05] Ann: Hello.\n[00:01:10] Bob: I'll rotate the keys by Friday.\n[00:02:00] Ann: Priya to call the mill."
)
IDLE = "[00:00:05] Ann: Hello.\n[00:01:10] Bob: The weather is fine."


def wanted(asker: Asker, service: str = "") -> Filter:
    return Filter(projects=(asker.scope.project,), kinds=("meeting",), service=service)


def items(engine: Engine, asker: Asker) -> list[ActionItem]:
    return [one.item for one in known_items(engine, asker, wanted(asker))]


def test_meeting_in_which_nothing_is_to_be_done_is_not_read_again(
    engine: Engine, asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    ingest_meeting(engine, asker, transcript=IDLE, title="Sync", date="2026-02-20")

    def reading(text: str, **_: object) -> list[ActionItem]:
        read.append(text)
        return []

    monkeypatch.setattr(meetings, "action_items", reading)
    assert items(engine, asker) == []
    assert read == []


def test_what_is_to_be_done_is_the_same_before_it_is_derived_and_after(engine: Engine, asker: Asker) -> None:
    done = ingest_meeting(
        engine, asker, transcript=TALK, title="Sync", date="2026-02-20", attendees=["Ann", "Bob", "Priya"]
    )
    derived = items(engine, asker)
    assert [one.due for one in derived if one.text == "rotate the keys"] == ["2026-02-27"]
    with engine.store.writing() as writer:
        writer.drop_derived(asker.namespace, (done.address,), ("action_items",))
    assert items(engine, asker) == derived


def test_service_that_there_is_not_is_told_with_those_near_it(engine: Engine, asker: Asker) -> None:
    ingest_meeting(engine, asker, transcript=TALK, title="Sync", date="2026-02-20", service="billing")
    for act in (
        lambda service: known_items(engine, asker, wanted(asker, service)),
        lambda service: search_meetings(engine, asker, "keys", wanted(asker, service)).hits,
    ):
        assert len(act("Billing")) == len(act("billing")) > 0
        with pytest.raises(NotFound) as caught:
            act("biling")
        assert "billing" in caught.value.hint
        assert caught.value.field == "service"


def test_service_of_former_times_is_known_then(engine: Engine, asker: Asker) -> None:
    ingest_meeting(engine, asker, transcript=TALK, title="Sync", date="2026-02-20", service="billing")
    with engine.store.reading() as reader:
        head = reader.head(asker.namespace).seq
    assert search_meetings(engine, asker, "keys", wanted(asker, "billing"), as_of=str(head)).hits
    with pytest.raises(NotFound):
        search_meetings(engine, asker, "keys", wanted(asker, "biling"), as_of=str(head))


def test_what_is_said_again_without_its_day_keeps_it_until_another_is_named(engine: Engine, asker: Asker) -> None:
    line = "Action: Carol to order pallets"
    ingest_meeting(engine, asker, transcript=f"{line} by 2024-07-01", title="First", date="2024-06-01")
    ingest_meeting(engine, asker, transcript=f"{line}", title="Second", date="2024-06-08")
    assert [(one.text, one.owner, one.due) for one in items(engine, asker)] == [
        ("order pallets", "Carol", "2024-07-01")
    ]
    ingest_meeting(engine, asker, transcript=f"{line} by 2024-07-15", title="Third", date="2024-06-15")
    assert [one.due for one in items(engine, asker)] == ["2024-07-15"]


def test_the_day_of_a_task_that_was_done_is_not_that_of_one_asked_anew(engine: Engine, asker: Asker) -> None:
    ingest_meeting(
        engine, asker, transcript="Action: Carol to order pallets by 2024-07-01", title="A", date="2024-06-01"
    )
    ingest_meeting(engine, asker, transcript="- [x] Carol to order pallets", title="B", date="2024-07-02")
    ingest_meeting(engine, asker, transcript="Action: Carol to order pallets", title="C", date="2025-06-01")
    assert [(one.text, one.due, one.done) for one in items(engine, asker)] == [("order pallets", "", False)]


def test_whoever_is_asked_for_by_the_whole_name_has_what_was_given_to_the_first_name(
    engine: Engine, asker: Asker
) -> None:
    ingest_meeting(
        engine,
        asker,
        transcript="Attendees: Carol Ahn\n\n- [ ] @carol, @dave: count the pallets\n- [ ] Carol Ahn to call the mill\n",
        title="Sync",
        date="2026-02-20",
    )

    def owned(owner: str) -> list[str]:
        return sorted(one.item.text for one in known_items(engine, asker, wanted(asker), owner=owner))

    assert owned("Carol Ahn") == owned("carol") == ["call the mill", "count the pallets"]
    assert owned("Carol Berg") == owned("@dave") == ["count the pallets"]


def test_those_who_are_only_named_by_the_caller_have_what_they_are_to_do(engine: Engine, asker: Asker) -> None:
    text = "# Weekly\n\n## Action items\n\n- Zuzka orders the labels\n"
    done = ingest_meeting(engine, asker, transcript=text, title="Weekly", date="2026-02-20", attendees=["Zuzka Mala"])
    derived = items(engine, asker)
    assert [(one.owner, one.text) for one in derived] == [("Zuzka", "order the labels")]
    with engine.store.writing() as writer:
        writer.drop_derived(asker.namespace, (done.address,), ("action_items",))
    assert items(engine, asker) == derived
