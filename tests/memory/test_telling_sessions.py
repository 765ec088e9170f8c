"""Telling of other sessions: those that have not ended, those of another working tree; never a session of itself."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import replace
from pathlib import Path

import pytest

from marrow.memory.engine import Asker, Engine
from marrow.memory.telling.wording import brief
from marrow.memory.witness import witness
from marrow.model.trace import Trace
from marrow.store.receive_traces import keep_traces

from .conftest import PROJECT, Clock, Hand
from .test_telling import Session
from .test_witness import RULES, Traces, edit, shell


@pytest.fixture
def traces(engine: Engine, asker: Asker, clock: Clock) -> Traces:
    return Traces(engine, asker, clock)


def broken_off(traces: Traces) -> None:
    """A session that was heard of last in the middle of its work."""
    traces.keep("session-start", source="startup", cwd="/r")
    traces.keep("prompt", prompt="add unit_bytes to the progress bar, then docs and tests", cwd="/r")
    traces.keep("post-tool", **edit("/r/src/bar.py", "def pos(self):\n    a = 1", "def pos(self):\n    a = 2"))
    traces.work()


def test_a_session_that_has_not_ended_is_told_to_the_next(engine: Engine, asker: Asker, traces: Traces) -> None:
    broken_off(traces)
    told = Session(engine, asker, "s2").hook("session-start", source="startup")
    assert "not ended" in told
    assert "unit_bytes to the progress bar" in told
    assert "src/bar.py: pos" in told


def test_a_session_is_not_told_of_itself(engine: Engine, asker: Asker, traces: Traces) -> None:
    broken_off(traces)
    assert "unit_bytes" not in Session(engine, asker, "s1").hook("session-start", source="compact")


def test_a_session_that_ended_or_was_left_long_ago_is_not_under_way(
    engine: Engine, asker: Asker, traces: Traces, clock: Clock
) -> None:
    broken_off(traces)
    clock.forward(days=2)
    assert "not ended" not in Session(engine, asker, "s2").hook("session-start", source="startup")
    traces.keep("session-end", cwd="/r")
    traces.work()
    assert "not ended" not in Session(engine, asker, "s3").hook("session-start", source="startup")


def test_of_a_very_long_session_the_next_is_told_what_it_does_now(
    engine: Engine, asker: Asker, traces: Traces, clock: Clock
) -> None:
    broken_off(traces)
    body = {"session": "s1", "event": "post-tool", **edit("/r/src/old.py", "a = 1", "a = 2")}
    long = [
        Trace(f"f{at:015x}", clock.now, "claude-code", "s1", "post-tool", body=json.dumps(body)) for at in range(5_000)
    ]
    keep_traces(engine.store, asker.namespace, PROJECT, long, redact_extra=(), position=None)
    traces.keep("post-tool", **edit("/r/src/parser.py", "def day(self):\n    a = 1", "def day(self):\n    a = 2"))
    told = Session(engine, asker, "s2").hook("session-start", source="startup")
    assert "src/parser.py: day" in told


def test_a_session_that_only_asked_is_not_told_of(engine: Engine, asker: Asker, traces: Traces) -> None:
    traces.keep("prompt", prompt="what does the progress bar do with units?", cwd="/r")
    traces.work()
    assert Session(engine, asker, "s2").hook("session-start", source="startup") == ""


def test_before_a_file_a_session_is_not_told_what_it_saw_itself(engine: Engine, asker: Asker, traces: Traces) -> None:
    red = "FAILED tests/test_bar.py::test_pos - assert 3 == 4\n1 failed in 0.2s\n"
    traces.keep("tool-failed", **shell("pytest -q", red, code=1))
    traces.work()
    body = {"tool": "Read", "does": "read", "input": {"file_path": "/r/tests/test_bar.py"}}
    assert Session(engine, asker, "s1").hook("pre-tool", **body) == ""
    assert "test_pos" in Session(engine, asker, "s2").hook("pre-tool", **body)


def test_a_task_is_not_told_what_was_merely_done_and_a_question_is(
    engine: Engine, asker: Asker, traces: Traces
) -> None:
    traces.keep("post-tool", **edit("/r/src/bar.py", "def show_size(n):\n    a = 1", "def show_size(n):\n    a = 2"))
    traces.work()
    assert Session(engine, asker, "s2").prompt("add a unit to show_size in src/bar.py") == ""
    assert "show_size" in Session(engine, asker, "s3").prompt("what did we change in show_size in src/bar.py?")
    assert Session(engine, asker, "s1").prompt("what did we change in show_size in src/bar.py?") == ""


def test_a_task_is_told_what_was_mended_there(engine: Engine, asker: Asker, traces: Traces) -> None:
    red = "FAILED tests/test_bar.py::test_show_size - assert 3 == 4\n1 failed in 0.2s\n"
    traces.keep("tool-failed", **shell("pytest -q", red, code=1))
    traces.keep("post-tool", **edit("/r/src/bar.py", "def show_size(n):\n    a = 1", "def show_size(n):\n    a = 2"))
    traces.keep("post-tool", **shell("pytest -q", "4 passed in 0.2s\n"))
    traces.work()
    assert "Fixed after 2 runs" in Session(engine, asker, "s2").prompt("add a unit to show_size in src/bar.py")


def test_a_commit_is_told_without_saying_its_subject_twice(traces: Traces) -> None:
    traces.keep("post-tool", **shell("git commit -qm 'Dates without a library'", ""))
    traces.work()
    (commit,) = traces.nodes("observation")
    assert brief(commit) == "Commit: Dates without a library"


def test_a_file_that_is_gone_did_not_change_lately(
    engine: Engine, asker: Asker, traces: Traces, tmp_path: Path
) -> None:
    (tmp_path / "kept.py").write_text("a = 2\n")
    for name in ("kept.py", "gone.py"):
        traces.keep("post-tool", **{**edit(f"{tmp_path}/{name}", "a = 1", "a = 2"), "cwd": str(tmp_path)})
    traces.keep("session-end", cwd=str(tmp_path))
    traces.work()
    told = Session(engine, replace(asker, root=str(tmp_path)), "s2").hook("session-start", source="startup")
    assert "- kept.py (" in told
    assert "- gone.py (" not in told


NAMED = ["tax.py rounds half up", "see src/tax.py: it rounds", "In /r/src/tax.py it rounds.", "./src/tax.py rounds"]
NAMED += ["@src/tax.py rounds half up", "@tax.py rounds half up"]
NOT_NAMED = ["tests/test_tax.py fails", "lib/tax.py rounds", "tax.pyc is left over", "src/tax.py.orig is left over"]


@pytest.mark.parametrize("text", NAMED)
def test_what_names_a_file_alone_or_with_its_folders_is_about_it(
    engine: Engine, asker: Asker, hand: Hand, text: str
) -> None:
    hand.say(text, domain="issues")
    told = Session(engine, asker).hook("pre-tool", does="read", input={"file_path": "/r/src/tax.py"})
    assert text in told


def test_a_long_line_without_a_gap_is_looked_through_quickly(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("tax.py rounds twice. " + "a@/" * 20_000, domain="issues")
    began = time.perf_counter()
    told = Session(engine, asker).hook("pre-tool", does="read", input={"file_path": "/r/src/tax.py"})
    assert "tax.py rounds twice" in told
    assert Session(engine, asker, "s2").hook("pre-tool", does="read", input={"file_path": "/r/src/a.tax.py"}) == ""
    assert time.perf_counter() - began < 2.0


@pytest.mark.parametrize("text", NOT_NAMED)
def test_what_names_another_file_whose_name_has_this_one_in_it_is_not(
    engine: Engine, asker: Asker, hand: Hand, text: str
) -> None:
    hand.say(text, domain="issues")
    assert Session(engine, asker).hook("pre-tool", does="read", input={"file_path": "/r/src/tax.py"}) == ""


@pytest.fixture
def trees(tmp_path: Path) -> tuple[Path, Path]:
    """A repository and a second working tree of it."""
    main, other = tmp_path / "main", tmp_path / "pager"
    subprocess.run(["git", "init", "-q", str(main)], check=True)
    commit = ["-c", "user.name=a", "-c", "user.email=a@b.example", "commit", "-q", "--allow-empty", "-m", "First"]
    subprocess.run(["git", "-C", str(main), *commit], check=True)
    subprocess.run(["git", "-C", str(main), "worktree", "add", "-q", "-b", "pager", str(other)], check=True)
    return main, other


def worked(traces: Traces, session: str, tree: Path, file: str, left: str) -> None:
    (tree / file).write_text("a = 2\n")
    traces.keep("prompt", session, prompt=f"work on {file} in the tree", cwd=str(tree))
    traces.keep("post-tool", session, **{**edit(f"{tree}/{file}", "a = 1", "a = 2"), "cwd": str(tree)})
    traces.keep("stop", session, message=f"Half done. Remaining: {left}.", cwd=str(tree))
    traces.keep("session-end", session, cwd=str(tree))
    witness(traces.engine, traces.asker, RULES, traces.raw(session))


def test_where_it_was_left_is_told_of_this_working_tree_first(
    engine: Engine, asker: Asker, traces: Traces, trees: tuple[Path, Path]
) -> None:
    main, other = trees
    worked(traces, "s1", main, "bar.py", "the docs of the bar")
    worked(traces, "s2", other, "pager.py", "the quotes of the pager")
    here = replace(asker, root=str(main))
    told = Session(engine, here, "s3").hook("session-start", source="startup", cwd=str(main))
    assert told.index("the docs of the bar") < told.index("the quotes of the pager")
    assert f"in {other}" in told
    there = replace(asker, root=str(other))
    told = Session(engine, there, "s4").hook("session-start", source="startup", cwd=str(other))
    assert told.index("the quotes of the pager") < told.index(f"in {main}")


def test_what_changed_in_another_working_tree_is_not_told_as_changed_here(
    engine: Engine, asker: Asker, traces: Traces, trees: tuple[Path, Path]
) -> None:
    main, other = trees
    worked(traces, "s1", main, "bar.py", "the docs of the bar")
    worked(traces, "s2", other, "pager.py", "the quotes of the pager")
    told = Session(engine, replace(asker, root=str(main)), "s3").hook("session-start", source="startup")
    assert "- bar.py (" in told
    assert "- pager.py (" not in told


def test_a_handoff_of_nobody_knows_where_is_told_as_one_of_here(
    engine: Engine, asker: Asker, hand: Hand, trees: tuple[Path, Path]
) -> None:
    hand.say("Handoff: login half done", kind="handoff", domain="tasks")
    told = Session(engine, replace(asker, root=str(trees[0]))).hook("session-start", source="startup")
    assert "login half done" in told
    assert "(handoff, just now)" in told


WRONG, RIGHT = (
    "We don't do it that way: tests for utils always go into tests/test_utils.py, never a new test file per function.",
    "Tests for utils go into tests/test_utils/test_<function>.py, one file per function",
)


def test_at_the_start_what_a_correction_is_at_odds_with_gives_way_to_it(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    hand.say(WRONG, tags=("session", "correction"))
    hand.say(RIGHT, tags=("session", "correction"))
    told = Session(engine, asker).hook("session-start", source="startup")
    assert RIGHT in told
    assert "test_utils.py" not in told


def test_at_the_start_what_is_at_odds_without_correcting_is_told_beside_it(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    hand.say(WRONG)
    hand.say(RIGHT)
    told = Session(engine, asker).hook("session-start", source="startup")
    assert RIGHT in told
    assert WRONG[:60] in told


def test_at_the_start_a_correction_about_another_thing_replaces_nothing(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    hand.say("The HTTP timeout of the gateway is 30 seconds.")
    hand.say("The HTTP timeout of the worker is 60 seconds.", tags=("correction",))
    told = Session(engine, asker).hook("session-start", source="startup")
    assert "30 seconds" in told
    assert "60 seconds" in told


def test_a_session_that_is_closed_late_was_not_left_last(
    engine: Engine, asker: Asker, traces: Traces, clock: Clock
) -> None:
    broken_off(traces)
    clock.forward(seconds=300)
    traces.keep("post-tool", "s2", **edit("/r/src/pager.py", "a = 1", "a = 2"))
    traces.keep("stop", "s2", message="Half done. Remaining: the quotes of the pager.")
    traces.keep("session-end", "s2")
    witness(engine, asker, RULES, traces.raw("s2"))
    clock.forward(seconds=3_600)
    with engine.store.reading() as reader:
        left = reader.session(asker.namespace, "s1")
    assert left is not None
    body = json.dumps({"event": "session-end", "at": left.last_at, "reason": "abandoned"})
    witness(engine, asker, RULES, [Trace("abandoned", left.last_at, "claude-code", "s1", "session-end", body=body)])
    told = Session(engine, asker, "s3").hook("session-start", source="startup")
    assert "Next step: the quotes of the pager" in told
    assert told.count("(handoff, ") == 1


def test_a_session_that_another_one_ended_after_is_no_longer_under_way(
    engine: Engine, asker: Asker, traces: Traces, clock: Clock
) -> None:
    broken_off(traces)
    clock.forward(seconds=60)
    traces.keep("post-tool", "s2", **edit("/r/src/bar.py", "b = 1", "b = 2"))
    traces.keep("session-end", "s2")
    witness(engine, asker, RULES, traces.raw("s2"))
    assert "not ended" not in Session(engine, asker, "s3").hook("session-start", source="startup")


def test_what_the_code_did_since_is_told_with_what_drifted(engine: Engine, asker: Asker, hand: Hand) -> None:
    about = {"drift": "moved", "reason": "humanize (utils.py) is format_size now"}
    hand.say("humanize keeps the loop: math.log rounds up.", kind="decision", domain="decisions", **about)
    told = Session(engine, asker).hook("session-start", source="startup")
    assert "the code has moved since: humanize [utils.py] is format_size now) humanize keeps" in told


def ended(traces: Traces, session: str, file: str, message: str, prompt: str = "work on it", **run: object) -> None:
    """A session that edited a file, ran something where that is given, and said how it stands."""
    traces.keep("prompt", session, prompt=prompt, cwd="/r")
    traces.keep("post-tool", session, **edit(f"/r/{file}", "a = 1", f"a = '{session}'"))
    if run:
        traces.keep("tool-failed" if run.get("error") else "post-tool", session, **run)
    traces.keep("stop", session, message=message, cwd="/r")
    traces.keep("session-end", session, cwd="/r")
    witness(traces.engine, traces.asker, RULES, traces.raw(session))


RED = shell("pytest -q", "FAILED tests/test_bar.py::test_pos - assert 3 == 4\n1 failed in 0.2s\n", code=1)
GREEN = shell("pytest -q", "4 passed in 0.2s\n")


def test_a_failure_that_is_over_is_not_told_as_left(engine: Engine, asker: Asker, traces: Traces) -> None:
    ended(traces, "s1", "src/bar.py", "It fails.", **RED)
    assert "Mend: Test failed" in Session(engine, asker, "s2").hook("session-start", source="startup")
    ended(traces, "s2", "src/bar.py", "It passes.", **GREEN)
    ended(traces, "s3", "src/other.py", "Done.")
    told = Session(engine, asker, "s4").hook("session-start", source="startup")
    assert "Mend:" not in told
    assert "Failures still open" not in told


def test_what_a_later_session_took_up_is_not_told_as_left_by_the_earlier_one(
    engine: Engine, asker: Asker, traces: Traces
) -> None:
    ended(
        traces, "s1", "src/csv.py", "Half done. Remaining: quoting of fields with a semicolon.", "write the csv export"
    )
    ended(traces, "s2", "src/other.py", "Done.", "rename the other thing")
    assert "quoting of fields" in Session(engine, asker, "s3").hook("session-start", source="startup")
    ended(traces, "s3", "src/csv.py", "Done, merged.", "go on with the fields that have a semicolon in the csv export")
    ended(traces, "s4", "src/other.py", "Done.", "rename the other thing back")
    assert "quoting of fields" not in Session(engine, asker, "s5").hook("session-start", source="startup")


RULED = ["Never touch src/generated by hand.", "leave the generated/ folder alone", "Don't edit /r/src/generated/"]
NOT_RULED = ["Never touch src/made by hand.", "generated code is reviewed too", "Never touch lib/generated by hand."]


@pytest.mark.parametrize("rule", RULED)
def test_a_rule_about_a_folder_is_told_before_a_file_in_it_is_changed_though_it_was_told_at_the_start(
    engine: Engine, asker: Asker, hand: Hand, rule: str
) -> None:
    hand.say(rule, kind="preference", domain="patterns")
    session = Session(engine, asker)
    assert rule in session.hook("session-start", source="startup")
    body = {"tool": "Edit", "does": "edit", "input": {"file_path": "/r/src/generated/api.ts"}}
    assert rule in session.hook("pre-tool", **body)
    assert session.hook("pre-tool", **body) == ""
    other = {"tool": "Edit", "does": "edit", "input": {"file_path": "/r/src/generated/more.ts"}}
    assert session.hook("pre-tool", **other) == ""


@pytest.mark.parametrize("rule", NOT_RULED)
def test_a_rule_about_another_folder_is_not(engine: Engine, asker: Asker, hand: Hand, rule: str) -> None:
    hand.say(rule, kind="preference", domain="patterns")
    body = {"tool": "Edit", "does": "edit", "input": {"file_path": "/r/src/generated/api.ts"}}
    assert Session(engine, asker).hook("pre-tool", **body) == ""


def test_a_rule_that_holds_until_a_day_is_told_until_then_and_not_after(
    engine: Engine, asker: Asker, traces: Traces, clock: Clock
) -> None:
    traces.keep("prompt", prompt="send the charges to the bank in src/pay.py", cwd="/r")
    traces.keep("prompt", prompt="Until friday use the key name PAY_KEY_2 instead of PAY_KEY.", cwd="/r")
    traces.keep("session-end", cwd="/r")
    traces.work()
    assert "PAY_KEY_2" in Session(engine, asker, "s2").hook("session-start", source="startup")
    clock.forward(days=9)
    assert "PAY_KEY_2" not in Session(engine, asker, "s3").hook("session-start", source="startup")


def test_what_a_session_was_not_told_at_its_start_is_told_with_its_first_prompt(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    hand.say("Never push to main.", kind="preference", domain="patterns")
    late = Session(engine, asker).hook("prompt", prompt="add a unit to the progress bar", untold=True)
    assert "Never push to main." in late
    assert "Never push to main." not in Session(engine, asker, "s2").prompt("add a unit to the progress bar")


def test_a_session_in_which_something_was_only_said_does_not_hide_where_the_work_was_left(
    engine: Engine, asker: Asker, traces: Traces
) -> None:
    ended(
        traces, "s1", "src/csv.py", "Half done. Remaining: quoting of fields with a semicolon.", "write the csv export"
    )
    traces.keep("prompt", "s2", prompt="why no date library here? remember that amounts are in cents.", cwd="/r")
    traces.keep("session-end", "s2", cwd="/r")
    witness(traces.engine, traces.asker, RULES, traces.raw("s2"))
    told = Session(engine, asker, "s3").hook("session-start", source="startup")
    assert "quoting of fields" in told
    assert told.count("(handoff,") == 1
    assert told.count("mounts are in cents") == 1
