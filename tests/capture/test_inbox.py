"""The inbox: whole lines whoever writes and however many, torn ones counted and never in another's way."""

from __future__ import annotations

import json
import os
import resource
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from marrow.capture import inbox, where

HOUR = 3600.0
NOW = 494_000 * HOUR
SEGMENT = inbox.segment_name(NOW)
WRITERS, LINES = 12, 60

WRITER = """
import sys
from marrow.capture import inbox
home, name, lines = sys.argv[1], sys.argv[2], int(sys.argv[3])
sys.stdin.readline()
for number in range(lines):
    text = "x" * (number * 97 % 20000)
    assert inbox.append(home, '{"writer":"%s","number":%d,"text":"%s"}' % (name, number, text), 0)
"""


def everything(home: str, segment: str, limit: int = inbox.CHUNK_BYTES) -> tuple[list[dict[str, object]], int, int]:
    """All entries of a segment, the offset behind them, and how many were torn."""
    found: list[dict[str, object]] = []
    offset = torn = 0
    while True:
        chunk = inbox.read(home, segment, offset, limit)
        found += [value for value, _ in chunk.entries]
        offset, torn = chunk.offset, torn + chunk.torn
        if chunk.ended:
            return found, offset, torn


def test_what_is_appended_is_read_whole_and_in_order(tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    for number in range(3):
        assert inbox.append(home, json.dumps({"number": number, "text": "naïve\u2028"}, ensure_ascii=False), NOW)
    chunk = inbox.read(home, SEGMENT, 0)
    assert [value["number"] for value, _ in chunk.entries] == [0, 1, 2]
    assert json.loads(chunk.entries[1][1]) == {"number": 1, "text": "naïve\u2028"}
    assert (chunk.torn, chunk.ended) == (0, True)
    assert chunk.offset == inbox.size(home, SEGMENT)
    assert inbox.read(home, SEGMENT, chunk.offset).entries == []


def test_folders_and_files_are_the_users_alone(tmp_path: Path) -> None:
    home = tmp_path / "a" / "home"
    before = os.umask(0)
    try:
        inbox.append(str(home), "{}", NOW)
    finally:
        os.umask(before)
    assert stat.S_IMODE((home / "inbox" / SEGMENT).stat().st_mode) == 0o600
    assert stat.S_IMODE((home / "inbox").stat().st_mode) == 0o700
    assert stat.S_IMODE(home.stat().st_mode) == 0o700


def test_segment_is_the_hour_in_utc() -> None:
    assert inbox.segment_name(0) == "1970010100.jsonl"
    assert inbox.segment_name(HOUR * 25) == "1970010201.jsonl"


def test_many_processes_lose_no_line_and_tear_none(tmp_path: Path, child_environment: dict[str, str]) -> None:
    home = str(tmp_path)
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, home, str(name), str(LINES)], stdin=subprocess.PIPE, env=child_environment
        )
        for name in range(WRITERS)
    ]
    for writer in writers:
        assert writer.stdin
        writer.stdin.write(b"go\n")
        writer.stdin.flush()
    assert [(writer.communicate(), writer.returncode)[1] for writer in writers] == [0] * WRITERS
    found, _, torn = everything(home, "1970010100.jsonl", 1)
    assert torn == 0
    by_writer: dict[object, list[object]] = {}
    for value in found:
        by_writer.setdefault(value["writer"], []).append(value["number"])
    assert by_writer == {str(name): list(range(LINES)) for name in range(WRITERS)}


@pytest.mark.parametrize("cut", ['{"id":"b","text":"half', "{", '"text"', "[1]", "\\", "{}{}"])
def test_torn_line_is_counted_and_the_next_is_whole(tmp_path: Path, cut: str) -> None:
    home = str(tmp_path)
    inbox.append(home, '{"id":"a"}', NOW)
    with open(tmp_path / "inbox" / SEGMENT, "ab") as file:
        file.write(b"\n" + cut.encode())
    inbox.append(home, '{"id":"c"}', NOW)
    found, _, torn = everything(home, SEGMENT)
    assert ([value["id"] for value in found], torn) == (["a", "c"], 1)


def test_line_that_is_not_ended_waits_until_the_segment_is_old(tmp_path: Path) -> None:
    home = str(tmp_path)
    inbox.append(home, '{"id":"a"}', NOW)
    whole = inbox.size(home, SEGMENT)
    with open(tmp_path / "inbox" / SEGMENT, "ab") as file:
        file.write(b'\n{"id":"b"')
    chunk = inbox.read(home, SEGMENT, 0)
    assert (len(chunk.entries), chunk.torn, chunk.offset) == (1, 0, whole + 1)
    last = inbox.read(home, SEGMENT, chunk.offset, last=True)
    assert (last.entries, last.torn, last.offset) == ([], 1, inbox.size(home, SEGMENT))


