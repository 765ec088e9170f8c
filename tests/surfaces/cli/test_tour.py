"""`marrow tour`: the first minute, twice, on a real repository."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from .conftest import CommandLine, Here


def test_the_tour_fills_a_memory_and_answers_a_question(marrow: CommandLine) -> None:
    ran = marrow.run("tour")
    assert (ran.code, ran.err) == (0, "")
    assert "looked at 2 files and 3 commit messages" in ran.out
    assert ": 5 new." in ran.out
    assert "Asked: What should I know about " in ran.out
    assert "[1] " in ran.out
    assert "leans on" not in ran.out  # there is no code to tell of
    again = marrow.run("tour", "why", "do", "we", "retry", "uploads")
    assert "nothing new, all of it was known." in again.out
    assert "The proxy drops idle connections" in again.out


def test_the_tour_leaves_the_real_store_and_the_repository_alone(marrow: CommandLine) -> None:
    marrow.run("tour")
    assert not Path(marrow.environment["MARROW_HOME"]).exists()
    changed = subprocess.run(
        ["git", "-C", str(marrow.repository), "status", "--short"], capture_output=True, text=True, check=True
    )
    assert changed.stdout == ""
    folder = next(Path(marrow.environment["TMPDIR"]).iterdir())
    assert folder.stat().st_mode & 0o077 == 0


def test_the_commands_to_try_next_work(marrow: CommandLine) -> None:
    shape = marrow.run("tour", "--json").json
    assert len(shape["commands"]) == 3
    for line in shape["commands"]:
        ran = marrow.run(*shlex.split(line)[3:])
        assert ran.code == 0, ran.err
        assert ran.out
    assert marrow.run("--store", shape["store"], "search", "--kinds", "commit", "--json").json["items"]


def test_the_tour_can_go_elsewhere_and_says_how_to_go_on_from_here(marrow: CommandLine, tmp_path: Path) -> None:
    outside = CommandLine(tmp_path, marrow.environment)
    shape = outside.run("tour", str(marrow.repository), "when", "may", "I", "deploy", "--json").json
    assert shape["folder"] == str(marrow.repository)
    assert shape["question"] == "when may I deploy"
    assert "Tuesdays" in shape["answer"]["items"][0]["content"]
    assert outside.run(*shlex.split(shape["commands"][0])[3:], "--json").json["items"]


def test_the_tour_can_use_a_store_that_is_named(marrow: CommandLine) -> None:
    assert marrow.run("--store", "mine.db", "tour").code == 0
    assert marrow.run("tour", "--store", "mine.db", "--json").json["added"] == 0
    assert marrow.run("recall", "when to deploy", "--store", "mine.db", "--json").json["items"]


def test_a_folder_that_is_not_there_is_an_error(here: Here) -> None:
    assert here("tour", "/no/such/folder").code == 3
    assert here("tour", "README.md").code == 3


@pytest.mark.parametrize("is_repository", [True, False])
def test_an_empty_folder_has_nothing_to_tell(marrow: CommandLine, tmp_path: Path, is_repository: bool) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    if is_repository:
        subprocess.run(["git", "-C", str(empty), "init", "-q"], check=True)
    ran = marrow.run("tour", str(empty))
    assert ran.code == 0
    assert "there is nothing to read here yet" in ran.out


def test_the_tour_on_a_terminal_reads_well(marrow: CommandLine) -> None:
    out = marrow.on_terminal("tour", "why", "sqlite", "--no-color", columns=60).out
    assert "· document ·" in out
    assert "Try next:" in out
