"""An answer is held against its sources, sentence by sentence."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import pytest

from marrow.memory.cited_answer import INVENTED, OTHERWISE, UNCITED, UNKNOWN_SOURCE, UNSUPPORTED, Weigh, check
from marrow.memory.held_against import known_keys

SOURCES = {
    1: "Payments go through a queue, because the bank is slow. It retries 3 times within 1,500 ms.",
    2: 'The "retry storm" of 10 February lasted 45 minutes; `max_retries` was 12.',
}
HEADINGS = {
    1: "decision · Use a queue · docs/adr/0002.md · 2026-02-01",
    2: "incident · INC-42 · 2026-02-10",
}
STORE = {
    1: "We use PostgreSQL for orders, because MySQL lost rows when a disk filled up. PostgreSQL replaced MySQL in "
    "spring.\n"
    "A failed write is retried 3 times, with 200 ms between two attempts. Sessions are not kept in PostgreSQL.",
    2: "The checkout was down for 45 minutes. The connection pool had run out, since a migration held a lock on the\n"
    "orders table. Ann raised the pool from 20 to 80 connections and killed the migration. No order was lost.",
    3: "- Search moved from Elasticsearch to Typesense.\n- Typesense is faster than Elasticsearch on small indexes.\n"
    "- The Gateway calls Billing over gRPC.\n- Do not retry a payment more than 5 times.",
}
STORE_HEADINGS = {
    1: "decision · Orders in PostgreSQL · docs/adr/0007-orders.md:3-9 · shop · 2026-01-15 · accepted",
    2: "incident · Checkout outage INC-42 · docs/incidents/inc-42.md · shop · 2026-03-02",
    3: "meeting · Platform weekly · meetings/2026-04-09.txt · 2026-04-09",
}
HONEST = [
    "Orders are stored in PostgreSQL because MySQL lost rows when a disk was full [1].",
    "Because MySQL lost rows, PostgreSQL was chosen for orders [1].",
    "MySQL was replaced by PostgreSQL in spring [1].",
    "A write that fails is retried three times, 200ms apart [1].",
    "PostgreSQL does not keep sessions [1].",
    "On 2 March 2026 the checkout was down for 45 minutes (INC-42) [2].",
    "A migration held a lock on the orders table, so the connection pool ran out [2].",
    "Ann raised the pool to 80 connections from 20, and no order was lost [2].",
    "Typesense replaced Elasticsearch for search, and it is faster on small indexes [3].",
    "Billing is called by the Gateway over gRPC [3].",
    "A payment is retried at most 5 times [3].",
    "Orders are in PostgreSQL, and an incident took the checkout down for 45 minutes [1, 2].",
    "The sources do not say who owns Redis, or when it was introduced.",
    "According to ADR-7 of January 2026, orders are kept in PostgreSQL [1].",
    "The reasons for choosing PostgreSQL are:",
]
FALSE = [
    ("We do NOT use PostgreSQL for orders [1].", OTHERWISE),
    ("We don't use PostgreSQL for orders, because MySQL lost rows [1].", OTHERWISE),
    ("We use MySQL for orders, because PostgreSQL lost rows when a disk filled up [1].", OTHERWISE),
    ("MySQL replaced PostgreSQL in spring [1].", OTHERWISE),
    ("PostgreSQL was replaced by MySQL in spring [1].", OTHERWISE),
    ("Sessions are kept in PostgreSQL [1].", OTHERWISE),
    ("A failed write is retried 9 times [1].", INVENTED),
    ("A failed write is retried nine times [1].", INVENTED),
    ("A failed write is retried 15 times [1].", INVENTED),
    ("A failed write is retried 200 times [1].", INVENTED),
    ("A failed write is retried 7 times [1].", INVENTED),
    ("Redis was removed.", UNCITED),
    ("Redis was removed [1].", UNSUPPORTED),
    ("The sources say nothing of Redis, but Kafka replaced PostgreSQL everywhere in the organisation.", UNCITED),
    ("The sources say nothing of Redis, and Kafka replaced PostgreSQL everywhere.", UNCITED),
    ("The document says that Redis is not used.", UNCITED),
    ("Redis replaced everything else here:", UNCITED),
    ("Ann raised the pool from 80 to 20 connections [2].", OTHERWISE),
    ("Ann lowered the pool from 20 to 80 connections [2].", OTHERWISE),
    ("An order was lost when the connection pool ran out [2].", OTHERWISE),
    ("The checkout was not down for 45 minutes [2].", OTHERWISE),
    ("The outage of 9 March took the checkout down for 45 minutes [2].", INVENTED),
    ("Search moved from Typesense to Elasticsearch [3].", OTHERWISE),
    ("Elasticsearch is faster than Typesense on small indexes [3].", OTHERWISE),
    ("Billing calls the Gateway over gRPC [3].", OTHERWISE),
    ("Typesense is slower than Elasticsearch on small indexes [3].", OTHERWISE),
]

EVENTS = {
    1: "# 4. Use Kafka for events\n\n## Context\nRabbitMQ dropped messages under load, and operators spent 6 hours a "
    "week on it.\n\n## Decision\nAll services publish events to Kafka. We keep them for 14 days. RabbitMQ stays for "
    "the mail service until 2027.\n\n## Consequences\n"
    "Consumers must be idempotent, because Kafka may deliver an event twice.",
    2: "def retry(fn, attempts=4, delay=0.5):\n    # Exponential backoff; never retries on 4xx.\n"
    "    for n in range(attempts):\n        ...",
    3: "Ann: we should cache the catalogue in Redis instead of Memcached, because Redis can persist.\n"
    "Bob: agreed, but not for prices, they change every 30 seconds.\nAnn: action: Bob writes the migration by Friday.",
}
EVENTS_HEADINGS = {
    1: "decision · Use Kafka for events · docs/adr/0004-kafka.md · events · 2026-02-15 · accepted",
    2: "code · retry.py · src/net/retry.py:10-14 · net · 2026-05-01",
    3: "meeting · Weekly · 2026-06-03",
}
EVENTS_HONEST = [
    "All services publish their events to Kafka, where they are kept for 14 days [1].",
    "RabbitMQ was dropping messages under load [1].",
    "RabbitMQ remains in use for the mail service until 2027 [1].",
    "Kafka was chosen because RabbitMQ dropped messages under load and cost operators 6 hours per week [1].",
    "Because an event may be delivered twice, consumers have to be idempotent [1].",
    "`retry` makes 4 attempts with exponential backoff [2].",
    "It does not retry on 4xx [2].",
    "Ann proposed to cache the catalogue in Redis rather than Memcached because Redis can persist [3].",
    "Prices are not cached, as they change every 30 seconds [3].",
    "Bob is to write the migration by Friday [3].",
    "The decision was accepted on 15 February 2026 [1].",
    "In June 2026 the team agreed to cache the catalogue in Redis [3].",
    "Nothing in the sources says who runs Kafka.",
    "The sources don't mention the cost of Kafka or Redis.",
    "Events moved from RabbitMQ to Kafka [1].",
    "Kafka keeps events for two weeks (14 days) [1].",
    "Memcached was not chosen, because Redis can persist [3].",
]
EVENTS_FALSE = [
    "All services publish events to RabbitMQ, since Kafka dropped messages under load [1].",
    "Events are kept for 15 days [1].",
    "Events are kept for 6 days [1].",
    "Consumers need not be idempotent, because Kafka may deliver an event twice [1].",
    "Kafka never delivers an event twice [1].",
    "It retries on 4xx [2].",
    "`retry` makes 5 attempts [2].",
    "The catalogue is cached in Memcached instead of Redis [3].",
    "We cache the catalogue in Memcached because Redis cannot persist [3].",
    "Ann writes the migration by Friday [3].",
    "Kafka was removed.",
    "No longer do services publish events to Kafka [1].",
    "Kafka stays for the mail service until 2027 [1].",
    "Prices change every 30 minutes [3].",
    "The sources do not say; Kafka is deprecated.",
]


def weigh(terms: Sequence[str]) -> Mapping[str, float]:
    return dict.fromkeys(terms, 1.0)


def weigh_rare(terms: Sequence[str]) -> Mapping[str, float]:
    """As a large store weighs: what no source has is the rarest."""
    known = known_keys("\n".join(STORE.values()))
    return {term: 4.0 if term in known else 6.5 for term in terms}


@pytest.mark.parametrize("weighs", [weigh, weigh_rare])
@pytest.mark.parametrize("sentence", HONEST)
def test_an_honest_paraphrase_is_not_marked(sentence: str, weighs: Weigh) -> None:
    assert check(sentence, STORE, weighs, STORE_HEADINGS).doubtful == ()


@pytest.mark.parametrize("weighs", [weigh, weigh_rare])
@pytest.mark.parametrize(("sentence", "why"), FALSE)
def test_what_is_made_of_the_sources_words_and_false_is_marked(sentence: str, why: str, weighs: Weigh) -> None:
    (found,) = check(sentence, STORE, weighs, STORE_HEADINGS).sentences
    assert found.why == why


@pytest.mark.parametrize("sentence", EVENTS_HONEST)
def test_an_honest_paraphrase_of_other_texts_is_not_marked(sentence: str) -> None:
    assert check(sentence, EVENTS, weigh, EVENTS_HEADINGS).doubtful == ()


@pytest.mark.parametrize("sentence", EVENTS_FALSE)
def test_a_false_sentence_about_other_texts_is_marked(sentence: str) -> None:
    assert len(check(sentence, EVENTS, weigh, EVENTS_HEADINGS).doubtful) == 1


@pytest.mark.parametrize("number", [1, 2, 3])
def test_what_is_taken_word_for_word_is_not_marked(number: int) -> None:
    said = [line for line in re.split(r"(?<=[.])\s+", STORE[number].replace("\n- ", "\n").lstrip("- ")) if line]
    answer = " ".join(f"{' '.join(line.split()).rstrip('.')} [{number}]." for line in said)
    found = check(answer, STORE, weigh, STORE_HEADINGS)
    assert len(found.sentences) == len(said)
    assert found.doubtful == ()


def test_a_number_of_the_heading_is_none_of_the_text() -> None:
    for said in ("It lasted 42 minutes [2].", "It lasted 10 minutes [2].", "It lasted 2 minutes [2]."):
        (found,) = check(said, SOURCES, weigh, HEADINGS).sentences
        assert found.why == INVENTED, said


def test_the_result_says_what_the_check_is_worth() -> None:
    assert "not their meaning" in check("Payments go through a queue [1].", SOURCES, weigh).note


@pytest.mark.parametrize(
    "sentence",
    [
        "Payments go through a queue because the bank is slow [1].",
        "It retries three times within 1500 ms. [1]",
        "On 2026-02-10 a retry storm lasted 45 minutes [2].",
        'They call it the "retry storm" and `max_retries` was 12 [2].',
        "The queue retries, and the retry storm lasted 45 minutes [1, 2].",
        "The sources do not say who owns it.",
        "In short:",
    ],
)
def test_what_its_sources_say_is_confirmed(sentence: str) -> None:
    found = check(sentence, SOURCES, weigh, HEADINGS)
    assert found.doubtful == ()
    assert found.text == sentence


@pytest.mark.parametrize(
    ("sentence", "why", "missing"),
    [
        ("It lasted 90 minutes, the retry storm did [2].", INVENTED, ("90",)),
        ('The report says "the bank went down" [2].', INVENTED, ("the bank went down",)),
        ("The `timeout_ms` of the queue is the bank's [1].", INVENTED, ("timeout_ms",)),
        ("Kubernetes pods restart whenever memory pressure evicts workers [1].", UNSUPPORTED, ()),
        ("Payments go through a queue [7].", UNKNOWN_SOURCE, ("7",)),
        ("Payments are settled overnight by another service entirely.", UNCITED, ()),
        ("It failed 17 times.", UNCITED, ()),
    ],
)
def test_what_they_do_not_say_is_marked(sentence: str, why: str, missing: tuple[str, ...]) -> None:
    (found,) = check(sentence, SOURCES, weigh, HEADINGS).sentences
    assert (found.why, found.missing) == (why, missing)
    assert f"[{why}" in check(sentence, SOURCES, weigh, HEADINGS).text


def test_a_number_in_another_source_than_the_cited_one_does_not_count() -> None:
    (found,) = check("The queue's storm lasted 45 minutes [1].", SOURCES, weigh, HEADINGS).sentences
    assert found.missing == ("45",)


def test_each_sentence_is_judged_by_itself_and_the_text_is_kept() -> None:
    answer = "Payments go through a queue [1]. It lasted 90 minutes [2].\n\n- The bank is slow. [1]\n- See below:"
    found = check(answer, SOURCES, weigh, HEADINGS)
    assert [one.why for one in found.sentences] == ["", INVENTED, "", ""]
    assert found.cited == (1, 2)
    marked = (
        "Payments go through a queue [1]. It lasted 90 minutes [2]. [not in the source: 90]\n\n- The bank is slow. [1]"
    )
    assert found.text == f"{marked}\n- See below:"


def test_an_empty_answer_says_nothing() -> None:
    assert check("  ", SOURCES, weigh).sentences == ()
