"""Refining what is at hand: a few that were just saved, and not what waits elsewhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from marrow.access.restricted import restrict
from marrow.memory import refine as refining
from marrow.memory.engine import Asker, Engine
from marrow.memory.refine import BATCH, PART, refine_few
from marrow.memory.remember import remember
from marrow.memory.renew import fill_vectors, renew_vectors
from marrow.memory.status import status
from marrow.memory.views import view_define
from marrow.model.draft import Draft
from marrow.model.scope import Scope
from marrow.providers.embedder import FakeEmbedder
from marrow.providers.static import DIMENSIONS, EARLIER, MODEL, StaticEmbedder


@pytest.fixture
def better(engine: Engine) -> Engine:
    return replace(engine, refiner=FakeEmbedder(engine.embedder.dimensions))


def save(engine: Engine, asker: Asker, project: str, count: int, scope: str = "project") -> Asker:
    here = replace(asker, scope=Scope(project=project, user=asker.scope.user))
    remember(engine, here, [Draft(f"{project} knows fact {n} of {count}") for n in range(count)], scope=scope)
    return here


def share(engine: Engine, asker: Asker, project: str) -> float:
    with engine.store.reading() as reader:
        return reader.refined(asker.namespace, (project,))


@pytest.mark.parametrize("waiting", [3, BATCH + 8])
def test_what_waits_in_another_project_keeps_nothing_back_and_is_left_to_the_daemon(
    better: Engine, asker: Asker, waiting: int
) -> None:
    save(better, asker, "first", waiting)
    here = save(better, asker, "second", 2)
    assert refine_few(better, here) == 2
    assert (share(better, asker, "first"), share(better, asker, "second")) == (0.0, 1.0)


def test_where_much_waits_nothing_is_refined_and_the_status_says_how_much(
    better: Engine, asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refining, "FEW", 5)
    here = save(better, asker, "first", 6)
    assert refine_few(better, here) == 0
    assert status(better, here).refined == 0.0
    assert status(replace(better, refiner=None), here).refined == 1.0  # there is nothing better to wait for


def test_a_small_repository_that_was_just_taken_in_does_not_wait_for_the_daemon(better: Engine, asker: Asker) -> None:
    here = save(better, asker, "first", 2 * BATCH + 1)
    assert refine_few(better, here) == 2 * BATCH + 1
    assert status(better, here).refined == 1.0


def test_what_takes_too_long_is_gone_on_with_by_whoever_comes_next(better: Engine, asker: Asker) -> None:
    here = save(better, asker, "first", 2 * PART + 1)
    assert [refine_few(better, here, seconds=0.0) for _ in range(4)] == [PART, PART, 1, 0]


def test_long_documents_are_not_looked_at_many_at_once(
    better: Engine, asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = save(better, asker, "first", BATCH)
    seconds = iter(range(0, 1000, 2))  # each part takes two
    monkeypatch.setattr(refining.time, "monotonic", lambda: float(next(seconds)))
    assert refine_few(better, here, seconds=6.0) == 3 * PART < BATCH


def test_what_was_saved_for_all_projects_is_refined_too(better: Engine, asker: Asker) -> None:
    here = save(better, asker, "first", 2, scope="global")
    assert refine_few(better, here) == 2
    assert share(better, asker, "") == 1.0


def built_in_before(engine: Engine, asker: Asker, model: str) -> Engine:
    """An engine of today over a store that an embedder of this name filled."""

    class Earlier(FakeEmbedder):
        def __init__(self) -> None:
            super().__init__(DIMENSIONS)
            self.model = model

    with engine.store.writing() as writer:
        writer.clear_vectors(model, DIMENSIONS)
    save(replace(engine, embedder=Earlier()), asker, "first", 3)
    return replace(engine, embedder=StaticEmbedder())


@pytest.mark.parametrize("model", EARLIER)
def test_vectors_of_an_embedder_that_was_built_in_before_are_made_anew_once(
    engine: Engine, asker: Asker, model: str
) -> None:
    today = built_in_before(engine, asker, model)
    save(today, asker, "second", 2)
    assert (renew_vectors(today), renew_vectors(today)) == (5, 0)
    with engine.store.reading() as reader:
        assert reader.vector_model() == (MODEL, DIMENSIONS)
        assert reader.sizes()["vectors"] == 5


def test_vectors_of_an_embedder_that_somebody_chose_stay_until_they_are_asked_for(engine: Engine, asker: Asker) -> None:
    today = built_in_before(engine, asker, "openai/text-embedding-3-small/1")
    assert renew_vectors(today) == 0
    assert renew_vectors(replace(engine, embedder=FakeEmbedder(8))) == 0
    with engine.store.reading() as reader:
        assert reader.vector_model() == ("openai/text-embedding-3-small/1", DIMENSIONS)


def test_through_a_view_no_vectors_are_made_anew(engine: Engine, asker: Asker) -> None:
    today = built_in_before(engine, asker, EARLIER[-1])
    view_define(today, asker, "claims", {"kinds": ["claim"]})
    assert renew_vectors(replace(today, store=restrict(today.store, asker.namespace, "claims"), views={})) == 0
    assert renew_vectors(today) > 0


@pytest.mark.parametrize("has_better", [False, True])
def test_what_was_saved_while_another_embedder_was_configured_gets_its_vector_when_the_first_is_back(
    engine: Engine, asker: Asker, has_better: bool
) -> None:
    first = replace(engine, refiner=FakeEmbedder(engine.embedder.dimensions)) if has_better else engine
    save(first, asker, "first", 2)
    other = replace(engine, embedder=FakeEmbedder(engine.embedder.dimensions * 2))
    save(other, asker, "second", 3)
    with engine.store.reading() as reader:
        assert (reader.sizes()["vectors"], reader.sizes()["entries"]) == (2, 5)
    assert fill_vectors(other) == 0  # the others' vectors are not its own
    assert (fill_vectors(first), fill_vectors(first)) == (3, 0)
    with engine.store.reading() as reader:
        assert reader.sizes()["vectors"] == 5
        assert reader.vector_model() == first.model()
    assert engine.store.problems() == []


@pytest.mark.parametrize("times", [1, 2])
def test_what_is_saved_with_another_embedder_is_compared_with_no_vector_of_the_first(
    engine: Engine, asker: Asker, times: int
) -> None:
    class Other(FakeEmbedder):
        def __init__(self, dimensions: int) -> None:
            super().__init__(dimensions)
            self.model = "another"

    remember(engine, asker, [Draft("The gate is painted blue and green.")])
    other = replace(engine, embedder=Other(engine.embedder.dimensions * times))
    assert remember(other, asker, [Draft("The gate is painted blue and green!")]).saved[0].similar == ()


def test_through_a_view_no_vectors_are_filled_in(engine: Engine, asker: Asker) -> None:
    save(engine, asker, "first", 1)
    save(replace(engine, embedder=FakeEmbedder(engine.embedder.dimensions * 2)), asker, "first", 2)
    view_define(engine, asker, "claims", {"kinds": ["claim"]})
    assert fill_vectors(replace(engine, store=restrict(engine.store, asker.namespace, "claims"), views={})) == 0
