"""Telling of other sessions: those that have not ended, those of another working tree; never a session of itself."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from marrow.memory.engine import Asker, Engine
from marrow.memory.witness import witness

from .conftest import Clock, Hand
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
