"""DOCX as Markdown, and archives and XML that would grow beyond all measure."""

from __future__ import annotations

import struct

import pytest

from marrow.ingest.formats.text import Text
from marrow.ingest.formats.text_of import text_of
from marrow.ingest.item import Skipped

from .made import W, docx_of, laughs, paragraph, zip_of

TABLE = (
    "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Name</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>Value</w:t></w:r></w:p></w:tc></w:tr>"
    "<w:tr><w:tc><w:p><w:r><w:t>a|b</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
)
STYLES = f'<w:styles {W}><w:style w:styleId="berschrift2"><w:name w:val="heading 2"/></w:style></w:styles>'
CORE = (
    '<cp:coreProperties xmlns:cp="c" xmlns:dc="d" xmlns:dcterms="t"><dc:title>The plan</dc:title>'
    "<dc:creator>Ada</dc:creator>"
    "<dcterms:modified>2026-03-01T10:00:00Z</dcterms:modified></cp:coreProperties>"
)


def read(data: bytes) -> Text:
    found = text_of("a.docx", data)
    assert isinstance(found, Text), found
    return found


def refused(data: bytes) -> str:
    found = text_of("a.docx", data)
    assert isinstance(found, Skipped), found
    return found.reason


def test_headings_lists_and_tables_are_kept() -> None:
    body = paragraph("Title of it", "Heading1") + paragraph("Teil", "berschrift2") + paragraph("Prose &amp; more")
    body += paragraph("one", level=0) + paragraph("inner", level=1) + TABLE + paragraph("end")
    found = read(docx_of(body, {"word/styles.xml": STYLES, "docProps/core.xml": CORE}))
    assert found.text == (
        "# Title of it\n\n## Teil\n\nProse & more\n\n- one\n  - inner\n| Name | Value |\n| a\\|b | 1 |\n\nend"
    )
    assert (found.title, found.date, found.fields) == ("The plan", "2026-03-01T10:00:00Z", {"author": "Ada"})


def test_deleted_text_is_left_out_and_footnotes_follow() -> None:
    body = "<w:p><w:del><w:r><w:t>old</w:t></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins></w:p>"
    notes = f"<w:footnotes {W}>{paragraph('a note')}</w:footnotes>"
    assert read(docx_of(body, {"word/footnotes.xml": notes})).text == "new\n\na note"


def test_a_document_without_text_is_refused() -> None:
    assert "no text" in refused(docx_of(paragraph("")))


def test_entities_that_grow_are_refused() -> None:
    data = docx_of("<w:p><w:r><w:t>&l9;</w:t></w:r></w:p>", prologue=laughs("w:document", ""))
    assert "entities" in refused(data)


def test_a_drawing_with_entities_that_grow_is_refused_and_a_sound_one_gives_its_texts() -> None:
    hostile = laughs("svg", "<svg><text>&l9;</text></svg>").encode()
    found = text_of("a.svg", hostile)
    assert isinstance(found, Skipped)
    assert "entities" in found.reason
    svg = b"<svg xmlns='s'><title>Flow</title><style>x</style><text>API <tspan>gateway</tspan></text>"
    svg += b"<text>Queue</text></svg>"
    sound = text_of("a.svg", svg)
    assert isinstance(sound, Text)
    assert (sound.title, sound.text) == ("Flow", "API gateway\nQueue")


def test_an_external_entity_is_not_fetched() -> None:
    prologue = '<!DOCTYPE w:document [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
    assert "entities" in refused(docx_of("<w:p><w:r><w:t>&x;</w:t></w:r></w:p>", prologue=prologue))


def test_a_part_that_unpacks_beyond_all_measure_is_refused_while_it_is_unpacked() -> None:
    assert "unpacks to more than" in refused(zip_of({"word/document.xml": b"<a>" + b" " * (80 * 1024 * 1024)}))


def test_deep_nesting_is_refused() -> None:
    assert "nested" in refused(docx_of("<w:p>" * 5_000 + "</w:p>" * 5_000))


@pytest.mark.parametrize(
    "data",
    [
        b"PK\x03\x04" + b"\0" * 60,
        b"no zip at all",
        zip_of({"other.xml": "<a/>"}),
        docx_of("<w:p>")[:-30],
        docx_of("<w:p></w:x>"),
        bytes.fromhex("d0cf11e0a1b11ae1") + b"\0" * 500,
    ],
    ids=["cut", "no zip", "no document", "cut off", "bad xml", "old form"],
)
def test_broken_ones_are_refused_with_a_reason(data: bytes) -> None:
    assert "DOCX" in refused(data) or "encrypted" in refused(data)


def test_an_encrypted_part_is_refused() -> None:
    data = bytearray(docx_of(paragraph("x")))
    at = 0
    while (at := data.find(b"PK\x01\x02", at)) >= 0:
        flags = struct.unpack_from("<H", data, at + 8)[0]
        struct.pack_into("<H", data, at + 8, flags | 1)
        at += 4
    assert "encrypted" in refused(bytes(data))
