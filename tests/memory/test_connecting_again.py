"""What is not looked for again when a decision changes, and what is."""

from __future__ import annotations

from typing import Any

import pytest

from marrow.memory import search as searching
from marrow.memory.engine import Asker, Engine
from marrow.memory.search import search
from marrow.memory.taking_in.settled import SETTLE
from marrow.memory.taking_in.take_in import take_in
from marrow.model.record import Filter

from .test_connecting import PATH_2, adr, code, current, item

PATH_1 = "docs/adr/0001-choice.md"


@pytest.fixture
def settled(engine: Engine, asker: Asker) -> Any:
    """Take items in, with what follows a batch of a codebase."""
    return lambda *items: take_in(engine, asker, items, operation="test", settle=SETTLE)


def test_a_number_that_another_one_gave_up_means_the_one_that_has_it_though_it_changed_too(
    settled: Any, engine: Engine, asker: Asker
) -> None:
    also = item("docs/adr/1-too.md", "# 1. Chosen", "decision", number=1, status="accepted")
    settled(adr(1, "A file."), also, adr(2, "Depends on ADR-1."))
    assert current(engine, asker, PATH_2) == set()
    settled(
        adr(1, "A file, as it was."), item("docs/adr/1-too.md", "# 7. Chosen", "decision", number=7, status="accepted")
    )
    assert current(engine, asker, PATH_2) == {("depends_on", PATH_1)}


def test_a_decision_that_is_accepted_now_is_asked_about_again(settled: Any, engine: Engine, asker: Asker) -> None:
    settled(adr(1, "Superseded by ADR-2."), adr(2, "A queue.", status="proposed"))
    assert current(engine, asker, PATH_2) == {("relates_to", PATH_1)}
    settled(adr(2, "A queue, for good."))
    assert ("supersedes", PATH_1) in current(engine, asker, PATH_2)


def test_what_was_replaced_is_looked_up_again_for_a_search_when_a_decision_changed(
    settled: Any, engine: Engine, asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replaced() -> int:
        search(engine, asker, "the queue", Filter(projects=asker.places()))
        (known,) = engine.replaced.values()
        return len(known[1])

    settled(adr(1, "A queue in a file."), adr(2, "Supersedes ADR-1."))
    assert replaced() == 1
    settled(adr(3, "Supersedes ADR-2."))
    assert replaced() == 2
    with monkeypatch.context() as patched:
        patched.setattr(searching, "held_now", lambda _, __, records: frozenset(r.entry for r in records[:0]))
        settled(code("src/queue.py"))
        assert replaced() == 2
    settled(adr(3, "Nothing."))
    assert replaced() == 1
