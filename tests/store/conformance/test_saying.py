"""Saying: once, twice, in two places, after it had gone."""

from __future__ import annotations

import pytest

from marrow.model.change import Reinforce, Say
from marrow.model.node import Node, Occurrence
from marrow.model.record import CURRENT, FOREVER
from marrow.model.standing import Standing

from ..door import SECOND, START, Door, picture, verify

A, B = "The port is 5432.", "The port is 5433."


def occurrences(door: Door, address: str, seq: int = CURRENT) -> list[Occurrence]:
    entry = door.record(address).entry
    return list(door.ask(lambda r: r.occurrences([entry], seq)).get(entry, []))


def test_new_text_is_kept_whole_with_its_address(door: Door) -> None:
    outcome = door.say_so(A, kind="decision", thread="t", user="ada", metadata={"path": "a.py", "n": 1})
    record = door.record(outcome.address)
    assert outcome.what == "new"
    assert record.node == Node.make("decision", A)
    assert record.project == "p"
    assert (record.first_at, record.last_at, record.since_seq) == (door.now, door.now, 1)
    (said,) = occurrences(door, outcome.address)
    assert (said.thread, said.user, said.fields) == ("t", "ada", {"path": "a.py", "n": 1})


def test_same_text_said_twice_is_one_node_reinforced_with_two_occurrences(door: Door) -> None:
    first = door.say_so(A, thread="monday")
    again = door.say_so(A, thread="tuesday")
    assert (again.what, again.address, again.entry) == ("reinforced", first.address, first.entry)
    assert [o.thread for o in occurrences(door, first.address)] == ["monday", "tuesday"]
    standing = door.standing(first.address)
    assert (standing.reinforced, standing.reinforced_at, standing.generation) == (1, door.now, 1)
    record = door.record(first.address)
    assert record.first_at < record.last_at == door.now


def test_the_same_occurrence_said_again_changes_nothing(door: Door) -> None:
    door.say(A, at=START)
    before = picture(door.store)
    receipt = door.do(Say("claim", A, Occurrence(START)))
    assert receipt.outcomes[0].what == "unchanged"
    assert receipt.seq == 1
    assert picture(door.store) == before


def test_earlier_occurrence_said_later_stretches_the_span(door: Door) -> None:
    address = door.say(A, at=START)
    door.say(A, at=START - 5)
    record = door.record(address)
    assert (record.first_at, record.last_at) == (START - 5, START)
    assert [o.at for o in occurrences(door, address)] == [START - 5, START]


def test_saying_again_adds_what_the_caller_chose_and_keeps_the_rest(door: Door) -> None:
    address = door.say(A, standing={"tags": ("db",), "priority": 0.9, "pinned": True, "domain": "tasks"})
    door.say(A, standing={"tags": ("net",), "priority": 0.2, "confidence": 0.9})
    standing = door.standing(address)
    assert standing.tags == ("db", "net")
    assert (standing.priority, standing.confidence, standing.pinned, standing.domain) == (0.9, 0.9, True, "tasks")


def test_two_projects_share_the_node_and_stand_apart(door: Door) -> None:
    here = door.say_so(A, standing={"priority": 0.9})
    there = door.say_so(A, project="q", standing={"priority": 0.1})
    assert there.what == "new"
    assert there.address == here.address
    assert there.entry != here.entry
    assert door.ask(lambda r: r.sizes())["nodes"] == 1
    assert [r.project for r in door.records(here.address)] == ["p", "q"]
    assert door.standing(here.address, project="p").priority == 0.9
    assert door.standing(here.address, project="q").priority == 0.1
    door.forget(here.address, project="q")
    assert door.standing(here.address, project="p").state == "active"
    assert door.standing(here.address, project="q").state == "retracted"
    assert door.select(projects=("p",)) == [A]
    assert door.select(projects=("q",)) == []


