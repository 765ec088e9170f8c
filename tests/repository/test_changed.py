"""The files of a checkout: where git fails nothing is guessed, and what clocks say is not believed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from marrow.memory.code.kept_map import KeptMap
from marrow.model.errors import Unavailable
from marrow.repository.changed import blobs, commit_moment, is_as_it_was, listed, stamp
from marrow.store.code import MapFile

from .conftest import Git

INT64_MAX = 2**63 - 1


@pytest.fixture
def guarded(repository: Path) -> Path:
    """A repository with files that are ignored."""
    (repository / ".gitignore").write_text("notes.txt\nprivate/\n")
    (repository / "private").mkdir()
    for name in ("notes.txt", "private/plan.py", "open.py"):
        (repository / name).write_text("x = 1\n")
    return repository


def test_what_is_ignored_is_not_listed(guarded: Path) -> None:
    assert sorted(listed(guarded)) == [".gitignore", "file.txt", "open.py"]


def test_what_lies_beyond_a_link_is_not_listed(repository: Path, git: Git, tmp_path: Path) -> None:
    for name in ("kept/deep/a.py", "swapped/deep/b.py", "swapped/c.py"):
        (repository / name).parent.mkdir(parents=True, exist_ok=True)
        (repository / name).write_text("x = 1\n")
    git(repository, "add", ".")
    (repository / "swapped").rename(tmp_path / "outside")
    (repository / "swapped").symlink_to(tmp_path / "outside")
    assert sorted(listed(repository)) == ["file.txt", "kept/deep/a.py", "swapped"]


def test_a_folder_in_no_repository_is_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "plain" / "src").mkdir(parents=True)
    (tmp_path / "plain" / "src" / "a.py").write_text("x")
    assert listed(tmp_path / "plain") == ["src/a.py"]
    monkeypatch.setenv("PATH", "/nonexistent")
    assert listed(tmp_path / "plain") == ["src/a.py"]
    (tmp_path / "plain" / ".git").mkdir()  # nothing is in it, so nothing can be ignored by it
    assert listed(tmp_path / "plain") == ["src/a.py"]


@pytest.mark.parametrize("below", ["", "private"])
@pytest.mark.parametrize("trouble", ["index", "head", "pointer", "git", "owner"])
def test_in_a_repository_that_git_cannot_read_nothing_is_guessed(
    guarded: Path, monkeypatch: pytest.MonkeyPatch, trouble: str, below: str
) -> None:
    control = guarded / ".git"
    if trouble == "index":
        (control / "index").write_bytes(b"garbage")
    elif trouble == "head":
        (control / "HEAD").unlink()
    elif trouble == "pointer":
        control.rename(guarded.parent / "elsewhere")
        control.write_text("gitdir: /nowhere/at/all\n")
    elif trouble == "git":
        monkeypatch.setenv("PATH", "/nonexistent")
    elif os.geteuid() == 0:
        for path in (guarded, control):
            os.chown(path, 12345, 12345)
        monkeypatch.setenv("HOME", str(guarded.parent / "home"))
        monkeypatch.delenv("SUDO_UID", raising=False)
    else:
        pytest.skip("only root can give a folder to somebody else")
    with pytest.raises(Unavailable) as told:
        listed(guarded / below)
    assert "ignored" in told.value.hint


def test_a_bare_repository_lists_nothing(repository: Path, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), "bare")
    assert listed(tmp_path / "bare") == []


def test_the_code_map_of_a_repository_with_a_broken_index_says_so(guarded: Path, tmp_path: Path) -> None:
    kept = KeptMap(os.path.realpath(guarded), MapFile(tmp_path / "kept.map"))
    kept.update(1)
    (guarded / ".git" / "index").write_bytes(b"garbage")
    with pytest.raises(Unavailable):
        kept.update(2)
    fresh = KeptMap(kept.root, MapFile(tmp_path / "fresh.map"))
    with pytest.raises(Unavailable):
        fresh.update(2)
    assert not fresh.has_map()
    with kept.reading() as reader:
        assert "private/plan.py" not in {row.path for row in reader.files()}


def test_of_a_git_that_dies_while_it_is_read_nothing_is_taken_for_missing(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert list(blobs(repository, "HEAD", ["none.txt", "file.txt"])) == [("file.txt", b"text\n")]
    (repository / ".git" / "HEAD").unlink()
    with pytest.raises(Unavailable):
        list(blobs(repository, "HEAD", ["file.txt"]))


@pytest.mark.parametrize("seconds", ["0", "1700000000", "253402300799"])
def test_the_moment_of_a_commit_is_told(repository: Path, git: Git, seconds: str) -> None:
    git(repository, "commit", "--quiet", "--allow-empty", "--message", "x", GIT_COMMITTER_DATE=f"@{seconds} +0000")
    found = commit_moment(repository, "HEAD")
    assert found is not None
    assert found.timestamp() == int(seconds)


@pytest.mark.parametrize("seconds", ["253402300800", "99999999999999", "9223372036854775807"])
def test_a_commit_of_an_impossible_time_has_none(repository: Path, git: Git, seconds: str) -> None:
    commit = made_at(repository, git, seconds)
    assert commit_moment(repository, commit) is None


def made_at(repository: Path, git: Git, seconds: str) -> str:
    """A commit with a time that git would not write itself, as HEAD."""
    tree = git(repository, "rev-parse", "HEAD^{tree}").strip()
    who = f"a <a@example.org> {seconds} +0000"
    raw = repository.parent / "raw"
    raw.write_text(f"tree {tree}\nauthor {who}\ncommitter {who}\n\nOdd\n")
    commit = git(repository, "hash-object", "-t", "commit", "--literally", "-w", str(raw)).strip()
    git(repository, "update-ref", "HEAD", commit)
    return commit


def test_a_file_of_the_far_future_has_a_time_that_can_be_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.md").write_text("x")
    real = os.lstat(tmp_path / "a.md")

    class Far:
        st_size, st_mode, st_mtime_ns = real.st_size, real.st_mode, 2**70

    # Not every file system keeps such a time.
    monkeypatch.setattr(os, "lstat", lambda _: Far)
    assert stamp(str(tmp_path), "a.md") == (1, INT64_MAX)
    Far.st_mtime_ns = -(2**70)
    assert stamp(str(tmp_path), "a.md") == (1, -INT64_MAX - 1)


def test_a_path_of_a_thousand_folders_is_listed_as_any_other(repository: Path, git: Git) -> None:
    deep = "/".join("d" * 1_200) + "/f.py"
    blob = git(repository, "hash-object", "-w", "file.txt").strip()
    git(repository, "update-index", "--add", "--cacheinfo", f"100644,{blob},{deep}")
    assert deep in set(listed(repository))


def test_a_file_is_as_it_was_by_its_size_and_time_and_only_if_it_is_a_file(tmp_path: Path) -> None:
    root = str(tmp_path)
    (tmp_path / "a.md").write_text("a")
    here = stamp(root, "a.md")
    assert here is not None
    assert is_as_it_was(root, "a.md", *here)
    assert not is_as_it_was(root, "a.md", here.size + 1, here.mtime)
    assert not is_as_it_was(root, "a.md", here.size, here.mtime + 1)
    assert not is_as_it_was(root, "b.md", *here)
    (tmp_path / "folder").mkdir()
    found = (tmp_path / "folder").lstat()
    assert not is_as_it_was(root, "folder", found.st_size, found.st_mtime_ns)
