"""A session in short."""

from __future__ import annotations

from typing import Any

import pytest

from marrow.memory.observed.decided import decided
from marrow.memory.observed.digest import Digest, digest, handoff_text, summary_text
from marrow.memory.observed.observe import observe
from marrow.memory.observed.said import said
from marrow.memory.observed.todo import next_step, open_tasks
from marrow.model.text import token_estimate

from .traces import edit, prompt, shell, stop, tool

RED = "FAILED tests/test_cart.py::test_total - assert 3 == 4\n1 failed, 3 passed in 0.2s\n"
LAST = "Done with the total.\n\nRemaining:\n- the tax of foreign orders\n\nNext: write a test for the empty cart."


def todo(*tasks: tuple[str, str]) -> dict[str, Any]:
    todos = [{"content": text, "status": status, "activeForm": text} for text, status in tasks]
    return tool("TodoWrite", "other", {"todos": todos}, {"oldTodos": [], "newTodos": []})


def session() -> list[dict[str, Any]]:
    return [
        prompt("Please add the tip to the cart's total. We deploy with kamal to two servers."),
        todo(("Add the tip", "in_progress"), ("Write docs", "pending")),
        shell("pytest -q", RED, code=1),
        edit("src/cart.py", "def total(i):\n    return sum(i)", "def total(i):\n    return sum(i) + TIP"),
        shell("pytest -q", "4 passed in 0.2s\n"),
        shell("npm run build", "src/a.ts(3,5): error TS2322: Type 'x' is wrong.\n", code=2),
        prompt("No, the tip is 10 percent. We decided to keep prices in cents.", turn="t2"),
        edit("src/price.py", "TIP = 5", "TIP = 10", turn="t2"),
        todo(("Add the tip", "completed"), ("Write docs", "pending"), ("Update the changelog", "in_progress")),
        shell("git commit -am 'Add the tip'", "[main 1a2b3c4] Add the tip\n 2 files changed\n", turn="t2"),
        stop(LAST, turn="t2"),
    ]


def made(traces: list[dict[str, Any]], last: str = LAST) -> Digest:
    prompts = [line for line in traces if line["event"] == "prompt"]
    stops = [line for line in traces if line["event"] == "stop"]
    return digest({"session": "s1"}, observe(traces), [*said(prompts), *decided(stops)], prompts, last, traces=traces)


def test_a_digest_has_what_was_done_decided_corrected_and_left() -> None:
    found = made(session())
    assert found.title == "Add the tip to the cart's total"
    assert found.worked_on == ("src/cart.py: total", "Edited src/price.py: TIP = 10 (+1 −1)", "Commit: Add the tip")
    assert found.decisions == ("We decided to keep prices in cents.",)
    assert found.corrections == ("The tip is 10 percent.",)
    assert found.notes == ("We deploy with kamal to two servers.",)
    assert [line.partition(":")[0] for line in found.fixed] == ["test_total"]
    assert len(found.failing) == 1
    assert "TS2322" in found.failing[0]
    assert found.open_tasks == ("Update the changelog", "Write docs", "the tax of foreign orders")
    assert found.next_step == "write a test for the empty cart"
    assert found.files == ("src/cart.py", "src/price.py")
    assert not found.is_empty


def test_the_next_step_is_no_open_task_beside_it() -> None:
    found = Digest("s", "Export", open_tasks=("Batch the inserts", "Write docs"), next_step="Batch the inserts")
    assert handoff_text(found) == "Handoff: Export\n\nNext step: Batch the inserts\n\nOpen tasks: Write docs"


def test_the_texts_have_their_sections_and_are_compact() -> None:
    found = made(session())
    handoff = handoff_text(found)
    assert handoff.startswith("Handoff: Add the tip to the cart's total\n\nNext step: ")
    for section in (
        "Decisions:",
        "Corrections by the user:",
        "Failures still open:",
        "Fixed:",
        "Open tasks:",
        "Next step:",
    ):
        assert section in handoff
    assert token_estimate(handoff) < 400
    assert token_estimate(summary_text(found)) < 500


