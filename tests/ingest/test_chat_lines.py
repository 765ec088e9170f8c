"""Chats in which every line says when and who: as messengers and IRC clients export them."""

from __future__ import annotations

import time

import pytest

from marrow.ingest.action_items import action_items
from marrow.ingest.chat_lines import Chat, chat
from marrow.ingest.due import day_of
from marrow.ingest.meeting import TRANSCRIPT, read_meeting
from marrow.ingest.talk.plain import read
from marrow.ingest.talk.turns import items_of
from marrow.model.moments import iso

FORMS = {
    "name, day and text": "Ann (2025-01-13 09:12): Which store?\nBob Lee [2025-01-13 09:13]: SQLite.\nWe know it.\n"
    "Ann (2025-01-14 10:00): Good.",
    "LINE": "[LINE] Chat with Ann\nMon, 13/01/2025\n09:12\tAnn\tWhich store?\n09:13\tBob Lee\tSQLite.\nWe know it.\n\n"
    "Tue, 14/01/2025\n10:00\tAnn\tGood.",
    "Viber": "[ Monday, 13 January 2025 9:12 AM ] Ann: Which store?\n[ Monday, 13 January 2025 9:13 AM ] Bob Lee: "
    "SQLite.\nWe know it.\n[ Tuesday, 14 January 2025 10:00 AM ] Ann: Good.",
    "WhatsApp on iOS": "[13/01/2025, 09:12:00] Ann: Which store?\n[13/01/2025, 09:13:00] Bob Lee: SQLite.\n"
    "We know it.\n[14/01/2025, 10:00:00] Ann: Good.",
    "WhatsApp on Android": "13/01/2025, 09:12 - Ann: Which store?\n13/01/2025, 09:13 - Bob Lee: SQLite.\n"
    "We know it.\n14/01/2025, 10:00 - Ann: Good.",
    "WhatsApp in the US": "1/13/25, 9:12\u202fAM - Ann: Which store?\n1/13/25, 9:13\u202fAM - Bob Lee: SQLite.\n"
    "We know it.\n1/14/25, 10:00\u202fAM - Ann: Good.",
    "WhatsApp in Germany": "13.01.25, 09:12 - Ann: Which store?\n13.01.25, 09:13 - Bob Lee: SQLite.\n"
    "We know it.\n14.01.25, 10:00 - Ann: Good.",
    "copied from WhatsApp Web": "[09:12, 13/01/2025] Ann: Which store?\n[09:13, 13/01/2025] Bob Lee: SQLite.\n"
    "We know it.\n[10:00, 14/01/2025] Ann: Good.",
    "Signal": "2025-01-13 09:12 Ann: Which store?\n2025-01-13 09:13 Bob Lee: SQLite.\nWe know it.\n"
    "2025-01-14 10:00 Ann: Good.",
    "with zones": "2025-01-13T10:12:00+01:00 Ann: Which store?\n2025-01-13T09:13:00Z Bob Lee: SQLite.\nWe know it.\n"
    "2025-01-14T10:00:00Z Ann: Good.",
    "copied from Telegram": "Ann, [13.01.2025 09:12]\nWhich store?\n\nBob Lee, [13.01.2025 09:13]\nSQLite.\n"
    "We know it.\n\nAnn, [14.01.2025 10:00]\nGood.",
    "Discord": "[13-Jan-25 09:12 AM] Ann\nWhich store?\n\n[13-Jan-25 09:13 AM] Bob Lee\nSQLite.\nWe know it.\n\n"
    "[14-Jan-25 10:00 AM] Ann\nGood.",
    "with names of months": "13 Jan 2025 at 09:12 - Ann: Which store?\n13 Jan 2025 at 09:13 - Bob Lee: SQLite.\n"
    "We know it.\n14 Jan 2025 at 10:00 - Ann: Good.",
    "WeeChat": "2025-01-13 09:12:00\tAnn\tWhich store?\n2025-01-13 09:13:00\tBob Lee\tSQLite.\nWe know it.\n"
    "2025-01-14 10:00:00\tAnn\tGood.",
}


def found(text: str, name: str = "") -> Chat:
    one = chat(text, name=name)
    assert one is not None
    return one


