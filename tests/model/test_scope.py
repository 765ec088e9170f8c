"""Who may do what, and the part of a question that may be answered."""

from __future__ import annotations

import pytest

from marrow.model.errors import Forbidden
from marrow.model.scope import ADMIN, READ, WRITE, Principal


def test_nobody_reaches_another_namespace() -> None:
    for right in (READ, WRITE, ADMIN):
        assert not Principal("me", "mine").may(right, "theirs", "p")
        assert not Principal("me", "mine").may(right, "theirs")


def test_rights_are_what_was_given() -> None:
    reader = Principal("me", rights=frozenset({READ}))
    assert reader.may(READ, "local", "p")
    assert not reader.may(WRITE, "local", "p")


def test_principal_of_some_projects_may_not_ask_for_all_at_once() -> None:
    bound = Principal("me", projects=frozenset({"p"}))
    assert bound.may(READ, "local", "p")
    assert not bound.may(READ, "local", "q")
    assert not bound.may(READ, "local")
    assert not bound.may(READ, "local", "")


def test_readable_is_what_was_asked_for_and_is_allowed() -> None:
    bound = Principal("me", projects=frozenset({"p", "q"}))
    assert bound.readable(None) == ("p", "q")
    assert bound.readable(("q", "r")) == ("q",)
    assert bound.readable(("r",)) == ()
    assert Principal("me").readable(None) is None
    assert Principal("me").readable(("r",)) == ("r",)
    assert Principal("me", rights=frozenset({WRITE})).readable(None) == ()


def test_refusal_names_who_and_what() -> None:
    with pytest.raises(Forbidden) as caught:
        Principal("ada", rights=frozenset({READ})).check(WRITE, "local", "p")
    assert caught.value.code == "forbidden"
    assert caught.value.hint
    assert "ada" in caught.value.message
    assert "write" in caught.value.message


def test_refusal_of_one_who_is_held_to_a_view_names_the_setting_that_does_it() -> None:
    held = Principal("ada", rights=frozenset({READ, WRITE}), held_to="team")
    with pytest.raises(Forbidden) as caught:
        held.check(ADMIN, "local")
    assert "`view`" in (caught.value.hint or "")
    assert "team" in (caught.value.hint or "")
