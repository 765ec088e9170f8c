"""Times as people and programs write them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.model.errors import Invalid
from marrow.model.moments import MICROS_PER_DAY, age, beginning, end, iso, micros, moment, parse

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
        ("5 min ago", datetime(2026, 3, 1, 11, 55)),
        ("90 secs ago", datetime(2026, 3, 1, 11, 58, 30)),
        ("an hour ago", datetime(2026, 3, 1, 11)),
        ("last week", datetime(2026, 2, 22, 12)),
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


@pytest.mark.parametrize(
    ("given_", "first", "after"),
    [
        ("2023-05-08", datetime(2023, 5, 8), datetime(2023, 5, 9)),
        ("2023-05-08T14", datetime(2023, 5, 8, 14), datetime(2023, 5, 8, 15)),
        ("2023-05-08 14:05", datetime(2023, 5, 8, 14, 5), datetime(2023, 5, 8, 14, 6)),
        ("2023-05-08T14:05:06Z", datetime(2023, 5, 8, 14, 5, 6), datetime(2023, 5, 8, 14, 5, 7)),
        ("2023-05-08T14:05:06+02:00", datetime(2023, 5, 8, 12, 5, 6), datetime(2023, 5, 8, 12, 5, 7)),
        ("20230508T140506Z", datetime(2023, 5, 8, 14, 5, 6), datetime(2023, 5, 8, 14, 5, 7)),
        ("8 May 2023", datetime(2023, 5, 8), datetime(2023, 5, 9)),
        ("1:56 pm on 8 May, 2023", datetime(2023, 5, 8, 13, 56), datetime(2023, 5, 8, 13, 57)),
        ("1 pm on 8 May, 2023", datetime(2023, 5, 8, 13), datetime(2023, 5, 8, 14)),
        ("today", datetime(2026, 3, 1), datetime(2026, 3, 2)),
        ("Yesterday", datetime(2026, 2, 28), datetime(2026, 3, 1)),
    ],
)
def test_what_is_named_begins_and_ends(given_: str, first: datetime, after: datetime) -> None:
    assert moment(beginning(given_, NOW)) == first.replace(tzinfo=UTC)
    assert moment(end(given_, NOW) + 1) == after.replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "given_", ["2023-05-08T14:05:06.123456Z", "2023-05-08T14:05:06.5", "3d", "now", 1683504000, datetime(2023, 5, 8)]
)
def test_point_in_time_is_its_own_beginning_and_end(given_: object) -> None:
    assert beginning(given_, NOW) == end(given_, NOW) == parse(given_, NOW)


@given(st.integers(min_value=0, max_value=4_000_000_000_000_000))
def test_time_as_it_is_printed_includes_what_happened_then(at: int) -> None:
    assert beginning(iso(at), NOW) <= at <= end(iso(at), NOW)


def test_last_day_of_the_calendar_is_a_time() -> None:
    assert moment(end("9999-12-31", NOW)) == datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)
