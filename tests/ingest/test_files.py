"""One file, whatever it is: the right reader, or the reason why it is left out."""

from __future__ import annotations

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.ingest.files import read_file
from marrow.ingest.item import Item, Skipped
from marrow.model.draft import occurrence_of, standing_of
from marrow.model.moments import MICROS_PER_DAY
from marrow.model.node import METADATA_BYTES_MAX
from marrow.model.standing import DOMAINS
from marrow.model.text import clean

from .formats.made import docx_of, laughs, notebook_of, paragraph, pdf_of, zip_of

NOW = 1_780_000_000_000_000  # in May 2026
ADR = "# 1. Use SQLite\n\nDate: 2026-03-01\n\n## Status\n\nAccepted\n\n## Context\n\nx\n\n## Decision\n\ny\n"


def item_of(path: str, data: bytes | str, **about: str) -> Item:
    (found,) = read_file(path, data.encode() if isinstance(data, str) else data, now=NOW, **about)
    assert isinstance(found, Item), found
    return found


def reason(path: str, data: bytes | str) -> str:
    (found,) = read_file(path, data.encode() if isinstance(data, str) else data, now=NOW)
    assert isinstance(found, Skipped), found
    assert found.path == path
    return found.reason


def test_code_is_kept_as_it_is_with_its_language() -> None:
    data = b"def f():\n    return 1\n"
    found = item_of("src/app.py", data, service="shop")
    assert (found.draft.kind, found.draft.content, found.draft.service) == ("code", data.decode(), "shop")
    assert found.draft.metadata == {"path": "src/app.py", "title": "app.py", "language": "python"}
    assert (found.path, found.size, found.problem) == ("src/app.py", len(data), "")
    assert found.digest == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.go", "go"), ("a.tsx", "tsx"), ("Rakefile", "ruby"), ("a.ex", "elixir"), ("Dockerfile",
        "dockerfile"),
        ("deploy/Dockerfile.prod", "dockerfile"), ("main.tf", "hcl"), ("a.yaml", "yaml"), ("package.json",
        "json"),
        ("Makefile", "make"), ("requirements.txt", "requirements"), ("api.proto", "protobuf"), ("go.mod",
        "go module"),
    ],
)  # fmt: skip
def test_languages_that_the_map_does_not_read_are_code_too(path: str, language: str) -> None:
    found = item_of(path, "value = 1\n")
    assert (found.draft.kind, found.draft.metadata["language"]) == ("code", language)


@pytest.mark.parametrize(
    ("first", "language"),
    [
        ("#!/bin/sh", "bash"),
        ("#!/usr/bin/env python3.11", "python"),
        ("#!/usr/bin/env -S node --x", "javascript"),
        ("#! /usr/bin/perl -w", "perl"),
    ],
)
def test_a_program_without_a_suffix_is_known_by_its_first_line(first: str, language: str) -> None:
    found = item_of("bin/run", f"{first}\nx = 1\n")
    assert (found.draft.kind, found.draft.metadata["language"]) == ("code", language)


def test_a_name_without_a_suffix_may_be_prose() -> None:
    assert item_of("docs/NOTES", "What we know.\n").draft.kind == "document"


def test_a_renamed_file_has_the_same_content() -> None:
    assert item_of("a/x.py", "y = 1\n").draft.content == item_of("b/z.py", "y = 1\n").draft.content


def test_lines_are_numbered_from_where_the_content_begins() -> None:
    assert item_of("a.py", "\n\nx = 1\n").draft.metadata["first_line"] == 3
    assert "first_line" not in item_of("a.py", "x = 1\n").draft.metadata


@pytest.mark.parametrize(
    ("path", "root", "known", "anchored"),
    [
        ("src/a.py", "", "src/a.py", []),
        ("src/a.py", "/repo", "src/a.py", ["src/a.py"]),
        ("/repo/src/a.py", "/repo", "src/a.py", ["src/a.py"]),
        ("/repo/src/a.py", "/repo/", "src/a.py", ["src/a.py"]),
        ("/elsewhere/a.py", "/repo", "/elsewhere/a.py", []),
        ("/repository/a.py", "/repo", "/repository/a.py", []),
        ("../a.py", "/repo", "../a.py", []),
        ("./src/a.py", "/repo", "src/a.py", ["src/a.py"]),
        ("src\\a.py", "/repo", "src/a.py", ["src/a.py"]),
    ],
)
def test_only_files_inside_the_project_are_anchored(path: str, root: str, known: str, anchored: list[str]) -> None:
    found = item_of(path, "x = 1\n", root=root)
    assert found.path == known
    assert [anchor.target for anchor in found.draft.anchors] == anchored


