"""Records are known by their form wherever they lie, and what only looks like one is none."""

from __future__ import annotations

import pytest

from marrow.ingest.adr import is_adr, read_adr
from marrow.ingest.incident import is_incident, read_incident
from marrow.model.moments import iso

MADR_2 = """# Use PostgreSQL

* Status: accepted
* Deciders: Ann, Bob
* Date: 2023-03-04

## Context and Problem Statement

We need a store.

## Decision Outcome

Chosen option: "PostgreSQL", because it is known.
"""
MADR_3 = """---
status: accepted
date: 2023-03-04
deciders: Ann, Bob
consulted: Cleo
---
# Use PostgreSQL

## Context and Problem Statement

We need a store.

## Considered Options

* PostgreSQL
* SQLite

## Decision Outcome

Chosen option: "PostgreSQL", because it is known.
"""
MADR_4 = """---
# These are optional metadata elements. Feel free to remove any of them.
status: "accepted"
date: 2023-03-04
decision-makers: [Ann, Bob]
informed: everyone
---

# Use PostgreSQL

## Considered Options

* PostgreSQL
* SQLite

## Decision Outcome

Chosen option: "PostgreSQL", because it is known.
"""
TABLE = """# Use PostgreSQL

| Issue | We need a store. |
|---|---|
| Status | accepted |
| Date | 2023-03-04 |
| Deciders | Ann, Bob |
| Decision | PostgreSQL, because it is known. |
| Implications | One more server. |
"""
FRONT = """---
status: accepted
date: 2023-03-04
deciders: [Ann, Bob]
---
# Use PostgreSQL

## Context

We need a store.

## Decision

PostgreSQL, because it is known.
"""
FORMS = {"MADR 2": MADR_2, "MADR 3": MADR_3, "MADR 4": MADR_4, "a table": TABLE, "front matter": FRONT}
PATHS = ("docs/decisions/use-postgres.md", "docs/adr/use-postgres.md", "services/billing/notes/use-postgres.md")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_an_unnumbered_record_is_a_decision_by_its_form_wherever_it_lies(path: str, text: str) -> None:
    assert is_adr(path, text)
    adr = read_adr(path, text)
    assert (adr.title, adr.number, adr.status, adr.deciders) == ("Use PostgreSQL", None, "accepted", ("Ann", "Bob"))
    assert adr.date is not None
    assert adr.date.at == 1_677_888_000_000_000
    assert "because it is known" in adr.decision


STATEMENT = """# Sessions

In the context of the shop, facing load, we decided for Redis and against Memcached, to achieve speed, accepting cost.
"""


def test_a_single_statement_is_a_decision() -> None:
    assert is_adr("docs/decisions/sessions.md", STATEMENT)
    assert is_adr("notes/sessions.md", STATEMENT)
    explained = f"# How to write a decision\n\n{'Write it short. ' * 100}\n\n{STATEMENT}"
    assert not is_adr("docs/writing.md", explained)


EMPTY = """---
status:
date:
decision-makers:
---

# <!-- short title -->

## Context and Problem Statement

<!-- describe the context -->

## Considered Options

* {title of option 1}

## Decision Outcome

"""
ASKING = """# {short title, representative of solved problem and found solution}

## Context and Problem Statement

{Describe the context and problem statement, e.g., in free form using two to three sentences.}

## Decision Outcome

Chosen option: "{title of option 1}", because {justification}.
"""
LIST = "# Decisions\n\n- [Use PostgreSQL](use-postgres.md)\n- [Use Redis](use-redis.md)\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        *((f"docs/adr/{name}.md", MADR_3) for name in ("README", "index", "template", "adr-template", "adr-index")),
        *(
            (f"docs/decisions/{name}.md", MADR_4)
            for name in ("adr-template-minimal", "decision-log", "adr_template_v2")
        ),
        ("docs/adr/new-record.md", EMPTY),
        ("docs/adr/new-record.md", ASKING),
        ("docs/adr/all-records.md", LIST),
        ("docs/adr/form.md", MADR_3.replace("# Use PostgreSQL", "# Decision record template")),
    ],
)
def test_templates_and_lists_of_decisions_are_none(path: str, text: str) -> None:
    assert not is_adr(path, text)


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("docs/adr/0012-email-templates.md", "Keep email templates in the store"),
        ("docs/adr/use-generics.md", "Use List<String> and [optional](x.md) fields"),
        ("docs/adr/template-engine.md", "Use Jinja"),
        ("docs/adr/ansible-playbook.md", "Deploy with one playbook"),
        ("docs/adr/0004-dates.md", "Use List<Date name> in <problem domain>"),
    ],
)
def test_a_decision_about_templates_is_one(path: str, title: str) -> None:
    assert is_adr(path, MADR_3.replace("Use PostgreSQL", title))


