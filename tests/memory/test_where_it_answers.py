"""A search shows of a long text the place that means what was asked, where the words stand elsewhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from marrow.ingest.item import Item
from marrow.memory.engine import Asker, Engine
from marrow.memory.search import ROOM, search
from marrow.memory.taking_in.take_in import take_in
from marrow.model.draft import Draft
from marrow.model.record import Filter
from marrow.providers.embedder import NoEmbedder
from marrow.providers.static import StaticEmbedder

OTHER = "Parcels are weighed at the door and put on a shelf by their number, in the order of the day.\n"
MENTIONED = "from parcels.sizes import cache, entry, maximum\n"
ANSWER = "The cache evicts whatever entry was used longest ago, as soon as it is full.\n"
CONTENT = MENTIONED + OTHER * 30 + ANSWER + OTHER * 30
QUESTION = "which entry is evicted from the cache when the maximum is reached"


def shown(engine: Engine, asker: Asker, kind: str, content: str = CONTENT) -> str:
    item = Item(Draft(content, kind, metadata={"path": "parcels/cache.py"}), "parcels/cache.py", "parcels/cache.py")
    take_in(engine, asker, [item], operation="test")
    (hit,) = search(engine, asker, QUESTION, Filter(projects=asker.places())).hits
    assert hit.evidence is not None
    assert hit.evidence.place is not None
    return content[hit.evidence.place.start : hit.evidence.place.end]


@pytest.fixture
def knowing(engine: Engine) -> Engine:
    return replace(engine, embedder=StaticEmbedder())


def test_where_it_answers_is_shown_and_not_where_its_words_are_only_named(knowing: Engine, asker: Asker) -> None:
    found = shown(knowing, asker, "code")
    assert ANSWER in found
    assert MENTIONED not in found
    assert len(found) <= ROOM + 2 * len(OTHER)


def test_without_vectors_the_words_decide(engine: Engine, asker: Asker) -> None:
    assert MENTIONED in shown(replace(engine, embedder=NoEmbedder()), asker, "code")


def test_where_both_agree_the_words_say_where_exactly(knowing: Engine, asker: Asker) -> None:
    alone = shown(replace(knowing, embedder=NoEmbedder()), asker, "code", OTHER * 30 + ANSWER + OTHER * 30)
    assert shown(knowing, asker, "code", OTHER * 30 + ANSWER + OTHER * 30) == alone


def test_what_was_spoken_is_shown_where_it_was_said(knowing: Engine, asker: Asker) -> None:
    assert MENTIONED in shown(knowing, asker, "meeting")
