"""The files of a project: those that git tracks, or a careful walk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from marrow.model.errors import Invalid, NotFound
from marrow.repository import files
from marrow.repository.files import tracked

Git = Callable[..., str]


def _names(root: Path, *suffixes: str) -> list[str]:
    return [path.relative_to(root).as_posix() for path in tracked(root, suffixes)]


def _fill(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")


def test_only_what_git_tracks_is_given(repository: Path, git: Git) -> None:
    _fill(repository, "a.py", "sub/ä b.PY", ".github/c.py", "build/d.py", "new.md")
    git(repository, "add", "a.py", "sub", ".github", "build")
    assert _names(repository, ".py") == [".github/c.py", "a.py", "build/d.py", "sub/ä b.PY"]
    assert "file.txt" in _names(repository)
    assert "new.md" not in _names(repository)
    assert _names(repository / "sub") == ["ä b.PY"]


def test_links_deleted_files_and_submodules_are_left_out(repository: Path, git: Git, tmp_path: Path) -> None:
    _fill(tmp_path, "secret/key.md")
    _fill(repository, "gone.md", "folder/key.md", "kept.md")
    (repository / "link.md").symlink_to(tmp_path / "secret" / "key.md")
    git(repository, "add", ".")
    git(repository, "submodule", "--quiet", "add", str(repository), "module.md")
    (repository / "gone.md").unlink()
    (repository / "folder" / "key.md").unlink()
    (repository / "folder").rmdir()
    (repository / "folder").symlink_to(tmp_path / "secret")
    assert _names(repository, ".md") == ["kept.md"]


def test_a_file_in_conflict_is_given_once(repository: Path, git: Git) -> None:
    git(repository, "checkout", "--quiet", "-b", "side")
    (repository / "file.txt").write_text("one")
    git(repository, "commit", "--quiet", "--all", "--message", "one")
    git(repository, "checkout", "--quiet", "main")
    (repository / "file.txt").write_text("two")
    git(repository, "commit", "--quiet", "--all", "--message", "two")
    with pytest.raises(Exception, match="merge"):
        git(repository, "merge", "--quiet", "side")
    assert _names(repository) == ["file.txt"]


@pytest.mark.parametrize("without", ["repository", "git"])
def test_where_git_cannot_say_a_walk_leaves_out_what_is_hidden_or_built(
    tmp_path: Path, git: Git, monkeypatch: pytest.MonkeyPatch, without: str
) -> None:
    root = tmp_path / "plain"
    _fill(root, "b.py", "a.py", "src/c.py", ".venv/d.py", "Node_Modules/e.py", "target/f.py", ".g.py", "src/h.txt")
    _fill(tmp_path, "outside/i.py")
    (root / "link").symlink_to(tmp_path / "outside")
    (root / "link.py").symlink_to(tmp_path / "outside" / "i.py")
    (root / "loop").symlink_to(root)
    if without == "git":
        git(root, "init", "--quiet")
        monkeypatch.setenv("PATH", "/nonexistent")
    assert _names(root, ".py") == ["a.py", "b.py", "src/c.py"]


def test_a_walk_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _fill(tmp_path, *(f"{name}.py" for name in range(20)), "/".join("abcdef") + "/deep.py")
    monkeypatch.setattr(files, "DEPTH_MAX", 3)
    assert len(_names(tmp_path, ".py")) == 20
    monkeypatch.setattr(files, "ENTRIES_MAX", 10)
    assert len(_names(tmp_path)) <= 10


def test_a_bare_repository_has_no_files(repository: Path, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), "bare")
    assert _names(tmp_path / "bare") == []


def test_an_empty_repository_has_no_files(tmp_path: Path, git: Git) -> None:
    git(tmp_path, "init", "--quiet", "fresh")
    _fill(tmp_path, "fresh/new.py")
    assert _names(tmp_path / "fresh") == []


def test_a_root_that_is_no_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        tracked(tmp_path / "nothing")


@pytest.mark.parametrize("above", [0, 1, 2])
def test_neither_a_home_nor_what_is_above_it_is_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, above: int
) -> None:
    home = tmp_path / "homes" / "ada"
    _fill(home, "notes.py", "work/shop/a.py")
    monkeypatch.setenv("HOME", str(home))
    with pytest.raises(Invalid, match="and no repository"):
        _names([home, *home.parents][above])
    assert _names(home / "work", ".py") == ["shop/a.py"]
