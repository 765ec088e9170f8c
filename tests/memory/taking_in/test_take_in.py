"""Taking in: what readers found becomes memory once, follows its sources, and is computed only when it is new."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from marrow.ingest.item import Item, Skipped
from marrow.memory.engine import Asker, Engine
from marrow.memory.taking_in.take_in import TakenIn, take_in
from marrow.model.draft import Draft
from marrow.model.record import CURRENT, Filter
from marrow.model.source import SKIPPED, Source
from marrow.providers.embedder import FakeEmbedder
from tests.memory.conftest import Clock, Hand

TOKEN = "ghp_" + "Zq7" * 12


class Counting(FakeEmbedder):
    """An embedder that notes what it was asked to embed."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def documents(self, texts: Sequence[str]) -> Any:
        self.texts += texts
        return super().documents(texts)


@pytest.fixture
def engine(engine: Engine) -> Engine:
    return replace(engine, embedder=Counting())


def item(path: str, content: str, kind: str = "document", **more: Any) -> Item:
    draft = Draft(content, kind, metadata={"path": path}, **more)
    return Item(draft, path, hashlib.sha256(content.encode()).hexdigest(), size=len(content), mtime_ns=1)


def took(
    engine: Engine, asker: Asker, *items: Item | Skipped, gone: Sequence[str] = (), service: str = "kiln"
) -> TakenIn:
    return take_in(engine, asker, items, operation="test", service=service, gone=gone)


def embedded(engine: Engine) -> list[str]:
    """What was embedded since it was last asked."""
    assert isinstance(engine.embedder, Counting)
    texts, engine.embedder.texts = engine.embedder.texts, []
    return texts


def active(engine: Engine, asker: Asker) -> set[str]:
    with engine.store.reading() as reader:
        wanted = Filter(projects=(asker.scope.project,))
        entries = reader.select(asker.namespace, wanted, CURRENT, engine.clock())
        return {record.node.content for record in reader.records_of(entries, CURRENT)}


def sources(engine: Engine, asker: Asker) -> dict[str, Source]:
    with engine.store.reading() as reader:
        return {source.path: source for source in reader.sources(asker.namespace, None)}


def test_what_is_read_twice_is_said_once_and_computed_once(engine: Engine, asker: Asker, hand: Hand) -> None:
    items = [item("a.md", "One page."), item("b.md", "Another page.")]
    first = took(engine, asker, *items)
    assert (first.added, first.unchanged, len(first.addresses)) == (2, 0, 2)
    assert embedded(engine) == ["One page.", "Another page."]
    seq = hand.head()
    again = took(engine, asker, *items)
    assert (again.added, again.unchanged, again.addresses) == (0, 2, ())
    assert (embedded(engine), hand.head()) == ([], seq)


