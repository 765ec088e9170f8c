"""The local forms: a summary that tells something, topics that name it, and the form of a decision record."""

from __future__ import annotations

import pytest

from marrow.derive.local import SUMMARY_LENGTH_MAX, is_decision, summary_of, symbols_of, topics_of
from marrow.model.adr_form import is_adr

README = (
    """---
title: Orchard
---
# Orchard

[![build](badge.svg)](ci)

Orchard plans the harvest of apple trees. It reads the weather and the age of each tree.

## Install

```
pip install orchard
```

"""
    + "More text follows here. " * 30
)
CODE = (
    '''"""The press: apples in, juice out.

It is cleaned after each run.
"""

import os


def press(apples):
    return apples
'''
    + "# more\n" * 60
)
GO = "// Package press turns apples into juice.\npackage press\n\nfunc Press() {}\n" + "// more\n" * 60
ADR = """# 7. Use SQLite

Date: 2024-01-02

## Status

Accepted

## Context

We need a store.

## Decision

We use SQLite.
"""
MADR = """---
status: accepted
---
# Use SQLite as the store

## Context and Problem Statement

Where is it kept?

## Considered Options

* SQLite
* PostgreSQL

## Decision Outcome

Chosen option: SQLite.
"""


def test_short_text_is_its_own_summary() -> None:
    assert summary_of("The press\nis broken.") == "The press is broken."


@pytest.mark.parametrize(
    ("text", "kind", "told"),
    [
        (
            README,
            "document",
            "Orchard plans the harvest of apple trees. It reads the weather and the age of each tree.",
        ),
        (CODE, "code", "The press: apples in, juice out. It is cleaned after each run."),
        (GO, "code", "Package press turns apples into juice."),
    ],
)
def test_summary_is_the_first_sentences_that_tell_something(text: str, kind: str, told: str) -> None:
    assert summary_of(text, kind).startswith(told)


@pytest.mark.parametrize(
    "text", ["word" * 500, "a b " * 1000, "\n" * 500 + "x", "# h\n" * 300, "```\n" * 100 + "y" * 900]
)
def test_summary_is_never_longer_than_it_may_be(text: str) -> None:
    for kind in ("document", "code", "log"):
        assert len(summary_of(text, kind)) <= SUMMARY_LENGTH_MAX


def test_topics_are_names_and_rare_words_and_not_the_common_ones() -> None:
    text = "# Retry queue\n\nThe `RetryQueue` gives up when retry_limit is reached. It would then make this available."
    found = [topic.lower() for topic in topics_of(text)]
    assert {"retryqueue", "retry_limit", "queue"} <= set(found)
    assert not {"would", "available", "make"} & set(found)
    assert topics_of("") == []


@pytest.mark.parametrize("text", [ADR, MADR, ADR.replace("## ", "### "), ADR.replace("# 7. Use", "# ADR-007: Use")])
def test_decision_record_is_known_by_its_form(text: str) -> None:
    assert is_decision(text)


@pytest.mark.parametrize(
    "text",
    [
        README,
        CODE,
        "",
        "# Meeting\n\n## Decision\n\nLunch at noon.\n",
        "# NUMBER. TITLE\n\nDate: DATE\n\n## Status\n\nSTATUS\n\n## Context\n\nx\n\n## Decision\n\ny\n",
        "# NUMBER. Record decisions\n\nDate: DATE\n\n## Status\n\nAccepted\n\n## Context\n\nx\n\n## Decision\n\ny\n",
        "# Guide\n\n## Context\n\nThe status is green.\n\n## Usage\n\nDecide for yourself.\n",
    ],
)
def test_what_only_speaks_of_decisions_is_none(text: str) -> None:
    assert not is_decision(text)


def test_path_helps_where_the_form_is_short_and_its_readme_is_none() -> None:
    short = "# Use SQLite\n\n## Decision\n\nWe use SQLite.\n"
    assert not is_adr("", short)
    assert is_adr("docs/adr/0007-use-sqlite.md", short)
    assert not is_adr("docs/adr/README.md", ADR)
    assert not is_adr("docs/adr/template.md", ADR)


def test_symbols_are_what_a_file_declares() -> None:
    assert symbols_of("def press(apples):\n    return apples\n", "src/press.py") == ["function press"]
    assert symbols_of("anything", "notes.unknown") == []
