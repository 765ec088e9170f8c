"""Decision records in the forms that teams use, and what is none."""

from __future__ import annotations

import pytest

from marrow.ingest.adr import Adr, adr_item, is_adr, read_adr
from marrow.ingest.adr_status import read_status
from marrow.ingest.placing import day
from marrow.model.moments import micros, moment

NYGARD = """# 4. Use SQLite

Date: 2026-03-01

## Status

Accepted

Superseded by [9. Use PostgreSQL](0009-use-postgresql.md)

## Context

One machine.

## Decision

We use SQLite.

## Consequences

No server.
"""
MADR_2 = """# Sign sessions with a key

* Status: accepted
* Deciders: Ada, [Joe](https://example.org/joe)
* Date: Dec 19, 2025

## Context and Problem Statement

Sessions are forged.

## Considered Options

* A cookie
* A key

## Decision Outcome

Chosen option: "A key", because it cannot be guessed.

### Positive Consequences

* Safe

### Negative Consequences

* Rotation

## Links

* Supersedes [ADR-0002](0002-cookies.md)
"""
MADR_4 = """---
status: "accepted"
date: 2026-02-03
decision-makers: [Ada, Joe]
superseded-by: ADR-0031
tags:
  - storage
---

# Use object storage

## Context and Problem Statement

Disks fill.

## Decision Outcome

Chosen option: "S3".

### Consequences

* Good, because it grows.
"""
COSMOS = """# ADR 012: State Accessors

## Changelog

* 2025 Sep 04: Initial draft
* 2025-10-02: Accepted by the team

## Status

ACCEPTED - Partially Implemented

## Context

The store is raw.

## Decision

We wrap it.

## Consequences

### Positive

* Types
"""
RST = """ADR 7: Plugins by entry points
==============================

:Status: Proposed
:Date: 1 March 2026

Context
-------

Plugins are copied.

Decision
--------

Entry points.
"""
LOG4BRAINS = """# Use Redis for the queue

- Status: draft
- Date: 2026-01-05
- Tags: queue, redis

## Context and Problem Statement

Jobs get lost.

## Decision Outcome

Redis streams.
"""
Y = """# Sharding

In the context of the orders service, facing 2 TB of rows, we decided for hash sharding and against ranges,
to achieve even load, accepting that range queries are slow.
"""
BOLD = "**Status**\n\nRejected\n\n**Context**\n\nSlow.\n\n**Decision**\n\nNo rewrite.\n"


def read(path: str, text: str) -> Adr:
    assert is_adr(path, text)
    return read_adr(path, text)


def test_nygards_form_with_the_links_of_adr_tools() -> None:
    found = read("doc/adr/0004-use-sqlite.md", NYGARD)
    assert (found.number, found.title, found.status, day(found.date)) == (4, "Use SQLite", "superseded", "2026-03-01")
    assert found.superseded_by == ("ADR-9",)
    assert (found.context, found.decision, found.consequences) == ("One machine.", "We use SQLite.", "No server.")


def test_madr_with_a_list_of_fields_and_links() -> None:
    found = read("docs/decisions/0003-sign-sessions.md", MADR_2)
    assert (found.number, found.status, day(found.date)) == (3, "accepted", "2025-12-19")
    assert found.deciders == ("Ada", "Joe")
    assert found.supersedes == ("ADR-2",)
    assert "cannot be guessed" in found.decision
    assert "Safe" in found.consequences
    assert "Rotation" in found.consequences
    assert "A cookie" in found.options


def test_madr_with_front_matter() -> None:
    found = read("docs/adr/0030-object-storage.md", MADR_4)
    assert (found.number, found.title, day(found.date)) == (30, "Use object storage", "2026-02-03")
    assert (found.status, found.superseded_by) == ("superseded", ("ADR-31",))
    assert (found.deciders, found.tags) == (("Ada", "Joe"), ("storage",))
    assert found.consequences == "* Good, because it grows."


def test_cosmos_form_is_dated_by_its_changelog() -> None:
    found = read("docs/architecture/adr-012-state-accessors.md", COSMOS)
    assert (found.number, found.title, found.status) == (12, "State Accessors", "accepted")
    assert found.implementation == "partially implemented"
    assert (day(found.date), day(found.changed)) == ("2025-10-02", "2025-10-02")


def test_restructured_text_with_fields() -> None:
    found = read("docs/decisions/plugins.rst", RST)
    assert (found.number, found.title, found.status, day(found.date)) == (
        7, "Plugins by entry points", "proposed", "2026-03-01",
    )  # fmt: skip
    assert (found.context, found.decision) == ("Plugins are copied.", "Entry points.")


def test_log4brains_names_files_by_their_day_and_has_no_numbers() -> None:
    found = read("docs/adr/20260105-use-redis.md", LOG4BRAINS)
    assert (found.number, found.names, found.status, found.tags) == (None, (), "draft", ("queue", "redis"))
    dated = read("docs/adr/20260107-formless.md", "We keep Redis.\n")
    assert (dated.number, day(dated.date), dated.title) == (None, "2026-01-07", "We keep Redis.")


