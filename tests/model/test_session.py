"""Sessions, injections and traces as values."""

from __future__ import annotations

import dataclasses

import pytest

from marrow.model.errors import Invalid, TooLarge
from marrow.model.session import DETAIL_BYTES_MAX, Session, detail_text
from marrow.model.trace import Trace

SESSION = Session("s1", "claude-code", "orchard", detail={"words": ["port"]})


def test_session_is_open_until_it_has_ended() -> None:
    assert SESSION.is_open
    assert not dataclasses.replace(SESSION, ended_at=5).is_open


def test_session_is_a_value_whatever_its_detail_is() -> None:
    assert Session("s1", "claude-code", "orchard", detail={"words": ["port"]}) == SESSION
    assert dataclasses.replace(SESSION, detail={}) != SESSION
    assert hash(SESSION) == hash(dataclasses.replace(SESSION))
    with pytest.raises(dataclasses.FrozenInstanceError):
        SESSION.turns = 2  # type: ignore[misc]


def test_two_sessions_do_not_share_a_detail() -> None:
    assert Session("a", "h", "p").detail is not Session("b", "h", "p").detail


def test_detail_has_one_stored_form() -> None:
    assert detail_text({"b": (1, 2), "a": "é"}) == detail_text({"a": "é", "b": [1, 2]}) == '{"a":"é","b":[1,2]}'
    assert detail_text({}) == "{}"


@pytest.mark.parametrize("detail", [{1: "a"}, {"a": object()}, {"a": float("nan")}, {"a": "\ud800"}, ["a"]])
def test_detail_that_is_no_plain_json_is_refused(detail: object) -> None:
    with pytest.raises(Invalid) as caught:
        detail_text(detail)  # type: ignore[arg-type]
    assert caught.value.field == "detail"


def test_detail_that_is_too_long_is_refused() -> None:
    with pytest.raises(TooLarge) as caught:
        detail_text({"a": "x" * DETAIL_BYTES_MAX})
    assert caught.value.field == "detail"


def test_trace_gives_the_fields_of_its_line() -> None:
    trace = Trace("a1", 5, "codex", "s1", "prompt", body='{"prompt":"hello","at":5}')
    assert trace.fields == {"prompt": "hello", "at": 5}
    assert (trace.state, trace.number, Trace("a2", 5, "codex", "s1", "stop").fields) == ("raw", 0, {})
