"""Search over the memory of Lantern: ranked and never cut, by text, by filters, or both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from marrow.memory.search import LIMIT_MAX, OLD_WORDS, Found, search
from marrow.model.errors import Invalid
from marrow.model.moments import MICROS_PER_DAY
from marrow.model.record import Filter
from marrow.providers.embedder import FakeEmbedder, NoEmbedder
from marrow.providers.static import StaticEmbedder
from marrow.store.sqlite.writer import SqliteWriter

from ..search.notes import BY_NAME, NOTES, NOW, START, Lantern, lantern, name_of
from . import fixtures_store
from .fixtures_store import World

on_disk = fixtures_store.on_disk


@pytest.fixture(scope="module")
def known() -> Iterator[Lantern]:
    """Shared by the tests that only read."""
    with lantern(StaticEmbedder()) as made:
        yield made


def names(found: Found) -> list[str]:
    return [name_of(hit.record.node.content) for hit in found.hits]


def test_search_ranks_and_does_not_cut(known: Lantern) -> None:
    found = search(known.engine, known.asker, "integer cents", Filter())
    assert names(found)[0] == "money"
    assert len(found.hits) == 10
    scores = [hit.score for hit in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert (found.degraded, found.now) == ("", NOW)


def test_without_a_query_the_latest_that_the_filter_leaves_come_first(known: Lantern) -> None:
    found = search(known.engine, known.asker, "  ", Filter(domains=("decisions",)), limit=3)
    assert names(found) == ["flags", "jwt", "login"]


def test_a_query_and_filters_go_together(known: Lantern) -> None:
    since = START + BY_NAME["layers"].day * MICROS_PER_DAY
    found = search(known.engine, known.asker, "the database", Filter(tags=("db",), since=since), limit=100)
    assert names(found)
    assert all("db" in BY_NAME[name].tags and BY_NAME[name].day >= BY_NAME["layers"].day for name in names(found))
    kinds = search(known.engine, known.asker, "the database", Filter(kinds=("incident",)), limit=100)
    assert {BY_NAME[name].kind for name in names(kinds)} == {"incident"}


def test_a_least_score_leaves_out_what_is_below_it(known: Lantern) -> None:
    whole = search(known.engine, known.asker, "integer cents", Filter())
    least = whole.hits[2].score
    assert search(known.engine, known.asker, "integer cents", Filter(), min_score=least).hits == whole.hits[:3]


@pytest.mark.parametrize("limit", [0, -1, LIMIT_MAX + 1])
def test_a_limit_out_of_range_is_refused(known: Lantern, limit: int) -> None:
    with pytest.raises(Invalid) as raised:
        search(known.engine, known.asker, "x", Filter(), limit=limit)
    assert raised.value.field == "limit"


def test_a_limit_is_hard(known: Lantern) -> None:
    assert len(search(known.engine, known.asker, "database", Filter(), limit=1).hits) == 1
    assert len(search(known.engine, known.asker, "", Filter(), limit=LIMIT_MAX).hits) == len(NOTES)


def test_a_pattern_gives_only_what_matches(known: Lantern) -> None:
    found = search(known.engine, known.asker, "webhook*", Filter(), limit=100)
    assert set(names(found)) == {note.name for note in NOTES if "webhook" in note.content.lower()}


def test_another_embedder_than_that_of_the_vectors_goes_by_words_and_says_so() -> None:
    with lantern(StaticEmbedder()) as memory:
        other = Lantern(type(memory.engine)(memory.engine.store, FakeEmbedder(), lambda: NOW), memory.asker)
        found = search(other.engine, other.asker, "integer cents", Filter())
        assert found.degraded.startswith("by words only: the vectors are of ")
        assert StaticEmbedder().model in found.degraded
        assert names(found) == ["money", "rounding"]
        assert all(hit.part("meaning") == 0 for hit in found.hits)


def test_no_embedder_goes_by_words_and_has_nothing_to_excuse() -> None:
    with lantern(NoEmbedder()) as memory:
        found = search(memory.engine, memory.asker, "integer cents", Filter())
        assert (names(found), found.degraded) == (["money", "rounding"], "")


def test_the_past_is_searched_as_it_was() -> None:
    with lantern(StaticEmbedder()) as memory:
        memory.say("Cents are gone: amounts are decimals.", day=100)
        later = search(memory.engine, memory.asker, "amounts decimals", Filter(), limit=1)
        earlier = search(memory.engine, memory.asker, "amounts decimals", Filter(), limit=1, as_of=1)
        assert names(later) == ["Cents are gone: amounts are decimals."]
        assert names(earlier) == ["money"]


def test_every_score_is_the_sum_of_its_parts(known: Lantern) -> None:
    for query in ("integer cents", "what happened in March?", "webhook*", "why Postgres"):
        found = search(known.engine, known.asker, query, Filter(), limit=100)
        assert found.hits
        for hit in found.hits:
            assert hit.score == pytest.approx(sum(value for _, value in hit.why))


def test_a_time_in_the_query_hides_nothing() -> None:
    with lantern(StaticEmbedder(), is_empty=True) as memory:
        memory.say("The kiosk was painted red.", day=30)
        memory.say("Apples were eaten.", day=100)
        found = search(memory.engine, memory.asker, "What was done to the kiosk in March?", Filter(), limit=10)
        plain = search(memory.engine, memory.asker, "What was done to the kiosk?", Filter(), limit=10)
        assert len(found.hits) == len(plain.hits) == 2


def test_that_the_index_of_words_is_older_is_said_where_nothing_was_found_and_only_there(on_disk: World) -> None:
    on_disk.say("Die Straße ist lang.")
    engine = replace(on_disk.engine, embedder=NoEmbedder())
    assert search(engine, on_disk.asker, "Fahrrad", Filter()).degraded == ""
    with engine.store.writing() as writer:
        assert isinstance(writer, SqliteWriter)
        writer.note_terms("1")
    found, none = (search(engine, on_disk.asker, query, Filter()) for query in ("lang", "Fahrrad"))
    assert (len(found.hits), found.degraded) == (1, "")
    assert (len(none.hits), none.degraded) == (0, OLD_WORDS)
    assert "marrow reindex words" in OLD_WORDS
