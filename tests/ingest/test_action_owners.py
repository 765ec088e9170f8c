"""Who is to do something, by when, and whether it is still open, in the many ways in which minutes write it."""

from __future__ import annotations

from datetime import date

import pytest

from marrow.ingest.action_items import action_items, decisions_in
from marrow.ingest.meeting import attendees_in

MINUTES = "# Weekly\n\nAttendees: Ada Lovelace, Grace Hopper, bob\n\n## Action items\n\n"


def told(text: str) -> list[tuple[str, str, str, bool]]:
    found = action_items(text, today=date(2026, 3, 3), people=attendees_in(text))
    return [(one.text, one.owner, one.due, one.done) for one in found]


@pytest.mark.parametrize(
    ("line", "task", "owner", "due"),
    [
        ("- **Grace Hopper:** Write the record – 2026-03-20", "Write the record", "Grace Hopper", "2026-03-20"),
        ("- **Bob** – alert on blank labels", "alert on blank labels", "Bob", ""),
        ("- Deploy the canary (Ada, 15/03)", "Deploy the canary", "Ada", "2026-03-15"),
        ("- Deploy the canary (Ada, 03/04)", "Deploy the canary", "Ada", "03/04"),
        ("- Review the budget -> Ada", "Review the budget", "Ada", ""),
        ("- Action (Grace): book a room → 12 March", "book a room", "Grace", "2026-03-12"),
        ("- @grace @ada: pair on the importer", "pair on the importer", "grace, ada", ""),
        ("- AI: Grace, find a vendor", "find a vendor", "Grace", ""),
        ("- Tell legal — owner: Grace Hopper — 2026-03-12", "Tell legal", "Grace Hopper", "2026-03-12"),
        ("- Action: Ada orders 6,000 labels by Friday", "order 6,000 labels", "Ada", "2026-03-06"),
        ("- [ ] Grace Hopper verifies the backup", "verify the backup", "Grace Hopper", ""),
        ("- Bob pushes the fix", "push the fix", "Bob", ""),
        ("- Printing starts the queue", "Printing starts the queue", "", ""),
        ("- Ada drafts", "Ada drafts", "", ""),
        ("- [ ] add a check /cc @bob", "add a check /cc @bob", "", ""),
        ("- Fix `__init__` of **the pool** (Ada)", "Fix `__init__` of the pool", "Ada", ""),
    ],
)  # fmt: skip
def test_the_owner_and_the_day_are_found_however_they_are_set(line: str, task: str, owner: str, due: str) -> None:
    assert told(f"{MINUTES}{line}\n") == [(task, owner, due, False)]


NOTES = "# Weekly\n\nAttendees: Ada Lovelace, Grace Hopper, bob\n\n## Discussion\n\n"


@pytest.mark.parametrize(
    ("line", "task", "owner", "due"),
    [
        ("- Ada will send the report by Friday", "send the report", "Ada", "2026-03-06"),
        ("* **Grace Hopper** to write the record", "write the record", "Grace Hopper", ""),
        ("1. Bob agreed to book a room", "book a room", "Bob", ""),
        ("- The labels are blank. Ada will check the printer.", "check the printer", "Ada", ""),
    ],
)
def test_what_one_who_was_there_takes_on_in_a_point_of_the_minutes_is_a_task(
    line: str, task: str, owner: str, due: str
) -> None:
    assert told(f"{NOTES}{line}\n") == [(task, owner, due, False)]


@pytest.mark.parametrize(
    "line",
    [
        "- Postgres will handle the load by Friday",
        "- Mallory will send the report",
        "- Ada will be away next week",
        "- Ada sent the report",
        "- Will Ada send the report by Friday?",
        "- Ada will send the report by Friday?",
        "- Printing will start the queue by itself",
    ],
)
def test_what_no_one_who_was_there_takes_on_is_no_task(line: str) -> None:
    assert told(f"{NOTES}{line}\n") == []


def test_that_somebody_will_do_something_is_no_task_where_nobody_is_known_to_have_been_there() -> None:
    assert told("# How it works\n\n- Ada will send the report by Friday\n") == []


