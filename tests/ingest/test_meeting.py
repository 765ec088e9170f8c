"""Meetings from subtitles, transcripts and minutes: who said what and when, and nothing lost of what was written."""

from __future__ import annotations

import pytest

from marrow.ingest.meeting import CAPTIONS, NOTES, TRANSCRIPT, meeting_item, moment_at, read_meeting, spoken_meeting
from marrow.ingest.spoken import Utterance, spoken_line
from marrow.model.moments import iso
from marrow.model.text import CONTENT_BYTES_MAX

VTT = """WEBVTT - Platform sync

NOTE
Title: Platform sync
Date: 2026-03-02
Attendees: Ann Lee, Bob, Dave

STYLE
::cue { color: red }

1
00:00:01.000 --> 00:00:04.000 align:start
<v Ann Lee>Welcome &amp; thanks for

2
00:00:04.000 --> 00:00:06.500
<v Ann Lee>coming.</v>

00:01:23.000 --> 00:01:25.000
<v.loud Bob>We <b>decided</b> to use <c.x>Postgres</c>.
<v Ann Lee>Good.

1:02:03.000 --> 1:02:05.000
Dave: I'll write it down by Friday.
"""


def test_subtitles_become_lines_with_time_and_speaker() -> None:
    found = read_meeting(VTT, path="2026-01-01-other.vtt")
    assert found.content.split("\n") == [
        "[00:00:01] Ann Lee: Welcome & thanks for coming.",
        "[00:01:23] Bob: We decided to use Postgres.",
        "[00:01:23] Ann Lee: Good.",
        "[01:02:03] Dave: I'll write it down by Friday.",
    ]
    assert found.form == CAPTIONS
    assert found.title == "Platform sync"
    assert found.at is not None
    assert iso(found.at) == "2026-03-02T00:00:00Z"
    assert found.attendees == ("Ann Lee", "Bob", "Dave")
    assert found.seconds == 3725


def test_subrip_is_read_with_commas_numbers_and_without_blank_lines() -> None:
    text = (
        "1\r\n00:00:00,500 --> 00:00:02,000\r\n- Ann: Hello there.\r\n"
        "2\r\n00:00:07,000 --> 00:00:09,000\r\n[Bob] Hi.\r\n\r\n"
        "3\r\n00:00:20,000 --> 00:00:21,000\r\n{\\an8}>> Nobody is named here\r\n"
    )
    found = read_meeting(text, path="talk.srt")
    assert found.content.split("\n") == [
        "[00:00:00] Ann: Hello there.",
        "[00:00:07] Bob: Hi.",
        "[00:00:20] Nobody is named here",
    ]
    assert found.attendees == ("Ann", "Bob")
    assert found.title == "talk"


def test_rolling_subtitles_say_each_word_once() -> None:
    text = (
        "WEBVTT\n\n00:00.000 --> 00:02.000\nthe billing service is\n\n"
        "00:02.000 --> 00:04.000\nthe billing service is\nslow since monday\n\n"
        "00:04.000 --> 00:06.000\nslow since monday\nand nobody knows why\n"
    )
    found = read_meeting(text).content
    assert found.replace("[00:00:00] ", "") == "the billing service is slow since monday and nobody knows why"


@pytest.mark.parametrize(
    "text",
    [
        "[00:00:10] Ann: Shall we start?\n[00:00:14] Bob: Yes, please.\n",
        "00:00:10 Ann: Shall we start?\n00:00:14 Bob: Yes, please.\n",
        "Ann [0:10]: Shall we start?\nBob [0:14]: Yes, please.\n",
        "Ann 0:10\nShall we start?\n\nBob 0:14\nYes, please.\n",
        "[0:10] Ann\nShall we\nstart?\n\n[0:14] Bob\nYes, please.\n",
        "(0:10) Ann: Shall we start?\n(0:14) Bob: Yes,\nplease.",
    ],
    ids=["ours", "bare", "name first", "blocks", "time first", "folded"],
)
def test_transcripts_of_every_form_give_the_same_lines(text: str) -> None:
    found = read_meeting(text)
    assert found.content == "[00:00:10] Ann: Shall we start?\n[00:00:14] Bob: Yes, please."
    assert found.form == TRANSCRIPT
    assert found.attendees == ("Ann", "Bob")


def test_a_transcript_without_times_is_known_by_its_speakers() -> None:
    text = (
        "# Weekly sync\nDate: 3 March 2026\n\n**Ann:** The build is red.\nbob: I saw.\nAnn: Since Monday.\nBob: Yes.\n"
    )
    found = read_meeting("Attendees: bob, Ann\n" + text)
    assert found.form == TRANSCRIPT
    assert found.title == "Weekly sync"
    assert "Ann: The build is red.\nbob: I saw.\nAnn: Since Monday." in found.content
    assert set(found.attendees) == {"bob", "Ann"}


MINUTES = """# Architecture forum

**Date:** 2026-02-11
## Attendees
- Ann Lee (chair)
- Bob, @carla

## Agenda
1. Queue sizes
2. Retry policy

## Retry policy
Note: retries were doubled. However: nobody measured it.
Result: we keep them.

## Action items
- [ ] Ann: measure retries by 2026-02-20
"""


