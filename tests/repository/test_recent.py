"""The latest commits, with how much each changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.model.errors import Invalid, Unavailable
from marrow.repository.recent import recent_commits

from .conftest import Git


def test_the_newest_come_first_with_their_counts(repository: Path, git: Git) -> None:
    (repository / "file.txt").write_text("a\nb\nc\n")
    (repository / "other.txt").write_text("x\n")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "second\n\nIt has a body\nof two lines.")
    second, first = recent_commits(repository)
    assert (second.subject, second.body) == ("second", "It has a body\nof two lines.")
    assert (second.files, second.added, second.removed) == (2, 4, 1)
    assert (first.subject, first.files, first.added, first.removed) == ("first", 1, 1, 0)
    assert second.author == "name of author"


def test_a_file_that_only_moved_is_one_file_without_changed_lines(repository: Path, git: Git) -> None:
    (repository / "file.txt").write_text("a\nb\nc\n")
    git(repository, "commit", "--quiet", "--all", "--message", "second")
    git(repository, "mv", "file.txt", "moved to.txt")
    (repository / "new.txt").write_text("x\n")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "third")
    third, second, _ = recent_commits(repository)
    assert (third.subject, third.files, third.added, third.removed) == ("third", 2, 1, 0)
    assert second.subject == "second"


def test_a_new_commit_is_seen_although_answers_are_kept(repository: Path, git: Git) -> None:
    assert len(recent_commits(repository, 5)) == 1
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "empty")
    newest, _ = recent_commits(repository, 5)
    assert (newest.subject, newest.files) == ("empty", 0)


def test_a_merge_is_marked_and_has_no_counts_of_its_own(repository: Path, git: Git) -> None:
    git(repository, "checkout", "--quiet", "-b", "side")
    (repository / "side.txt").write_text("side")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "side")
    git(repository, "checkout", "--quiet", "main")
    git(repository, "merge", "--quiet", "--no-ff", "--message", "joined", "side")
    newest = recent_commits(repository, 1)[0]
    assert newest.is_merge
    assert newest.files == 0


def test_a_binary_file_is_counted_without_lines(repository: Path, git: Git) -> None:
    (repository / "picture.bin").write_bytes(b"\0\1\2")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "binary")
    newest = recent_commits(repository, 1)[0]
    assert (newest.files, newest.added, newest.removed) == (1, 0, 0)


def test_empty_shallow_bare_and_detached_repositories_are_read(repository: Path, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "empty")
    assert recent_commits(tmp_path / "empty") == ()
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "second")
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{repository}", "shallow")
    assert [one.subject for one in recent_commits(tmp_path / "shallow")] == ["second"]
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), "bare.git")
    assert [one.subject for one in recent_commits(tmp_path / "bare.git")] == ["second", "first"]
    git(repository, "checkout", "--quiet", "--detach", "HEAD~1")
    assert [one.subject for one in recent_commits(repository)] == ["first"]


def test_a_shallow_repository_that_is_deepened_shows_more(repository: Path, git: Git, tmp_path: Path) -> None:
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "second")
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{repository}", "shallow")
    assert len(recent_commits(tmp_path / "shallow")) == 1
    git(tmp_path / "shallow", "fetch", "--quiet", "--unshallow")
    assert len(recent_commits(tmp_path / "shallow")) == 2


def test_a_partial_copy_is_read_without_counts_and_nothing_is_fetched(
    repository: Path, git: Git, tmp_path: Path
) -> None:
    git(repository, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", "--no-checkout", "--filter=blob:none", f"file://{repository}", "partial")
    (newest,) = recent_commits(tmp_path / "partial")
    assert (newest.subject, newest.files) == ("first", None)


@pytest.mark.parametrize("limit", [0, -1, 100_000])
def test_a_limit_out_of_bounds_is_refused(repository: Path, limit: int) -> None:
    with pytest.raises(Invalid) as caught:
        recent_commits(repository, limit)
    assert caught.value.field == "limit"


def test_without_git_on_the_machine_the_error_says_so(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")
    with pytest.raises(Unavailable) as caught:
        recent_commits(repository, 7)
    assert "git" in caught.value.hint
