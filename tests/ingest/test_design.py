"""Designs: what is written in an image or a drawing, in reading order, each line with its place."""

from __future__ import annotations

import pytest

from marrow.ingest.design import Design, design_item, is_design, place_at, seen_design, svg_design, text_design
from marrow.ingest.formats.text import Text
from marrow.ingest.item import Skipped
from marrow.ingest.reading_order import in_reading_order
from marrow.ingest.spot import spot_at
from marrow.model.node import METADATA_BYTES_MAX, metadata_text
from marrow.providers.sight import Box, Seen, SeenLine


def line(text: str, x: int, y: int, w: int = 0, h: int = 20, page: int = 0) -> SeenLine:
    return SeenLine(text, Box(x, y, w or 10 * len(text), h, page))


def ordered(*lines: SeenLine) -> list[str]:
    return [one.text for one in in_reading_order(lines)]


def test_rows_are_read_from_the_left_and_from_above() -> None:
    assert ordered(line("Save", 700, 102), line("Retry limit", 40, 100), line("5", 400, 98), line("Title", 40, 10)) == [
        "Title",
        "Retry limit",
        "5",
        "Save",
    ]


def test_words_that_stand_close_together_are_one_line() -> None:
    (found,) = in_reading_order([line("Hello", 40, 100, 50), line("world", 95, 101, 50)])
    assert (found.text, found.box) == ("Hello world", Box(40, 100, 105, 21))


def test_columns_of_prose_are_read_one_after_the_other() -> None:
    left = [line(f"left {n}", 40, 100 + 25 * n, 300) for n in range(4)]
    right = [line(f"right {n}", 400, 100 + 25 * n, 300) for n in range(4)]
    head = line("A page in two columns", 40, 20, 600)
    expected = ["A page in two columns", *(f"left {n}" for n in range(4)), *(f"right {n}" for n in range(4))]
    assert ordered(*right, *left, head) == expected


def test_pages_follow_each_other() -> None:
    assert ordered(line("second", 0, 0, page=2), line("first", 0, 500, page=1)) == ["first", "second"]


def test_each_line_of_the_content_has_its_place() -> None:
    found = seen_design(
        Seen((line("Export invoices", 40, 200), line("Billing", 40, 30)), 900, 300), path="a/check-out_v2.png"
    )
    assert found.content == "Billing\nExport invoices"
    assert found.title == "check out v2"
    item = design_item(found, path="a/check-out_v2.png", feature="the checkout", url="https://example.com/x")
    assert item.draft.kind == "design"
    assert item.draft.metadata["boxes"] == [[40, 30, 70, 20], [40, 200, 150, 20]]
    assert item.draft.metadata["feature"] == "the checkout"
    assert set(item.draft.aliases) == {"the checkout", "check out v2"}
    at = found.content.index("invoices")
    assert place_at(found.content, at, [list(box) for box in found.boxes]) == Box(40, 200, 150, 20)
    assert spot_at("design", found.content, at, item.draft.metadata) == "at x 40, y 200, 150 × 20"
    assert spot_at("meeting", "[00:01:00] Ann: hi", 14, {}) == "at 00:01:00"
    assert spot_at("document", "text", 0, item.draft.metadata) == ""


def test_a_place_that_is_not_known_is_none() -> None:
    assert place_at("one\ntwo", 5, [[1, 2, 3, 4]]) is None
    assert place_at("one", 0, [[1, 2]]) is None
    assert place_at("one", -1, [[1, 2, 3, 4]]) is None
    assert place_at("one", 9, [[1, 2, 3, 4]]) is None


def test_the_places_of_a_very_full_image_still_fit_into_metadata() -> None:
    lines = tuple(line(f"word {n}", 10_000 + n, 60_000 + 30 * n, page=99) for n in range(5_000))
    item = design_item(seen_design(Seen(lines, 70_000, 70_000), path="x.pdf"))
    assert item.draft.content.count("\n") == 4_999
    assert len(metadata_text(item.draft.metadata).encode()) <= METADATA_BYTES_MAX


def test_an_image_without_text_is_known_by_its_name_and_says_so() -> None:
    found = seen_design(Seen((), 10, 10), path="login-form.png")
    assert found.content == "login form"
    assert found.problem == "no text was recognised in it"


def test_a_description_comes_after_the_text_and_is_called_one() -> None:
    item = design_item(Design("Sign in", (Box(1, 2, 3, 4),)), description="A form.")
    assert item.draft.content == "Sign in\n\nDescription: A form."


SVG = b"""<?xml version="1.0"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300">
 <title>Order flow</title><style>text { fill: red }</style><script>alert("no")</script>
 <defs><text>hidden</text></defs>
 <g transform="translate(100, 50) scale(2)">
  <text x="10" y="20" font-size="10">Checkout <tspan>service</tspan></text>
 </g>
 <text x="5" y="250"><tspan x="5" dy="0">first</tspan><tspan x="5" dy="1.2em">second</tspan></text>
 <foreignObject x="300" y="20"><div>Queue &lt;1&gt;</div></foreignObject>
</svg>"""


def test_the_texts_of_a_drawing_are_read_where_they_stand() -> None:
    found = svg_design(SVG, path="order.svg")
    assert isinstance(found, Design)
    assert found.title == "Order flow"
    assert found.content.split("\n") == ["Queue <1>", "Checkout service", "first", "second"]
    assert found.boxes[1][:2] == (120, 70)
    assert (found.width, found.height) == (400, 300)


@pytest.mark.parametrize(
    "data",
    [
        b'<!DOCTYPE svg [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><svg><text>&b;</text></svg>',
        b'<!DOCTYPE svg [<!ENTITY f SYSTEM "file:///etc/passwd">]><svg><text>&f;</text></svg>',
        b"<svg><text>never closed",
        b"<html><text>no drawing</text></html>",
        b"",
        b"<svg>" * 5_000,
    ],
)
def test_a_drawing_that_is_hostile_or_broken_is_left_out_with_a_reason(data: bytes) -> None:
    found = svg_design(data, path="x.svg")
    assert isinstance(found, Skipped)
    assert found.reason


def test_numbers_that_no_drawing_has_do_no_harm() -> None:
    found = svg_design(
        b'<svg width="1e999"><g transform="scale(1e308) scale(1e308)"><text x="1e999" y="-1e999" font-size="1e999">far'
        b"</text></g></svg>"
    )
    assert isinstance(found, Design)
    assert found.content == "far"


def test_of_a_pdf_the_page_of_each_line_is_known() -> None:
    found = text_design(Text("[page 1]\nTitle\n[page 2]\nQueue sizes", "pdf", "Architecture", pages=2), path="a.pdf")
    item = design_item(found, path="a.pdf")
    assert spot_at("design", found.content, found.content.index("Queue"), item.draft.metadata) == "page 2"


def test_what_is_a_design_is_known_by_its_ending() -> None:
    assert is_design("A.PNG")
    assert not is_design("a.docx")
