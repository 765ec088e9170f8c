"""Real repositories, made with git, away from the settings of whoever runs the tests."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

Git = Callable[..., str]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def environ(home: Path) -> dict[str, str]:
    """What identity is told of the environment."""
    return {"HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1"}


@pytest.fixture
def git(home: Path) -> Git:
    """Runs git in a folder, as one author at one time."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    author = {
        f"GIT_{who}_{what}": f"{what} of {who}".lower() for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    dates = {"GIT_AUTHOR_DATE": "2026-03-01T12:00:00+02:00", "GIT_COMMITTER_DATE": "2026-03-02T12:00:00+02:00"}
    fixed = {**kept, **author, **dates, "HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "GIT_ALLOW_PROTOCOL": "file"}

    def run(folder: Path, *arguments: str, **variables: str) -> str:
        command = ["git", "-c", "init.defaultBranch=main", "-c", "protocol.file.allow=always", *arguments]
        done = subprocess.run(command, cwd=folder, env={**fixed, **variables}, capture_output=True, check=True)
        return done.stdout.decode()

    return run


@pytest.fixture
def repository(tmp_path: Path, git: Git) -> Path:
    """A repository with one commit and no origin."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet")
    (folder / "file.txt").write_text("text\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "first")
    return folder
