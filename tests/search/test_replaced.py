"""What replaced what, by the words of two texts and how alike they are."""

from __future__ import annotations

import pytest

from marrow.search.replaced import changed_value, renewed_value, replaces, subject, values
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


@pytest.mark.parametrize(
    "later",
    [
        "The hot tier of the store is down to 48 hours.",
        "Removed the disks from the hot tier of the store.",
        "The hot tier of the store is in memory from this month on.",
        "The hot tier of the store is in memory; its latency fell from 31k to 9k.",
        "The hot tier of the store is removed.",
    ],
)
def test_a_change_may_be_announced_by_what_came_of_it(later: str) -> None:
    earlier = "The hot tier of the store is on local disks."
    assert replaces(later, earlier, 0.6, asked("Where is the hot tier?")) is not None


@pytest.mark.parametrize(
    "later",
    [
        "When a challenge starts, the hold on the cabin is extended once.",
        "A cabin in a hold that nobody pays for is dropped, and mail is sent.",
        "The hold of a second cabin for one person is rejected with an error.",
        "Cabins on hold are moved one deck up in summer.",
    ],
)
def test_what_always_happens_is_no_change(later: str) -> None:
    earlier = "The hold on a cabin lasts until somebody pays."
    assert replaces(later, earlier, 0.6, asked("How long is the hold on a cabin?")) is None


def test_naming_the_time_that_held_before_replaces_in_whatever_unit() -> None:
    earlier = "A client that cannot reach the licence server goes on working for 72 hours."
    later = "Clients keep working for 7 days without the server; three days did not cover a long weekend."
    question = asked("How long do clients work without the server?")
    found = replaces(later, earlier, 0.42, question)
    assert found is not None
    assert found.reason == "72 hours before, 7 days now"
    assert replaces(later.replace("three", "two"), earlier, 0.42, question) is None


def test_what_answers_the_question_by_its_meaning_may_replace_in_other_words() -> None:
    earlier = "The clock of a bridge is set from a public NTP pool every 6 hours."
    later = "Bridges take their time from our own host every hour; the public NTP pool blocked us."
    question = asked("Where does the clock come from?")
    assert replaces(later, earlier, 0.6, question) is None
    assert replaces(later, earlier, 0.6, question, answers=True) is not None
    aside = "Bridges with a display show the weather, asked for every 2 hours from a free service."
    assert replaces(aside, earlier, 0.52, question, answers=True) is None


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


@pytest.mark.parametrize("text", ["issue #12", "ADR 7", "issue ten", "pull request 7"])
def test_a_number_that_only_names_a_thing_is_no_value(text: str) -> None:
    assert values(text) == {}


@pytest.mark.parametrize(
    "text",
    [
        "Workers batch {} messages per write to Kafka.",
        "Timeout per batch {} seconds in the importer.",
        "Prices round {} decimals in invoices.",
        "The migration waits in each step {} minutes before it goes on.",
    ],
)
def test_a_number_that_counts_what_follows_is_a_value_whatever_word_stands_before_it(text: str) -> None:
    assert replaces(text.format(30), text.format(5), 0.9)


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


@pytest.mark.parametrize(
    ("text", "unit", "number"),
    [
        ("12 concurrent queries for each tenant", "queri", "12"),
        ("It is read every hour.", "hour", "1"),
        ("Payouts above 10 000 EUR are checked.", "eur", "10000"),
        ("It is read every 6 hours.", "hour", "6"),
    ],
)
def test_what_is_counted_is_read_however_it_is_written(text: str, unit: str, number: str) -> None:
    assert values(text)[unit] == {number}


def test_how_often_something_is_done_is_no_value_of_every() -> None:
    assert not changed_value("Photos are scanned every 100 uploads.", "The disk is scanned every 6 hours.")


def test_half_an_hour_is_thirty_minutes() -> None:
    assert renewed_value("The solver has 75 minutes; half an hour was too short.", "The solver runs for 30 minutes.")
    assert not renewed_value("The solver has half an hour.", "The solver runs for 30 minutes.")
