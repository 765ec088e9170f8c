"""Prune candidates: what looks stale, and why."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.memory.engine import Asker, Engine
from marrow.memory.prune_candidates import PruneCandidates, prune_candidates
from marrow.model.change import Reinforce
from marrow.model.errors import Forbidden, Invalid
from marrow.model.moments import MICROS_PER_DAY
from marrow.model.source import Source
from marrow.model.standing import DRIFTS

from .conftest import PROJECT, Clock, Hand, asker_of


def staleness(found: PruneCandidates) -> dict[str, float]:
    return {one.record.node.content: one.staleness for one in found.candidates}


def test_a_fresh_and_certain_node_is_no_candidate(engine: Engine, asker: Asker, hand: Hand) -> None:
    hand.say("fresh")
    found = prune_candidates(engine, asker)
    assert (found.candidates, found.considered, found.found) == ((), 1, 0)


def test_what_was_not_reinforced_for_long_becomes_stale_and_reinforcing_it_helps(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    hand.say("forgotten")
    proven = hand.say("proven")
    clock.forward(days=365)
    hand.do(Reinforce(proven))
    found = prune_candidates(engine, asker)
    assert list(staleness(found)) == ["forgotten"]
    assert found.candidates[0].reasons == ("not reinforced for 1 year",)
    assert (found.considered, found.found) == (2, 1)


def test_what_was_read_from_where_it_still_stands_is_no_candidate(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    commit = hand.say("Initial commit", kind="commit")
    hand.say("said")
    with engine.store.writing() as writer:
        writer.keep_sources(asker.namespace, [Source(PROJECT, "s", f"commit:{'a' * 40}", "commit", commit)])
    clock.forward(days=3650)
    found = prune_candidates(engine, asker)
    assert (list(staleness(found)), found.considered) == (["said"], 1)


def test_every_reason_is_said_in_words_the_strongest_first(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    address = hand.say("doubtful", confidence=0.3, drift="gone", expires_at=clock.now + 93 * MICROS_PER_DAY)
    entry, other = hand.record(address).entry, hand.record(hand.say("useful")).entry
    clock.forward(days=90)
    with engine.store.writing() as writer:
        for _ in range(4):
            writer.count_use([entry, other], used=False, at=clock.now)
            writer.count_use([other], used=True, at=clock.now)
    reasons = prune_candidates(engine, asker).candidates[0].reasons
    assert reasons[0] == "the code that it is anchored to is gone"
    assert set(reasons) == {
        "the code that it is anchored to is gone",
        "not reinforced for 3 months",
        "low confidence (0.3)",
        "recalled 4 times and never used",
        "expires in 2 days",
    }


def test_what_was_used_when_recalled_is_not_held_against_it(engine: Engine, asker: Asker, hand: Hand) -> None:
    entries = [hand.record(hand.say(text)).entry for text in ("useful", "useless", "new")]
    with engine.store.writing() as writer:
        for _ in range(10):
            writer.count_use(entries[:2], used=False, at=1)
            writer.count_use(entries[:1], used=True, at=1)
        writer.count_use(entries[2:], used=False, at=1)
    assert list(staleness(prune_candidates(engine, asker))) == ["useless"]


def test_what_people_look_up_by_hand_is_not_stale_for_being_looked_up(engine: Engine, asker: Asker, hand: Hand) -> None:
    entries = [hand.record(hand.say(text)).entry for text in ("asked for again and again", "opened once")]
    with engine.store.writing() as writer:
        for _ in range(12):
            writer.count_use(entries, used=False, at=1)
        writer.count_use(entries[1:], used=True, at=1)
    assert staleness(prune_candidates(engine, asker, 0.0)) == {"asked for again and again": 0.0, "opened once": 0.0}


def test_drift_weighs_by_what_happened_to_the_code(engine: Engine, asker: Asker, hand: Hand) -> None:
    for drift in DRIFTS:
        hand.say(drift or "none", drift=drift)
    scores = staleness(prune_candidates(engine, asker, threshold=0.0))
    assert list(scores) == ["gone", "changed", "moved", "none"], "worst first"
    assert scores["gone"] > scores["changed"] > scores["moved"] > scores["none"]


def test_pinned_inactive_and_foreign_nodes_are_never_candidates(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    hand.say("pinned", pinned=True)
    hand.restate(hand.say("retracted"), state="retracted")
    hand.say("expired", expires_at=clock.now + MICROS_PER_DAY)
    hand.say("foreign", project="other")
    hand.say("shared", project="")
    clock.forward(days=500)
    assert prune_candidates(engine, asker, threshold=0.0).considered == 0


def test_the_limit_keeps_the_worst_and_counts_the_others(
    engine: Engine, asker: Asker, hand: Hand, clock: Clock
) -> None:
    for number in range(6):
        hand.say(f"node {number}", confidence=number / 10)
    clock.forward(days=365)
    found = prune_candidates(engine, asker, limit=2)
    assert list(staleness(found)) == ["node 0", "node 1"]
    assert (found.considered, found.found) == (6, 6)


def test_it_only_reads(engine: Engine, asker: Asker, hand: Hand, clock: Clock) -> None:
    hand.say("one")
    clock.forward(days=365)
    before = hand.head()
    prune_candidates(engine, asker)
    assert hand.head() == before


@pytest.mark.parametrize(
    ("arguments", "field"),
    [({"threshold": 1.5}, "threshold"), ({"threshold": float("nan")}, "threshold"), ({"limit": 0}, "limit")],
)
def test_bad_arguments_are_refused_and_named(
    engine: Engine, asker: Asker, arguments: dict[str, float], field: str
) -> None:
    with pytest.raises(Invalid) as caught:
        prune_candidates(engine, asker, **arguments)  # type: ignore[arg-type]
    assert caught.value.field == field


def test_who_may_not_read_here_sees_no_candidates(engine: Engine, hand: Hand) -> None:
    hand.say("one")
    with pytest.raises(Forbidden):
        prune_candidates(engine, asker_of(PROJECT, projects=["other"]))


COUNTER = itertools.count()


@given(
    confidence=st.floats(0, 1),
    drift=st.sampled_from(DRIFTS),
    days=st.floats(0, 5_000),
    left=st.floats(0.01, 30) | st.none(),
    recalled=st.integers(0, 20),
)
def test_staleness_is_a_share_and_doubt_never_lowers_it(
    engine: Engine, clock: Clock, confidence: float, drift: str, days: float, left: float | None, recalled: int
) -> None:
    asker = asker_of(f"project {next(COUNTER)}")
    hand = Hand(engine, asker, clock)
    expires_at = None if left is None else clock.now + int((days + left + 1) * MICROS_PER_DAY)
    entries = [
        hand.record(hand.say("one", confidence=confidence, drift=drift, expires_at=expires_at)).entry,
        hand.record(hand.say("other", confidence=confidence / 2, drift=drift, expires_at=expires_at)).entry,
    ]
    clock.forward(days=days)
    with engine.store.writing() as writer:
        for _ in range(recalled):
            writer.count_use(entries, used=False, at=clock.now)
    scores = staleness(prune_candidates(engine, asker, threshold=0.0))
    assert all(0.0 <= score <= 1.0 for score in scores.values())
    # The second was said a second later: that is within the rounding.
    assert scores["other"] >= scores["one"] - 0.001