def test_reading_in_small_chunks_gives_the_same(tmp_path: Path) -> None:
    home = str(tmp_path)
    for number in range(40):
        inbox.append(home, json.dumps({"number": number, "text": "y" * 30_000}), NOW)
    chunk = inbox.read(home, SEGMENT, 0, 1)
    assert 0 < len(chunk.entries) < 40
    assert not chunk.ended
    found, offset, torn = everything(home, SEGMENT, 1)
    assert [value["number"] for value in found] == list(range(40))
    assert (offset, torn) == (inbox.size(home, SEGMENT), 0)


@pytest.mark.parametrize("limit", [1, 100, 1000, 5000])
def test_no_more_is_read_at_once_than_was_asked_for_or_one_line(tmp_path: Path, limit: int) -> None:
    home = str(tmp_path)
    for number in range(40):
        inbox.append(home, json.dumps({"number": number, "text": "y" * (2000 if number % 10 == 0 else 20)}), NOW)
    offset = 0
    while not (chunk := inbox.read(home, SEGMENT, offset, limit)).ended:
        assert chunk.offset > offset
        assert chunk.offset - offset <= limit or len(chunk.entries) == 1
        offset = chunk.offset
    found, offset, torn = everything(home, SEGMENT, limit)
    assert [value["number"] for value in found] == list(range(40))
    assert (offset, torn) == (inbox.size(home, SEGMENT), 0)


def test_megabytes_without_a_line_end_are_passed_over(tmp_path: Path) -> None:
    home = str(tmp_path)
    inbox.append(home, '{"id":"a"}', NOW)
    with open(tmp_path / "inbox" / SEGMENT, "ab") as file:
        file.write(b"\n" + b"z" * (3 * inbox.LINE_BYTES_MAX))
    inbox.append(home, '{"id":"b"}', NOW)
    found, offset, torn = everything(home, SEGMENT, 1)
    assert [value["id"] for value in found] == ["a", "b"]
    assert offset == inbox.size(home, SEGMENT)
    assert torn >= 1


def test_only_segments_are_listed_oldest_first(tmp_path: Path) -> None:
    home = str(tmp_path)
    assert inbox.segments(home) == []
    for hours in (5, 1, 3):
        inbox.append(home, "{}", hours * HOUR)
    for other in ("notes.txt", "2026.jsonl", "aaaaaaaaaa.jsonl", "1970010100.jsonl.tmp"):
        (tmp_path / "inbox" / other).write_text("x")
    assert inbox.segments(home) == ["1970010101.jsonl", "1970010103.jsonl", "1970010105.jsonl"]


def test_segment_is_dropped_only_when_it_is_old_and_drained(tmp_path: Path) -> None:
    home = str(tmp_path)
    inbox.append(home, '{"id":"a"}', NOW)
    end = inbox.size(home, SEGMENT)
    assert not inbox.drop(home, SEGMENT, end, NOW)
    assert not inbox.drop(home, SEGMENT, end, NOW + 2 * HOUR)
    assert not inbox.drop(home, SEGMENT, end - 1, NOW + 3 * HOUR)
    assert inbox.segments(home) == [SEGMENT]
    assert inbox.drop(home, SEGMENT, end, NOW + 3 * HOUR)
    assert inbox.segments(home) == []
    assert inbox.drop(home, SEGMENT, end, NOW + 3 * HOUR)


def test_an_hour_that_nobody_drains_is_bounded(tmp_path: Path) -> None:
    home = str(tmp_path)
    inbox.append(home, "{}", NOW)
    os.truncate(tmp_path / "inbox" / SEGMENT, inbox.SEGMENT_BYTES_MAX + 1)
    assert not inbox.append(home, '{"id":"b"}', NOW)
    assert inbox.size(home, SEGMENT) == inbox.SEGMENT_BYTES_MAX + 1


def test_a_link_in_the_segments_place_is_not_followed(tmp_path: Path) -> None:
    home, victim = str(tmp_path), tmp_path / "victim"
    victim.write_text("")
    where.make(where.inbox(home))
    (tmp_path / "inbox" / SEGMENT).symlink_to(victim)
    with pytest.raises(OSError, match="symbolic links"):
        inbox.append(home, "{}", NOW)
    assert victim.read_text() == ""


def test_full_disk_leaves_a_torn_line_that_harms_no_other(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk: the write comes back short, as it does there."""
    home = str(tmp_path)
    inbox.append(home, '{"id":"a"}', NOW)
    size = inbox.size(home, SEGMENT)
    program = f"""
import resource, signal
from marrow.capture import inbox
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({size + 20}, {size + 20}))
assert inbox.append({home!r}, '{{"id":"b","text":"' + "x" * 500 + '"}}', {NOW}) is False
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(inbox.__file__).parents[2])}
    subprocess.run([sys.executable, "-c", program], env=environment, check=True)
    assert inbox.size(home, SEGMENT) == size + 20
    inbox.append(home, '{"id":"c"}', NOW)
    found, _, torn = everything(home, SEGMENT)
    assert ([value["id"] for value in found], torn) == (["a", "c"], 1)
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != size + 20


