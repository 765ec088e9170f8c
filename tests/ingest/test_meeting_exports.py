"""Meetings as Zoom, Teams, Google Meet and Otter export them, and chats with the time of day."""

from __future__ import annotations

import pytest

from marrow.ingest.action_items import action_items
from marrow.ingest.due import day_of
from marrow.ingest.meeting import Meeting, attendees_in, meeting_item, read_meeting

TEAMS_VTT = """WEBVTT

3f1e9e9a-1/12-0
00:00:03.210 --> 00:00:05.450
<v Lovelace, Ada>Hello everyone.</v>

3f1e9e9a-1/12-1
00:00:05.450 --> 00:00:09.000
<v Hopper, Grace (External)>I will send the report
tomorrow.</v>
"""
TEAMS_TEXT = """Weekly Sync-20260302_100305-Meeting Recording

March 2, 2026, 10:03AM

32m 10s

Ada Lovelace   0:03
Hello everyone.
Let's start.

Grace Hopper   0:15
I will send the report tomorrow.
"""
MEET = """Weekly Sync (2026-03-02 10:00 GMT+1) - Transcript

Attendees
Ada Lovelace, Grace Hopper, Bob's iPhone

Transcript
This editable transcript was computer generated and might contain errors.

00:00:00

Ada Lovelace: Hello everyone.
Grace Hopper: I will send the report tomorrow.

00:05:00

Ada Lovelace: Thanks. We decided to ship on Monday.

Transcription ended after 00:06:10
"""
OTTER = """Weekly Sync
Mon, Mar 02, 2026 10:03AM • 32:10

SUMMARY KEYWORDS
queue, rabbit

SPEAKERS
Ada Lovelace, Grace Hopper

Ada Lovelace  00:03
Good morning.

Grace Hopper  00:15
I will send the report tomorrow.
"""
ZOOM_CHAT = """10:03:12 From Ada Lovelace to Everyone:
\tGood morning
10:04:00 From Grace Hopper to Everyone:
\tI will send the report tomorrow.
10:05:00\t From  Bob : Replying to "Good morning": hi
"""


def day(found: Meeting) -> object:
    return meeting_item(found).draft.metadata.get("date")


@pytest.mark.parametrize(
    ("path", "text"), [("sync 2026-03-02.vtt", TEAMS_VTT), ("a.txt", TEAMS_TEXT), ("b.txt", MEET), ("c.txt", OTTER)]
)
def test_an_export_says_who_spoke_and_of_which_day_it_is(path: str, text: str) -> None:
    found = read_meeting(text, path=path)
    assert day(found) == "2026-03-02"
    assert [one.partition(" (")[0] for one in found.attendees][:2] == ["Ada Lovelace", "Grace Hopper"]
    (item,) = action_items(found.content, today=day_of(found.at), people=found.attendees)
    assert (item.text, item.owner.partition(" (")[0], item.due) == ("send the report", "Grace Hopper", "2026-03-03")


def test_google_meet_has_its_title_and_the_moment_from_which_something_was_said() -> None:
    found = read_meeting(MEET, path="b.txt")
    assert found.title == "Weekly Sync"
    assert "[00:05:00] Ada Lovelace: Thanks. We decided to ship on Monday." in found.content.split("\n")
    assert "[00:00:00] Grace Hopper: I will send the report tomorrow." in found.content.split("\n")
    assert found.seconds == 300


def test_a_title_has_no_stamp_of_the_recorder() -> None:
    assert read_meeting(TEAMS_TEXT, path="a.txt").title == "Weekly Sync"
    assert read_meeting(TEAMS_VTT, path="GMT20260302-100000_Recording.transcript.vtt").title == "Recording"


def test_a_chat_of_zoom_says_who_wrote() -> None:
    found = read_meeting(ZOOM_CHAT, path="2026-03-02 chat.txt")
    assert found.content.split("\n") == [
        "[10:03:12] Ada Lovelace: Good morning",
        "[10:04:00] Grace Hopper: I will send the report tomorrow.",
        '[10:05:00] Bob: Replying to "Good morning": hi',
    ]
    assert found.attendees == ("Ada Lovelace", "Grace Hopper", "Bob")
    assert found.seconds == 108


