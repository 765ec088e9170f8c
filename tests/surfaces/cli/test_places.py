"""Paths on the command line are those that a person sees from where they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Here


@pytest.fixture
def inside(here: Here, repository: Path, monkeypatch: pytest.MonkeyPatch) -> Here:
    """Standing in a folder of the repository."""
    (repository / "kiln").mkdir()
    (repository / "kiln" / "oven.py").write_text('def bake(table):\n    """Bake it."""\n    return table\n')
    monkeypatch.chdir(repository / "kiln")
    return here


def test_a_file_is_read_from_the_current_folder(inside: Here) -> None:
    ran = inside("read", "oven.py")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("kiln/oven.py, lines 1-3 of 3")


def test_a_path_from_the_root_is_read_where_the_current_folder_has_none(inside: Here) -> None:
    assert inside("read", "docs/deploy.md").out.startswith("docs/deploy.md, ")


def test_a_path_up_and_down_again_and_a_whole_path_are_read(inside: Here, repository: Path) -> None:
    assert inside("read", "../docs/deploy.md").out.startswith("docs/deploy.md, ")
    assert inside("read", str(repository / "docs" / "deploy.md")).out.startswith("docs/deploy.md, ")


def test_anchors_with_lines_and_files_in_lists_are_read_from_the_current_folder(inside: Here) -> None:
    assert inside("save", "The oven bakes", "--anchors", "oven.py:1-2").code == 0
    assert "The oven bakes" in inside("spatial", "oven.py").out
    assert "The oven bakes" in inside("blame", "oven.py:2").out


def test_a_folder_to_look_below_is_that_of_the_current_folder(inside: Here) -> None:
    assert "kiln/oven.py" in inside("grep", "bake", "--path", ".").out
    assert "docs/deploy.md" not in inside("grep", "warehouse", "--path", ".").out


def test_a_new_file_is_written_where_the_person_stands(inside: Here, repository: Path) -> None:
    assert inside("write", "new.py", "x = 1").code == 0
    assert (repository / "kiln" / "new.py").exists()


def test_the_history_of_a_file_is_that_of_the_one_in_the_current_folder(
    inside: Here, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository / "docs")
    assert "docs/deploy.md" in inside("git", "history", "deploy.md").out


def test_a_symbol_given_by_file_and_line_is_read_from_the_current_folder(inside: Here) -> None:
    inside("map")
    ran = inside("code", "callers", "oven.py:1")
    assert ran.code == 0, ran.err
    assert "bake" in ran.out


def test_a_name_of_a_folder_is_no_path_where_a_symbol_is_meant(inside: Here, repository: Path) -> None:
    (repository / "kiln" / "bake").mkdir()
    inside("map")
    assert "bake" in inside("code", "callers", "bake").out


def test_an_address_stays_one_though_a_file_is_called_so(inside: Here, repository: Path) -> None:
    (repository / "kiln" / "abcdef").write_text("x\n")
    assert "kiln" not in inside("get", "abcdef").err
    assert "kiln" not in inside("blame", "abcdef").err


def test_a_path_outside_of_the_project_is_refused_as_everywhere(inside: Here, tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("x\n")
    ran = inside("read", "../../outside.txt")
    assert ran.code != 0
    assert "leads out of the project" in ran.err
