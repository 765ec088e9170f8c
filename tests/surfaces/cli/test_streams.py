"""Streams that are closed or full, and words that are no text: nothing of it is a fault of Marrow's."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from .conftest import MARROW, CommandLine


def shell(marrow: CommandLine, command: str) -> subprocess.CompletedProcess[str]:
    """A command of the shell, in which `marrow` is Marrow."""
    words = " ".join(MARROW)
    script = f'marrow() {{ {words} "$@"; }}; {command}'
    where = {"cwd": marrow.repository, "env": marrow.environment}
    return subprocess.run(["/bin/sh", "-c", script], capture_output=True, text=True, check=False, **where)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_no_fault(marrow: CommandLine, closed: str) -> None:
    assert shell(marrow, f"marrow save we use SQLite {closed}").returncode == 0
    assert "SQLite" in marrow.run("active").out
    assert shell(marrow, f"marrow get nothing {closed}").returncode == 2


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full device here")
@pytest.mark.parametrize(
    "words", ["active", "active --json", "save we use SQLite", "help commands", "get nothing --json"]
)
def test_an_answer_that_cannot_be_written_is_told_as_that(marrow: CommandLine, words: str) -> None:
    marrow.run("save", "The gate is green.")
    done = shell(marrow, f"marrow {words} > /dev/full")
    assert done.returncode == 69
    assert done.stderr.startswith("error: The answer could not be written: No space left on device.")
    assert "fault" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="a folder that somebody is in can be deleted there")
@pytest.mark.parametrize("words", ["status", "tour", "mcp"])
def test_a_folder_that_was_deleted_is_no_fault(marrow: CommandLine, words: str) -> None:
    done = shell(marrow, f"mkdir gone && cd gone && rmdir ../gone && marrow {words} </dev/null")
    assert done.returncode == 3
    assert done.stderr == "error: The current directory no longer exists.\nhint: Change to one that does.\n"


@pytest.mark.skipif(sys.platform != "linux", reason="the shell hands on any bytes there")
def test_a_project_that_is_no_text_is_refused(marrow: CommandLine) -> None:
    for words in (b"--project \xff status", b"status --project \xff"):
        done = subprocess.run(
            [*map(os.fsencode, MARROW), *words.split()],
            capture_output=True,
            cwd=marrow.repository,
            env=marrow.environment,
            check=False,
        )
        assert done.returncode == 2
        assert b"project is no valid Unicode text" in done.stderr


def test_help_takes_a_command_of_two_words_as_one_word_too(marrow: CommandLine) -> None:
    assert marrow.run("help", "snapshot restore").out == marrow.run("help", "snapshot", "restore").out


def test_help_on_a_save_promises_no_every_project(marrow: CommandLine) -> None:
    told = marrow.run("help", "save").out
    assert "in every one" not in told
    assert "or both" not in told
