"""What replaced what, by the words of two texts and how alike they are."""

from __future__ import annotations

import pytest

from marrow.search.replaced import changed_value, replaces, subject, values
from marrow.store.terms import query_terms

ALIKE = 0.8


def asked(question: str) -> list[str]:
    return query_terms(question)


@pytest.mark.parametrize(
    ("earlier", "later", "question"),
    [
        ("Access tokens expire after 30 minutes.", "Access tokens expire after 15 minutes.", "When do tokens expire?"),
        pytest.param(
            "The uploader retries three times.",
            "The uploader retries five times.",
            "How often does it retry?",
        ),
        ("The API listens on port 8080.", "The API listens on port 9090.", "Which port does the API use?"),
        ("Uploads are limited to 5 MB.", "Uploads may now have 20 MB.", "How large may uploads be?"),
        ("The cache has a hit rate of 80%.", "The cache has a hit rate of 95%.", "What is the hit rate of the cache?"),
    ],
)
def test_a_changed_value_of_the_same_unit_replaces(earlier: str, later: str, question: str) -> None:
    for cosine in (ALIKE, None):
        assert replaces(later, earlier, cosine, asked(question)) is not None


@pytest.mark.parametrize(
    "later",
    [
        "We no longer deploy to production on Fridays.",
        "Deploys to production moved to Tuesdays.",
        "From now on we deploy to production on Tuesdays.",
        "We deploy to production on Tuesdays instead of Fridays.",
        "The rule on production deploys is gone.",
    ],
)
def test_a_change_that_is_announced_replaces_and_is_quoted(later: str) -> None:
    found = replaces(later, "We deploy to production on Fridays.", ALIKE, asked("When do we deploy to production?"))
    assert found is not None
    quoted = found.reason.split("“")[1].rstrip("”")
    assert quoted in later.lower()


def test_a_change_that_is_announced_far_down_does_not() -> None:
    later = "Notes of the meeting. " + "We spoke about lunch and parking. " * 40 + "We no longer deploy on Fridays."
    assert replaces(later, "We deploy on Fridays.", 0.5, asked("When do we deploy?")) is None


def test_being_alike_is_not_enough() -> None:
    earlier, later = "Parcels are weighed before loading.", "We weigh all of the parcels before loading them on trucks."
    assert replaces(later, earlier, ALIKE, asked("When are parcels weighed?")) is None


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Uploads are limited to 10 MB.", "Exports are limited to 50 MB."),
        ("The API timeout is 5 seconds.", "The webhook timeout is 20 seconds."),
        ("Amsterdam has 120 lockers.", "Rotterdam has 80 lockers."),
    ],
)
def test_short_facts_about_two_things_do_not_replace_one_another_whatever_is_asked(earlier: str, later: str) -> None:
    for question in ("What are the limits?", "What are our timeouts?", "How many lockers do we have?"):
        assert replaces(later, earlier, ALIKE, asked(question)) is None


def test_a_long_list_of_numbers_is_read_in_no_time() -> None:
    assert changed_value("It has 5 rows. Then " + "1,2," * 200_000, "It has 7 rows. Then " + "1,2," * 200_000)


@pytest.mark.parametrize(
    ("earlier", "later", "question"),
    [
        pytest.param(
            "The limit for uploads is 5 MB.",
            "The limit for exports is 9 MB.",
            "What is the limit for uploads?",
        ),
        pytest.param(
            "The Berlin office opens at 8.",
            "The Paris office opens at 9.",
            "When does the Berlin office open?",
        ),
        pytest.param("Staging uses Postgres 15.", "Production uses Postgres 14.", "Which Postgres does staging use?"),
        ("The Berlin shop closes on Sundays.", "The Hamburg shop closes on Mondays.", "When does Berlin close?"),
    ],
)
def test_the_same_said_of_another_thing_does_not_replace(earlier: str, later: str, question: str) -> None:
    for cosine in (0.6, ALIKE, None):
        assert replaces(later, earlier, cosine, asked(question)) is None


