"""A small repository with a memory of it, for the tests of places in the code."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from marrow.app import Memory, open_memory
from marrow.model.record import CURRENT, Record

APP = '''"""How requests are answered, and in which order."""

TIMEOUT = 30


def parse_date(text):
    """Read a date as people write it, day first."""
    if not text:
        return None
    return text.split("-")


class Store:
    """Keeps rows in one file, safe from power loss."""

    def close(self):
        """Close."""
        self.done = True

    def rows(self, limit):
        """Every row that was written before the last flush."""
        return self.all[:limit]
'''


class Desk:
    """A repository at `root` and the memory of it."""

    def __init__(self, root: Path, memory: Memory) -> None:
        self.root, self.memory = root, memory

    def write(self, path: str, text: str | None) -> None:
        file = self.root / path
        if text is None:
            file.unlink()
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def edit(self, path: str, old: str, new: str) -> None:
        text = (self.root / path).read_text()
        assert text.count(old) == 1, (old, text.count(old))
        self.write(path, text.replace(old, new))

    def git(self, *arguments: str) -> str:
        names = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
        command = ["git", "-C", str(self.root), *names, *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, message: str = "as it is") -> str:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")

    def save(self, content: str, **about: Any) -> str:
        """The whole address of what was saved."""
        return self.memory.get(self.memory.save(content, **about).items[0].address).address

    def record(self, address: str) -> Record:
        with self.memory.store.reading() as reader:
            return reader.records(self.memory.scope.namespace, [address], (self.memory.project,), CURRENT)[0]

    def anchors(self, address: str) -> list[str]:
        return sorted(self.memory.get(address).anchors)

    def details(self, address: str) -> dict[tuple[str, str], dict[str, Any]]:
        with self.memory.store.reading() as reader:
            found = reader.anchors([self.record(address).entry], CURRENT)
        return {(one.type, one.target): one.fields for some in found.values() for one in some}

    def drift(self, address: str) -> str:
        return self.record(address).standing.drift


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    for name in [name for name in os.environ if name.startswith(("MARROW_", "GIT_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    root = tmp_path / "work"
    root.mkdir()
    subprocess.run(["git", "-C", str(root), "init", "--quiet"], check=True, capture_output=True)
    with open_memory(root, store=str(tmp_path / "marrow.db"), project="orchard", embedder="fake") as memory:
        made = Desk(root, memory)
        made.write("src/app.py", APP)
        made.commit()
        yield made
