"""From the bytes of an image to lines of text with their places. Runs in `media_worker`'s process only.

A large image is looked at by tiles, because the recogniser scales what it is given down to its own size, and small
letters would be lost.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..model.errors import Invalid, TooLarge
from .image_header import image_header

if TYPE_CHECKING:
    from PIL.Image import Image

Line = list[Any]  # text, x, y, w, h, page, score
Report = Callable[[int, "int | None"], None]
# A tile in the image's pixels, and what it is scaled down to at most. Tiles overlap, so that no line is cut in both.
TILE_WIDTH, TILE_HEIGHT, TILE_SIDE, OVERLAP = 4000, 1600, 2000, 160
SAME_SHARE = 0.5
LINES_MAX = 5000
PAGES_MAX, PAGE_IMAGES_MAX, SMALLEST = 100, 20, 24
SCORE_MIN = 0.5
_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")
_HINT = "Give a PNG, JPEG, WebP, GIF or BMP."


def recognised(request: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """The lines of an image."""
    with open(str(request["path"]), "rb") as file:
        data = file.read()
    image, problem = _decoded(data, int(request["pixels_max"]))
    lines = _read(_engine(request), image, report, 0)
    return {"lines": lines, "width": image.width, "height": image.height, "problem": problem}


def recognised_pdf(request: Mapping[str, Any], report: Report) -> dict[str, Any]:
    """The lines of the images on the pages of a PDF. Places are those within the page's image."""
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    engine = _engine(request)
    lines: list[Line] = []
    problem = ""
    width = height = 0
    try:
        pages = PdfReader(str(request["path"])).pages
        if len(pages) > PAGES_MAX:
            problem = f"only the first {PAGES_MAX} of {len(pages)} pages were read"
        for number in range(min(len(pages), PAGES_MAX)):
            for data in _page_images(pages[number]):
                image, _ = _decoded(data, int(request["pixels_max"]))
                width, height = max(width, image.width), max(height, image.height)
                lines += _read(engine, image, report, number + 1)
            report(number + 1, len(pages))
    except (PyPdfError, ValueError, KeyError, AttributeError, RecursionError, NotImplementedError) as broken:
        if not lines:
            what = f"The PDF cannot be read: {str(broken)[:120]}."
            raise Invalid(what, hint="Save it again, or give its pages as PNG.", field="path") from broken
        problem = "the PDF is damaged, and was read as far as it goes"
    return {"lines": lines[:LINES_MAX], "width": width, "height": height, "problem": problem}


def _page_images(page: Any) -> Iterator[bytes]:
    for at, name in enumerate(page.images.keys()):
        if at >= PAGE_IMAGES_MAX:
            return
        data = page.images[name].data
        header = image_header(data)
        if header and min(header.width, header.height) >= SMALLEST:
            yield data


def _engine(request: Mapping[str, Any]) -> Any:
    from rapidocr import RapidOCR

    threads = int(request["threads"])
    settings = {
        "Global.log_level": "critical",
        "Global.text_score": SCORE_MIN,
        "Global.max_side_len": TILE_SIDE,
        "EngineConfig.onnxruntime.intra_op_num_threads": threads,
    }
    return RapidOCR(params=settings)


def _decoded(data: bytes, pixels_max: int) -> tuple[Image, str]:
    """The image as it is seen: turned as its camera says, and on white where it is transparent."""
    from PIL import Image, ImageFile, ImageOps

    header = image_header(data)
    if header is None:
        raise Invalid("It is no image that can be read.", hint=_HINT, field="path")
    if header.pixels > pixels_max:
        raise TooLarge(f"It has {header.pixels:,} pixels; at most {pixels_max:,} are read.", field="path")
    Image.MAX_IMAGE_PIXELS = pixels_max
    problem = ""
    try:
        image = Image.open(io.BytesIO(data), formats=_FORMATS)
        try:
            image.load()
        except (OSError, SyntaxError):
            problem = "it is damaged, and was read as far as it goes"
            ImageFile.LOAD_TRUNCATED_IMAGES = True
            image = Image.open(io.BytesIO(data), formats=_FORMATS)
            image.load()
        return _on_paper(ImageOps.exif_transpose(image) or image), problem
    except (OSError, SyntaxError, ValueError, EOFError, Image.DecompressionBombError) as broken:
        raise Invalid("It is no image that can be read.", hint=_HINT, field="path") from broken


def _on_paper(image: Image) -> Image:
    """Without transparency. Light letters are put on a dark ground, dark ones on a light one."""
    from PIL import Image, ImageStat

    if "A" not in image.getbands() and "transparency" not in image.info:
        return image.convert("RGB")
    seen = image.convert("RGBA")
    alpha = seen.getchannel("A")
    drawn = alpha.point(lambda value: 255 if value else 0)
    light = ImageStat.Stat(seen.convert("L"), mask=drawn).mean[0] if alpha.getbbox() else 0
    paper = Image.new("RGBA", seen.size, "black" if light > 170 and alpha.getextrema()[0] == 0 else "white")
    return Image.alpha_composite(paper, seen).convert("RGB")


def _read(engine: Any, image: Image, report: Report, page: int) -> list[Line]:
    import numpy as np

    tiles = list(_tiles(image.width, image.height))
    found: list[Line] = []
    for number, (left, top, right, bottom) in enumerate(tiles, 1):
        piece = image.crop((left, top, right, bottom))
        scale = min(1.0, TILE_SIDE / max(piece.size))
        if scale < 1:
            piece = piece.resize((max(1, round(piece.width * scale)), max(1, round(piece.height * scale))))
        seen = engine(np.asarray(piece)[:, :, ::-1])
        if seen.boxes is not None and seen.txts is not None:
            for box, text, score in zip(seen.boxes, seen.txts, seen.scores, strict=True):
                across, down = [float(p[0]) / scale + left for p in box], [float(p[1]) / scale + top for p in box]
                x, y = round(min(across)), round(min(down))
                line = [str(text).strip(), x, y, round(max(across)) - x, round(max(down)) - y, page, float(score)]
                if line[0]:
                    _keep(found, line)
        if not page:
            report(number, len(tiles))
    return found[:LINES_MAX]


def _tiles(width: int, height: int) -> Iterator[tuple[int, int, int, int]]:
    for top, bottom in _spans(height, TILE_HEIGHT):
        for left, right in _spans(width, TILE_WIDTH):
            yield left, top, right, bottom


def _spans(length: int, most: int) -> Iterator[tuple[int, int]]:
    """A length in overlapping parts; one that is only a little longer stays whole."""
    if length <= most + OVERLAP:
        yield 0, length
        return
    begin = 0
    while begin + most < length:
        yield begin, begin + most
        begin += most - OVERLAP
    yield begin, length


def _keep(found: list[Line], line: Line) -> None:
    """Add a line, unless another tile has it already: then the longer of the two stays."""
    for at, other in enumerate(found):
        if _shared(other, line) > SAME_SHARE:
            if len(line[0]) > len(other[0]):
                found[at] = line
            return
    found.append(line)


def _shared(one: Line, other: Line) -> float:
    """How much of the smaller of two boxes lies in the other."""
    across = min(one[1] + one[3], other[1] + other[3]) - max(one[1], other[1])
    down = min(one[2] + one[4], other[2] + other[4]) - max(one[2], other[2])
    smaller = min(one[3] * one[4], other[3] * other[4])
    return across * down / smaller if across > 0 and down > 0 and smaller > 0 else 0.0
