"""The sieve: it may suspect what is none, and must never pass over what `redact` would take."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import marrow
from marrow.model import sieve
from marrow.model.redact import Redacted, RedactedValue, redact, redact_value
from marrow.model.secrets import RULES

from .secret_corpus import CORPUS, STAYS

PIECES = [
    *sorted(sieve.CHECKS),
    *"= : := => -> ( , is was \" ' ` \\ \n \t @ _prod -2 - hunter2x9 x- j net_ [redacted:secret]".split(" "),
    *("<private>", "</private>"),
    *(place.format(secret) for _, place, secret in CORPUS),
    *STAYS,
]
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=6).map("".join)


def test_every_literal_of_every_rule_has_its_check() -> None:
    assert {literal for rule in RULES if rule.folded for literal in rule.literals} == set(sieve.FOLDED)
    assert {literal for rule in RULES if not rule.folded for literal in rule.literals} == set(sieve.CASED)
    assert sieve.FOLDED.keys().isdisjoint(sieve.CASED)


@pytest.mark.parametrize(("rule", "place", "secret"), CORPUS)
def test_every_secret_is_suspected(rule: str, place: str, secret: str) -> None:
    assert sieve.suspects_text(place.format(secret))
    assert sieve.suspects({"output": [{"text": f"Before.\n{place.format(secret)}\nAfter."}]})


@pytest.mark.parametrize(
    "text",
    [
        "All 42 tests passed in 3.1 s; the passage about keys, tokens and sessions is next.",
        "def keyed(items): return sorted(items, key=lambda item: item.name)",
        "https://example.org/docs/tokens.html#session",
        "git log --oneline --graph -- src/passes.py",
        "self.assertEqual(first.second.third, 'a.b.c')",
        "curl -s https://example.org/status",
        "import os.path; os.path.join('disk-usage', 'task-list')",
    ],
)
def test_ordinary_work_is_not_suspected(text: str) -> None:
    assert not sieve.suspects_text(text)


@given(TEXTS)
def test_text_that_is_not_suspected_has_nothing_to_redact(text: str) -> None:
    if not sieve.suspects_text(text):
        assert redact(text) == Redacted(text)


_VALUES = st.recursive(
    TEXTS | st.none() | st.booleans() | st.integers(0, 9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["token", "PASSWORD", "api-key", "name", "key", "value", "text", "maxTokens"]),
            inner,
            max_size=3,
        )
        | inner.map(lambda item: ["--token", item])
    ),
    max_leaves=5,
)


@given(_VALUES)
def test_value_that_is_not_suspected_has_nothing_to_redact(value: object) -> None:
    if not sieve.suspects(value):
        assert redact_value(value) == RedactedValue(value)


@given(st.lists(TEXTS, max_size=5))
def test_of_many_texts_all_are_suspected_that_are_alone(texts: list[str]) -> None:
    assert {text for text in texts if sieve.suspects_text(text)} <= set(sieve.suspected(texts))


def test_what_is_nested_too_deeply_is_suspected() -> None:
    value: object = "x"
    for _ in range(sieve.DEEPEST + 1):
        value = [value]
    assert sieve.suspects(value)
    assert redact_value(value).total == 1


def test_the_sieve_loads_no_regular_expressions() -> None:
    program = f"import sys; sys.path.append({str(Path(marrow.__file__).parents[1])!r}); import marrow.model.sieve\n"
    program += "print(*sys.modules)"
    run = subprocess.run([sys.executable, "-I", "-S", "-c", program], capture_output=True, text=True, check=True)
    assert "marrow.model.sieve" in run.stdout.split()
    assert {"re", "typing", "enum", "functools"}.isdisjoint(run.stdout.split())
