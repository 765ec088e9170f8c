"""Recordings are transcribed by the real model on this machine; what is none is told so, and nothing runs for ever."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from marrow.model.errors import Invalid, NotFound, TooLarge, Unavailable
from marrow.providers import speech
from marrow.providers.aside import Limits, done_aside
from marrow.providers.decoding_sound import PIECE_SECONDS
from marrow.providers.speech import Segment, Transcript, Whisper, transcriber
from tests.media import silence, speak, tone

SAID = (
    "Welcome to the platform meeting. We decided to move the billing service to Postgres. "
    "Alice will update the runbook by Friday. The outage last week was caused by an expired certificate."
)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return speak(tmp_path_factory.mktemp("speech") / "meeting.wav", SAID)


@pytest.mark.tool
def test_what_is_said_is_found_with_its_times(recording: Path) -> None:
    heard: list[tuple[int, int | None]] = []
    found = transcriber().transcribe(str(recording), lambda done, total: heard.append((done, total)))
    text = " ".join(one.text for one in found.segments).lower()
    for words in ("platform meeting", "billing service", "update the runbook by friday", "expired certificate"):
        assert words in text
    starts = [one.start for one in found.segments]
    assert starts == sorted(starts)
    (certificate,) = (one for one in found.segments if "certificate" in one.text)
    assert 9 < certificate.start < found.seconds
    assert 15 < found.seconds < 20
    assert found.problem == ""
    assert heard[-1] == (17, 17)


@pytest.mark.tool
@pytest.mark.parametrize("suffix", [".mp4", ".ogg"])
def test_the_sound_of_a_video_and_of_compressed_files_is_heard(recording: Path, tmp_path: Path, suffix: str) -> None:
    given = _converted(recording, tmp_path / f"meeting{suffix}")
    text = " ".join(one.text for one in transcriber().transcribe(str(given)).segments).lower()
    assert "billing service" in text


def _converted(source: Path, target: Path) -> Path:
    """The same sound in another container; in one for video, beside a picture."""
    import av
    import numpy as np

    with av.open(str(source)) as given, av.open(str(target), "w") as made:
        sound = made.add_stream("libopus" if target.suffix == ".ogg" else "aac", rate=48_000)
        frames = []
        if target.suffix != ".ogg":
            picture = made.add_stream("mpeg4", rate=1)
            picture.width, picture.height, picture.pix_fmt = 64, 64, "yuv420p"
            frames = [av.VideoFrame.from_ndarray(np.zeros((64, 64, 3), np.uint8), format="rgb24") for _ in range(17)]
        resampler = av.AudioResampler(format="fltp" if sound.codec.name == "aac" else "s16", layout="mono", rate=48_000)
        for frame in given.decode(audio=0):
            for piece in resampler.resample(frame):
                made.mux(sound.encode(piece))
        made.mux(sound.encode(None))
        for frame in frames:
            made.mux(picture.encode(frame))
        if frames:
            made.mux(picture.encode(None))
    return target


def test_silence_and_a_tone_say_nothing(tmp_path: Path) -> None:
    for given in (silence(tmp_path / "silence.wav", 3), tone(tmp_path / "tone.wav", 2)):
        found = transcriber().transcribe(str(given))
        assert found.segments == ()
        assert 1.5 < found.seconds < 3.5


def test_what_is_no_recording_is_refused(tmp_path: Path) -> None:
    given = tmp_path / "talk.mp3"
    for data in (b"not audio at all " * 500, b"RIFF" + bytes(60), bytes(range(256)) * 100):
        given.write_bytes(data)
        with pytest.raises(Invalid, match=r"no recording|no sound"):
            transcriber().transcribe(str(given))
    given.write_bytes(b"")
    with pytest.raises(Invalid, match="empty"):
        transcriber().transcribe(str(given))
    with pytest.raises(NotFound):
        transcriber().transcribe(str(tmp_path / "nowhere.wav"))


def test_a_playlist_cannot_have_other_files_opened(tmp_path: Path) -> None:
    silence(tmp_path / "private.wav", 2)
    for name, text in (
        ("list.m3u8", f"#EXTM3U\n#EXTINF:2,\n{tmp_path / 'private.wav'}\n#EXT-X-ENDLIST\n"),
        ("list.mp3", f"ffconcat version 1.0\nfile {tmp_path / 'private.wav'}\n"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(Invalid):
            transcriber().transcribe(str(tmp_path / name))


def test_a_recording_that_is_too_long_is_refused_by_its_header(tmp_path: Path) -> None:
    given = silence(tmp_path / "long.wav", 20)
    with pytest.raises(TooLarge, match="at most 0"):
        Whisper(transcriber().folder, "tiny", seconds_max=10).transcribe(str(given))


def test_a_header_that_lies_about_the_length_does_not_help(tmp_path: Path) -> None:
    """It says that it has one second, and has twenty: it is heard up to the limit."""
    given = silence(tmp_path / "lies.wav", 20)
    data = bytearray(given.read_bytes())
    data[40:44] = struct.pack("<I", 0xFFFFFFFF)
    data[4:8] = struct.pack("<I", 0xFFFFFFFF)
    given.write_bytes(data)
    try:
        found = Whisper(transcriber().folder, "tiny", seconds_max=10).transcribe(str(given))
    except TooLarge:
        return
    assert found.seconds <= 12
    assert found.problem.startswith("only the first")


@pytest.mark.tool
def test_a_long_recording_is_heard_in_pieces_and_keeps_its_times(recording: Path, tmp_path: Path) -> None:
    """What is said after the first piece has the times of the whole."""
    import wave

    whole = tmp_path / "whole.wav"
    with wave.open(str(recording)) as said, wave.open(str(whole), "wb") as made:
        made.setparams(said.getparams())
        sound, rate = said.readframes(said.getnframes()), said.getframerate()
        before = PIECE_SECONDS + 30
        made.writeframes(bytes(2 * rate * before))
        made.writeframes(sound)
    found = transcriber().transcribe(str(whole))
    assert found.segments[0].start == pytest.approx(before, abs=2)
    assert "platform meeting" in found.segments[0].text.lower()


def test_a_damaged_recording_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    given = tone(tmp_path / "tone.wav", 4)
    given.write_bytes(given.read_bytes()[:40_000])
    assert transcriber().transcribe(str(given)).seconds < 2


def test_work_that_takes_too_long_is_stopped_and_leaves_no_process(tmp_path: Path) -> None:
    given = silence(tmp_path / "silence.wav", 600)
    request = {"path": str(given), "model": transcriber().folder, "seconds_max": 3600, "threads": 1}
    with pytest.raises(Unavailable, match="too long"):
        done_aside("transcribe", request, Limits(stall_seconds=0.05, seconds=0.05))


def test_work_that_needs_too_much_memory_is_an_error_and_not_a_crash(tmp_path: Path) -> None:
    given = silence(tmp_path / "silence.wav", 2)
    request = {"path": str(given), "model": transcriber().folder, "seconds_max": 3600, "threads": 1}
    with pytest.raises(Unavailable):
        done_aside("transcribe", request, Limits(memory_bytes=200 * 1024 * 1024))


def test_without_the_extra_the_message_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speech, "LIBRARY", "no_such_library")
    with pytest.raises(Unavailable, match="extra `speech`") as caught:
        transcriber()
    assert "marrow[speech]" in caught.value.hint


def test_without_weights_the_message_says_where_they_come_from(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speech, "WEIGHTS", "no_such_weights")
    with pytest.raises(Unavailable, match="no speech model"):
        transcriber()


def test_a_model_is_taken_from_a_folder_that_is_named(tmp_path: Path) -> None:
    folder = transcriber().folder
    assert transcriber(folder) == Whisper(folder, "model")
    with pytest.raises(NotFound, match="no speech model"):
        transcriber(str(tmp_path))


def test_a_transcript_keeps_its_form_as_json() -> None:
    found = Transcript((Segment(1.234, 5.0, "Hello."),), 6.0, "en", "cut")
    assert Transcript.of(found.shape()) == Transcript((Segment(1.23, 5.0, "Hello."),), 6.0, "en", "cut")