def test_the_time_of_day_is_no_minute_of_a_recording() -> None:
    chat = "10:03 Ada: Good morning\n10:59 bob: I'll finish the parser by tomorrow.\n11:02 Ada: bye\n"
    found = read_meeting(chat, path="2026-03-05 standup.txt")
    assert found.content.startswith("[10:03:00] Ada: Good morning\n[10:59:00] bob: I'll finish")
    assert found.attendees == ("Ada", "bob")
    assert found.seconds == 59 * 60
    (item,) = action_items(found.content, today=day_of(found.at))
    assert (item.owner, item.moment) == ("bob", "10:59:00")
    recorded = read_meeting("0:03 Ada: Good morning\n10:59 Bob: Yes\n11:02 Ada: bye\n")
    assert recorded.content.startswith("[00:00:03] Ada: Good morning\n[00:10:59] Bob: Yes")


def test_a_meeting_in_the_morning_of_the_east_is_of_that_day() -> None:
    found = read_meeting("# Sync\n\nDate: 2026-03-02 08:00 GMT+9\n\nWe talked.\n")
    assert day(found) == "2026-03-02"


@pytest.mark.parametrize(
    "text",
    [
        "Bob: the release of 2020-01-02 broke\nAda: yes\nBob: ok\n",
        "Notes\n\nMarch 3, 2020 was a bad day.\n",
    ],
)
def test_a_day_of_which_somebody_speaks_is_not_that_of_the_meeting(text: str) -> None:
    assert read_meeting(text, path="sync.txt").at is None


def test_a_sentence_below_an_empty_list_of_people_names_nobody() -> None:
    assert attendees_in("Attendees:\n\nToday, we talked, and that was it\n") == ()
    assert attendees_in("Attendees:\nAda Lovelace, Grace Hopper\n") == ("Ada Lovelace", "Grace Hopper")


TEAMS_CUES = (
    "0:0:0.0 --> 0:0:2.310\nAda Lovelace\nGood morning.\n\n0:0:2.980 --> 0:0:9.320\nGrace Hopper\nWe keep it.\n"
)


def test_a_name_on_the_first_line_of_every_cue_speaks() -> None:
    found = read_meeting(TEAMS_CUES, path="sync.txt")
    assert found.attendees == ("Ada Lovelace", "Grace Hopper")
    assert found.content == "[00:00:00] Ada Lovelace: Good morning.\n[00:00:02] Grace Hopper: We keep it."
    of_a_film = TEAMS_CUES.replace("Grace Hopper", "and she said,")
    assert not read_meeting(of_a_film, path="sync.txt").attendees


@pytest.mark.parametrize(
    "line",
    ["Ada Lovelace stopped transcription", "Meeting ended after 00:12:03 👋", "Transcribed by https://otter.ai"],
)
def test_what_the_recorder_adds_is_said_by_nobody(line: str) -> None:
    text = f"Ada Lovelace  0:03\nHello.\n\nGrace Hopper  0:15\nGood bye.\n\n{line}\n"
    assert read_meeting(text).content.split("\n")[1:] == ["[00:00:15] Grace Hopper: Good bye.", line]


def test_a_day_alone_is_no_title() -> None:
    text = "Feb 3, 2024\nWeekly sync - Transcript\n00:00:00\n\nAda Lovelace: Hello.\nGrace Hopper: Hi.\n"
    found = read_meeting(text, path="x.txt")
    assert (found.title, day(found)) == ("Weekly sync", "2024-02-03")


def test_subtitles_tell_their_title_behind_the_mark_of_their_form() -> None:
    note = "NOTE\nRecorded 2024-02-03\n\n"
    text = f"WEBVTT - Weekly sync\n\n{note}00:00:01.000 --> 00:00:04.000\n<v.loud Ada Lovelace>Good &amp; early.\n"
    found = read_meeting(text, path="a.vtt")
    assert (found.title, day(found)) == ("Weekly sync", "2024-02-03")
    assert found.content == "[00:00:01] Ada Lovelace: Good & early."
    assert read_meeting(text.replace(" - Weekly sync", " Kind: captions").replace(note, ""), path="a.vtt").title == "a"


def test_the_folder_of_a_recorder_tells_the_day() -> None:
    path = "recordings/2026-03-02 10.03.12 Weekly sync/meeting_saved_chat.txt"
    assert day(read_meeting(ZOOM_CHAT, path=path)) == "2026-03-02"
