"""Dates in every style, and nothing made up."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.ingest.dates import date_of, dates_in, read_date
from marrow.model.moments import iso

FIRST_OF_MARCH = "2026-03-01T00:00:00Z"


@pytest.mark.parametrize(
    "said",
    [
        "2026-03-01", "2026/03/01", "2026/3/1", "2026.03.01", "20260301", "1 March 2026", "March 1st, 2026",
        "March 1 2026",
        "Mar. 1, 2026", "the 1st of March, 2026", "01-Mar-2026", "2026 Mar 01", "Mar, 1, 2026",
        "01.03.2026", "1. März 2026",
        "1er mars 2026", "1 de marzo de 2026", "2026年3月1日", "2026년 3월 1일", "1 марта 2026 г.",
        "Sunday, 1 March 2026", "Date: 2026-03-01",
        "**2026-03-01**",
        "2026-03-01: first draft", "2026-03", "March 2026", "2026-W09-7",
    ],
)  # fmt: skip
def test_a_day_is_read_in_every_style(said: str) -> None:
    found = read_date(said)
    assert found is not None
    assert iso(found.at) == FIRST_OF_MARCH
    assert found.note == ""


@pytest.mark.parametrize(
    ("said", "at"),
    [
        ("2026-03-01T14:00:00Z", "2026-03-01T14:00:00Z"),
        ("2026-03-01T14:00:00+02:00", "2026-03-01T12:00:00Z"),
        ("2026-03-01 14:00", "2026-03-01T14:00:00Z"),
        ("20260301T140000Z", "2026-03-01T14:00:00Z"),
        ("Sun, 01 Mar 2026 14:00:03 +0100", "2026-03-01T13:00:03Z"),
        ("Sun, 1 Mar 2026 14:00:03 GMT", "2026-03-01T14:00:03Z"),
        ("Sun Mar  1 14:00:03 2026 +0200", "2026-03-01T12:00:03Z"),
        ("Sun Mar  1 14:00:03 UTC 2026", "2026-03-01T14:00:03Z"),
        ("1 March 2026 at 2:15 pm PST", "2026-03-01T22:15:00Z"),
        ("14:30 UTC on 1 March 2026", "2026-03-01T14:30:00Z"),
        ("1772373603", "2026-03-01T14:00:03Z"),
        ("1772373603000", "2026-03-01T14:00:03Z"),
        ("1772373603000000", "2026-03-01T14:00:03Z"),
        ("1772373603.5", "2026-03-01T14:00:03Z"),
    ],
)
def test_a_moment_is_read_with_its_zone(said: str, at: str) -> None:
    found = read_date(said)
    assert found is not None
    assert (iso(found.at), found.exact) == (at, "second")


@pytest.mark.parametrize(
    ("said", "at", "exact"),
    [
        ("Q1 2026", "2026-01-01", "quarter"),
        ("2026-Q3", "2026-07-01", "quarter"),
        ("the second quarter of 2026", "2026-04-01", "quarter"),
        ("H2 2026", "2026-07-01", "half"),
        ("2026-W10", "2026-03-02", "week"),
        ("2026", "2026-01-01", "year"),
        ("March 2026", "2026-03-01", "month"),
    ],
)
def test_what_is_less_exact_says_so_and_begins_there(said: str, at: str, exact: str) -> None:
    found = read_date(said)
    assert found is not None
    assert (iso(found.at)[:10], found.exact) == (at, exact)


@pytest.mark.parametrize(
    "said",
    ["", "March 1st", "next Friday", "today", "2026-02-30", "2026-13-01", "v1.2.2026", "10.1.2.2026",
      "1.2.3", "0001-01-01",
     "2026-03-01T25:00:00Z", "+99:99", "12", "soon", "1234567", "build 20261399", "{date}"],
)  # fmt: skip
def test_what_is_no_date_is_none(said: str) -> None:
    assert read_date(said) is None


def test_an_ambiguous_date_is_read_day_first_and_says_so() -> None:
    found = read_date("01/03/2026")
    assert found is not None
    assert iso(found.at) == FIRST_OF_MARCH
    assert found.note == "01/03/2026 was read as 2026-03-01, the day first"


def test_another_date_of_the_same_text_shows_the_order() -> None:
    american = list(dates_in("05/19/2020: draft\n03/04/2021: accepted"))
    assert [iso(one.at)[:10] for one in american] == ["2020-05-19", "2021-03-04"]
    assert [one.note for one in american] == ["", ""]
    british = list(dates_in("28/10/2020 - draft\n03/04/2021 - accepted"))
    assert [iso(one.at)[:10] for one in british] == ["2020-10-28", "2021-04-03"]


def test_dates_come_in_their_order_with_their_places() -> None:
    text = "Decided 2 May 2025, changed on 2026-01-05."
    found = list(dates_in(text))
    assert [text[one.start : one.end] for one in found] == ["2 May 2025", "2026-01-05"]
    assert date_of(text) == found[0].at


@pytest.mark.parametrize("piece", ["1", "1 ", "1/", "2026-", "1 of ", "Q1 ", "9", "march 1 ", "12:00 "])
def test_a_page_of_almost_dates_costs_little(piece: str) -> None:
    assert len(list(dates_in(piece * 40_000 + " " * 40_000))) < 40_000


@given(st.text(max_size=200))
def test_any_text_is_a_date_of_the_calendar_or_none(text: str) -> None:
    found = read_date(text)
    assert found is None or iso(found.at)


@given(st.datetimes().filter(lambda moment: 1970 <= moment.year < 2200))
def test_what_a_program_writes_is_read_back(moment: object) -> None:
    found = read_date(f"{moment:%Y-%m-%dT%H:%M:%SZ}")
    assert found is not None
    assert iso(found.at) == f"{moment:%Y-%m-%dT%H:%M:%SZ}"
