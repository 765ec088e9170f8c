"""A memory beside a real repository."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from marrow.memory.engine import Asker, Engine
from marrow.providers.embedder import embedder
from marrow.store import open_store

from ...repository.conftest import Git, git, home, repository
from ..conftest import Clock, asker_of

__all__ = ["Git", "Saying", "git", "home", "repository"]


class Saying:
    """Makes commits: a file, a text, a message."""

    def __init__(self, git: Git, folder: Path) -> None:
        self.git, self.folder = git, folder

    def __call__(self, message: str, **files: str | None) -> str:
        """Names have `_` for a slash and end in `.txt`; None deletes. The hash."""
        for name, text in files.items():
            path = self.folder / f"{name.replace('_', '/')}.txt"
            if text is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git(self.folder, "add", "--all")
        self.git(self.folder, "commit", "--quiet", "--allow-empty", "--message", message)
        return self.git(self.folder, "rev-parse", "HEAD").strip()


@pytest.fixture
def engine(tmp_path: Path, clock: Clock) -> Iterator[Engine]:
    (tmp_path / "store").mkdir()
    store = open_store(str(tmp_path / "store" / "marrow.db"))
    yield Engine(store, embedder("static"), clock)
    store.close()


@pytest.fixture
def asker(repository: Path) -> Asker:
    return replace(asker_of("orchard"), root=str(repository))


@pytest.fixture
def say(git: Git, repository: Path) -> Saying:
    return Saying(git, repository)
