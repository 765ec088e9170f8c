"""Decisions about a topic that none of them names."""

from __future__ import annotations

from dataclasses import replace

import pytest

from marrow.ingest.item import Item
from marrow.memory.engine import Asker, Engine
from marrow.memory.organisation import decisions as module
from marrow.memory.organisation.decisions import Decisions, decisions
from marrow.memory.taking_in.take_in import take_in
from marrow.model.draft import Draft
from marrow.model.record import Filter
from marrow.providers.embedder import embedder

DECIDED = {
    "sqlite": "We will use SQLite for orders. One machine writes, and no server is to be run.",
    "postgres": "Orders are kept in PostgreSQL, since two machines write now.",
    "pages": "We use TypeScript and React for the pages.",
    "mail": "Mails go through RabbitMQ, since some were lost.",
}


def about(engine: Engine, asker: Asker, topic: str) -> Decisions:
    knowing = replace(engine, embedder=embedder("static"))
    items = [
        Item(Draft(f"# {name}\n\n{text}", "decision", metadata={"path": f"adr/{name}.md"}), f"adr/{name}.md", name)
        for name, text in DECIDED.items()
    ]
    take_in(knowing, asker, items, operation="test")
    return decisions(knowing, asker, Filter(projects=asker.places()), topic=topic)


def test_those_nearest_in_meaning_are_told_as_such(engine: Engine, asker: Asker) -> None:
    found = about(engine, asker, "database")
    assert {one.origin.path for one in found.items} == {"adr/sqlite.md", "adr/postgres.md"}
    assert (found.total, found.is_near) == (0, True)


def test_those_that_name_the_topic_are_told_alone(engine: Engine, asker: Asker) -> None:
    found = about(engine, asker, "mails")
    assert [one.origin.path for one in found.items] == ["adr/mail.md"]
    assert (found.total, found.is_near) == (1, False)


def test_nothing_is_near_a_topic_that_has_to_do_with_none(engine: Engine, asker: Asker) -> None:
    found = about(engine, asker, "office carpet")
    assert (found.items, found.is_near) == ((), False)


def test_one_that_says_the_topic_once_is_told_after_those_that_mean_it(
    engine: Engine, asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(DECIDED, "cents", "All amounts are integers of cents: in code, on paper and in the database.")
    found = about(engine, asker, "database")
    assert [one.origin.path for one in found.items][-1] == "adr/cents.md"
    assert len(found.items) > 1
    assert (found.total, found.is_near, found.mentioned) == (0, True, 1)


def test_a_text_of_one_word_is_near_to_nothing(engine: Engine, asker: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    knowing = replace(engine, embedder=embedder("static"))
    take_in(knowing, asker, [Item(Draft("Hidden?", "claim", domain="decisions"), "", "hidden")], operation="test")
    monkeypatch.setattr(module, "NEAR_MEANING", -1.0)
    found = decisions(knowing, asker, Filter(projects=asker.places()), topic="bike")
    assert (found.items, found.is_near) == ((), False)
