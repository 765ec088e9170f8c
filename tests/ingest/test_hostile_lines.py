"""Lines that nobody writes must not keep a reader busy: long runs of blanks and marks, endless names, words without
end. Each is read in time that grows with its length; a pattern that goes back and forth over them would not end."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from marrow.ingest.action_items import action_items, decisions_in
from marrow.ingest.captions import captions
from marrow.ingest.conversation import read_text
from marrow.ingest.due import due_in
from marrow.ingest.item import Item
from marrow.ingest.meeting import read_meeting
from marrow.ingest.talk.claude_code import typed

SECONDS = 60
# One line that is far too long, and many of a length that a reader still looks at.
LONG, SHORT, LINES = 100_000, 1_900, 30
RUNS = {
    "blanks": " ",
    "tabs": "\t",
    "dashes": "-",
    "hashes": "#",
    "underscores": "_",
    "stars": "*",
    "colons": ":",
    "commas": ",",
    "round brackets": "(",
    "square brackets": "[",
    "bars": "|",
    "letters": "a",
    "capitals": "A",
    "words": "Ann ",
    "hyphens in words": "a-",
    "dates": "by ",
    "promises": "I'll also ",
    "names": "Ann, ",
    "clocks": "10:00 ",
    "tags": "<v ",
}
STARTS = (
    "",
    "Ann",
    "# ",
    "- Action: ",
    "Action",
    "Decision",
    "Attendees: ",
    "Ann: I'll fix it ",
    "**Ann",
    "10:00",
    ">>",
)
READERS: dict[str, Callable[[str], object]] = {
    "meeting": read_meeting,
    "action items": action_items,
    "decisions": decisions_in,
    "conversation": read_text,
    "due": lambda text: due_in(text, None),
}


@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("reader", READERS)
def test_a_run_of_one_mark_is_read_to_its_end(reader: str, run: str) -> None:
    mark = RUNS[run]
    for start in STARTS:
        READERS[reader](f"{start}{mark * (LONG // len(mark))}x")


@pytest.mark.timeout(SECONDS)
@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("reader", [name for name in READERS if name != "due"])
def test_many_lines_of_one_mark_are_read_to_their_end(reader: str, run: str) -> None:
    mark = RUNS[run]
    for start in STARTS:
        READERS[reader](f"{start}{mark * (SHORT // len(mark))}x\n" * LINES)


@pytest.mark.timeout(SECONDS)
def test_many_speakers_and_many_lines_of_one_of_them_are_read_to_their_end() -> None:
    many = "".join(f"[00:00:01] Ann{number}: Ann1, can you fix the disk?\n" for number in range(10_000))
    assert len(read_meeting(many).attendees) == 100
    assert action_items(many)
    assert read_meeting("Ann: yes\nBob: no\nAnn: yes\n" + "a\n" * 300_000).content.endswith("a a a")
    assert captions("00:01 --> 00:02\n" + "a\n" * 300_000)[0].text.endswith("a a a")
    assert len(captions(("00:01 --> 00:02\n" + "word " * 50_000 + "\n\n") * 2)) == 1


@pytest.mark.timeout(SECONDS)
def test_what_a_program_opened_and_did_not_close_is_read_to_its_end() -> None:
    assert typed("<system-reminder>" * 20_000 + "why?").endswith("why?")
    assert typed("[Request interrupted by user" * 20_000).startswith("[Request")
    assert typed(f"<command-name>{' ' * 20_000}x").endswith("x")
    assert typed("a<system-reminder>b</system-reminder>c<system-reminder>d") == "ac<system-reminder>d"


def test_a_long_line_keeps_all_of_its_words() -> None:
    long = "word " * 1_000
    met = read_meeting(f"Ann: {long}end.\nBob: Yes.\nAnn: {long}fin.")
    assert met.form == "transcript"
    assert met.content.count("word") == 2_000
    assert "end.\nBob: Yes." in met.content
    assert met.content.endswith("fin.")
    (talk,) = read_text(f"Ann: {long}end.\nBob: Yes.\nAnn: {long}fin.")
    assert isinstance(talk, Item)
    assert talk.draft.content.count("word") == 2_000
    assert "end.\n\nBob: Yes.\n\nAnn: word" in talk.draft.content


def test_what_is_promised_late_in_a_long_line_is_found() -> None:
    said = "We talked about the weather. " * 200
    (item,) = action_items(f"[00:00:01] Ann: {said}I'll rotate the keys by Friday.")
    assert (item.owner, item.text, item.due) == ("Ann", "rotate the keys", "Friday")
    (decided,) = decisions_in(f"[00:00:01] Ann: {said}We decided to rotate the keys.")
    assert decided.text == "We decided to rotate the keys"


def test_a_heading_and_a_field_are_read_without_their_marks() -> None:
    met = read_meeting(
        "# Platform sync ##\n**Date:** 2026-03-01 **\n__Attendees:__ Ann and Bob\n\n## Disks: ##\nThey are full."
    )
    assert (met.title, met.attendees) == ("Platform sync", ("Ann", "Bob"))
    assert met.topics == ("Disks",)
    assert met.at is not None
    assert [item.text for item in action_items("## Action items ##\n- buy disks\n## Other ##\n- x")] == ["buy disks"]
