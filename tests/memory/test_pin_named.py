"""Memories that name symbols and were saved before there was a code map."""

from __future__ import annotations

from dataclasses import replace

import pytest

from marrow.app import open_memory
from marrow.memory.verify import verify
from marrow.model.scope import READ

from .desk_code import Desk, desk

__all__ = ["desk"]


def mapped(desk: Desk) -> None:
    desk.memory.engine.maps(str(desk.root)).update(desk.memory.engine.clock())  # type: ignore[misc]


@pytest.mark.parametrize("verb", ["verify", "scan"])
def test_a_name_is_pinned_once_there_is_a_map(desk: Desk, verb: str) -> None:
    address = desk.save("`parse_date` takes the day first.")
    getattr(desk.memory, verb)()
    assert desk.anchors(address) == []
    mapped(desk)
    getattr(desk.memory, verb)()
    assert desk.anchors(address) == ["file src/app.py", "symbol parse_date"]
    desk.edit("src/app.py", 'split("-")', 'split(".")')
    desk.memory.verify()
    assert desk.drift(address) == "changed"


def test_what_is_pinned_is_written_down_once_and_by_the_system(desk: Desk) -> None:
    desk.save("`parse_date` takes the day first.")
    mapped(desk)
    desk.memory.verify()
    with desk.memory.store.reading() as reader:
        pinning = [one for one in reader.events(desk.memory.scope.namespace) if one.summary.startswith("pin ")]
        head = reader.head(desk.memory.scope.namespace).seq
    assert [(one.layer, one.summary) for one in pinning] == [("system", "pin 1 memory to what is named")]
    desk.memory.verify()
    with desk.memory.store.reading() as reader:
        assert reader.head(desk.memory.scope.namespace).seq == head


def test_what_was_saved_while_the_map_was_gone_is_pinned_too(desk: Desk) -> None:
    mapped(desk)
    desk.memory.verify()
    desk.memory.engine.maps(str(desk.root)).file.drop()  # type: ignore[misc]
    address = desk.save("`parse_date` takes the day first.")
    assert desk.anchors(address) == []
    mapped(desk)
    desk.memory.verify()
    assert desk.anchors(address) == ["file src/app.py", "symbol parse_date"]


def test_a_file_that_was_pinned_stays_and_gets_its_symbol_once(desk: Desk) -> None:
    desk.write("src/more.py", "def more():\n    return 1\n")
    desk.commit()
    address = desk.save("`parse_date` is what src/more.py should use.")
    assert desk.anchors(address) == ["file src/more.py"]
    mapped(desk)
    desk.memory.verify()
    assert desk.anchors(address) == ["file src/app.py", "file src/more.py", "symbol parse_date"]


def test_what_has_drifted_or_was_forgotten_is_not_pinned_to_the_code_as_it_is_now(desk: Desk) -> None:
    desk.write("src/more.py", "LIMIT = 1\n")
    desk.commit()
    drifted = desk.save("LIMIT in src/more.py goes with `parse_date`.")
    gone = desk.save("`parse_date` takes the month first.")
    desk.edit("src/more.py", "LIMIT = 1", "LIMIT = 2")
    desk.memory.verify()
    desk.memory.forget(gone)
    mapped(desk)
    desk.memory.verify()
    assert desk.anchors(drifted) == ["file src/more.py", "symbol LIMIT"]
    with desk.memory.store.reading() as reader:
        assert not [one for one in reader.events(desk.memory.scope.namespace) if one.summary.startswith("pin ")]


def test_two_definitions_of_a_name_pin_to_neither(desk: Desk) -> None:
    desk.write("lib/dates.py", "def parse_date(text):\n    return text\n")
    desk.commit()
    address = desk.save("`parse_date` takes the day first.")
    mapped(desk)
    desk.memory.verify()
    assert desk.anchors(address) == []


def test_what_another_project_saved_is_left_alone(desk: Desk) -> None:
    url = desk.memory.store.url
    with open_memory(desk.root, store=url, project="vineyard", embedder="fake") as other:
        address = other.save("`parse_date` takes the day first.").items[0].address
        mapped(desk)
        desk.memory.verify()
        assert list(other.get(address).anchors) == []
        other.verify()
        assert sorted(other.get(address).anchors) == ["file src/app.py", "symbol parse_date"]


@pytest.mark.parametrize("kept", ["", "[]", "{", '{"a": "b"}', "null"])
def test_what_is_kept_of_how_far_was_looked_may_be_damaged(desk: Desk, kept: str) -> None:
    address = desk.save("`parse_date` takes the day first.")
    mapped(desk)
    desk.memory.engine.maps(str(desk.root)).file.path.with_suffix(".named").write_text(kept)  # type: ignore[misc]
    desk.memory.verify()
    assert desk.anchors(address) == ["file src/app.py", "symbol parse_date"]


def test_who_only_reads_looks_and_pins_nothing(desk: Desk) -> None:
    address = desk.save("`parse_date` takes the day first.")
    mapped(desk)
    asker = desk.memory.call.asker
    reading = replace(asker, principal=replace(asker.principal, rights=frozenset((READ,))))
    assert verify(desk.memory.engine, reading).items == ()
    assert desk.anchors(address) == []
    desk.memory.verify()
    assert desk.anchors(address) == ["file src/app.py", "symbol parse_date"]
