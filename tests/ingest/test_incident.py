"""Incidents from post-mortems and from the fields of a form."""

from __future__ import annotations

import pytest

from marrow.ingest.incident import incident_item, incident_of, is_incident, read_incident
from marrow.ingest.placing import day
from marrow.ingest.severity import read_severity
from marrow.model.errors import Invalid

REPORT = """# Postmortem: checkout down (INC-42)

* Date: 2026-03-01
* Severity: SEV-1
* Status: resolved
* Affected services: checkout, payments

## Summary

Checkout failed for half an hour.

## Impact

4,000 orders lost.

## Timeline (UTC)

- 23:40 Deploy of 2.3 begins
- 23:45 Alert fires, Ada is paged
- 00:10 Rolled back, service recovered

## Root cause

A migration locked the orders table.

## Resolution

Rolled back.

## Action items

- [ ] Ada: lint migrations
- [x] Joe: add a lock timeout
"""
TABLE = """| Severity | P0 |
| Started | 14:05 UTC |
| Resolved | 2:35 pm UTC |
| Date | 1 March 2026 |

# Login outage

## What happened

Nobody could sign in.

## Root Cause Analysis

Expired certificate.

## Timeline

| Time | Event |
|---|---|
| 14:05 | first errors |
| 14:20 | team notices |

## Follow-up actions

| Action | Owner |
|---|---|
| Renew certificates by themselves | Ada |
"""


def test_a_report_is_taken_apart() -> None:
    found = read_incident("postmortems/2026-03-01-checkout.md", REPORT)
    assert (found.title, found.number, found.status) == ("checkout down (INC-42)", "INC-42", "resolved")
    assert found.severity is not None
    assert (found.severity.level, found.severity.said) == ("critical", "SEV-1")
    assert found.services == ("checkout", "payments")
    assert found.root_cause == "A migration locked the orders table."
    assert (found.resolution, found.impact) == ("Rolled back.", "4,000 orders lost.")
    assert found.follow_ups == ("Ada: lint migrations", "Joe: add a lock timeout")


def test_the_timeline_goes_on_past_midnight() -> None:
    found = read_incident("postmortems/x.md", REPORT)
    assert [day(entry.at) for entry in found.timeline] == [
        "2026-03-01T23:40:00Z", "2026-03-01T23:45:00Z", "2026-03-02T00:10:00Z",
    ]  # fmt: skip
    assert (day(found.started), day(found.detected), day(found.ended)) == (
        "2026-03-01T23:40:00Z", "2026-03-01T23:45:00Z", "2026-03-02T00:10:00Z",
    )  # fmt: skip


def test_fields_in_a_table_and_clocks_without_a_day() -> None:
    found = read_incident("incidents/login.md", TABLE)
    assert found.severity is not None
    assert found.severity.level == "critical"
    assert (day(found.started), day(found.ended)) == ("2026-03-01T14:05:00Z", "2026-03-01T14:35:00Z")
    assert day(found.detected) == "2026-03-01T14:20:00Z"
    assert found.root_cause == "Expired certificate."
    assert found.follow_ups == ("Renew certificates by themselves",)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("postmortems/checkout.md", "It broke.\n"),
        ("docs/post-mortem/x.md", "It broke.\n"),
        ("incidents/2026-03-01-db.md", "It broke.\n"),
        ("incidents/INC-7.md", "It broke.\n"),
        ("incidents/login.md", TABLE),
        ("notes/march.md", REPORT),
        ("notes/march.md", TABLE.replace("# Login outage", "# Login")),
        ("docs/outage-2026.md", REPORT),
    ],
)
def test_what_tells_of_an_incident_is_one(path: str, text: str) -> None:
    assert is_incident(path, text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("postmortems/README.md", REPORT),
        ("postmortems/template.md", REPORT),
        ("incidents/on-call.md", "# On call\n\nHow we take turns.\n"),
        ("docs/postmortem.md", "# How we write them\n\nBlameless.\n"),
        ("docs/roadmap.md", "# Roadmap\n\n## Timeline\n\nQ1\n\n## Impact\n\nHigh\n\n## Next steps\n\n- x\n"),
        ("incidents/2026-03-01.py", "x = 1"),
    ],
)
def test_handbooks_and_templates_are_none(path: str, text: str) -> None:
    assert not is_incident(path, text)


