"""Each signal by itself, on records that are written by hand, and in the order of what is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from marrow.model.moments import MICROS_PER_DAY
from marrow.model.node import Node
from marrow.model.record import Record
from marrow.model.standing import Standing
from marrow.search import signals
from marrow.store.protocol import Use

NOW = 1_000 * MICROS_PER_DAY
NODE = Node.make("claim", "Apples are counted by weight.")


def record(*, age_days: float = 0.0, idle_days: float = 0.0, **standing: object) -> Record:
    stands = Standing(reinforced_at=NOW - int(idle_days * MICROS_PER_DAY))
    at = NOW - int(age_days * MICROS_PER_DAY)
    return Record(1, "orchard", NODE, replace(stands, **standing), 1, at, at)  # type: ignore[arg-type]


@pytest.mark.parametrize(("age_days", "factor"), [(0, 1.05), (90, 1.025), (180, 1.0125), (36_500, 1.0), (-5, 1.05)])
def test_half_of_what_is_new_about_a_record_is_gone_after_three_months(age_days: float, factor: float) -> None:
    assert signals.recency(record(age_days=age_days), NOW) == pytest.approx(factor)


@pytest.mark.parametrize(
    ("given", "idle_days", "factor"),
    [
        (1.0, 0, 1.0),
        (0.8, 0, 0.9),
        (0.0, 0, 0.5),
        (1.0, 100, 0.9),
        (1.0, 350, 0.65),
        (1.0, 9_000, 0.65),
        (0.5, 100, 0.7),
    ],
)
def test_confidence_fades_from_the_last_confirmation_down_to_a_floor(
    given: float, idle_days: float, factor: float
) -> None:
    assert signals.confidence(record(confidence=given, idle_days=idle_days), NOW) == pytest.approx(factor)


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


@pytest.mark.parametrize(
    ("use", "factor"),
    [(Use(), 1.0), (Use(2, 0), 1.0), (Use(3, 0), 0.88), (Use(10, 4), 1.0), (Use(10, 10), 1.18), (Use(3, 9), 1.18)],
)
def test_use_says_nothing_before_a_few_recalls_and_then_raises_or_sinks(use: Use, factor: float) -> None:
    assert signals.usefulness(use) == pytest.approx(factor)


def test_every_signal_is_weighed_by_its_name() -> None:
    one = record(age_days=90, priority=1.0, confidence=1.0, reinforced=1, drift="gone")
    found = dict(signals.weigh(one, Use(3, 0), NOW))
    assert found == pytest.approx(
        {"recency": 1.025, "confidence": 1, "priority": 1.15, "reinforcement": 1.03, "drift": 0.6, "usefulness": 0.88}
    )
