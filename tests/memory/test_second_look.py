"""A second look: what the quick vectors miss is seen by the better embedder, before the background has got there."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from marrow.ingest.item import Item
from marrow.memory.asking import ask
from marrow.memory.engine import Asker, Engine
from marrow.memory.erase import erase
from marrow.memory.looking_again import look_of, quick_look_of
from marrow.memory.refine import refine
from marrow.memory.taking_in.take_in import take_in
from marrow.model.draft import Draft
from marrow.model.errors import Unavailable
from marrow.model.record import CURRENT, Filter
from marrow.model.scope import Principal
from marrow.providers.embedder import FakeEmbedder
from marrow.search.find import Hit, find
from marrow.search.passages import embedded_pieces
from marrow.search.question import Question
from marrow.search.second_look import KEPT, QUICK_SHARE, SecondLook

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    from .conftest import Hand

QUESTION = "How is the bookkeeping of the shop kept honest by people every night?"
FILLER = "Words without any weight stand here to make it long. " * 40
RIGHT = f"{FILLER}\n\nThe ledger of the shop is balanced twice.\n\n{FILLER}"
WRONG = tuple(f"The shop number {n} is kept open every night by people." for n in range(6))


class Knowing(FakeEmbedder):
    """Knows that a ledger is what bookkeeping is about, and of the rest that it is not."""

    def __init__(self) -> None:
        super().__init__()
        self.given: list[str] = []

    def documents(self, texts: Sequence[str]) -> NDArray[float32]:
        self.given += texts
        made = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in enumerate(texts):
            made[row, 0 if "ledger" in text or "bookkeeping" in text else 1] = 1.0
        return made


class Broken(FakeEmbedder):
    def documents(self, texts: Sequence[str]) -> NDArray[float32]:
        raise Unavailable("It cannot run.", hint="Install it.")


def item(path: str, content: str, kind: str = "document") -> Item:
    draft = Draft(content, kind, at=datetime(2026, 1, 5, tzinfo=UTC), metadata={"path": path})
    return Item(draft, path, hashlib.sha256(content.encode()).hexdigest())


@pytest.fixture
def shop(engine: Engine, asker: Asker) -> Engine:
    items = [item("docs/right.md", RIGHT), *(item(f"docs/{n}.md", text) for n, text in enumerate(WRONG))]
    take_in(engine, asker, items, operation="test")
    return engine


def found(engine: Engine, asker: Asker, look: SecondLook | None = None, **about: Any) -> list[Hit]:
    wanted = Filter(projects=asker.places())
    question = Question(QUESTION, asker.namespace, wanted, engine.clock(), **about)
    with engine.store.reading() as reader:
        return find(reader, engine.embedder, question, None, look).hits


def paths(engine: Engine, asker: Asker) -> list[str]:
    return [one.source.origin.path for one in ask(engine, asker, QUESTION, Filter(projects=asker.places())).sources]


def test_what_only_the_better_embedder_understands_is_told_first(shop: Engine, asker: Asker) -> None:
    assert paths(shop, asker)[:1] != ["docs/right.md"]
    assert paths(replace(shop, refiner=Knowing()), asker)[0] == "docs/right.md"


def test_the_passage_is_looked_at_and_not_the_beginning_of_the_text(shop: Engine, asker: Asker) -> None:
    better = Knowing()
    found(shop, asker, SecondLook(better))
    of_the_right_one = [text for text in better.given if "Words without any weight" in text or "ledger" in text]
    assert len(of_the_right_one) == 2
    assert any("ledger" in text for text in of_the_right_one)


def test_the_parts_add_up_after_a_second_look(shop: Engine, asker: Asker) -> None:
    before = {hit.record.entry: hit for hit in found(shop, asker)}
    after = found(shop, asker, SecondLook(Knowing()))
    assert [hit.score for hit in after] == sorted((hit.score for hit in after), reverse=True)
    assert any(hit.score != before[hit.record.entry].score for hit in after)
    for hit in after:
        assert hit.score == pytest.approx(sum(value for _, value in hit.why))
        assert hit.part("words") == before[hit.record.entry].part("words")


def test_what_was_told_in_few_words_is_not_looked_at_again(engine: Engine, asker: Asker, hand: Hand) -> None:
    for text in WRONG:
        hand.say(text)
    better = Knowing()
    assert found(engine, asker, SecondLook(better)) == found(engine, asker)
    assert better.given == []


def test_no_more_than_the_first_are_looked_at(shop: Engine, asker: Asker) -> None:
    better = Knowing()
    found(shop, asker, SecondLook(better, first=2, passages=1))
    assert len(better.given) == 3  # and the question


def test_the_same_passages_are_embedded_once(shop: Engine, asker: Asker) -> None:
    better = Knowing()
    knowing = replace(shop, refiner=better)
    first = paths(knowing, asker)
    better.given.clear()
    assert paths(knowing, asker) == first
    assert set(better.given) == {QUESTION}


def test_what_is_kept_does_not_grow_without_end(shop: Engine, asker: Asker) -> None:
    look = SecondLook(Knowing(), kept={f"text {n}".encode(): np.zeros(64, np.float32) for n in range(KEPT)})
    found(shop, asker, look)
    assert 0 < len(look.kept) < KEPT


def test_an_embedder_that_cannot_run_changes_nothing(shop: Engine, asker: Asker) -> None:
    assert found(shop, asker, SecondLook(Broken())) == found(shop, asker)


def test_of_two_embedders_the_one_that_has_not_looked_yet_looks_again(engine: Engine) -> None:
    better = Knowing()
    knowing = replace(engine, refiner=better)
    assert look_of(engine, engine.embedder, 9) is None
    later, quick = look_of(knowing, engine.embedder, 9), look_of(knowing, better, 9)
    assert later is not None
    assert quick is not None
    assert (later.other, quick.other, quick.first) == (better, engine.embedder, 9)
    assert later.share > quick.share
    assert quick_look_of(knowing, engine.embedder, 9) is None


def test_once_the_better_vectors_are_there_the_quick_embedder_has_a_say(shop: Engine, asker: Asker) -> None:
    knowing = replace(shop, refiner=Knowing())
    refine(knowing, 100)
    wanted = Question(QUESTION, asker.namespace, Filter(projects=asker.places()), shop.clock(), limit=9)
    with shop.store.reading() as reader:
        better = knowing.asking(reader, asker.namespace, asker.places())
        alone = {hit.record.entry: hit for hit in find(reader, better, wanted).hits}
        both = find(reader, better, wanted, None, quick_look_of(knowing, better, 9)).hits
    quick = knowing.embedder.query(QUESTION)
    for hit in both:
        before, now = alone[hit.record.entry].evidence, hit.evidence
        assert before is not None
        assert now is not None
        pieces = knowing.embedder.documents(list(embedded_pieces(hit.record.node.content)))
        nearness = {max(0.0, float(piece @ quick)) for piece in pieces}
        said = (now.meaning - (1 - QUICK_SHARE) * before.meaning) / QUICK_SHARE
        assert any(said == pytest.approx(one, abs=0.01) for one in nearness)
        assert now.sure == before.sure


def test_what_is_kept_does_not_hold_the_text_and_goes_when_something_is_erased(shop: Engine, asker: Asker) -> None:
    knowing = replace(shop, refiner=Knowing())
    assert paths(knowing, asker)
    assert knowing.looked
    assert not any(b"ledger" in key for key in knowing.looked)
    with shop.store.reading() as reader:
        (entry, *_) = reader.select(asker.namespace, Filter(projects=None), CURRENT, shop.clock())
        (record,) = reader.records_of([entry], CURRENT)
    erase(knowing, replace(asker, principal=Principal("ada")), address=record.node.address, dry_run=False, confirm=True)
    assert not knowing.looked


def test_what_another_thread_clears_meanwhile_is_embedded_again(shop: Engine, asker: Asker) -> None:
    class Emptied(dict[bytes, Any]):
        def get(self, key: bytes, default: Any = None) -> Any:
            found = super().get(key, default)
            self.clear()
            return found

    look = SecondLook(Knowing(), kept=Emptied())
    first = found(shop, asker, look)
    assert found(shop, asker, look) == first


def test_where_the_vectors_are_of_another_embedder_nothing_is_looked_at_again(shop: Engine, asker: Asker) -> None:
    other = replace(shop, embedder=FakeEmbedder(32))
    assert found(other, asker, SecondLook(Knowing())) == found(other, asker)
