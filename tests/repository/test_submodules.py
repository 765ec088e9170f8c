"""Submodules in the diff: between which commits one went, and what is not committed in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from marrow.repository import submodules
from marrow.repository.diff import FileDiff, current_diff

from .conftest import Git


@pytest.fixture
def outer(repository: Path, git: Git, tmp_path: Path) -> Path:
    """A repository with a submodule `inner` in the folder `parts`, committed."""
    git(tmp_path, "init", "--quiet", "outer")
    folder = tmp_path / "outer"
    git(folder, "submodule", "--quiet", "add", str(repository), "parts/inner")
    git(folder, "commit", "--quiet", "--message", "outer")
    return folder


def only(folder: Path) -> FileDiff:
    (found,) = current_diff(folder).files
    return found


def head(git: Git, folder: Path) -> str:
    return git(folder, "rev-parse", "HEAD")[:10]


def commit(git: Git, folder: Path, name: str) -> None:
    (folder / name).write_text(f"{name}\n")
    git(folder, "add", ".")
    git(folder, "commit", "--quiet", "--message", name)


def test_changes_that_are_not_committed_in_a_submodule_are_told_as_its_own(outer: Path, git: Git) -> None:
    inner = outer / "parts" / "inner"
    assert current_diff(outer).files == ()
    (inner / "file.txt").write_text("other\n")
    (inner / "new.txt").write_text("new\n")
    found = only(outer)
    assert (found.path, found.what, found.left_out) == (
        "parts/inner",
        "submodule modified",
        "changes of its own: 1 file changed, 1 new",
    )
    assert (found.is_staged, found.is_unstaged, found.hunks) == (False, True, ())


def test_a_submodule_at_another_commit_says_which_and_how_far_it_went(outer: Path, git: Git) -> None:
    inner = outer / "parts" / "inner"
    before = head(git, inner)
    commit(git, inner, "one.txt")
    commit(git, inner, "two.txt")
    assert only(outer).left_out == f"from {before} to {head(git, inner)} (2 commits on)"
    (inner / "new.txt").write_text("new\n")
    assert only(outer).left_out == f"from {before} to {head(git, inner)} (2 commits on); changes of its own: 1 new"
    git(outer, "add", ".")
    (inner / "new.txt").unlink()
    staged = only(outer)
    assert (staged.is_staged, staged.is_unstaged) == (True, False)
    assert staged.left_out == f"from {before} to {head(git, inner)} (2 commits on)"


def test_a_submodule_that_went_back_or_to_another_line_says_so(outer: Path, git: Git) -> None:
    inner = outer / "parts" / "inner"
    first = head(git, inner)
    commit(git, inner, "one.txt")
    second = head(git, inner)
    git(outer, "commit", "--quiet", "--all", "--message", "on")
    git(inner, "checkout", "--quiet", first)
    assert only(outer).left_out == f"from {second} to {first} (1 commit back)"
    commit(git, inner, "two.txt")
    assert only(outer).left_out == f"from {second} to {head(git, inner)} (1 commit back, 1 commit on)"


def test_a_commit_that_is_not_here_is_named_without_how_far_it_is(outer: Path, git: Git) -> None:
    inner = outer / "parts" / "inner"
    gone = "1" * 40
    git(outer, "update-index", "--cacheinfo", f"160000,{gone},parts/inner")
    git(outer, "commit", "--quiet", "--message", "elsewhere")
    assert only(outer).left_out == f"from {gone[:10]} to {head(git, inner)}"


def test_a_submodule_that_came_or_went_is_told_as_that(outer: Path, repository: Path, git: Git) -> None:
    commit_of_inner = head(git, repository)
    git(outer, "submodule", "--quiet", "add", str(repository), "second")
    by_path = {file.path: file for file in current_diff(outer).files}
    assert (by_path["second"].what, by_path["second"].left_out) == ("submodule added", f"at {commit_of_inner}")
    git(outer, "commit", "--quiet", "--message", "second")
    shutil.rmtree(outer / "second")
    assert (only(outer).what, only(outer).left_out) == ("submodule deleted", f"was at {commit_of_inner}")
    (outer / "second").write_text("a file now\n")
    assert only(outer).left_out == f"was at {commit_of_inner}, and is no submodule now"


def test_a_file_whose_place_a_submodule_takes_is_said_to_have_been_there(
    outer: Path, repository: Path, git: Git
) -> None:
    commit(git, outer, "second")
    git(outer, "rm", "--quiet", "second")
    git(outer, "submodule", "--quiet", "add", str(repository), "second")
    found = {file.path: file for file in current_diff(outer).files}["second"]
    assert found.left_out == f"was a file, at {head(git, repository)}"


@pytest.mark.parametrize(
    ("ignore", "told"), [("dirty", ""), ("all", ""), ("untracked", "1 file changed"), ("none", "1 new")]
)
def test_what_a_repository_leaves_out_of_its_submodules_is_left_out(
    outer: Path, git: Git, ignore: str, told: str
) -> None:
    git(outer, "config", "--file", ".gitmodules", "submodule.parts/inner.ignore", ignore)
    git(outer, "commit", "--quiet", "--all", "--message", "ignore")
    (outer / "parts" / "inner" / "file.txt").write_text("other\n")
    (outer / "parts" / "inner" / "new.txt").write_text("new\n")
    found = current_diff(outer).files
    assert bool(found) == bool(told)
    assert told in "".join(file.left_out for file in found)


@pytest.mark.parametrize("damage", ["gone", "elsewhere", "empty", "no head", "a link", "not checked out"])
def test_a_submodule_that_cannot_be_looked_at_stops_nothing(outer: Path, git: Git, tmp_path: Path, damage: str) -> None:
    inner, modules = outer / "parts" / "inner", outer / ".git" / "modules" / "parts" / "inner"
    (inner / "file.txt").write_text("other\n")
    (outer / "beside.txt").write_text("new\n")
    if damage == "gone":
        shutil.rmtree(modules)
    elif damage == "elsewhere":
        (inner / ".git").write_text("gitdir: /nowhere/at/all\n")
    elif damage == "empty":
        (inner / ".git").unlink()
        (inner / ".git").mkdir()
    elif damage == "no head":
        (modules / "HEAD").write_text("ref: refs/heads/never\n")
    elif damage == "a link":
        inner.rename(tmp_path / "moved")
        inner.symlink_to(tmp_path / "moved")
    else:
        shutil.rmtree(inner)
        inner.mkdir()
    assert "beside.txt" in {file.path for file in current_diff(outer).files}


@pytest.mark.parametrize(
    "text", ["", "[submodule", '[submodule "x"]\n\tpath = ../..\n', '[submodule "x"]\n\tpath = .\n']
)
def test_a_list_of_submodules_that_is_none_stops_nothing(outer: Path, git: Git, text: str) -> None:
    (outer / ".gitmodules").write_text(text)
    (outer / "parts" / "inner" / "file.txt").write_text("other\n")
    assert [file.path for file in current_diff(outer).files] == [".gitmodules"]


def test_a_repository_that_only_lies_where_a_submodule_is_named_is_none(outer: Path, git: Git) -> None:
    git(outer, "init", "--quiet", "third")
    (outer / ".gitmodules").write_text('[submodule "third"]\n\tpath = third\n\turl = x\n')
    git(outer, "commit", "--quiet", "--all", "--message", "named")
    (outer / "third" / "new.txt").write_text("new\n")
    assert not any(file.what.startswith("submodule") for file in current_diff(outer).files)


def test_nothing_that_a_submodule_configures_is_run(outer: Path, git: Git, tmp_path: Path) -> None:
    inner, mark = outer / "parts" / "inner", tmp_path / "ran"
    (inner / ".gitattributes").write_text("* filter=evil\n")
    for name in ("filter.evil.clean", "core.fsmonitor"):
        git(inner, "config", name, f"touch {mark}; cat")
    (inner / "file.txt").write_text("other\n")
    assert "changes of its own" in only(outer).left_out
    assert not mark.exists()


def test_what_was_found_in_time_is_told_though_the_time_is_over_then(
    outer: Path, git: Git, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(outer, "submodule", "--quiet", "add", str(repository), "parts/late")
    git(outer, "commit", "--quiet", "--message", "late")
    for name in ("inner", "late"):
        (outer / "parts" / name / "new.txt").write_text("new\n")
    usual = submodules._own_changes

    def slow(root: str, path: str, until: float, *, is_seen_whole: bool) -> str:
        told = usual(root, path, until, is_seen_whole=is_seen_whole)
        monkeypatch.setattr(submodules.time, "monotonic", lambda: until + 1)
        return told

    monkeypatch.setattr(submodules, "_own_changes", slow)
    assert only(outer).path == "parts/inner"