RCA = "# RCA: Checkout outage\n\n## What happened\n\nx\n\n## Root cause\n\nA full disk.\n\n## Fix\n\nMore of it.\n"
WHYS = "# Root Cause Analysis\n\n**Severity:** SEV2\n\n## Summary\n\nx\n\n## 5 Whys\n\n1. Why? A full disk.\n"
REPORT = "# Incident report\n\nSeverity: SEV2\nDate: 2024-01-02\n\n## Description\n\nx\n\n## Resolution\n\nMore disk.\n"
SHORT = "# Postmortem: blank labels\n\nOn 2 January the labels were blank, since the printer slept. We woke it.\n"


@pytest.mark.parametrize(
    "path",
    [
        "docs/rca-checkout.md",
        "docs/RCA-2024-01-02.md",
        "docs/2024-01-02_rca.md",
        "docs/root-cause-analysis-checkout.md",
        "docs/root_cause_analysis_checkout.md",
        "postmortem.md",
        "docs/postmortem-checkout.md",
        "docs/incident-report-2024-01-02.md",
        "docs/incident-2024-01-02.md",
        "docs/INC-42.md",
    ],
)
@pytest.mark.parametrize("text", [RCA, WHYS, REPORT, SHORT], ids=["rca", "whys", "report", "short"])
def test_what_is_called_a_post_mortem_and_reads_like_one_is_an_incident(path: str, text: str) -> None:
    assert is_incident(path, text)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("docs/postmortem.md", "# Postmortems at Acme\n\nWe write them within a week.\n"),
        ("docs/rca-template.md", RCA),
        ("docs/incident_report_template.md", REPORT),
        ("docs/outage-runbook.md", RCA),
        ("docs/runbooks/outage.md", "# Outage\n\n## Impact\n\nNobody can pay.\n\n## Timeline\n\nWhom to call, when.\n"),
        ("postmortems/new.md", "# Postmortem: [title]\n\n## Summary\n\n[summary]\n\n## Root Causes\n\n## Timeline\n"),
        ("postmortems/form.md", RCA.replace("# RCA: Checkout outage", "# Post-mortem template")),
        ("postmortems/all.md", "# All of them\n\n- [Labels](labels.md)\n- [Checkout](checkout.md)\n"),
        ("docs/barcade.md", "# Barcade\n\n## Fix\n\nx\n"),
        ("docs/disk.md", "# Disks\n\n## Fix\n\nx\n\n## Impact\n\ny\n"),
    ],
)
def test_forms_lists_and_handbooks_of_incidents_are_none(path: str, text: str) -> None:
    assert not is_incident(path, text)


def test_the_name_of_a_report_tells_its_day_wherever_it_stands_there() -> None:
    found = read_incident("docs/RCA-2024-01-02.md", RCA)
    assert found.date is not None
    assert found.date.at == 1_704_153_600_000_000
    assert (found.title, found.root_cause) == ("Checkout outage", "A full disk.")


LOGIN = """# Incident postmortem - Login unavailable

## Incident summary

Between 10:00 and 11:12 UTC on 2023-05-04, 4,500 customers could not log in. This SEV-2 incident affected a quarter.

## Fault

Tokens were rejected.

## Recovery

We rolled back.

## Timeline

All times are UTC.

**10:00** - Logins begin to fail
**10:10** - Alert, Bob paged
**11:12** - Rolled back, logins are back to normal

## Corrective actions

1. Turn NTP on
"""


def test_the_summary_tells_the_day_of_a_report_that_has_no_field_for_it() -> None:
    found = read_incident("docs/login.md", LOGIN)
    assert is_incident("docs/login.md", LOGIN)
    assert found.title == "Login unavailable"
    moments = [iso(one.at) for one in (found.date, found.started, found.detected, found.ended) if one]
    assert [one[:16] for one in moments] == [
        "2023-05-04T00:00",
        "2023-05-04T10:00",
        "2023-05-04T10:10",
        "2023-05-04T11:12",
    ]


FIELDS = """# Incident 2024-03-14: API errors

| Field | Value |
|---|---|
| Severity | SEV2 |
| Start | 2024-03-14 10:02 UTC |
| Root cause | Bad deploy |

## What happened

x
"""
ERROR = "# Correction of Error: Checkout\n\n## Summary\n\nx\n\n## Impact\n\ny\n\n## 5 Whys\n\n1. Why\n"


def test_fields_in_a_table_make_an_incident_of_what_is_titled_so() -> None:
    assert is_incident("docs/api.md", FIELDS)
    found = read_incident("docs/api.md", FIELDS)
    assert (found.number, found.root_cause) == ("", "Bad deploy"), "the year of a day is no number"
    assert not is_incident("docs/api.md", FIELDS.replace("Incident 2024-03-14: ", ""))


def test_a_correction_of_errors_is_an_incident() -> None:
    assert is_incident("docs/checkout.md", ERROR)
    assert read_incident("docs/checkout.md", ERROR).title == "Checkout"