def test_two_namespaces_share_nothing(door: Door) -> None:
    address = door.say(A, standing={"tags": ("db",)})
    other = Door(door.store, seed=1, namespace="theirs")
    assert other.records(address) == []
    assert other.seq() == 0
    assert other.ask(lambda r: r.addresses("theirs", address[:6], None, 10)) == []
    assert other.find("port") == other.near(A) == other.select() == []
    assert other.say_so(A).what == "new"
    other.say(B)
    door.forget(address)
    assert other.standing(address).state == "active"
    assert door.ask(lambda r: r.addresses("local", "", None, 10)) == [address]
    assert other.ask(lambda r: len(r.addresses("theirs", "", None, 10))) == 2
    assert door.find("port") == []
    assert sorted(other.find("port")) == [A, B]
    assert sorted(other.near(A)) == [A, B]
    assert door.ask(lambda r: r.projects("local"))[0].total == 1
    assert other.ask(lambda r: r.projects("theirs"))[0].total == 2
    assert (door.seq(), other.seq()) == (2, 2)
    assert other.root() != door.root()
    assert door.ask(lambda r: r.namespaces()) == ["local", "theirs"]


def test_what_one_namespace_links_and_makes_is_not_seen_in_another(door: Door) -> None:
    a, b = door.say(A), door.say(B)
    door.relate(a, "blocks", b)
    door.say("Both ports.", kind="summary", inputs=(a, b))
    other = Door(door.store, namespace="theirs")
    other.say(A)
    other.say(B)
    assert other.links(a, b) == []
    assert other.ask(lambda r: list(r.all_links("theirs", None))) == []
    assert other.ask(lambda r: r.made_from("theirs", a)) == []
    assert len(door.ask(lambda r: r.made_from("local", a))) == 1


def test_forgotten_and_said_again_opens_a_new_interval(door: Door) -> None:
    address = door.say(A, standing={"tags": ("old",)})
    door.forget(address)
    assert door.select() == []
    assert door.find("port") == door.near(A) == []
    again = door.say_so(A)
    assert again.what == "again"
    standing = door.standing(address)
    assert (standing.state, standing.generation, standing.tags) == ("active", 2, ())
    held = door.ask(lambda r: r.intervals(again.entry))
    assert [(i.start, i.end, i.standing.state) for i in held] == [
        (1, 2, "active"),
        (2, 3, "retracted"),
        (3, FOREVER, "active"),
    ]
    assert door.find("port") == door.near(A) == [A]
    assert door.find("old") == []


def test_changed_and_changed_back_is_the_first_node_again(door: Door) -> None:
    a = door.say(A, standing={"tags": ("db",)})
    b = door.supersede(a, B, "moved")
    back = door.supersede(b, A, "moved back")
    assert back == a
    assert (door.standing(a).state, door.standing(a).generation) == ("active", 2)
    assert door.standing(b).state == "superseded"
    assert door.lines(a, b) == {(a, "supersedes", b)}
    assert door.select() == [A]
    third = door.supersede(a, B)
    assert third == b
    assert door.lines(a, b) == {(b, "supersedes", a)}
    assert door.standing(b).generation == 2


def test_expired_node_said_again_is_new_again(door: Door) -> None:
    address = door.say(A, standing={"expires_at": START + 3_000_000})
    door.say(B)
    door.say(B)
    assert door.say_so(A).what == "again"
    assert door.standing(address).expires_at is None


def test_what_has_not_expired_can_be_changed_although_the_clock_was_once_ahead(door: Door) -> None:
    """The log's times never run backwards; what holds is judged by the clock, as every read does."""
    year = 31_536_000 * SECOND
    door.say("Said when the clock was wrong.", at=START)
    door.do(Say("claim", "And this.", Occurrence(START)), now=START + 10 * year)
    door.now = START + SECOND
    ends = START + year
    address = door.say(A, standing={"expires_at": ends})
    assert door.one(Reinforce(address)).what == "reinforced"
    assert door.say_so(A, thread="t").what == "reinforced"
    assert door.standing(address).expires_at == ends
    other = door.say("The port is closed.")
    door.relate(address, "supersedes", other)
    newer = door.supersede(address, B)
    assert door.standing(newer).expires_at == ends
    assert [event.at >= START + 10 * year for event in door.ask(lambda r: list(r.events("local")))][2:] == [True] * 6


def test_batch_is_one_event_with_all_its_nodes(door: Door) -> None:
    says = [Say("claim", f"fact {n}", Occurrence(START + n)) for n in range(20)]
    receipt = door.do(*says, says[0])
    assert [o.what for o in receipt.outcomes] == ["new"] * 20 + ["unchanged"]
    (event,) = door.ask(lambda r: list(r.events("local")))
    assert {t.address for t in event.touched} == {o.address for o in receipt.outcomes}
    assert door.select() == [f"fact {n}" for n in reversed(range(20))]


