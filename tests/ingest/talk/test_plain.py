"""Talk in plain text: speakers are found where there are any, and a text without them is taken as it is."""

from __future__ import annotations

import json

import pytest

from marrow.ingest.conversation import read_text
from marrow.ingest.item import Item, Skipped
from marrow.ingest.talk.plain import read
from marrow.model.moments import iso


def spoken(text: str) -> list[tuple[str, str]]:
    return [(turn.speaker, turn.text) for turn in read(text).turns]


@pytest.mark.parametrize(
    "text",
    [
        "Ann: Which store?\nBob: SQLite.\nAnn: Good.",
        "**Ann:** Which store?\n**Bob:** SQLite.\n**Ann:** Good.",
        "[10:02] Ann: Which store?\n[10:03] Bob: SQLite.\n[10:04] Ann: Good.",
        "2025-03-01 10:02 - Ann: Which store?\n2025-03-01 10:03 - Bob: SQLite.\n2025-03-01 10:05 - Ann: Good.",
        "[2025-03-01, 10:02] Ann: Which store?\n[2025-03-01, 10:02] Bob: SQLite.\n[2025-03-01, 10:03:09] Ann: Good.",
    ],
)
def test_names_before_a_colon_speak(text: str) -> None:
    assert spoken(text) == [("Ann", "Which store?"), ("Bob", "SQLite."), ("Ann", "Good.")]


def test_headings_of_roles_speak() -> None:
    assert spoken("## User\n\nHello\n\n## Assistant\n\nHi\n\n## User\n\nBye") == [
        ("User", "Hello"), ("Assistant", "Hi"), ("User", "Bye"),
    ]  # fmt: skip


def test_following_lines_and_code_belong_to_who_spoke() -> None:
    text = "Ann: See:\n```\nBob: not a turn\n```\nand this\nBob: I see\nAnn: ok"
    assert spoken(text)[0] == ("Ann", "See:\n```\nBob: not a turn\n```\nand this")


def test_dates_are_told_where_the_year_is_first() -> None:
    turns = read("2025-03-01 10:02 Ann: a\n10:03 Bob: b\nAnn: c").turns
    assert iso(turns[0].at) == "2025-03-01T10:02:00Z"
    assert iso(turns[1].at) == "2025-03-01T10:03:00Z", "a time alone is of the same day"


@pytest.mark.parametrize(
    "text",
    [
        "Just a note without anyone.",
        "Note: this\nWarning: that\nError: more",
        "https://example.org/a: b\nhttp://x: y",
        "Title: A\nDate: b\nContext: c",
        "Ann: only one turn",
    ],
)
def test_a_text_in_which_nobody_speaks_is_taken_whole(text: str) -> None:
    assert spoken(text) == [("", text)]


def test_messages_in_json_are_read() -> None:
    messages = [
        {"role": "system", "content": "be kind"},
        {"role": "user", "content": "Hello", "timestamp": 1_700_000_000},
        {"role": "assistant", "content": [{"type": "text", "text": "Hi"}]},
    ]
    expected = [("User", "Hello"), ("Assistant", "Hi")]
    assert spoken(json.dumps(messages)) == expected
    assert spoken(json.dumps({"messages": messages})) == expected
    assert spoken("\n".join(json.dumps(one) for one in messages)) == expected


def test_the_same_text_is_the_same_conversation() -> None:
    one, two = (read_text("Ann: a\nBob: b\nAnn: c", now=10**15)[0] for _ in range(2))
    assert isinstance(one, Item)
    assert one == two
    assert one.path.startswith("conversation:")
    assert one.draft.metadata["people"] == ["Ann", "Bob"]


def test_hostile_text_does_no_harm() -> None:
    for text in (
        "[" * 100_000,
        "{" * 100_000,
        "Ann:" * 50_000,
        "\x00\x01Ann: x\nBob: y\nAnn: z",
        "Ann: \ud800\nBob: b\nAnn: c",
    ):
        read(text)
    assert spoken("Ann: bell\x07\nBob: \ud800b\nAnn: c")[0] == ("Ann", "bell")


@pytest.mark.parametrize(
    "text", ["[]", "{}", "[" * 100_000, '[1, 2, "x"]', '{"name": "shop"}', '{"a": 1}\n{"b": 2}\n', "---"]
)
def test_data_and_marks_are_no_conversation(text: str) -> None:
    assert [type(one) for one in read_text(text)] == [Skipped]


def test_a_text_that_begins_with_a_bracket_is_taken_whole() -> None:
    assert [type(one) for one in read_text("[draft] We talked about pears.")] == [Item]