def said(text: str) -> list[tuple[str, str, str]]:
    return [(iso(one.at), one.speaker, one.text) for one in found(text).messages]


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS)
def test_every_form_tells_who_wrote_what_and_when(text: str) -> None:
    assert [(at[-20:], *rest) for at, *rest in said(text)] == [
        ("2025-01-13T09:12:00Z", "Ann", "Which store?"),
        ("2025-01-13T09:13:00Z", "Bob Lee", "SQLite.\nWe know it."),
        ("2025-01-14T10:00:00Z", "Ann", "Good."),
    ]


def test_a_meeting_in_a_chat_keeps_speakers_days_and_moments() -> None:
    meeting = read_meeting(FORMS["WhatsApp on iOS"], path="talks/store.txt")
    assert meeting.form == TRANSCRIPT
    assert meeting.attendees == ("Ann", "Bob Lee")
    assert iso(meeting.at or 0) == "2025-01-13T09:12:00Z"
    assert meeting.content.split("\n") == [
        "2025-01-13",
        "[09:12:00] Ann: Which store?",
        "[09:13:00] Bob Lee: SQLite. We know it.",
        "2025-01-14",
        "[10:00:00] Ann: Good.",
    ]


def test_a_conversation_in_a_chat_keeps_speakers_days_and_moments() -> None:
    (item,) = items_of(read(FORMS["WhatsApp on Android"]))
    assert item.draft.content.split("\n\n") == [
        "[2025-01-13 09:12] Ann: Which store?",
        "[09:13] Bob Lee: SQLite.\nWe know it.",
        "[2025-01-14 10:00] Ann: Good.",
    ]
    assert item.draft.metadata["people"] == ["Ann", "Bob Lee"]
    assert item.draft.at is not None
    assert item.draft.at.isoformat() == "2025-01-13T09:12:00+00:00"


def test_a_chat_of_one_day_is_as_long_as_it_took_and_needs_no_line_for_the_day() -> None:
    meeting = read_meeting("13/01/2025, 00:12 - Ann: a\n13/01/2025, 00:42 - Bob: b")
    assert meeting.seconds == 30 * 60
    assert meeting.content == "[00:12:00] Ann: a\n[00:42:00] Bob: b"


def test_what_was_written_before_the_first_message_is_kept() -> None:
    meeting = read_meeting("Title: Store sync\n\n2025-01-13 09:12 Ann: a\n2025-01-13 09:13 Bob: b\n")
    assert meeting.title == "Store sync"
    assert meeting.content.startswith("Title: Store sync\n[09:12:00] Ann: a")


@pytest.mark.parametrize(
    ("text", "day", "note"),
    [
        ("1/2/25, 09:12 - Ann: a\n1/13/25, 09:12 - Bob: b", "2025-01-02", ""),
        ("1/2/25, 09:12 - Ann: a\n13/2/25, 09:12 - Bob: b", "2025-02-01", ""),
        ("1/2/25, 09:12 - Ann: a\n1/3/25, 09:12 - Bob: b\n2/1/25, 09:12 - Bob: c", "2025-01-02", ""),
        ("1/2/25, 09:12 - Ann: a\n2/2/25, 09:12 - Bob: b\n1/3/25, 09:12 - Bob: c", "2025-02-01", ""),
        ("1.2.25, 09:12 - Ann: a\n1.2.25, 09:12 - Bob: b", "2025-02-01", ""),
        (
            "1/2/25, 09:12 - Ann: a\n1/2/25, 09:12 - Bob: b",
            "2025-02-01",
            "1/2/25 was read as 2025-02-01, the day first",
        ),
        (
            "1/2/25, 9:12 AM - Ann: a\n1/2/25, 9:12 AM - Bob: b",
            "2025-01-02",
            "1/2/25 was read as 2025-01-02, the month first",
        ),
        (
            "01/02/25, 9:12 am - Ann: a\n01/02/25, 9:12 am - Bob: b",
            "2025-02-01",
            "01/02/25 was read as 2025-02-01, the day first",
        ),
    ],
)
def test_whether_the_day_comes_first_is_seen_from_all_of_the_chat(text: str, day: str, note: str) -> None:
    one = found(text)
    assert (iso(one.at or 0)[:10], one.note) == (day, note)
    assert read(text).problem == read_meeting(text).problem == note


