"""The cut: what was replaced gives way, what says the same is told once, what is about something else is left out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from marrow.memory.recall import recall
from marrow.model.node import Node
from marrow.model.record import Filter, Record
from marrow.model.standing import Standing
from marrow.providers.embedder import NoEmbedder
from marrow.providers.static import StaticEmbedder
from marrow.search.cut import Kept, cut
from marrow.search.evidence import Evidence
from marrow.search.find import Hit
from marrow.search.question import Asked, Question

from .notes import NOW, Lantern, lantern


@pytest.fixture(params=[True, False], ids=["meaning", "words"])
def memory(request: pytest.FixtureRequest, static: StaticEmbedder) -> Iterator[Lantern]:
    with lantern(static if request.param else NoEmbedder()) as made:
        yield made


def told(memory: Lantern, message: str, **about: Any) -> list[Kept]:
    return list(recall(memory.engine, memory.asker, message, **about).relevant)


def contents(kept: list[Kept]) -> list[str]:
    return [one.record.node.content for one in kept]


def replaced(kept: Kept) -> list[str]:
    return [record.node.content for record, _ in kept.replaced]


def say(memory: Lantern, *texts: str, kind: str = "claim") -> None:
    """One after the other, ten days apart."""
    for number, text in enumerate(texts):
        memory.say(text, day=60 + 10 * number, kind=kind)


CHANGES = [
    (
        "Access tokens of the kiosk expire after 30 minutes.",
        "Access tokens of the kiosk expire after 15 minutes.",
        "When do access tokens of the kiosk expire?",
    ),
    (
        "The kiosk prints receipts on thermal paper.",
        "The kiosk no longer prints receipts on thermal paper: they are sent by mail.",
        "How does the kiosk print receipts?",
    ),
    (
        "The kiosk listens on port 8080.",
        "The kiosk listens on port 9090.",
        "Which port does the kiosk listen on?",
    ),
]


@pytest.mark.parametrize(("earlier", "later", "question"), CHANGES)
def test_what_was_changed_gives_way_to_what_changed_it(
    memory: Lantern, earlier: str, later: str, question: str
) -> None:
    say(memory, earlier)
    assert contents(told(memory, question)) == [earlier]
    memory.say(later, day=100)
    (kept,) = told(memory, question)
    assert kept.record.node.content == later
    assert replaced(kept) == [earlier]
    assert kept.replaced[0][1]


@pytest.mark.parametrize(("later", "earlier", "question"), CHANGES[:1] + CHANGES[2:])
def test_the_order_in_which_they_were_said_decides(memory: Lantern, earlier: str, later: str, question: str) -> None:
    say(memory, earlier, later)
    assert contents(told(memory, question)) == [later]


def test_what_was_changed_twice_gives_way_to_the_last(memory: Lantern) -> None:
    say(memory, *(f"Access tokens of the kiosk expire after {number} minutes." for number in (60, 30, 15)))
    (kept,) = told(memory, "When do access tokens of the kiosk expire?")
    assert kept.record.node.content == "Access tokens of the kiosk expire after 15 minutes."


def test_all_that_was_replaced_is_named(filled: Lantern) -> None:
    say(filled, *(f"Access tokens of the kiosk expire after {number} minutes." for number in (60, 30, 15)))
    (kept,) = told(filled, "When do access tokens of the kiosk expire?")
    assert len(kept.replaced) == 2


@pytest.mark.parametrize("kind", ["incident", "observation", "meeting", "commit"])
def test_what_happened_stays_whatever_happened_later(memory: Lantern, kind: str) -> None:
    one, other = "The kiosk was down for 40 minutes.", "The kiosk was down for 10 minutes."
    say(memory, one, other, kind=kind)
    assert sorted(contents(told(memory, "For how many minutes was the kiosk down?"))) == sorted([one, other])


@pytest.mark.parametrize("kind", ["question", "task", "incident"])
def test_what_asks_or_is_to_be_done_replaces_nothing(memory: Lantern, kind: str) -> None:
    rule = "Access tokens of the kiosk expire after 30 minutes."
    memory.say(rule, day=50)
    memory.say("Access tokens of the kiosk should expire after 15 minutes from now on.", day=90, kind=kind)
    kept = told(memory, "When do access tokens of the kiosk expire?")
    assert rule in contents(kept)
    assert not any(one.replaced for one in kept)


def test_what_was_read_out_of_comments_replaces_nothing(memory: Lantern) -> None:
    rule = "Access tokens of the kiosk expire after 30 minutes."
    memory.say(rule, day=50)
    memory.say("`Token`: access tokens of the kiosk now expire after 15 minutes.", day=90, tags=("scan",))
    kept = told(memory, "When do access tokens of the kiosk expire?")
    assert contents(kept)[0] == rule
    assert not any(one.replaced for one in kept)


@pytest.mark.parametrize("question", ["How long was the kiosk down?", "How often was the kiosk down?"])
def test_the_words_of_asking_are_not_held_against_an_answer(question: str) -> None:
    with lantern(NoEmbedder()) as by_words:
        by_words.say("The kiosk was down for 40 minutes.", kind="incident")
        assert contents(told(by_words, question)) == ["The kiosk was down for 40 minutes."]


# (earlier, later, question, what the earlier one is about, what the later one is about)
Parallel = tuple[str, str, str, str, str]
UNLIKE: list[Parallel] = [
    ("Uploads are kept in Oslo.", "Exports are kept in Dublin.", "Where are {} kept?", "uploads", "exports"),
    ("Ada owns the kiosk service.", "Grace owns the kiln service.", "Who owns the {} service?", "kiosk", "kiln"),
]
LIMITS: Parallel = (
    "The limit for uploads is 5 MB.",
    "The limit for exports is 9 MB.",
    "What is the limit for {}?",
    "uploads",
    "exports",
)
ALIKE: list[Parallel] = [
    (
        "The Oslo shop closes on Sunday.",
        "The Bergen shop closes on Monday.",
        "When does the {} shop close?",
        "Oslo",
        "Bergen",
    ),
    ("The Oslo office opens at 8.", "The Bergen office opens at 9.", "When does the {} office open?", "Oslo", "Bergen"),
    ("Staging uses Fedora 39.", "Production uses Fedora 38.", "Which Fedora does {} use?", "staging", "production"),
]


@pytest.mark.parametrize("two", [*UNLIKE, LIMITS, *ALIKE])
def test_of_two_things_the_one_that_was_asked_about_is_told_first(memory: Lantern, two: Parallel) -> None:
    earlier, later, question, one, other = two
    say(memory, earlier, later)
    assert contents(told(memory, question.format(one)))[:1] == [earlier]
    assert contents(told(memory, question.format(other)))[:1] == [later]


@pytest.mark.parametrize("two", [*UNLIKE, LIMITS, *ALIKE])
def test_of_two_things_none_replaced_the_other(memory: Lantern, two: Parallel) -> None:
    earlier, later, question, one, other = two
    say(memory, earlier, later)
    assert not any(kept.replaced for name in (one, other) for kept in told(memory, question.format(name)))


# --- once -----------------------------------------------------------------------------------------------------------


def test_what_is_said_nearly_alike_is_told_once_with_a_count(filled: Lantern) -> None:
    alike = (
        "The kiosk was rebooted by Nina in the night.",
        "In the night Nina rebooted the kiosk.",
        "Nina has rebooted the kiosk in the night.",
    )
    for text in alike:
        filled.say(text, kind="observation", day=60)
    (kept,) = told(filled, "Who rebooted the kiosk?")
    assert kept.record.node.content in alike
    assert kept.same == 2


def test_what_gives_another_value_is_not_the_same(filled: Lantern) -> None:
    for minutes in (10, 20, 30):
        filled.say(f"The kiosk was down for {minutes} minutes.", kind="incident", day=60)
    kept = told(filled, "How long was the kiosk down?")
    assert len(kept) == 3
    assert not any(one.same for one in kept)


# --- passages -------------------------------------------------------------------------------------------------------

DULL = "The shelves of the depot are cleaned by the crew of the day, as they always were. "
TELLING = "The zirconium kiln is restarted by pulling the green lever twice."


def test_a_long_text_is_recalled_by_one_passage_and_the_passage_is_given(memory: Lantern) -> None:
    memory.say(DULL * 30 + TELLING + " " + DULL * 30, kind="document")
    (kept,) = told(memory, "How is the zirconium kiln restarted?")
    assert TELLING in kept.passage
    assert len(kept.passage) < 600 < len(kept.record.node.content)


def test_a_short_text_needs_no_passage(memory: Lantern) -> None:
    memory.say(TELLING)
    (kept,) = told(memory, "How is the zirconium kiln restarted?")
    assert kept.passage == ""


def test_a_long_text_about_something_else_is_not_recalled(memory: Lantern) -> None:
    memory.say(DULL * 60, kind="document")
    assert told(memory, "How is the zirconium kiln restarted?") == []


def test_words_that_are_far_apart_in_a_long_text_do_not_make_it_relevant(memory: Lantern) -> None:
    memory.say(
        f"Zirconium is dear. {DULL * 20} A kiln is hot. {DULL * 20} It was restarted. {DULL * 9}", kind="document"
    )
    memory.say(TELLING)
    assert contents(told(memory, "How is the zirconium kiln restarted?")) == [TELLING]


# --- times ----------------------------------------------------------------------------------------------------------


def test_what_was_said_in_the_time_that_is_asked_about_is_told(memory: Lantern) -> None:
    early, late = "The kiosk was painted red by Nina.", "The kiosk was painted blue by Omar."
    memory.say(early, day=30, kind="observation")  # 10 March
    memory.say(late, day=115, kind="observation")  # 3 June
    assert contents(told(memory, "Who painted the kiosk in March?")) == [early]
    assert contents(told(memory, "Who painted the kiosk last week?")) == [late]


def test_the_incidents_of_a_time_are_told_by_their_kind(memory: Lantern) -> None:
    memory.say("A squirrel bit through the cable of the depot.", day=115, kind="incident")
    memory.say("Somebody watered the plants of the depot.", day=115)
    kept = contents(told(memory, "Which incidents did we have last week?"))
    assert kept == ["A squirrel bit through the cable of the depot."]


def test_a_question_of_nothing_but_a_time_is_told_all_that_was_said_then(memory: Lantern) -> None:
    told_then = ["Somebody watered the plants.", "The oven of the depot was moved."]
    for text in told_then:
        memory.say(text, day=115, kind="observation")
    memory.say("The note on the door of the depot was away.", day=30, kind="observation")
    assert sorted(contents(told(memory, "I was away, what did we note last week?"))) == told_then
    assert contents(told(memory, "What happened to the oven last week?")) == told_then[1:]


# --- links and siblings ---------------------------------------------------------------------------------------------

GOUGE = "The gouge in the bearing block: the cutter went into a finished wall, because the model was bad."
MODEL = "After the gouge in the bearing block every path of a cutter is verified."


def test_what_came_of_it_is_told_though_it_is_further_behind(memory: Lantern) -> None:
    cause, effect = memory.say(GOUGE, day=50, kind="incident"), memory.say(MODEL, day=60)
    question = "What was the gouge in the bearing block, did the cutter go into a finished wall?"
    assert contents(told(memory, question)) == [GOUGE]
    memory.link(effect, "caused_by", cause)
    assert contents(told(memory, question)) == [GOUGE, MODEL]


def test_a_cause_of_what_is_not_told_is_not_told(memory: Lantern) -> None:
    answer = "The keepalive of the bridge is 45 seconds."
    memory.say(answer, day=50)
    storm = memory.say("A storm of reconnects: the bridge of a customer lost its power.", day=40, kind="incident")
    backoff = memory.say("The first attempt is at a random moment, then pauses are doubled.", day=45)
    memory.link(backoff, "caused_by", storm)
    assert contents(told(memory, "Which keepalive does the bridge use?")) == [answer]


ROTA = Question("Where is the pager rota kept?", "local", Filter(), NOW)


def rota(content: str, meaning: float, sure: float = 0.0) -> Hit:
    record = Record(len(content), "lantern", Node.make("claim", content), Standing(), 1, NOW, NOW)
    return Hit(record, meaning, (("meaning", meaning),), Evidence(meaning=meaning, sure=sure))


def test_one_with_all_the_asked_words_of_the_best_may_be_further_from_it_in_meaning() -> None:
    best, sibling = rota("The pager rota of ingest is online.", 0.6, 0.12), rota("Billing has a pager rota too.", 0.35)
    near = rota("Who cleans is on a rota.", 0.75, 0.27)
    asked = Asked(dict.fromkeys(ROTA.terms, 2.0), {})
    found = cut(ROTA, [best, sibling, near], asked, {})
    assert [kept.record for kept in found.told] == [best.record, sibling.record]
    assert "behind the best" in found.left[near.record.entry]


def test_a_document_says_what_its_file_says_and_is_replaced_by_nothing(filled: Lantern) -> None:
    for number in (60, 30):
        filled.say(f"Access tokens of the kiosk expire after {number} minutes.", day=100 - number, kind="document")
    assert not any(kept.replaced for kept in told(filled, "When do access tokens of the kiosk expire?"))


def test_an_amendment_of_a_decision_stands_beside_it(memory: Lantern) -> None:
    """Both hold: it is marked as amended, and no longer told it would seem to be replaced."""
    record = "ADR 3: orders of the kiosk are kept in the ledger for two years, since the auditors ask for them."
    later = (
        "ADR 7: amends ADR 3: orders of the kiosk are kept in the ledger for two years and their receipts too, since "
        "the auditors ask for them."
    )
    say(memory, record, later, kind="decision")
    found = told(memory, "How long are orders of the kiosk kept in the ledger?")
    assert sorted(contents(found)) == sorted([record, later])
    assert not any(replaced(one) for one in found)


def test_a_decision_that_says_to_replace_what_it_amends_takes_its_place(memory: Lantern) -> None:
    record = "ADR 3: orders of the kiosk are kept in the ledger for two years."
    later = "ADR 7: supersedes ADR 3 and its amendments: orders of the kiosk are kept in the ledger for five years."
    say(memory, record, later, kind="decision")
    (found,) = told(memory, "How long are orders of the kiosk kept in the ledger?")
    assert contents([found]) == [later]