def test_a_changed_document_takes_the_place_of_the_one_before_and_inherits_its_standing(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    (old,) = took(engine, asker, item("a.md", "The port is 80.")).addresses
    hand.restate(old, classification="confidential", tags=("ports",))
    clock.forward(days=1)
    done = took(engine, asker, item("a.md", "The port is 81."))
    (new,) = done.addresses
    assert (done.changed, done.added) == (1, 0)
    assert hand.state(old) == "superseded"
    assert hand.record(new).standing.classification == "confidential"
    assert hand.record(new).standing.tags == ("ports",)
    assert sources(engine, asker)["a.md"].address == new


def test_a_document_that_changes_and_changes_back_holds_again(engine: Engine, asker: Asker, clock: Clock) -> None:
    for content in ("The port is 80.", "The port is 81.", "The port is 80."):
        took(engine, asker, item("a.md", content))
        clock.forward(days=1)
        assert active(engine, asker) == {content}


def test_a_copy_is_new_and_not_moved_in_the_same_run_and_in_a_later_one(engine: Engine, asker: Asker) -> None:
    first = took(engine, asker, item("a.md", "Pears keep."), item("b.md", "Pears keep."))
    assert (first.added, first.moved, first.gone) == (2, 0, 0)
    done = took(engine, asker, item("c.md", "Pears keep."), gone=["a.md"])
    assert (done.added, done.moved, done.gone) == (0, 1, 0)
    done = took(engine, asker, item("d.md", "Pears keep."))
    assert (done.added, done.moved, done.gone) == (1, 0, 0)


def test_what_somebody_forgot_is_not_counted_as_new_at_another_path(engine: Engine, asker: Asker, hand: Hand) -> None:
    (address,) = took(engine, asker, item("a.md", "Never mind.")).addresses
    hand.restate(address, "wrong", state="retracted")
    done = took(engine, asker, item("b.md", "Never mind."))
    assert (done.added, done.moved, done.unchanged) == (0, 0, 1)


def test_a_moved_file_keeps_its_node_and_nothing_is_computed(engine: Engine, asker: Asker) -> None:
    (address,) = took(engine, asker, item("a.md", "A page that moves.")).addresses
    embedded(engine)
    done = took(engine, asker, item("docs/b.md", "A page that moves."), gone=["a.md"])
    assert (done.moved, done.gone, done.added, done.addresses) == (1, 0, 0, ())
    assert embedded(engine) == []
    assert {path: source.address for path, source in sources(engine, asker).items()} == {"docs/b.md": address}
    assert active(engine, asker) == {"A page that moves."}


def test_one_text_in_two_files_stays_until_both_have_changed(engine: Engine, asker: Asker, clock: Clock) -> None:
    took(engine, asker, item("a/LICENSE.md", "The same text."), item("b/LICENSE.md", "The same text."))
    took(engine, asker, item("a/LICENSE.md", "Changed in one."))
    assert active(engine, asker) == {"The same text.", "Changed in one."}
    took(engine, asker, item("b/LICENSE.md", "Changed in the other."))
    assert active(engine, asker) == {"Changed in one.", "Changed in the other."}
    both = [item("a/LICENSE.md", "Now."), item("b/LICENSE.md", "Now.")]
    took(engine, asker, *both)
    assert active(engine, asker) == {"Now."}
    clock.forward(days=1)
    took(engine, asker, item("a/LICENSE.md", "Later, a."), item("b/LICENSE.md", "Later, b."))
    assert active(engine, asker) == {"Later, a.", "Later, b."}


def test_one_text_in_two_services_stays_until_both_are_gone(engine: Engine, asker: Asker) -> None:
    for service in ("kiln", "oven"):
        took(engine, asker, item("a.md", "The same text."), service=service)
    took(engine, asker, gone=["a.md"], service="kiln")
    assert active(engine, asker) == {"The same text."}
    took(engine, asker, gone=["a.md"], service="oven")
    assert active(engine, asker) == set()


def test_what_is_gone_is_retracted_and_comes_back_with_its_file(engine: Engine, asker: Asker, hand: Hand) -> None:
    (address,) = took(engine, asker, item("a.md", "A page.")).addresses
    assert took(engine, asker, gone=["a.md", "never.md"]).gone == 1
    assert hand.state(address) == "retracted"
    embedded(engine)
    took(engine, asker, item("a.md", "A page."))
    assert hand.state(address) == "active"
    assert embedded(engine) == []


def test_what_somebody_forgot_stays_forgotten_until_its_source_says_something_else(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    (address,) = took(engine, asker, item("a.md", "Never mind.")).addresses
    hand.restate(address, "wrong", state="retracted")
    clock.forward(days=1)
    took(engine, asker, item("a.md", "Never mind."))
    took(engine, asker, item("moved.md", "Never mind."), gone=["a.md"])
    assert hand.state(address) == "retracted"
    took(engine, asker, item("moved.md", "Do mind."))
    assert active(engine, asker) == {"Do mind."}


def test_another_kind_at_the_same_path_takes_its_place(engine: Engine, asker: Asker) -> None:
    took(engine, asker, item("a.md", "Use SQLite."))
    done = took(engine, asker, item("a.md", "Use SQLite.", kind="decision"))
    assert done.changed == 1
    with engine.store.reading() as reader:
        entries = reader.select(asker.namespace, Filter(projects=None), CURRENT, engine.clock())
        assert [record.node.kind for record in reader.records_of(entries, CURRENT)] == ["decision"]


def test_what_cannot_be_read_is_told_noted_and_stops_nothing(engine: Engine, asker: Asker) -> None:
    bad = Skipped("x.pdf", "it is encrypted", "d" * 64, 10, 1)
    empty = item("empty.md", "<private>all of it</private>")
    done = took(engine, asker, bad, empty, item("a.md", "A page."))
    assert done.added == 1
    assert [problem.path for problem in done.problems] == ["empty.md", "x.pdf"] or [
        problem.path for problem in done.problems
    ] == ["x.pdf", "empty.md"]
    noted = sources(engine, asker)["x.pdf"]
    assert (noted.kind, noted.title, noted.is_document) == (SKIPPED, "it is encrypted", False)


def test_a_document_that_can_no_longer_be_read_leaves(engine: Engine, asker: Asker) -> None:
    took(engine, asker, item("a.md", "A page."))
    took(engine, asker, Skipped("a.md", "binary", "d" * 64, 10, 1))
    assert active(engine, asker) == set()
    took(engine, asker, item("a.md", "A page again."))
    assert active(engine, asker) == {"A page again."}


def test_no_secret_reaches_the_sources(engine: Engine, asker: Asker) -> None:
    took(engine, asker, item(f"keys/{TOKEN}.md", f"The token is {TOKEN}.", tags=()))
    assert TOKEN not in repr(sources(engine, asker)) + repr(active(engine, asker))
    again = took(engine, asker, item(f"keys/{TOKEN}.md", f"The token is {TOKEN}."))
    assert again.unchanged == 1


def test_a_time_that_has_not_come_is_taken_for_now(engine: Engine, asker: Asker, clock: Clock) -> None:
    took(engine, asker, item("a.md", "From a clock that ran ahead.", at="2031-01-01"))
    with engine.store.reading() as reader:
        entries = reader.select(asker.namespace, Filter(projects=None), CURRENT, engine.clock())
        assert reader.records_of(entries, CURRENT)[0].last_at == clock.now


def test_each_batch_is_settled_with_what_is_new_in_it(engine: Engine, asker: Asker) -> None:
    seen: list[tuple[str, ...]] = []
    items = [item(f"{n}.md", f"Page {n}.") for n in range(450)]

    def settle(_: Engine, __: Asker, addresses: Sequence[str], left: Sequence[str]) -> None:
        seen.append(tuple(addresses))
        assert not left

    done = take_in(engine, asker, items, operation="test", service="kiln", settle=[settle])
    assert [len(some) for some in seen] == [200, 200, 50]
    assert {address for some in seen for address in some} == set(done.addresses)


@pytest.mark.parametrize("after", range(5))
def test_interrupted_at_any_batch_and_begun_again_it_ends_the_same(engine: Engine, asker: Asker, after: int) -> None:
    items = [item(f"{n}.md", f"Page {n}.") for n in range(900)]

    def broken() -> Any:
        for number, one in enumerate(items):
            if number == after * 200 + 77:
                raise KeyboardInterrupt
            yield one

    with pytest.raises(KeyboardInterrupt):
        take_in(engine, asker, broken(), operation="test", service="kiln")
    took(engine, asker, *items)
    assert active(engine, asker) == {f"Page {n}." for n in range(900)}
    assert took(engine, asker, *items).unchanged == 900


def test_what_is_confidential_stays_so_when_its_file_changes_kind_or_comes_back(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    (first,) = took(engine, asker, item("a.md", "The plan.")).addresses
    hand.restate(first, classification="confidential")
    clock.forward(days=1)
    (second,) = took(engine, asker, item("a.md", "The plan, decided.", kind="decision")).addresses
    assert hand.record(second).standing.classification == "confidential"
    took(engine, asker, item("copy.md", "The plan, decided.", kind="decision"))
    (third,) = took(engine, asker, item("a.md", "The plan, again.", kind="decision")).addresses
    assert hand.record(third).standing.classification == "confidential"
    took(engine, asker, gone=["a.md"])
    took(engine, asker, item("a.md", "The plan, again.", kind="decision"))
    assert hand.state(third) == "active"
    assert hand.record(third).standing.classification == "confidential"


def test_what_somebody_called_a_decision_stays_one_though_its_form_does_not_show_it(
    engine: Engine, asker: Asker
) -> None:
    took(engine, asker, item("a.md", "We use SQLite.", kind="decision"))
    again = took(engine, asker, item("a.md", "We use SQLite."))
    assert (again.unchanged, again.changed) == (1, 0)


def test_what_somebody_said_himself_stays_when_a_file_with_the_same_text_goes(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    said = take_in(engine, asker, [Item(Draft("We use Kafka.", "document"))], operation="test").addresses
    took(engine, asker, item("a.md", "We use Kafka."))
    took(engine, asker, gone=["a.md"])
    assert hand.state(said[0]) == "active"


def test_the_same_text_with_another_word_about_it_is_said_again(engine: Engine, asker: Asker, hand: Hand) -> None:
    def issue(classification: str, status: str) -> Item:
        draft = Draft(
            "Leak in the API.", "document", classification=classification, metadata={"path": "#1", "status": status}
        )
        return Item(draft, "issue-1", f"{classification} {status}")

    (address,) = took(engine, asker, issue("internal", "open")).addresses
    assert took(engine, asker, issue("internal", "open")).unchanged == 1
    assert took(engine, asker, issue("confidential", "open")).changed == 1
    assert hand.record(address).standing.classification == "confidential"
    assert took(engine, asker, issue("confidential", "closed")).changed == 1


def test_what_its_source_makes_confidential_is_so_with_its_earlier_versions(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    def issue(text: str, classification: str | None) -> Item:
        draft = Draft(text, "conversation", classification=classification, metadata={"path": "#1"})
        return Item(draft, "issue-1", f"{text} {classification}")

    def told(address: str) -> str:
        return hand.record(address).standing.classification

    (first,) = took(engine, asker, issue("A leak.", None)).addresses
    (second,) = took(engine, asker, issue("A leak of keys.", None)).addresses
    took(engine, asker, issue("A leak of keys.", "confidential"))
    assert (told(first), told(second)) == ("confidential", "confidential")
    (third,) = took(engine, asker, issue("A leak of many keys.", "secret")).addresses
    assert [told(address) for address in (first, second, third)] == ["secret"] * 3


def test_two_readings_at_once_end_the_same(engine: Engine, asker: Asker, clock: Clock) -> None:
    took(engine, asker, item("a.md", "One."), item("b.md", "Two."))
    clock.forward(days=1)
    changed = [item("a.md", "One, changed."), item("b.md", "Two, changed.")]

    def slow() -> Any:
        yield changed[0]
        took(engine, asker, *changed)  # another process is faster
        yield changed[1]

    take_in(engine, asker, slow(), operation="test", service="kiln")
    assert active(engine, asker) == {"One, changed.", "Two, changed."}


def test_what_was_written_and_not_settled_is_settled_by_the_next_run(engine: Engine, asker: Asker) -> None:
    seen: list[tuple[str, ...]] = []

    def killed(*_: Any) -> None:
        raise KeyboardInterrupt

    def settle(_: Engine, __: Asker, new: Sequence[str], left: Sequence[str]) -> None:
        seen.append(tuple(new))

    items = [item(f"{n}.md", f"Page {n}.") for n in range(3)]
    with pytest.raises(KeyboardInterrupt):
        take_in(engine, asker, items, operation="test", service="kiln", settle=[killed])
    done = take_in(engine, asker, items, operation="test", service="kiln", settle=[settle])
    assert (done.unchanged, [len(some) for some in seen]) == (3, [3])
    take_in(engine, asker, items, operation="test", service="kiln", settle=[settle])
    assert len(seen) == 1
    assert set(sources(engine, asker)) == {"0.md", "1.md", "2.md"}
