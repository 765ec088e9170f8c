"""RFCs and design documents that say how they stand are decisions, and no decision records of the same number."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.app import open_memory
from marrow.ingest.adr import is_adr, read_adr
from marrow.ingest.mentions import DECISION, PATH, mentions
from marrow.model.moments import moment

TABLE = "# RFC 12: One queue\n\n| | |\n|---|---|\n| Status | Accepted |\n| Author | Ada |\n\n## Summary\n\nOne queue.\n"
MATTER = "---\ntitle: A cache\nstatus: rejected\n---\n\n# A cache\n\n## Design\n\nKeep labels.\n"
SECTION = "# One queue\n\n## Status\n\nSuperseded by [RFC 13](0013-two.md), see RFC 13\n\n## Design\n\nOne.\n"


@pytest.mark.parametrize(
    ("path", "text", "status"),
    [
        ("rfcs/0012-queue.md", TABLE, "accepted"),
        ("docs/design-docs/cache.md", MATTER, "rejected"),
        ("docs/RFC/0012-queue.md", SECTION, "superseded"),
        ("rfcs/cedar.md", "---\nstate: accepted\n---\n\n# Cedar\n\nUse cedar.\n", "accepted"),
        ("rfcs/oak.md", "# Oak\n\n## Current status\n\nIn review until May.\n", "proposed"),
        ("rfc/file.md", "# Une file\n\nStatut : Accepté\n\n## Résumé\n\nUne seule.\n", "accepted"),
    ],
)
def test_a_proposal_that_says_how_it_stands_is_a_decision_with_no_number_of_a_record(
    path: str, text: str, status: str
) -> None:
    assert is_adr(path, text)
    found = read_adr(path, text)
    assert found.status == status
    assert (found.number, found.superseded_by) == (None, ())
    assert not [name for name in found.names if name.startswith("ADR")]


STAGED = "---\nstage: {}\nstart-date: 2020-04-22T00:00:00.000Z\nrelease-date: # FIXME\n---\n\n# Summary\n\nOak.\n"
COLUMNS = """| Authors | Creation Date | Status | Extra |
|---|---|---|---|
| @ada | 2024-11-07 | Implementable | - |
| @bob | | Implementable | - |

# One queue

