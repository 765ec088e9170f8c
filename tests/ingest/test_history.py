"""Commit messages become drafts, with their time and without their signatures."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from marrow.ingest.history import (
    FILES_ANCHORED_MAX,
    FILES_NAMED_MAX,
    MESSAGE_LENGTH_MAX,
    commit_items,
    hash_in,
    unread,
)
from marrow.model.draft import Draft

from .conftest import Commit


def history(root: Path, limit: int = 100) -> list[Draft]:
    return [item.draft for item in commit_items(root, limit=limit, anchored=False)]


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
    assert [draft.content for draft in history(root)] == ["B", "A\n\nBecause: it broke.\n\nFixes: #12"]


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


def test_a_commit_item_has_its_files_pinned_and_named(root: Path, commit: Commit) -> None:
    (root / "src").mkdir()
    for name in ("a.py", "b.py"):
        (root / "src" / name).write_text("x", encoding="utf-8")
    commit("Pin the fonts (#12)\n\nReports differed, see OPS-7.")
    (item,) = commit_items(root, service="reports")
    draft = item.draft
    assert draft.content == "Pin the fonts (#12)\n\nReports differed, see OPS-7."
    assert [(a.type, a.target) for a in draft.anchors[1:]] == [("file", "src/a.py"), ("file", "src/b.py")]
    assert draft.anchors[0].type == "commit"
    assert item.path == f"commit:{draft.metadata['commit']}"
    assert hash_in(item.path) == draft.metadata["commit"]
    assert (draft.metadata["files"], draft.metadata["files_changed"]) == (["src/a.py", "src/b.py"], 2)
    assert (draft.metadata["pull_request"], draft.metadata["references"]) == (12, ["#12", "OPS-7"])
    assert (draft.metadata["title"], draft.service) == ("Pin the fonts (#12)", "reports")


def test_a_commit_of_another_repository_has_no_files_pinned(root: Path, commit: Commit) -> None:
    (root / "a.py").write_text("x", encoding="utf-8")
    commit("Add it")
    (item,) = commit_items(root, anchored=False)
    assert [a.type for a in item.draft.anchors] == ["commit"]
    assert item.draft.metadata["files"] == ["a.py"]


def test_a_commit_that_touches_everything_is_bounded(root: Path, commit: Commit) -> None:
    for number in range(100):
        (root / f"f{number:03d}").write_text("x", encoding="utf-8")
    commit("Take it all in")
    (item,) = commit_items(root)
    assert len(item.draft.anchors) == 1 + FILES_ANCHORED_MAX
    assert len(item.draft.metadata["files"]) == FILES_NAMED_MAX  # type: ignore[arg-type]
    assert item.draft.metadata["files_changed"] == 100


def test_known_commits_are_not_read_again(root: Path, commit: Commit) -> None:
    commit("one", "2026-01-01T00:00:00Z")
    commit("two", "2026-01-02T00:00:00Z")
    known = {str(item.draft.metadata["commit"]) for item in commit_items(root)}
    assert unread(root, known) == 0
    commit("three", "2026-01-03T00:00:00Z")
    assert unread(root, known) == 1
    assert [item.draft.content for item in commit_items(root, known=known)] == ["three"]
    since = datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert [item.draft.content for item in commit_items(root, since=since)] == ["three", "two"]