@pytest.mark.parametrize(
    "line",
    [
        "13/01/2025, 09:14 - Messages and calls are end-to-end encrypted. No one outside of this chat can read them.",
        "[13/01/2025, 09:14:00] Store team: \u200eMessages and calls are end-to-end encrypted.",
        "13/01/2025, 09:14 - Cleo: <Media omitted>",
        "13/01/2025, 09:14 - Cleo: <Medien ausgeschlossen>",
        "\u200e[13/01/2025, 09:14:00] Cleo: \u200eimage omitted",
        "13/01/2025, 09:14 - Cleo: This message was deleted",
        "13/01/2025, 09:14 - Cleo: IMG-20250113-WA0001.jpg (file attached)",
    ],
)
def test_what_says_nothing_is_left_out(line: str) -> None:
    text = f"13/01/2025, 09:12 - Ann: a\n13/01/2025, 09:13 - Bob: b\n{line}\n13/01/2025, 09:15 - Ann: c"
    assert [(one.speaker, one.text) for one in found(text).messages] == [("Ann", "a"), ("Bob", "b"), ("Ann", "c")]


def test_what_a_program_tells_is_said_by_nobody() -> None:
    text = (
        "13/01/2025, 09:12 - Ann: a\n13/01/2025, 09:13 - Bob: b\n13/01/2025, 09:14 - Ann added Cleo\n"
        '13/01/2025, 09:14 - Ann changed the group name to "Store: sync"\n[13/01/2025, 09:15:00] Team: \u200eBob left'
    )
    assert [one.text for one in found(text).messages if not one.speaker] == [
        "Ann added Cleo",
        'Ann changed the group name to "Store: sync"',
        "Bob left",
    ]
    assert read_meeting(text).attendees == ("Ann", "Bob")


def test_what_is_written_below_a_picture_is_said() -> None:
    text = "13/01/2025, 09:12 - Ann: p.jpg (file attached)\nThe new label\n13/01/2025, 09:13 - Bob: b"
    assert found(text).messages[0].text == "The new label"


def test_an_edited_message_is_told_without_the_mark() -> None:
    text = "[13/01/2025, 09:12:00] Ann: ok \u200e<This message was edited>\n[13/01/2025, 09:13:00] Bob: List<int> it is"
    assert [one.text for one in found(text).messages] == ["ok", "List<int> it is"]


def test_numbers_emoji_and_small_names_speak() -> None:
    text = "13/01/2025, 09:12 - +49 170 1234567: a\n13/01/2025, 09:13 - ~ cleo 🚀: b\n13/01/2025, 09:14 - dan: c:d"
    assert [(one.speaker, one.text) for one in found(text).messages] == [
        ("+49 170 1234567", "a"),
        ("cleo 🚀", "b"),
        ("dan", "c:d"),
    ]


IRC = """--- Log opened Mon Jan 13 09:00:00 2025
09:11 -!- bob [~bob@host.example] has joined #store
09:12 <@ann> Which store?
23:59 < bob> hello: SQLite
00:01  * ann agrees
--- Day changed Wed Jan 15 2025
00:05 <ann> bye
"""


def test_irc_tells_its_days_in_lines_of_their_own_and_by_midnight() -> None:
    assert said(IRC) == [
        ("2025-01-13T09:12:00Z", "ann", "Which store?"),
        ("2025-01-13T23:59:00Z", "bob", "hello: SQLite"),
        ("2025-01-14T00:01:00Z", "ann", "agrees"),
        ("2025-01-15T00:05:00Z", "ann", "bye"),
    ]


def test_irc_without_days_is_of_the_day_in_its_name_or_keeps_the_hour() -> None:
    text = "[09:12] <ann> Which store?\n[09:13] <bob> SQLite."
    assert iso(found(text, "#store.2025-01-13.log").at or 0) == "2025-01-13T09:12:00Z"
    assert [turn.line() for turn in read(text).turns] == ["[09:12] ann: Which store?", "[09:13] bob: SQLite."]
    assert read_meeting(text).content == "[09:12:00] ann: Which store?\n[09:13:00] bob: SQLite."


