"""Paths stay inside the project, links resolved; git's files and secrets are left alone."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from marrow.memory.engine import Asker
from marrow.memory.project_files import (
    listed,
    matches_glob,
    path_in_repository,
    project_file,
    project_folder,
    project_root,
    read_bytes,
)
from marrow.model.errors import Forbidden, Invalid, MarrowError, NotFound, TooLarge, Unavailable

from .conftest import Git


@pytest.mark.parametrize("given", ["../x", "/etc/passwd", "src/../../x", "~/x", "..", "src/../..", "x/../../../etc"])
def test_a_path_that_leads_out_is_refused(root: Path, given: str) -> None:
    with pytest.raises(Invalid) as caught:
        project_file(str(root), given)
    assert caught.value.field == "path"
    assert caught.value.hint


@pytest.mark.parametrize("given", ["", "  ", "a\0b", "x" * 10_000])
def test_what_is_no_path_is_refused(root: Path, given: str) -> None:
    with pytest.raises(Invalid):
        project_file(str(root), given)


def test_a_link_that_leads_out_is_refused(root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("not yours\n")
    (root / "link.txt").symlink_to(tmp_path / "outside.txt")
    (root / "folder").symlink_to(tmp_path)
    for given in ("link.txt", "folder/outside.txt", "folder/new.txt"):
        with pytest.raises(Invalid):
            project_file(str(root), given)


def test_a_link_inside_is_followed_but_not_to_secrets(root: Path) -> None:
    (root / "inner.py").symlink_to(root / "src" / "cards.py")
    assert read_bytes(project_file(str(root), "inner.py")) == b"LIMIT = 5000\n"
    (root / ".env").write_text("KEY=1\n")
    (root / "harmless.txt").symlink_to(root / ".env")
    (root / "config.txt").symlink_to(root / ".git" / "config")
    for given in ("harmless.txt", "config.txt"):
        with pytest.raises(Forbidden):
            project_file(str(root), given)


@pytest.mark.parametrize("given", [".env", "src/.env.local", ".git/config", ".git", "sub/.git/x", "server.pem"])
def test_secrets_and_git_itself_are_left_alone(root: Path, given: str) -> None:
    with pytest.raises(Forbidden) as caught:
        project_file(str(root), given)
    assert caught.value.hint


def test_a_path_may_be_whole_or_from_the_root(root: Path) -> None:
    for given in ("src/cards.py", "./src/cards.py", str(root / "src" / "cards.py"), "src//../src/cards.py"):
        assert project_file(str(root), given).path == "src/cards.py"


def test_a_root_that_is_reached_by_a_link_is_the_same(root: Path, tmp_path: Path, asker: Asker) -> None:
    (tmp_path / "alias").symlink_to(root)
    real = project_root(replace(asker, root=str(tmp_path / "alias")))
    assert real == str(root)
    assert project_file(real, str(tmp_path / "alias" / "src" / "cards.py")).path == "src/cards.py"


def test_what_cannot_be_read_as_text_is_refused(root: Path) -> None:
    (root / "picture.dat").write_bytes(b"\x89PNG\0\0")
    (root / "big.txt").write_bytes(b"x\n" * 3_000_000)
    os.mkfifo(root / "pipe")
    expected = {"picture.dat": Invalid, "big.txt": TooLarge, "pipe": Invalid, "src": Invalid, "none.txt": NotFound}
    for name, error in expected.items():
        with pytest.raises(error):
            read_bytes(project_file(str(root), name))


def test_a_bare_repository_or_an_unknown_place_has_no_files(asker: Asker, root: Path, git: Git, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(root), "bare.git")
    for place in ("", str(tmp_path / "bare.git")):
        with pytest.raises(Unavailable):
            project_root(replace(asker, root=place))


def test_listed_respects_ignore_files_and_knows_what_is_new(root: Path) -> None:
    (root / "src" / "new.py").write_text("x\n")
    (root / "noise.log").write_text("x\n")
    (root / ".env").write_text("KEY=1\n")
    expected = {".gitignore", "README.md", "src/cards.py", "src/new.py", "src/payments.py", "tests/test_payments.py"}
    assert set(listed(str(root))) == expected
    assert set(listed(str(root), "src")) == {"src/cards.py", "src/new.py", "src/payments.py"}


def test_a_folder_without_git_is_walked(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    (folder / "node_modules").mkdir(parents=True)
    (folder / "node_modules" / "x.js").write_text("x")
    (folder / "a.py").write_text("x")
    assert list(listed(str(folder))) == ["a.py"]


def test_a_folder_is_named_from_the_root(root: Path) -> None:
    assert project_folder(str(root), "./src/") == "src"
    assert project_folder(str(root), "") == ""
    for given in ("nothing", "../"):
        with pytest.raises(MarrowError):
            project_folder(str(root), given)


def test_a_path_in_the_repository_need_not_be_there(root: Path) -> None:
    assert path_in_repository(str(root), "long/gone.py") == "long/gone.py"
    assert path_in_repository(str(root), str(root / "a.py")) == "a.py"
    with pytest.raises(Invalid):
        path_in_repository(str(root), "../a.py")


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.py", "src/deep/a.py", True),
        ("*.py", "src/a.pyc", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/deep/a.py", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/x/y/a.py", True),
        ("**/test_*.py", "test_a.py", True),
        ("**/x/**", "a/x/b/c", True),
        ("./src/a.py", "src/a.py", True),
        ("src/**", "other/a", False),
        ("[ab].py", "b.py", True),
        ("*.{ts,tsx}", "src/a.tsx", True),
        ("*.{ts,tsx}", "src/a.js", False),
        ("{src,lib}/**/*.{py,p{yi,yx}}", "lib/x/a.pyx", True),
        ("{src,lib}/**/*.py", "other/a.py", False),
        ("src{,/deep}/a.py", "src/a.py", True),
        ("{a}.py", "{a}.py", True),
    ],
)
def test_globs_mean_what_ignore_files_mean(pattern: str, path: str, fits: bool) -> None:
    assert matches_glob(path, pattern) is fits


def test_a_hostile_glob_takes_no_time() -> None:
    assert not matches_glob("/".join(["a"] * 200), "/".join(["**", "a"] * 200) + "/b")
    assert not matches_glob("a", "{a,b}" * 90)
