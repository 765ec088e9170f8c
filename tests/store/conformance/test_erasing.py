"""Erasing: content and address are gone from everything, and the chain still verifies."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.model.change import TakeSnapshot
from marrow.model.errors import Forbidden, Invalid, NotFound
from marrow.model.link import Anchor
from marrow.model.record import CURRENT
from marrow.model.scope import READ, WRITE, Principal
from marrow.store.protocol import Store
from marrow.store.receive import erase

from ..door import NOBODY, START, Door, picture, vector_of, verify

A, B = "Marguerite lives in Passau.", "Somebody else lives in Linz."


@pytest.fixture
def told(door: Door) -> tuple[Door, str, str]:
    a = door.say(
        A,
        standing={"tags": ("quasar",)},
        anchors=(Anchor("file", "people.txt"),),
        metadata={"owner": "zephyr"},
        thread="t",
    )
    b = door.say(B, thread="t")
    door.say(A, project="q")
    door.relate(a, "relates_to", b)
    door.do(TakeSnapshot("before"))
    door.supersede(a, "Marguerite has moved.")
    return door, a, b


def test_nothing_of_an_erased_node_can_be_read(told: tuple[Door, str, str]) -> None:
    door, a, b = told
    entries = [r.entry for r in door.records(a)]
    assert len(entries) == 2
    door.erase(a)
    for seq in (1, 5, CURRENT):
        assert door.records(a, seq=seq) == []
        assert door.links(a, seq=seq) == []
        assert door.ask(lambda r, s=seq: r.records_of(entries, s)) == []
        assert not any(door.ask(lambda r, s=seq: r.occurrences(entries, s)).values())
        assert not any(door.ask(lambda r, s=seq: r.anchors(entries, s)).values())
    assert a not in {end for link in door.links(b) for end in (link.source, link.target)}
    assert door.ask(lambda r: r.intervals(entries[0])) == []
    assert door.ask(lambda r: r.addresses("local", a[:6], None, 5)) == []
    assert door.find("passau") == door.find("passau", within=entries) == []
    assert door.ask(lambda r: r.similarities(entries, vector_of(A))) == {}
    assert door.ask(lambda r: r.nearest("local", vector_of(A), None, entries, 5)) == []
    assert a not in {t.address for e in door.ask(lambda r: list(r.events("local"))) for t in e.touched}
    assert sorted(door.select(projects=("p",))) == sorted([B, "Marguerite has moved."])


def test_chain_and_root_still_verify_and_commitments_stay(told: tuple[Door, str, str]) -> None:
    door, a, _ = told
    before = door.ask(lambda r: list(r.events("local")))
    receipt = door.erase(a)
    after = door.ask(lambda r: list(r.events("local")))
    verify(door.store)
    assert [e.hash for e in after[:-1]] == [e.hash for e in before]
    assert [t.commitment for e in after[:-1] for t in e.touched] == [t.commitment for e in before for t in e.touched]
    assert (after[-1].operation, after[-1].seq, after[-1].root) == ("erase", receipt.seq, receipt.root)
    assert [(t.salt, t.address) for t in after[-1].touched] == [(None, None)]


def test_others_are_untouched(told: tuple[Door, str, str]) -> None:
    door, a, b = told
    other = Door(door.store, namespace="theirs")
    other.say(A)
    before = other.records(a), other.root()
    door.erase(a)
    assert (other.records(a), other.root()) == before
    assert other.find("passau") == [A]
    assert door.record(b).node.content == B
    assert door.ask(lambda r: len(r.snapshots("local"))) == 1


def test_erased_text_said_again_is_a_new_node(told: tuple[Door, str, str]) -> None:
    door, a, _ = told
    door.erase(a)
    outcome = door.say_so(A)
    assert (outcome.what, outcome.address) == ("new", a)
    assert door.standing(a).generation == 1
    assert door.links(a) == []
    assert door.find("passau") == door.near(A, limit=1) == [A]
    assert door.find("quasar") == ["Marguerite has moved."]


def test_several_are_erased_as_one_event(told: tuple[Door, str, str]) -> None:
    door, a, b = told
    before = door.seq()
    door.erase(a, b)
    assert door.seq() == before + 1
    assert door.records(a, b) == []


def test_numbers_of_erased_entries_are_never_given_again(told: tuple[Door, str, str]) -> None:
    door, a, b = told
    entries = {r.entry for r in door.records(a, b)}
    with door.store.writing() as writer:
        writer.count_use(sorted(entries), False, START)
    door.erase(a, b)
    fresh = {door.say_so(f"New {n}.", project=p).entry for n in range(4) for p in "pq"}
    assert not fresh & entries
    assert door.ask(lambda r: r.uses(sorted(entries | fresh))) == {}


def test_statistics_of_an_erased_node_are_gone(told: tuple[Door, str, str]) -> None:
    door, a, _ = told
    entry = door.record(a).entry
    with door.store.writing() as writer:
        writer.count_use([entry], False, START)
    door.erase(a)
    assert door.ask(lambda r: r.uses([entry])) == {}


@pytest.mark.parametrize("given_", [NOBODY, "not an address", "abcdef", None, 7])
def test_address_that_nothing_has_is_refused_and_nothing_changes(told: tuple[Door, str, str], given_: object) -> None:
    door, a, _ = told
    before = picture(door.store)
    with pytest.raises((NotFound, Invalid)) as caught:
        door.erase(a, given_)  # type: ignore[arg-type]
    assert caught.value.field == "address"
    assert caught.value.hint
    assert picture(door.store) == before


def test_erasing_nothing_is_refused(told: tuple[Door, str, str]) -> None:
    door, _, _ = told
    with pytest.raises(Invalid):
        door.erase()


def test_erasing_takes_the_right_to(told: tuple[Door, str, str]) -> None:
    door, a, _ = told
    before = picture(door.store)
    writer = Principal("me", rights=frozenset({READ, WRITE}))
    for who in (writer, Principal("me", namespace="theirs"), Principal("me", projects=frozenset({"p"}))):
        with pytest.raises(Forbidden):
            erase(door.store, who, "local", [a], actor="me", now=START)
    assert picture(door.store) == before


def test_erasure_that_fails_changes_nothing(told: tuple[Door, str, str]) -> None:
    door, a, b = told

    def broken(count: int) -> bytes:
        raise OSError("no randomness")

    before = picture(door.store)
    with pytest.raises(OSError, match="no randomness"):
        erase(door.store, Principal("me"), "local", [a, b], actor="me", now=START, entropy=broken)
    assert picture(door.store) == before
    door.relate(b, "blocks", a)


def test_no_byte_of_it_stays_in_the_files(told: tuple[Door, str, str], store: Store, tmp_path: Path) -> None:
    door, a, _ = told
    door.supersede(door.say("Marguerite of Passau again."), "Nothing to see.")
    known = door.ask(lambda r: r.records("local", r.addresses("local", "", None, 99), None, CURRENT))
    gone = {record.node.address for record in known if "Marguerite" in record.node.content}
    assert len(gone) == 3
    door.erase(*gone)
    traces = [
        b"Marguerite",
        b"marguerit",
        b"passau",
        b"Passau",
        b"quasar",
        b"zephyr",
        b"people.txt",
        bytes.fromhex(a),
        a.encode(),
    ]
    for file in tmp_path.rglob("*"):
        kept = file.read_bytes()
        for trace in traces:
            assert trace not in kept, (file.name, trace)


def test_what_an_erased_node_was_made_from_does_not_pass_to_the_next(told: tuple[Door, str, str]) -> None:
    door, _, b = told
    made = door.say("Made from it.", kind="summary", inputs=(b,))
    assert door.ask(lambda r: r.made_from("local", b)) == [made]
    door.erase(made)
    assert door.ask(lambda r: r.made_from("local", b)) == []
    assert door.record(door.say("The next one.")).node.inputs == ()