def test_said_and_said_differently_in_one_batch_is_met_twice(door: Door) -> None:
    receipt = door.do(Say("claim", A, Occurrence(START)), Say("claim", A, Occurrence(START + 1)))
    assert [o.what for o in receipt.outcomes] == ["new", "reinforced"]
    held = door.ask(lambda r: r.intervals(receipt.outcomes[0].entry))
    assert [(i.start, i.standing.reinforced) for i in held] == [(1, 1)]


def test_kind_and_inputs_are_part_of_the_name(door: Door) -> None:
    claim, task = door.say(A), door.say(A, kind="task")
    made = door.say(A, inputs=(claim, task))
    assert len({claim, task, made}) == 3
    assert door.record(made).node.inputs == tuple(sorted((claim, task)))
    assert door.ask(lambda r: r.made_from("local", claim)) == [made]
    assert door.ask(lambda r: r.made_from("local", made)) == []


@pytest.mark.parametrize(
    "text", ["x", "a\n\nb", "é\u0301 鍵 🔑", "quote ' \" ; --", "x" * (1024 * 1024), "%_*?[]", "\x1b[0m ok"]
)
def test_text_comes_back_as_it_was_said(door: Door, text: str) -> None:
    assert door.record(door.say(text)).node.content == text


def test_spaces_and_line_ends_around_a_text_make_no_other_node(door: Door) -> None:
    address = door.say("one\ntwo")
    assert door.say("\r\none\r\ntwo  \n") == address


def test_standing_comes_back_as_it_was_given(door: Door) -> None:
    given = Standing(
        domain="décisions",
        semantic=False,
        priority=0.1,
        confidence=1,
        pinned=True,
        preliminary=True,
        classification="secret",
        approved=False,
        tags=("a b", "é"),
        aliases=("the port", '"quoted"'),
        expires_at=2 * START,
        drift="moved",
        reason="why not",
    )
    chosen = {
        name: getattr(given, name) for name in Standing.__slots__ if getattr(given, name) != getattr(Standing(), name)
    }
    kept = door.standing(door.say(A, standing=chosen))
    assert {name: getattr(kept, name) for name in chosen} == chosen
    assert kept.held() != given.held()  # reinforced_at says when it was said
    assert len(bytes.fromhex(kept.salt)) == 8


def test_secret_and_private_text_never_arrive(door: Door) -> None:
    outcome = door.say_so(
        "Use <private>the blue door</private> and ghp_" + "a1B2" * 9 + " here.",
        metadata={"password": "hunter2-and-more"},
    )
    kept = door.record(outcome.address).node.content
    assert "blue door" not in kept
    assert "ghp_" not in kept
    assert sum(count for _, count in outcome.redacted) >= 2
    assert "hunter2" not in occurrences(door, outcome.address)[0].metadata
    assert door.find("blue") == []


def test_texts_of_entries_come_in_the_order_given_without_those_that_are_not_there(door: Door) -> None:
    first, second = door.say_so("The port is 5432."), door.say_so("Backups run at night.")
    found = door.ask(lambda reader: reader.texts_of([second.entry, 0, first.entry]))
    assert found == [
        (second.entry, second.address, "Backups run at night."),
        (first.entry, first.address, "The port is 5432."),
    ]


def test_kinds_of_entries_are_those_of_the_ones_that_are_there(door: Door) -> None:
    claim, decision = door.say_so("The port is 5432."), door.say_so("We take PostgreSQL.", kind="decision")
    found = door.ask(lambda reader: reader.kinds_of([decision.entry, 0, claim.entry]))
    assert found == {claim.entry: "claim", decision.entry: "decision"}
    assert door.ask(lambda reader: reader.kinds_of([])) == {}


def test_a_batch_keeps_apart_what_is_new_known_and_said_elsewhere(door: Door) -> None:
    known = door.say("The port is 5432.")
    elsewhere = door.say("Backups run at night.", project="elsewhere")
    texts = ("Backups run at night.", "The port is 5432.", "Deploys happen on Monday.", "Deploys happen on Monday.")
    says = [Say("claim", text, Occurrence(START + at)) for at, text in enumerate(texts)]
    outcomes = door.do(*says).outcomes
    assert [outcome.what for outcome in outcomes] == ["new", "reinforced", "new", "reinforced"]
    assert [outcome.address for outcome in outcomes[:2]] == [elsewhere, known]
    assert outcomes[2].entry == outcomes[3].entry
    verify(door.store)