def test_what_is_wiped_is_gone_from_the_files_and_no_position_moves(tmp_path: Path) -> None:
    home = str(tmp_path)
    line = '{"session":"%s","prompt":"%s"}'
    for hour in (NOW, NOW - HOUR):
        for session in ("s1", "s2", "s1"):
            inbox.append(home, line % (session, f"told in {session}"), hour)
    with Path(where.inbox(home), SEGMENT).open("ab") as file:
        file.write(b'{"session":"s1","prompt":"not yet whole')
    inbox.hold(home, line % ("s1", "told in s1"))
    Path(home, inbox.REST).write_bytes(Path(home, inbox.HELD).read_bytes())
    before = everything(home, SEGMENT)
    assert inbox.wipe(home, {"s1", "s3"}) == 6
    found, offset, torn = everything(home, SEGMENT)
    assert (found, offset, torn) == ([{"session": "s2", "prompt": "told in s2"}], before[1], 0)
    assert b"told in s1" not in Path(where.inbox(home), inbox.segment_name(NOW - HOUR)).read_bytes()
    for beside in (inbox.HELD, inbox.REST):
        assert b"told in s1" not in Path(home, beside).read_bytes()
    inbox.append(home, line % ("s4", "after"), NOW)
    assert inbox.release(home) == 0
    assert inbox.wipe(home, {"s9"}) == 0


def test_of_a_conversation_that_goes_in_part_what_nobody_has_read_stays(tmp_path: Path) -> None:
    home = str(tmp_path)
    line = '{"session":"s1","prompt":"%s"}'
    inbox.append(home, line % "taken in", NOW)
    read = inbox.read(home, SEGMENT, 0).offset
    inbox.append(home, line % "waits", NOW)
    inbox.hold(home, line % "held")
    assert inbox.wipe(home, {"s1"}, lambda segment: read if segment == SEGMENT else 0) == 1
    assert [entry["prompt"] for entry in everything(home, SEGMENT)[0]] == ["waits"]
    assert inbox.release(home) == 1


def test_where_there_is_no_inbox_nothing_is_wiped(tmp_path: Path) -> None:
    assert inbox.wipe(str(tmp_path / "nowhere"), {"s1"}) == 0


def test_a_line_whose_session_is_no_text_does_not_stop_the_wiping_of_others(tmp_path: Path) -> None:
    inbox.append(str(tmp_path), '{"session": ["s"]}')
    inbox.append(str(tmp_path), '{"session": "s"}')
    assert inbox.wipe(str(tmp_path), {"s"}) == 1


def test_what_was_set_aside_waits_until_the_inbox_has_room_for_it(tmp_path: Path) -> None:
    home = str(tmp_path)
    for number in range(3):
        inbox.hold(home, f'{{"id":"{number}"}}')
    inbox.append(home, "{}")
    (segment,) = inbox.segments(home)
    os.truncate(tmp_path / "inbox" / segment, inbox.SEGMENT_BYTES_MAX + 1)
    assert inbox.release(home) == 0
    for name in inbox.segments(home):
        os.unlink(tmp_path / "inbox" / name)
    assert inbox.release(home) == 3
    (segment,) = inbox.segments(home)
    assert [value["id"] for value in everything(home, segment)[0]] == ["0", "1", "2"]
    assert inbox.release(home) == 0
    assert sorted(os.listdir(home)) == ["inbox"]


def test_a_line_that_a_full_disk_cuts_is_not_taken_for_set_aside(tmp_path: Path) -> None:
    program = f"""
import resource, signal
from marrow.capture import inbox
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (20, 20))
try:
    inbox.hold({str(tmp_path)!r}, '{{"id":"b","text":"' + "x" * 500 + '"}}')
except OSError as problem:
    print(problem)
"""
    environment = {**os.environ, "PYTHONPATH": str(Path(inbox.__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", program], env=environment, check=True, capture_output=True, text=True)
    assert "could not be set aside" in done.stdout


def test_a_segment_of_a_clock_that_was_ahead_is_dropped_too(tmp_path: Path) -> None:
    home, ahead = str(tmp_path), NOW + 1000 * HOUR
    inbox.append(home, '{"id":"a"}', ahead)
    segment = inbox.segment_name(ahead)
    assert not inbox.drop(home, segment, 0, NOW)
    assert not inbox.drop(home, segment, inbox.size(home, segment), ahead)
    assert inbox.drop(home, segment, inbox.size(home, segment), NOW)
    assert not inbox.is_old(inbox.segment_name(NOW + HOUR), NOW)
