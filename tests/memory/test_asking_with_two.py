"""Until the better vectors of the texts are made, a search asks them with a question that both embedders have read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from marrow.memory.engine import Asker, Engine
from marrow.memory.recall import recall
from marrow.memory.refine import refine
from marrow.memory.search import search
from marrow.model.errors import Unavailable
from marrow.model.record import Filter
from marrow.providers.embedder import FakeEmbedder

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from .conftest import Hand

# No word of the one falls into a bucket of the other's.
QUESTION, RIGHT = "bookkeeping", "Two people count what is in the till."
OTHERS = ("The oven is swept by the last to leave.", "Flour comes on Mondays.", "Bread is baked before six.")


class Knowing(FakeEmbedder):
    """Knows that to count a till is bookkeeping; otherwise it is of the same mind."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[str] = []

    def documents(self, texts: Sequence[str]) -> NDArray[float32]:
        self.given += texts
        return super().documents([text.replace("bookkeeping", "people count till") for text in texts])


class Broken(FakeEmbedder):
    def documents(self, texts: Sequence[str]) -> NDArray[float32]:
        raise Unavailable("It cannot run.", hint="Install it.")


def contents(engine: Engine, asker: Asker) -> list[str]:
    return [hit.record.node.content for hit in search(engine, asker, QUESTION, Filter(projects=asker.places())).hits]


def test_a_search_finds_what_only_the_better_embedder_understands_before_it_has_read_the_texts(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    for text in (RIGHT, *OTHERS):
        hand.say(text)
    better = Knowing()
    assert RIGHT not in contents(engine, asker)[:1]
    assert contents(replace(engine, refiner=better), asker)[0] == RIGHT
    assert better.given == [QUESTION]


def test_once_the_better_vectors_are_there_the_better_embedder_asks(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say(RIGHT)
    better = Knowing()
    knowing = replace(engine, refiner=better)
    refine(knowing, 100)
    with engine.store.reading() as reader:
        assert knowing.searching(reader, asker.namespace, asker.places()) is better


def test_one_that_cannot_run_changes_nothing(engine: Engine, asker: Asker, hand: Hand) -> None:
    for text in (RIGHT, *OTHERS):
        hand.say(text)
    assert contents(replace(engine, refiner=Broken()), asker) == contents(engine, asker)


def test_a_recall_does_not_wait_for_the_better_one(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say(RIGHT)
    better = Knowing()
    recall(replace(engine, refiner=better), asker, QUESTION)
    assert better.given == []
