"""When an incident began and ended, in whichever zone its timeline is written, and what a template's fields say."""

from __future__ import annotations

import pytest

from marrow.ingest.incident import Incident, incident_item, read_incident
from marrow.ingest.placing import day

SRE = """# Shakespeare Sonnet++ Postmortem (incident #465)

**Date:** 2015-10-21

**Status:** Complete, action items in progress

**Root Causes:** Cascading failure due to high load and a resource leak.

**Trigger:** Latent bug triggered by sudden increase in traffic.

**Resolution:** Directed traffic to sacrificial cluster.

## Lessons Learned

### What went wrong

- We're out of practice

## Timeline

2015-10-21 (*all times UTC*)

* 14:51 News reports that a new sonnet has been discovered
* 14:54 **OUTAGE BEGINS** — Search backends start melting down under load
* 14:55 docbrown receives pager storm
* 16:00 **OUTAGE ENDS** All traffic balanced
* 16:30 **INCIDENT ENDS**, reached exit criterion
"""


def incident(timeline: str, heading: str = "Timeline", head: str = "Date: 2024-07-03") -> Incident:
    return read_incident(
        "incidents/INC-7.md", f"# Down\n\n{head}\n\n## {heading}\n\n{timeline}\n\n## Root cause\n\nX\n"
    )


def times(found: Incident) -> tuple[str, str]:
    return day(found.started), day(found.ended)


def test_the_template_of_the_sre_book_has_its_cause_and_its_times() -> None:
    found = read_incident("postmortems/shakespeare.md", SRE)
    assert found.root_cause.startswith("Cascading failure")
    assert times(found) == ("2015-10-21T14:54:00Z", "2015-10-21T16:00:00Z")
    assert day(found.detected) == "2015-10-21T14:55:00Z"


@pytest.mark.parametrize(
    ("heading", "timeline", "expected"),
    [
        ("Timeline (CEST)", "- 23:50 first\n- 00:30 resolved", ("2024-07-03T21:50:00Z", "2024-07-03T22:30:00Z")),
        (
            "Timeline (all times in PST)",
            "- 9:58 PM: a\n- 12:18 AM: fixed",
            ("2024-07-04T05:58:00Z", "2024-07-04T08:18:00Z"),
        ),
        ("Timeline", "All times are ET.\n\n- 09:00 a\n- 10:00 fixed", ("2024-07-03T13:00:00Z", "2024-07-03T14:00:00Z")),
        (
            "Timeline",
            "| Time (PT) | Event |\n|---|---|\n| 15:02 | Deploy |\n| 15:24 | Resolved |",
            ("2024-07-03T22:02:00Z", "2024-07-03T22:24:00Z"),
        ),
        ("Timeline", "- 9:58 PM PST: pages\n- 10:15 PM: recovered", ("2024-07-04T05:58:00Z", "2024-07-04T06:15:00Z")),
        ("Timeline (IST)", "- 09:00 a\n- 10:00 fixed", ("2024-07-03T03:30:00Z", "2024-07-03T04:30:00Z")),
        (
            "Timeline (JST)",
            "- 2024-07-04 01:00 a\n- 2024-07-04 02:00 fixed",
            ("2024-07-03T16:00:00Z", "2024-07-03T17:00:00Z"),
        ),
        ("Timeline (UTC+2)", "- 09:00 a\n- 10:00 fixed", ("2024-07-03T07:00:00Z", "2024-07-03T08:00:00Z")),
        ("Timeline", "- 09:00 a\n- 10:00 fixed", ("2024-07-03T09:00:00Z", "2024-07-03T10:00:00Z")),
        ("Timeline", "- 09:00 scans (CT) fail\n- 10:00 fixed", ("2024-07-03T09:00:00Z", "2024-07-03T10:00:00Z")),
        ("Timeline", "- 09:00 pst: a\n- 10:00 fixed", ("2024-07-03T17:00:00Z", "2024-07-03T18:00:00Z")),
    ],
)  # fmt: skip
def test_a_timeline_is_read_in_its_zone(heading: str, timeline: str, expected: tuple[str, str]) -> None:
    assert times(incident(timeline, heading)) == expected


@pytest.mark.parametrize(
    "line", ["PST-app is down", "cet-db-1 restarts", "Z-index is wrong", "IST's pager rings", "CT.js throws"]
)
@pytest.mark.parametrize("day_said", ["", "2024-07-03 "])
def test_a_zone_is_no_part_of_a_longer_name(line: str, day_said: str) -> None:
    found = incident(f"- {day_said}09:00 {line}\n- {day_said}10:00 fixed")
    assert found.timeline[0].text == line
    assert times(found) == ("2024-07-03T09:00:00Z", "2024-07-03T10:00:00Z")


@pytest.mark.parametrize("line", ["CT scans fail", "PT is down", "MT translates nothing"])
def test_a_zone_of_two_letters_that_begins_what_happened_is_none(line: str) -> None:
    found = incident(f"- 09:00 {line}\n- 10:00 fixed")
    assert found.timeline[0].text == line
    assert times(found) == ("2024-07-03T09:00:00Z", "2024-07-03T10:00:00Z")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("CT: scans fail", "fixed"),
        ("(CT) scans fail", "fixed"),
        ("CT Scans fail", "fixed"),
        ("CT the scans fail", "fixed"),
        ("CT scans fail", "CT fixed"),
    ],
)
def test_a_zone_of_two_letters_that_stands_apart_or_behind_every_time_is_one(first: str, second: str) -> None:
    found = incident(f"- 09:00 {first}\n- 10:00 {second}")
    assert [entry.text.lower().removeprefix("the ") for entry in found.timeline] == ["scans fail", "fixed"]
    assert times(found) == ("2024-07-03T14:00:00Z", "2024-07-03T15:00:00Z")


def test_an_end_may_stand_right_behind_a_zone() -> None:
    found = incident("- 09:00 PST-09:30 it is down\n- 10:00 fixed\n")
    assert times(found) == ("2024-07-03T17:00:00Z", "2024-07-03T18:00:00Z")


def test_the_zone_of_one_line_does_not_change_the_one_that_holds_for_all() -> None:
    lines = "- 17:00 it is down\n- 10:30 PT the vendor answers\n- 18:00 fixed"
    found = incident(lines, "Timeline (all times UTC)")
    assert [day(entry.at) for entry in found.timeline][1:] == ["2024-07-03T17:30:00Z", "2024-07-03T18:00:00Z"]


def test_what_front_matter_says_of_times_and_services_is_read() -> None:
    text = (
        "---\nstarted_at: 2026-01-04T23:50:00+01:00\nended_at: 2026-01-05T00:30:00+01:00\n"
        "services_affected: [labels, printing]\n---\n# Blank\n\n## Root cause\n\nX\n"
    )
    found = read_incident("incidents/INC-42.md", text)
    assert times(found) == ("2026-01-04T22:50:00Z", "2026-01-04T23:30:00Z")
    assert found.services == ("labels", "printing")
    assert day(found.date) == "2026-01-04"


def test_a_severity_is_told_as_it_was_written() -> None:
    found = incident("- 09:00 a", head="Severity: SEV1 (downgraded to SEV3)")
    assert found.severity is not None
    assert found.severity.said == "SEV1 (downgraded to SEV3)"


def test_an_incident_in_the_evening_of_the_west_is_of_that_day() -> None:
    text = "# Down\n\nDate: 2024-11-03\n\n## Timeline (PST)\n\n- 9:58 PM: a\n\n## Root cause\n\nX\n"
    at = incident_item("incidents/INC-7.md", text).draft.at
    assert str(at).startswith("2024-11-03")
