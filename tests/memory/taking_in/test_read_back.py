"""A history that was cut says how far back it was read, and how to read on."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.operations import ingest_talk


def git(root: Path, day: int, *arguments: str) -> str:
    at = f"2024-05-{day:02d}T12:00:00+00:00"
    identity = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    dated = {**os.environ, "GIT_AUTHOR_DATE": at, "GIT_COMMITTER_DATE": at}
    done = subprocess.run(["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True, env=dated)
    return done.stdout.decode().strip()


@pytest.fixture
def memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Memory]:
    monkeypatch.setenv("HOME", str(tmp_path))
    root = tmp_path / "kiln"
    root.mkdir()
    git(root, 1, "init", "-q", "-b", "main")
    with open_memory(root, store=str(tmp_path / "marrow.db"), embedder="none") as opened:
        yield opened


def commit(memory: Memory, days: range) -> None:
    for day in days:
        git(Path(memory.call.asker.root), day, "commit", "-q", "--allow-empty", "-m", f"Step {day}")


def test_a_history_without_commits_is_not_cut(memory: Memory) -> None:
    assert memory.ingest_history().back is None


def test_a_history_that_was_cut_says_to_which_commit_and_how_to_read_on(memory: Memory) -> None:
    commit(memory, range(1, 8))
    done = memory.ingest_history(limit=3)
    fifth = git(Path(memory.call.asker.root), 1, "rev-parse", "HEAD~2")
    assert done.back == {"commit": fifth, "date": "2024-05-05", "earlier": 4, "total": 7, "limit": 3}
    told = f"read back to commit {fifth[:10]} of 2024-05-05: 4 earlier commits not read; limit=7 reads further back"
    assert told in done.text()
    assert memory.ingest_history(limit=7).back is None


def test_what_was_read_before_with_a_higher_limit_counts(memory: Memory) -> None:
    commit(memory, range(1, 8))
    memory.ingest_history(limit=5)
    back = memory.ingest_history(limit=2).back
    assert back is not None
    assert (back["date"], back["earlier"]) == ("2024-05-03", 2)


def test_of_what_came_after_a_time_only_that_is_counted(memory: Memory) -> None:
    commit(memory, range(1, 8))
    assert memory.ingest_history(since="2024-05-04", limit=4).back is None
    back = memory.ingest_history(since="2024-05-02", limit=3).back
    assert back is not None
    assert (back["date"], back["earlier"]) == ("2024-05-04", 2)


def test_what_lies_between_two_readings_is_counted_and_merges_are_not(memory: Memory) -> None:
    root = Path(memory.call.asker.root)
    commit(memory, range(1, 6))
    memory.ingest_history(limit=2)
    git(root, 6, "checkout", "-q", "-b", "side", "HEAD~1")
    commit(memory, range(6, 8))
    git(root, 8, "checkout", "-q", "main")
    git(root, 8, "merge", "-q", "--no-ff", "-m", "Join", "side")
    commit(memory, range(9, 12))
    back = memory.ingest_history(limit=2).back
    assert back is not None
    # Of 11: two were read now and two before; one is a merge.
    assert (back["earlier"], back["total"]) == (6, 11)


def test_where_the_limit_is_the_highest_it_is_not_told_to_raise_it(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_talk, "COMMITS_LIMIT", 3)
    commit(memory, range(1, 8))
    text = memory.ingest_history(limit=3).text()
    assert "4 earlier commits not read" in text
    assert "reads further back" not in text