def test_documents_say_what_their_form_says() -> None:
    found = item_of(
        "docs/a.md", "---\ntitle: How\ndate: 2026-03-01\nstatus: draft\ntags: [ops]\n---\n# Other\n\ntext\n"
    )
    assert (found.draft.kind, found.draft.tags) == ("document", ("ops",))
    assert found.draft.metadata == {
        "path": "docs/a.md", "title": "How", "format": "markdown", "date": "2026-03-01", "status": "draft",
    }  # fmt: skip
    assert f"{found.draft.at:%Y-%m-%d}" == "2026-03-01"


def test_a_future_date_is_kept_as_said_and_never_as_the_time_of_saying() -> None:
    found = item_of("a.md", "---\ndate: 2031-01-01\n---\nA plan.\n")
    assert found.draft.at is None
    assert found.draft.metadata["date"] == "2031-01-01"


def test_the_callers_title_goes_first() -> None:
    assert item_of("a.md", "# Own\n\ntext\n", title="Given").draft.metadata["title"] == "Given"


@pytest.mark.parametrize(
    ("path", "text", "title"),
    [
        ("CHANGELOG.md", "TBD\n===\nNot yet.\n", "CHANGELOG"),
        ("CHANGELOG.md", "# v156.0 (In progress)\n\nx\n", "CHANGELOG"),
        ("docs/Release_Notes.md", "## [3.5.41](https://x.org/a...b) (2026-08-05)\n\nx\n", "Release_Notes"),
        ("CHANGES.rst", "Unreleased\n==========\n\nx\n", "CHANGES"),
        ("CHANGELOG.md", "# Change Log\n\n## 1.0\n", "Change Log"),
        ("HISTORY.md", "# History of the press\n\nx\n", "History of the press"),
        ("notes.md", "# 3.5 things to know\n\nx\n", "3.5 things to know"),
    ],
)
def test_a_changelog_is_not_called_by_its_latest_version(path: str, text: str, title: str) -> None:
    assert item_of(path, text).draft.metadata["title"] == title


def test_decisions_and_incidents_are_known() -> None:
    assert item_of("docs/adr/0001-x.md", ADR).draft.kind == "decision"
    assert item_of("docs/adr/README.md", "# Our decisions\n\nA list.\n").draft.kind == "document"
    assert item_of("postmortems/2026-03-01.md", "# Down\n\nIt broke.\n").draft.kind == "incident"
    assert (
        item_of("docs/adr/0001-x.html", "<h1>1. Use SQLite</h1><h2>Status</h2><p>Accepted</p>").draft.metadata["status"]
        == "accepted"
    )


def test_notebooks_word_files_and_pdfs_are_documents() -> None:
    notebook = item_of("a.ipynb", notebook_of({"cell_type": "markdown", "source": "# Study"}))
    assert (notebook.draft.kind, notebook.draft.metadata["format"]) == ("document", "notebook")
    assert item_of("a.docx", docx_of(paragraph("Plan", "Heading1"))).draft.metadata["title"] == "Plan"
    pdf = item_of("a.pdf", pdf_of(["Hello", "there"]))
    assert (pdf.draft.metadata["pages"], "[page 2]\nthere" in pdf.draft.content) == (2, True)


