"""Recordings and screenshots made for tests: speech by espeak-ng, images by Pillow."""

from __future__ import annotations

import math
import struct
import subprocess
import wave
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

from .tools import espeak

RATE = 16_000


def speak(path: Path, text: str, *, voice: str = "en-us") -> Path:
    """A recording of a text."""
    command = [espeak(), "-v", voice, "-s", "130", "-g", "4", "-w", str(path), text]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return path


def silence(path: Path, seconds: float) -> Path:
    """A recording in which nothing is said."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(bytes(2 * int(RATE * seconds)))
    return path


def tone(path: Path, seconds: float) -> Path:
    """A recording of one tone."""
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        samples = (int(8000 * math.sin(2 * math.pi * 440 * n / RATE)) for n in range(int(RATE * seconds)))
        file.writeframes(b"".join(struct.pack("<h", sample) for sample in samples))
    return path


def draw(
    path: Path,
    texts: Sequence[tuple[int, int, str]],
    *,
    size: tuple[int, int] = (900, 300),
    paper: str = "white",
    ink: str = "black",
    letters: int = 28,
) -> Path:
    """An image with texts at these places; without `paper` it is transparent."""
    image = Image.new("RGBA" if not paper else "RGB", size, paper or (0, 0, 0, 0))
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=letters)
    for x, y, text in texts:
        pen.text((x, y), text, fill=ink, font=font)
    image.save(path)
    return path
