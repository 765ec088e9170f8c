"""What differs in the working tree, and what changed lately."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from marrow.repository import working_tree as module
from marrow.repository.changed import changed_between
from marrow.repository.changed_lately import changed_lately
from marrow.repository.diff import current_diff
from marrow.repository.working_tree import Touched, working_tree

from .conftest import Git

LONG_AGO = datetime(2026, 1, 1, tzinfo=UTC)


def by_path(folder: Path) -> dict[str, Touched]:
    return {one.path: one for one in working_tree(folder).files}


def test_every_sort_of_difference_is_told_apart(repository: Path, git: Git) -> None:
    for name in ("gone.txt", "moved.txt", "both.txt"):
        (repository / name).write_text(f"the text of {name}\n" * 5)
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "more")
    (repository / "file.txt").write_text("changed\n")
    (repository / "gone.txt").unlink()
    git(repository, "mv", "moved.txt", "elsewhere.txt")
    (repository / "both.txt").write_text("staged\n")
    (repository / "staged.txt").write_text("new\n")
    git(repository, "add", "both.txt", "staged.txt")
    (repository / "both.txt").write_text("and not staged\n")
    (repository / "ünïcode name.txt").write_text("new\n")
    found = by_path(repository)
    assert {path: (one.what, one.is_staged, one.is_unstaged) for path, one in found.items()} == {
        "file.txt": ("modified", False, True),
        "gone.txt": ("deleted", False, True),
        "elsewhere.txt": ("renamed", True, False),
        "both.txt": ("modified", True, True),
        "staged.txt": ("added", True, False),
        "ünïcode name.txt": ("untracked", False, True),
    }
    assert found["elsewhere.txt"].before == "moved.txt"


def test_of_named_files_the_same_is_told_as_of_all(repository: Path, git: Git, monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("same.txt", "changed.txt", "gone.txt", "moved.txt", "[a-z]*.txt", "-q", ":(top)x")
    for name in names[:4]:
        (repository / name).write_text(f"the text of {name}\n" * 5)
    git(repository, "add", ".")
    git(repository, "commit", "--quiet", "--message", "more")
    for name in ("changed.txt", "untracked.txt", *names[4:]):
        (repository / name).write_text("other\n")
    (repository / "gone.txt").unlink()
    git(repository, "mv", "moved.txt", "elsewhere.txt")
    asked = [*names, "elsewhere.txt", "not there"]
    told = {one.path for one in working_tree(repository, asked).files}
    assert told == {"changed.txt", "gone.txt", "elsewhere.txt", *names[4:]}
    monkeypatch.setattr(module, "NAMED_MAX", 2)  # too many to be named: all are looked at
    assert {one.path for one in working_tree(repository, asked).files} == told | {"untracked.txt"}


def test_ignored_files_are_not_told(repository: Path) -> None:
    (repository / ".gitignore").write_text("*.log\n")
    (repository / "noise.log").write_text("x")
    assert set(by_path(repository)) == {".gitignore"}


def test_a_conflict_is_told(repository: Path, git: Git) -> None:
    git(repository, "checkout", "--quiet", "-b", "other")
    (repository / "file.txt").write_text("theirs\n")
    git(repository, "commit", "--quiet", "-a", "--message", "theirs")
    git(repository, "checkout", "--quiet", "main")
    (repository / "file.txt").write_text("ours\n")
    git(repository, "commit", "--quiet", "-a", "--message", "ours")
    with pytest.raises(Exception, match="merge"):
        git(repository, "merge", "other")
    assert by_path(repository)["file.txt"].what == "conflict"


def test_a_submodule_at_another_commit_is_told_as_such(repository: Path, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet", "outer")
    outer = tmp_path / "outer"
    git(outer, "submodule", "--quiet", "add", str(repository), "inner")
    git(outer, "commit", "--quiet", "--message", "outer")
    (outer / "inner" / "file.txt").write_text("changed inside\n")
    assert by_path(outer) == {}
    git(outer / "inner", "commit", "--quiet", "-a", "--message", "inside")
    assert by_path(outer)["inner"].is_submodule


def test_a_bare_repository_has_nothing_that_differs(repository: Path, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), "bare.git")
    assert working_tree(tmp_path / "bare.git").files == ()


def test_a_flood_of_new_files_is_cut(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "UNTRACKED_MAX", 3)
    for number in range(10):
        (repository / f"new{number}.txt").write_text("x")
    found = working_tree(repository)
    assert (len(found.files), found.more) == (3, True)


def test_filters_that_a_repository_configures_are_not_run(repository: Path, git: Git, tmp_path: Path) -> None:
    trap, sprung = tmp_path / "trap", tmp_path / "sprung"
    trap.write_text(f"#!/bin/sh\ntouch {sprung}\ncat\n")
    trap.chmod(0o755)
    git(repository, "config", "filter.x.clean", str(trap))
    git(repository, "config", "filter.X y.process", str(trap))
    (repository / ".gitattributes").write_text("*.txt filter=x\n")
    (repository / "file.txt").write_text("texx\n")  # as long as it was, so that git must read it
    os.utime(repository / "file.txt", (1, 1))
    assert by_path(repository)["file.txt"].what == "modified"
    assert current_diff(repository).files[0].hunks[0].lines == ("-text", "+texx")
    assert not sprung.exists()
    git(repository, "status")
    assert sprung.exists()  # the trap is set, and git alone walks into it


HIDDEN = {
    "an equals sign in its name": '[filter "a=b"]\n\tclean = TRAP\n',
    "an include for a branch": '[includeIf "onbranch:**"]\n\tpath = hidden\n',
    "a remark that seems to go on": '[core]\n\tabbrev = 8 # \\\n[filter "a=b"]\n\tclean = TRAP\n',
}


@pytest.mark.parametrize("config", HIDDEN.values(), ids=HIDDEN.keys())
def test_a_filter_that_is_hidden_in_the_configuration_is_not_run(
    repository: Path, git: Git, tmp_path: Path, config: str
) -> None:
    trap, sprung = tmp_path / "trap", tmp_path / "sprung"
    trap.write_text(f"#!/bin/sh\ntouch {sprung}\ncat\n")
    trap.chmod(0o755)
    (repository / ".git" / "hidden").write_text(f'[filter "a=b"]\n\tclean = {trap}\n')
    with (repository / ".git" / "config").open("a") as file:
        file.write(config.replace("TRAP", str(trap)))
    (repository / ".gitattributes").write_text("*.txt filter=a=b\n")
    (repository / "file.txt").write_text("texx\n")
    os.utime(repository / "file.txt", (1, 1))
    assert by_path(repository)["file.txt"].what == "modified"
    assert current_diff(repository).files[0].hunks[0].lines == ("-text", "+texx")
    assert ("file.txt", "file.txt") in changed_between(repository, "HEAD")
    assert not sprung.exists()
    git(repository, "status")
    assert sprung.exists()


def test_a_filter_of_a_submodule_is_not_run(repository: Path, git: Git, tmp_path: Path) -> None:
    trap, sprung = tmp_path / "trap", tmp_path / "sprung"
    trap.write_text(f"#!/bin/sh\ntouch {sprung}\ncat\n")
    trap.chmod(0o755)
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), str(tmp_path / "other"))
    git(repository, "submodule", "--quiet", "add", str(tmp_path / "other"), "sub")
    git(repository, "commit", "--quiet", "--message", "a part")
    git(repository / "sub", "config", "filter.x.clean", str(trap))
    (repository / "sub" / ".gitattributes").write_text("*.txt filter=x\n")
    (repository / "sub" / "file.txt").write_text("texx\n")
    os.utime(repository / "sub" / "file.txt", (1, 1))
    assert changed_between(repository, "HEAD") == []
    assert not sprung.exists()
    git(repository, "status")
    assert sprung.exists()


def test_a_working_tree_that_the_repository_names_elsewhere_is_not_looked_at(
    repository: Path, git: Git, tmp_path: Path
) -> None:
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "file.txt").write_text("nobody's business\n")
    (tmp_path / "private" / "other.txt").write_text("neither\n")
    git(repository, "config", "core.worktree", str(tmp_path / "private"))
    assert by_path(repository) == {}
    assert current_diff(repository).files == ()


def test_changes_are_told_with_the_last_commit_that_made_them(repository: Path, git: Git) -> None:
    (repository / "file.txt").write_text("a\n")
    git(repository, "commit", "--quiet", "-a", "--message", "second")
    (repository / "new.txt").write_text("n\n")
    found = changed_lately(repository, LONG_AGO)
    new, file = found.files
    assert (new.path, new.pending, new.commit) == ("new.txt", "untracked", "")
    assert (file.path, file.what, file.subject, file.commits) == ("file.txt", "added", "second", 2)
    assert found.commits == 2


def test_commits_from_before_are_left_out_and_the_working_tree_is_not(repository: Path) -> None:
    (repository / "file.txt").write_text("changed\n")
    found = changed_lately(repository, datetime(2026, 6, 1, tzinfo=UTC))
    assert found.commits == 0
    assert [(one.path, one.pending) for one in found.files] == [("file.txt", "modified")]


def test_a_renamed_file_is_told_once_under_its_new_name(repository: Path, git: Git) -> None:
    (repository / "file.txt").write_text("a text that is long enough to be known again\n" * 3)
    git(repository, "commit", "--quiet", "-a", "--message", "longer")
    git(repository, "mv", "file.txt", "renamed.txt")
    git(repository, "commit", "--quiet", "--message", "renamed")
    (only,) = changed_lately(repository, LONG_AGO).files
    assert (only.path, only.before, only.commits, only.what) == ("renamed.txt", "file.txt", 3, "renamed")


def test_a_longer_look_back_after_a_short_one_sees_more(repository: Path) -> None:
    assert changed_lately(repository, datetime(2026, 6, 1, tzinfo=UTC)).commits == 0
    assert changed_lately(repository, LONG_AGO).commits == 1
    assert changed_lately(repository, datetime(2026, 6, 1, tzinfo=UTC)).commits == 0


def test_an_empty_repository_has_only_what_is_new(tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "--quiet", "empty")
    (tmp_path / "empty" / "first.txt").write_text("x")
    (only,) = changed_lately(tmp_path / "empty", LONG_AGO).files
    assert only.pending == "untracked"
