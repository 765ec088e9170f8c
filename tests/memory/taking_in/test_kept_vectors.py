"""Kept vectors: of a new version only what is new in it is embedded, and the vectors are as if all of it had been."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import pytest

from marrow.ingest.item import Item
from marrow.memory.engine import Asker, Engine, vectors_by
from marrow.memory.taking_in.take_in import take_in
from marrow.model.draft import Draft
from marrow.model.errors import Unavailable
from marrow.model.record import CURRENT, Filter
from marrow.providers.static import StaticEmbedder
from marrow.search.passages import embedded_pieces
from marrow.store.stored_vectors import to_bytes

LINES = [
    f"The kiln of house {n} is fired at {n * 7} degrees, and its door is of clay from field {n}." for n in range(60)
]
TEXT = "# Kilns\n\n" + "\n".join(LINES)


@dataclass
class Listened:
    """An embedder that remembers what it was asked for."""

    inner: StaticEmbedder = field(default_factory=StaticEmbedder)
    asked: list[str] = field(default_factory=list)
    is_away: bool = False
    model = StaticEmbedder.model
    dimensions = StaticEmbedder.dimensions

    def documents(self, texts: Sequence[str]) -> np.ndarray:
        if self.is_away:
            raise Unavailable("It does not answer.")
        self.asked += texts
        return self.inner.documents(texts)


@pytest.fixture
def embedder() -> Listened:
    return Listened()


@pytest.fixture
def engine(engine: Engine, embedder: Listened) -> Engine:
    return replace(engine, embedder=embedder)  # type: ignore[arg-type]


def said(engine: Engine, asker: Asker, text: str, path: str = "kilns.md") -> None:
    item = Item(Draft(text, "document", metadata={"path": path}), path, str(hash(text)))
    take_in(engine, asker, [item], operation="test", service="kiln")


def kept(engine: Engine, asker: Asker) -> dict[str, bytes]:
    """The vectors of what holds now."""
    with engine.store.reading() as reader:
        entries = reader.select(asker.namespace, Filter(projects=None), CURRENT, engine.clock())
        found = reader.passage_vectors(entries)
        return {
            r.node.content: to_bytes(found[r.entry]) for r in reader.records_of(entries, CURRENT) if r.entry in found
        }


def anew(text: str) -> bytes:
    return to_bytes(vectors_by(StaticEmbedder(), [text])[0])


@pytest.mark.parametrize(
    "changed",
    [
        TEXT + "\n\nThe last kiln was broken down in spring.",
        TEXT.replace(LINES[30], "Here a new kiln is built, and nobody knows when it will be fired."),
        "\n".join([*TEXT.split("\n")[:20], *TEXT.split("\n")[24:]]),
        "# Kilns\n\nThere are none.",
        TEXT.replace("# Kilns", "# Ovens and kilns"),
    ],
    ids=["longer", "changed within", "shorter", "short", "another title"],
)
def test_of_a_new_version_only_new_passages_are_embedded(
    engine: Engine, asker: Asker, embedder: Listened, changed: str
) -> None:
    said(engine, asker, TEXT)
    assert embedder.asked == list(embedded_pieces(TEXT))
    embedder.asked.clear()
    said(engine, asker, changed)
    before = set(embedded_pieces(TEXT))
    assert embedder.asked == [piece for piece in embedded_pieces(changed) if piece not in before]
    assert kept(engine, asker) == {changed: anew(changed)}


def test_a_document_beside_a_new_version_is_embedded_as_a_whole(
    engine: Engine, asker: Asker, embedder: Listened
) -> None:
    said(engine, asker, TEXT)
    embedder.asked.clear()
    texts = {"kilns.md": TEXT + "\nOne more.", "other.md": "# Other\n\n" + "\n".join(reversed(LINES))}
    items = [Item(Draft(text, "document", metadata={"path": path}), path, path) for path, text in texts.items()]
    take_in(engine, asker, items, operation="test", service="kiln")
    assert set(embedded_pieces(texts["other.md"])) <= set(embedder.asked)
    assert kept(engine, asker) == {text: anew(text) for text in texts.values()}


def test_every_new_version_counts_as_embedded_once(engine: Engine, asker: Asker) -> None:
    said(engine, asker, TEXT)
    ran: list[str] = []
    engine.tally.listeners.append(lambda name, _: ran.append(name))
    said(engine, asker, TEXT + "\nOne more.")
    assert ran.count("embedding") == ran.count("chunks") == 1


def test_better_vectors_are_not_mixed_with_quick_ones(engine: Engine, asker: Asker, embedder: Listened) -> None:
    said(engine, asker, TEXT)
    with engine.store.writing() as writer:
        entries = writer.unrefined(10)
        writer.refine([(entry, np.ones((len(embedded_pieces(TEXT)), 256), dtype=np.float32)) for entry in entries])
    embedder.asked.clear()
    changed = TEXT + "\nOne more."
    said(engine, asker, changed)
    assert embedder.asked == list(embedded_pieces(changed))
    assert kept(engine, asker) == {changed: anew(changed)}


def test_a_new_version_is_saved_when_the_embedder_does_not_answer(
    engine: Engine, asker: Asker, embedder: Listened
) -> None:
    said(engine, asker, TEXT)
    embedder.is_away = True
    changed = TEXT + "\n\nThe last kiln was broken down in spring."
    said(engine, asker, changed)
    with engine.store.reading() as reader:
        entries = reader.select(asker.namespace, Filter(projects=None), CURRENT, engine.clock())
        assert [record.node.content for record in reader.records_of(entries, CURRENT)] == [changed]
        assert reader.passage_vectors(entries) == {}
