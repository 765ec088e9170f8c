"""Status: how much is known, where the chain stands, and what is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from ..model.event import Head
from ..model.merkle import EMPTY_ROOT
from ..model.record import CURRENT, Filter
from ..store.protocol import Reader
from .engine import Asker, Engine, sequence
from .moment import moment


class Status(NamedTuple):
    """`refined` is the share whose vectors the better half of the embedder made, where there is one."""

    project: str
    active: int
    total: int
    kinds: Mapping[str, int]
    domains: Mapping[str, int]
    drifted: int
    pinned: int
    head: Head
    root: str
    snapshots: int
    embedder: str
    vectors: str
    store: str
    bytes: int
    read_only: bool
    refined: float = 1.0


def status(engine: Engine, asker: Asker, *, as_of: object = None) -> Status:
    now = engine.clock()
    with engine.store.reading() as reader:
        seq = sequence(reader, asker, as_of, now)
        now = moment(reader, asker, seq, now, as_of)
        wanted = Filter(projects=asker.places("project"), include_superseded=True)
        records = reader.records_of(reader.select(asker.namespace, wanted, seq, now), seq)
        active = [r for r in records if r.standing.is_active(now)]
        last = next(iter(reader.events(asker.namespace, until=seq, limit=1, latest=True)), None)
        head = Head(last.seq, last.at, last.hash, last.root) if last else Head(root=EMPTY_ROOT)
        model = reader.vector_model()
        return Status(
            project=asker.scope.project,
            active=len(active),
            total=len(records),
            kinds=dict(Counter(r.node.kind for r in active).most_common()),
            domains=dict(Counter(r.standing.domain for r in active).most_common()),
            drifted=sum(bool(r.standing.drift) for r in active),
            pinned=sum(r.standing.pinned for r in active),
            head=head,
            root=head.root,
            snapshots=sum(snapshot.seq <= head.seq for snapshot in reader.snapshots(asker.namespace)),
            embedder=engine.embedder.model,
            vectors=model[0] if model else "none yet",
            store=engine.store.url,
            bytes=reader.sizes()["bytes"] + reader.sizes()["log_bytes"],
            read_only=engine.store.read_only,
            refined=_refined(engine, asker, reader) if records and seq == CURRENT else 1.0,
        )


def _refined(engine: Engine, asker: Asker, reader: Reader) -> float:
    """Whole where nothing better is installed, and where the vectors are those of another embedder."""
    if engine.refiner is None or reader.vector_model() != engine.model():
        return 1.0
    return reader.refined(asker.namespace, asker.places("project"))