def test_y_statements_are_taken_apart() -> None:
    found = read("docs/adr/0008-sharding.md", Y)
    assert found.context == "In the context of the orders service, facing 2 TB of rows"
    assert found.decision == "decided for hash sharding and against ranges"
    assert found.consequences == "to achieve even load, accepting that range queries are slow"


def test_bold_lines_are_headings_where_there_are_none() -> None:
    found = read("adr/5-rewrite.md", BOLD)
    assert (found.status, found.decision, found.title, found.number) == ("rejected", "No rewrite.", "Rewrite", 5)


def test_one_without_form_is_known_by_its_path_alone() -> None:
    found = read("docs/adr/0011-no-form-at-all.md", "we just keep it as it is, says joe\n" * 8)
    assert (found.number, found.status, found.date, found.decision) == (11, "", None, "")


def test_the_name_of_the_file_goes_before_a_copied_title() -> None:
    assert read("doc/adr/0016-uv.md", "# 10. Use uv\n\n## Status\n\nAccepted\n").number == 16
    assert read("doc/adr/2024-uv.md", "# ADR-10: Use uv\n\n## Status\n\nAccepted\n").number == 10


@pytest.mark.parametrize("text", [NYGARD, COSMOS, MADR_2, RST])
def test_the_form_alone_is_enough_elsewhere(text: str) -> None:
    assert is_adr("notes/some-thoughts.rst" if text is RST else "notes/some-thoughts.md", text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("docs/adr/README.md", "# Decisions\n\n* [ADR-1](0001-x.md)\n"),
        ("docs/adr/index.md", NYGARD),
        ("docs/adr/template.md", NYGARD),
        ("docs/adr/adr-template.md", NYGARD),
        ("docs/adr/0000-adr-template-long.md",
        "# [short title of solved problem and solution]\n\n* Status: [proposed | x | y]\n"),
        ("templates/nygard.md",
        "# NUMBER. TITLE\n\nDate: DATE\n\n## Status\n\nSTATUS\n\n## Context\n\n## Decision\n"),
        ("docs/architecture/adr-0.md", "# ADR {ADR-NUMBER}: {TITLE}\n\n## Status\n\n{DRAFT | PROPOSED}\n"),
        ("src/init.md",
        "# NUMBER. Record decisions\n\nDate: DATE\n\n## Status\n\nAccepted\n\n## Context\n\n## Decision\n"),
        ("docs/adr/0001-record.md",
        "# 1. Record decisions\n\nDate: DATE\n\n## Status\n\nAccepted\n\n## Context\n\nx\n\n## Decision\n\ny\n"),
        ("docs/adr/0002-form.md",
        "# Use a form\n\n## Status\n\nSTATUS\n\n## Context\n\nx\n\n## Decision\n\ny\n"),
        ("docs/decisions/minutes.md", "# Minutes\n\nWe talked.\n"),
        ("docs/guide.md", "# Guide\n\n## Status\n\nStable.\n\n## Context menu\n\nRight click.\n"),
        ("docs/how.md",
        "# How to decide\n\n```\n# 1. T\n## Status\n## Context\n## Decision\n## Consequences\n```\n"),
        ("adr/0001.py", "x = 1"),
    ],
)  # fmt: skip
def test_indexes_templates_and_other_documents_are_none(path: str, text: str) -> None:
    assert not is_adr(path, text)


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("Accepted", "accepted"), ("ACCEPTED - Implemented", "accepted"), ("accepted.", "accepted"),
        ("Approved", "accepted"),
        ("~~proposed~~ accepted", "accepted"), ("> Proposed", "proposed"), ("Under review", "proposed"),
        ("WIP", "draft"),
        ("Implemented", "accepted"), ("Superceded by ADR-3", "superseded"), ("Deprecated", "deprecated"),
        ("Accepted\n\nSuperseded by [x](0003-x.md)", "superseded"), ("Accepted, supersedes ADR-3", "accepted"),
        ("2025-01-01 proposed\n2025-02-01 accepted", "accepted"), ("Rejected (2025-03-01)", "rejected"),
        ("ABANDONED. Replacement is being discussed.", "abandoned"), ("proposed | accepted | rejected",
        "undecided"), ("", ""),
        ("not accepted yet, proposed", "proposed"), ("**Accepted**", "accepted"), ("`accepted`", "accepted"),
    ],
)  # fmt: skip
def test_a_status_is_read_in_many_spellings(said: str, name: str) -> None:
    assert read_status(said).name == name


def test_a_reference_to_an_issue_is_no_record_and_one_without_number_is_a_path() -> None:
    text = "# 5. X\n\n## Status\n\nSuperseded by [#11955](https://example.org/issues/11955)\n"
    assert read("doc/adr/0005-x.md", text).superseded_by == ()
    text = "# X\n\n## Status\n\nReplaced by [Redis](../adr/use-redis.md)\n"
    assert read("docs/adr/20260101-x.md", text).superseded_by == ("docs/adr/use-redis.md",)