@pytest.mark.parametrize(
    ("said", "level"),
    [
        ("SEV1", "critical"), ("sev-0", "critical"), ("Sev 2", "high"), ("P0", "critical"), ("P3 (minor)", "medium"),
        ("S4", "low"), ("Severity 3", "medium"), ("critical", "critical"), ("Major", "high"), ("**low**", "low"),
        ("2 - high", "high"), ("Blocker", "critical"), ("moderate", "medium"), ("purple", "purple"),
    ],
)  # fmt: skip
def test_severity_is_read_in_many_spellings(said: str, level: str) -> None:
    found = read_severity(said)
    assert found is not None
    assert found.level == level


def test_the_item_is_an_incident_of_its_service_and_time() -> None:
    item = incident_item("postmortems/2026-03-01-checkout.md", REPORT, root="/repo", digest="d", size=9)
    draft = item.draft
    assert (draft.kind, draft.domain, draft.service, draft.source) == ("incident", "issues", "checkout", "incident")
    assert draft.content == REPORT
    assert draft.aliases == ("INC-42",)
    assert f"{draft.at:%Y-%m-%d %H:%M}" == "2026-03-01 23:40"
    assert draft.metadata["severity"] == "critical"
    assert draft.metadata["minutes"] == 30
    assert draft.metadata["ended"] == "2026-03-02T00:10:00Z"
    assert (item.path, item.digest, item.size) == ("postmortems/2026-03-01-checkout.md", "d", 9)


def test_a_form_becomes_a_readable_text() -> None:
    item = incident_of(
        "Checkout down", "Orders failed for 30 minutes.", date="1 March 2026", service="checkout", severity="P1",
        root_cause="A lock.", resolution="Rolled back.", follow_ups=["lint migrations"],
    )  # fmt: skip
    assert item.draft.content == (
        "# Checkout down\n\nSeverity: critical (P1)\nService: checkout\nDate: 1 March 2026\n\n"
        "Orders failed for 30 minutes.\n\n## Root cause\n\nA lock.\n\n## Resolution\n\nRolled back.\n\n"
        "## Follow-ups\n\n- lint migrations"
    )
    assert item.path == ""
    assert item.draft.service == "checkout"
    assert item.draft.metadata == {
        "title": "Checkout down", "severity": "critical", "severity_said": "P1", "date": "2026-03-01",
        "root_cause": "A lock.", "resolution": "Rolled back.", "follow_ups": ["lint migrations"],
    }  # fmt: skip


def test_what_a_form_leaves_open_is_found_in_its_description() -> None:
    item = incident_of("Checkout", REPORT)
    assert item.draft.metadata["severity"] == "critical"
    assert item.draft.metadata["root_cause"] == "A migration locked the orders table."
    assert item.draft.service == "checkout"


def test_a_date_that_is_none_is_refused_by_its_field() -> None:
    with pytest.raises(Invalid) as refused:
        incident_of("X", "y", date="last full moon")
    assert refused.value.field == "date"


@pytest.mark.parametrize("piece", ["- 12:00 x\n", "| 1 | 2 |\n", "Severity: ", "- [ ] ", "12:00 ", "# Timeline\n"])
def test_hostile_texts_are_read_in_bounded_time(piece: str) -> None:
    text = "# Outage\n\nDate: 2026-03-01\n\n## Timeline\n\n" + piece * 40_000
    assert read_incident("postmortems/x.md", text).title == "Outage"


def test_a_report_whose_first_heading_is_a_section_is_called_by_its_file() -> None:
    text = "---\nseverity: SEV1\nservice: labfeed\n---\n\n## Impact\nResults were lost.\n\n## Root cause\nA queue.\n"
    assert read_incident("postmortems/2025-09-09-lab-results-lost.md", text).title == "Lab results lost"
    titled = f"# The acknowledged and the lost\n\n{text}"
    assert read_incident("postmortems/2025-09-09-x.md", titled).title == "The acknowledged and the lost"


def test_a_report_without_a_heading_of_its_own_is_called_as_its_field_says() -> None:
    found = read_incident(
        "postmortems/dns.md",
        "---\ntitle: DNS outage in eu-west\nseverity: P2\n---\n\n## Root cause\n\nA bad record.\n\n"
        "## How we fixed it\n\nWe rolled it back.\n",
    )
    assert (found.title, found.resolution) == ("DNS outage in eu-west", "We rolled it back.")


@pytest.mark.parametrize("said", ["yes", "No", "n/a", "TBD", "[none]"])
def test_what_says_nothing_of_how_bad_it_was_is_no_severity(said: str) -> None:
    assert read_severity(said) is None
    with pytest.raises(Invalid):
        incident_of("X", "y", severity=said)
