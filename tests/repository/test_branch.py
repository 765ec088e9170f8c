"""Where a working tree stands: branches, detached heads, worktrees, empty, bare and shallow repositories."""

from __future__ import annotations

from pathlib import Path

import pytest

from marrow.model.errors import Invalid
from marrow.repository.branch import current_branch
from marrow.repository.head import head_of, repository_at

from .conftest import Git


def commit(git: Git, folder: Path, name: str) -> str:
    (folder / name).write_text(name)
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", f"add {name}")
    return git(folder, "rev-parse", "HEAD").strip()


@pytest.fixture
def clone(repository: Path, git: Git, tmp_path: Path) -> Path:
    git(tmp_path, "clone", "--quiet", str(repository), "clone")
    return tmp_path / "clone"


def test_a_branch_that_follows_nothing_has_no_distance(repository: Path, git: Git) -> None:
    found = current_branch(repository)
    assert (found.name, found.upstream, found.ahead, found.behind) == ("main", "", None, None)
    assert found.commit == git(repository, "rev-parse", "HEAD").strip()


def test_ahead_and_behind_are_counted_against_the_upstream(repository: Path, clone: Path, git: Git) -> None:
    commit(git, clone, "mine.txt")
    commit(git, clone, "mine-too.txt")
    commit(git, repository, "theirs.txt")
    assert (current_branch(clone).ahead, current_branch(clone).behind) == (2, 0)
    git(clone, "fetch", "--quiet")
    found = current_branch(clone)
    assert (found.upstream, found.ahead, found.behind) == ("origin/main", 2, 1)


def test_what_moves_is_seen_although_distances_are_kept(clone: Path, git: Git) -> None:
    assert current_branch(clone).ahead == 0
    commit(git, clone, "one.txt")
    assert current_branch(clone).ahead == 1
    git(clone, "reset", "--quiet", "--hard", "HEAD~1")
    assert current_branch(clone).ahead == 0


def test_an_upstream_that_is_gone_leaves_the_distance_open(clone: Path, git: Git) -> None:
    git(clone, "update-ref", "-d", "refs/remotes/origin/main")
    found = current_branch(clone)
    assert found.upstream == "origin/main"
    assert found.ahead is None


def test_a_detached_head_has_a_commit_and_no_name(repository: Path, git: Git) -> None:
    git(repository, "checkout", "--quiet", "--detach")
    found = current_branch(repository)
    assert found.is_detached
    assert found.name == ""
    assert found.commit == git(repository, "rev-parse", "HEAD").strip()


def test_before_the_first_commit_there_is_a_branch_without_one(tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "--quiet", "empty")
    found = current_branch(tmp_path / "empty")
    assert (found.name, found.commit, found.is_detached) == ("main", "", False)


def test_a_worktree_has_its_own_branch_and_name(repository: Path, git: Git, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "--quiet", "-b", "other", str(tmp_path / "beside"))
    commit(git, tmp_path / "beside", "new.txt")
    found = current_branch(tmp_path / "beside")
    assert (found.name, found.worktree) == ("other", "beside")
    assert found.commit != current_branch(repository).commit
    assert current_branch(repository).worktree == ""


def test_a_submodule_is_a_repository_of_its_own_and_no_worktree(repository: Path, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "outer")
    outer = tmp_path / "outer"
    git(outer, "submodule", "--quiet", "add", str(repository), "inner")
    git(outer, "commit", "--quiet", "--message", "outer")
    found = current_branch(outer / "inner")
    assert found.commit == current_branch(repository).commit
    assert found.worktree == ""


def test_a_bare_repository_says_so(repository: Path, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), "bare.git")
    found = current_branch(tmp_path / "bare.git")
    assert found.is_bare
    assert found.commit == current_branch(repository).commit


def test_a_shallow_repository_says_so(repository: Path, git: Git, tmp_path: Path) -> None:
    commit(git, repository, "second.txt")
    git(tmp_path, "clone", "--quiet", "--depth", "1", f"file://{repository}", "shallow")
    assert current_branch(tmp_path / "shallow").is_shallow
    assert not current_branch(repository).is_shallow


def test_a_merge_that_was_not_ended_is_told(repository: Path, git: Git) -> None:
    git(repository, "checkout", "--quiet", "-b", "other")
    (repository / "file.txt").write_text("theirs\n")
    git(repository, "commit", "--quiet", "-a", "--message", "theirs")
    git(repository, "checkout", "--quiet", "main")
    (repository / "file.txt").write_text("ours\n")
    git(repository, "commit", "--quiet", "-a", "--message", "ours")
    with pytest.raises(Exception, match="merge"):
        git(repository, "merge", "other")
    assert current_branch(repository).under_way == "merge"


def test_packed_refs_are_read_too(repository: Path, git: Git) -> None:
    expected = git(repository, "rev-parse", "HEAD").strip()
    git(repository, "pack-refs", "--all", "--prune")
    assert not (repository / ".git" / "refs" / "heads" / "main").exists()
    assert head_of(repository_at(repository)).commit == expected


def test_very_many_packed_refs_are_left_to_git(repository: Path, git: Git) -> None:
    expected = git(repository, "rev-parse", "HEAD").strip()
    git(repository, "pack-refs", "--all", "--prune")
    packed = repository / ".git" / "packed-refs"
    lines = "".join(f"{expected} refs/tags/t{number:06}\n" for number in range(20_000))
    packed.write_text(packed.read_text() + lines)
    assert packed.stat().st_size > 1024 * 1024
    assert head_of(repository_at(repository)).commit == expected


def test_a_branch_with_slashes_keeps_its_whole_name(repository: Path, git: Git) -> None:
    git(repository, "checkout", "--quiet", "-b", "feature/a/b")
    assert current_branch(repository).name == "feature/a/b"


def test_a_folder_below_the_root_is_in_the_repository(repository: Path) -> None:
    (repository / "below").mkdir()
    assert current_branch(repository / "below").name == "main"


def test_a_folder_that_is_in_no_repository_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(Invalid) as caught:
            current_branch(folder)
        assert caught.value.field == "root"
