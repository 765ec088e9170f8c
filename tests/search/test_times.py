"""Times in a question: what was said then is preferred, and what names a time when the question asks when."""

from __future__ import annotations

import pytest

from marrow.search.weights import LEARNED

from .notes import BY_NAME, Lantern, names, texts

# START is 8 February 2026, NOW is day 120: Monday 8 June 2026.
EARLY, LATE = "The crane in the alpha yard is yellow.", "The crane in the gamma yard is yellow."


@pytest.mark.parametrize(
    "question", ["When was the crane painted?", "Since when is the crane yellow?", "How long ago was it painted?"]
)
def test_a_question_that_asks_when_prefers_texts_that_name_a_time(empty: Lantern, question: str) -> None:
    plain, dated = "The crane was painted by Nina.", "The crane was painted in 2019."
    empty.say(plain)
    empty.say(dated)
    hits = empty.by_text(question)
    assert hits[dated].part("dated") == pytest.approx(LEARNED.dated)
    assert hits[plain].part("dated") == 0
    assert texts(empty.found(question))[0] == dated


@pytest.mark.parametrize(
    "question", ["Who painted the crane?", "Tell me when to paint the crane", "whenever the crane"]
)
def test_any_other_question_does_not(empty: Lantern, question: str) -> None:
    empty.say("The crane was painted in 2019.")
    assert all(hit.part("dated") == 0 for hit in empty.found(question))


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("What did we say about the crane in the yard in March?", EARLY),
        ("What did we say about the crane in the yard last week?", LATE),
        ("What did we say about the crane in the yard before May?", EARLY),
        ("What did we say about the crane in the yard since May?", LATE),
    ],
)
def test_what_was_said_in_the_time_that_is_asked_about_comes_first(filled: Lantern, question: str, first: str) -> None:
    filled.say(EARLY, day=30)  # 10 March
    filled.say(LATE, day=115)  # 3 June
    hits = filled.by_text(question)
    second = LATE if first == EARLY else EARLY
    assert hits[first].part("in_time") == pytest.approx(LEARNED.in_time)
    assert hits[second].part("in_time") < 0
    assert texts(filled.found(question))[0] == first


def test_a_time_in_which_nothing_was_said_does_nothing(filled: Lantern) -> None:
    filled.say(EARLY, day=30)
    filled.say(LATE, day=115)
    timeless, timed = (
        filled.found(f"What did we say about the crane in the yard{when}?", limit=60) for when in ("", " in 2019")
    )
    assert not any(hit.part("in_time") for hit in timed)
    assert [hit.record.entry for hit in timed] == [hit.record.entry for hit in timeless]
    assert [hit.score for hit in timed] == pytest.approx([hit.score for hit in timeless])


def test_a_filter_by_time_has_said_it_already(filled: Lantern) -> None:
    filled.say(EARLY, day=30)
    filled.say(LATE, day=115)
    found = filled.found("What did we say about the crane in March?", since=1, limit=60)
    assert not any(hit.part("in_time") for hit in found)


def test_what_was_said_then_is_found_though_it_shares_no_word(by_words: Lantern) -> None:
    found = by_words.found("What happened on 14 March?", limit=60)
    assert "outage" in names(found)[:1]
    then = names([hit for hit in found if hit.part("in_time") > 0])
    assert all(BY_NAME[name].day == BY_NAME["outage"].day for name in then)


def test_recently_is_a_wish_and_no_limit(filled: Lantern) -> None:
    filled.say(EARLY, day=30)
    filled.say(LATE, day=115)
    assert not any(hit.part("in_time") for hit in filled.found("What did we say about the crane recently?", limit=60))


# --- events ---------------------------------------------------------------------------------------------------------


def eventful(memory: Lantern, event: str) -> None:
    memory.say(EARLY, day=10)
    memory.say(event, day=60)
    memory.say(LATE, day=110)


@pytest.mark.parametrize(
    ("event", "name"),
    [
        ("ADR-012: loads above ten tons need two people.", "ADR-012"),
        ("Release 2.4 of the yard software is out.", "release 2.4"),
        ("The migration to Postgres is done.", "the migration to Postgres"),
        ("Today the outage in the yard began.", "the outage"),
    ],
)
def test_an_event_is_dated_by_the_memory_itself(empty: Lantern, event: str, name: str) -> None:
    eventful(empty, event)
    for relation, then, other in (("since", LATE, EARLY), ("after", LATE, EARLY), ("before", EARLY, LATE)):
        hits = empty.by_text(f"What was said about the crane in the yard {relation} {name}?")
        assert hits[then].part("in_time") > 0 > hits[other].part("in_time"), relation


def test_an_event_that_the_memory_knows_nothing_of_does_nothing(empty: Lantern) -> None:
    eventful(empty, "ADR-012: loads above ten tons need two people.")
    for question in ("since ADR-077", "before the move to Kubernetes", "after the 9.9 release"):
        found = empty.found(f"What was said about the crane {question}?")
        assert not any(hit.part("in_time") for hit in found)


@pytest.mark.parametrize(
    ("question", "is_named"),
    [("What broke the checkout in March?", True), ("What broke the checkout in April?", False)],
)
def test_what_names_the_time_itself_counts_as_said_in_it(empty: Lantern, question: str, is_named: bool) -> None:
    told = "On 14 March checkout was down for forty minutes: a migration locked the orders table."
    empty.say(told, day=90, kind="incident")
    empty.say("Checkout got a new button in that month.", day=40)  # 20 March
    empty.say("Checkout got a new colour in that month.", day=70)  # 19 April
    assert (empty.by_text(question)[told].part("in_time") > 0) == is_named


@pytest.mark.xfail(reason="evidence.read goes by first_at and last_at: said in February and in June counts as in April")
def test_what_was_said_before_and_after_a_time_was_not_said_in_it(empty: Lantern) -> None:
    empty.say(EARLY, day=5)
    empty.say(EARLY, day=115)
    empty.say(LATE, day=70)  # 19 April
    hits = empty.by_text("What did we say about the crane in the yard in April?")
    assert hits[LATE].part("in_time") > 0 > hits[EARLY].part("in_time")
