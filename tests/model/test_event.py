"""Events: the hash covers everything, and a commitment hides what it commits to."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from marrow.model.address import address_of
from marrow.model.event import NO_HASH, Event, Touched
from marrow.store.chains import broken_at, chain_lines, event_from

ADDRESS = address_of("claim", "x")
TOUCHED = (Touched.make(ADDRESS, b"s" * 16), Touched.make(address_of("claim", "y"), b"t" * 16))
EVENT = Event(
    1, 5, "me", "save", "conscious", "remember", "p", "context", TOUCHED, "d" * 64, "e" * 64, NO_HASH
).sealed()

OTHER = {
    "seq": 2,
    "at": 6,
    "actor": "you",
    "operation": "forget",
    "layer": "system",
    "summary": "",
    "project": "q",
    "domain": "tasks",
    "touched": TOUCHED[:1],
    "detail": "0" * 64,
    "root": "0" * 64,
    "previous": "1" * 64,
}


def test_every_field_is_sealed() -> None:
    assert {f.name for f in fields(Event)} == {*OTHER, "hash"}
    for name, value in OTHER.items():
        assert replace(EVENT, **{name: value}).digest() != EVENT.hash, name


def test_texts_cannot_flow_from_one_field_into_the_next() -> None:
    assert replace(EVENT, actor="mesave", operation="").digest() != EVENT.hash


def test_touched_holds_only_for_its_own_address_and_salt() -> None:
    touched = TOUCHED[0]
    assert touched.holds()
    assert not replace(touched, address=address_of("claim", "z")).holds()
    assert not replace(touched, salt=b"u" * 16).holds()
    assert not replace(touched, salt=None).holds()
    assert replace(touched, salt=None, address=None).holds()


def test_erased_node_keeps_its_commitment_and_the_hash_of_the_event() -> None:
    erased = replace(EVENT, touched=tuple(Touched(t.commitment, None, None) for t in TOUCHED))
    assert erased.digest() == EVENT.hash
    assert broken_at([erased]) is None


def chain(length: int) -> list[Event]:
    events: list[Event] = []
    for seq in range(1, length + 1):
        previous = events[-1].hash if events else NO_HASH
        events.append(replace(EVENT, seq=seq, at=seq, previous=previous, hash="").sealed())
    return events


def test_whole_chain_verifies_and_any_part_of_it() -> None:
    assert broken_at(chain(5)) is None
    assert broken_at(chain(5)[2:]) is None
    assert broken_at([]) is None


@pytest.mark.parametrize("name", [name for name in OTHER if name != "touched"])
def test_altered_event_breaks_the_chain_where_it_stands(name: str) -> None:
    events = chain(5)
    events[2] = replace(events[2], **{name: 9 if name in ("seq", "at") else OTHER[name]})
    assert broken_at(events) in (3, 9)


def test_missing_and_swapped_events_break_the_chain() -> None:
    events = chain(5)
    assert broken_at(events[:2] + events[3:]) == 4
    assert broken_at([events[0], events[2], events[1]]) == 3
    resealed = replace(events[2], summary="other", hash="").sealed()
    assert broken_at([*events[:2], resealed, *events[3:]]) == 4


def test_lines_of_a_chain_name_no_node_and_still_verify() -> None:
    lines = list(chain_lines(chain(3)))
    assert ADDRESS not in "".join(lines)
    back = [event_from(line) for line in lines]
    assert broken_at(back) is None
    assert [e.hash for e in back] == [e.hash for e in chain(3)]


@pytest.mark.parametrize("line", ["", "{}", "[]", '{"seq": 1}', "nonsense"])
def test_line_that_is_no_event_is_refused(line: str) -> None:
    with pytest.raises((KeyError, TypeError, ValueError)):
        event_from(line)
