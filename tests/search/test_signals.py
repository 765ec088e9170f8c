"""Each signal by itself, on records that are written by hand, and in the order of what is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from marrow.model.moments import MICROS_PER_DAY
from marrow.model.node import Node
from marrow.model.record import Record
from marrow.model.standing import Standing
from marrow.search import signals
from marrow.search.intent import Intent
from marrow.store.protocol import Use

NOW = 1_000 * MICROS_PER_DAY
NODE = Node.make("claim", "Apples are counted by weight.")


def record(*, age_days: float = 0.0, idle_days: float = 0.0, node: Node = NODE, **standing: object) -> Record:
    stands = Standing(reinforced_at=NOW - int(idle_days * MICROS_PER_DAY))
    at = NOW - int(age_days * MICROS_PER_DAY)
    return Record(1, "orchard", node, replace(stands, **standing), 1, at, at)  # type: ignore[arg-type]


@pytest.mark.parametrize(("age_days", "factor"), [(0, 1.05), (90, 1.025), (180, 1.0125), (36_500, 1.0), (-5, 1.05)])
def test_half_of_what_is_new_about_a_record_is_gone_after_three_months(age_days: float, factor: float) -> None:
    assert signals.recency(record(age_days=age_days), NOW) == pytest.approx(factor)


@pytest.mark.parametrize(("given", "factor"), [(1.0, 1.1), (0.8, 1.0), (0.5, 0.85), (0.0, 0.6)])
def test_what_was_said_with_little_confidence_counts_less(given: float, factor: float) -> None:
    assert signals.confidence(record(confidence=given), NOW) == pytest.approx(factor)


@pytest.mark.parametrize(("idle_days", "lost"), [(0, 0.0), (100, 0.01), (350, 0.035), (9_000, 0.035), (-9, 0.0)])
def test_what_nobody_has_confirmed_for_long_loses_a_little_and_not_without_end(idle_days: float, lost: float) -> None:
    for given in (0.2, 0.8, 1.0):
        fresh, idle = (signals.confidence(record(confidence=given, idle_days=days), NOW) for days in (0, idle_days))
        assert fresh - idle == pytest.approx(lost)


def test_age_weighs_less_than_a_doubt() -> None:
    old_and_sure, new_and_doubtful = record(idle_days=9_000, confidence=0.8), record(confidence=0.7)
    assert signals.confidence(old_and_sure, NOW) > signals.confidence(new_and_doubtful, NOW)


def test_confidence_fades_by_the_confirmation_and_not_by_the_age() -> None:
    assert signals.confidence(record(age_days=300), NOW) == signals.confidence(record(), NOW)


@pytest.mark.parametrize(("given", "factor"), [(0.5, 1.0), (1.0, 1.15), (0.0, 0.85)])
def test_a_priority_in_the_middle_is_neutral(given: float, factor: float) -> None:
    assert signals.priority(record(priority=given)) == pytest.approx(factor)


@pytest.mark.parametrize(("times", "factor"), [(0, 1.0), (1, 1.03), (5, 1.15), (500, 1.15)])
def test_reinforcement_raises_a_little_and_not_without_end(times: int, factor: float) -> None:
    assert signals.reinforcement(record(reinforced=times)) == pytest.approx(factor)


@pytest.mark.parametrize(("given", "factor"), [("", 1.0), ("moved", 1.0), ("changed", 0.6), ("gone", 0.6)])
def test_only_code_that_changed_or_went_sinks_a_record(given: str, factor: float) -> None:
    assert signals.drift(record(drift=given)) == pytest.approx(factor)


@pytest.mark.parametrize("use", [Use(), Use(1, 0), Use(signals.USE_MIN - 1, 0), Use(signals.USE_MIN - 1, 2)])
def test_use_says_nothing_before_a_few_recalls(use: Use) -> None:
    assert signals.usefulness(use) == 1.0


def test_what_is_used_when_recalled_rises_and_what_never_is_sinks() -> None:
    factors = [signals.usefulness(Use(20, used)) for used in range(21)]
    assert factors == sorted(set(factors))
    assert factors[0] < 0.95 < 1.05 < factors[-1]
    expected = round(20 * signals.USE_EXPECTED)
    assert factors[expected] == pytest.approx(1.0, abs=0.03)


def test_not_to_be_used_says_nothing_where_hardly_anything_is() -> None:
    assert signals.usual_use([]) == signals.usual_use([Use(12, 0), Use()]) == 0.0
    by_hand = signals.usual_use([Use(12, 0), Use(40, 1)])
    assert signals.usefulness(Use(12, 0), by_hand) == pytest.approx(1.0, abs=0.01)
    assert signals.usual_use([Use(10, 10)]) == signals.USE_EXPECTED


def test_to_be_used_adds_no_more_where_hardly_anything_is() -> None:
    for share in range(11):
        use = Use(10, share)
        assert signals.usefulness(use, 0.0) == max(1.0, signals.usefulness(use))
        assert signals.usefulness(use) <= signals.usefulness(use, 0.2) <= signals.usefulness(use, 0.0)


def test_used_more_often_than_recalled_is_no_more_than_always() -> None:
    assert signals.usefulness(Use(5, 50)) == signals.usefulness(Use(5, 5))


@pytest.mark.parametrize(("domain", "factor"), [("decisions", 1.1), ("issues", 1.0), ("context", 1.0)])
def test_a_domain_that_the_message_is_after_counts_more(domain: str, factor: float) -> None:
    assert signals.domain(record(domain=domain), {"decisions": 0.1}) == pytest.approx(factor)


def test_a_commit_counts_no_more_for_the_domain_that_every_commit_is_kept_in() -> None:
    commit = record(domain="history", node=Node.make("commit", "Count apples by weight"))
    assert signals.domain(commit, {"history": 0.1}) == 1.0


def test_every_signal_is_weighed_by_its_name() -> None:
    one = record(age_days=90, priority=1.0, confidence=1.0, reinforced=1, drift="gone", domain="issues")
    wanted, use = Intent({"issues": 0.1}, {"claim": 0.8}), Use(30, 0)
    weighed = dict(signals.weigh(one, use, NOW, wanted))
    assert weighed == {
        "recency": signals.recency(one, NOW),
        "confidence": signals.confidence(one, NOW),
        "priority": signals.priority(one),
        "reinforcement": signals.reinforcement(one),
        "drift": signals.drift(one),
        "usefulness": signals.usefulness(use),
        "domain": signals.domain(one, wanted.domains),
        "kind": 0.8,
    }
    assert 1.0 not in weighed.values()


def test_a_record_that_nothing_speaks_for_or_against_counts_as_it_is() -> None:
    neutral = dict(signals.weigh(record(age_days=1e6), Use(), NOW, Intent({}, {})))
    assert neutral == pytest.approx(dict.fromkeys(neutral, 1.0))
