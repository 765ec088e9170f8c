"""Whether a memory was used in what followed: what speaks for it, and what only looks like it."""

from __future__ import annotations

import pytest

from marrow.model.address import address_of
from marrow.search.used import EDITED, NAMED, REPEATED, was_used

POSTGRES = "We chose Postgres over MongoDB because parcel events need joins and transactions."
WHY_POSTGRES = "Why are we on Postgres and not on MongoDB?"
ADDRESS = address_of("claim", POSTGRES)
FILLER = "The weather was mild and the garden grew, while the old clock in the hall struck eleven. " * 12


def used(content: str, said: str, asked: str = "") -> str:
    return was_used(content, ADDRESS, (), said, (), asked)


@pytest.mark.parametrize(
    "said",
    [
        f"As [{ADDRESS[:12]}] says.",
        f"See {ADDRESS}.",
        f"sha256:{ADDRESS[:6]}",
        f"({ADDRESS[:8].upper()})",
    ],
)
def test_a_memory_whose_address_is_named_was_used(said: str) -> None:
    assert used(POSTGRES, said) == NAMED


@pytest.mark.parametrize(
    "said",
    [
        f"Only {ADDRESS[:5]} of it.",
        f"The commit {ADDRESS[1:13]} is another.",
        f"x{ADDRESS[:12]}",
        f"{ADDRESS[:12]}zz",
        f"{ADDRESS}00",
    ],
)
def test_what_only_resembles_its_address_does_not_name_it(said: str) -> None:
    assert used(POSTGRES, said) == ""


@pytest.mark.parametrize(
    "file", ["src/app.py", "./src/app.py", "src\\app.py", "/home/ada/shop/src/app.py", "C:\\shop\\src\\app.py"]
)
def test_a_memory_whose_file_was_edited_was_used(file: str) -> None:
    assert was_used(POSTGRES, ADDRESS, ("docs/a.md", "src/app.py"), "", ("README.md", file)) == EDITED


@pytest.mark.parametrize("file", ["app.py", "src/app.pyc", "mysrc/app.py", "src/app.py/x", ""])
def test_another_file_is_not_its_file(file: str) -> None:
    assert was_used(POSTGRES, ADDRESS, ("src/app.py", ""), "", (file,)) == ""


@pytest.mark.parametrize(
    ("content", "asked", "said"),
    [
        (POSTGRES, WHY_POSTGRES, "Our parcel events need joins, and transactions too."),
        (POSTGRES, WHY_POSTGRES, f"{FILLER} Our parcel events need joins, and transactions too. {FILLER}"),
        (
            "On 14 March checkout was down: a migration took an exclusive lock on the orders table.",
            "What caused the checkout outage in March?",
            "It was an exclusive lock. Some migration had held it on the orders.",
        ),
        (
            f"{FILLER} Labels are rendered as ZPL by Stencil, a Rust service, and sent to a socket. {FILLER}",
            "How do labels get printed?",
            "Stencil, written in Rust, renders ZPL for the socket.",
        ),
    ],
)
def test_a_memory_whose_words_come_back_was_used(content: str, asked: str, said: str) -> None:
    assert used(content, said, asked) == REPEATED


@pytest.mark.parametrize(
    "said",
    [
        "",
        "You are on Postgres and not on MongoDB, because somebody chose it.",
        "I chose to run the tests first, because the build was broken and we need to fix it.",
        "The parcel page needs transactions.",
        f"The parcel page is slow. {FILLER} Its events come late. {FILLER} It joins a lot. {FILLER} Transactions end.",
    ],
    ids=["nothing", "an echo of the question", "common words", "too few", "too far apart"],
)
def test_words_that_prove_nothing_are_no_use(said: str) -> None:
    assert used(POSTGRES, said, WHY_POSTGRES) == ""


def test_the_words_of_the_question_are_those_that_do_not_count() -> None:
    said = "The parcel events need joins and transactions."
    assert used(POSTGRES, said, "Why Postgres?") == REPEATED
    assert used(POSTGRES, said, "Do parcel events need joins?") == ""


def test_a_few_words_of_a_memory_that_says_much_more_are_no_use() -> None:
    long = "Apples, pears, plums, quinces, cherries, medlars, walnuts, figs, grapes, melons, berries and hazels grow."
    assert used(long, "We sell apples, pears, plums and figs.") == ""
    assert used(long, "We sell apples, pears, plums, figs, grapes and melons.") == REPEATED


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("A release starts with bin/ship_it.sh on the bastion.", "Run bin/ship_it.sh now."),
        ("Tenants are separated by tenant_id.", "The query has no tenant_id."),
        ("Look them up with get_user_by_id.", "`getUserById` does it."),
        ("It is read from MARROW_HOME.", "Set MARROW_HOME first."),
        ("It was SHOP-4711 that broke it.", "See SHOP-4711."),
        ("Call it with --no-wait-for-lock.", "I added --no-wait-for-lock."),
        ("RetryPolicy wraps the ParcelClient.", "ParcelClient is wrapped by a RetryPolicy."),
        ("Sessions expire after 45 minutes.", "They expire after 45 minutes."),
        ("The broker listens on port 5673.", "I point the broker's client at port 5673."),
    ],
)
def test_an_identifier_or_a_value_may_come_back_alone(content: str, said: str) -> None:
    assert used(content, said, "how does it go?") == REPEATED


@pytest.mark.parametrize(
    ("content", "asked", "said"),
    [
        ("Tenants are separated by tenant_id.", "What is tenant_id for?", "I looked at tenant_id."),
        ("Sessions expire after 45 minutes.", "Why 45 minutes until they expire?", "They expire after 45 minutes."),
        ("Sessions expire after 45 minutes.", "When do sessions expire?", "The suite takes 45 minutes."),
        ("Sessions expire after 45 minutes.", "When do sessions expire?", "They expire after 50 minutes."),
        ("It retries 3 times with backoff.", "What about retries?", "The backoff test failed 3 times."),
        ("Issues are kept on GitHub.", "Where are issues?", "GitHub is down."),
        ("It reads and/or writes app.py there.", "What does it do?", "You and/or me; see app.py."),
    ],
    ids=["asked name", "asked value", "of something else", "another value", "one digit", "one product", "one file"],
)
def test_an_identifier_or_value_that_was_asked_or_is_chance_is_no_use(content: str, asked: str, said: str) -> None:
    assert used(content, said, asked) == ""


def test_naming_comes_before_editing_and_that_before_words() -> None:
    words = "Parcel events need joins and transactions."
    assert was_used(POSTGRES, ADDRESS, ("a.py",), f"{words} [{ADDRESS[:12]}]", ("a.py",)) == NAMED
    assert was_used(POSTGRES, ADDRESS, ("a.py",), words, ("a.py",)) == EDITED
    assert was_used(POSTGRES, ADDRESS, ("a.py",), words, ()) == REPEATED


def test_texts_without_spaces_have_words_too() -> None:
    content = "数据库迁移必须在星期二进行"
    assert used(content, "所以数据库迁移在星期二进行。", "什么时候?") == REPEATED
    assert used(content, "今天天气很好。", "什么时候?") == ""
