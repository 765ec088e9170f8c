"""Measuring recall on the memory of Lantern: plausible, repeatable, and without a trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.memory.bench_recall import Benched, Figures, Side, bench_recall
from marrow.memory.remember import remember
from marrow.model.draft import Draft
from marrow.model.errors import Forbidden, Invalid, NotFound, ReadOnly
from marrow.model.record import CURRENT, Filter
from marrow.providers.embedder import FakeEmbedder, NoEmbedder
from marrow.providers.static import StaticEmbedder
from marrow.search.known_items import BLURRED, SENTENCE, STYLES, WORDS
from marrow.store.revectored import Revectored

from ..search.notes import NOTES, PROJECT, Lantern, lantern
from .conftest import asker_of


@pytest.fixture(scope="module")
def known() -> Iterator[Lantern]:
    """Shared by the tests that only read."""
    with lantern(StaticEmbedder()) as made:
        yield made


@pytest.fixture
def filled() -> Iterator[Lantern]:
    with lantern(StaticEmbedder()) as made:
        yield made


def by_style(side: Side) -> dict[str, Figures]:
    return {line.style: line for line in side.figures}


def without_times(benched: Benched) -> Benched:
    sides = [s._replace(figures=tuple(f._replace(p50_ms=0.0, p95_ms=0.0) for f in s.figures)) for s in benched.sides]
    return benched._replace(sides=tuple(sides))


def test_what_is_asked_by_its_own_words_is_found_and_the_rest_is_harder(known: Lantern) -> None:
    benched = bench_recall(known.engine, known.asker)
    assert (benched.project, benched.active, benched.nodes) == (PROJECT, len(NOTES), len(NOTES))
    (side,) = benched.sides
    lines = by_style(side)
    assert list(lines) == [*STYLES, "all"]
    assert lines[WORDS].first == lines[WORDS].recalled == lines[WORDS].questions == len(NOTES)
    assert lines[WORDS].first >= lines[SENTENCE].first >= lines[BLURRED].first > len(NOTES) / 2
    for line in lines.values():
        assert line.first <= line.in_five <= line.questions
        assert 1.0 <= line.mean_rank <= 21.0
        assert 0.0 < line.p50_ms <= line.p95_ms
    assert sum(lines[style].questions for style in STYLES) == lines["all"].questions
    assert sum(lines[style].first for style in STYLES) == lines["all"].first
    assert benched.sentences[0].startswith("Recall works here: ")


def test_what_recall_never_tells_is_not_asked_about(filled: Lantern) -> None:
    code = [f"def harvest_{n}(row):\n    return stored_{n}(row, limit={n})\n" for n in range(60)]
    remember(filled.engine, filled.asker, [Draft(text, "code") for text in code])
    benched = bench_recall(filled.engine, filled.asker)
    assert (benched.active, benched.nodes) == (len(NOTES), len(NOTES))
    assert benched.sentences[0].startswith("Recall works here: ")


def test_what_was_missed_is_named_with_its_question(known: Lantern) -> None:
    (side,) = bench_recall(known.engine, known.asker).sides
    whole = by_style(side)["all"]
    assert sum(one.rank != 1 for one in side.missed) == whole.questions - whole.first
    assert sum(not one.recalled for one in side.missed) == whole.questions - whole.recalled
    assert side.missed
    with known.engine.store.reading() as reader:
        addresses = [one.address for one in side.missed]
        assert len(reader.records(known.asker.namespace, addresses, None, CURRENT)) == len(set(addresses))


def test_the_same_seed_gives_the_same_and_another_asks_otherwise(known: Lantern) -> None:
    one, again = (without_times(bench_recall(known.engine, known.asker, nodes=12, seed=5)) for _ in range(2))
    assert one == again
    other = without_times(bench_recall(known.engine, known.asker, nodes=12, seed=6))
    assert other.sides != one.sides


def test_a_sample_is_as_large_as_asked_and_its_nodes_are_asked_the_same_in_a_larger_one(known: Lantern) -> None:
    few, many = (bench_recall(known.engine, known.asker, nodes=count) for count in (10, 40))
    assert (few.nodes, many.nodes) == (10, 40)
    assert {(m.address, m.question) for m in few.sides[0].missed} <= {
        (m.address, m.question) for m in many.sides[0].missed
    }


def test_nothing_is_written_and_nothing_counts_as_recalled(tmp_path: Path) -> None:
    def content() -> list[object]:
        with memory.store.reading() as reader:
            entries = reader.select("local", Filter(), CURRENT, 0)
            assert entries
            return [reader.head("local"), dict(reader.uses(entries)), reader.measurements(0), reader.vector_model()]

    with open_memory(tmp_path, store=str(tmp_path / "marrow.db"), project=PROJECT) as memory:
        memory.save(batch=[note.content for note in NOTES])
        memory.flush()
        before = content()
        memory.bench_recall(questions=20, embedders=["fake", "none"])
        assert (memory.engine.recalled, memory.engine.pending) == ([], [])
        memory.flush()
        assert content() == before


def test_a_store_that_cannot_be_written_can_be_measured(tmp_path: Path) -> None:
    place = str(tmp_path / "marrow.db")
    with open_memory(tmp_path, store=place, project=PROJECT) as memory:
        memory.save(batch=[note.content for note in NOTES[:20]])
    with open_memory(tmp_path, store=place, project=PROJECT, read_only=True) as memory:
        assert memory.bench_recall(embedders=["fake"]).nodes == 20


def test_another_embedder_is_asked_the_same_side_by_side(known: Lantern) -> None:
    others = [("fake", FakeEmbedder()), ("none", NoEmbedder())]
    benched = bench_recall(known.engine, known.asker, name="static", embedders=others)
    assert [side.name for side in benched.sides] == ["static", "fake", "none"]
    assert [side.model for side in benched.sides[1:]] == [FakeEmbedder().model, "none"]
    counts = [[line.questions for line in side.figures] for side in benched.sides]
    assert counts[0] == counts[1] == counts[2]
    assert len(benched.sentences) == 3
    more_of = benched.sides[0].figures[-1].recalled - benched.sides[2].figures[-1].recalled
    assert more_of > 5
    assert f"recalls {more_of} fewer: static is better." in benched.sentences[2]


def test_another_embedder_gives_what_a_memory_made_with_it_gives(known: Lantern) -> None:
    """The vectors beside the store are ranked and cut as its own would be."""
    beside = bench_recall(known.engine, known.asker, embedders=[("fake", FakeEmbedder())]).sides[1]
    with lantern(FakeEmbedder()) as other:
        own = bench_recall(other.engine, other.asker, name="fake").sides[0]
    one, two = (without_times(Benched("", 0, 0, 1, (side,), ())).sides[0] for side in (beside, own))
    assert one == two


def test_the_same_embedder_changes_nothing_and_is_said_to_be_enough(known: Lantern) -> None:
    benched = bench_recall(known.engine, known.asker, name="static", embedders=[("again", StaticEmbedder())])
    count = benched.sides[0].figures[-1].questions
    assert benched.sentences[1] == f"again finds as many of {count} first and recalls as many: static is enough."


def test_an_embedder_that_is_better_by_more_than_chance_is_said_to_help() -> None:
    with lantern(NoEmbedder()) as memory:
        benched = bench_recall(memory.engine, memory.asker, name="none", embedders=[("static", StaticEmbedder())])
    assert benched.sentences[1].endswith("more: it would help here.")


def test_vectors_of_another_model_are_said_to_be_missing(known: Lantern) -> None:
    engine = replace(known.engine, embedder=FakeEmbedder())
    first, other = bench_recall(engine, known.asker, nodes=20, embedders=[("fake", FakeEmbedder())]).sides
    assert StaticEmbedder().model in first.note
    assert other.note == ""


def test_whoever_waits_is_told_how_far_it_is(known: Lantern) -> None:
    said: list[tuple[int, int | None]] = []
    others = [("fake", FakeEmbedder()), ("none", NoEmbedder())]
    benched = bench_recall(
        known.engine, known.asker, nodes=5, embedders=others, progress=lambda *step: said.append(step)
    )
    whole = 3 * benched.sides[0].figures[-1].questions + len(NOTES)
    assert said[-1] == (whole, whole)
    assert [done for done, _ in said] == sorted({done for done, _ in said})


def test_what_is_pinned_or_too_short_or_elsewhere_is_not_asked_about(filled: Lantern) -> None:
    filled.say("Every migration is tested on a copy of the data of last year.", pinned=True)
    filled.say("Fixed it.")
    benched = bench_recall(filled.engine, filled.asker)
    assert (benched.active, benched.nodes) == (len(NOTES) + 2, len(NOTES))
    with pytest.raises(NotFound):
        bench_recall(filled.engine, asker_of("elsewhere"))


def test_who_may_not_read_may_not_measure(known: Lantern) -> None:
    with pytest.raises(Forbidden):
        bench_recall(known.engine, asker_of(PROJECT, projects=["elsewhere"]))


@pytest.mark.parametrize("nodes", [0, -1, 10_001])
def test_a_number_out_of_range_is_refused(known: Lantern, nodes: int) -> None:
    with pytest.raises(Invalid) as raised:
        bench_recall(known.engine, known.asker, nodes=nodes)
    assert raised.value.field == "questions"


def test_an_unknown_embedder_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    with open_memory(tmp_path, store="memory:", project=PROJECT) as memory, pytest.raises(Invalid):
        Memory.bench_recall(memory, embedders=["nonsense"])


def test_a_store_with_borrowed_vectors_cannot_be_written(known: Lantern) -> None:
    borrowed = Revectored(known.engine.store, ("none", 0), {})
    with pytest.raises(ReadOnly):
        borrowed.writing()


def test_a_long_path_is_called_by_its_end() -> None:
    side = Side("/models/sentence-transformers/all-MiniLM-L6-v2", "x", "", (), ())
    assert side.called == "…ormers/all-MiniLM-L6-v2"
    assert side._replace(name="minilm").called == "minilm"
