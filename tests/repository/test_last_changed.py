"""When files were last committed."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.repository.last_changed import last_changed

from .conftest import Git


def test_the_newest_commit_of_each_file_counts(repository: Path, git: Git) -> None:
    (repository / "new.txt").write_text("new")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "second", GIT_COMMITTER_DATE="@1800000000 +0000")
    found = last_changed(repository, ["file.txt", "new.txt", "none.txt"])
    assert found == {"file.txt": 1772445600, "new.txt": 1800000000}


@pytest.mark.parametrize("seconds", ["253402300800", "99999999999999", "9223372036854775807"])
def test_impossible_times_are_left_out_and_the_rest_is_told(repository: Path, git: Git, seconds: str) -> None:
    (repository / "file.txt").write_text("changed")
    (repository / "other.txt").write_text("other")
    git(repository, "add", "other.txt")
    git(repository, "commit", "--quiet", "--message", "other", GIT_COMMITTER_DATE="@1800000000 +0000")
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "again")
    changed_tree, before = git(repository, "rev-parse", "HEAD^{tree}").strip(), git(repository, "rev-parse", "HEAD~")
    who = f"a <a@example.org> {seconds} +0000"
    raw = repository.parent / "raw"
    raw.write_text(f"tree {changed_tree}\nparent {before.strip()}\nauthor {who}\ncommitter {who}\n\nOdd\n")
    commit = git(repository, "hash-object", "-t", "commit", "--literally", "-w", str(raw)).strip()
    git(repository, "update-ref", "HEAD", commit)
    assert last_changed(repository, ["file.txt", "other.txt"]) == {"other.txt": 1800000000}


def test_where_there_is_no_repository_nothing_is_told(tmp_path: Path) -> None:
    assert last_changed(tmp_path, ["a.md"]) == {}
