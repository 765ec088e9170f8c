"""A repository to read, and a memory to fill."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory

Commit = Callable[..., None]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    subprocess.run(["git", "-C", str(folder), "init", "-q", "-b", "main"], check=True)
    return folder


@pytest.fixture
def commit(root: Path) -> Commit:
    """Commits everything that is there, with a message and a date."""

    def commit(message: str, date: str = "2026-01-05T12:00:00Z") -> None:
        git = ["git", "-C", str(root), "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
        environment = {**os.environ, "GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date}
        subprocess.run([*git, "add", "-A"], check=True)
        command = [*git, "commit", "-q", "--allow-empty", "--allow-empty-message", "-m", message]
        subprocess.run(command, check=True, env=environment)

    return commit


@pytest.fixture
def memory(root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Memory]:
    monkeypatch.setenv("HOME", str(tmp_path))
    with open_memory(root, store="memory:") as opened:
        yield opened