@pytest.mark.parametrize(
    ("path", "data", "why"),
    [
        (".env", "KEY=1", "secrets"),
        ("conf/id_rsa", "x", "secrets"),
        (".aws/config", "x", "secrets"),
        (".git/config", "x", "git"),
        ("a.py", "", "empty"),
        ("a.md", " \n\t\n", "empty"),
        ("docs/adr/0002-pears.md", "# \n", "no text"),
        ("package-lock.json", "{}", "generated"),
        ("api_pb2.py", "x = 1", "generated"),
        ("node_modules/x/README.md", "# x", "generated"),
        ("src/gen.go", "// Code generated by x. DO NOT EDIT.\npackage x\n", "generated"),
        ("app.js", "var a=1;" * 3_000, "minified"),
        ("a.py", b"x = 1\0\0\0" * 50, "binary"),
        ("a.so", b"\x7fELF....", "program"),
        ("a.class", b"text", "binary"),
        ("logo.png", b"\x89PNG\r\n\x1a\n", "picture"),
        ("flow.svg", laughs("svg", "<svg>&l9;</svg>"), "it is a picture"),
        ("talk.vtt", "WEBVTT\n\n00:01 --> 00:02\nhi\n", "it is a recording or its transcript"),
        ("app.log", "ERROR x\n", "it is a log"),
        ("a.zip", zip_of({"x": "y"}), "archive"),
        ("fuzz/testdata/fuzz/FuzzParse/d40a98862ed393eb", "go test fuzz v1\nstring(1)\n", "test data"),
        ("tests/fixtures/answer.json", "{}", "test data"),
        ("certs/server.key.insecure", "-----BEGIN RSA PRIVATE KEY-----\nx\n", "keys"),
        ("expected.golden", "x", "leave behind"),
        ("dumps/world", "[1, 2]", "test data"),
        ("attachments/world", "[1, 2] " * 50_000, "data"),
        ("big.json", json.dumps(list(range(60_000))), "data"),
    ],
)
def test_what_is_left_out_says_why(path: str, data: bytes | str, why: str) -> None:
    assert why in reason(path, data)


def test_prose_that_only_speaks_of_generated_code_is_read() -> None:
    assert item_of("docs/a.md", "# Codegen\n\nThe client is automatically generated.\n").draft.kind == "document"
    assert item_of("/home/ada/build/report.md", "# Report\n\ntext\n").draft.kind == "document"


def test_a_huge_source_is_cut_and_that_is_said() -> None:
    found = item_of("a.py", "x = 'some value'  # and a remark\n" * 60_000)
    assert len(found.draft.content.encode()) <= 1024 * 1024
    assert "only the first" in found.problem


def test_code_in_another_encoding_is_read_and_that_is_said() -> None:
    found = item_of("a.py", "# Grüße\nx = 1\n".encode("cp1252"))
    assert found.draft.content.startswith("# Grüße")
    assert "windows-1252" in found.problem


PATHS = st.sampled_from(
    [
        "a.py",
        "a.md",
        "docs/adr/0001-x.md",
        "postmortems/x.md",
        "a.html",
        "a.rst",
        "a.ipynb",
        "x",
        "a.docx",
        "a.yaml",
        "adr/1-é.txt",
    ]
)
TEXTS = st.one_of(
    st.binary(max_size=300),
    st.text(max_size=300).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.lists(
        st.sampled_from(["# 1. X\n", "---\n", "status: ", "date: 2026-02-30\n", "tags: [a,,'', \x07]\n",
        "## Status\n", "Accepted ",
                         "superseded by ", "[x](", "0001-x.md)", "* Date: ", "9999-99-99", "\ud800", "é",
                         "| a | b |\n", "\n"]),
        max_size=30,
    ).map(lambda parts: "".join(parts).encode("utf-8", "surrogatepass")),
)  # fmt: skip


@given(PATHS, TEXTS)
def test_whatever_stands_in_a_file_the_door_takes_what_is_made_of_it(path: str, data: bytes) -> None:
    for found in read_file(path, data, root="/repo", service="shop", now=NOW):
        if isinstance(found, Skipped):
            assert found.reason
            continue
        assert clean(found.draft.content)
        said = occurrence_of(found.draft, NOW)
        assert len(said.metadata.encode()) < METADATA_BYTES_MAX
        assert said.at <= NOW + MICROS_PER_DAY
        standing_of(found.draft, DOMAINS, NOW)