def test_the_same_session_gives_the_same_text() -> None:
    traces = session()
    assert summary_text(made(traces)) == summary_text(made(traces))
    assert handoff_text(made(traces)) == handoff_text(made(traces))


def test_tasks_that_are_created_and_updated_one_by_one_are_followed() -> None:
    traces = [
        tool(
            "TaskCreate",
            "other",
            {"subject": "Write docs", "description": "…"},
            {"task": {"id": "1", "subject": "Write docs"}},
        ),
        tool("TaskCreate", "other", {"subject": "Cut a release", "description": "…"}, {"task": {"id": "2"}}),
        tool("TaskUpdate", "other", {"taskId": "1", "status": "completed"}, {"success": True}),
    ]
    assert made(traces, "").open_tasks == ("Cut a release",)
    assert made(traces, "").next_step == "Cut a release"


def test_what_is_not_to_be_remembered_is_in_no_text() -> None:
    traces = [prompt("Don't remember this: we sell the orchard to Acme."), edit("src/cart.py", "a = 1", "a = 2")]
    found = made(traces, "")
    assert found.title == "Work on src/cart.py"
    assert "Acme" not in summary_text(found) + handoff_text(found)


def test_an_open_failure_is_the_next_step_when_nothing_else_is_said() -> None:
    found = made([shell("pytest -q", RED, code=1)], "")
    assert found.next_step == "Mend: Test failed: test_total"


def test_a_session_of_nothing_is_empty() -> None:
    found = made([prompt("hello"), shell("ls", "a\n")], "Hello.")
    assert found.is_empty
    assert found.title == ""
    assert summary_text(found) == ""


def test_sections_are_bounded() -> None:
    traces = [edit(f"src/module_{n}.py", f"a = {n}", f"a = {n + 1}") for n in range(40)]
    traces += [prompt(f"We decided to keep module number {n} in Python.") for n in range(20)]
    traces += [prompt(f"No, module {n} has to stay where it is.") for n in range(20)]
    found = made(traces, "\n".join(f"- [ ] task {n}" for n in range(20)))
    lengths = (len(found.worked_on), len(found.decisions), len(found.corrections), len(found.open_tasks))
    assert lengths == (10, 8, 8, 5)
    assert len(found.title) <= 60


def test_a_session_of_questions_is_empty_whatever_was_answered() -> None:
    traces = [
        prompt("what's the difference between useMemo and useCallback again?"),
        stop("useMemo caches a value. The problem is that closures go stale.\n\nRemaining:\n- try it out"),
        prompt("how do we deploy to staging?", turn="t2"),
        shell("grep -rn deploy scripts", "scripts/release.sh:1:deploy\n", turn="t2"),
        stop("The root cause was the closure. I decided to explain it.\n- [ ] read more", turn="t2"),
    ]
    assert made(traces, str(traces[-1]["message"])).is_empty


TITLES = {
    ("lol ok", "add a dark mode toggle to the settings page"): "Add a dark mode toggle to the settings page",
    ("hey, morning! can you have a look at the invoice export?",): "Have a look at the invoice export",
    ("added 1432 packages, and audited 1433 packages in 24s", "what about these?", "lol ok"): "",
    ("Hi! Just so you know: we deploy with make ship",): "We deploy with make ship",
    ("so you know how releases work here: staging goes out on merge",): "Staging goes out on merge",
    ("cool, thanks!", "ugh", "ok"): "",
    ("No, run it as python -m pytest from the root, plain pytest fails.", "Add the tip to the cart."): (
        "Add the tip to the cart"
    ),
    ("Login", "Mend the login page of the shop"): "Mend the login page of the shop",
    ("I prefer dataclasses over dicts.", "Rewrite the parser of invoices"): "Rewrite the parser of invoices",
    ("wrong, the port is 8081",): "",
}


@pytest.mark.parametrize("prompts", TITLES)
def test_a_title_is_the_first_prompt_with_a_subject_and_no_chatter(prompts: tuple[str, ...]) -> None:
    assert made([prompt(text) for text in prompts], "").title == TITLES[prompts]


