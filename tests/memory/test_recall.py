"""Recall over the memory of Lantern: the right things for what it knows of, and nothing for everything else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

import marrow
from marrow.memory.recall import PINNED_MAX, QUESTIONS_MAX, Recalled, recall
from marrow.memory.refine import refine
from marrow.model.errors import Invalid
from marrow.model.link import make_anchor
from marrow.model.text import token_estimate
from marrow.operations.run import perform
from marrow.operations.table import Call
from marrow.providers.embedder import NoEmbedder
from marrow.providers.static import StaticEmbedder

from ..search.notes import NOTES, Lantern, lantern, name_of, names

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
    "Nice, looks good!",
    "Hope you all had a good weekend",
    "Okay, let's get started with the next one",
    "Welcome back everybody",
    "ok, that makes sense, carry on with the next step",
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


@pytest.fixture
def empty() -> Iterator[Lantern]:
    with lantern(StaticEmbedder(), is_empty=True) as made:
        yield made


def told(memory: Lantern, message: str, **about: Any) -> Recalled:
    return recall(memory.engine, memory.asker, message, **about)


def named(recalled: Recalled) -> list[str]:
    return names([kept.hit for kept in recalled.relevant])


@pytest.mark.parametrize(("message", "answer"), RELEVANT)
def test_what_is_known_about_a_message_is_recalled_first(known: Lantern, message: str, answer: str) -> None:
    assert named(told(known, message))[0] == answer


@pytest.mark.parametrize("message", IRRELEVANT)
def test_nothing_is_recalled_for_what_the_memory_does_not_know(known: Lantern, message: str) -> None:
    found = told(known, message)
    assert found.depth > 0
    assert (named(found), found.questions, found.pinned) == ([], (), ())


@pytest.mark.parametrize("message", GREETINGS)
def test_a_greeting_is_worth_nothing(filled: Lantern, message: str) -> None:
    filled.say("Good morning is how every stand-up begins, thanks to Lena.", pinned=True)
    filled.say("Good morning, all of the team had a nice weekend and gets started.")
    found = told(filled, message)
    assert (found.pinned, found.relevant, found.questions, found.depth) == ((), (), (), 0)


@pytest.mark.parametrize("message", ["Which holidays does the team get?", "When is the team lunch?"])
def test_a_question_of_everyday_words_is_no_chatter(filled: Lantern, message: str) -> None:
    filled.say("The team holidays are in the second week of August.")
    filled.say("The team lunch is on Thursdays at noon.")
    assert told(filled, message).relevant


def test_a_long_message_is_worth_more_than_a_short_one(known: Lantern) -> None:
    messages = (
        "Postgres?",
        "Postgres, queues and webhooks?",
        "How do Postgres, queues, webhooks, labels, maps and billing hang together?",
        "Tell everything about Postgres, queues, webhooks, labels, maps, bills, sessions, tenants, archives, flags",
    )
    depths = [told(known, message).depth for message in messages]
    assert depths == sorted(set(depths))
    for message, depth in zip(messages, depths, strict=True):
        assert len(told(known, message).relevant) <= depth


def test_what_is_far_behind_the_best_or_about_something_else_is_cut(known: Lantern) -> None:
    found = told(known, "Why did we choose Postgres over MongoDB for parcel events and joins?")
    assert named(found)[0] == "postgres"
    assert len(found.relevant) < found.depth
    scores = [kept.hit.score for kept in found.relevant]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0.5


# --- limits ---------------------------------------------------------------------------------------------------------

ASKED = "What can the yellow crane lift?"
# About one thing, and each says something else about it.
CRANES = (
    "The yellow crane can lift forty tons in calm weather.",
    "What the yellow crane can lift is written on its door.",
    "The yellow crane must not lift people.",
    "In rain the yellow crane may lift nothing but timber.",
    "Nina decides what the yellow crane may lift at night.",
    "To lift glass, the yellow crane needs the soft hook.",
)


@pytest.fixture
def cranes(filled: Lantern) -> Lantern:
    for text in CRANES:
        filled.say(text, kind="observation", day=60)
    return filled


@pytest.mark.parametrize("limit", [1, 2])
def test_the_limit_is_hard(cranes: Lantern, limit: int) -> None:
    whole = named(told(cranes, ASKED))
    assert len(whole) > limit
    assert named(told(cranes, ASKED, limit=limit)) == whole[:limit]


def test_a_limit_does_not_make_a_message_worth_more() -> None:
    with lantern(NoEmbedder()) as memory:
        for text in CRANES:
            memory.say(text, kind="observation", day=60)
        found = told(memory, "cranes", limit=100)
        assert len(found.relevant) == found.depth < len(CRANES)
        assert len(told(memory, "cranes, yellow ones, and what they lift").relevant) > found.depth


@pytest.mark.parametrize("limit", [0, -1, 101])
def test_a_limit_out_of_range_is_refused(known: Lantern, limit: int) -> None:
    with pytest.raises(Invalid) as raised:
        told(known, "Postgres", limit=limit)
    assert raised.value.field == "limit"


@pytest.mark.parametrize("budget", [80, 90, 100])
def test_the_budget_is_hard(cranes: Lantern, budget: int) -> None:
    call = Call(cranes.engine, cranes.asker)
    whole = perform(call, "memory_recall", {"message": ASKED})
    assert token_estimate(whole.text) > 100
    answer = perform(call, "memory_recall", {"message": ASKED, "budget_tokens": budget})
    assert token_estimate(answer.text) <= budget
    assert answer.result.items
    assert answer.result.items[0].address == whole.result.items[0].address


# --- tiers ----------------------------------------------------------------------------------------------------------


def test_pinned_notes_come_in_a_tier_of_their_own_most_important_first(filled: Lantern) -> None:
    for number in range(PINNED_MAX + 2):
        filled.say(f"Rule {number} of the house.", pinned=True, day=number, priority=1 - number / 10)
    found = told(filled, "Why did we choose Postgres and not MongoDB, by the rules of the house?")
    said = [record.node.content for record in found.pinned]
    assert said == [f"Rule {number} of the house." for number in range(PINNED_MAX)]
    assert named(found)[0] == "postgres"
    assert not {kept.record.entry for kept in found.relevant} & {record.entry for record in found.pinned}


def test_open_questions_come_in_a_tier_of_their_own(filled: Lantern) -> None:
    found = told(filled, "Which printers understand ZPL labels?")
    assert [name_of(record.node.content) for record in found.questions] == ["printer"]
    assert "printer" not in named(found)
    for number in range(QUESTIONS_MAX + 3):
        filled.say(f"Which printers understand ZPL labels{' and more' * number}?", kind="gap")
    assert 1 <= len(told(filled, "Which printers understand ZPL labels?").questions) <= QUESTIONS_MAX


def test_an_open_question_does_not_hide_what_is_known(filled: Lantern) -> None:
    filled.say("We chose SQLite because it needs no server.", day=10)
    filled.say("Should the SQLite server ever be replaced?", kind="question", day=20)
    found = told(filled, "Why did we choose SQLite over a server?")
    assert named(found) == ["We chose SQLite because it needs no server."]
    assert len(found.questions) == 1


# --- files, symbols, patterns ---------------------------------------------------------------------------------------


def test_symbols_are_looked_for_too(filled: Lantern) -> None:
    filled.say("The halves of render_label must stay in this order.")
    assert named(told(filled, "tidy this up", symbols=["renderLabel"]))[:1] == [
        "The halves of render_label must stay in this order."
    ]


def test_what_is_about_a_file_at_hand_is_recalled_whatever_it_says(filled: Lantern) -> None:
    filled.say("Never call it twice.", anchors=(make_anchor("src/label.py"),))
    assert named(told(filled, "tidy this up")) == []
    assert named(told(filled, "tidy this up", files=["src/label.py"])) == ["Never call it twice."]
    assert named(told(filled, "tidy this up", files=["src/other.py"])) == []
    assert named(told(filled, "thanks", files=["src/label.py"])) == []


def test_what_is_about_a_symbol_at_hand_is_recalled_whatever_it_says(filled: Lantern) -> None:
    filled.say("Never call it twice.", anchors=(make_anchor({"type": "symbol", "target": "render_label"}),))
    assert named(told(filled, "tidy this up", symbols=["render_label"])) == ["Never call it twice."]
    assert named(told(filled, "tidy this up", symbols=["render_page"])) == []


@pytest.mark.parametrize("message", ["What is the capital of Mongolia?", "Write a poem about the sea."])
def test_words_alone_are_as_silent(message: str) -> None:
    with lantern(NoEmbedder()) as memory:
        assert told(memory, message).relevant == ()
        assert named(told(memory, "Postgres or MongoDB"))[0] == "postgres"


def test_a_pattern_recalls_nothing_that_does_not_match_it(known: Lantern) -> None:
    matching = {note.name for note in NOTES if "postg" in note.content.lower()}
    assert len(matching) > 1
    assert set(named(told(known, "postg*"))) <= matching


def test_a_pattern_recalls_what_matches_it(known: Lantern) -> None:
    assert named(told(known, "postg*"))


# --- what was given -------------------------------------------------------------------------------------------------


def test_what_was_given_is_counted_and_nothing_else(filled: Lantern) -> None:
    found = told(filled, "Why did we choose Postgres over MongoDB?", limit=1)
    assert filled.engine.recalled == [found.relevant[0].record.entry]
    told(filled, "thanks")
    assert len(filled.engine.recalled) == 1


def test_what_drifted_from_the_code_is_worth_less_than_what_did_not(empty: Lantern) -> None:
    one = empty.say("The zirconium kiln takes oak wood.", kind="observation")
    empty.say("The zirconium kiln takes clay pots.", kind="observation")
    before = [kept.record.node.content for kept in told(empty, "What does the zirconium kiln take?").relevant]
    empty.restate(one, drift="gone")
    after = told(empty, "What does the zirconium kiln take?").relevant
    assert len(before) == 2
    assert "The zirconium kiln takes oak wood." not in [kept.record.node.content for kept in after[:1]]


def test_what_drifted_from_the_code_is_still_told_beside_what_did_not(empty: Lantern) -> None:
    one = empty.say("The zirconium kiln takes oak wood.")
    empty.say("The zirconium kiln takes clay pots.")
    empty.restate(one, drift="changed")
    after = [kept.record.node.content for kept in told(empty, "What does the zirconium kiln take?").relevant]
    assert after == ["The zirconium kiln takes clay pots.", "The zirconium kiln takes oak wood."]


def test_a_question_about_what_nobody_spoke_of_is_not_answered_for_the_verb_it_asks_with(empty: Lantern) -> None:
    empty.say("Use pnpm, never npm, in web/.")
    empty.say("Dates are kept in UTC.")
    assert named(told(empty, "Why do we use Kafka?")) == []
    assert named(told(empty, "Which package tool do we use, pnpm?")) == ["Use pnpm, never npm, in web/."]


def test_a_question_about_go_is_about_the_language(filled: Lantern) -> None:
    filled.say("Go modules are vendored.")
    assert "Go modules are vendored." in named(told(filled, "upgrade Go"))


def test_what_is_superseded_is_not_recalled(filled: Lantern) -> None:
    old = filled.say("The kiln is fired with coal.", day=40)
    filled.supersede(old, "The kiln is fired with gas.", day=80)
    assert named(told(filled, "How is the kiln fired?")) == ["The kiln is fired with gas."]


def test_the_cause_of_what_is_asked_about_is_recalled_with_it(filled: Lantern) -> None:
    one = filled.say("The Kafka brokers lost their quorum.", kind="incident", day=50)
    other = filled.say("A vendor shipped untested firmware.", day=50)
    filled.link(one, "caused_by", other)
    found = named(told(filled, "Why did the Kafka brokers lose their quorum?"))
    assert found[0] == "The Kafka brokers lost their quorum."
    assert "A vendor shipped untested firmware." in found


OTHER_LANGUAGES = {
    "zh": ("缓存在15分钟后过期。", "账单在夜里两点生成。", "前端使用Vue而不是React。"),
    "ja": ("キャッシュは15分で期限切れになる。", "請求処理は夜中の2時に実行される。", "削除は30日後に確定する。"),
    "ru": ("Кэш истекает через 15 минут.", "Вход идёт через просроченный сертификат.", "Заказам нужны транзакции."),
    "fr": (
        "L'authentification passe par Keycloak.",
        "La panne venait d'un certificat expiré.",
        "L'équipe déploie le mardi.",
    ),
    "de": ("Der Zwischenspeicher verfällt nach 15 Minuten.", "Für die Warteschlange nehmen wir RabbitMQ."),
    "hi": ("कैश 15 मिनट बाद समाप्त हो जाता है।", "बिल रात के दो बजे बनते हैं।", "संदेश कतार के लिए RabbitMQ है।"),
}


@pytest.mark.parametrize(
    ("language", "question", "place"),
    [
        ("zh", "缓存什么时候过期？", 0),
        ("zh", "账单什么时候生成？", 1),
        ("zh", "前端用什么？", 2),
        ("zh", "前端的原因是什么？", 2),
        ("zh", "今天午饭吃什么？", None),
        ("ja", "キャッシュはいつ切れますか", 0),
        ("ja", "請求処理はいつ実行されますか", 1),
        ("ja", "削除はいつ確定しますか", 2),
        ("ja", "今日の昼ご飯は何ですか", None),
        ("ru", "сертификаты", 1),
        ("ru", "транзакция", 2),
        ("ru", "Кто варит кофе для коллег?", None),
        ("fr", "authentification", 0),
        ("fr", "Quelle équipe ?", 2),
        ("fr", "Qui prépare le café pour les collègues ?", None),
        ("de", "Wann verfällt der Zwischenspeicher?", 0),
        ("de", "Wie hoch ist der Mond?", None),
        ("de", "Wer kocht heute Kaffee für die Kollegen?", None),
        ("hi", "कैश कब समाप्त होता है?", 0),
        ("hi", "आज दोपहर का खाना क्या है?", None),
    ],
)
def test_question_in_another_language_is_answered_by_its_words_or_not_at_all(
    language: str, question: str, place: int | None
) -> None:
    with closing(marrow.open(store="memory:", project="other")) as memory:
        for text in OTHER_LANGUAGES[language]:
            memory.save(text)
        told = memory.recall(question).text()
        while refine(memory.call.engine):
            pass
        told_by_better_vectors = memory.recall(question).text()
    expected = [] if place is None else [OTHER_LANGUAGES[language][place]]
    assert [text for text in OTHER_LANGUAGES[language] if text in told] == expected
    assert [text for text in OTHER_LANGUAGES[language] if text in told_by_better_vectors] == expected


@pytest.mark.parametrize(
    ("held", "denied", "question"),
    [
        (
            "We use Redis as the cache for sessions.",
            "We do not use Redis as the cache for sessions.",
            "Which cache do we use for sessions?",
        ),
        (
            "Wir verwenden Redis als Cache für Sitzungen.",
            "Wir verwenden Redis nicht mehr als Cache für Sitzungen.",
            "Welchen Cache verwenden wir für Sitzungen?",
        ),
        ("我们使用Redis作为缓存。", "我们不再使用Redis作为缓存。", "我们用什么作为缓存？"),
    ],
)
def test_what_denies_another_does_not_say_the_same(held: str, denied: str, question: str) -> None:
    with closing(marrow.open(store="memory:", project="other")) as memory:
        memory.save(held)
        memory.save(denied)
        told = memory.recall(question).text()
    assert denied in told
    assert "says the same" not in told