SPOKEN = "WEBVTT\n\n00:01.000 --> 00:04.000\n<v Ada>We bake at 200.\n\n00:05.000 --> 00:07.000\n<v Joe>I will.\n"
MINUTES = "# Kiln sync\n\nAttendees: Ada, Joe\n\n## Decisions\n\n- We bake at 200.\n"
TALK = "Ada: Hello.\nJoe: We bake at 200.\nAda: Good, I will tell the others.\nJoe: Bye.\n"


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("talks/2026-03-02-kiln.vtt", SPOKEN),
        ("meetings/2026-03-02-kiln.md", MINUTES),
        ("docs/Minutes/kiln.md", MINUTES),
        ("docs/2026-03-02-standup.md", MINUTES),
        ("notes/2026-03-02 transcript.txt", TALK),
        ("meetings/2026-03-02-kiln.txt", "kiln, telegram style\n- we bake at 200\n"),
    ],
)
def test_subtitles_transcripts_and_minutes_of_a_repository_are_meetings(path: str, text: str) -> None:
    found = item_of(path, text, service="shop")
    assert (found.draft.kind, found.draft.service, found.path) == ("meeting", "shop", path)
    assert found.draft.metadata["path"] == path
    assert ("2026-03-02" in path) == (found.draft.metadata.get("date") == "2026-03-02")


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("meetings/README.md", "# How we meet\n\nEvery Monday at ten.\n"),
        ("meetings/index.md", "# Meetings\n\n- [2026-03-02](kiln.md)\n"),
        ("minutes/minutes-template.md", "# Minutes of DATE\n\nAttendees: NAME, OTHER NAME\n"),
        ("meetings/CONTRIBUTING.md", "# How to add minutes\n\nAttendees: you, me\n"),
        ("docs/minutes.md", "# How many minutes a kiln takes\n\nNinety.\n"),
        ("docs/2026-03-02-kiln.md", MINUTES),
        ("tests/fixtures/meetings/kiln.md", MINUTES),
    ],
)
def test_what_only_has_the_name_of_a_meeting_is_a_document(path: str, text: str) -> None:
    assert item_of(path, text).draft.kind == "document"


@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        ("chats/one.jsonl", '{"type":"user","message":{"role":"user"},"sessionId":"a"}\n', "it is a conversation"),
        ("export/general/2026-03-02.json", '[\n {"user": "U1", "ts": "1772445600.000100"}]', "it is a conversation"),
        ("logs/app.jsonl", '{"ts": "2026-03-02T10:00:00Z", "level": "info", "event": "start"}\n', "it is a log"),
    ],
)
def test_what_was_said_or_logged_as_data_is_for_its_own_reader(path: str, text: str, why: str) -> None:
    assert reason(path, text) == why


@pytest.mark.parametrize("path", ["data/rows.jsonl", "data/2026-03-02.json"])
def test_other_data_is_read_as_it_was(path: str) -> None:
    assert item_of(path, '{"name": "kiln", "heat": 200}\n').draft.kind == "code"


@pytest.mark.parametrize(
    ("path", "text", "title"),
    [
        ("docs/cache-keys.md", "# Overview\n\nKeys.\n", "cache keys"),
        ("docs/cache.md", "# **Background**\n\n# Keys\n\nThey.\n", "cache"),
        ("docs/cache.md", "# 1. Introduction <!-- omit in toc -->\n\nThey.\n", "cache"),
        ("docs/cache.md", "---\ntitle: Keys of a cache\n---\n\n# Goals\n\nThey.\n", "Keys of a cache"),
        ("docs/overview.md", "# Overview\n\nKeys.\n", "Overview"),
        ("README.md", "# Introduction\n\nA shop.\n", "Introduction"),
        (".github/PULL_REQUEST_TEMPLATE.md", "<!--\nSay why.\n-->\n\nCloses:\n", "PULL_REQUEST_TEMPLATE.md"),
        ("hack/boilerplate.go.txt", "/*\nCopyright The Authors.\n*/\n", "boilerplate.go.txt"),
        ("docs/a.md", "# Labels <!-- new -->\n\nThey.\n", "Labels"),
    ],
)
def test_a_sections_name_or_a_comment_is_no_title(path: str, text: str, title: str) -> None:
    assert item_of(path, text).draft.metadata["title"] == title