def test_a_day_within_a_message_is_no_line_of_the_chat() -> None:
    text = "2025-01-13 09:12 Ann: We ship on\n2025-02-01\n2025-01-13 09:13 Bob: ok"
    assert found(text).messages[0].text == "We ship on\n2025-02-01"


def test_what_is_to_be_done_is_reckoned_from_the_day_on_which_it_was_said() -> None:
    text = "2025-01-13 09:12 Ann: Hi.\n2025-01-22 09:13 Bob: I will send the report by Friday."
    meeting = read_meeting(text)
    (item,) = action_items(meeting.content, today=day_of(meeting.at), people=meeting.attendees)
    assert (item.owner, item.due) == ("Bob", "2025-01-24")


def test_names_with_an_hour_alone_speak() -> None:
    text = "Ann Lee  9:12 AM\nWhich store?\nBob Fox  1:13 PM\nSQLite.\n"
    assert [turn.line() for turn in read(text).turns] == ["[09:12] Ann Lee: Which store?", "[13:13] Bob Fox: SQLite."]


def test_an_hour_in_round_brackets_is_no_part_of_a_name() -> None:
    turns = read("(09:12:33) ann: Which store?\n(09:13:00) bob: SQLite.").turns
    assert [(turn.speaker, turn.text) for turn in turns] == [("ann", "Which store?"), ("bob", "SQLite.")]


def test_code_within_a_message_holds_no_other_message() -> None:
    text = "2025-01-13 09:12 Ann: See\n```\n2025-01-13 09:12 x: y\n```\n2025-01-13 09:13 Bob: ok"
    assert [one.speaker for one in found(text).messages] == ["Ann", "Bob"]
    unclosed = "2025-01-13 09:12 Ann: See\n```\n2025-01-13 09:13 Bob: ok\n2025-01-13 09:14 Ann: yes"
    assert [one.speaker for one in found(unclosed).messages] == ["Ann", "Bob", "Ann"]


def test_a_day_between_what_people_say_is_said_by_nobody() -> None:
    text = "Ann: did x\nBob: did y\n2025-01-14\nAnn: did z\nBob: did w"
    assert read_meeting(text).content.split("\n") == [
        "Ann: did x",
        "Bob: did y",
        "2025-01-14",
        "Ann: did z",
        "Bob: did w",
    ]


def test_no_chat_took_less_than_no_time() -> None:
    found = chat("[23:59] <ann> hi\n[00:01] <bob> hi")
    assert found is not None
    assert (found.at, found.seconds) == (None, 120.0)
    turned = chat("13/01/2025, 09:14 - Ann: hi\n13/01/2025, 09:12 - Bob: hi")
    assert turned is not None
    assert turned.seconds == 120.0


@pytest.mark.parametrize(
    "text",
    [
        "2025-01-13 09:12:33,123 INFO main: started\n2025-01-13 09:12:34,000 ERROR: b\n2025-01-13 09:12:35 INFO: x",
        "[00:05] Ann: Hello.\n[01:10] Bob: Hi.",
        "# Minutes\n\nA\n\nB\n\nC\n\n[13/01/2025, 09:12] Ann: pasted\n[13/01/2025, 09:13] Bob: pasted\n",
        "13/01/2025, 09:12 - Ann: alone",
        "2025-01-13\n2025-01-14",
        "09:12\n09:13",
        "",
    ],
)
def test_what_is_no_such_chat_is_left_to_the_others(text: str) -> None:
    assert chat(text) is None


def test_hostile_lines_take_no_time_to_speak_of() -> None:
    lines = ["[" + " " * 50_000, "13/01/2025, " + "a " * 30_000, "1" * 50_000, "a: " * 20_000 + "09:12", "<" * 50_000]
    begin = time.perf_counter()
    chat("\n".join(lines * 5) + "\n13/01/2025, 09:12 - " + "a" * 50_000 + ": x\n" * 3)
    assert time.perf_counter() - begin < 1