@pytest.mark.parametrize("line", ["- none", "- None.", "- N/A", "- [ ] TBD", "- nothing", "- No action items"])
def test_that_there_is_nothing_to_do_is_no_task(line: str) -> None:
    assert told(f"{MINUTES}{line}\n") == []


def test_what_was_given_up_is_not_open_and_a_column_may_ask_whether_it_is_done() -> None:
    text = """| # | What | Who | When | Done? |
|---|---|---|---|---|
| 1 | Add timeouts | Ada | 2026-03-10 | ✅ |
| 2 | Pool metrics | Bob | | no |

| Task | Owner | Due | Status |
|---|---|---|---|
| Move the queue | Ada | | Cancelled |
| Buy a printer | Ada | | Won't do |
| Not finished | Ada | | Not done |
"""
    assert [(one[0], one[3]) for one in told(text)] == [
        ("Add timeouts", True),
        ("Pool metrics", False),
        ("Move the queue", True),
        ("Buy a printer", True),
        ("Not finished", False),
    ]


def test_the_table_of_the_sre_book_says_done_beside_the_bug() -> None:
    text = """| Action Item | Type | Owner | Bug |
|---|---|---|---|
| Update the playbook | mitigate | jennifer | n/a **DONE** |
| Balance the load | prevent | martym | Bug 5554823 **TODO** |
| Write down what DONE means | process | martym | n/a |
"""
    assert [(one[0], one[1], one[3]) for one in told(text)] == [
        ("Update the playbook", "jennifer", True),
        ("Balance the load", "martym", False),
        ("Write down what DONE means", "martym", False),
    ]


@pytest.mark.parametrize("sum_", ["x ** 2", "2**3"])
def test_a_power_is_no_emphasis(sum_: str) -> None:
    (found,) = action_items(f"## Action items\n\n- **Ada:** compute {sum_} again\n")
    assert (found.owner, found.text) == ("Ada", f"compute {sum_} again")


@pytest.mark.parametrize(
    "task",
    [
        "rename __main__ to cli",
        "move the setup into __init__.py",
        "__init__.py is to import nothing",
        "take the code out of __main__",
        "call super().__init__() first",
        "resolve it against __dirname",
        "`__all__` is to name it",
        "export it by `__all__`",
        "delete *.pyc and *.pyo",
        "pass *args on",
    ],
)
def test_a_name_with_underscores_of_its_own_keeps_them(task: str) -> None:
    listed = action_items(f"## Action items\n\n- {task}\n- __Ada:__ {task}\n- __see to it__: {task}\n")
    assert [(one.owner, one.text) for one in listed] == [("", task), ("Ada", task), ("", f"see to it: {task}")]
    (row,) = action_items(f"| Task | Owner |\n|---|---|\n| {task} | __Ada__ |\n")
    assert (row.text, row.owner) == (task, "Ada")
    (decided,) = decisions_in(f"## Decisions\n\n- {task}\n")
    assert decided.text == task


@pytest.mark.parametrize(
    "line",
    [
        "*Ada* to fix the build",
        "_Ada_: fix the build",
        "***Ada***: fix the build",
        "fix the build (*Ada*)",
        "fix *the* build – _Ada_",
    ],
)
def test_who_is_set_off_by_any_emphasis_is_named(line: str) -> None:
    (found,) = action_items(f"## Action items\n\n- [ ] {line}\n")
    assert (found.owner, found.text) == ("Ada", "fix the build")


@pytest.mark.parametrize("line", ["- ______", "- [ ] ___", "- [ ] __", "- [ ] ** **"])
def test_a_line_to_be_filled_in_is_no_task(line: str) -> None:
    assert action_items(f"## Action items\n\n{line}\n") == []


@pytest.mark.parametrize("task", ["talk about Monday, Tuesday", "ship version 10/12, 3/4"])
def test_a_day_behind_a_comma_is_no_deadline(task: str) -> None:
    (found,) = action_items(f"## Action items\n\n- {task}\n", today=date(2026, 3, 2))
    assert (found.text, found.due) == (task, "")
