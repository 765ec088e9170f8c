"""Embedding ahead: another process embeds the next batch; what comes out is the same, whatever becomes of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from marrow.ingest.item import Item
from marrow.memory.engine import Asker, Engine, vectors_by
from marrow.memory.taking_in.ahead import DOCUMENTS_MIN, Ahead
from marrow.memory.taking_in.take_in import take_in
from marrow.model.draft import Draft
from marrow.model.record import CURRENT, Filter
from marrow.providers.static import StaticEmbedder
from marrow.store import terms
from marrow.store.terms import spaced_terms

TEXTS = [f"# Page {n}\n\n" + f"The kiln of house {n} is fired at {n} degrees. " * (n % 30 + 1) for n in range(450)]
ITEMS = [Item(Draft(text, "document", metadata={"path": f"{n}.md"}), f"{n}.md", f"{n}") for n, text in enumerate(TEXTS)]


@pytest.fixture
def engine(engine: Engine) -> Engine:
    return replace(engine, embedder=StaticEmbedder())


def vectors(engine: Engine, asker: Asker) -> dict[str, bytes]:
    with engine.store.reading() as reader:
        entries = reader.select(asker.namespace, Filter(projects=None), CURRENT, engine.clock())
        found = reader.vectors_of(entries)
        return {r.node.content: np.asarray(found[r.entry]).tobytes() for r in reader.records_of(entries, CURRENT)}


def test_the_vectors_are_those_that_this_process_would_have_made(engine: Engine, asker: Asker) -> None:
    with Ahead(engine, DOCUMENTS_MIN) as ahead:
        ahead.begin(TEXTS[:40])
        ahead.begin(())
        embed = ahead.embed()
        assert embed is not None
        made = embed(TEXTS[:50])  # the last ten were not asked for before
    for ours, theirs in zip(made, vectors_by(engine.embedder, TEXTS[:50]), strict=True):
        assert ours is not None
        assert ours.shape == theirs.shape
        assert ours.tobytes() == theirs.tobytes()


def test_the_terms_are_those_that_this_process_would_have_found_and_none_are_left_behind(engine: Engine) -> None:
    own = [spaced_terms(text) for text in TEXTS[:40]]
    with Ahead(engine, DOCUMENTS_MIN) as ahead:
        ahead.begin(TEXTS[:40])
        ahead.begin(())
        assert sorted(terms._made_ahead) == sorted(TEXTS[:40])
        assert [spaced_terms(text) for text in TEXTS[:20]] == own[:20]
        assert sorted(terms._made_ahead) == sorted(TEXTS[20:40])
    assert terms._made_ahead == {}
    assert [spaced_terms(text) for text in TEXTS[:40]] == own


def test_a_large_run_with_it_and_small_ones_without_end_the_same(engine: Engine, asker: Asker) -> None:
    take_in(engine, asker, ITEMS, operation="test", service="kiln", total=len(ITEMS))
    ahead = vectors(engine, asker)
    ran = []
    engine.tally.listeners.append(lambda name, _: ran.append(name))
    assert take_in(engine, asker, ITEMS, operation="test", service="kiln", total=len(ITEMS)).unchanged == len(ITEMS)
    assert ran == []
    with engine.store.writing() as writer:
        writer.clear_vectors(engine.embedder.model, engine.embedder.dimensions)
    assert len(ahead) == len(set(TEXTS))


def test_a_process_that_dies_costs_nothing_but_time(engine: Engine, asker: Asker) -> None:
    with Ahead(engine, DOCUMENTS_MIN) as ahead:
        assert ahead._process is not None
        ahead._process.kill()
        ahead._process.wait()
        ahead.begin(TEXTS[:5])
        ahead.begin(TEXTS[5:10])
        embed = ahead.embed()
        assert embed is not None
        assert all(vector is not None for vector in embed(TEXTS[:10]))


def test_nothing_is_left_running(engine: Engine, asker: Asker) -> None:
    with Ahead(engine, DOCUMENTS_MIN) as ahead:
        process = ahead._process
        assert process is not None
        ahead.begin(TEXTS)  # and nobody waits for it
    assert process.poll() is not None


def test_few_documents_and_other_embedders_need_no_process(engine: Engine, asker: Asker) -> None:
    assert not Ahead(engine, DOCUMENTS_MIN - 1).is_on