Words.
"""
UNSAID = "# One queue\n\n## Motivation\n\nTwo.\n\n## Detailed design\n\nOne.\n\n## Drawbacks\n\nNone.\n"


@pytest.mark.parametrize(
    ("stage", "status"),
    [
        ("exploring", "draft"),
        ("accepted # FIXME: This may be a further stage", "accepted"),
        ("ready-for-release", "accepted"),
        ("Ready for release", "accepted"),
        ("released", "accepted"),
        ("recommended", "accepted"),
        ("discontinued", "abandoned"),
        ("closed", "rejected"),
    ],
)
def test_the_stage_of_an_rfc_says_how_it_stands(stage: str, status: str) -> None:
    path, text = "text/0617-rfc-stages.md", STAGED.format(stage)
    assert is_adr(path, text)
    found = read_adr(path, text)
    assert (found.status, found.title, found.names) == (status, "0617 rfc stages", ("RFC-617", "RFC-0617"))
    assert found.date is not None
    assert moment(found.date.at).strftime("%Y-%m-%d") == "2020-04-22"


def test_an_rfc_that_says_only_when_it_was_released_is_of_then() -> None:
    text = (
        STAGED.format("released")
        .replace("2020-04-22T00:00:00.000Z", "# FIXME")
        .replace("# FIXME\n---", "2021-01-02\n---")
    )
    found = read_adr("text/0617-rfc-stages.md", text)
    assert found.date is not None
    assert moment(found.date.at).strftime("%Y-%m-%d") == "2021-01-02"


def test_a_table_with_a_column_for_each_says_how_a_design_stands() -> None:
    assert is_adr("designs/queue.md", COLUMNS)
    found = read_adr("designs/queue.md", COLUMNS)
    assert (found.title, found.status, found.deciders) == ("One queue", "accepted", ("@ada", "@bob"))
    assert found.date is not None
    assert moment(found.date.at).strftime("%Y-%m-%d") == "2024-11-07"


@pytest.mark.parametrize("path", ["text/0012-queue.md", "rfcs/rfc-012-queue.md", "docs/proposals/20180604-queue.md"])
def test_a_numbered_rfc_that_says_no_status_is_a_decision_without_one(path: str) -> None:
    assert is_adr(path, UNSAID)
    assert (read_adr(path, UNSAID).status, read_adr(path, UNSAID).title) == ("", "One queue")


def test_a_title_with_the_braces_of_a_template_language_is_no_form_to_fill_in() -> None:
    assert is_adr("text/0471-on.md", STAGED.format("released").replace("# Summary", "# `{{on}}` modifier"))


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("text/0012-queue.md", "# One queue\n\nIt was one queue, and then two.\n"),
        ("text/post.md", "---\nauthor: Ada\nstatus: draft\n---\n\n# A post\n\nWords.\n"),
        ("text/queue.md", UNSAID),
        ("docs/0012-queue.md", UNSAID),
        ("designs/queue.md", "---\nstatus: accepted\n---\n\n# Posters\n\nColours.\n"),
        (
            "designs/list.md",
            "| Author | Status |\n|---|---|\n| a | Accepted |\n| b | Rejected |\n\n# List\n\nOf all.\n",
        ),
        ("designs/template.md", COLUMNS),
    ],
)
def test_prose_without_the_form_of_a_proposal_is_a_document(path: str, text: str) -> None:
    assert not is_adr(path, text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("docs/0012-queue.md", TABLE),
        ("docs/cache.md", MATTER),
        ("rfcs/notes.md", "# Notes\n\nThe status of queues is bad.\n"),
        ("rfcs/README.md", TABLE),
        ("design-docs/nodes.md", "# Nodes\n\nThey have a status.\n\n## State\n\nEach node keeps the current epoch.\n"),
        ("design-docs/page.md", "# Page\n\n## Status\n\nThe status page shows open incidents.\n"),
        ("rfcs/0000-template.md", TABLE),
        ("rfcs/0013-two.md", TABLE.replace("Accepted", "Proposed / Accepted / Rejected")),
        ("rfcs/rfc7231.txt", "# HTTP\n\n## Status of This Memo\n\nThis is an Internet Standards Track document.\n"),
    ],
)
def test_a_proposal_needs_both_its_folder_and_its_status(path: str, text: str) -> None:
    assert not is_adr(path, text)


def test_a_record_among_proposals_keeps_its_number() -> None:
    assert read_adr("rfcs/adr-0012-queue.md", TABLE).number == 12
    assert read_adr("rfcs/0012-queue.md", TABLE.replace("RFC", "ADR")).number == 12


def test_a_folder_of_records_among_proposals_holds_records() -> None:
    record = "# 7. Cedar\n\n## Status\n\nAccepted\n\nSupersedes [2. Oak](0002-oak.md)\n\n## Decision\n\nCedar.\n"
    for folder in ("services/rfc/docs/adr", "rfcs/decisions"):
        found = read_adr(f"{folder}/0007-cedar.md", record)
        assert (found.number, found.supersedes) == (7, ("ADR-2",))
        assert (DECISION, "2") in [(one.what, one.name) for one in mentions(record, f"{folder}/0007-cedar.md")]


def test_the_file_of_a_proposal_names_no_record_of_its_number() -> None:
    named = mentions("This replaces 0011-old.md.", "rfcs/0012-queue.md")
    assert [(one.what, one.name) for one in named] == [(PATH, "0011-old.md")]
    named = mentions("This replaces rfcs/0011-old.md, not docs/adr/0013-x.md.", "docs/adr/0012-queue.md")
    assert [(one.what, one.name) for one in named if one.what == DECISION] == [(DECISION, "13")]


def test_a_proposal_takes_the_place_of_another_and_leaves_the_record_of_that_number(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    files = {
        "docs/adr/0011-cedar.md": "# 11. Cedar\n\n## Status\n\nAccepted\n\n## Decision\n\nUse cedar.\n",
        "rfcs/0011-old.md": TABLE.replace("12: One", "11: Two"),
        "rfcs/0012-queue.md": f"{TABLE}\nThis replaces 0011-old.md.\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    with open_memory(root, store=str(tmp_path / "marrow.db"), project="orchard", embedder="fake") as memory:
        memory.ingest_codebase(str(root))
        assert {one.title for one in memory.get_architectural_decisions().items} == {"Cedar", "RFC 12: One queue"}
        (old,) = memory.get_architectural_decisions(status="superseded").items
        assert old.path == "rfcs/0011-old.md"


def test_in_lists_a_proposal_is_told_by_its_summary() -> None:
    text = STAGED.format("released") + "\n# Motivation\n\nPine was soft.\n"
    assert read_adr("text/0617-rfc-stages.md", text).decision == "Oak."
