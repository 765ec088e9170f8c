"""Secrets in lines that keep their numbers."""

from __future__ import annotations

import pytest

from marrow.model.redact_lines import REST, marks, redact_lines, redact_window

BODY = [f"MIIEpAIBAAKCAQEA{number:02d}qWeRtYuIoPaSdFgHjKlZxCvBnM1234567890abcdefghij" for number in range(12)]
KEY = ["-----BEGIN RSA PRIVATE KEY-----", *BODY, "-----END RSA PRIVATE KEY-----"]


def test_lines_without_secrets_stay_as_they_are() -> None:
    lines = ["one", "", "two "]
    assert redact_lines(lines) == lines
    assert marks(lines, lines) == 0


def test_a_secret_over_several_lines_leaves_a_mark_on_each_and_the_others_where_they_were() -> None:
    told = redact_lines(["before", *KEY, "after", "", "end"])
    assert told == ["before", "[redacted:private-key]", *[REST] * 13, "after", "", "end"]


def test_two_keys_one_after_the_other_leave_nothing() -> None:
    lines = [*KEY, *KEY, "after"]
    told = redact_lines(lines)
    assert len(told) == len(lines)
    assert not any("MIIE" in line for line in told)


@pytest.mark.parametrize("first", range(15))
def test_no_line_in_the_middle_of_a_key_is_shown(first: int) -> None:
    lines = ["x", *KEY, "y"]
    told = redact_window(lines, first, first + 1)
    assert len(told) == 1
    assert "MIIE" not in told[0]


def test_a_secret_is_counted_once_over_its_lines() -> None:
    assert marks(KEY, redact_lines(KEY)) == 1
    lines = ["a", "password = 'hunter2-and-more-9f'", "b"]
    told = redact_lines(lines)
    assert marks(lines, told) == 1
    assert (told[0], told[2]) == ("a", "b")
