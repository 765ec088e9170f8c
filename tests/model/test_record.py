"""What a filter means. The stores' own selections are compared with this in tests/store."""

from __future__ import annotations

from dataclasses import replace

import pytest

from marrow.model.link import Anchor
from marrow.model.node import Node, Occurrence, metadata_text
from marrow.model.record import Filter, Record, as_text, matches
from marrow.model.standing import Standing

NOW = 1_000
RECORD = Record(1, "p", Node.make("claim", "x"), Standing(tags=("DB", "ops"), domain="tasks"), 1, 10, 20)
SAID = [
    Occurrence(
        10, thread="t", user="ada", metadata=metadata_text({"owner": "ada", "n": 1, "ok": True, "path": "src/a.py"})
    ),
    Occurrence(20, thread="u", user="bob", service="api"),
]
PINS = [Anchor("file", "docs/x.md"), Anchor("symbol", "src")]


def fits(**asked: object) -> bool:
    return matches(Filter(**asked), RECORD, SAID, PINS, NOW)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "asked",
    [
        {},
        {"projects": ("p", "q")},
        {"kinds": ("claim", "task")},
        {"domains": ("tasks",)},
        {"tags": ("db",)},
        {"tags": ("db", "none")},
        {"tags": ("Db", "OPS"), "tags_all": True},
        {"tags": ("db", "DB"), "tags_all": True},
        {"min_confidence": 0.8},
        {"classification": "internal"},
        {"pinned": False},
        {"user": "ada", "thread": "t"},
        {"since": 20},
        {"until": 10},
        {"since": 10, "until": 10, "user": "ada"},
        {"metadata": (("owner", "ada"), ("n", "1"), ("ok", "true"))},
        {"path": "src/a.py"},
        {"path": "src"},
        {"path": "src/"},
        {"path": "docs/x.md"},
    ],
)
def test_filter_keeps_what_it_asks_for(asked: dict[str, object]) -> None:
    assert fits(**asked)


@pytest.mark.parametrize(
    "asked",
    [
        {"projects": ()},
        {"projects": ("q",)},
        {"kinds": ("task",)},
        {"domains": ("context",)},
        {"tags": ("none",)},
        {"tags": ("db", "none"), "tags_all": True},
        {"min_confidence": 0.9},
        {"classification": "secret"},
        {"pinned": True},
        {"user": "ada", "thread": "u"},
        {"user": "bob", "since": 21},
        {"until": 9},
        {"since": 11, "until": 19},
        {"metadata": (("owner", "bob"),)},
        {"metadata": (("nothing", ""),)},
        {"metadata": (("owner", "ada"), ("owner", "bob"))},
        {"metadata": (("owner", "ada"),), "user": "bob"},
        {"path": "sr"},
        {"path": "src/a"},
        {"path": "docs/x.md/y"},
    ],
)
def test_filter_leaves_out_the_rest(asked: dict[str, object]) -> None:
    assert not fits(**asked)


def test_a_moment_of_zero_is_a_moment() -> None:
    before = [Occurrence(-5)]
    assert not matches(Filter(since=0), RECORD, before, [], NOW)
    assert matches(Filter(until=0), RECORD, before, [], NOW)
    assert not matches(Filter(until=0), RECORD, SAID, [], NOW)


def test_inactive_and_expired_records_are_only_given_when_asked_for() -> None:
    for standing in (Standing(state="superseded"), Standing(state="retracted"), Standing(expires_at=NOW)):
        gone = replace(RECORD, standing=standing)
        assert not matches(Filter(), gone, SAID, PINS, NOW)
        assert matches(Filter(include_superseded=True), gone, SAID, PINS, NOW)


def test_plain_filter_asks_for_a_place_only() -> None:
    assert Filter().is_plain()
    assert Filter(projects=("p",)).is_plain()
    assert not Filter(pinned=False).is_plain()
    assert not Filter(include_superseded=True).is_plain()


@pytest.mark.parametrize(
    ("value", "compared"),
    [
        (True, "true"),
        (False, "false"),
        (None, "null"),
        (1, "1"),
        (1.5, "1.5"),
        ("x", "x"),
        (["a", 1], '["a",1]'),
        ({"b": 1, "a": None}, '{"a":null,"b":1}'),
    ],
)
def test_metadata_is_compared_as_json_prints_it(value: object, compared: str) -> None:
    assert as_text(value) == compared


def test_metadata_has_one_form() -> None:
    assert metadata_text({"b": 1, "a": "é"}) == '{"a":"é","b":1}'
    assert metadata_text(None) == metadata_text({}) == "{}"
    assert Occurrence(1, metadata=metadata_text({"a": [1]})).fields == {"a": [1]}


def test_equal_occurrences_have_one_identity_and_others_another() -> None:
    assert Occurrence(1, "t").identity() == Occurrence(1, "t").identity()
    different = [
        Occurrence(1),
        Occurrence(2),
        Occurrence(1, "t"),
        Occurrence(1, "", "t"),
        Occurrence(1, metadata='{"a":1}'),
    ]
    assert len({said.identity() for said in different}) == len(different)
