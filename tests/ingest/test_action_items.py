"""What is to be done and what was decided, as people write and say it; and what only looks so."""

from __future__ import annotations

from datetime import date

import pytest

from marrow.ingest.action_items import ActionItem, action_items, decisions_in
from marrow.ingest.due import due_in

MONDAY = date(2026, 3, 2)


def told(text: str, people: tuple[str, ...] = ("Ann Lee", "Bob", "Carla")) -> list[tuple[str, str, str, bool]]:
    return [(one.text, one.owner, one.due, one.done) for one in action_items(text, today=MONDAY, people=people)]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("- [ ] Ann: write the runbook", ("write the runbook", "Ann", "", False)),
        ("- [x] send the invite (Bob)", ("send the invite", "Bob", "", True)),
        ("* [ ] @dave clean up staging, due 2026-03-10", ("clean up staging", "dave", "2026-03-10", False)),
        ("☑ rotate the keys", ("rotate the keys", "", "", True)),
        ("Action: Bob to file the ticket by 12 March", ("file the ticket", "Bob", "2026-03-12", False)),
        ("Action: Bob to benchmark the pool", ("benchmark the pool", "Bob", "", False)),
        ("Action: Bob to benchmark pools by 12 March", ("benchmark pools", "Bob", "2026-03-12", False)),
        ("Action: Zed to benchmark the pool", ("benchmark the pool", "Zed", "", False)),
        ("Action: Redis to hold the pages", ("Redis to hold the pages", "", "", False)),
        ("Action: Bob to lunch", ("Bob to lunch", "", "", False)),
        ("Action: Bob to and from the kiln", ("Bob to and from the kiln", "", "", False)),
        ("Action: Access to the pool", ("Access to the pool", "", "", False)),
        ("Action: Access to all the pools", ("Access to all the pools", "", "", False)),
        ("ACTION (Ann): tell the support team", ("tell the support team", "Ann", "", False)),
        ("**Action item:** upgrade the runner by end of month", ("upgrade the runner", "", "2026-03-31", False)),
        ("TODO: delete the old bucket - Carla", ("delete the old bucket", "Carla", "", False)),
        ("[00:01:00] Bob: I'll update the runbook by Friday.", ("update the runbook", "Bob", "2026-03-06", False)),
        ("[00:01:00] Ann Lee: Bob will also write the report.", ("write the report", "Bob", "", False)),
        (
            "[00:01:00] Ann Lee: Carla, could you rotate the keys tomorrow?",
            ("rotate the keys", "Carla", "2026-03-03", False),
        ),
        ("[00:01:00] So, action item, Bob to fix the alert.", ("fix the alert", "Bob", "", False)),
        (
            "[00:01:00] Bob will update the dashboard by next Friday.",
            ("update the dashboard", "Bob", "2026-03-13", False),
        ),
    ],
)
def test_a_task_is_found_with_owner_day_and_state(line: str, expected: tuple[str, str, str, bool]) -> None:
    assert told(line) == [expected]


@pytest.mark.parametrize(
    "line",
    [
        "[00:00:03] Ann Lee: I'll share my screen.",
        "[00:00:03] Ann Lee: What will you do about it?",
        "[00:00:03] Ann Lee: Postgres will fix this.",
        "[00:00:03] Ann Lee: The outage on Friday took an hour.",
        "[00:00:03] Ann Lee: I can see it. I should think so.",
        "[00:00:03] Bob: I'll start with the agenda.",
        "- a point under no heading",
        "The service will retry three times by default.",
        "https://example.com/action: not one",
        "We need to talk.",
    ],
)
def test_what_only_looks_like_a_task_is_none(line: str) -> None:
    assert told(line) == []


def test_the_points_of_a_section_are_tasks_until_the_next_heading() -> None:
    text = """## Notes
- talked about retries

## Action items
- Rotate keys — Bob, by EOW
1. ~~Buy snacks~~
- Close the incident: done

## Open questions
- who owns the queue?
"""
    assert told(text) == [
        ("Rotate keys", "Bob", "2026-03-06", False),
        ("Buy snacks", "", "", True),
        ("Close the incident", "", "", True),
    ]


