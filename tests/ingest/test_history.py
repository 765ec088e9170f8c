"""Commit messages become drafts, with their time and without their signatures."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from marrow.ingest.history import MESSAGE_LENGTH_MAX, history

from .conftest import Commit


def test_a_commit_is_said_when_it_was_written(root: Path, commit: Commit) -> None:
    commit("Pin the fonts\n\nReports looked different on every machine.", "2024-05-06T07:08:09Z")
    (draft,) = history(root)
    assert draft.content == "Pin the fonts\n\nReports looked different on every machine."
    assert draft.at == datetime(2024, 5, 6, 7, 8, 9, tzinfo=UTC)
    assert (draft.kind, draft.domain, draft.source) == ("commit", "history", "git")
    assert draft.metadata["author"] == "Ada"
    assert [(a.type, a.target) for a in draft.anchors] == [("commit", draft.metadata["commit"])]


def test_trailers_are_left_out_and_sentences_with_colons_stay(root: Path, commit: Commit) -> None:
    commit("A\n\nBecause: it broke.\n\nSigned-off-by: Ada <a@b.c>\nCo-authored-by: Bo <b@b.c>\nFixes: #12\n")
    commit("B\n\nChange-Id: Iabc\n")
    assert [draft.content for draft in history(root)] == ["B", "A\n\nBecause: it broke."]


def test_a_merge_that_says_nothing_and_an_empty_message_are_left_out(root: Path, commit: Commit) -> None:
    commit("")
    commit("Merge branch 'main' into work")
    commit("Merge branch 'fonts'\n\nThey are pinned now.")
    assert [draft.content for draft in history(root)] == ["Merge branch 'fonts'\n\nThey are pinned now."]


def test_newest_first_and_no_more_than_asked_for(root: Path, commit: Commit) -> None:
    for number in range(5):
        commit(f"number {number}", f"2026-01-0{number + 1}T00:00:00Z")
    assert [draft.content for draft in history(root, 2)] == ["number 4", "number 3"]


def test_odd_messages_are_made_harmless(root: Path, commit: Commit) -> None:
    commit("bell \x07 and escape \x1b[31m\n\n" + "long " * 10_000)
    (draft,) = history(root)
    assert draft.content.startswith("bell  and escape [31m\n\nlong long")
    assert len(draft.content) <= MESSAGE_LENGTH_MAX


def test_a_repository_without_commits_has_none(root: Path) -> None:
    assert list(history(root)) == []
