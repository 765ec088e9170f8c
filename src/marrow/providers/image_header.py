"""How large an image is and what sort, from its first bytes, so that one of a gigapixel is refused before anything
decodes it."""

from __future__ import annotations

from dataclasses import dataclass

PNG, JPEG, WEBP, GIF, BMP = "png", "jpeg", "webp", "gif", "bmp"
MEDIA_TYPES = {name: f"image/{name}" for name in (PNG, JPEG, WEBP, GIF, BMP)}
_JPEG_FRAMES = frozenset((0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF))


@dataclass(frozen=True, slots=True)
class ImageHeader:
    form: str
    width: int
    height: int

    @property
    def pixels(self) -> int:
        return self.width * self.height


def image_header(data: bytes) -> ImageHeader | None:
    """What the beginning of a file says; None for what is no image, or one whose beginning is damaged."""
    found: ImageHeader | None = None
    if data.startswith(b"\x89PNG\r\n\x1a\n") and data[12:16] == b"IHDR" and len(data) >= 24:
        found = ImageHeader(PNG, int.from_bytes(data[16:20]), int.from_bytes(data[20:24]))
    elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        found = _webp(data)
    elif data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        found = ImageHeader(GIF, _little(data, 6), _little(data, 8))
    elif data[:2] == b"BM" and len(data) >= 26:
        found = ImageHeader(BMP, _little(data, 18, 4), abs(int.from_bytes(data[22:26], "little", signed=True)))
    elif data[:3] == b"\xff\xd8\xff":
        found = _jpeg(data)
    return found if found and found.width > 0 and found.height > 0 else None


def _little(data: bytes, at: int, length: int = 2) -> int:
    return int.from_bytes(data[at : at + length], "little")


def _webp(data: bytes) -> ImageHeader | None:
    chunk = data[12:16]
    if len(data) < 30:
        return None
    if chunk == b"VP8X":
        return ImageHeader(WEBP, 1 + _little(data, 24, 3), 1 + _little(data, 27, 3))
    if chunk == b"VP8L":
        packed = _little(data, 21, 4)
        return ImageHeader(WEBP, 1 + (packed & 0x3FFF), 1 + (packed >> 14 & 0x3FFF))
    if chunk == b"VP8 ":
        return ImageHeader(WEBP, _little(data, 26) & 0x3FFF, _little(data, 28) & 0x3FFF)
    return None


def _jpeg(data: bytes) -> ImageHeader | None:
    """The size stands in the first frame, after any number of other segments."""
    at = 2
    while at + 9 <= len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:  # padding
            at += 1
        elif marker in _JPEG_FRAMES:
            return ImageHeader(JPEG, int.from_bytes(data[at + 7 : at + 9]), int.from_bytes(data[at + 5 : at + 7]))
        elif marker == 0x01 or 0xD0 <= marker <= 0xD8:
            at += 2
        else:
            at += 2 + max(2, int.from_bytes(data[at + 2 : at + 4]))
    return None