def test_a_table_of_actions_is_read_by_its_columns() -> None:
    text = """| Action | Owner | Due | Status |
|---|:--|---|---|
| Tune alerts | Ann | Friday | open |
| Fix pager | TBD | n/a | Done |

| Name | Price |
|---|---|
| Apple | 3 |
"""
    assert told(text) == [("Tune alerts", "Ann", "2026-03-06", False), ("Fix pager", "", "", True)]


def test_line_and_moment_are_told() -> None:
    text = "[00:00:01] Ann: Hello.\n[00:02:05] Ann: I'll write the summary."
    assert action_items(text) == [ActionItem("write the summary", "Ann", "", False, 2, "00:02:05")]


def test_the_same_task_said_twice_is_one_and_done_when_it_was_done() -> None:
    text = "- [ ] Ann: write the runbook\n- [ ] Ann: Write the runbook.\n- [x] Ann: write the runbook"
    assert told(text) == [("write the runbook", "Ann", "", True)]


def test_a_day_that_cannot_be_known_stays_in_words() -> None:
    assert [one.due for one in action_items("Action: tidy up by Friday")] == ["Friday"]
    assert [one.due for one in action_items("Action: tidy up by 2026-04-01")] == ["2026-04-01"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("by Friday", "2026-03-06"),
        ("by Monday", "2026-03-09"),
        ("by next Friday", "2026-03-13"),
        ("due: 2026-04-01", "2026-04-01"),
        ("before 1st of April", "2026-04-01"),
        ("by January 5", "2027-01-05"),
        ("by Mar 5, 2026", "2026-03-05"),
        ("until 05.03.2026", "2026-03-05"),
        ("by EOD", "2026-03-02"),
        ("by end of the week", "2026-03-06"),
        ("by end of next month", "2026-04-30"),
        ("by the end of the quarter", "2026-03-31"),
        ("by end of year", "2026-12-31"),
        ("by the end of March", "2026-03-31"),
        ("before the end of December", "2026-12-31"),
        ("by end of Feb 2028", "2028-02-29"),
        ("due in two weeks", "2026-03-16"),
        ("(2026-03-09)", "2026-03-09"),
        ("by 31 February", "31 February"),
    ],
)
def test_days_are_reckoned_from_the_meeting(words: str, expected: str) -> None:
    assert due_in(f"do the thing {words}", MONDAY) == (expected, "do the thing")


def test_a_day_in_passing_is_no_deadline() -> None:
    assert due_in("look into the outage on Friday and the one before it", MONDAY)[0] == ""


def test_decisions_are_found_as_written_and_as_said() -> None:
    text = """Decision: freeze on Thursday
## Decisions
- Use OpenAPI 3.1
- We agreed to drop XML.
## Notes
- nothing was agreed here
[00:01:05] Ann: So we decided to move billing to Postgres. Fine.
[00:02:00] Let's go with the blue one.
"""
    found = decisions_in(text)
    assert [(one.text, one.line) for one in found] == [
        ("freeze on Thursday", 1),
        ("Use OpenAPI 3.1", 3),
        ("We agreed to drop XML", 4),
        ("we decided to move billing to Postgres", 7),
        ("Let's go with the blue one", 8),
    ]
    assert (found[3].speaker, found[3].moment) == ("Ann", "00:01:05")


def test_endless_lines_take_no_time_to_speak_of() -> None:
    """Rules that try every split of a line would not end within the test's time limit."""
    for line in ("- [ ] " + "Ann and " * 40_000, "I'll " * 40_000, "| a " * 40_000, "x " * 200_000, "(" * 100_000):
        action_items(line, today=MONDAY)
        decisions_in(line)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Bob, can you add an alert?\nBob: I'll add it by Friday.", [("add an alert", "Bob", "2026-03-06", False)]),
        ("TODO: add an alert\nBob: I'll add it by Friday.", [("add an alert", "Bob", "2026-03-06", False)]),
        (
            "Action: Ann to add an alert\nBob: I'll add it by Friday.",
            [("add an alert", "Ann", "", False), ("add it", "Bob", "2026-03-06", False)],
        ),
        ("Bob: I'll fix it by Friday.", [("fix it", "Bob", "2026-03-06", False)]),
    ],
)
def test_a_promise_that_points_back_is_the_one_before(text: str, expected: list[tuple[str, str, str, bool]]) -> None:
    assert told(text) == expected
