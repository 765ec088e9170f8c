"""Recall over the memory of Lantern: something right for what it knows of, nothing for everything else."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from marrow.memory.recall import PINNED_MAX, QUESTIONS_MAX, Recalled, recall
from marrow.model.errors import Invalid
from marrow.model.text import token_estimate
from marrow.operations.run import perform
from marrow.operations.table import Call
from marrow.providers.embedder import NoEmbedder
from marrow.providers.static import StaticEmbedder

from ..search.notes import NOTES, Lantern, lantern, name_of

RELEVANT = [
    ("Why are we on Postgres and not on MongoDB?", "postgres"),
    ("I need to add a column for the price. How do we store money amounts?", "money"),
    ("Labels are showing question marks for some names again.", "umlaut"),
    ("What happened on Black Friday?", "pool"),
    ("Which client leaked memory in the worker?", "leak"),
    ("Can I deploy this today?", "deploys"),
    ("How are webhooks to customers protected against replay?", "webhooks"),
    ("Why do we not use JWTs for sessions?", "jwt"),
    ("How are tenants kept apart in the database?", "tenants"),
    ("What caused the checkout outage in March?", "outage"),
    ("Should timestamps be UTC or local time?", "times"),
    ("The certificate of the tracking domain has expired.", "certificate"),
    ("How many approvals does my pull request need?", "reviews"),
    ("Why were invoices off by a cent?", "rounding"),
    ("Customers get notifications twice.", "dupes"),
    ("May I remove a column in this migration?", "migrations"),
]
IRRELEVANT = [
    "What is the capital of Mongolia?",
    "Write a poem about the sea.",
    "Recommend a good pasta recipe.",
    "How tall is Mount Everest?",
    "Who won the football world cup?",
    "My cat sleeps all day.",
    "What should I wear to a wedding?",
    "Play some jazz music.",
    "Book a flight to Lisbon.",
    "Tell me a joke about penguins.",
    "Is it going to rain tomorrow?",
    "Explain the plot of Hamlet.",
    "How do vaccines work?",
    "Which instrument did Chopin play?",
    "Do elephants dream?",
]
GREETINGS = [
    "hi",
    "Hello!",
    "hey there",
    "thanks!",
    "ok",
    "Good morning",
    "yes please",
    "great, thank you",
    "bye",
    "",
    "?",
]


@pytest.fixture(scope="module")
def known() -> Iterator[Lantern]:
    """Shared by the tests that only read."""
    with lantern(StaticEmbedder()) as made:
        yield made


@pytest.fixture
def filled() -> Iterator[Lantern]:
    with lantern(StaticEmbedder()) as made:
        yield made


def names(recalled: Recalled) -> list[str]:
    return [name_of(hit.record.node.content) for hit in recalled.relevant]


@pytest.mark.parametrize(("message", "answer"), RELEVANT)
def test_what_is_known_about_a_message_is_recalled_first(known: Lantern, message: str, answer: str) -> None:
    assert names(recall(known.engine, known.asker, message))[0] == answer


@pytest.mark.parametrize("message", IRRELEVANT)
def test_nothing_is_recalled_for_what_the_memory_does_not_know(known: Lantern, message: str) -> None:
    found = recall(known.engine, known.asker, message)
    assert found.depth > 0
    assert (names(found), found.questions, found.pinned) == ([], (), ())


@pytest.mark.parametrize("message", GREETINGS)
def test_a_greeting_is_worth_nothing(filled: Lantern, message: str) -> None:
    filled.say("Good morning is how every stand-up begins, thanks to Lena.", pinned=True)
    assert recall(filled.engine, filled.asker, message) == Recalled((), (), (), 0)


def test_a_long_message_is_worth_more_than_a_short_one(known: Lantern) -> None:
    messages = (
        "Postgres?",
        "Postgres, queues and webhooks?",
        "How do Postgres, queues, webhooks, labels, maps and billing hang together?",
        "Tell everything about Postgres, queues, webhooks, labels, maps, bills, sessions, tenants, archives, flags",
    )
    depths = [recall(known.engine, known.asker, message).depth for message in messages]
    assert depths == sorted(set(depths))
    for message, depth in zip(messages, depths, strict=True):
        assert len(recall(known.engine, known.asker, message).relevant) <= depth


def test_what_is_far_behind_the_best_or_about_something_else_is_cut(known: Lantern) -> None:
    found = recall(known.engine, known.asker, "Why did we choose Postgres over MongoDB for parcel events and joins?")
    assert names(found)[0] == "postgres"
    assert len(found.relevant) < found.depth
    scores = [hit.score for hit in found.relevant]
    assert scores == sorted(scores, reverse=True)
    assert all(score >= 0.45 * scores[0] for score in scores)


ASKED = "What can the yellow crane in the container yard lift?"


@pytest.fixture
def cranes(filled: Lantern) -> Lantern:
    """Eight notes about one thing."""
    for place in "alpha beta gamma delta epsilon zeta eta theta".split():
        filled.say(f"The yellow crane in the {place} container yard can lift a load of forty tons in calm weather.")
    return filled


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_the_limit_is_hard(cranes: Lantern, limit: int) -> None:
    whole = names(recall(cranes.engine, cranes.asker, ASKED))
    assert len(whole) > 3
    assert names(recall(cranes.engine, cranes.asker, ASKED, limit=limit)) == whole[:limit]


def test_a_limit_does_not_make_a_message_worth_more(cranes: Lantern) -> None:
    found = recall(cranes.engine, cranes.asker, "cranes", limit=100)
    assert len(found.relevant) == found.depth < 8


@pytest.mark.parametrize("limit", [0, -1, 101])
def test_a_limit_out_of_range_is_refused(known: Lantern, limit: int) -> None:
    with pytest.raises(Invalid) as raised:
        recall(known.engine, known.asker, "Postgres", limit=limit)
    assert raised.value.field == "limit"


@pytest.mark.parametrize("budget", [80, 120, 160])
def test_the_budget_is_hard(cranes: Lantern, budget: int) -> None:
    call = Call(cranes.engine, cranes.asker)
    whole = perform(call, "memory_recall", {"message": ASKED})
    assert token_estimate(whole.text) > 160
    answer = perform(call, "memory_recall", {"message": ASKED, "budget_tokens": budget})
    assert token_estimate(answer.text) <= budget
    assert answer.result.items
    assert answer.result.items[0].address == whole.result.items[0].address


def test_pinned_notes_come_in_a_tier_of_their_own_most_important_first(filled: Lantern) -> None:
    for number in range(PINNED_MAX + 2):
        filled.say(f"Rule {number} of the house.", pinned=True, day=number, priority=1 - number / 10)
    found = recall(
        filled.engine, filled.asker, "Why did we choose Postgres and not MongoDB, by the rules of the house?"
    )
    said = [record.node.content for record in found.pinned]
    assert said == [f"Rule {number} of the house." for number in range(PINNED_MAX)]
    assert names(found)[0] == "postgres"
    assert not {hit.record.entry for hit in found.relevant} & {record.entry for record in found.pinned}


def test_open_questions_come_in_a_tier_of_their_own(filled: Lantern) -> None:
    found = recall(filled.engine, filled.asker, "Which printers understand ZPL labels?")
    assert [name_of(record.node.content) for record in found.questions] == ["printer"]
    assert "printer" not in names(found)
    assert "umlaut" in names(found)
    for number in range(QUESTIONS_MAX + 2):
        filled.say(f"Which of the printers understand ZPL labels in hall {number}?", kind="gap")
    assert len(recall(filled.engine, filled.asker, "Which printers understand ZPL labels?").questions) == QUESTIONS_MAX


def test_files_and_symbols_are_looked_for_too(filled: Lantern) -> None:
    filled.say("The halves of render_label must stay in this order.")
    assert names(recall(filled.engine, filled.asker, "tidy this up", symbols=["renderLabel"]))[:1] == [
        "The halves of render_label must stay in this order."
    ]


def test_what_was_given_is_counted_and_nothing_else(filled: Lantern) -> None:
    found = recall(filled.engine, filled.asker, "Why did we choose Postgres over MongoDB?", limit=1)
    assert filled.engine.recalled == [found.relevant[0].record.entry]
    recall(filled.engine, filled.asker, "thanks")
    assert len(filled.engine.recalled) == 1


@pytest.mark.parametrize("message", ["What is the capital of Mongolia?", "Write a poem about the sea."])
def test_words_alone_are_as_silent(message: str) -> None:
    with lantern(NoEmbedder()) as memory:
        assert recall(memory.engine, memory.asker, message).relevant == ()
        assert names(recall(memory.engine, memory.asker, "Postgres or MongoDB"))[0] == "postgres"


def test_a_pattern_recalls_only_what_matches_it(known: Lantern) -> None:
    matching = {note.name for note in NOTES if "postg" in note.content.lower()}
    assert len(matching) > 1
    assert set(names(recall(known.engine, known.asker, "postg*"))) <= matching
