"""Documents become passages: by heading, short enough, and with what they are about."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from marrow.ingest.document import PASSAGE_LENGTH_MAX, documents, passages

from .conftest import Commit


def texts(markdown: str) -> list[tuple[tuple[str, ...], str]]:
    return [(passage.headings, passage.text) for passage in passages(markdown)]


def test_each_heading_begins_a_passage_that_knows_the_headings_above_it() -> None:
    found = texts("# A\n\none\n\n## B\ntwo\n\n### C\n\nthree\n\n## D #\n\nfour\n")
    assert found == [
        (("A",), "one"),
        (("A", "B"), "two"),
        (("A", "B", "C"), "three"),
        (("A", "D"), "four"),
    ]


def test_underlined_headings_are_headings_and_rules_are_not() -> None:
    assert texts("Title\n=====\n\none\n\nPart\n----\ntwo\n\n---\nthree") == [
        (("Title",), "one"),
        (("Title", "Part"), "two\n\n---\nthree"),
    ]
    assert texts("- a list\n---\nnext") == [((), "- a list\n---\nnext")]


def test_a_heading_inside_code_is_code() -> None:
    markdown = "# A\n\n```sh\n# not a heading\n~~~\n# nor this\n```\n\n## B\n\nend\n"
    assert [headings for headings, _ in texts(markdown)] == [("A",), ("A", "B")]
    assert "# nor this" in texts(markdown)[0][1]


def test_front_matter_comments_badges_and_bare_tags_say_nothing() -> None:
    markdown = (
        "---\ntitle: x\n---\n# A\n\n[![build](https://a/b.svg)](https://a) ![x](y.png)\n<p align='center'>\n"
        "<!-- hidden\n# note -->\nwhat it is\n</p>\n"
    )
    assert texts(markdown) == [(("A",), "what it is")]


def test_a_heading_without_text_is_no_passage() -> None:
    assert texts("# A\n\n## B\n\n") == texts("") == texts("   \n\n") == []


def test_a_long_section_is_split_between_paragraphs() -> None:
    paragraphs = [f"paragraph {number} " + "word " * 100 for number in range(8)]
    found = texts("# A\n\n" + "\n\n".join(paragraphs))
    assert len(found) > 2
    assert all(len(text) <= PASSAGE_LENGTH_MAX and headings == ("A",) for headings, text in found)
    assert all(text.startswith("paragraph ") for _, text in found)


@given(st.text(st.sampled_from("ab #=-`~\n\t<>![]()é日"), max_size=4000))
def test_no_passage_is_too_long_or_empty_and_no_word_is_lost(markdown: str) -> None:
    found = list(passages(markdown))
    assert all(0 < len(passage.text) <= PASSAGE_LENGTH_MAX and passage.text.strip() for passage in found)
    plain = "".join(mark for mark in markdown if mark in "éab日" or mark == "\n")
    if not set(markdown) & set("#=-<![`~"):  # nothing that could be a heading, a comment or a badge
        assert "".join(passage.text for passage in found).count("日") == plain.count("日")


def test_one_long_line_is_cut_at_a_space() -> None:
    found = texts("word " * 1000)
    assert all(len(text) <= PASSAGE_LENGTH_MAX and set(text.split()) == {"word"} for _, text in found)
    assert sum(len(text.split()) for _, text in found) == 1000
    assert [len(text) for _, text in texts("x" * 4000)] == [1500, 1500, 1000]


@pytest.mark.parametrize(
    ("name", "is_read"),
    [
        ("README.md", True),
        ("readme", True),
        ("README.rst", True),
        ("docs/guide.md", True),
        ("docs/deep/er/guide.markdown", True),
        ("doc/a.MD", True),
        ("docs/code.py", False),
        ("notes.md", False),
        ("src/README.md", False),
        ("README.png", False),
    ],
)
def test_which_files_count(root: Path, commit: Commit, name: str, is_read: bool) -> None:
    (root / name).parent.mkdir(parents=True, exist_ok=True)
    (root / name).write_text("Some text.\n", encoding="utf-8")
    commit("x")
    assert [draft.metadata["path"] for draft in documents(root)] == ([name] if is_read else [])


def test_a_draft_says_where_it_comes_from(root: Path, commit: Commit) -> None:
    (root / "docs").mkdir()
    (root / "docs" / "a:b.md").write_text("# Deploying\n\n## When\n\nOn Tuesdays.\n", encoding="utf-8-sig")
    commit("x")
    (draft,) = documents(root)
    assert draft.content == "Deploying › When\n\nOn Tuesdays."
    assert (draft.kind, draft.source) == ("document", "document")
    assert draft.metadata == {"path": "docs/a:b.md", "heading": "Deploying › When"}
    assert [(anchor.type, anchor.target) for anchor in draft.anchors] == [("file", "docs/a:b.md")]


def test_what_git_does_not_track_or_only_points_to_is_not_read(root: Path, commit: Commit, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("a key", encoding="utf-8")
    (root / "docs").mkdir()
    (root / "docs" / "link.md").symlink_to(tmp_path / "secret.md")
    (root / "docs" / "bytes.md").write_bytes(b"\xff\xfe ok \x00\n")
    commit("x")
    (root / "docs" / "new.md").write_text("not yet tracked", encoding="utf-8")
    assert [draft.metadata["path"] for draft in documents(root)] == ["docs/bytes.md"]
