"""What a message is after."""

from __future__ import annotations

import pytest

from marrow.model.standing import DOMAINS
from marrow.search.intent import (
    COMMIT_FOR_CHANGE,
    COMMIT_FOR_NOW,
    COMMIT_FOR_WHERE,
    READ,
    WRITING_FOR_CODE,
    domains_wanted,
    kinds_weighed,
)


@pytest.mark.parametrize(
    ("message", "domain"),
    [
        ("Why do we use Postgres?", "decisions"),
        ("What made us use Postgres?", "decisions"),
        ("How come we use Postgres?", "decisions"),
        ("what was the rationale", "architecture"),
        ("Which ADR was it?", "decisions"),
        ("The build is broken", "issues"),
        ("It FAILED again with a traceback", "issues"),
        ("what is our naming convention", "patterns"),
        ("How do we write tests?", "patterns"),
        ("how does the ingest work", "architecture"),
        ("which library versions", "dependencies"),
        ("what is left to do", "tasks"),
        ("what did we use previously", "history"),
        ("what does Ada prefer", "feedback"),
    ],
)
def test_a_message_is_after_a_domain_by_its_words(message: str, domain: str) -> None:
    assert domain in DOMAINS
    assert 0 < domains_wanted(message)[domain] <= 0.15


@pytest.mark.parametrize(
    "message", ["", "Postgres", "whyever", "a bugle call", "the styles of the thing", "taskmaster"]
)
def test_a_message_that_sounds_like_nothing_is_after_nothing(message: str) -> None:
    assert domains_wanted(message) == {}


def test_the_strongest_sound_holds_for_each_domain() -> None:
    why, chose, both = (domains_wanted(m) for m in ("why", "chose", "why was it that we chose it"))
    assert why["decisions"] != chose["decisions"]
    assert both["decisions"] == max(why["decisions"], chose["decisions"])


def test_what_comes_late_in_a_long_message_does_not_change_it() -> None:
    assert domains_wanted("x " * (READ // 2) + "why") == {}
    assert domains_wanted("x " * (READ // 2 - 4) + "why") != {}


@pytest.mark.parametrize(
    "message",
    ["Where is the token checked?", "where does it retry", "Which file has the defaults?", "So where's the parser?"],
)
def test_a_commit_says_least_of_where_something_is(message: str) -> None:
    assert kinds_weighed(message) == {"commit": COMMIT_FOR_WHERE}


@pytest.mark.parametrize(
    "message",
    [
        "How does the cache work?",
        "how are ids made",
        "How do I add a command?",
        "Is the client thread safe?",
        "What is the minimum version of Python?",
        "Can two of them run at once?",
    ],
)
def test_a_commit_says_less_of_how_something_is(message: str) -> None:
    assert kinds_weighed(message) == {"commit": COMMIT_FOR_NOW}
    assert COMMIT_FOR_WHERE < COMMIT_FOR_NOW < 1.0


@pytest.mark.parametrize(
    "message",
    [
        "",
        "Why is the cache so small?",
        "Where did we fix the leak?",
        "How long was it broken?",
        "What is new in the parser?",
        "Is the leak fixed?",
        "What are the latest changes of the cache?",
        "What did we do about the leak?",
        "the place where it is kept",
        "What was done so that it is quicker?",
        "And what change do we give at the till?",
    ],
)
def test_a_commit_counts_as_usual_where_something_else_is_asked(message: str) -> None:
    assert kinds_weighed(message) == {}


@pytest.mark.parametrize(
    "message",
    ["Which change fixed the leak?", "In what commit was it dropped, and why?", "what pull request brought this"],
)
def test_a_commit_says_most_where_the_change_itself_is_asked_for(message: str) -> None:
    assert kinds_weighed(message) == {"commit": COMMIT_FOR_CHANGE}
    assert COMMIT_FOR_CHANGE > 1.0


@pytest.mark.parametrize(
    "message",
    ["Where in the code is it retried?", "Which function reads it?", "How is it done in our scripts?"],
)
def test_what_is_written_about_code_says_less_where_the_code_is_asked_for(message: str) -> None:
    found = kinds_weighed(message)
    assert found["decision"] == found["document"] == WRITING_FOR_CODE < 1.0
    assert found["commit"] < 1.0
    assert "code" not in found
