"""What the tests of the verbs share: an engine over each store, a clock that only the test moves, and a caller."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from marrow.memory.engine import Asker, Engine, submit
from marrow.model.change import Restate, Say, Step, Supersede
from marrow.model.link import make_anchor
from marrow.model.moments import MICROS_PER_DAY, micros
from marrow.model.node import Occurrence
from marrow.model.record import CURRENT, Record
from marrow.model.scope import Principal, Scope
from marrow.model.standing import Standing
from marrow.providers.embedder import FakeEmbedder
from marrow.store import open_store

PROJECT = "orchard"
STORES = ("memory", "sqlite")


class Clock:
    """The time, which stands still until a test moves it."""

    def __init__(self) -> None:
        self.now = micros(datetime(2026, 3, 1, 12))

    def __call__(self) -> int:
        return self.now

    def forward(self, days: float = 0.0, seconds: float = 0.0) -> int:
        self.now += int(days * MICROS_PER_DAY + seconds * 1_000_000)
        return self.now


class Hand:
    """Writes through the real door on behalf of one caller."""

    def __init__(self, engine: Engine, asker: Asker, clock: Clock) -> None:
        self.engine, self.asker, self.clock = engine, asker, clock

    def do(self, *steps: Step, project: str | None = None) -> list[str]:
        """The addresses that the steps touched."""
        receipt = submit(self.engine, self.asker, "test", steps, project=project)
        return [outcome.address for outcome in receipt.outcomes]

    def say(
        self,
        content: str,
        *,
        kind: str = "claim",
        thread: str = "",
        inputs: Sequence[str] = (),
        anchors: Sequence[object] = (),
        links: Sequence[tuple[str, str]] = (),
        project: str | None = None,
        **standing: Any,
    ) -> str:
        """Say something now; a second passes. Its address."""
        said = Say(
            kind,
            content,
            Occurrence(self.clock.now, thread=thread),
            standing=Standing(**standing),
            given=frozenset(standing),
            inputs=tuple(inputs),
            links=tuple(links),
            anchors=tuple(make_anchor(anchor) for anchor in anchors),
        )
        address = self.do(said, project=project)[0]
        self.clock.forward(seconds=1)
        return address

    def supersede(self, old: str, content: str, reason: str = "") -> str:
        address = self.do(Supersede(old, content, Occurrence(self.clock.now), reason))[0]
        self.clock.forward(seconds=1)
        return address

    def restate(self, address: str, reason: str = "", **changes: Any) -> None:
        self.do(Restate(address, tuple(changes.items()), reason))

    def head(self) -> int:
        with self.engine.store.reading() as reader:
            return reader.head(self.asker.namespace).seq

    def state(self, address: str, project: str | None = None) -> str:
        return self.record(address, project).standing.state

    def record(self, address: str, project: str | None = None) -> Record:
        place = self.asker.scope.project if project is None else project
        with self.engine.store.reading() as reader:
            return reader.records(self.asker.namespace, [address], (place,), CURRENT)[0]


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(params=STORES)
def engine(request: pytest.FixtureRequest, tmp_path: Path, clock: Clock) -> Iterator[Engine]:
    store = open_store("memory:" if request.param == "memory" else str(tmp_path / "marrow.db"))
    yield Engine(store, FakeEmbedder(), clock)
    store.close()


def asker_of(project: str, *, projects: Sequence[str] | None = None, rights: Sequence[str] | None = None) -> Asker:
    """A caller in a project. `projects` are those that it may read and write; None is all."""
    about: dict[str, Any] = {} if rights is None else {"rights": frozenset(rights)}
    principal = Principal("ada", projects=None if projects is None else frozenset(projects), **about)
    return Asker(principal, Scope(project=project, user="ada"), "ada")


@pytest.fixture
def asker() -> Asker:
    return asker_of(PROJECT)


@pytest.fixture
def hand(engine: Engine, asker: Asker, clock: Clock) -> Hand:
    return Hand(engine, asker, clock)
