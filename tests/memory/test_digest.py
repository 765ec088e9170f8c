"""The text of a summary: sentences, exact values, coverage."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.memory.digest import (
    CLAUSE_LENGTH_MAX,
    SUMMARY_TOKENS,
    corpus_of,
    coverage,
    extract,
    missing,
    preserved,
    sentences,
)
from marrow.model.text import token_estimate

TEXTS = st.lists(st.text(min_size=1, max_size=200), min_size=2, max_size=8)


def test_coverage_is_the_weighted_share_of_terms_and_rare_terms_weigh_more() -> None:
    corpus = corpus_of(["cache warms", "cache cools", "cache drains"])
    # ln(1+3/3) for cache, ln(1+3/1) for each of the others.
    assert coverage(corpus, "cache") == pytest.approx(0.6931 / (0.6931 + 3 * 1.3863), abs=1e-3)
    assert coverage(corpus, "warms") > coverage(corpus, "cache")
    assert coverage(corpus, "cache warms cools drains") == 1.0
    assert coverage(corpus, "something else") == 0.0


def test_words_that_say_nothing_neither_help_nor_harm_coverage() -> None:
    corpus = corpus_of(["because of the cache", "it was before this queue"])
    assert coverage(corpus, "cache queue") == 1.0
    assert coverage(corpus, "because of the it was before this") == 0.0


@given(TEXTS, st.text(max_size=300))
def test_coverage_stays_between_none_and_all_and_more_text_never_lowers_it(texts: list[str], kept: str) -> None:
    corpus = corpus_of(texts)
    some = coverage(corpus, kept)
    assert 0.0 <= some <= coverage(corpus, kept + "\n" + texts[0]) <= 1.0
    assert coverage(corpus, "\n".join(texts)) == 1.0


@pytest.mark.parametrize(
    "clause",
    [
        "The pool holds 20 connections",
        "We run PostgreSQL v17.2 in production",
        "The rules live in src/orchard/rules.py",
        "Open https://example.org/runbook first",
        "Set ORCHARD_MODE=strict in the shell",
        "Set mode = strict for the import",
        "retry_policy: exponential for every client",
        "Pass --force-reindex to rebuild",
        "Edit settings.toml by hand",
        "Run `make ship` to release",
        "端口是5432",
    ],
)
def test_a_clause_with_an_exact_value_is_preserved(clause: str) -> None:
    assert preserved([f"Nothing exact here\n{clause}\nAnd nothing there"], "A summary.") == (clause,)


@pytest.mark.parametrize(
    "text", ["The team prefers small functions", "Note: be kind", "read/write access", "It works, e.g. for tests"]
)
def test_plain_prose_is_not_preserved(text: str) -> None:
    assert preserved([text], "A summary.") == ()


def test_a_clause_that_the_summary_already_says_is_not_preserved_again() -> None:
    assert preserved(["The pool holds 20 connections."], "Since May the pool holds 20 connections.") == ()


def test_the_same_number_about_something_else_does_not_count_as_said() -> None:
    assert preserved(["The pool holds 20 connections."], "We have 20 engineers.") == ("The pool holds 20 connections.",)
    assert preserved(["The pool holds 20 connections."], "The pool holds 200 connections.") != ()
    both = "The pool holds 20 connections for 30s."
    assert preserved([both], "The pool holds 20 connections for 40s.") == (both,)
    assert preserved([both], "The pool holds 25 connections for 30s.") == (both,)


def test_a_clause_is_preserved_once_however_often_it_is_said() -> None:
    assert preserved(["Port 5432.", "port  5432", "- Port 5432"], "A summary.") == ("Port 5432.",)


def test_a_long_clause_is_cut_to_the_stretches_around_its_values() -> None:
    long = "word " * 60 + "timeout=30s " + "word " * 60 + "retries=5 " + "word " * 60
    found = preserved([long], "A summary.")
    assert all(len(piece) <= CLAUSE_LENGTH_MAX for piece in found)
    assert "timeout=30s" in found[0]
    assert "retries=5" in found[-1]


@given(TEXTS, st.text(max_size=100))
def test_preserved_clauses_are_short_and_whole_values_survive(texts: list[str], summary: str) -> None:
    assert all(0 < len(piece) <= CLAUSE_LENGTH_MAX for piece in preserved(texts, summary))


@given(st.lists(st.integers(10_000, 99_999), min_size=1, max_size=20, unique=True), st.integers(0, 60))
def test_no_number_is_lost_from_long_lines(numbers: list[int], padding: int) -> None:
    line = " ".join(f"{'filler ' * padding}value{number}" for number in numbers)
    kept = " ".join(preserved([line], "A summary."))
    assert all(f"value{number}" in kept for number in numbers)


def test_the_extract_keeps_the_order_of_the_texts_and_says_nothing_twice() -> None:
    texts = [
        "The importer reads bundles from the queue.",
        "The importer reads bundles from the queue!",
        "Bundles are signed with the release key.",
        "The queue drains every night.",
    ]
    found = extract(corpus_of(texts))
    assert found.count("importer") == 1
    assert found.index("importer") < found.index("signed") < found.index("drains")


@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1, max_size=400), min_size=1, max_size=20))
def test_the_extract_is_bounded_never_empty_and_repeatable(texts: list[str]) -> None:
    found = extract(corpus_of(texts))
    assert token_estimate(found) <= SUMMARY_TOKENS + 2
    assert found.strip()
    assert found == extract(corpus_of(texts))


def test_sentences_drop_the_marks_of_lists_and_the_heading_of_an_earlier_summary() -> None:
    assert sentences("# Title\n- one\n2. two\n\nExact values:\n- three. Four") == [
        "Title",
        "one",
        "two",
        "three.",
        "Four",
    ]


def test_what_is_missing_is_named_as_it_was_written() -> None:
    corpus = corpus_of(["Kubernetes upgrades failed", "Kubernetes pods restarted"])
    assert missing(corpus, "nothing", 1) == ("Kubernetes",)
    assert missing(corpus, "kubernetes upgrades failed; pods restarted", 3) == ()


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ["a1", "/", "x.", "`", "a=", "1, ", "5. ", "ab "])
def test_a_huge_text_without_a_break_is_digested(unit: str) -> None:
    texts = [unit * (300_000 // len(unit)), "The pool holds 20 connections."]
    found = preserved(texts, "A summary.")
    assert "The pool holds 20 connections." in found
    assert all(len(piece) <= CLAUSE_LENGTH_MAX for piece in found)
    assert token_estimate(extract(corpus_of(texts))) <= SUMMARY_TOKENS + 2
