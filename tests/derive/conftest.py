"""A memory on the disk whose every run of a derivation is counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import marrow
from marrow.app import Memory

Runs = list[tuple[str, str]]


class Desk:
    """A memory that can be closed and opened again, and what was computed since the last look."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.runs: Runs = []
        self.memory = self._opened()

    def _opened(self) -> Memory:
        memory = marrow.open(self.folder, store=str(self.folder / "marrow.db"), project="orchard")
        memory.engine.tally.listeners.append(lambda name, given: self.runs.append((name, given)))
        return memory

    def restart(self) -> None:
        self.memory.close()
        self.memory = self._opened()

    def taken(self) -> Runs:
        runs, self.runs[:] = sorted(self.runs), []
        return runs


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("MARROW_HOME", str(folder / ".marrow"))
    return folder


@pytest.fixture
def desk(tmp_path: Path, home: Path) -> Iterator[Desk]:
    project = tmp_path / "orchard"
    project.mkdir()
    (project / ".git").mkdir()
    made = Desk(project)
    yield made
    made.memory.close()


Make = Callable[[str], str]
