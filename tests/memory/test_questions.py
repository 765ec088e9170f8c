"""Gaps, questions and answers; checkpoints and surveys: what is open, and what closes it."""

from __future__ import annotations

import pytest

from marrow.memory.answer import answer
from marrow.memory.ask import ask
from marrow.memory.checkpoint import checkpoint
from marrow.memory.engine import Asker, Engine
from marrow.memory.gap import gap
from marrow.memory.get import get
from marrow.memory.recall import recall
from marrow.memory.survey import survey
from marrow.model.errors import Conflict, Forbidden, Invalid, NotFound

from .conftest import Clock, Hand, asker_of

ROTATES = "Who rotates the signing keys?"


def test_a_gap_is_an_open_issue_with_its_context(engine: Engine, asker: Asker, hand: Hand) -> None:
    done = gap(engine, asker, "How long backups are kept", "The auditor asks.")
    record = hand.record(done.address)
    assert record.node.content == "How long backups are kept\n\nThe auditor asks."
    assert (record.node.kind, record.standing.domain, record.standing.state) == ("gap", "issues", "active")
    assert [r.node.address for r in recall(engine, asker, "how long are backups kept?").questions] == [done.address]


def test_a_question_names_who_is_asked_by_a_tag(engine: Engine, asker: Asker, hand: Hand) -> None:
    assert hand.record(ask(engine, asker, ROTATES, target_agent="ops").address).standing.tags == ("for-ops",)
    assert hand.record(ask(engine, asker, "And who renews the certificate?").address).standing.tags == ()


