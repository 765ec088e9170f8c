"""What the words around a sentence make of it: taken back, settled, owned to be wrong; and what was only pasted."""

from __future__ import annotations

import pytest

from marrow.memory.observed.said import said

from .traces import prompt, stop

TAKEN_BACK = {
    "Forget what I said about Redis: from now on sessions live in Postgres.": "From now on sessions live in Postgres.",
    "ignore what i said about tabs, we use four spaces everywhere": "We use four spaces everywhere",
    "forget what i told you earlier - never mock the clock, pass it in": "Never mock the clock, pass it in",
    "Disregard what I said before; the API returns snake_case.": "The API returns snake_case.",
}


@pytest.mark.parametrize("text", TAKEN_BACK)
def test_what_holds_in_the_place_of_what_is_taken_back_is_a_correction(text: str) -> None:
    assert [(one.text, one.category) for one in said([prompt(text)])] == [(TAKEN_BACK[text], "correction")]


@pytest.mark.parametrize(
    "text",
    [
        "Forget what I said about Redis.",
        "ignore what I said, run it again",
        "forget what i said about the loop, it looks fine",
        "Ignore what I said about the header: fix the footer first.",
    ],
)
def test_what_is_only_taken_back_leaves_nothing(text: str) -> None:
    assert said([prompt(text)]) == []


WRONG = {
    "oh right my bad, i was wrong about that. fixtures go into tests/data/<name>.json, one each": (
        "Fixtures go into tests/data/<name>.json, one each"
    ),
    "Sorry, my mistake. The staging cluster runs in Frankfurt.": "The staging cluster runs in Frankfurt.",
    "I misspoke. Releases are cut from develop, not from main.": "Releases are cut from develop, not from main.",
    "I was wrong about the port: the proxy listens on 8081.": "The proxy listens on 8081.",
}


@pytest.mark.parametrize("text", WRONG)
def test_who_was_wrong_corrects_with_the_next_sentence(text: str) -> None:
    assert [(one.text, one.category) for one in said([prompt(text)])] == [(WRONG[text], "correction")]


def test_who_was_wrong_and_says_no_more_corrects_nothing() -> None:
    assert said([prompt("my bad, i was wrong about that. run it again")]) == []
    assert said([prompt("Oh, my mistake. Can you fix it?")]) == []


SETTLED = {
    "agreed. we stay without runtime dependencies, it must install with nothing else. decided.": (
        "We stay without runtime dependencies, it must install with nothing else."
    ),
    "One binary per platform. That's decided.": "One binary per platform.",
    "errors are values, nothing is thrown across the API. Settled!": (
        "Errors are values, nothing is thrown across the API."
    ),
}


@pytest.mark.parametrize("text", SETTLED)
def test_what_is_called_decided_is_a_decision(text: str) -> None:
    assert [(one.text, one.kind) for one in said([prompt(text)])] == [(SETTLED[text], "decision")]


@pytest.mark.parametrize(
    "text",
    [
        "Should we drop Python 3.9? Decided.",
        "Not decided.",
        "Run the tests. Decided.",
        "Decided.",
        "We use port 80 for now. Decided.",
    ],
)
def test_a_question_or_a_request_is_not_decided_by_a_word(text: str) -> None:
    assert said([prompt(text)]) == []


INSTEAD = {
    "use ruff format not black here, black is gone": "Use ruff format not black here, black is gone",
    "actually also: use pnpm not npm": "Use pnpm not npm",
}


@pytest.mark.parametrize("text", INSTEAD)
def test_this_and_not_that_needs_no_comma(text: str) -> None:
    assert [(one.text, one.category) for one in said([prompt(text)])] == [(INSTEAD[text], "correction")]


def test_a_word_that_is_not_refused_is_no_correction() -> None:
    assert said([prompt("use the port not in use by the proxy")]) == []
    assert said([prompt("use a name not taken yet")]) == []


PASTED = """CI is red since yesterday:

ERROR collecting tests/test_utils.py
import file mismatch:
imported module 'test_utils' has this __file__ attribute:
  /srv/runner/tests/test_utils
HINT: remove __pycache__ / .pyc files and/or use a unique basename for your test file modules

pls fix"""


def test_the_rest_of_a_pasted_error_is_no_word_of_the_user() -> None:
    assert said([prompt(PASTED)]) == []


def test_what_stands_below_a_pasted_error_is_said_again() -> None:
    told = said([prompt(f"{PASTED}\n\nwe never commit __pycache__")])
    assert [one.text for one in told] == ["We never commit __pycache__"]


@pytest.mark.parametrize(
    "text", ["my mistake, let's go on", "sorry, my bad, let's try it", "use node not found", "use git not installed"]
)
def test_going_on_and_what_is_missing_correct_nothing(text: str) -> None:
    assert said([prompt(text)]) == []


@pytest.mark.parametrize(
    "pasted",
    [
        'I get this:\nTraceback (most recent call last):\n  File "x.py", line 1, in <module>\nValueError: boom',
        "npm ERR! code E404\nnpm ERR! 404 Not Found",
        "panic: nil map\ngoroutine 1 [running]:\nmain.main()\n\t/x/main.go:3",
    ],
)
def test_a_rule_right_below_a_pasted_error_is_the_users(pasted: str) -> None:
    told = said([prompt(f"{pasted}\nAlways use our private registry for @acme packages. We never vendor.")])
    texts = ["Always use our private registry for @acme packages.", "We never vendor."]
    assert [one.text for one in told] == texts


def test_a_symptom_that_names_nothing_is_not_kept() -> None:
    assert said([prompt("TypeError: unexpected keyword 'unit'\n\nhappens only in the pager worktree")]) == []
    assert said([prompt("occurs on every third request in production")]) == []


def test_of_a_secret_not_even_that_it_was_told_is_kept() -> None:
    assert said([prompt("our staging token is [redacted:github-token] , dont need it now")]) == []
    asked = said([prompt("Remember: deploy with TOKEN=[redacted:github-token] make ship")])
    assert [one.salience for one in asked] == [1.0]


def test_a_name_keeps_the_underscore_that_it_begins_with() -> None:
    told = said([prompt("_internal.py is generated by the release job.")])
    assert [one.text for one in told] == ["_internal.py is generated by the release job."]
    assert said([stop("x"), prompt("_We never rebase main._")])[0].text == "We never rebase main."