def test_a_text_about_something_else_does_not_replace() -> None:
    assert replaces("We no longer bake bread on Fridays.", "Access tokens expire.", 0.1, ()) is None
    assert replaces("We no longer bake bread on Fridays.", "Access tokens expire.", None, ()) is None
    assert replaces("", "Access tokens expire.", 1.0, ()) is None
    assert replaces("Access tokens expire.", "?", 1.0, ()) is None


def test_the_later_one_must_speak_of_what_the_earlier_one_was_found_for() -> None:
    earlier = "The billing team in Oslo meets at noon and uses the Atlas dashboard."
    later = "The billing team in Oslo meets at noon. It was renamed and now has the red badges."
    assert replaces(later, earlier, 0.6, asked("Which dashboard Atlas?")) is None
    assert replaces(later, earlier, 0.6, asked("When does the billing team meet?")) is not None


def test_a_change_that_is_announced_in_few_words_replaces() -> None:
    earlier = "Backups of the ledger are kept for 30 days."
    assert replaces("Backups of the ledger are no longer kept.", earlier, ALIKE) is not None


def test_a_changed_value_is_surer_than_an_announcement() -> None:
    earlier = "Backups of the ledger are kept for 30 days."
    value = replaces("Backups of the ledger are kept for 90 days.", earlier, ALIKE)
    announced = replaces("We stopped to make backups of the ledger, and the old ones were removed.", earlier, ALIKE)
    assert value is not None
    assert announced is not None
    assert value.strength > announced.strength


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [
        ("after 30 minutes", "30 minute", "30"),
        ("a 30-minute window", "minutes", "30"),
        ("port 8080", "port", "8080"),
        ("retries = 3", "retry", "3"),
        ("timeout: 1_000", "timeout", "1000"),
        ("after fifteen days", "day", "15"),
        ("1,000 requests", "request", "1000"),
        ("80% of it", "%", "80"),
        ("version 3.11.", "version", "3.11"),
        ("up to 64k tokens", "tokens", "64k"),
    ],
)
def test_values_are_numbers_by_what_they_count_or_name(text: str, unit: str, number: str) -> None:
    name = next(iter(subject(unit)), "%") if unit != "%" else "%"
    assert number in values(text)[name]


@pytest.mark.parametrize("text", ["", "no numbers", "on 14 March", "March 14", "5 of us", "the 3 are"])
def test_dates_and_counts_of_nothing_are_no_values(text: str) -> None:
    assert values(text) == {}


def test_only_a_different_value_of_a_shared_unit_is_a_change() -> None:
    assert changed_value("kept 30 days", "kept 30 days") == ""
    assert changed_value("kept 30 days", "took 30 minutes") == ""
    assert changed_value("30 days are free, 60 days are not", "kept 30 days") == ""
    assert "30" in changed_value("kept 60 days", "kept 30 days")


@pytest.mark.parametrize("unit", ["retries", "minutes", "queries"])
def test_people_are_not_shown_stems(unit: str) -> None:
    reason = changed_value(f"It takes 5 {unit} now.", f"It takes 3 {unit}.")
    assert unit in reason or unit.removesuffix("s") in reason or unit.replace("ies", "y") in reason


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Ticket 12: the login page is slow on phones.", "Ticket 15: the login page crashes on tablets."),
        ("ADR 4 is about the login page and its cookies.", "ADR 9 is about the login page and its colours."),
    ],
)
def test_two_numbered_things_are_two_things(earlier: str, later: str) -> None:
    assert changed_value(later, earlier) == ""


@pytest.mark.parametrize(
    "later",
    [
        "The option parser is an internal class that is ultimately used to implement the parser of options.",
        "`make_str` replaces bytes that the option parser cannot decode.",
        "make_str() replaces bytes that the option parser cannot decode.",
    ],
)
def test_what_code_does_is_no_change_of_a_memory(later: str) -> None:
    earlier = "The option parser swallows errors that options cannot decode."
    assert replaces(later, earlier, ALIKE, asked("What does the option parser do with errors?")) is None
