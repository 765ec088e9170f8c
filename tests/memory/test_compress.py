"""Compress: several memories into one, with nothing exact lost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.memory.compress import INPUTS_MAX, compress
from marrow.memory.engine import Asker, Engine
from marrow.memory.erase import erase
from marrow.memory.forget import forget
from marrow.model.address import shown
from marrow.model.change import Restate
from marrow.model.errors import Conflict, Forbidden, Invalid, NotFound, TooLarge
from marrow.model.link import make_anchor
from marrow.model.merkle import root_of
from marrow.model.moments import MICROS_PER_DAY, iso
from marrow.model.record import CURRENT
from marrow.store.chains import broken_at

from .conftest import PROJECT, Clock, Hand, asker_of

SAID = (
    "The importer reads bundles from the queue. It keeps 4 workers.",
    "Bundles are signed with the release key. The key lives in keys/release.pem.",
    "The queue drains every night; the timeout is 30s.",
)


def test_the_inputs_leave_the_active_set_and_the_summary_names_them(engine: Engine, asker: Asker, hand: Hand) -> None:
    inputs = [hand.say(text) for text in SAID]
    before = hand.head()
    found = compress(engine, asker, addresses=[address[:12] for address in inputs])
    assert found.inputs == tuple(inputs)
    assert [hand.state(address) for address in inputs] == ["compressed"] * 3
    record = hand.record(found.address)
    assert (record.node.kind, record.node.inputs) == ("summary", tuple(sorted(inputs)))
    assert record.standing.state == "active"
    assert record.standing.semantic
    assert hand.record(inputs[0]).standing.reason == "compressed"
    assert hand.head() == before + 1, "one event"


def test_the_chain_and_the_root_hold_after_a_compression(engine: Engine, asker: Asker, hand: Hand) -> None:
    compress(engine, asker, addresses=[hand.say(text) for text in SAID])
    with engine.store.reading() as reader:
        assert broken_at(reader.events(asker.namespace)) is None
        assert root_of(reader.leaves(asker.namespace, CURRENT)) == reader.head(asker.namespace).root


def test_no_exact_value_of_an_input_is_lost(engine: Engine, asker: Asker, hand: Hand) -> None:
    inputs = [hand.say(text) for text in SAID]
    found = compress(engine, asker, addresses=inputs, summary="How the importer works.")
    assert found.preserved == ("It keeps 4 workers.", "The key lives in keys/release.pem.", "the timeout is 30s.")
    content = hand.record(found.address).node.content
    assert content.startswith("How the importer works.\n\nExact values:\n")
    assert all(f"- {clause}" in content for clause in found.preserved)


def test_without_a_summary_one_is_made_from_the_inputs_the_same_every_time(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    inputs = [hand.say(text) for text in SAID]
    tried = compress(engine, asker, addresses=inputs, dry_run=True)
    done = compress(engine, asker, addresses=inputs)
    assert (tried.summary, tried.coverage, tried.preserved) == (done.summary, done.coverage, done.preserved)
    assert done.summary.index("importer") < done.summary.index("signed")
    assert done.coverage > 0.9
    assert not done.warning


def test_a_dry_run_writes_nothing(engine: Engine, asker: Asker, hand: Hand) -> None:
    inputs = [hand.say(text) for text in SAID]
    before = hand.head()
    assert compress(engine, asker, addresses=inputs, dry_run=True).address == ""
    assert hand.head() == before
    assert hand.state(inputs[0]) == "active"


def test_a_summary_that_leaves_much_out_comes_with_a_warning_that_names_it(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    inputs = [hand.say("Kubernetes upgrades fail on old nodes"), hand.say("Kubernetes pods restart at random")]
    found = compress(engine, asker, addresses=inputs, summary="Things happened.")
    assert found.coverage == 0.0
    assert "0%" in found.warning
    assert "Kubernetes" in found.warning
    assert found.address


def test_the_summary_stands_as_its_inputs_stood_together(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    soon, late = clock.now + 10 * MICROS_PER_DAY, clock.now + 20 * MICROS_PER_DAY
    first = clock.now
    one = hand.say("one", domain="issues", tags=("b", "a"), priority=0.9, expires_at=soon, anchors=["src/a.py"])
    two = hand.say("two", domain="issues", tags=("c",), classification="confidential", expires_at=late, confidence=0.6)
    last = clock.now
    three = hand.say(
        "three", domain="tasks", anchors=["src/a.py", "src/b.py:3-9"], expires_at=soon, classification="public"
    )
    found = compress(engine, asker, addresses=[one, two, three])
    record = hand.record(found.address)
    standing = record.standing
    assert (standing.domain, standing.priority, standing.tags) == ("issues", 0.9, ("a", "b", "c"))
    assert (standing.classification, standing.expires_at) == ("confidential", late)
    assert standing.confidence == pytest.approx((0.8 + 0.6 + 0.8) / 3, abs=1e-3)
    with engine.store.reading() as reader:
        anchors = reader.anchors([record.entry], CURRENT)[record.entry]
        said = reader.occurrences([record.entry], CURRENT)[record.entry][0]
    assert anchors == [make_anchor("src/a.py"), make_anchor("src/b.py:3-9")]
    assert said.fields == {"first_at": iso(first), "last_at": iso(last), "inputs": 3}


def test_a_summary_lives_on_when_one_of_its_inputs_does_not_expire(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    inputs = [hand.say("one", expires_at=clock.now + MICROS_PER_DAY), hand.say("two")]
    assert hand.record(compress(engine, asker, addresses=inputs).address).standing.expires_at is None


def test_a_given_domain_is_the_domain_of_the_summary(engine: Engine, asker: Asker, hand: Hand) -> None:
    inputs = [hand.say("one", domain="issues"), hand.say("two", domain="issues")]
    found = compress(engine, asker, addresses=inputs, domain="history")
    assert hand.record(found.address).standing.domain == "history"


def test_a_domain_is_compressed_without_its_pinned_inactive_and_foreign_nodes(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    taken = [hand.say("one", domain="issues"), hand.say("two", domain="issues")]
    pinned = hand.say("pinned", domain="issues", pinned=True)
    hand.restate(hand.say("retracted", domain="issues"), state="retracted")
    hand.say("expired", domain="issues", expires_at=clock.now + 1)
    hand.say("elsewhere", domain="issues", project="other")
    hand.say("everywhere", domain="issues", project="")
    hand.say("another domain", domain="tasks")
    found = compress(engine, asker, domain="issues")
    assert found.inputs == tuple(taken)
    assert hand.state(pinned) == "active"


def test_a_thread_is_compressed_and_the_summary_belongs_to_it(engine: Engine, asker: Asker, hand: Hand) -> None:
    taken = [hand.say("one", thread="monday"), hand.say("two", thread="monday")]
    hand.say("three", thread="tuesday")
    found = compress(engine, asker, thread="monday")
    assert found.inputs == tuple(taken)
    with engine.store.reading() as reader:
        entry = hand.record(found.address).entry
        assert reader.occurrences([entry], CURRENT)[entry][0].thread == "monday"


def test_a_pinned_node_is_compressed_when_it_is_given_by_address_and_the_summary_is_pinned(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    found = compress(engine, asker, addresses=[hand.say("one", pinned=True), hand.say("two")])
    assert hand.record(found.address).standing.pinned


def test_a_summary_of_summaries_keeps_the_values_of_both(engine: Engine, asker: Asker, hand: Hand) -> None:
    one = compress(engine, asker, summary="Alpha.", addresses=[hand.say("Port 5432"), hand.say("Port 5433")])
    two = compress(engine, asker, summary="Beta.", addresses=[hand.say("Pool 20"), hand.say("Pool 30")])
    both = compress(engine, asker, summary="Gamma.", addresses=[one.address, two.address])
    assert both.preserved == ("Port 5432", "Port 5433", "Pool 20", "Pool 30")


def test_the_same_address_twice_is_one_input(engine: Engine, asker: Asker, hand: Hand) -> None:
    one = hand.say("one")
    with pytest.raises(Invalid) as caught:
        compress(engine, asker, addresses=[one, one[:10]])
    assert caught.value.field == "addresses"


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({}, "addresses"),
        ({"domain": "cooking"}, "domain"),
        ({"domain": "issues"}, "domain"),
        ({"thread": "nobody"}, "thread"),
        ({"addresses": ["not an address"]}, "addresses"),
        ({"addresses": "abcdef"}, "addresses"),
    ],
)
def test_what_cannot_be_compressed_is_refused_and_the_field_is_named(
    engine: Engine, asker: Asker, hand: Hand, arguments: dict[str, object], field: str
) -> None:
    hand.say("The only issue", domain="issues")
    with pytest.raises((Invalid, NotFound)) as caught:
        compress(engine, asker, **arguments)  # type: ignore[arg-type]
    assert caught.value.field == field


def test_an_empty_summary_is_refused_and_nothing_changes(engine: Engine, asker: Asker, hand: Hand) -> None:
    inputs = [hand.say("one"), hand.say("two")]
    with pytest.raises(Invalid) as caught:
        compress(engine, asker, addresses=inputs, summary="  ")
    assert caught.value.field == "summary"
    assert hand.state(inputs[0]) == "active"


def test_more_than_the_limit_is_refused(engine: Engine, asker: Asker, hand: Hand) -> None:
    with pytest.raises(TooLarge):
        compress(engine, asker, addresses=[f"{number:064x}" for number in range(INPUTS_MAX + 1)])


def test_a_node_that_no_longer_holds_is_refused(engine: Engine, asker: Asker, hand: Hand, clock: Clock) -> None:
    kept, old = hand.say("one"), hand.say("two")
    hand.supersede(old, "two, again")
    with pytest.raises(Conflict):
        compress(engine, asker, addresses=[kept, old])
    brief = hand.say("three", expires_at=clock.now + MICROS_PER_DAY)
    clock.forward(days=2)
    with pytest.raises(Conflict):
        compress(engine, asker, addresses=[kept, brief])


def test_a_global_node_is_not_taken_out_of_every_other_project(engine: Engine, asker: Asker, hand: Hand) -> None:
    own, shared = hand.say("one"), hand.say("two", project="")
    with pytest.raises(Invalid):
        compress(engine, asker, addresses=[own, shared])
    assert hand.state(shared, "") == "active"
    found = compress(engine, asker_of(""), addresses=[shared, hand.say("three", project="")])
    assert hand.state(shared, "") == "compressed"
    assert hand.record(found.address, "").project == ""


def test_who_may_not_write_here_may_not_compress(engine: Engine, hand: Hand) -> None:
    inputs = [hand.say("one"), hand.say("two")]
    for asker in (asker_of(PROJECT, rights=["read"]), asker_of(PROJECT, projects=["other"])):
        with pytest.raises(Forbidden):
            compress(engine, asker, addresses=inputs, dry_run=True)


def test_a_node_of_another_project_is_not_found(engine: Engine, asker: Asker, hand: Hand) -> None:
    own, foreign = hand.say("one"), hand.say("two", project="other")
    with pytest.raises(NotFound):
        compress(engine, asker, addresses=[own, foreign])


def test_control_characters_of_the_inputs_do_not_get_in_the_way(engine: Engine, asker: Asker, hand: Hand) -> None:
    plain = "Nothing to see here, only many plain words that go on and on. " * 3
    inputs = [hand.say(f"{plain}\n\x01\x02 9\x03\x04"), hand.say("\x01 quite a short text")]
    found = compress(engine, asker, addresses=inputs)
    assert "9" in hand.record(found.address).node.content


TEXT = st.text(st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1, max_size=80)


@given(texts=st.lists(TEXT, min_size=2, max_size=6))
def test_whatever_is_compressed_its_coverage_is_a_share(
    engine: Engine, asker: Asker, hand: Hand, texts: list[str]
) -> None:
    inputs = {hand.say(f"{number} {text}") for number, text in enumerate(texts)}
    found = compress(engine, asker, addresses=sorted(inputs))
    assert 0.0 <= found.coverage <= 1.0
    assert bool(found.warning) == (found.coverage < 0.6)
    assert {hand.state(address) for address in inputs} == {"compressed"}


def test_what_a_summary_took_the_place_of_holds_again_when_it_is_forgotten(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    one, two, three = (hand.say(text) for text in SAID)
    first = compress(engine, asker, addresses=[one, two])
    second = compress(engine, asker, addresses=[first.address, three])
    before = hand.head()
    forget(engine, asker, second.address)
    assert hand.head() == before + 1, "one event"
    assert [hand.state(a) for a in (second.address, first.address, three)] == ["retracted", "active", "active"]
    assert [hand.state(a) for a in (one, two)] == ["compressed"] * 2


def test_of_what_a_forgotten_summary_stood_for_only_what_nothing_else_took_away_holds_again(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    one, two, three = (hand.say(text) for text in SAID)
    found = compress(engine, asker, addresses=[one, two, three])
    hand.say("Also said of the key.", kind="summary", inputs=[two])
    forget(engine, asker, one)
    forget(engine, asker, found.address)
    assert [hand.state(address) for address in (one, two, three)] == ["retracted", "compressed", "active"]


def test_what_a_summary_stood_for_that_was_forgotten_before_its_own_summary_holds_again(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    one, two, three = (hand.say(text) for text in SAID)
    first = compress(engine, asker, addresses=[one, two])
    second = compress(engine, asker, addresses=[first.address, three])
    forget(engine, asker, first.address)
    forget(engine, asker, second.address)
    assert [hand.state(address) for address in (one, two, three)] == ["active"] * 3
    assert hand.state(first.address) == "retracted"


def test_what_a_summary_stood_for_that_was_forgotten_holds_again_when_the_one_around_it_is_erased(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    one, two, three = (hand.say(text) for text in SAID)
    first = compress(engine, asker, addresses=[one, two])
    second = compress(engine, asker, addresses=[first.address, three])
    forget(engine, asker, first.address)
    done = erase(engine, asker, address=second.address, dry_run=False, confirm=True)
    assert set(done.brought_back) == {shown(address) for address in (one, two, three)}
    assert [hand.state(address) for address in (one, two, three)] == ["active"] * 3


class Meddled:
    """A clock that is looked at between a look into the store and the write that follows. When it is, for the given
    time, another process comes first."""

    def __init__(self, clock: Clock, at: int, other: Callable[[], object]) -> None:
        self.clock, self.left, self.other = clock, at, other

    def __call__(self) -> int:
        self.left -= 1
        if self.left == 0:
            self.other()
        return self.clock()


def test_a_summary_is_forgotten_though_what_it_stood_for_is_said_again_meanwhile(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    one, two = (hand.say(text) for text in SAID[:2])
    found = compress(engine, asker, addresses=[one, two])
    meddled = replace(engine, clock=Meddled(clock, 1, lambda: hand.say(SAID[0])))
    _, receipt = forget(meddled, asker, found.address)
    assert [outcome.address for outcome in receipt.outcomes] == [found.address, two]
    assert [hand.state(address) for address in (found.address, one, two)] == ["retracted", "active", "active"]


def test_a_summary_is_erased_though_what_it_stood_for_is_forgotten_meanwhile(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    one, two = (hand.say(text) for text in SAID[:2])
    found = compress(engine, asker, addresses=[one, two])
    meddled = replace(engine, clock=Meddled(clock, 2, lambda: forget(engine, asker, one)))
    done = erase(meddled, asker, address=found.address, dry_run=False, confirm=True)
    assert (done.chosen, done.brought_back) == ((shown(found.address),), (shown(two),))
    assert [hand.state(address) for address in (one, two)] == ["retracted", "active"]


def left(hand: Hand) -> set[str]:
    with hand.engine.store.reading() as reader:
        return set(reader.addresses(hand.asker.namespace, "", None, 9))


@pytest.mark.parametrize("before", ["what comes back is written", "it is erased"])
def test_what_another_process_erases_first_is_erased(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock, before: str
) -> None:
    one, two = (hand.say(text) for text in SAID[:2])
    found = compress(engine, asker, addresses=[one, two])

    def other() -> None:
        for address in (found.address, one):
            erase(engine, asker, address=address, dry_run=False, confirm=True)

    meddled = replace(engine, clock=Meddled(clock, 2 if before == "what comes back is written" else 3, other))
    done = erase(meddled, asker, address=found.address, dry_run=False, confirm=True)
    assert (done.chosen, done.seq) == ((shown(found.address),), None)
    assert (left(hand), hand.state(two)) == ({two}, "active")


def test_what_is_left_is_erased_when_another_process_erases_the_rest_first(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    one, two = (hand.say(text, thread="t1") for text in SAID[:2])
    meddled = replace(
        engine, clock=Meddled(clock, 2, lambda: erase(engine, asker, address=one, dry_run=False, confirm=True))
    )
    done = erase(meddled, asker, thread="t1", dry_run=False, confirm=True)
    assert set(done.chosen) == {shown(one), shown(two)}
    assert left(hand) == set()


def test_what_a_better_telling_took_the_place_of_stays_out_when_that_is_forgotten(
    engine: Engine, asker: Asker, hand: Hand
) -> None:
    raw = hand.say("Edited a.py", kind="observation")
    told = hand.say("The tip is added to the total.", kind="observation", inputs=[raw])
    hand.do(Restate(raw, (("state", "compressed"),), "told better by a model"))
    forget(engine, asker, told)
    assert hand.state(raw) == "compressed"
