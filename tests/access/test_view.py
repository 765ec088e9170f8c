"""What a view says, what it refuses to say, and what it means for one record."""

from __future__ import annotations

from typing import Any

import pytest

from marrow.access.view import FIELDS, Conditions, View, make_view, read_view
from marrow.model.errors import Invalid
from marrow.model.node import Node, Occurrence, metadata_text
from marrow.model.record import Record
from marrow.model.standing import Standing


def record(kind: str = "claim", **standing: Any) -> Record:
    return Record(1, "orchard", Node.make(kind, "text"), Standing(**standing), 1, 0, 0)


def said(service: str = "", **metadata: Any) -> Occurrence:
    return Occurrence(0, service=service, metadata=metadata_text(metadata))


@pytest.mark.parametrize(
    ("given", "seen", "hidden"),
    [
        ({"approved": True}, {"approved": True}, {"approved": None}),
        ({"approved": False}, {"approved": False}, {"approved": True}),
        ({"not": {"approved": False}}, {"approved": None}, {"approved": False}),
        ({"classification": ["public", "internal"]}, {"classification": "public"}, {"classification": "secret"}),
        ({"not": {"classification": "secret"}}, {"classification": "confidential"}, {"classification": "secret"}),
        ({"kinds": ["claim", "task"]}, {"kind": "task"}, {"kind": "log"}),
        ({"not": {"kinds": "log"}}, {"kind": "task"}, {"kind": "log"}),
        ({"domain": "decisions"}, {"domain": "decisions"}, {"domain": "context"}),
        ({"tags": ["Core"]}, {"tags": ("core", "x")}, {"tags": ("x",)}),
        ({"not": {"tags": ["draft"]}}, {"tags": ("x",)}, {"tags": ("Draft", "x")}),
        ({"tags": ["a"], "not": {"tags": ["b"]}}, {"tags": ("a",)}, {"tags": ("a", "b")}),
    ],
)
def test_a_view_permits_what_it_asks_for_and_not_what_it_refuses(
    given: dict[str, Any], seen: dict[str, Any], hidden: dict[str, Any]
) -> None:
    view = make_view("v", given)
    assert view.permits(record(**seen), [said()])
    assert not view.permits(record(**hidden), [said()])


@pytest.mark.parametrize(
    ("given", "seen", "hidden"),
    [
        ({"service": ["billing"]}, said("billing"), said("payroll")),
        ({"service": ["billing"]}, said("billing"), said()),
        ({"not": {"service": "payroll"}}, said(), said("payroll")),
        ({"metadata": {"team": "core", "n": 1}}, said(team="core", n=1), said(team="core")),
        ({"not": {"metadata": {"team": "hr", "level": 3}}}, said(team="core"), said(team="core", level=3)),
        ({"service": "a", "not": {"metadata": {"x": True}}}, said("a", x=False), said("a", x=True)),
    ],
)
def test_a_node_is_seen_if_one_place_where_it_was_said_is_permitted(
    given: dict[str, Any], seen: Occurrence, hidden: Occurrence
) -> None:
    view = make_view("v", given)
    assert view.permits(record(), [hidden, seen])
    assert not view.permits(record(), [hidden])
    assert not view.permits(record(), [])
    assert view.permits_saying(seen)
    assert not view.permits_saying(hidden)


def test_one_place_must_meet_all_that_is_asked_of_places() -> None:
    view = make_view("v", {"service": "a", "metadata": {"team": "core"}})
    assert not view.permits(record(), [said("a"), said("b", team="core")])
    assert view.permits(record(), [said("a", team="core")])


def test_views_are_not_seen_through_views() -> None:
    assert not View("v", Conditions(kinds=("view",))).permits(record("view"), [])


@pytest.mark.parametrize(
    "given",
    [
        {"approved": True, "not": {"tags": ["draft"], "service": "payroll"}},
        {"classification": "public", "metadata": {"n": 1, "list": [1, "x"], "yes": True}},
    ],
)
def test_a_view_is_read_as_it_was_kept(given: dict[str, Any]) -> None:
    view = make_view("team ü", given)
    assert read_view(view.content()) == view
    assert make_view("team ü", view.shape()) == view


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "{}", '{"view": "x"}', '{"view": "x", "filter": {"nope": 1}}', "9" * 9]
)
def test_a_text_that_is_no_view_is_none(text: str) -> None:
    assert read_view(text) is None


@pytest.mark.parametrize(
    ("name", "given", "words"),
    [
        ("v", {}, "restricts nothing"),
        ("v", {"not": {}}, "restricts nothing"),
        ("", {"approved": True}, ""),
        ("v", [], "object"),
        ("v", {"not": []}, "object"),
        ("v", {"klassification": "x"}, "no field"),
        ("v", {"kind": "a", "kinds": "b"}, "twice"),
        ("v", {"classification": "top"}, "no classification"),
        ("v", {"approved": "yes"}, "true or false"),
        ("v", {"metadata": {}}, "keys and values"),
        ("v", {"tags": []}, "list"),
        ("v", {"tags": [1]}, ""),
        ("v", {"kinds": ["Not a kind"]}, "not a kind"),
    ],
)
def test_what_cannot_be_a_view_is_refused_by_field(name: str, given: Any, words: str) -> None:
    with pytest.raises(Invalid) as caught:
        make_view(name, given)
    assert caught.value.field in ("filter", "name", "kind")
    assert words in caught.value.message


def test_the_error_for_an_unknown_field_lists_those_that_there_are() -> None:
    with pytest.raises(Invalid) as caught:
        make_view("v", {"clasification": "public"})
    assert all(field in (caught.value.hint or "") for field in FIELDS)
    assert "Did you mean classification?" in (caught.value.hint or "")
