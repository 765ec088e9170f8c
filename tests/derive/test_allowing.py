"""A file of derivations that changed, or is not there: it never runs, and it is never silent."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from marrow.model.errors import NotFound

from .conftest import Desk
from .test_users import WORDS, named, said


def test_changed_file_is_told_wherever_its_derivations_are_missed(desk: Desk) -> None:
    file = named(desk)
    said(desk)
    assert "changed since" not in desk.memory.derivations().text()
    desk.memory.allow_derivations()
    assert "not run" not in desk.memory.recompute().text()
    file.write_text(WORDS.format(version="2"))
    changed = "tools/derive.py: It changed since it was allowed"
    assert changed in desk.memory.derivations().text()
    assert changed in desk.memory.recompute().text()
    assert changed in desk.memory.recompute(dry_run=True).text()
    with pytest.raises(NotFound) as raised:
        desk.memory.recompute(name=["word_count"])
    assert changed in raised.value.hint
    assert "marrow derivations allow" in raised.value.hint


def test_code_that_changed_without_a_new_version_is_told_to_give_no_other_values(desk: Desk) -> None:
    file = named(desk)
    said(desk)
    desk.memory.allow_derivations()
    assert "Nothing is due" not in desk.memory.recompute().text()
    file.write_text(file.read_text() + "\n# another way\n")
    desk.memory.allow_derivations()
    again = desk.memory.recompute()
    assert (again.ran, again.nothing_due) == (0, True)
    assert "raise `version`" in again.text()
    assert not desk.memory.recompute(name=["word_count"]).nothing_due


def test_same_name_allowed_in_another_repository_is_no_change_of_this_one(desk: Desk, tmp_path: Path) -> None:
    named(desk)
    desk.memory.allow_derivations()
    other = tmp_path / "pears"
    (other / ".git").mkdir(parents=True)
    elsewhere = Desk(other)
    named(elsewhere, WORDS.format(version="9"))
    told = elsewhere.memory.derivations().text()
    elsewhere.memory.close()
    assert "It may not run: look at it" in told


def run(desk: Desk, *words: str) -> tuple[int, str, str]:
    command = [sys.executable, "-m", "marrow", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=desk.folder, env=dict(os.environ))
    return done.returncode, done.stdout, done.stderr


def test_command_line_says_what_is_allowed_already_and_what_is_missing(desk: Desk) -> None:
    code, told, _ = run(desk, "derivations", "allow")
    assert (code, "No file is named" in told) == (0, True)
    file = named(desk)
    assert "may run, as it is now" in run(desk, "derivations", "allow")[1]
    assert "may run already" in run(desk, "derivations", "allow")[1]
    file.unlink()
    code, _, problem = run(desk, "derivations", "allow")
    assert code == 2
    assert "tools/derive.py: It cannot be read: No such file or directory." in problem


def test_command_line_recomputes_what_stands_in_its_place(desk: Desk) -> None:
    run(desk, "save", "--kind", "document", "The press is cleaned each Monday.")
    code, told, problem = run(desk, "recompute", "summary", "topics")
    assert (code, problem) == (0, "")
    assert "computed 2, " in told
