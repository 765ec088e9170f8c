"""Whether a prompt opens a new subject."""

from __future__ import annotations

import pytest

from marrow.memory.observed.subject import is_new_subject, subject

LOGIN = subject("The login page in src/auth/login.ts loses the session cookie after a redirect.")


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "go on",
        "now the tests",
        "ok, thanks!",
        "continue please",
        "and now run it again",
        "try the other way",
        "fix it",
    ],
)
def test_a_short_follow_up_is_no_new_subject(text: str) -> None:
    assert not is_new_subject(LOGIN, subject(text))


@pytest.mark.parametrize(
    "text",
    [
        "Why does the cookie of the session get lost?",
        "Also set the cookie's SameSite attribute on the redirect.",
        "Look at src/auth/login.ts again, the timeout there is far too generous for mobile users.",
    ],
)
def test_more_about_the_same_is_no_new_subject(text: str) -> None:
    assert not is_new_subject(LOGIN, subject(text))


@pytest.mark.parametrize(
    "text",
    [
        "How do we deploy to staging?",
        "Write the release notes for version 2.1.",
        "The invoice totals in billing/report.py are off by one cent.",
        "parseDuration rejects negative intervals",
    ],
)
def test_other_words_open_a_new_subject(text: str) -> None:
    assert is_new_subject(LOGIN, subject(text))


def test_the_first_prompt_opens_a_subject_and_a_greeting_does_not() -> None:
    assert is_new_subject(frozenset(), LOGIN)
    assert not is_new_subject(frozenset(), subject("hello there"))


def test_names_and_paths_are_part_of_a_subject() -> None:
    found = subject("rename get_user_by_id in src/users.py")
    assert {"getuserbyid", "src/users.py"} <= found


def test_pasted_code_is_not_what_a_prompt_is_about() -> None:
    assert subject("```\nzebra = giraffe(hippo)\n```\nWhy is the invoice wrong?") == subject(
        "Why is the invoice wrong?"
    )


def test_a_greeting_is_about_nothing_in_other_languages_either() -> None:
    for greeting in ("Guten Morgen", "hola, buenos dias", "bonjour", "moin!"):
        assert subject(greeting) == frozenset()
