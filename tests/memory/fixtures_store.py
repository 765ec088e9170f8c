"""What the tests of the memory itself share: worlds, each a store with a caller and a clock that ticks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from marrow.memory.engine import Asker, Engine, submit
from marrow.model.change import NameProject, Receipt, Relate, Restate, Say, Step, Supersede
from marrow.model.link import Anchor
from marrow.model.node import Occurrence, metadata_text
from marrow.model.record import CURRENT, Record
from marrow.model.scope import RIGHTS, Principal, Scope
from marrow.model.standing import Standing
from marrow.providers.embedder import Embedder, FakeEmbedder
from marrow.store import open_store
from marrow.store.protocol import Reader

START = 1_767_225_600_000_000  # 2026-01-01
SECOND = 1_000_000
KINDS = ("memory", "sqlite")


@dataclass
class Ticking:
    """A clock that goes on by one second with every look at it."""

    now: int = START

    def __call__(self) -> int:
        self.now += SECOND
        return self.now


@dataclass
class World:
    """One memory and the one who works with it."""

    engine: Engine
    asker: Asker
    clock: Ticking
    path: Path | None = None
    others: list[Any] = field(default_factory=list)

    def do(self, *steps: Step, project: str | None = None, operation: str = "test", summary: str = "") -> Receipt:
        return submit(self.engine, self.asker, operation, steps, project=project, summary=summary)

    def say(
        self,
        content: str,
        *,
        kind: str = "claim",
        project: str | None = None,
        at: int | None = None,
        inputs: Sequence[str] = (),
        anchors: Sequence[Anchor] = (),
        thread: str = "",
        user: str = "",
        source: str = "",
        metadata: dict[str, object] | None = None,
        **standing: Any,
    ) -> str:
        """Say something, and get its address."""
        said = Occurrence(
            self.clock() if at is None else at, thread, user, source=source, metadata=metadata_text(metadata)
        )
        step = Say(
            kind, content, said, Standing(**standing), frozenset(standing), tuple(inputs), anchors=tuple(anchors)
        )
        return self.do(step, project=project).outcomes[0].address

    def restate(self, address: str, *, project: str | None = None, reason: str = "", **changes: object) -> Receipt:
        return self.do(Restate(address, tuple(changes.items()), reason), project=project)

    def forget(self, address: str, *, project: str | None = None) -> Receipt:
        return self.restate(address, project=project, state="retracted")

    def supersede(self, old: str, content: str, reason: str = "") -> str:
        return self.do(Supersede(old, content, Occurrence(self.clock()), reason)).outcomes[0].address

    def relate(self, source: str, rel: str, target: str, closed: bool = False) -> Receipt:
        return self.do(Relate(source, target, rel, closed))

    def name_project(self, name: str, *aliases: str) -> Receipt:
        return self.do(NameProject(name, aliases))

    def read(self, ask: Callable[[Reader], Any]) -> Any:
        with self.engine.store.reading() as reader:
            return ask(reader)

    def root(self) -> str:
        return str(self.read(lambda r: r.head(self.asker.namespace).root))

    def seq(self) -> int:
        return int(self.read(lambda r: r.head(self.asker.namespace).seq))

    def record(self, address: str, project: str | None = None) -> Record | None:
        place = self.asker.scope.project if project is None else project
        found = self.read(lambda r: r.records(self.asker.namespace, [address], (place,), CURRENT))
        return found[0] if found else None

    def state(self, address: str) -> str:
        record = self.record(address)
        return record.standing.state if record else ""

    def as_(self, **changes: Any) -> Asker:
        """The same caller with other rights: fields of Principal."""
        return replace(self.asker, principal=replace(self.asker.principal, **changes))

    def words(self, query: str) -> set[str]:
        """The contents of what the keyword index finds."""
        return {
            record.node.content
            for record in self.read(
                lambda r: r.records_of(
                    [e for e, _ in r.match(self.asker.namespace, query.split(), None, None, 100)], CURRENT
                )
            )
        }

    def bytes(self) -> dict[str, bytes]:
        """Everything that this memory has on the disk, by the end of the file's name."""
        assert self.path is not None
        return {
            suffix: Path(f"{self.path}{suffix}").read_bytes()
            for suffix in ("", "-wal", "-shm")
            if Path(f"{self.path}{suffix}").exists()
        }


def make_world(
    kind: str, folder: Path, name: str = "marrow", embedder: Embedder | None = None, project: str = "orchard"
) -> World:
    path = folder / f"{name}.db" if kind == "sqlite" else None
    store = open_store(str(path) if path else "memory:", busy_timeout_ms=200)
    clock = Ticking()
    engine = Engine(store, embedder or FakeEmbedder(16), clock)
    return World(engine, Asker(Principal("ada"), Scope(project=project), "ada"), clock, path)


def in_namespace(world: World, namespace: str) -> Asker:
    """A caller of another namespace in the same store."""
    scope = replace(world.asker.scope, namespace=namespace)
    return Asker(Principal("eve", namespace=namespace), scope, "eve")


def knowledge(world: World) -> dict[str, object]:
    """What two memories that exchanged everything must agree on, bit by bit."""

    def read(reader: Reader) -> dict[str, object]:
        space = world.asker.namespace
        records = reader.records(space, reader.addresses(space, "", None, CURRENT), None, CURRENT)
        entries = [record.entry for record in records]
        said, pinned = reader.occurrences(entries, CURRENT), reader.anchors(entries, CURRENT)
        return {
            "root": reader.head(space).root,
            "records": {(r.project, r.node): (r.standing, r.first_at, r.last_at) for r in records},
            "said": {(r.project, r.node.address): set(said[r.entry]) for r in records},
            "pinned": {(r.project, r.node.address): set(pinned.get(r.entry, ())) for r in records},
            "links": set(reader.all_links(space, None)),
        }

    found: dict[str, object] = world.read(read)
    return found


@pytest.fixture(params=KINDS)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    made = make_world(request.param, tmp_path)
    yield made
    made.engine.store.close()


@pytest.fixture
def on_disk(tmp_path: Path) -> Iterator[World]:
    """A world whose store is a file."""
    made = make_world("sqlite", tmp_path)
    yield made
    made.engine.store.close()


@pytest.fixture(params=KINDS)
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[World, World]]:
    """Two memories that do not know of each other."""
    one, other = make_world(request.param, tmp_path, "one"), make_world(request.param, tmp_path, "other")
    other.clock.now += 500
    yield one, other
    for made in (one, other):
        made.engine.store.close()


READ_ONLY = frozenset({"read"})
NO_ADMIN = frozenset(RIGHTS) - {"admin"}
