"""A project with a few files, and a memory of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from marrow.memory.engine import Asker, Engine
from marrow.providers.embedder import Embedder, embedder
from marrow.store import open_store

from ...repository.conftest import Git, git, home
from ..conftest import PROJECT, STORES, Clock, Hand, asker_of

__all__ = ["Clock", "Git", "Hand", "git", "home"]

SOURCE = '''"""Payments."""


def charge(card, amount):
    """Take money from a card."""
    if amount <= 0:
        raise ValueError(amount)
    return gateway.take(card, amount, retries=3)


def refund(charge):
    return gateway.give(charge.card, charge.amount)
'''


@pytest.fixture
def root(tmp_path: Path, git: Git) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "tests").mkdir()
    (folder / "src" / "payments.py").write_text(SOURCE)
    (folder / "src" / "cards.py").write_text("LIMIT = 5000\n")
    (folder / "tests" / "test_payments.py").write_text("from src.payments import charge\n")
    (folder / "README.md").write_text("# Shop\n\nTakes payments by card.\n")
    (folder / ".gitignore").write_text("build/\n*.log\n")
    (folder / "build").mkdir()
    (folder / "build" / "payments.py").write_text("def charge(): ...\n")
    git(folder, "init", "--quiet")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", "Take payments by card")
    return folder


@pytest.fixture(scope="session")
def real_embedder() -> Embedder:
    """The built-in one: what has to do with a subject is judged by meaning too. Loaded once."""
    return embedder("static")


@pytest.fixture(params=STORES)
def engine(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock, real_embedder: Embedder) -> Iterator[Engine]:
    store = open_store("memory:" if request.param == "memory" else str(tmp_path / "marrow.db"))
    yield Engine(store, real_embedder, clock)
    store.close()


@pytest.fixture
def asker(root: Path) -> Asker:
    return replace(asker_of(PROJECT), root=str(root))


@pytest.fixture
def hand(engine: Engine, asker: Asker, clock: Clock) -> Hand:
    return Hand(engine, asker, clock)
