"""Where in a decision record what was decided stands."""

from __future__ import annotations

import pytest

from marrow.ingest.adr_layout import layout


def parts(text: str, path: str = "docs/adr/0001-x.md") -> tuple[str, str]:
    laid = layout(path, text)
    decision = text[slice(*laid.decision)] if laid.decision else ""
    return text[laid.body :].split("\n", 1)[0], decision.strip()


@pytest.mark.parametrize(
    ("text", "body", "decision"),
    [
        (
            "# 1. Queue\n\nDate: 2026-01-01\n\n## Status\n\nAccepted\n\n"
            "## Context\n\nSlow.\n\n## Decision\n\nA queue.\n",
            "## Context",
            "## Decision\n\nA queue.",
        ),
        (
            "# Queue\n\n* Deciders:\n  * Ann\n  * Bob\n\n## Context\n\nSlow.\n\n"
            "## Decision Outcome\n\n### B) A queue\n\n## Links\n\n* more\n",
            "## Context",
            "## Decision Outcome\n\n### B) A queue",
        ),
        ("# Queue\n\nIn short: we queue.\nIt is slow.\n\n## Status\n\nDone\n", "It is slow.", ""),
        (
            "---\nstatus: accepted\n---\n\nQueue\n=====\n\n"
            "Context\n-------\n\nSlow.\n\nDecision\n--------\n\nA queue.\n",
            "Context",
            "Decision\n--------\n\nA queue.",
        ),
        (
            "# Queue\n\n## Proposal: take a queue\n\nIt waits.",
            "## Proposal: take a queue",
            "## Proposal: take a queue\n\nIt waits.",
        ),
        ("", "", ""),
        ("One line that says all", "One line that says all", ""),
    ],
)
def test_the_head_ends_where_something_is_said_and_the_decision_has_its_heading(
    text: str, body: str, decision: str
) -> None:
    assert parts(text) == (body, decision)


def test_what_follows_a_decision_belongs_to_it_unless_it_says_who_and_when() -> None:
    text = "# Q\n\n## Decision\n\nA queue.\n\n## Consequences\n\nIt waits.\n\n## Status\n\nDone\n"
    laid = layout("adr/1-q.md", text)
    assert text[laid.follows :].startswith("## Status")
    assert [text[start:end].split("\n")[0] for start, end in laid.frames] == ["## Status"]


def test_what_a_template_says_of_its_fields_is_no_beginning() -> None:
    comment = "<!---\nDirections for above:\n\nstage: Leave as is\n-->"
    text = f"---\nstage: released\n---\n\n{comment}\n\n# Queue\n\nOne queue.\n"
    assert parts(text, "text/0012-queue.md")[0] == "One queue."
