"""Of a long text, the place that answers is shown."""

from __future__ import annotations

from typing import Any

import pytest

from marrow.model.node import Node
from marrow.model.record import CURRENT, Filter, Record
from marrow.model.standing import Standing
from marrow.providers.embedder import Embedder, NoEmbedder
from marrow.providers.static import StaticEmbedder
from marrow.search.best_passage import Place, Sought
from marrow.search.gather import vector_of
from marrow.search.nearest_place import ROOM, nearest_places
from marrow.search.passages import embedded_pieces
from marrow.search.question import Asked, Question

MENTIONED = "from parcels.cache import cache, evict, oldest, entry, maximum\n"
ANSWER = "When there is no room left, whatever was used longest ago is thrown out of the store, one at a time.\n"
OTHER = "Parcels are weighed at the door and put on a shelf by their number, in the order of the day.\n"
CONTENT = MENTIONED + OTHER * 30 + ANSWER + OTHER * 30
TEXT = "which entry is evicted from the cache when the maximum is reached"


class Near:
    """A reader that has the vectors of one text."""

    def __init__(self, embedder: StaticEmbedder, content: str) -> None:
        self.embedder, self.rows = embedder, list(embedder.documents(list(embedded_pieces(content))))

    def vector_model(self) -> tuple[str, int]:
        return self.embedder.model, self.embedder.dimensions

    def passage_similarities(self, entries: list[int], vector: object) -> dict[int, list[float]]:
        return {1: [float(row @ vector) for row in self.rows]}  # type: ignore[operator]


def places(near: Near, embedder: Embedder, question: Question, asked: list[tuple[Record, Asked, Place]]) -> Any:
    reader: Any = near
    return nearest_places(reader, vector_of(reader, embedder, question)[0], question, asked)


def record(content: str) -> Record:
    return Record(1, "depot", Node.make("code", content), Standing(), 1, 0, 0)


def known(question: Question) -> Asked:
    return Asked(dict.fromkeys(question.terms, 1.0), {}, float(len(question.terms)))


@pytest.fixture
def question() -> Question:
    return Question(TEXT, "space", Filter(), 0, CURRENT)


def place_in(content: str, question: Question) -> Place:
    found = Sought.of(dict.fromkeys(question.terms, 1.0), float(len(question.terms))).best_passage(content)
    assert found is not None
    return found


def test_the_passage_that_means_it_is_shown_and_not_the_one_that_only_has_the_words(
    static: StaticEmbedder, question: Question
) -> None:
    words = place_in(CONTENT, question)
    assert "thrown out" not in CONTENT[words.start : words.end]
    told = "Nothing is thrown away. " + OTHER * 30 + "The cache evicts the entry that was used longest ago when full.\n"
    content = MENTIONED.replace("evict, oldest, entry, maximum", "entry") + told + OTHER * 30
    found = places(Near(static, content), static, question, [(record(content), known(question), Place(0, 40, 0.1))])
    assert "used longest ago" in content[found[1].start : found[1].end]


def test_whole_lines_are_shown_and_no_more_than_there_is_room_for(static: StaticEmbedder, question: Question) -> None:
    asked = [(record(CONTENT), known(question), place_in(CONTENT, question))]
    start, end, _ = places(Near(static, CONTENT), static, question, asked)[1]
    assert start == 0 or CONTENT[start - 1] == "\n"
    assert end == len(CONTENT) or CONTENT[end] == "\n"
    assert ROOM <= end - start <= ROOM + len(OTHER)


def test_of_an_endless_line_no_more_is_shown_than_there_is_room_for(static: StaticEmbedder, question: Question) -> None:
    content = "entry maximum cache " * 1_500
    place = Place(20_000, 20_400, 1.0)
    asked = [(record(content), known(question), place)]
    assert places(Near(static, content), static, question, asked) == {1: place}
    content = "entry; maximum; cache; " * 1_500
    asked = [(record(content), known(question), place)]
    start, end, _ = places(Near(static, content), static, question, asked)[1]
    assert end - start <= 2 * ROOM


def test_a_place_beyond_what_is_embedded_stays(static: StaticEmbedder, question: Question) -> None:
    content = OTHER * 600 + MENTIONED
    far = Place(len(content) - 60, len(content), 0.9)
    asked = [(record(content), known(question), far)]
    assert places(Near(static, content), static, question, asked) == {1: far}


def test_without_vectors_or_with_those_of_another_cut_nothing_is_said(
    static: StaticEmbedder, question: Question
) -> None:
    asked = [(record(CONTENT), known(question), Place(0, 40, 0.1))]
    near = Near(static, CONTENT)
    assert places(near, NoEmbedder(), question, asked) == {}
    near.rows.pop()
    assert places(near, static, question, asked) == {}


def test_where_there_is_less_room_less_is_shown(static: StaticEmbedder, question: Question) -> None:
    asked = [(record(CONTENT), known(question), place_in(CONTENT, question))]
    reader: Any = Near(static, CONTENT)
    vector = static.query(question.subject)
    (less,), (more,) = (nearest_places(reader, vector, question, asked, room).values() for room in (300, ROOM))
    assert 300 <= less.end - less.start <= 300 + len(OTHER) < more.end - more.start