def test_the_item_is_a_decision_that_is_found_by_its_names() -> None:
    item = adr_item("docs/architecture/adr-012-state-accessors.md", COSMOS, service="chain", digest="d", root="/repo")
    draft = item.draft
    assert (draft.kind, draft.domain, draft.service, draft.source) == ("decision", "decisions", "chain", "adr")
    assert draft.content == COSMOS
    assert set(draft.aliases) == {"ADR-12", "ADR-012", "ADR-0012"}
    assert f"{draft.at:%Y-%m-%d}" == "2025-10-02"
    assert draft.metadata == {
        "path": "docs/architecture/adr-012-state-accessors.md",
        "title": "State Accessors",
        "number": 12,
        "status": "accepted",
        "status_said": "ACCEPTED - Partially Implemented",
        "implementation": "partially implemented",
        "date": "2025-10-02",
        "decision": "We wrap it.",
    }
    assert [anchor.target for anchor in draft.anchors] == ["docs/architecture/adr-012-state-accessors.md"]
    assert (item.path, item.digest, item.problem) == ("docs/architecture/adr-012-state-accessors.md", "d", "")


def test_what_the_caller_says_goes_first_and_without_a_root_nothing_is_anchored() -> None:
    item = adr_item("a/adr/0001-x.md", "# 1. X\n\nDate: 01/02/2026\n", title="Our X", status="Approved")
    assert item.draft.metadata["title"] == "Our X"
    assert item.draft.metadata["status"] == "accepted"
    assert item.draft.anchors == ()
    assert "read as 2026-02-01" in item.problem


def test_a_day_that_has_not_come_is_no_time_of_saying() -> None:
    item = adr_item("adr/0001-x.md", "# 1. X\n\nDate: 2026-03-01\n", now=micros(moment(0)) + 1)
    assert item.draft.at is None
    assert item.draft.metadata["date"] == "2026-03-01"


@pytest.mark.parametrize(
    "piece",
    [
        "in the context of facing decided ",
        "# ",
        "* Status: ",
        "<!--",
        "superseded by ",
        "[x](",
        "**a**\n",
        "~~",
        "1. ",
        "|",
        "- ",
    ],
)
def test_hostile_texts_are_read_in_bounded_time(piece: str) -> None:
    text = "# 1. X\n\n## Status\n\n" + piece * 60_000
    assert read_adr("adr/0001-x.md", text).number == 1


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (
            "## Status: ARCHIVED\n\n## Changelog\n\n* 2021-12-06: Initial Draft\n\n## Status\n\nAccepted. Begun.\n",
            "archived",
        ),
        ("## Status\n\nRejected\n\n## Notes\n\nNone.\n\n## Status\n\nDRAFT\n", "rejected"),
        ("## Status: Accepted\n\nSuperseded by ADR-7\n", "superseded"),
        ("## Status - proposed\n\n### Accepted by some\n\nText.\n", "proposed"),
        ("## Current status\n\nArchived\n", "archived"),
        ("## Status-quo\n\nWe deprecated the old format.\n\n## Status\n\nAccepted\n", "accepted"),
        ("## Status - quo\n\nIt is slow.\n\n## Status\n\nAccepted\n", "accepted"),
        ("## Current status: rejected ideas\n\nNone.\n\n## Status\n\nAccepted\n", "accepted"),
        ("## Current status\n\nThe vendor was replaced.\n\n## ADR status\n\nAccepted\n", "accepted"),
    ],
)
def test_the_first_heading_about_the_status_counts(head: str, status: str) -> None:
    text = f"# ADR 050: Sign text\n\n{head}\n## Decision\n\nWe sign text.\n"
    assert read_adr("docs/architecture/adr-050-text.md", text).status == status


def test_a_day_at_the_beginning_of_the_line_below_the_title_is_its_date() -> None:
    text = (
        "# Flags: use our own table\n\n{} / Ann, with Bob\n**Superseded by 0015. Kept for the record.**\n\nToo dear.\n"
    )
    assert day(read_adr("decisions/0013-flags.md", text.format("2026-03-24")).date) == "2026-03-24"
    assert day(read_adr("decisions/0013-flags.md", text.format("*24 March 2026*")).date) == "2026-03-24"
    later = "# Flags\n\nThe contract ends on 30 April 2026, so we make a table of our own.\n"
    assert read_adr("decisions/0013-flags.md", later).date is None
    outage = "# Flags\n\n2026-03-24 was the outage that led to this.\n"
    assert read_adr("decisions/0013-flags.md", outage).date is None
    assert day(read_adr("decisions/0013-flags.md", "# Flags\n\n2026-03-24 by Ann\n\nToo dear.\n").date) == "2026-03-24"


def test_a_day_that_no_calendar_has_is_told() -> None:
    text = "# 4. Pears\n\nDate: 31.02.2025\n\n## Status\n\nAccepted\n"
    item = adr_item("docs/adr/0004-pears.md", text)
    assert item.problem == "'31.02.2025' is no date, and was left out"
    assert "date" not in item.draft.metadata
    assert adr_item("docs/adr/0004-pears.md", text.replace("31.02.2025", "YYYY-MM-DD")).problem == ""
