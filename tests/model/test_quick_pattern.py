"""Patterns that a repository brings: those that end in time, and those that need not."""

from __future__ import annotations

import re
import time

import pytest

from marrow.model.errors import Invalid
from marrow.model.quick_pattern import check_quick, made_quick

QUICK = (
    r"LAMP-[0-9]+",
    r"ORC-\d{1,9}-\d",
    r"(?i)customer\s{0,5}[:=]\s{0,5}(?P<secret>\S+)",
    r"\b(?:emp|usr)-[a-f0-9]{32}\b",
    r"\d{4}(?:-\d{4}){3}",
    r"acme_[a-z]+?",
    "",
    r"[A-Z]{2}\d{2}(?: ?\d{4}){4} ?\d{1,4}",
    r"(?: ?\d{4})+",
    r"a{1,200}+b",
    r"(?>a{1,200})b",
    r"(?i)[a-z]{1,200}!",
    r"(?:a|a){6}b",
    r"(?:a{1,5}){1,3}b",
    r"\b(?:alpha|beta|gamma|delta)_key=\w{1,40}\b",
)
# What a project may have written before its patterns were looked at: with what it is now.
ENDED = (
    (r"\bsk_[a-z]+\b", r"\bsk_[a-z]{1,200}\b", "sk_live"),
    (r"corp-\w+-\w{8}", r"corp-\w{1,200}-\w{8}", "corp-x-12345678"),
    (r"emp(loyee)?[ _-]?id[:=]\s*\d+", r"emp(loyee)?[ _-]?id[:=]\s{0,100}\d+", "employee_id: 42"),
    ("a++b", "a{1,200}+b", "aab"),
    ("(?>a+)b", "(?>a{1,200})b", "aab"),
    (r"[]*+]+?x\++y", r"[]*+]{1,10}?x\+{1,10}y", "]*x+y"),
    (r"x{2,}y*+z", r"x{2,25}y{0,25}+z", "xxyyz"),
    (r"x(?=a+)", r"x(?=a{1,200})", "x"),
    (r"k\s*(?P<secret>\S+)", r"k\s{0,100}(?P<secret>\S+)", "k  v"),
    (r"a?+b+c", r"a?+b{1,200}c", "abbc"),
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
    "(?:a|a){10}b",
    "a++b",
    r"(a{1,99})\1b",
)


@pytest.mark.parametrize("pattern", QUICK)
def test_a_pattern_that_ends_in_time_is_taken(pattern: str) -> None:
    check_quick([pattern], "redact.extra", ".marrow.toml")
    for text in (pattern * 20_000, "a" * 200_000, "LAMP-" * 40_000, " " * 200_000, "1-" * 100_000):
        started = time.perf_counter()
        re.sub(pattern, "", text)
        assert time.perf_counter() - started < 4  # a fifth of that where nothing else runs


@pytest.mark.parametrize("pattern", SLOW)
def test_a_pattern_that_a_text_could_keep_busy_for_ever_is_refused(pattern: str) -> None:
    with pytest.raises(Invalid, match="busy for ever") as caught:
        check_quick(["fine", pattern], "redact.extra", ".marrow.toml")
    assert "{1,40}" in caught.value.hint


def test_many_patterns_count_together() -> None:
    check_quick([r"x\d{1,30}y"] * 20, "redact.extra", ".marrow.toml")
    with pytest.raises(Invalid):
        check_quick([r"x\d{1,30}y"] * 600, "redact.extra", ".marrow.toml")


@pytest.mark.parametrize(("pattern", "ended", "text"), ENDED)
def test_a_repeat_without_an_end_gets_one_where_a_file_has_it(pattern: str, ended: str, text: str) -> None:
    left_out: list[str] = []
    assert made_quick([pattern], "redact.extra", left_out) == (ended,)
    assert left_out == []
    found = re.search(ended, f"{text}a")
    assert found is not None
    assert found[0] == re.search(pattern, f"{text}a")[0]  # type: ignore[index]
    check_quick([ended], "redact.extra", ".marrow.toml")


def test_a_pattern_that_cannot_be_made_quick_is_left_out_and_the_others_stay() -> None:
    left_out: list[str] = []
    assert made_quick(["one", "(a+)+$", "two"], "redact.extra in x", left_out) == ("one", "two")
    (said,) = left_out
    assert said.startswith("redact.extra in x is without '(a+)+$'")
    assert len(made_quick([r"x\d{1,30}y"] * 600, "redact.extra", left_out)) < 100
