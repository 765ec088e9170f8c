"""Feedback: a recalled memory that was used rises above its twin, and one that never is sinks below it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from marrow.app import Memory, open_memory
from marrow.memory.engine import Asker, Engine
from marrow.memory.explain import explain
from marrow.memory.feedback import catch_up, feedback
from marrow.memory.get import get
from marrow.memory.lately import LATELY_MAX, LATELY_MICROS
from marrow.memory.recall import recall
from marrow.memory.reinforce import reinforce
from marrow.memory.relate import relate
from marrow.memory.remember import remember
from marrow.memory.search import search
from marrow.memory.update import update
from marrow.model.address import address_of
from marrow.model.draft import Draft
from marrow.model.errors import Forbidden, Invalid, NotFound, TooLarge
from marrow.model.record import CURRENT, Filter
from marrow.model.scope import Principal
from marrow.search.used import EDITED, NAMED, REPEATED

from .conftest import Clock, Hand, asker_of

CRANE = "The yellow crane lifts forty tons, says the manual of the northern harbour."
TWIN = "The yellow crane lifts forty tons, says the ledger of the southern harbour."
ASKED = "What does the yellow crane lift?"
REPEATS = "I looked it up: the manual has forty tons for the northern harbour."


def counted(engine: Engine) -> list[int]:
    """What has counted as used, once all that was said is looked at."""
    catch_up(engine)
    return engine.used


@pytest.fixture
def crane(hand: Hand) -> str:
    return hand.say(CRANE)


def ask(engine: Engine, asker: Asker, message: str = ASKED, limit: int | None = None) -> list[str]:
    """The addresses that a message recalls."""
    return [kept.record.node.address for kept in recall(engine, asker, message, limit=limit).relevant]


def entry_of(hand: Hand, address: str) -> int:
    return hand.record(address).entry


def counts(memory: Memory, address: str) -> tuple[int, int]:
    """How often it was recalled and used, as the store has it."""
    memory.flush()
    with memory.store.reading() as reader:
        (record,) = reader.records(memory.scope.namespace, [address], None, CURRENT)
        use = reader.uses([record.entry]).get(record.entry)
        return (use.recalled, use.used) if use else (0, 0)


@pytest.mark.parametrize(
    ("said", "files", "why"),
    [
        (f"As {address_of('claim', CRANE)[:12]} says.", (), NAMED),
        ("", ("src/crane.py",), EDITED),
        (REPEATS, (), REPEATED),
    ],
)
def test_what_was_recalled_and_used_counts_once(
    engine: Engine, asker: Asker, hand: Hand, said: str, files: tuple[str, ...], why: str
) -> None:
    crane = hand.say(CRANE, anchors=["src/crane.py"])
    assert ask(engine, asker) == [crane]
    found = feedback(engine, asker, said, files=files)
    assert (found.used, found.looked_at) == (((crane, why),), 1)
    assert counted(engine) == [entry_of(hand, crane)]
    assert feedback(engine, asker, said or "-", files=files).used == ()
    assert ask(engine, asker) == [crane]
    assert feedback(engine, asker, said, files=files).used == ((crane, why),)
    assert counted(engine) == 2 * [entry_of(hand, crane)]


@pytest.mark.parametrize("said", ["The yellow crane can lift, you ask?", "We will see about it later."])
def test_what_was_recalled_and_not_used_does_not_count(engine: Engine, asker: Asker, crane: str, said: str) -> None:
    assert ask(engine, asker) == [crane]
    assert feedback(engine, asker, said, files=["src/crane.py"]).used == ()
    assert counted(engine) == []
    assert feedback(engine, asker, REPEATS).used == ((crane, REPEATED),)


def test_what_was_not_recalled_is_not_used_by_it(engine: Engine, asker: Asker, hand: Hand, crane: str) -> None:
    assert feedback(engine, asker, REPEATS) == ((), 0)
    get(engine, asker, crane)
    reinforce(engine, asker, crane)
    assert feedback(engine, asker, "", addresses=[crane]) == ((), 1)
    assert counted(engine) == []


def _get(engine: Engine, asker: Asker, crane: str, other: str) -> None:
    get(engine, asker, crane[:12])


def _reinforce(engine: Engine, asker: Asker, crane: str, other: str) -> None:
    reinforce(engine, asker, crane)


def _relate_from(engine: Engine, asker: Asker, crane: str, other: str) -> None:
    relate(engine, asker, crane, other, "caused_by")


def _relate_to(engine: Engine, asker: Asker, crane: str, other: str) -> None:
    relate(engine, asker, other, crane, "caused_by")


def _update_standing(engine: Engine, asker: Asker, crane: str, other: str) -> None:
    update(engine, asker, crane, standing={"priority": 0.9})


def _update(engine: Engine, asker: Asker, crane: str, other: str) -> None:
    update(engine, asker, crane, content="It lifts nothing any more.")


def _update_another(engine: Engine, asker: Asker, crane: str, other: str) -> None:
    update(engine, asker, other, content="Apples hang where the manual of the northern harbour has forty tons.")


def _save_words(engine: Engine, asker: Asker, crane: str, other: str) -> None:
    remember(engine, asker, [Draft("Pears are ripe."), Draft(REPEATS)])


def _save_name(engine: Engine, asker: Asker, crane: str, other: str) -> None:
    remember(engine, asker, [Draft(f"What {crane[:12]} says is old.")])


def _save_link(engine: Engine, asker: Asker, crane: str, other: str) -> None:
    remember(engine, asker, [Draft("Pears are ripe.", links=(("caused_by", crane[:8]),))])


Verb = Callable[[Engine, Asker, str, str], None]
NAMING = (_get, _reinforce, _relate_from, _relate_to, _update_standing, _update, _save_name, _save_link)


@pytest.mark.parametrize("verb", [*NAMING, _update_another, _save_words], ids=lambda verb: verb.__name__.strip("_"))
def test_a_verb_that_names_or_repeats_it_counts_once(engine: Engine, asker: Asker, hand: Hand, verb: Verb) -> None:
    crane, other = hand.say(CRANE), hand.say("Apples are counted by weight.")
    entry = entry_of(hand, crane)
    assert ask(engine, asker) == [crane]
    verb(engine, asker, crane, other)
    assert counted(engine) == [entry]
    get(engine, asker, crane)
    assert counted(engine) == [entry]


def test_a_verb_that_fails_counts_nothing(engine: Engine, asker: Asker, crane: str) -> None:
    assert ask(engine, asker) == [crane]
    reader = replace(asker, principal=replace(asker.principal, rights=frozenset(("read",))))
    with pytest.raises(Forbidden):
        reinforce(engine, reader, crane)
    with pytest.raises(Forbidden):
        remember(engine, reader, [Draft(REPEATS)])
    assert counted(engine) == []


def test_what_is_filled_in_from_elsewhere_is_no_use(engine: Engine, asker: Asker, crane: str) -> None:
    assert ask(engine, asker) == [crane]
    remember(engine, asker, [Draft(REPEATS)], operation="memory_fill")
    assert counted(engine) == []


def test_to_explain_is_not_to_recall(engine: Engine, asker: Asker, crane: str) -> None:
    assert explain(engine, asker, crane, ASKED).recalled
    assert feedback(engine, asker, REPEATS) == ((), 0)
    assert engine.recalled == []


def test_feedback_is_no_event(engine: Engine, asker: Asker, hand: Hand, crane: str) -> None:
    before = hand.head()
    ask(engine, asker)
    assert feedback(engine, asker, REPEATS).used
    get(engine, asker, crane)
    assert hand.head() == before


def test_addresses_with_a_text_are_only_looked_for_and_alone_they_say_it(
    engine: Engine, asker: Asker, hand: Hand, crane: str
) -> None:
    other = hand.say("Apples are counted by weight.")
    assert ask(engine, asker, "How are apples counted?") == [other]
    assert ask(engine, asker) == [crane]
    assert feedback(engine, asker, REPEATS, addresses=[other[:12]]) == ((), 1)
    assert feedback(engine, asker, "", addresses=[other[:12]]) == (((other, NAMED),), 1)
    assert feedback(engine, asker, REPEATS, addresses=[other, crane]) == (((crane, REPEATED),), 2)
    assert counted(engine) == [entry_of(hand, other), entry_of(hand, crane)]


def test_what_another_process_recalled_counts_by_its_address_and_not_more_often_than_it_was_recalled(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock, crane: str
) -> None:
    entry = entry_of(hand, crane)
    with engine.store.writing() as writer:
        writer.count_use([entry], used=False, at=clock.now)
    assert feedback(engine, asker, REPEATS) == ((), 0)
    echo = "The yellow crane: forty tons, northern harbour."
    assert feedback(engine, asker, echo, addresses=[crane], asked="Forty tons in the northern harbour?").used == ()
    assert feedback(engine, asker, echo, addresses=[crane], asked=ASKED).used == ((crane, REPEATED),)
    get(engine, asker, crane)
    assert counted(engine) == [entry]
    with engine.store.writing() as writer:
        writer.count_use(engine.drain()[2], used=True, at=clock.now)
    get(engine, asker, crane)
    assert counted(engine) == []


@pytest.mark.parametrize("is_here", [True, False])
def test_long_after_the_recall_it_is_no_longer_its_doing(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock, crane: str, is_here: bool
) -> None:
    if is_here:
        ask(engine, asker)
    else:
        with engine.store.writing() as writer:
            writer.count_use([entry_of(hand, crane)], used=False, at=clock.now)
    clock.now += LATELY_MICROS + 1
    get(engine, asker, crane)
    assert feedback(engine, asker, REPEATS) == ((), 0)
    assert counted(engine) == []
    clock.now -= 1
    get(engine, asker, crane)
    assert counted(engine) == [entry_of(hand, crane)]


def test_only_the_last_are_kept_in_mind(engine: Engine, asker: Asker, hand: Hand, crane: str) -> None:
    others = [hand.record(hand.say(f"Note {number}.")) for number in range(LATELY_MAX)]
    ask(engine, asker)
    engine.gave(asker, others[:-1], "notes?")
    assert feedback(engine, asker, REPEATS) == (((crane, REPEATED),), LATELY_MAX)
    ask(engine, asker)
    engine.gave(asker, others, "notes?")
    assert feedback(engine, asker, REPEATS) == ((), LATELY_MAX)


def test_what_one_was_given_is_not_looked_for_in_what_another_says(
    engine: Engine, asker: Asker, hand: Hand, crane: str
) -> None:
    joe = replace(asker, principal=Principal("joe"))
    assert ask(engine, asker) == [crane]
    assert feedback(engine, joe, REPEATS) == ((), 0)
    assert ask(engine, joe) == [crane]
    assert feedback(engine, joe, REPEATS).used == ((crane, REPEATED),)
    assert feedback(engine, asker, REPEATS).used == ((crane, REPEATED),)
    assert counted(engine) == 2 * [entry_of(hand, crane)]


def test_what_was_erased_meanwhile_is_passed_over(engine: Engine, asker: Asker, crane: str) -> None:
    assert ask(engine, asker) == [crane]
    with engine.store.writing() as writer:
        writer.erase(asker.namespace, [crane])
    assert feedback(engine, asker, REPEATS).used == ()
    assert counted(engine) == []


def test_a_report_that_cannot_be_read_counts_nothing(engine: Engine, asker: Asker, crane: str) -> None:
    ask(engine, asker)
    with pytest.raises(Invalid) as empty:
        feedback(engine, asker, " ")
    assert empty.value.field == "said"
    with pytest.raises(NotFound) as unknown:
        feedback(engine, asker, REPEATS, addresses=[crane, "0" * 12])
    assert unknown.value.field == "addresses"
    with pytest.raises(TooLarge):
        feedback(engine, asker, REPEATS, addresses=[crane] * 65)
    with pytest.raises(Forbidden):
        feedback(engine, asker_of("orchard", projects=["meadow"]), REPEATS)
    assert counted(engine) == []


def test_many_threads_count_each_use_once_and_lose_none(engine: Engine, asker: Asker, hand: Hand) -> None:
    records = [hand.record(hand.say(f"Note {number}.")) for number in range(16)]
    written: list[int] = []
    rounds = 12

    def name(number: int) -> None:
        get(engine, asker, records[number % 16].node.address)
        written.extend(engine.drain()[2])

    with ThreadPoolExecutor(8) as pool:
        for _ in range(rounds):
            engine.gave(asker, records, "notes?")
            list(pool.map(name, range(64)))
    written.extend(engine.drain()[2])
    assert sorted(written) == sorted(rounds * [record.entry for record in records])


@pytest.fixture
def opened(tmp_path: Path) -> Callable[[], Memory]:
    """Opens the same store again and again, as one process after another would."""
    return lambda: open_memory(tmp_path, store=str(tmp_path / "marrow.db"), project="harbour", embedder="none")


def twins(memory: Memory) -> tuple[str, str]:
    saved = memory.save(batch=[{"content": text, "at": "2026-01-05"} for text in (CRANE, TWIN)])
    one, other = (memory.get(item.address).address for item in saved.items)
    return one, other


def ranked(memory: Memory) -> list[str]:
    found = search(memory.engine, memory.call.asker, ASKED, Filter(projects=("harbour",)))
    return [hit.record.node.address for hit in found.hits]


def given(memory: Memory, message: str, limit: int) -> list[str]:
    return ask(memory.engine, memory.call.asker, message, limit)


@pytest.mark.parametrize("is_first", [True, False])
def test_what_is_recalled_and_used_rises_above_its_twin_for_good(opened: Callable[[], Memory], is_first: bool) -> None:
    with opened() as memory:
        pair = twins(memory)
        one, other = pair if is_first else pair[::-1]
        for _ in range(5):
            assert set(given(memory, ASKED, 2)) == {one, other}
            assert [item["why"] for item in memory.used(addresses=[one]).items] == [NAMED]
        assert (counts(memory, one), counts(memory, other)) == ((5, 5), (5, 0))
    with opened() as memory:
        assert (counts(memory, one), counts(memory, other)) == ((5, 5), (5, 0))
        assert ranked(memory) == [one, other]
        assert given(memory, ASKED, 2) == [one]  # the other was recalled five times and never used


@pytest.mark.parametrize("is_first", [True, False])
def test_what_is_recalled_five_times_and_never_used_sinks_below_its_twin(
    opened: Callable[[], Memory], is_first: bool
) -> None:
    with opened() as memory:
        pair = twins(memory)
        sinking, other = pair if is_first else pair[::-1]
        where = "manual of the northern harbour" if is_first else "ledger of the southern harbour"
        for _ in range(5):
            assert given(memory, f"What does the {where} say?", 1) == [sinking]
            assert memory.used(said="Nothing of the kind is written anywhere.").items == ()
        there = "ledger of the southern harbour" if is_first else "manual of the northern harbour"
        assert given(memory, f"What does the {there} say?", 1) == [other]
        assert memory.used(addresses=[other]).items  # where nobody reports any use, nothing sinks
        assert (counts(memory, sinking), counts(memory, other)) == ((5, 0), (1, 1))
    with opened() as memory:
        assert ranked(memory) == [other, sinking]
        assert given(memory, ASKED, 1) == [other]


def test_a_get_after_a_recall_counts_once_and_is_written_down(opened: Callable[[], Memory]) -> None:
    with opened() as memory:
        crane, twin = twins(memory)
        memory.get(twin)
        assert (
            memory.recall("What does the manual of the northern harbour say?", limit=1).items[0].address == crane[:12]
        )
        memory.get(crane)
        memory.get(crane)
        assert memory.perform("memory_used", {"said": f"See {crane[:12]}."}).plain()["items"] == []
    with opened() as memory:
        assert (counts(memory, crane), counts(memory, twin)) == ((1, 1), (0, 0))
        memory.get(crane)
        assert counts(memory, crane) == (1, 1)
