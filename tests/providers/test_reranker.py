"""The reranker, with a cross-encoder small enough to know its answers: it adds up the weights of words."""

from __future__ import annotations

import itertools
import math
import threading
from pathlib import Path

import pytest

from marrow.model.errors import Invalid, NotFound, Unavailable
from marrow.providers.reranker import BATCH, OnnxReranker, reranker
from tests.providers import graphs

WEIGHTS = (1.0, 2.0, -1.0, -2.0)  # of deploy, failed, queue, worker
LONG_MS = 600_000.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = graphs.write_folder(tmp_path / "cross", {"id2label": {"0": "LABEL_0"}})
    graphs.cross_graph(made / "model.onnx", WEIGHTS)
    return made


def sigmoid(number: float) -> float:
    return 1 / (1 + math.exp(-number))


def test_each_text_has_the_score_of_the_pair_whatever_its_place_and_length(folder: Path) -> None:
    texts = ["queue worker", "deploy failed deploy failed", "", "failed", "the api"]
    weights = (-3, 6, 0, 2, 0)
    built = OnnxReranker(folder)
    assert built.scores("deploy", texts, LONG_MS) == pytest.approx([sigmoid(1 + 2 * own) for own in weights])
    backwards = [sigmoid(-1 + 2 * own) for own in weights[::-1]]
    assert built.scores("queue", texts[::-1], LONG_MS) == pytest.approx(backwards)
    assert built.scores("queue", [], LONG_MS) == []


def test_many_texts_are_scored_in_batches(folder: Path) -> None:
    texts = ["deploy " * (number % 5) for number in range(3 * BATCH + 1)]
    found = OnnxReranker(folder).scores("x", texts, LONG_MS)
    assert found == pytest.approx([sigmoid(2 * (number % 5)) for number in range(len(texts))])


def test_it_gives_up_when_the_time_is_over_and_when_it_will_be(folder: Path) -> None:
    texts = ["deploy"] * (3 * BATCH)

    def built(step: float) -> OnnxReranker:
        ticks = itertools.count(step=step)
        made = OnnxReranker(folder, clock=lambda: float(next(ticks)))
        made.warm()
        return made

    # The clock is looked at when it starts, before each batch and after it.
    assert built(0.01).scores("x", texts, 10_000) is not None
    assert built(1.0).scores("x", texts, 6_500) is not None  # the last of three begins at 5 s and ends at 6
    assert built(1.0).scores("x", texts, 5_500) is None
    assert built(1.0).scores("x", texts, 4_500) is None
    assert built(1.0).scores("x", texts, 500) is None
    assert built(0.0).scores("x", texts, 0) is None


def test_threads_can_share_it(folder: Path) -> None:
    built, ready, results = OnnxReranker(folder), threading.Barrier(4), []

    def ask() -> None:
        ready.wait()
        results.append(built.scores("x", ["deploy", "failed"], LONG_MS))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [results[0]] * 4
    assert results[0] == pytest.approx([sigmoid(2), sigmoid(4)])


def test_it_is_chosen_by_name(folder: Path) -> None:
    assert reranker("none") is None
    for name in (str(folder), f"local:{folder}", str(folder / "model.onnx")):
        assert isinstance(reranker(name), OnnxReranker)
    with pytest.raises(Invalid):
        reranker("")
    with pytest.raises(NotFound):
        reranker(str(folder / "nothing"))


def test_a_model_that_gives_labels_and_no_score_is_refused(tmp_path: Path) -> None:
    three = graphs.write_folder(tmp_path / "three", {"id2label": {"0": "a", "1": "b", "2": "c"}})
    graphs.cross_graph(three / "model.onnx", WEIGHTS, labels=3)
    with pytest.raises(Unavailable):
        OnnxReranker(three)
    unsaid = graphs.write_folder(tmp_path / "unsaid")
    graphs.cross_graph(unsaid / "model.onnx", WEIGHTS, labels=3)
    with pytest.raises(Unavailable):
        OnnxReranker(unsaid).scores("x", ["deploy"], LONG_MS)


def test_weights_without_a_graph_are_no_reranker(minilm: Path) -> None:
    with pytest.raises(Unavailable) as caught:
        OnnxReranker(minilm)
    assert caught.value.field == "reranker"