def test_without_a_telling_prompt_the_files_are_the_title() -> None:
    assert made([prompt("lol ok"), edit("src/cart.py", "a = 1", "a = 2")], "").title == "Work on src/cart.py"


def test_a_summary_repeats_no_prompt_beyond_its_title() -> None:
    traces = [
        prompt("Add the tip to the cart."),
        prompt("What is the limit of the gateway?", turn="t2"),
        prompt("Why does the invoice show the wrong month?", turn="t3"),
        edit("src/cart.py", "a = 1", "a = 2"),
    ]
    text = summary_text(made(traces, ""))
    assert text.startswith("Add the tip to the cart")
    assert "Asked" not in text
    assert "gateway" not in text
    assert "invoice" not in text


def test_what_the_agent_found_is_not_told_as_the_users_words() -> None:
    traces = [
        prompt("Ines owns the palette. Fix the cart."),
        edit("src/cart.py", "a = 1", "a = 2"),
        stop("Root cause: the cart total was cached per tenant. The queue now uses LISTEN/NOTIFY."),
    ]
    found = made(traces, "")
    assert found.notes == ("Ines owns the palette.",)
    assert found.found == ("Root cause: the cart total was cached per tenant.",)
    assert found.decisions == ()
    assert "Found: Root cause" in summary_text(found)


def test_a_fix_is_not_called_fixed_twice() -> None:
    assert "Fixed: Fixed" not in summary_text(made(session()))
    assert "- Fixed after" not in summary_text(made(session()))


def test_a_preference_is_no_decision() -> None:
    found = made([prompt("I prefer dataclasses over dicts."), prompt("We decided to keep prices in cents.")], "")
    assert found.decisions == ("We decided to keep prices in cents.",)
    assert found.preferences == ("I prefer dataclasses over dicts.",)
    assert "Preferences of the user: I prefer dataclasses over dicts." in handoff_text(found)
    assert "Told by the user: I prefer dataclasses over dicts." in summary_text(found)


NEXT = {
    "Done.\n\n**Next steps**\n1. Write the migration\n2. Test it": "Write the migration",
    "## Next steps\n\n- Write the migration": "Write the migration",
    "The parser is done. Next: write a migration. Still open: the retry test.": "write a migration",
    "All green. Next up: wire api/web.py to the queue.": "wire api/web.py to the queue",
    "**What's next**\n- Write the migration": "Write the migration",
    "Next: write a migration": "write a migration",
    # what only looks like it
    "Next steps are up to you.": "",
    "**Next steps**\n\nThat is all.": "",
    "Next steps: none.": "",
    "Next.js: upgraded to 15.": "",
    "```\nNext: run the tests\n```\nDone.": "",
    "I moved what comes next: nothing else changed.": "",
    "The button says 'Next: pay' now.": "",
}


@pytest.mark.parametrize("message", NEXT)
def test_the_next_step_is_read_from_a_heading_or_behind_a_sentence(message: str) -> None:
    assert next_step(message) == NEXT[message]


LEFT = {
    "The parser is done. Next: write a migration. Still open: the retry test.": ["the retry test"],
    "Done.\n\n**Still open**\n- the retry test\n- the docs": ["the retry test", "the docs"],
    "Still open: the retry test, the docs": ["the retry test, the docs"],
    "### What's left\n1. the docs": ["the docs"],
    "Remaining work:\n- the docs": ["the docs"],
    # what only looks like it
    "Still open: nothing.": [],
    "Done. Open: http://localhost:3000 in your browser.": [],
    "The dialog is still open: it hides the menu.": [],
    "Open the file. The door is open.": [],
    "**Still open**\nas before.": [],
    "```\nTODO: mend this\n```": [],
}


@pytest.mark.parametrize("message", LEFT)
def test_what_is_left_is_read_from_a_heading_or_behind_a_sentence(message: str) -> None:
    assert open_tasks([], message) == LEFT[message]


def test_a_task_that_the_user_named_is_open() -> None:
    found = made([prompt("todo for monday: rotate the dhl credentials")], "")
    assert found.open_tasks == ("For Monday: rotate the dhl credentials",)
    assert not found.is_empty
