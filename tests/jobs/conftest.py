"""What the tests of the background share: a home with repositories in it, and what a daemon has open there."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from marrow.app import Memories
from marrow.capture import inbox
from marrow.jobs.chores import Chores
from marrow.jobs.drain import drain
from marrow.jobs.place import Place
from marrow.memory.engine import now_micros
from marrow.model.trace import Trace


class Home:
    """A user's home, two repositories in it, and what a daemon has open there."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.home = folder / ".marrow"
        for name in ("one", "two"):
            (folder / name / ".git").mkdir(parents=True)
        for name in [name for name in os.environ if name.startswith("MARROW_")]:
            monkeypatch.delenv(name)
        monkeypatch.setenv("HOME", str(folder))
        monkeypatch.setenv("MARROW_EMBEDDER", "fake")
        self.memories = Memories()
        self.number = 0
        self.made: list[Chores] = []

    def write(self, event: str, *, project: str = "one", session: str = "s1", **body: Any) -> None:
        self.number += 1
        at = {"v": 1, "id": f"{self.number:016x}", "at": now_micros(), "host": "claude-code", "event": event}
        line = {**at, "session": session, "cwd": str(self.folder / project), **body}
        assert inbox.append(str(self.home), json.dumps(line))

    def place(self, project: str = "one") -> Place:
        memory = self.memories.at(str(self.folder / project))
        return Place(memory.engine, memory.call.asker, memory.settings)

    def default(self) -> Place:
        return self.place(".")

    def drain(self) -> int:
        def at(path: str, store: str, project: str, namespace: str) -> Place:
            memory = self.memories.at(path, store, project, namespace)
            return Place(memory.engine, memory.call.asker, memory.settings)

        return drain(str(self.home), at, self.default())

    def kept(self) -> list[Trace]:
        with self.default().engine.store.reading() as reader:
            return reader.traces("local")

    def chores(self) -> Chores:
        self.made.append(self.memories.chores(str(self.home)))
        return self.made[-1]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    made = Home(tmp_path, monkeypatch)
    yield made
    for chores in made.made:  # what maps a project may run still
        chores.stop()
    made.memories.close()
