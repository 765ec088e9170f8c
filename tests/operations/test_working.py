"""Working with files through the operations: what a reader gets, rights, budgets, other spellings."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.model.errors import Forbidden, Invalid
from marrow.model.scope import READ
from marrow.model.text import token_estimate

from .conftest import PROJECT, Do, perform_with


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "project"
    (place / "src").mkdir(parents=True)
    (place / ".marrow.toml").write_text("")
    (place / "src" / "app.py").write_text("".join(f"value_{number} = {number}\n" for number in range(1, 201)))
    return place


@pytest.fixture
def memory(tmp_path: Path, folder: Path) -> Iterator[Memory]:
    with open_memory(folder, store=str(tmp_path / "marrow.db"), project=PROJECT, embedder="fake") as opened:
        yield opened


def test_a_file_is_read_with_numbers_and_what_is_known(do: Do, said: Do) -> None:
    do("memory_save", content="Value seven is magic", anchors=["src/app.py:7-7"])
    text = said("memory_read", file="src/app.py", offset=6, limit=3)
    assert "Value seven is magic" in text
    assert "7  value_7 = 7" in text
    assert "offset=9" in text
    assert "Value seven" not in said("memory_read", path="src/app.py", offset=50, limit=3)


@pytest.mark.parametrize("budget", [60, 300, 1_500])
def test_a_read_keeps_its_budget_and_whole_lines(do: Do, said: Do, budget: int) -> None:
    for number in range(10):
        do(
            "memory_save",
            content=f"Known thing number {number} about the values of the application",
            anchors=["src/app.py"],
        )
    assert token_estimate(said("memory_read", file="src/app.py", budget_tokens=budget)) <= budget * 1.2
    found = do("memory_read", file="src/app.py", budget_tokens=budget)
    assert found.content.split("\n")[-1] == f"value_{found.end} = {found.end}"


def test_grep_tells_lines_by_file_and_what_is_hidden(do: Do, said: Do) -> None:
    text = said("memory_grep", pattern=r"value_1\d\b")
    assert "src/app.py (10)" in text
    assert "11: value_11 = 11" in text or "10: value_10 = 10" in text
    assert "… 5 more" in text
    assert said("memory_grep", pattern="nothing like it") == "Nothing matches."
    assert do("memory_grep", pattern="value", glob="*.md").files == 0


def test_glob_lists_names_with_what_is_known(do: Do, said: Do) -> None:
    do("memory_save", content="Values are made by hand", anchors=["src/app.py"])
    assert said("memory_glob", pattern="*.py") == "src/app.py  (1 known: Values are made by hand)"
    assert said("memory_glob", pattern="*.zzz") == "No file of the project matches."


def test_write_and_edit_say_what_may_no_longer_hold(do: Do, said: Do, folder: Path) -> None:
    do("memory_save", content="Value seven is magic", anchors=["src/app.py:7-7"])
    text = said("memory_edit", path="src/app.py", old_string="value_7 = 7\n", new_string="value_7 = 8\n")
    assert "edited src/app.py, lines 7-7" in text
    assert "Value seven is magic" in text
    assert "value_7 = 8\n" in (folder / "src" / "app.py").read_text()
    text = said("memory_write", file="notes.txt", content="one\n", claim="Notes are plain")
    assert text.startswith("made notes.txt")
    assert "saved the claim" in text
    assert said("memory_write", path="notes.txt", content="one\n").startswith("unchanged: notes.txt")


def test_an_edit_notes_the_drift_of_what_it_changed_and_not_of_the_rest(do: Do, said: Do) -> None:
    changed = do("memory_save", content="Value seven is seven", anchors=["src/app.py:7-7"]).items[0].address
    kept = do("memory_save", content="Value fifty is fifty", anchors=["src/app.py:50-50"]).items[0].address
    text = said("memory_edit", path="src/app.py", old_string="value_7 = 7\n", new_string="value_7 = 70\n")
    assert "Value seven is seven" in text
    assert "Value fifty" not in text
    assert do("memory_get", address=changed).standing["drift"] == "changed"
    assert do("memory_get", address=kept).standing["drift"] == ""


def test_who_may_only_read_may_read_and_not_write(memory: Memory, folder: Path) -> None:
    assert perform_with(memory, (READ,), "memory_read", {"file": "src/app.py"}).text
    for operation, arguments in (
        ("memory_write", {"path": "x.txt", "content": "x"}),
        ("memory_edit", {"path": "src/app.py", "old_string": "value_7 = 7\n", "new_string": ""}),
    ):
        with pytest.raises(Forbidden):
            perform_with(memory, (READ,), operation, arguments)
    assert not (folder / "x.txt").exists()


def test_nothing_outside_of_the_project_is_reached(do: Do, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("x\n")
    for operation, arguments in (
        ("memory_read", {"file": "../outside.txt"}),
        ("memory_write", {"path": "../outside.txt", "content": "y"}),
        ("memory_edit", {"path": str(tmp_path / "outside.txt"), "old_string": "x", "new_string": "y"}),
        ("memory_grep", {"pattern": "x", "path": ".."}),
        ("memory_glob", {"pattern": "*", "path": "/"}),
    ):
        with pytest.raises(Invalid):
            do(operation, **arguments)
    assert (tmp_path / "outside.txt").read_text() == "x\n"


def test_exploring_reads_as_numbered_steps(do: Do, said: Do) -> None:
    do("memory_save", content="The app values come from the vendor", anchors=["src/app.py"])
    text = said("memory_explore", topic="app values", deep=True)
    for step in ("1. recall", "2. locate", "3. search", "6. gaps", "7. tensions"):
        assert step in text
    assert "The app values come from the vendor" in text
    assert token_estimate(said("memory_explore", topic="app values", budget_tokens=150)) <= 150


def test_a_plan_names_every_section(do: Do, said: Do) -> None:
    do("memory_save", content="The app values are frozen until June", domain="decisions", anchors=["src/app.py"])
    text = said("memory_plan", task="change the app values")
    for section in ("architecture", "constraints:", "risks", "state", "files:", "blockers"):
        assert section in text
    assert "The app values are frozen until June" in text
    found = do("memory_plan", task="change the app values")
    assert all(item.source for item in found.items)


def test_a_plan_in_a_repository_without_a_commit_says_so(said: Do, folder: Path) -> None:
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(folder)], check=True)
    assert "on main, without a commit yet; " in said("memory_plan", task="change the app values")


def test_a_plan_finds_a_constant_by_its_word_and_what_is_known_about_it(do: Do, said: Do, folder: Path) -> None:
    (folder / "src" / "net.py").write_text("TIMEOUT = 30\n\n\ndef fetch(url):\n    return TIMEOUT\n")
    do("memory_map")
    do("memory_save", content="TIMEOUT is 30 because the proxy closes after 60", anchors=["src/net.py:1-1"])
    text = said("memory_plan", task="raise the timeout")
    assert "constant TIMEOUT in line 1" in text
    assert "TIMEOUT is 30 because the proxy closes after 60" in text


def test_what_is_known_is_told_with_the_lines_that_it_is_about_now(do: Do, said: Do, folder: Path) -> None:
    path = folder / "src" / "net.py"
    path.write_text("import os\n\n\ndef fetch(url, retries):\n    return os.popen(url, retries).read()\n")
    do("memory_save", content="Fetching is never cached", anchors=["src/net.py:4-5"])
    path.write_text("# one\n# two\n# three\n" * 4 + path.read_text())
    assert "lines 16-17" in said("memory_grep", pattern="popen")
    assert "Fetching is never cached" in said("memory_read", file="src/net.py", offset=16, limit=2)
    assert "Fetching is never cached" not in said("memory_read", file="src/net.py", offset=1, limit=6)
