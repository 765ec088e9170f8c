"""The nearest name, for errors."""

from __future__ import annotations

import pytest

from marrow.model.nearest import nearest

KNOWN = ("recall.top_k", "recall.mode", "token", "log.level", "MARROW_HOME")


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("recall.topk", "recall.top_k"),
        ("top_k", "recall.top_k"),
        ("tokne", "token"),
        ("LOG.LEVL", "log.level"),
        ("MARROW_HOEM", "MARROW_HOME"),
    ],
)
def test_the_name_with_the_fewest_letters_changed_is_nearest(given: str, wanted: str) -> None:
    assert nearest(given, KNOWN) == wanted


@pytest.mark.parametrize("given", ["zebra", "", "x", "mode" * 100_000])
def test_nothing_is_near_to_a_name_that_is_like_none(given: str) -> None:
    assert nearest(given, KNOWN) == ""


def test_nothing_is_near_where_nothing_is_known() -> None:
    assert nearest("token", ()) == ""
