"""Finding the right one of sixty notes: by words and meaning, under filters, in threads, weighed by signals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from marrow.memory.engine import submit
from marrow.model.change import Restate
from marrow.model.moments import MICROS_PER_DAY
from marrow.model.record import CURRENT, Filter
from marrow.search.find import LENT, NEIGHBOUR_REACH, VECTOR_WEIGHT, WORDS_WEIGHT, Hit, Question, find

from .notes import BY_NAME, NOTES, NOW, START, Lantern, name_of

QUESTIONS = [
    ("why did we pick Postgres rather than MongoDB", "postgres"),
    ("how do we store money amounts", "money"),
    ("why are labels showing question marks for some names", "umlaut"),
    ("what happened on Black Friday", "pool"),
    ("which client leaked memory in the worker", "leak"),
    ("how are webhooks to customers protected against replay", "webhooks"),
    ("why not JWT for sessions", "jwt"),
    ("how are tenants kept apart", "tenants"),
    ("what caused the checkout outage in March", "outage"),
    ("are timestamps in UTC or local time", "times"),
    ("why did the certificate take the domain down", "certificate"),
    ("how many approvals does a pull request need", "reviews"),
    ("why were invoices off by a cent", "rounding"),
    ("how do staff log in", "login"),
    ("what renders shipping labels", "labels"),
    ("why did customers get notifications twice", "dupes"),
]


def found(memory: Lantern, text: str, limit: int = 10, without: Sequence[int] = (), **wanted: Any) -> list[Hit]:
    with memory.engine.store.reading() as reader:
        asked = Question(text, memory.asker.namespace, Filter(**wanted), NOW, limit=limit, without=frozenset(without))
        return find(reader, memory.engine.embedder, asked)


def names(hits: Sequence[Hit]) -> list[str]:
    return [name_of(hit.record.node.content) for hit in hits]


def texts(hits: Sequence[Hit]) -> list[str]:
    return [hit.record.node.content for hit in hits]


@pytest.mark.parametrize(("question", "answer"), QUESTIONS)
def test_the_right_note_is_first(known: Lantern, question: str, answer: str) -> None:
    assert names(found(known, question))[0] == answer


@pytest.mark.parametrize("question", [question for question, _ in QUESTIONS])
def test_the_best_comes_first_by_score(known: Lantern, question: str) -> None:
    scores = [hit.score for hit in found(known, question)]
    assert len(scores) == 10
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > scores[-1] > 0


def test_a_score_is_the_sum_of_its_parts_times_its_signals(known: Lantern) -> None:
    for hit in found(known, "why did we pick Postgres rather than MongoDB"):
        parts = dict(hit.why)
        total = WORDS_WEIGHT * parts.pop("words") + VECTOR_WEIGHT * parts.pop("meaning") + parts.pop("thread")
        for factor in parts.values():
            total *= factor
        assert hit.score == pytest.approx(total)


def test_meaning_finds_what_shares_no_word_and_words_alone_do_not(known: Lantern, by_words: Lantern) -> None:
    question = "automobile insurance premiums"
    for memory in (known, by_words):
        assert not {term for term in question.split() if any(term in note.content for note in NOTES)}
        assert all(hit.part("words") == 0 for hit in found(memory, question))
    assert found(by_words, question) == []
    assert "money" in names(found(known, "currency as whole numbers", limit=3))


@pytest.mark.parametrize(
    ("question", "answer"),
    [("Postgres MongoDB", "postgres"), ("TLS certificate", "certificate"), ("ZPL ASCII", "umlaut")],
)
def test_without_an_embedder_it_goes_by_words(by_words: Lantern, question: str, answer: str) -> None:
    hits = found(by_words, question)
    assert names(hits)[0] == answer
    assert all(hit.part("words") > 0 and hit.part("meaning") == 0 for hit in hits)
    assert hits[0].part("words") == 1.0


def test_a_domain_leaves_only_its_own(known: Lantern) -> None:
    hits = found(known, "database", domains=("issues",), limit=60)
    assert names(hits)
    assert {hit.record.standing.domain for hit in hits} == {"issues"}
    everything = found(known, "database", limit=60)
    assert set(names(hits)) == {name for name in names(everything) if BY_NAME[name].domain == "issues"}


def test_kinds_leave_only_their_own(known: Lantern) -> None:
    assert names(found(known, "ZPL sent as ASCII"))[0] == "umlaut"
    hits = found(known, "ZPL sent as ASCII", kinds=("question",), limit=60)
    assert names(hits)[0] == "printer"
    assert {hit.record.node.kind for hit in hits} == {"question"}


def test_tags_leave_only_their_own_in_any_case(known: Lantern) -> None:
    hits = found(known, "signing in", tags=("AUTH",), limit=60)
    assert set(names(hits)) == {"login", "jwt"}
    assert found(known, "signing in", tags=("auth", "web"), tags_all=True) == []


def test_times_leave_only_what_was_said_in_them(known: Lantern) -> None:
    day = BY_NAME["outage"].day
    since, until = START + day * MICROS_PER_DAY, START + (day + 3) * MICROS_PER_DAY
    question = "the customers and the database"
    everything = names(found(known, question, limit=60))
    after = names(found(known, question, since=since, limit=60))
    assert set(after) == {name for name in everything if BY_NAME[name].day >= day}
    between = names(found(known, question, since=since, until=until, limit=60))
    assert set(between) == {name for name in everything if day <= BY_NAME[name].day <= day + 3}
    assert len(everything) > len(after) > len(between) > 0


def test_limit_is_hard_and_what_is_ruled_out_is_not_found(known: Lantern) -> None:
    hits = found(known, "database", limit=3)
    assert len(hits) == 3
    rest = found(known, "database", limit=3, without=[hits[0].record.entry])
    assert names(hits)[0] not in names(rest)
    assert names(rest)[:2] == names(hits)[1:]


@pytest.mark.parametrize("pattern", ["post*", "*ostg*", "Postg*"])
def test_a_pattern_finds_only_what_matches_it(known: Lantern, pattern: str) -> None:
    part = pattern.strip("*").lower()
    hits = found(known, pattern, limit=60)
    assert set(names(hits)) == {note.name for note in NOTES if part in note.content.lower()}
    assert all(hit.part("meaning") == 0 for hit in hits)


@pytest.mark.parametrize("pattern", ["zzz*", "*qqq*", "*", "!?"])
def test_a_pattern_that_matches_nothing_finds_nothing(known: Lantern, pattern: str) -> None:
    assert found(known, pattern) == []


def test_neighbours_in_a_thread_are_lifted_by_how_near_they_are(filled: Lantern) -> None:
    talk = ["How do we rotate the hydrofoil bearings?", "Every second Sunday.", "With gloves on.", "Lunch is at one."]
    for text in talk:
        filled.say(text, day=100, thread="yard", kind="conversation")
    hits = {hit.record.node.content: hit for hit in found(filled, "rotate hydrofoil bearings", limit=60)}
    own = [WORDS_WEIGHT * hits[text].part("words") + VECTOR_WEIGHT * hits[text].part("meaning") for text in talk]
    assert own[0] > 5 * max(own[1:])
    assert hits[talk[1]].part("thread") > 0.1
    for at, text in enumerate(talk):
        lent = sum(LENT * score / abs(at - by) for by, score in enumerate(own) if 1 <= abs(at - by) <= NEIGHBOUR_REACH)
        assert hits[text].part("thread") == pytest.approx(lent, abs=0.02)
    assert all(hits[note.content].part("thread") == 0 for note in NOTES if note.content in hits)


def test_a_neighbour_that_the_filter_leaves_out_is_not_found(filled: Lantern) -> None:
    filled.say("How do we rotate the hydrofoil bearings?", thread="yard", tags=("yard",))
    filled.say("Every second Sunday.", thread="yard")
    assert texts(found(filled, "rotate hydrofoil bearings", limit=60, tags=("yard",))) == [
        "How do we rotate the hydrofoil bearings?"
    ]


# Two notes whose texts weigh the same: the same words, in the same order, about two twins.
ONE, OTHER = "The crane in the alpha yard is yellow.", "The crane in the gamma yard is yellow."


def twins(memory: Lantern, *, one: dict[str, Any] | None = None, days: tuple[float, float] = (50, 50)) -> list[str]:
    """The order of two that are alike but for how the first of them stands."""
    address = memory.say(ONE, day=days[0])
    memory.say(OTHER, day=days[1])
    if one:
        submit(memory.engine, memory.asker, "test", [Restate(address, tuple(one.items()))])
    return texts(found(memory, "crane yard yellow", limit=2))


@pytest.mark.parametrize(
    ("stands", "is_first"),
    [
        ({"priority": 1.0}, True),
        ({"priority": 0.0}, False),
        ({"confidence": 1.0}, True),
        ({"confidence": 0.2}, False),
        ({"reinforced": 5}, True),
        ({"drift": "gone"}, False),
        ({"drift": "changed"}, False),
    ],
)
def test_how_a_record_stands_moves_it(filled: Lantern, stands: dict[str, Any], is_first: bool) -> None:
    assert twins(filled, one=stands) == ([ONE, OTHER] if is_first else [OTHER, ONE])


@pytest.mark.parametrize(("days", "is_first"), [((110, 1), True), ((1, 110), False)])
def test_of_two_that_are_alike_the_later_one_comes_first(
    filled: Lantern, days: tuple[float, float], is_first: bool
) -> None:
    assert twins(filled, days=days) == ([ONE, OTHER] if is_first else [OTHER, ONE])


@pytest.mark.parametrize("used", [True, False])
def test_what_is_recalled_and_used_rises_and_what_is_not_sinks(filled: Lantern, used: bool) -> None:
    twins(filled)
    hit = next(h for h in found(filled, "crane yard yellow", limit=2) if h.record.node.content == ONE)
    with filled.engine.store.writing() as writer:
        for _ in range(5):
            writer.count_use([hit.record.entry], used=False, at=NOW)
            writer.count_use([hit.record.entry] if used else [], used=True, at=NOW)
    assert texts(found(filled, "crane yard yellow", limit=2))[0] == (ONE if used else OTHER)


def test_an_amendment_is_found_before_what_it_amends(filled: Lantern) -> None:
    question = BY_NAME["deploys"].content
    assert names(found(filled, question))[0] == "deploys"
    amendment = "Deploys no longer go out on Thursdays before noon."
    filled.say(amendment, day=100)
    hits = found(filled, question)
    assert names(hits)[:2] == [amendment, "deploys"]
    assert hits[0].score < hits[1].score


def test_what_is_superseded_is_found_only_when_asked_for(filled: Lantern) -> None:
    with filled.engine.store.reading() as reader:
        (entry,) = (h.record for h in found(filled, "integer cents", limit=1))
        assert reader.records_of([entry.entry], CURRENT)[0].node.content == BY_NAME["money"].content
    submit(filled.engine, filled.asker, "test", [Restate(entry.node.address, (("state", "retracted"),))])
    assert "money" not in names(found(filled, "integer cents", limit=60))
    assert names(found(filled, "integer cents", include_superseded=True))[0] == "money"
