"""From the bytes of a recording to words with times. Runs in `media_worker`'s process only.

A recording is decoded and transcribed by pieces of some minutes, cut where it is quiet: the memory that it takes does
not grow with its length.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from ..model.errors import Invalid, TooLarge

if TYPE_CHECKING:
    import numpy as np

    Sound = np.ndarray[Any, Any]

RATE = 16_000
PIECE_SECONDS, QUIET_SECONDS, QUIET_STEP = 600, 20, RATE // 5
BAD_FRAMES_MAX = 200
# Where the model writes no full stop: seconds of silence, and before a capital; and the least words of a sentence.
PAUSES, WORD_SECONDS, WORDS_MIN = (1.0, 0.3), 0.5, 3
# Containers that hold sound themselves. A playlist would have the decoder open what it names.
FORMATS = "wav,w64,mp3,mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,ogg,flac,aac,aiff,asf,avi,mpeg,mpegts,amr,caf,flv,au"
_SENTENCE_ENDS = (".", "!", "?", "…", "。", "？", "！")
_HINT = "Give a file with sound: WAV, MP3, M4A, Ogg, FLAC, MP4, MKV or WebM."


def transcribed(request: Mapping[str, Any], report: Callable[[int, int | None], None]) -> dict[str, Any]:
    """The segments of a recording as [start, end, text]."""
    from faster_whisper import WhisperModel

    seconds_max = int(request["seconds_max"])
    with ExitStack() as stack:
        recording = Recording(stack, str(request["path"]), seconds_max)
        report(0, recording.seconds)
        threads = int(request["threads"])
        # Whole numbers of eight bits: half the memory, twice the speed, the same words.
        model = WhisperModel(
            str(request["model"]), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
        )
        segments: list[list[object]] = []
        heard = 0.0
        language = ""
        for begin, sound in recording.pieces():
            found, told = model.transcribe(
                sound, beam_size=5, vad_filter=True, condition_on_previous_text=False, word_timestamps=True
            )
            for one in found:
                segments += [[round(begin + s, 2), round(begin + e, 2), text] for s, e, text in _sentences(one)]
                report(int(begin + one.end), recording.seconds)
            language = language or told.language
            heard = begin + len(sound) / RATE
            report(int(heard), recording.seconds)
    if heard == 0:
        raise Invalid("There is no sound in it.", hint=_HINT, field="path")
    return {"segments": segments, "seconds": round(heard, 2), "language": language, "problem": recording.problem}


class Recording:
    """The sound of a file, as it is decoded."""

    def __init__(self, stack: ExitStack, path: str, seconds_max: int) -> None:
        import av

        self._seconds_max = seconds_max
        self.problem = ""
        # Given as a stream, and not by its name: a name may be an address to the decoder.
        file = stack.enter_context(open(path, "rb"))  # noqa: SIM115 the stack closes it
        options = {"format_whitelist": FORMATS, "protocol_whitelist": "none"}
        try:
            self._container = stack.enter_context(
                av.open(file, mode="r", metadata_errors="ignore", container_options=options)
            )
        except (av.error.FFmpegError, ValueError, OverflowError) as problem:
            raise Invalid("It is no recording that can be read.", hint=_HINT, field="path") from problem
        if not self._container.streams.audio:
            raise Invalid("There is no sound in it.", hint=_HINT, field="path")
        self._stream = self._container.streams.audio[0]
        told = self._container.duration
        self.seconds = int(told / av.time_base) if told and told > 0 else None
        if self.seconds is not None and self.seconds > seconds_max:
            raise TooLarge(
                f"It is {self.seconds // 60:,} minutes long; at most {seconds_max // 60:,} are transcribed.",
                hint="Split it.",
                field="path",
            )

    def pieces(self) -> Iterator[tuple[float, Sound]]:
        """Sound of some minutes at a time, with the second at which it begins."""
        import numpy as np

        waiting: list[Sound] = []
        count = begin = 0
        for some in self._decoded():
            waiting.append(some)
            count += len(some)
            if begin + count >= self._seconds_max * RATE:
                self.problem = f"only the first {self._seconds_max // 60:,} minutes were transcribed"
                break
            if count >= PIECE_SECONDS * RATE:
                whole = np.concatenate(waiting)
                cut = _quiet(whole)
                yield begin / RATE, _as_float(whole[:cut])
                begin += cut
                waiting, count = [whole[cut:]], count - cut
        if count:
            yield begin / RATE, _as_float(np.concatenate(waiting))

    def _decoded(self) -> Iterator[Sound]:
        """Samples as they come out of the decoder; what it cannot read is left out."""
        import av

        resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
        frames = self._container.decode(self._stream)
        bad = 0
        while True:
            try:
                frame = next(frames, None)
                made = resampler.resample(frame)
            except (av.error.InvalidDataError, av.error.EOFError, ValueError):
                bad += 1
                if bad > BAD_FRAMES_MAX:
                    self.problem = "it is damaged, and was read as far as it goes"
                    return
                continue
            for one in made:
                yield one.to_ndarray().reshape(-1)
            if frame is None:
                if bad:
                    self.problem = "parts of it are damaged and were left out"
                return


def _sentences(segment: Any) -> Iterator[tuple[float, float, str]]:
    """A segment in its sentences: the model puts several into one, and each has its own moment."""
    said: list[Any] = []
    for word in segment.words or ():
        if len(said) >= WORDS_MIN and _silence(said[-1], word) >= _pause(word.word):
            yield said[0].start, said[-1].end, "".join(one.word for one in said).strip()
            said = []
        said.append(word)
        if word.word.rstrip().endswith(_SENTENCE_ENDS):
            yield said[0].start, word.end, "".join(one.word for one in said).strip()
            said = []
    if said or not segment.words:
        text = "".join(one.word for one in said).strip() if said else segment.text.strip()
        if text:
            yield (said[0].start if said else segment.start), segment.end, text


def _silence(last: Any, word: Any) -> float:
    """How long it is silent before a word. The model counts silence to the word after it, which then seems long."""
    return float(word.start - last.end) + max(0.0, float(word.end - word.start) - WORD_SECONDS)


def _pause(word: str) -> float:
    """How long a silence before a word has to be for a new sentence; a capital may begin one."""
    first = word.strip()
    return PAUSES[1] if first[:1].isupper() and first not in ("I", "I'm", "I'll", "I've") else PAUSES[0]


def _as_float(sound: Sound) -> Sound:
    import numpy as np

    return sound.astype(np.float32) / 32768.0


def _quiet(sound: Sound) -> int:
    """Where it is quietest near the end: no word is cut there."""
    import numpy as np

    begin = len(sound) - QUIET_SECONDS * RATE
    steps = len(sound[begin:]) // QUIET_STEP
    loud = np.abs(sound[begin : begin + steps * QUIET_STEP].astype(np.int32)).reshape(steps, QUIET_STEP).mean(axis=1)
    return begin + int(loud.argmin()) * QUIET_STEP + QUIET_STEP // 2
