"""PDF page by page, and every way in which a PDF cannot be read."""

from __future__ import annotations

import pytest

from marrow.ingest.formats.pdf import MISSING, pdf
from marrow.ingest.formats.text import Text
from marrow.ingest.formats.text_of import text_of
from marrow.ingest.item import Skipped

from .made import encrypted_pdf, pdf_of


def refused(data: bytes) -> str:
    found = text_of("a.pdf", data)
    assert isinstance(found, Skipped), found
    return found.reason


def test_pages_are_marked_so_that_one_can_be_named() -> None:
    found = text_of(
        "a.pdf", pdf_of(["First page", "Second page"], "/Title (The report) /CreationDate (D:20260301140000Z)")
    )
    assert isinstance(found, Text)
    assert found.text == "[page 1]\nFirst page\n\n[page 2]\nSecond page\n"
    assert (found.pages, found.title, found.problem) == (2, "The report", "")
    assert found.date.startswith("2026-03-01")


@pytest.mark.parametrize("info", ["", "/Title (Microsoft Word - plan.docx)", "/Title (untitled)", "/Title (plan.tex)"])
def test_one_without_a_title_of_its_own_is_called_by_its_first_line(info: str) -> None:
    found = text_of("a.pdf", pdf_of(["The plan for spring", "More"], info))
    assert isinstance(found, Text)
    assert found.title == "The plan for spring"


def test_a_pdf_by_another_name_is_known_by_its_beginning() -> None:
    found = text_of("report.txt", pdf_of(["Hello"]))
    assert isinstance(found, Text)
    assert found.format == "pdf"


def test_one_with_a_password_is_refused_and_one_that_opens_without_is_read() -> None:
    assert "encrypted" in refused(encrypted_pdf("secret"))
    found = text_of("a.pdf", encrypted_pdf(""))
    assert isinstance(found, Text)
    assert "hidden" in found.text


def test_empty_ones_and_pictures_are_refused() -> None:
    assert "no pages" in refused(pdf_of([]))
    assert "no text" in refused(pdf_of(["", ""]))


@pytest.mark.parametrize(
    "data",
    [
        b"%PDF-1.7\n" + b"\xff" * 5_000,
        b"%PDF-1.4\nxref\n0 1\ntrailer << /Root 1 0 R >>\nstartxref\n9\n%%EOF",
        pdf_of(["x"])[:200],
        pdf_of(["x"]).replace(b"/Kids [4 0 R]", b"/Kids [2 0 R]"),
        pdf_of(["x"]).replace(b"/Type /Catalog /Pages 2 0 R", b"/Type /Catalog /Pages 1 0 R"),
        b"%PDF-1.4\n" + b"<<" * 20_000,
    ],
    ids=["noise", "no root", "cut off", "its own child", "its own pages", "deep"],
)
def test_broken_ones_are_refused_with_a_reason(data: bytes) -> None:
    assert "PDF" in refused(data)


def test_what_only_claims_to_be_one_is_refused() -> None:
    assert "no PDF" in refused(b"<html>not found</html>")


def test_a_reader_that_takes_too_long_is_ended() -> None:
    found = pdf("a.pdf", pdf_of(["x"]), seconds=0.001)
    assert isinstance(found, Skipped)
    assert "took more than" in found.reason


def test_without_the_extra_it_says_which_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("marrow.ingest.formats.pdf.find_spec", lambda name: None)
    assert refused(pdf_of(["x"])) == MISSING
