"""Meetings and designs are taken in, computed once for each file, and wait when they cannot be read now."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from marrow.memory.engine import Asker, Engine
from marrow.memory.meetings import known_items, search_meetings
from marrow.memory.taking_in.media import ADDED, CHANGED, QUEUED, UNCHANGED, ingest_design, ingest_meeting, trying_again
from marrow.model.derivation import DONE, FAILED, Derived
from marrow.model.errors import Invalid, NotFound, TooLarge
from marrow.model.record import CURRENT, Filter, Record
from marrow.providers import sight, speech
from tests.media import draw, speak
from tests.memory.conftest import Clock

SAID = "Welcome to the platform meeting. The outage last week was caused by an expired certificate."
NOTES = "[00:00:05] Ann: Hello.\n[00:01:10] Bob: I'll rotate the keys by Friday."
# What a model hears or sees does not depend on the store, and takes seconds: on one of them, then.
on_one_store = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)


def rows(engine: Engine, asker: Asker, name: str) -> list[Derived]:
    with engine.store.reading() as reader:
        return reader.derived_rows(asker.namespace, names=(name,))


def known(engine: Engine, asker: Asker, kind: str) -> list[Record]:
    with engine.store.reading() as reader:
        wanted = Filter(projects=(asker.scope.project,), kinds=(kind,))
        return reader.records_of(reader.select(asker.namespace, wanted, CURRENT, engine.clock()), CURRENT)


def fields(engine: Engine, asker: Asker, record: Record) -> list[dict[str, object]]:
    with engine.store.reading() as reader:
        return [one.fields for one in reader.occurrences([record.entry], CURRENT)[record.entry]]


@pytest.mark.tool
@on_one_store
def test_a_recording_comes_back_by_what_is_said_with_its_moment(engine: Engine, asker: Asker, tmp_path: Path) -> None:
    file = speak(tmp_path / "2026-02-27-platform-sync.wav", SAID)
    done = ingest_meeting(engine, asker, path=str(file), attendees=["Ann", "Bob"])
    assert done.outcome == ADDED
    assert done.title == "platform sync"
    wanted = Filter(projects=(asker.scope.project,), kinds=("meeting",))
    (hit,) = search_meetings(engine, asker, "expired certificate", wanted).hits
    assert hit.moment in ("00:00:02", "00:00:03", "00:00:04")
    assert "certificate" in hit.passage
    assert hit.attendees == ("Ann", "Bob")
    assert hit.origin.fields["date"] == "2026-02-27"
    (row,) = rows(engine, asker, "transcript")
    assert (row.state, row.provider) == (DONE, "speech")
    assert row.model.startswith("faster-whisper/")
    assert row.input == hit.origin.fields["digest"]


@pytest.mark.tool
@on_one_store
def test_the_same_recording_under_another_name_is_not_transcribed_again(
    engine: Engine, asker: Asker, tmp_path: Path
) -> None:
    runs: list[str] = []
    engine.tally.listeners.append(lambda name, given: runs.append(name))
    first = ingest_meeting(engine, asker, path=str(speak(tmp_path / "a.wav", SAID)))
    again = ingest_meeting(engine, asker, path=str(tmp_path / "a.wav"))
    copied = ingest_meeting(engine, asker, path=str(shutil.copy(tmp_path / "a.wav", tmp_path / "b.wav")), title="Other")
    assert runs.count("transcript") == 1
    assert again.outcome == UNCHANGED
    assert first.address == again.address == copied.address
    assert len(known(engine, asker, "meeting")) == 1


@pytest.mark.tool
@on_one_store
def test_without_the_extra_a_recording_waits_and_is_done_later(
    engine: Engine, asker: Asker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = speak(tmp_path / "sync.wav", SAID)
    with monkeypatch.context() as without:
        without.setattr(speech, "LIBRARY", "no_such_library")
        done = ingest_meeting(
            engine, asker, path=str(file), title="Platform sync", date="2026-02-20", attendees=["Ann"], service="shop"
        )
        assert done.outcome == QUEUED
        assert "extra `speech`" in done.problem
        (row,) = rows(engine, asker, "transcript")
        assert (row.state, row.path) == (FAILED, str(file))
        assert "speech" in row.error
        assert trying_again()(engine, asker, row) is False
        (waiting,) = known(engine, asker, "meeting")
        assert "not transcribed yet" in waiting.node.content
    assert trying_again()(engine, asker, row) is True
    (record,) = known(engine, asker, "meeting")
    assert "certificate" in record.node.content
    (told,) = fields(engine, asker, record)
    assert (told["title"], told["attendees"], told["date"]) == ("Platform sync", ["Ann"], "2026-02-20")
    assert "waiting" not in told
    assert rows(engine, asker, "transcript")[0].state == DONE


@pytest.mark.tool
@on_one_store
def test_a_waiting_recording_that_is_given_again_takes_its_own_place(
    engine: Engine, asker: Asker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = speak(tmp_path / "sync.wav", SAID)
    with monkeypatch.context() as without:
        without.setattr(speech, "LIBRARY", "no_such_library")
        ingest_meeting(engine, asker, path=str(file))
    assert ingest_meeting(engine, asker, path=str(file)).outcome == CHANGED
    (record,) = known(engine, asker, "meeting")
    assert "certificate" in record.node.content


def test_what_is_no_recording_is_an_error_and_leaves_nothing(engine: Engine, asker: Asker, tmp_path: Path) -> None:
    file = tmp_path / "talk.mp3"
    file.write_bytes(b"not audio at all " * 500)
    with pytest.raises(Invalid, match="no recording"):
        ingest_meeting(engine, asker, path=str(file))
    assert rows(engine, asker, "transcript") == []
    assert known(engine, asker, "meeting") == []


def test_a_transcript_that_changes_replaces_what_was_read_before(engine: Engine, asker: Asker, tmp_path: Path) -> None:
    file = tmp_path / "sync.vtt"
    file.write_text("WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v Ann>The port is 80.\n")
    assert ingest_meeting(engine, asker, path=str(file)).outcome == ADDED
    assert ingest_meeting(engine, asker, path=str(file)).outcome == UNCHANGED
    file.write_text("WEBVTT\n\n00:00:01.000 --> 00:00:02.000\n<v Ann>The port is 81.\n")
    assert ingest_meeting(engine, asker, path=str(file)).outcome == CHANGED
    assert [record.node.content for record in known(engine, asker, "meeting")] == ["[00:00:01] Ann: The port is 81."]


def test_a_text_is_known_by_its_day_and_title(engine: Engine, asker: Asker) -> None:
    ingest_meeting(engine, asker, transcript=NOTES, title="Sync", date="2026-02-20")
    ingest_meeting(engine, asker, transcript=f"{NOTES}\n[00:02:00] Ann: Bye.", title="Sync", date="2026-02-20")
    ingest_meeting(engine, asker, transcript=f"{NOTES} Really.", title="Sync", date="2026-02-27")
    assert len(known(engine, asker, "meeting")) == 2


def test_a_day_that_is_told_in_words_is_another_one_on_another_day(engine: Engine, asker: Asker, clock: Clock) -> None:
    for said in (NOTES, f"{NOTES} Really."):
        ingest_meeting(engine, asker, transcript=said, title="Stand-up", date="yesterday")
        clock.forward(days=1)
    assert len(known(engine, asker, "meeting")) == 2
    # The first one again, by its date: it is known by the day, however that was said.
    again = ingest_meeting(engine, asker, transcript=f"{NOTES} Better.", title="Stand-up", date="2026-02-28")
    assert again.outcome == CHANGED
    assert len(known(engine, asker, "meeting")) == 2


def test_two_meetings_of_one_day_are_told_apart_by_the_hour_where_it_is_given(engine: Engine, asker: Asker) -> None:
    for hour, said in (("10:00", NOTES), ("15:00", f"{NOTES} Really.")):
        ingest_meeting(engine, asker, transcript=said, title="Sync", date=f"2026-02-20T{hour}:00Z")
    assert len(known(engine, asker, "meeting")) == 2


@pytest.mark.parametrize("name", [".env", "minutes.txt"])
def test_a_file_with_secrets_is_no_meeting_whatever_leads_to_it(
    engine: Engine, asker: Asker, tmp_path: Path, name: str
) -> None:
    (tmp_path / ".env").write_text("PASSWORD=hunter2hunter2\n")
    if name != ".env":
        (tmp_path / name).symlink_to(tmp_path / ".env")
    with pytest.raises(Invalid, match="secrets"):
        ingest_meeting(engine, asker, path=str(tmp_path / name))
    assert known(engine, asker, "meeting") == []


def test_a_meeting_needs_one_source(engine: Engine, asker: Asker, tmp_path: Path) -> None:
    for given in ({}, {"path": "a.vtt", "transcript": NOTES}):
        with pytest.raises(Invalid, match="One of path and transcript"):
            ingest_meeting(engine, asker, **given)
    with pytest.raises(NotFound):
        ingest_meeting(engine, asker, path=str(tmp_path / "nowhere.vtt"))
    (tmp_path / "empty.vtt").write_text("")
    with pytest.raises(Invalid, match="empty"):
        ingest_meeting(engine, asker, path=str(tmp_path / "empty.vtt"))
    with pytest.raises(Invalid, match="not a time"):
        ingest_meeting(engine, asker, transcript=NOTES, date="some day")


def test_a_text_in_another_encoding_is_read(engine: Engine, asker: Asker, tmp_path: Path) -> None:
    (tmp_path / "sync.srt").write_bytes("1\n00:00:01,000 --> 00:00:02,000\nJosé: Qué tal.\n".encode("utf-16"))
    ingest_meeting(engine, asker, path=str(tmp_path / "sync.srt"))
    assert known(engine, asker, "meeting")[0].node.content == "[00:00:01] José: Qué tal."


def test_what_is_to_be_done_is_listed_across_meetings_and_incidents(engine: Engine, asker: Asker, clock: Clock) -> None:
    ingest_meeting(engine, asker, transcript=NOTES, title="Sync", date="2026-02-20", attendees=["Ann", "Bob"])
    ingest_meeting(
        engine,
        asker,
        transcript="# Retro\n- [ ] Ann: write the runbook\n- [x] Bob: rotate the keys\n- [ ] tidy up by 2026-02-25",
        date="2026-02-27",
        title="Retro",
    )
    wanted = Filter(projects=(asker.scope.project,), kinds=("meeting", "incident"))
    found = known_items(engine, asker, wanted)
    assert [(one.item.text, one.item.owner, one.item.due) for one in found] == [
        ("tidy up", "", "2026-02-25"),
        ("write the runbook", "Ann", ""),
    ]
    every = known_items(engine, asker, wanted, open_only=False)
    assert [one.item.text for one in every if one.item.done] == ["rotate the keys"]
    assert [one.item.text for one in known_items(engine, asker, wanted, owner="ann")] == ["write the runbook"]


@on_one_store
def test_a_screenshot_comes_back_by_what_is_written_in_it(engine: Engine, asker: Asker, tmp_path: Path) -> None:
    file = draw(tmp_path / "checkout.png", [(40, 30, "Billing dashboard"), (40, 120, "Export invoices as CSV")])
    done = ingest_design(engine, asker, str(file), feature="the checkout", url="https://example.com/1")
    assert (done.outcome, done.model.partition("/")[0]) == (ADDED, "rapidocr")
    (record,) = known(engine, asker, "design")
    assert record.node.content == "Billing dashboard\nExport invoices as CSV"
    (told,) = fields(engine, asker, record)
    boxes = told["boxes"]
    assert isinstance(boxes, list)
    assert abs(boxes[1][0] - 40) < 12
    assert abs(boxes[1][1] - 120) < 16
    (row,) = rows(engine, asker, "image_text")
    assert row.input == told["digest"]
    shutil.copy(file, tmp_path / "copy.png")
    again = ingest_design(engine, asker, str(tmp_path / "copy.png"))
    assert again.address == done.address
    assert len(rows(engine, asker, "image_text")) == 1


@on_one_store
def test_without_the_extra_an_image_waits_and_is_done_later(
    engine: Engine, asker: Asker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = draw(tmp_path / "checkout.png", [(40, 30, "Billing dashboard")])
    with monkeypatch.context() as without:
        without.setattr(sight, "LIBRARY", "no_such_library")
        assert ingest_design(engine, asker, str(file), feature="billing").outcome == QUEUED
    (row,) = rows(engine, asker, "image_text")
    assert trying_again()(engine, asker, row) is True
    (record,) = known(engine, asker, "design")
    assert record.node.content == "Billing dashboard"
    assert fields(engine, asker, record)[0]["feature"] == "billing"


@on_one_store
def test_one_that_waits_for_two_services_is_done_for_both(
    engine: Engine, asker: Asker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = draw(tmp_path / "checkout.png", [(40, 30, "Billing dashboard")])
    with monkeypatch.context() as without:
        without.setattr(sight, "LIBRARY", "no_such_library")
        for service in ("shop", "bank"):
            assert ingest_design(engine, asker, str(file), service=service).outcome == QUEUED
    (row,) = rows(engine, asker, "image_text")
    assert trying_again()(engine, asker, row) is True
    (record,) = known(engine, asker, "design")
    assert record.node.content == "Billing dashboard"
    with engine.store.reading() as reader:
        sources = reader.sources(asker.namespace, (asker.scope.project,))
    assert {(one.service, one.address) for one in sources} == {
        ("shop", record.node.address),
        ("bank", record.node.address),
    }


@on_one_store
def test_a_file_that_changed_while_it_waited_is_not_taken_for_the_old_one(
    engine: Engine, asker: Asker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = draw(tmp_path / "checkout.png", [(40, 30, "Billing dashboard")])
    with monkeypatch.context() as without:
        without.setattr(sight, "LIBRARY", "no_such_library")
        ingest_design(engine, asker, str(file))
    (row,) = rows(engine, asker, "image_text")
    draw(file, [(40, 30, "Something else")])
    assert trying_again()(engine, asker, row) is False


def test_a_drawing_is_read_without_any_extra(
    engine: Engine, asker: Asker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sight, "LIBRARY", "no_such_library")
    (tmp_path / "flow.svg").write_text("<svg><text x='1' y='30'>Order flow</text></svg>")
    assert ingest_design(engine, asker, str(tmp_path / "flow.svg")).outcome == ADDED
    (tmp_path / "bad.svg").write_text("<svg><text>")
    with pytest.raises(Invalid, match="no sound SVG"):
        ingest_design(engine, asker, str(tmp_path / "bad.svg"))


def test_what_is_no_design_is_refused(engine: Engine, asker: Asker, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("text")
    with pytest.raises(Invalid, match="no design"):
        ingest_design(engine, asker, str(tmp_path / "notes.txt"))
    (tmp_path / "fake.png").write_text("no image")
    with pytest.raises(Invalid, match="no image"):
        ingest_design(engine, asker, str(tmp_path / "fake.png"))
    header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (60_000).to_bytes(4) * 2 + bytes(20)
    (tmp_path / "huge.png").write_bytes(header)
    with pytest.raises(TooLarge):
        ingest_design(engine, asker, str(tmp_path / "huge.png"))
    assert rows(engine, asker, "image_text") == []


@on_one_store
def test_the_pages_of_a_scanned_pdf_are_recognised(engine: Engine, asker: Asker, tmp_path: Path) -> None:
    from PIL import Image

    pages = [
        Image.open(draw(tmp_path / f"{at}.png", [(40, 60, text)])).convert("RGB")
        for at, text in enumerate(("Billing dashboard", "Retry policy"))
    ]
    pages[0].save(tmp_path / "scan.pdf", save_all=True, append_images=pages[1:])
    ingest_design(engine, asker, str(tmp_path / "scan.pdf"))
    (record,) = known(engine, asker, "design")
    assert record.node.content == "Billing dashboard\nRetry policy"
    boxes = fields(engine, asker, record)[0]["boxes"]
    assert isinstance(boxes, list)
    assert [box[4] for box in boxes] == [1, 2]


@on_one_store
def test_a_secret_in_a_screenshot_is_redacted(engine: Engine, asker: Asker, tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6" * 3
    (tmp_path / "flow.svg").write_text(f"<svg><text x='1' y='30'>token {secret}</text></svg>")
    ingest_design(engine, asker, str(tmp_path / "flow.svg"))
    assert secret not in known(engine, asker, "design")[0].node.content
