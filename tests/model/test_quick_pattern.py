"""Patterns that a repository brings: those that end in time, and those that need not."""

from __future__ import annotations

import re
import time

import pytest

from marrow.model.errors import Invalid
from marrow.model.quick_pattern import check_quick

QUICK = (
    r"LAMP-[0-9]+",
    r"ORC-\d{1,9}-\d",
    r"(?i)customer\s{0,5}[:=]\s{0,5}(?P<secret>\S+)",
    r"\b(?:emp|usr)-[a-f0-9]{32}\b",
    r"\d{4}(?:-\d{4}){3}",
    r"acme_[a-z]+?",
    "",
)
SLOW = (
    r"(a+)+$",
    r"(a|a)*$",
    r"(a|aa)+$",
    r"a*a*a*!",
    r"a+!",
    r"(?=.*x)a",
    r"(?:a{0,50}){0,50}!",
    r"a{0,99}a{0,99}!",
    r"(?:(?:a{1,3}){1,3}){1,9}!",
    r"a{3000}",
    r"(?:a?){30}a{30}",
    "a?" * 30 + "a" * 30,
)


@pytest.mark.parametrize("pattern", QUICK)
def test_a_pattern_that_ends_in_time_is_taken(pattern: str) -> None:
    check_quick([pattern], "redact.extra", ".marrow.toml")
    for text in (pattern * 20_000, "a" * 200_000, "LAMP-" * 40_000, " " * 200_000, "1-" * 100_000):
        started = time.perf_counter()
        re.sub(pattern, "", text)
        assert time.perf_counter() - started < 10


@pytest.mark.parametrize("pattern", SLOW)
def test_a_pattern_that_a_text_could_keep_busy_for_ever_is_refused(pattern: str) -> None:
    with pytest.raises(Invalid, match="busy for ever") as caught:
        check_quick(["fine", pattern], "redact.extra", ".marrow.toml")
    assert "{1,40}" in caught.value.hint


def test_many_patterns_count_together() -> None:
    check_quick([r"x\d{1,30}y"] * 60, "redact.extra", ".marrow.toml")
    with pytest.raises(Invalid):
        check_quick([r"x\d{1,30}y"] * 600, "redact.extra", ".marrow.toml")
