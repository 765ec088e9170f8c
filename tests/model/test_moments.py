"""Times as people and programs write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.model.errors import Invalid
from marrow.model.moments import MICROS_PER_DAY, age, iso, micros, moment, parse

NOW = micros(datetime(2026, 3, 1, 12, tzinfo=UTC))


@pytest.mark.parametrize(
    ("given_", "meant"),
    [
        ("2023-05-08", datetime(2023, 5, 8)),
        ("2023-05-08T14:00:00Z", datetime(2023, 5, 8, 14)),
        ("2023-05-08T14:00:00+02:00", datetime(2023, 5, 8, 12)),
        ("2023-05-08 14:00", datetime(2023, 5, 8, 14)),
        ("8 May 2023", datetime(2023, 5, 8)),
        ("8th of May, 2023", datetime(2023, 5, 8)),
        ("May 8, 2023", datetime(2023, 5, 8)),
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56)),
        ("12:05 am on 8 May, 2023", datetime(2023, 5, 8, 0, 5)),
        ("2023/5/8", datetime(2023, 5, 8)),
        (datetime(2023, 5, 8, 14, tzinfo=timezone(timedelta(hours=2))), datetime(2023, 5, 8, 12)),
        (1683504000, datetime(2023, 5, 8)),
        (1683504000.5, datetime(2023, 5, 8, 0, 0, 0, 500_000)),
        ("yesterday", datetime(2026, 2, 28, 12)),
        ("3 days ago", datetime(2026, 2, 26, 12)),
        ("2h", datetime(2026, 3, 1, 10)),
    ],
)
def test_moment_is_understood(given_: object, meant: datetime) -> None:
    assert parse(given_, NOW) == micros(meant)


@pytest.mark.parametrize(
    "given_",
    ["", "soon", "2023-13-40", "31 Feb 2023", None, True, [], "99999999 years ago", float("nan"), float("inf"), 10**18],
)
def test_what_is_no_time_is_refused_with_field_and_hint(given_: object) -> None:
    with pytest.raises(Invalid) as caught:
        parse(given_, NOW, field="since")
    assert caught.value.field == "since"
    assert caught.value.hint


def test_the_future_is_refused_unless_allowed() -> None:
    tomorrow = moment(NOW + 2 * MICROS_PER_DAY)
    with pytest.raises(Invalid) as caught:
        parse(tomorrow, NOW)
    assert caught.value.field == "at"
    assert parse(tomorrow, NOW, future=True) == NOW + 2 * MICROS_PER_DAY
    # Clocks of other machines may be a little ahead.
    assert parse(moment(NOW + 1_000_000), NOW) == NOW + 1_000_000


@given(st.datetimes(min_value=datetime(1900, 1, 1), max_value=datetime(2300, 1, 1), timezones=st.just(UTC)))
def test_moment_survives_the_way_there_and_back(when: datetime) -> None:
    assert moment(micros(when)) == when
    assert parse(when.isoformat(), NOW, future=True) == micros(when)
    assert parse(iso(micros(when)), NOW, future=True) == micros(when.replace(microsecond=0))


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "just now"),
        (59, "just now"),
        (60, "1 minute"),
        (7200, "2 hours"),
        (86_400, "1 day"),
        (63_072_000, "2 years"),
        (-5, "just now"),
    ],
)
def test_age_is_short(seconds: int, said: str) -> None:
    assert age(NOW - seconds * 1_000_000, NOW) == said
