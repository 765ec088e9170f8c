"""When a proposal or a manual is from and how it stands, as the lines at its top say."""

from __future__ import annotations

import time

import pytest

from marrow.ingest.adr import read_adr
from marrow.ingest.files import read_file
from marrow.ingest.formats.header import head_fields
from marrow.ingest.item import Item

RUST = """- Feature Name: `const_generics`
- Start Date: 2018-03-11
- RFC PR: [rust-lang/rfcs#2000](https://github.com/rust-lang/rfcs/pull/2000)

# Summary
[summary]: #summary

Allow constants.
"""
REACT = "- Start Date: 2018-10-25\n- RFC PR: (leave this empty)\n\n# Summary\n\nHooks.\n\n# Motivation\n\nx\n"
EMBER = "---\nstage: accepted\nstart-date: 2018-03-11T00:00:00.000Z\nteams:\n  - framework\n---\n\n# Octane\n\nx\n"
PEP = """PEP: 572
Title: Assignment Expressions
Author: Ann Lee <ann@example.org>,
        Bob Fox <bob@example.org>
Status: Final
Created: 12-Mar-2019
Last-Updated: 4 Apr 2020


Abstract
========

x
"""
ASCIIDOC = "= Guide\nAnn Lee <ann@example.org>\nv1.0, 2020-01-02: First\n:status: draft\n\n== Context\n\nx\n"
REVDATE = "= Guide\n:toc:\n:revdate: 2020-01-02\n:status: draft\n\n== Context\n\nx\n"
KEP_OLD = """---
title: Sidecar
authors:
  - "@ann"
creation-date: 2018-05-14
last-updated: 2019-06-21
status: implemented
---

# Sidecar

## Summary

x
"""
KEP = "title: Sidecar\nkep-number: 753\nstatus: implemented\ncreation-date: 2018-05-14\nlast-updated: 2019-06-21\n"
BOLD = "# Cache\n\n**Status:** Draft\n**Created:** 2020-01-02\n\nx\n"


def taken(path: str, text: str) -> Item:
    (item,) = read_file(path, text.encode())
    assert isinstance(item, Item)
    return item


@pytest.mark.parametrize(
    ("path", "text", "title", "date", "changed", "status"),
    [
        ("docs/2000-const-generics.md", RUST, "const_generics", "2018-03-11", None, None),
        ("docs/0068-react-hooks.md", REACT, "0068 react hooks", "2018-10-25", None, None),
        ("docs/0418-octane.md", EMBER, "Octane", "2018-03-11T00:00:00Z", None, None),
        ("pep-0572.rst", PEP, "Assignment Expressions", "2019-03-12", "2020-04-04", "Final"),
        ("pep-0572.txt", PEP, "Assignment Expressions", "2019-03-12", "2020-04-04", "Final"),
        ("docs/guide.adoc", ASCIIDOC, "Guide", "2020-01-02", None, "draft"),
        ("docs/guide.adoc", REVDATE, "Guide", "2020-01-02", None, "draft"),
        ("docs/0753-sidecar.md", KEP_OLD, "Sidecar", "2018-05-14", "2019-06-21", "implemented"),
        ("keps/753-sidecar/kep.yaml", KEP, "Sidecar", "2018-05-14", "2019-06-21", "implemented"),
        ("docs/cache.md", BOLD, "Cache", "2020-01-02", None, "Draft"),
    ],
)
def test_a_header_says_when_a_document_is_from_and_how_it_stands(
    path: str, text: str, title: str, date: str, changed: str | None, status: str | None
) -> None:
    draft = taken(path, text).draft
    assert draft.kind == "document"
    assert draft.at is not None
    assert draft.at.isoformat()[:10] == date[:10]
    said = draft.metadata
    assert (said["title"], said["date"], said.get("changed"), said.get("status")) == (title, date, changed, status)


@pytest.mark.parametrize(
    ("path", "text", "date", "status"),
    [
        ("rfcs/0418-octane.md", EMBER, "2018-03-11", "accepted"),
        ("text/0418-octane.md", EMBER, "2018-03-11", "accepted"),
        ("text/2000-const-generics.md", RUST, "2018-03-11", ""),
        ("text/0068-react-hooks.md", REACT, "2018-10-25", ""),
        ("keps/sig-node/0753-sidecar.md", KEP_OLD, "2018-05-14", "accepted"),
        ("docs/adr/use-postgres.adoc", REVDATE.replace("draft", "accepted"), "2020-01-02", "accepted"),
        ("docs/adr/use-postgres.adoc", ASCIIDOC.replace("draft", "accepted"), "2020-01-02", "accepted"),
        ("rfcs/0753-sidecar.md", KEP_OLD, "2018-05-14", "accepted"),
        ("rfcs/0753-sidecar.md", KEP_OLD.replace("implemented", "provisional"), "2018-05-14", "proposed"),
        ("docs/adr/2000-const-generics.md", RUST, "2018-03-11", ""),
    ],
)
def test_of_a_decision_too(path: str, text: str, date: str, status: str) -> None:
    adr = read_adr(path, text)
    assert adr.date is not None
    assert (taken(path, text).draft.metadata["date"])[:10] == date
    assert adr.status == status


def test_settings_are_no_document() -> None:
    text = "title: Shop\nstatus: on\nserver:\n  port: 80\n"
    assert taken("config.yaml", text).draft.kind == "code"


@pytest.mark.parametrize(
    "text",
    [
        "# Guide\n\nThe status: it is done.\n\nDate: 2020-01-02\n",
        "# Guide\n\nSome words.\n\n## Status: done\n\nCreated: 2020-01-02\n",
        "A sentence.\nAnother one.\nStatus: done\n",
    ],
)
def test_what_stands_further_down_is_no_header(text: str) -> None:
    assert head_fields(text) == {}


def test_hostile_headers_take_no_time_to_speak_of() -> None:
    begin = time.perf_counter()
    for line in ("a" + " " * 100_000, "- " * 50_000, "v1" + "." * 100_000, "*" * 100_000, "Date:" + " " * 100_000):
        head_fields(f"= T\nAnn\n{line}\n")
        head_fields("\n".join([line] * 50))
    assert time.perf_counter() - begin < 1
