"""Filling a memory from a repository: all of it once, what is new later, and nothing that somebody took away."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.app import Memory

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
    assert (first.files, first.commits, first.added, first.gone) == (1, 2, 3, 0)
    seq = head(memory)
    again = memory.fill()
    assert (again.files, again.commits, again.added, again.changed, again.gone) == (1, 2, 0, 0, 0)
    assert head(memory) == seq
    found = memory.search("proxy", kinds=["commit"]).items[0]
    assert (found.at, found.domain) == ("2026-01-05T12:00:00Z", "history")


def test_only_what_changed_is_taken_in_and_what_went_is_retracted(
    filled_root: Path, memory: Memory, commit: Commit
) -> None:
    memory.fill()
    (filled_root / "README.md").write_text(README.replace("SQLite", "PostgreSQL"), encoding="utf-8")
    commit("Move to another database")
    second = memory.fill()
    assert (second.added, second.changed, second.gone) == (1, 1, 0)
    assert not any("SQLite" in content for content in contents(memory))
    (filled_root / "README.md").unlink()
    assert memory.fill().gone == 1
    assert not any("PostgreSQL" in content for content in contents(memory))
    (filled_root / "README.md").write_text(README, encoding="utf-8")
    assert memory.fill().gone == 0
    assert any("SQLite" in content for content in contents(memory))


def test_what_somebody_forgot_or_superseded_stays_so(filled_root: Path, memory: Memory) -> None:
    (filled_root / "NOTES.md").write_text("# Notes\n\nKiln bakes charts too.\n", encoding="utf-8")
    memory.fill()
    sqlite = memory.search("SQLite server", kinds=["document"]).items[0].address
    notes = memory.search("bakes charts", kinds=["document"]).items[0].address
    memory.perform("memory_forget", {"address": sqlite})
    memory.update(notes, content="Kiln bakes reports and charts.")
    assert memory.fill().added == 0
    assert not any("SQLite" in content or "charts too" in content for content in contents(memory))


def test_what_a_person_saved_is_never_retracted(filled_root: Path, memory: Memory) -> None:
    memory.save("A document that is in no file.", kind="document")
    assert memory.fill().gone == 0
    assert memory.fill().gone == 0
    assert "A document that is in no file." in contents(memory)


def test_messages_that_say_the_same_are_one_memory(root: Path, memory: Memory, commit: Commit) -> None:
    for _ in range(5):
        commit("wip")
    assert memory.fill().commits == 5
    assert len(memory.search("wip").items) == 1


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


def test_progress_reaches_the_end(filled_root: Path, memory: Memory) -> None:
    steps: list[tuple[int, int | None]] = []
    memory.fill(progress=lambda done, total: steps.append((done, total)))
    assert steps[-1][0] == steps[-1][1] == 1


def test_the_question_is_one_that_this_memory_answers(filled_root: Path, memory: Memory) -> None:
    folder = filled_root / "docs" / "adr"
    folder.mkdir(parents=True)
    decision = "# 1. Use SQLite\n\n## Status\n\nAccepted\n\n## Decision\n\nSQLite, because it needs no server.\n"
    (folder / "0001-use-sqlite.md").write_text(decision, encoding="utf-8")
    question = memory.fill().question
    assert question == "Why did we decide to use SQLite?"
    assert memory.ask(question).items[0].kind == "decision"


def test_without_documents_the_question_is_about_the_history(root: Path, memory: Memory, commit: Commit) -> None:
    assert memory.fill().question == "What is this project about?"
    commit("Add the first report")
    assert memory.fill().question == "What about Add the first report?"


def test_a_folder_that_is_no_repository_has_files_only(tmp_path: Path, memory: Memory) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    (folder / "README.md").write_text(README, encoding="utf-8")
    filled = memory.fill(folder)
    assert (filled.files, filled.commits, filled.problem) == (1, 0, "")
