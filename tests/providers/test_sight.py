"""Text in images is recognised by the real recogniser on this machine, with its places."""

from __future__ import annotations

import struct
import zlib
from itertools import pairwise
from pathlib import Path

import pytest
from PIL import Image

from marrow.model.errors import Invalid, NotFound, TooLarge, Unavailable
from marrow.providers import sight
from marrow.providers.decoding_images import _spans
from marrow.providers.image_header import ImageHeader, image_header
from marrow.providers.sight import Box, Rapid, Seen, SeenLine, recogniser
from tests.media import draw

TEXTS = [(40, 30, "Billing dashboard"), (40, 110, "Retry limit: 5"), (500, 190, "Export invoices")]


def words(seen: Seen) -> dict[str, Box]:
    return {line.text: line.box for line in seen.lines}


@pytest.mark.parametrize("suffix", [".png", ".webp"])
def test_every_line_is_found_at_its_place(tmp_path: Path, suffix: str) -> None:
    seen = recogniser().recognise(str(draw(tmp_path / f"screen{suffix}", TEXTS)))
    found = words(seen)
    assert set(found) == {"Billing dashboard", "Retry limit: 5", "Export invoices"}
    for x, y, text in TEXTS:
        assert abs(found[text].x - x) < 12
        assert abs(found[text].y - y) < 16
    assert (seen.width, seen.height) == (900, 300)


@pytest.mark.parametrize(("paper", "ink"), [("", "black"), ("", "white"), ("#202020", "white")])
def test_transparent_and_dark_images_are_read(tmp_path: Path, paper: str, ink: str) -> None:
    seen = recogniser().recognise(str(draw(tmp_path / "screen.png", TEXTS, paper=paper, ink=ink)))
    assert "Billing dashboard" in words(seen)


def test_a_long_page_is_read_from_top_to_bottom(tmp_path: Path) -> None:
    """Scaled down to the recogniser's own size, its letters would be four pixels high."""
    texts = [(40, 100 + 900 * at, f"Section {at} of the page") for at in range(7)]
    seen = recogniser().recognise(str(draw(tmp_path / "page.png", texts, size=(900, 6400))))
    found = words(seen)
    assert set(found) == {text for _, _, text in texts}
    for x, y, text in texts:
        assert abs(found[text].x - x) < 12
        assert abs(found[text].y - y) < 16


def test_an_image_without_text_has_no_lines(tmp_path: Path) -> None:
    assert recogniser().recognise(str(draw(tmp_path / "empty.png", []))).lines == ()


def test_a_camera_that_was_turned_is_turned_back(tmp_path: Path) -> None:
    image = Image.open(draw(tmp_path / "screen.png", TEXTS)).rotate(90, expand=True)
    exif = Image.Exif()
    exif[0x0112] = 6
    image.save(tmp_path / "turned.jpg", exif=exif)
    assert "Billing dashboard" in words(recogniser().recognise(str(tmp_path / "turned.jpg")))


def test_a_damaged_image_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    given = draw(tmp_path / "screen.png", [(40, 30, "Billing dashboard")], size=(900, 1500))
    data = given.read_bytes()
    given.write_bytes(data[: len(data) * 2 // 3])
    seen = recogniser().recognise(str(given))
    assert "Billing dashboard" in words(seen)
    assert "damaged" in seen.problem


def gigapixel(path: Path, side: int) -> Path:
    """A small file whose header says that it is huge."""
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)))
    return path


def test_an_image_of_a_gigapixel_is_refused_by_its_header(tmp_path: Path) -> None:
    with pytest.raises(TooLarge, match="40,000 × 40,000"):
        recogniser().recognise(str(gigapixel(tmp_path / "huge.png", 40_000)))


def test_what_is_no_image_is_refused(tmp_path: Path) -> None:
    given = tmp_path / "screen.png"
    for data in (
        b"no image",
        b"",
        b"\x89PNG\r\n\x1a\n" + bytes(50),
        b"\xff\xd8\xff\xe0" + bytes(100),
        b"GIF89a\0\0\0\0",
    ):
        given.write_bytes(data)
        with pytest.raises(Invalid, match="no image"):
            recogniser().recognise(str(given))
    with pytest.raises(NotFound):
        recogniser().recognise(str(tmp_path / "nowhere.png"))
    given.write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x10\0\0\0\x10" + bytes(40))
    with pytest.raises(Invalid, match="no image"):
        recogniser().recognise(str(given))


@pytest.mark.parametrize("form", ["png", "jpeg", "webp", "gif", "bmp"])
def test_sizes_are_read_from_headers(tmp_path: Path, form: str) -> None:
    path = tmp_path / f"image.{form}"
    Image.new("RGB", (321, 123), "white").save(path, form)
    assert image_header(path.read_bytes()[:4096]) == ImageHeader(form, 321, 123)
    assert image_header(path.read_bytes()[:9]) is None


@pytest.mark.parametrize("lossless", [True, False])
def test_sizes_of_both_sorts_of_webp_are_read(tmp_path: Path, lossless: bool) -> None:
    path = tmp_path / "image.webp"
    Image.new("RGBA", (321, 123), (1, 2, 3, 4)).save(path, lossless=lossless)
    assert image_header(path.read_bytes()) == ImageHeader("webp", 321, 123)


def test_parts_of_a_length_overlap_and_cover_it() -> None:
    assert list(_spans(1700, 1600)) == [(0, 1700)]
    spans = list(_spans(6400, 1600))
    assert spans[0][0] == 0
    assert spans[-1][1] == 6400
    assert all(after[0] == before[1] - 160 for before, after in pairwise(spans))


def test_without_the_extra_the_message_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sight, "LIBRARY", "no_such_library")
    with pytest.raises(Unavailable, match="extra `images`") as caught:
        recogniser()
    assert "marrow[images]" in caught.value.hint


def test_what_was_seen_keeps_its_form_as_json() -> None:
    seen = Seen((SeenLine("Hello", Box(1, 2, 3, 4, 5), 0.987),), 10, 20, "cut")
    assert Seen.of(seen.shape()) == seen


def test_the_limit_of_pixels_is_the_recognisers_own(tmp_path: Path) -> None:
    with pytest.raises(TooLarge):
        Rapid("test", pixels_max=1000).recognise(str(draw(tmp_path / "screen.png", TEXTS)))