def test_an_answer_closes_the_question_and_is_found_by_its_words(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    asked = ask(engine, asker, ROTATES, "They are old.", "ops")
    clock.forward(seconds=1)
    done = answer(engine, asker, asked.address[:10], "The cron job, every ninety days.")
    assert hand.record(done.address).node.content == f"{ROTATES}\n\nThe cron job, every ninety days."
    assert (hand.record(done.address).node.kind, hand.record(done.address).standing.domain) == ("claim", "context")
    before = hand.record(asked.address).standing
    assert (before.state, before.reason) == ("superseded", "answered")
    found = recall(engine, asker, ROTATES)
    assert found.questions == ()
    assert [kept.record.node.address for kept in found.relevant] == [done.address]
    assert get(engine, asker, asked.address).superseded_by == (done.address,)


def test_an_answer_that_repeats_the_question_says_it_once(engine: Engine, asker: Asker) -> None:
    asked = gap(engine, asker, "The retention of backups")
    done = answer(engine, asker, asked.address, "The retention of backups is ten days.")
    assert done.content == "The retention of backups is ten days."


def test_an_answer_stays_in_the_domain_of_a_question_that_was_no_issue(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    asked = hand.say("Which queue do we use?", kind="question", domain="architecture")
    done = answer(engine, asker, asked, "Kafka.")
    assert hand.record(done.address).standing.domain == "architecture"


def test_a_question_of_the_global_scope_is_answered_there(engine: Engine, asker: Asker, hand: Hand) -> None:
    asked = hand.say(ROTATES, kind="question", project="")
    done = answer(engine, asker, asked, "The cron job.")
    assert (done.project, hand.state(asked, "")) == ("", "superseded")


def test_asking_again_opens_the_question_again(engine: Engine, asker: Asker, hand: Hand, clock: Clock) -> None:
    asked = ask(engine, asker, ROTATES)
    answer(engine, asker, asked.address, "The cron job.")
    clock.forward(seconds=1)
    assert ask(engine, asker, ROTATES).what == "again"
    assert hand.state(asked.address) == "active"
    clock.forward(seconds=1)
    answer(engine, asker, asked.address, "The cron job.")
    assert hand.state(asked.address) == "superseded"


def test_only_what_is_open_can_be_answered(engine: Engine, asker: Asker, hand: Hand) -> None:
    claim = hand.say("Apples are red.")
    with pytest.raises(Invalid) as wrong:
        answer(engine, asker, claim, "Green.")
    assert wrong.value.field == "address"
    asked = gap(engine, asker, "The colour of pears")
    answer(engine, asker, asked.address, "Green.")
    before = hand.head()
    with pytest.raises(Conflict):
        answer(engine, asker, asked.address, "Yellow.")
    with pytest.raises(NotFound):
        answer(engine, asker, "abcdef012345", "Yellow.")
    with pytest.raises(Invalid):
        answer(engine, asker, gap(engine, asker, "The colour of plums").address, " \n ")
    assert hand.head() == before + 1


@pytest.mark.parametrize("topic", ["", " \n", "a\x00b"])
def test_a_gap_needs_a_topic(engine: Engine, asker: Asker, topic: str) -> None:
    with pytest.raises(Invalid) as wrong:
        gap(engine, asker, topic, "Because.")
    assert wrong.value.field == "topic"


def test_who_is_asked_has_a_short_name(engine: Engine, asker: Asker) -> None:
    with pytest.raises(Invalid) as wrong:
        ask(engine, asker, ROTATES, target_agent="x" * 61)
    assert wrong.value.field == "target_agent"


def test_a_reader_may_not_leave_questions(engine: Engine) -> None:
    with pytest.raises(Forbidden):
        gap(engine, asker_of("orchard", rights=("read",)), "The colour of pears")


def test_a_later_checkpoint_takes_the_place_of_the_one_with_its_label(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    other = checkpoint(engine, asker, "the harvest", done="the ladders")
    first = checkpoint(engine, asker, "the move", done="the tables", remaining="the rows")
    assert hand.record(first.address).node.content == "the move\n\nDone:\nthe tables\n\nRemaining:\nthe rows"
    assert (hand.record(first.address).standing.domain, hand.record(first.address).standing.priority) == ("tasks", 0.5)
    clock.forward(seconds=1)
    second = checkpoint(engine, asker, "the move", done="the tables and the rows")
    assert second.replaced == (first.address,)
    assert [hand.state(one.address) for one in (other, first, second)] == ["active", "superseded", "active"]
    clock.forward(seconds=1)
    again = checkpoint(engine, asker, "the move", done="the tables and the rows")
    assert (again.what, again.replaced, hand.state(second.address)) == ("reinforced", (), "active")


def test_the_same_checkpoint_with_a_secret_in_it_stays(engine: Engine, asker: Asker, hand: Hand, clock: Clock) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6a7B8c9D0e1F2a3B4c5D6e7F8"
    first = checkpoint(engine, asker, "the move", done=f"the token {secret} is in place")
    assert secret not in first.content
    clock.forward(seconds=1)
    assert checkpoint(engine, asker, "the move", done=f"the token {secret} is in place").address == first.address
    assert hand.state(first.address) == "active"


def test_a_checkpoint_says_where_it_stands(engine: Engine, asker: Asker) -> None:
    with pytest.raises(Invalid) as wrong:
        checkpoint(engine, asker, "the move", " ", "")
    assert wrong.value.field == "done"
    with pytest.raises(Invalid) as wrong:
        checkpoint(engine, asker, "two\nlines", "all")
    assert wrong.value.field == "label"


def test_a_survey_is_kept_as_feedback(engine: Engine, asker: Asker, hand: Hand) -> None:
    done = survey(engine, asker, {"recall_precision": 4, "recall_coverage": 2.5}, "It found what mattered.", "Less.")
    record = hand.record(done.address)
    assert (record.node.kind, record.standing.domain) == ("survey", "feedback")
    assert record.node.content.startswith("Survey: recall_precision 4, recall_coverage 2.5\n\nNotes: It found")
    assert get(engine, asker, done.address).occurrences[0].fields["ratings"]["recall_precision"] == 4


@pytest.mark.parametrize("ratings", [{}, {"x": 6}, {"x": -1}, {"x": "good"}, {"x": True}, {"": 3}])
def test_ratings_are_numbers_with_names(engine: Engine, asker: Asker, ratings: dict[str, object]) -> None:
    with pytest.raises(Invalid) as wrong:
        survey(engine, asker, ratings)
    assert wrong.value.field == "ratings"