def test_minutes_stay_as_they_were_written() -> None:
    found = read_meeting(MINUTES, path="forum.md")
    assert found.form == NOTES
    assert found.content == MINUTES.strip()
    assert found.title == "Architecture forum"
    assert found.attendees == ("Ann Lee", "Bob", "carla")
    assert found.topics == ("Queue sizes", "Retry policy")
    assert found.at is not None
    assert iso(found.at)[:10] == "2026-02-11"


def test_what_is_written_between_spoken_lines_is_kept() -> None:
    text = "# Sync\n[00:00:10] Ann: We start.\n[00:00:15] Bob: Fine.\n\n## Actions\n- [ ] Bob: tidy up\n"
    assert read_meeting(text).content.split("\n") == [
        "# Sync",
        "[00:00:10] Ann: We start.",
        "[00:00:15] Bob: Fine.",
        "## Actions",
        "- [ ] Bob: tidy up",
    ]


def test_a_file_name_tells_title_and_day_where_the_text_does_not() -> None:
    found = spoken_meeting([Utterance("Hello.", "", 1.0, 2.0)], path="rec/2026-03-02_14-30_platform-sync.m4a")
    assert found.title == "platform sync"
    assert found.at is not None
    assert iso(found.at) == "2026-03-02T00:00:00Z"
    assert found.content == "[00:00:01] Hello."


def test_topics_are_what_people_turn_to() -> None:
    said = [
        Utterance("Let's talk about the billing outage.", "", 1.0, 3.0),
        Utterance("Moving on to key rotation, which is late.", "", 70.0, 74.0),
    ]
    assert spoken_meeting(said).topics == ("billing outage", "key rotation")


def test_the_moment_is_that_of_the_line_or_the_last_one_before() -> None:
    content = "# Title\n[00:00:05] Ann: one\n[00:01:10] Bob: two\n- a note\n[10:00:00] Ann: three"
    assert moment_at(content, 0) is None
    assert moment_at(content, content.index("one")) == "00:00:05"
    assert moment_at(content, content.index("[00:01:10]")) == "00:01:10"
    assert moment_at(content, content.index("a note")) == "00:01:10"
    assert moment_at(content, len(content)) == "10:00:00"
    assert moment_at(content, len(content) + 1) is None
    assert moment_at(content, -1) is None
    assert moment_at("no times\nanywhere", 12) is None
    assert moment_at("", 0) is None


def test_a_label_is_no_speaker() -> None:
    assert spoken_line("Decision: keep it").speaker == ""
    assert spoken_line("[00:00:01] Ann Lee (host): keep it").speaker == "Ann Lee (host)"
    assert spoken_line("see https://example.com: it is there").speaker == ""


def test_what_the_caller_says_goes_before_what_was_read() -> None:
    item = meeting_item(
        read_meeting(VTT),
        path="a.vtt",
        title="Given",
        at=1_750_000_000_000_000,
        attendees=("Eve",),
        service="shop",
        digest="d" * 64,
    )
    assert item.draft.kind == "meeting"
    assert item.draft.aliases == ("Given",)
    assert item.draft.service == "shop"
    assert item.draft.metadata["title"] == "Given"
    assert item.draft.metadata["attendees"] == ["Eve"]
    assert item.draft.metadata["date"] == "2025-06-15"
    assert item.draft.metadata["length"] == "01:02:05"
    assert item.path == "a.vtt"


def test_the_title_is_not_in_the_content_so_that_a_renamed_file_is_the_same_node() -> None:
    one, other = read_meeting(VTT, path="a.vtt"), read_meeting(VTT, path="b.vtt")
    assert one.content == other.content
    assert "Platform sync" not in one.content


def test_a_transcript_that_is_too_long_is_cut_at_a_line_and_says_so() -> None:
    said = [
        Utterance(f"Sentence number {n} is here to fill the page.", "Ann", 60.0 * n, 60.0 * n + 5)
        for n in range(30_000)
    ]
    found = spoken_meeting(said)
    assert len(found.content.encode()) <= CONTENT_BYTES_MAX
    assert found.content.endswith("fill the page.")
    assert found.problem.startswith("cut after")


@pytest.mark.parametrize(
    "text",
    [
        "WEBVTT",
        "WEBVTT\n\n00:00:05.000 --> \nno end",
        "00:00:01,000 --> 00:00:02,000",
        "\ufeff",
        "-->\n-->\n",
        "a" * 100_000,
    ],
)
def test_broken_subtitles_do_not_raise(text: str) -> None:
    read_meeting(text, path="broken.vtt")


def test_a_long_line_takes_no_time_to_speak_of() -> None:
    """Rules that try every split of a line would not end within the test's time limit."""
    for line in ("A " * 100_000, "Ann" * 100_000, "[00:00:01] " + "x: " * 50_000, "1:" * 100_000):
        read_meeting(line)


def test_a_note_to_do_something_is_no_speaker() -> None:
    text = "Attendees: Ann Lee, Bob\n\nAnn Lee  0:03\nHello.\nBob  0:15\nHi.\nTODO(Bob): fix the printer\n"
    found = read_meeting(text, path="2024-02-29-st.txt")
    assert found.attendees == ("Ann Lee", "Bob")
