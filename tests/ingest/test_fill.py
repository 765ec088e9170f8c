"""Filling a memory from a repository: all of it once, what is new later, and nothing that somebody took away."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.app import Memory
from marrow.memory import fill as filling

from .conftest import Commit

README = "# Kiln\n\nKiln bakes reports.\n\n## Choice of database\n\nSQLite, because it needs no server.\n"


@pytest.fixture
def filled_root(root: Path, commit: Commit) -> Path:
    (root / "README.md").write_text(README, encoding="utf-8")
    commit("Add the first report")
    commit("Retry the upload\n\nThe proxy drops idle connections.")
    return root


def contents(memory: Memory) -> set[str]:
    return {item.content for item in memory.perform("memory_active", {"budget_tokens": 20_000}).result.items}


def head(memory: Memory) -> int:
    return int(memory.perform("memory_status", {}).result.seq)


def test_everything_is_taken_in_and_a_second_time_nothing(filled_root: Path, memory: Memory) -> None:
    first = memory.fill()
    assert (first.files, first.passages, first.commits, first.added, first.gone) == (1, 2, 2, 4, 0)
    seq = head(memory)
    again = memory.fill()
    assert (again.passages, again.commits, again.added, again.gone) == (2, 2, 0, 0)
    assert head(memory) == seq
    found = memory.search("proxy", kinds=["commit"]).items[0]
    assert (found.at, found.domain) == ("2026-01-05T12:00:00Z", "history")


def test_only_what_is_new_is_added_and_what_went_is_retracted(
    filled_root: Path, memory: Memory, commit: Commit
) -> None:
    memory.fill()
    (filled_root / "README.md").write_text(README.replace("SQLite", "PostgreSQL"), encoding="utf-8")
    commit("Move to PostgreSQL")
    second = memory.fill()
    assert (second.added, second.gone) == (2, 1)
    assert not any("SQLite" in content for content in contents(memory))
    (filled_root / "README.md").write_text(README, encoding="utf-8")
    third = memory.fill()
    assert (third.added, third.gone) == (1, 1)
    assert any("SQLite" in content for content in contents(memory))


def test_what_somebody_forgot_or_superseded_stays_so(filled_root: Path, memory: Memory) -> None:
    memory.fill()
    sqlite = memory.search("SQLite server", kinds=["document"]).items[0].address
    kiln = memory.search("bakes reports", kinds=["document"]).items[0].address
    memory.perform("memory_forget", {"address": sqlite})
    memory.update(kiln, content="Kiln bakes reports and charts.")
    assert memory.fill().added == 0
    assert not any("SQLite" in content for content in contents(memory))


def test_what_a_person_saved_is_never_retracted(filled_root: Path, memory: Memory) -> None:
    memory.save("A document that is in no file.", kind="document")
    assert memory.fill().gone == 0
    assert memory.fill().gone == 0
    assert "A document that is in no file." in contents(memory)


def test_messages_that_say_the_same_are_one_memory(root: Path, memory: Memory, commit: Commit) -> None:
    for _ in range(5):
        commit("wip")
    filled = memory.fill()
    assert (filled.commits, filled.added) == (5, 1)
    (record,) = memory.search("wip").items
    assert memory.get(record.address).standing["reinforced"] == 0


def test_a_text_with_a_secret_is_taken_in_once_without_it(root: Path, memory: Memory, commit: Commit) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    commit(f"Stop logging the token\n\nIt was {token} until now.")
    assert memory.fill().added == 1
    assert memory.fill().added == 0
    assert token not in "".join(contents(memory))


def test_a_text_that_is_private_as_a_whole_is_left_out(root: Path, memory: Memory, commit: Commit) -> None:
    commit("<private>our plans</private>")
    assert memory.fill().added == 0


def test_a_commit_from_the_future_was_said_now(root: Path, memory: Memory, commit: Commit) -> None:
    commit("Written by a clock that ran ahead", "2090-01-01T00:00:00Z")
    assert memory.fill().added == 1
    assert memory.search("clock").items[0].age == "just now"


def test_progress_reaches_the_end(filled_root: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filling, "BATCH", 3)
    steps: list[tuple[int, int | None]] = []
    memory.fill(progress=lambda done, total: steps.append((done, total)))
    assert steps == [(3, 4), (4, 4)]


def test_the_question_is_one_that_this_memory_answers(filled_root: Path, memory: Memory) -> None:
    question = memory.fill().question
    assert question == "What should I know about Choice of database?"
    assert "SQLite" in memory.recall(question).items[0].content


def test_without_documents_the_question_is_about_the_history(root: Path, memory: Memory, commit: Commit) -> None:
    assert memory.fill().question == "What is this project about?"
    commit("Add the first report")
    assert memory.fill().question == "What about Add the first report?"
    commit("fix: Retry the upload\n\nThe proxy drops idle connections.")
    assert memory.fill().question == "Why did we retry the upload?"


def test_a_folder_that_is_no_repository_has_documents_only(tmp_path: Path, memory: Memory) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "README.md").write_text(README, encoding="utf-8")
    filled = memory.fill(folder)
    assert (filled.passages, filled.commits, filled.problem) == (2, 0, "")


def test_without_git_the_documents_are_read_all_the_same(
    filled_root: Path, memory: Memory, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    filled = memory.fill()
    assert (filled.passages, filled.commits) == (2, 0)
    assert "git" in filled.problem
