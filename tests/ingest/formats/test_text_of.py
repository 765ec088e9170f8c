"""The door to all formats: prose as it stands, encodings, and what is refused with a reason."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.ingest.formats.text import Text, bounded
from marrow.ingest.formats.text_of import FILE_BYTES_MAX, text_of
from marrow.ingest.item import Skipped
from marrow.model.text import clean

from .made import zip_of


def read(path: str, data: bytes | str, limit: int = 1024 * 1024) -> Text:
    found = text_of(path, data.encode() if isinstance(data, str) else data, limit)
    assert isinstance(found, Text), found
    return found


def refused(path: str, data: bytes) -> str:
    found = text_of(path, data)
    assert isinstance(found, Skipped), found
    assert found.path == path
    return found.reason


def test_markdown_keeps_every_line_and_its_front_matter_is_read() -> None:
    top = '---\ntitle: "Deploying: how"\ndate: 2026-03-01 # draft\nstatus: draft\n'
    top += 'tags: [a, "b c"]\nowners:\n  - ada\n---\n'
    text = f"{top}# Other\n\nBody.\n"
    found = read("docs/a.md", text)
    assert found.text == text
    assert (found.title, found.date, found.status) == ("Deploying: how", "2026-03-01", "draft")
    assert found.fields["tags"] == ["a", "b c"]
    assert found.fields["owners"] == ["ada"]
    assert [(one.level, one.text, one.line) for one in found.headings] == [(1, "Other", 9)]


def test_toml_front_matter_is_read_too() -> None:
    found = read("a.md", '+++\ntitle = "T"\ndate = 2026-03-01\ntags = ["x"]\n+++\nbody\n')
    assert (found.title, found.date, found.fields["tags"]) == ("T", "2026-03-01", ["x"])


def test_a_ruler_at_the_top_is_no_front_matter() -> None:
    found = read("a.md", "---\n\nJust prose between rulers.\n\n---\n\n# Title\n")
    assert found.fields == {}
    assert found.title == "Title"


def test_headings_inside_fences_are_code_and_underlined_ones_count() -> None:
    found = read("a.md", "Title\n=====\n\n```sh\n# no heading\n```\n\nPart\n----\n\n### Deep ###\n\n- item\n---\n")
    assert [(one.level, one.text) for one in found.headings] == [(1, "Title"), (2, "Part"), (3, "Deep")]


def test_restructured_text_has_levels_by_first_use_and_fields() -> None:
    found = read(
        "a.rst",
        "=====\nTitle\n=====\n\n:Status: Accepted\n:Date: 2026-03-01\n\nPart\n----\n\nSub\n~~~\n\nPart 2\n------\n",
    )
    assert [(one.level, one.text) for one in found.headings] == [(1, "Title"), (2, "Part"), (3, "Sub"), (2, "Part 2")]
    assert (found.title, found.status, found.date) == ("Title", "Accepted", "2026-03-01")


def test_asciidoc_and_plain_text_have_titles() -> None:
    assert read("a.adoc", "= The title\n:date: 2026-03-01\n\n== Part\n").title == "The title"
    assert read("NOTES", "First line\n\nrest\n").title == "First line"


@pytest.mark.parametrize(
    ("encoded", "said"),
    [
        ("Grüße – “x”".encode(), "Grüße – “x”"),
        ("Grüße".encode("utf-8-sig"), "Grüße"),
        ("Grüße an alle".encode("utf-16"), "Grüße an alle"),
        ("Grüße an alle".encode("utf-16-le"), "Grüße an alle"),
        ("Grüße an alle".encode("utf-16-be"), "Grüße an alle"),
        ("Grüße an alle".encode("utf-32"), "Grüße an alle"),
        (
            "これはテストです。日本語の文章をここに書きます。".encode("shift_jis"),
            "これはテストです。日本語の文章をここに書きます。",
        ),
        (
            "これはテストです。日本語の文章をここに書きます。".encode("euc_jp"),
            "これはテストです。日本語の文章をここに書きます。",
        ),
        ("Grüße, “Zitat” €".encode("cp1252"), "Grüße, “Zitat” €"),
        (b"caf\xe9 \x81", "café"),
    ],
)
def test_encodings_are_worked_out(encoded: bytes, said: str) -> None:
    assert read("a.txt", encoded).text.rstrip("\x81 ") == said


def test_a_guessed_encoding_and_replaced_characters_are_said() -> None:
    assert "windows-1252" in read("a.txt", "Grüße an die Leute".encode("cp1252")).problem
    damaged = read("a.txt", "Grüße über Äpfel öffnen süß".encode() + b" \xff end")
    assert "1 characters that are no UTF-8 were replaced" in damaged.problem
    assert "Grüße über" in damaged.text
    assert read("a.txt", "Grüße").problem == ""


def test_a_declared_encoding_is_believed_if_it_is_one_of_text() -> None:
    assert read("a.py.txt", "# -*- coding: iso-8859-2 -*-\n# zażółć".encode("iso-8859-2")).text.endswith("zażółć")
    assert "no bomb" in read("a.html", b"<meta charset='zip'><p>no bomb \xe9</p>").text


def test_binary_data_is_refused_whatever_its_name() -> None:
    assert "binary" in refused("a.md", b"abc\0def" * 100)
    assert "binary" in refused("a.txt", bytes(range(1, 9)) * 50)
    assert "picture" in refused("a.md", b"\x89PNG\r\n\x1a\n" + b"x" * 40)


def test_a_few_control_characters_are_left_out_and_said() -> None:
    found = read("a.txt", "hello " * 50 + "\x01\x02 world")
    assert "\x01" not in found.text
    assert "2 control characters" in found.problem
    assert bounded("x" * 100 + "\x01").problem == "1 control character was left out"
    assert bounded("x" * 100 + "\ud800").problem == "1 character that is no Unicode was replaced"


@pytest.mark.parametrize("name", ["a.zip", "a.tar.gz", "a.7z", "a.jar", "a.whl", "a"])
def test_archives_are_refused_by_name_or_by_their_bytes(name: str) -> None:
    assert "archive" in refused(name, zip_of({"x": "y"}))


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n", b"\n" * 100_000])
def test_empty_files_are_refused(data: bytes) -> None:
    assert refused("a.md", data) == "it is empty"


def test_pointers_and_office_files_are_refused_with_what_to_do() -> None:
    assert "Git LFS" in refused("a.md", b"version https://git-lfs.github.com/spec/v1\noid sha256:1\n")
    assert "save it as DOCX" in refused("a.xlsx", b"PK\x03\x04")


def test_a_long_text_is_cut_at_a_line_and_that_is_said() -> None:
    found = read("a.txt", "äöü line of text\n" * 100_000, limit=10_000)
    assert len(found.text.encode()) <= 10_000
    assert found.text.endswith("line of text")
    assert "only the first" in found.problem


def test_an_endless_line_is_cut_in_its_midst() -> None:
    found = read("a.txt", "ä" * 3_000_000)
    assert 1_000_000 < len(found.text.encode()) <= 1024 * 1024


def test_a_file_beyond_all_measure_is_not_even_decoded() -> None:
    assert "bytes; at most" in refused("a.txt", b"x" * (FILE_BYTES_MAX + 1))


@given(
    st.binary(min_size=1, max_size=400),
    st.sampled_from([".md", ".html", ".rst", ".ipynb", ".docx", ".svg", ".adoc", ""]),
)
def test_any_bytes_give_a_text_that_can_be_kept_or_a_reason(data: bytes, suffix: str) -> None:
    found = text_of(f"a{suffix}", data)
    if isinstance(found, Text):
        assert clean(found.text)
    else:
        assert found.reason


@given(st.text(min_size=1, max_size=400), st.sampled_from([".md", ".html", ".rst", ".adoc", ".txt"]))
def test_any_text_gives_a_text_that_can_be_kept_or_a_reason(text: str, suffix: str) -> None:
    found = text_of(f"a{suffix}", text.encode("utf-8", "surrogatepass"))
    assert clean(found.text) if isinstance(found, Text) else found.reason  # either is something
